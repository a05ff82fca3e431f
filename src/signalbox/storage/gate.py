"""The gate: the only place that queries the database, and where every query is bound to its owner.

A session from here adds the owner to every query, gives new rows their owner, refuses rows of anybody else, and refuses
statements that it cannot bind (plain SQL among them). Statements that every request needs are `Prepared` once, bound
when they are made, and run by `in_one_go` without the cost of a session. On PostgreSQL each transaction also says who
it is for, and row-level security applies even if this file is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Delete, Engine, Insert, Select, Table, Update, bindparam, event, text
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria
from sqlalchemy.sql.expression import SelectBase, TextClause
from sqlalchemy.sql.visitors import iterate

from signalbox.errors import DatabaseError, ProgrammerError, RequestError
from signalbox.storage.engine import Direct, open_direct, open_engine
from signalbox.storage.models import Owned

__all__ = ["OwnershipError", "Prepared", "Transaction", "check_owner", "everybodys", "in_one_go", "in_session", "owned"]

T = TypeVar("T")
_PAUSES = (*(0.001 * 2**at for at in range(6)), *[0.05] * 1_200)
"""Seconds between two attempts to get the lock: a minute in all, as for the thread."""


_DATA_EXCEPTION = "22"
"""The prefix of PostgreSQL's error codes for values it cannot store, such as text with a NUL."""


class OwnershipError(ProgrammerError):
    """Code tried to use somebody else's row, or to bypass the gate."""

    error_type = "ownership"


def check_owner(user_id: str) -> str:
    """The id in its canonical form. Raises RequestError if it is not a UUID."""
    try:
        return str(uuid.UUID(str(user_id)))
    except ValueError:
        raise RequestError("The user id is not a UUID.", suggestion="Use the id that you were given.") from None


@asynccontextmanager
async def owned(owner: str, *, writes: bool = False) -> AsyncIterator[AsyncSession]:
    """A transaction for one person: all or nothing, and only their own rows. Raises DatabaseError."""
    async with _transaction({"owner": owner}, writes) as session:
        yield session


class Prepared:
    """A statement on one table, prepared once: it only affects rows of the person it is run for.

    A select, update or delete gets the owner among its conditions, an insert gets it as the new row's owner. Raises
    OwnershipError for one that cannot be bound, or that sets an owner itself.
    """

    __slots__ = ("statement",)

    def __init__(self, statement: Select[Any] | Update | Delete | Insert) -> None:
        tables = statement.get_final_froms() if isinstance(statement, Select) else [statement.table]
        inside = [part for part in iterate(statement) if isinstance(part, SelectBase | TextClause)]
        if len(tables) != 1 or not isinstance(tables[0], Table) or inside not in ([], [statement]):
            raise OwnershipError("Only a statement over one table itself can be bound to its owner.")
        if "user_id" not in tables[0].c:
            raise OwnershipError("This table has no owner.")
        if isinstance(statement, Update) and "user_id" in statement.compile().params:
            raise OwnershipError("The owner of a row is whom the statement is run for.")
        owner: Any = bindparam("owner")
        self.statement: Any = (
            statement.values(user_id=owner)
            if isinstance(statement, Insert)
            else statement.where(tables[0].c.user_id == owner)
        )


class Transaction:
    """A transaction for one person, of statements that are prepared."""

    __slots__ = ("_connection", "_owner")

    def __init__(self, connection: Connection, owner: str) -> None:
        self._connection, self._owner = connection, owner
        _say_for(connection, owner)

    @property
    def dialect(self) -> str:
        """Which database it is."""
        return str(self._connection.dialect.name)

    def run(self, prepared: Prepared, **values: Any) -> CursorResult[Any]:
        """Run a statement with these values. Raises OwnershipError if they name an owner."""
        if "owner" in values or "user_id" in values:
            raise OwnershipError("The owner of a row is whom the statement is run for.")
        return self._connection.execute(prepared.statement, {**values, "owner": self._owner})

    def exclude_others(self) -> None:
        """Lock out other transactions for this person that call this, until this one ends. On SQLite only one
        transaction writes anyway."""
        if self.dialect == "postgresql":
            lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:owner, 0))")
            self._connection.execute(lock, {"owner": self._owner})


async def in_one_go(owner: str, work: Callable[[Transaction], T], *, writes: bool = False) -> T:
    """The result of `work` in a transaction of prepared statements for one person: all or nothing. It must be short,
    and may be repeated from the beginning if somebody else held the lock. Raises DatabaseError."""
    direct = await open_direct()
    try:
        if direct is None:
            engine = (await open_engine()).execution_options(writes=writes)
            async with engine.begin() as connection:
                return await connection.run_sync(lambda plain: work(Transaction(plain, owner)))

        return await _here(direct, lambda connection: work(Transaction(connection, owner)), writes)
    except _DOWN as error:
        raise _told(error) from error


