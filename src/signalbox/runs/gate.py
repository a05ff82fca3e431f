"""The gate: the only place that uses the tables of runs, and binds every statement to its owner.

A transaction is for one person. Callers pass no SQL: each call names one table, and the gate adds the owner to the
conditions and to new rows. Anything that cannot be bound is refused. On PostgreSQL the transaction also says who it is
for, and row-level security applies even if this file is wrong.

LangGraph's checkpoints are guarded through their run: `checkpoints.py` opens those of one run of one person, and a run
comes only from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from signalbox.errors import ProgrammerError
from signalbox.runs.database import Connection, Database, Marked, database
from signalbox.runs.schema import TABLES

if TYPE_CHECKING:
    from signalbox.runs.owners import Lease

__all__ = ["CHANNEL", "OwnershipError", "Row", "Transaction", "everybodys", "owned"]

Row = tuple[Any, ...]
CHANNEL = "signalbox_runs"
"""The channel on which processes on PostgreSQL notify each other about runs."""
_FORBIDDEN = re.compile(r"\b(select|union|with|user_id|returning|from|join|into)\b|;|--|/\*", re.IGNORECASE)


class OwnershipError(ProgrammerError):
    """Code tried to use somebody else's row, or to bypass the gate."""

    error_type = "ownership"


@contextmanager
def owned(person: str, kept: Database | None = None) -> Iterator[Transaction]:
    """A transaction for one person: all or nothing, and only their own rows. In the database from the settings, unless
    another is given. Raises Conflict, and ConfigurationError if the database cannot be used."""
    if not isinstance(person, str) or not person:
        raise OwnershipError("Runs are somebody's: no person was named.")
    with (kept or database()).transaction(person) as connection:
        yield Transaction(connection, person)


@contextmanager
def everybodys() -> Iterator[Connection]:
    """A transaction over everybody's rows, for `maintenance.py` alone: finding what dead processes left behind."""
    with database().transaction(maintenance=True) as connection:
        yield connection


class Transaction:
    """A transaction for one person. `where` is a condition over the table's own columns, with `?` for each value."""

    __slots__ = ("_connection", "person")

    def __init__(self, connection: Connection, person: str) -> None:
        self._connection, self.person = connection, person

    def select(
        self, columns: str, table: str, where: str = "", values: Sequence[Any] = (), *, order: str = "",
        limit: int | None = None, offset: int = 0,
    ) -> list[Row]:  # fmt: skip
        """The rows of this person that meet the condition."""
        order = f" ORDER BY {_part(order)}" if order else ""
        page = f" LIMIT {int(limit)} OFFSET {int(offset)}" if limit is not None else ""
        statement = f"SELECT {_part(columns)} FROM {_table(table)} WHERE {_mine(where)}{order}{page}"
        return list(self._connection.execute(statement, (self.person, *values)).fetchall())

    def first(
        self, columns: str, table: str, where: str = "", values: Sequence[Any] = (), *, order: str = ""
    ) -> Row | None:
        """The first row of this person that meets the condition."""
        return next(iter(self.select(columns, table, where, values, order=order, limit=1)), None)

    def is_held(self, table: str, where: str, values: Sequence[Any]) -> bool:
        """True if a row of this person meets the condition; it is then locked until the transaction ends."""
        sharing = " FOR SHARE" if isinstance(self._connection, Marked) else ""
        statement = f"SELECT 1 FROM {_table(table)} WHERE {_mine(where)}{sharing}"
        return self._connection.execute(statement, (self.person, *values)).fetchone() is not None

    def insert(self, table: str, row: Mapping[str, Any], *, unless_there: bool = False) -> bool:
        """Add a row for this person; True if it was added. If the key exists, with `unless_there` nothing happens,
        whoever owns the row; otherwise Conflict is raised."""
        names = ", ".join(map(_column, row))
        marks = ", ".join("?" * (len(row) + 1))
        otherwise = " ON CONFLICT DO NOTHING" if unless_there else ""
        statement = f"INSERT INTO {_table(table)} ({names}, user_id) VALUES ({marks}){otherwise}"
        return bool(self._connection.execute(statement, (*row.values(), self.person)).rowcount == 1)

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add rows for this person. Raises Conflict."""
        names, marks = ", ".join(map(_column, columns)), ", ".join("?" * (len(columns) + 1))
        statement = f"INSERT INTO {_table(table)} ({names}, user_id) VALUES ({marks})"
        self._connection.executemany(statement, [(*row, self.person) for row in rows])

    def update(self, table: str, changes: Mapping[str, Any], where: str, values: Sequence[Any] = ()) -> int:
        """Change this person's rows that meet the condition; returns their number."""
        new = ", ".join(f"{_column(name)} = ?" for name in changes)
        statement = f"UPDATE {_table(table)} SET {new} WHERE {_mine(where)}"
        return int(self._connection.execute(statement, (*changes.values(), self.person, *values)).rowcount)

    def delete(self, table: str, where: str, values: Sequence[Any] = ()) -> int:
        """Delete this person's rows that meet the condition; returns their number."""
        statement = f"DELETE FROM {_table(table)} WHERE {_mine(where)}"
        return int(self._connection.execute(statement, (self.person, *values)).rowcount)

    def tell(self, run_id: str) -> None:
        """Notify other processes of news in a run when the transaction is committed."""
        if isinstance(self._connection, Marked):
            self._connection.execute(f"SELECT pg_notify('{CHANNEL}', ?)", (run_id,))

    def holds(self, lease: Lease) -> bool:
        """True if the lease of a worker is still good."""
        return lease.holds(self._connection)


def _table(name: str) -> str:
    if name not in TABLES:
        raise OwnershipError(f"The gate knows no table '{name}'.")
    return name


def _column(name: str) -> str:
    if not name.isidentifier() or name == "user_id":
        raise OwnershipError("The owner of a row is whom the transaction is for.")
    return name


def _mine(where: str) -> str:
    return f"user_id = ? AND ({_part(where)})" if where else "user_id = ?"


@lru_cache(maxsize=256)
def _part(text: str) -> str:
    """Check a part of a statement: it must not contain another statement, the owner, or unbalanced brackets."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    if depth != 0 or _FORBIDDEN.search(text) or "'" in re.sub(r"'\w*'", "", text):
        raise OwnershipError("Only a plain condition over one table can be bound to its owner.")
    return text
