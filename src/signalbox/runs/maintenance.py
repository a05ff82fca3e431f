"""Work across all people: finding runs that dead processes left behind, and what is due.

Nothing else sees the runs of more than one person. Runs are continued as their own person.
"""

from __future__ import annotations

from signalbox.runs.crons import COLUMNS as CRON_COLUMNS
from signalbox.runs.crons import Cron, read_cron
from signalbox.runs.gate import Row, everybodys
from signalbox.runs.records import COLUMNS, Run, read
from signalbox.runs.webhooks import Webhook
from signalbox.settings import now

__all__ = ["break_off", "due_crons", "due_webhooks", "left_behind", "left_pending"]


def break_off(owners: str) -> None:
    """Mark the run of one of these owners (a pattern) as interrupted: nothing they still do with it is stored."""
    with everybodys() as connection:
        connection.execute(
            "UPDATE runs SET status = 'interrupted', owner = '', updated_at = ? "
            "WHERE status = 'running' AND owner LIKE ?",
            (now().isoformat(), owners),
        )


def left_behind(*, carried: bool = False) -> list[Run]:
    """The interrupted background runs that no living process executes, oldest first; with `carried`, active ones as
    well."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs WHERE status IN ('running', 'interrupted') ORDER BY started_at, rowid"
        ).fetchall()
    return [run for run in _read(rows) if run.is_left_behind or (carried and run.background)]


def left_pending() -> list[Run]:
    """The pending runs, in the order in which they were submitted."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs WHERE status = 'pending' ORDER BY started_at, rowid"
        ).fetchall()
    return _read(rows)


def _read(rows: list[Row]) -> list[Run]:
    """The runs of these rows, except those without an owner."""
    return [read(row[0], row[1:]) for row in rows if row[0]]


def due_webhooks() -> list[Webhook]:
    """The webhooks of runs that have ended or paused, one batch."""
    with everybodys() as connection:
        rows = connection.execute(
            "SELECT hook.user_id, hook.run_id, hook.url, hook.attempts, hook.due_at FROM webhooks AS hook "
            "LEFT JOIN runs ON runs.run_id = hook.run_id WHERE hook.due_at <= ? "
            "AND (runs.run_id IS NULL OR runs.status NOT IN ('pending', 'running', 'interrupted')) "
            "ORDER BY hook.due_at LIMIT 100",
            (now().isoformat(),),
        ).fetchall()
    return [Webhook(*row) for row in rows]


def due_crons() -> list[tuple[str, Cron]]:
    """The schedules that are due, each with its person."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {CRON_COLUMNS} FROM crons WHERE next_at > '' AND next_at <= ? ORDER BY next_at LIMIT 100",
            (now().isoformat(),),
        ).fetchall()
    return [(row[0], read_cron(row[1:])) for row in rows]
