"""What is done for everybody at once: finding the runs that dead processes left behind.

Nothing else sees the runs of more than one person. What is found is carried on in the name of its own person.
"""

from __future__ import annotations

from signalbox.runs.gate import Row, everybodys
from signalbox.runs.records import COLUMNS, Run, read

__all__ = ["left_behind", "left_pending"]


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