async def _here(direct: Direct, work: Callable[[Connection], T], writes: bool) -> T:
    """The result of a short piece of work done in the event loop itself, because switching threads would cost more than
    the work. While somebody else holds the lock, it is retried."""
    way = direct.here.writing if writes else direct.here.reading
    for pause in _PAUSES:
        try:
            with way.begin() as connection:
                given = work(connection)
        except (OperationalError, sqlite3.OperationalError) as error:
            if "locked" not in str(error):
                raise
            await asyncio.sleep(pause)
        else:
            if writes:
                direct.note_writing()
            return given
    raise DatabaseError("The database cannot be reached.", details="It was locked for too long.")


async def in_session(owner: str, work: Callable[[Session], T], *, writes: bool = False, is_short: bool = False) -> T:
    """The result of `work` in a transaction like that of `owned`, if nothing needs to be awaited between statements:
    with SQLite it is many times as fast. If it `is_short` (a few rows found by an index), it may be repeated from the
    beginning, as by `in_one_go`. Raises DatabaseError."""
    direct = await open_direct()
    if direct is None:
        async with owned(owner, writes=writes) as session:
            return await session.run_sync(work)

    def done(bound: Engine | Connection) -> T:
        with _BoundSession(bound, info={"owner": owner}, expire_on_commit=False) as session, session.begin():
            return work(session)

    try:
        if is_short:
            return await _here(direct, done, writes)
        way = direct.there.writing if writes else direct.there.reading
        return await asyncio.get_running_loop().run_in_executor(direct.thread, done, way)
    except _DOWN as error:
        raise _told(error) from error


@asynccontextmanager
async def everybodys(*, writes: bool = False) -> AsyncIterator[AsyncSession]:
    """A transaction over everybody's rows, only for `maintenance.py`: cleaning up, and what a crash left behind."""
    async with _transaction({"owner": None}, writes) as session:
        yield session


@asynccontextmanager
async def _transaction(info: dict[str, Any], writes: bool) -> AsyncIterator[AsyncSession]:
    engine = await open_engine()
    bound = engine.execution_options(writes=writes)
    try:
        async with (
            AsyncSession(bound, sync_session_class=_BoundSession, info=info, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session
    except _DOWN as error:
        raise _told(error) from error


_DOWN = (DBAPIError, OSError, PoolTimeout)
"""The errors of a database that is down, locked, full or damaged; a refused connection is an OSError."""


def _told(error: Exception) -> Exception:
    """The error that callers expect; only errors of wrong statements are left as they are."""
    if (getattr(getattr(error, "orig", None), "sqlstate", None) or "").startswith(_DATA_EXCEPTION):
        return RequestError(
            "A text contains characters that databases cannot store.", suggestion="Leave out NUL characters."
        )
    is_wrong = isinstance(error, IntegrityError | ProgrammingError | DataError | NotSupportedError)
    if is_wrong and not (isinstance(error, DBAPIError) and error.connection_invalidated):
        return error
    return DatabaseError("The database cannot be reached.", details=error)


class _BoundSession(Session):
    """A session that knows its person."""


@event.listens_for(_BoundSession, "do_orm_execute")
def _bind(state: ORMExecuteState) -> None:
    owner = state.session.info["owner"]
    if owner is None:
        return
    if not state.is_orm_statement or state.is_insert or state.is_from_statement:
        raise OwnershipError("Only queries of the tables themselves can be bound to their owner.")
    if any(not issubclass(mapper.class_, Owned) for mapper in state.all_mappers):
        raise OwnershipError("This table has no owner.")
    state.statement = state.statement.options(
        with_loader_criteria(Owned, lambda table: table.user_id == owner, include_aliases=True)
    )


@event.listens_for(_BoundSession, "before_flush")
def _refuse_strangers(session: Session, *_: Any) -> None:
    owner = session.info["owner"]
    if owner is None:
        return
    for row in session.new:
        if isinstance(row, Owned) and row.user_id is None:
            row.user_id = owner
    for row in (*session.new, *session.dirty, *session.deleted):
        if not isinstance(row, Owned) or row.user_id != owner:
            raise OwnershipError("An attempt was made to write somebody else's row.")


@event.listens_for(_BoundSession, "after_begin")
def _say_for_whom(session: Session, _: Any, connection: Any) -> None:
    _say_for(connection, session.info["owner"])


def _say_for(connection: Connection, owner: str | None) -> None:
    """Row-level security on PostgreSQL uses this setting, which ends with the transaction."""
    if connection.dialect.name == "postgresql":
        name, value = ("app.user_id", owner) if owner is not None else ("app.maintenance", "on")
        connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": name, "value": value})
