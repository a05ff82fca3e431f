"""What is done for everybody at once: finding the runs that dead processes left behind, and what is due.

Nothing else sees the runs of more than one person. What is found is carried on in the name of its own person.
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
    """Have the run break off that one of these owners (a pattern) carried: nothing that they still do with it is
    written down."""
    with everybodys() as connection:
        connection.execute(
            "UPDATE runs SET status = 'interrupted', owner = '', updated_at = ? "
            "WHERE status = 'running' AND owner LIKE ?",
            (now().isoformat(), owners),
        )


def left_behind(*, carried: bool = False) -> list[Run]:
    """The background runs that broke off and that no living process carries, the oldest first; with `carried`, those
    under way as well."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs WHERE status IN ('running', 'interrupted') ORDER BY started_at, rowid"
        ).fetchall()
    return [run for run in _read(rows) if run.is_left_behind or (carried and run.background)]


def left_pending() -> list[Run]:
    """The runs that are to begin later, in the order in which they were submitted."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs WHERE status = 'pending' ORDER BY started_at, rowid"
        ).fetchall()
    return _read(rows)


def _read(rows: list[Row]) -> list[Run]:
    """The runs of these rows; one that is nobody's stays where it is."""
    return [read(row[0], row[1:]) for row in rows if row[0]]


def due_webhooks() -> list[Webhook]:
    """The webhooks of runs that have ended or wait, as many as are told of at a time."""
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
