"""What is done for everybody at once: finding the runs that dead processes left behind.

Nothing else sees the runs of more than one person. What is found is carried on in the name of its own person.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from signalbox.runs.gate import Row, everybodys
from signalbox.runs.records import COLUMNS, Run, read
from signalbox.settings import now

__all__ = ["left_behind", "never_handed"]

_MOST_LOOKED_AT = 50
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)


def left_behind() -> list[Run]:
    """The background runs that broke off and that no living process carries, the oldest first."""
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs WHERE status IN ('running', 'interrupted') ORDER BY started_at, rowid"
        ).fetchall()
    return [run for run in _read(rows) if run.is_left_behind]


def never_handed() -> list[Run]:
    """The background runs that completed lately, are the last of their thread, and have handed their request to nobody.

    A process that lives hands a request on in less than the minute that has passed.
    """
    with everybodys() as connection:
        rows = connection.execute(
            f"SELECT user_id, {COLUMNS} FROM runs AS one WHERE status = 'completed' AND NOT EXISTS "
            "(SELECT 1 FROM runs AS other WHERE other.thread_id = one.thread_id AND other.started_at > one.started_at) "
            "ORDER BY updated_at DESC LIMIT ?",
            (_MOST_LOOKED_AT,),
        ).fetchall()
    found = [run for run in _read(rows) if run.background and "handed_to" not in run.result]
    return [run for run in found if _MINUTE < now() - datetime.fromisoformat(run.updated_at) < _DAY]


def _read(rows: list[Row]) -> list[Run]:
    """The runs of these rows; one that is nobody's stays where it is."""
    return [read(row[0], row[1:]) for row in rows if row[0]]
