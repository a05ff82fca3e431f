"""The one database of runs: SQLite under `SIGNALBOX_HOME`, or PostgreSQL where `SIGNALBOX_DATABASE_URL` names one.

It is opened once for each process. With SQLite one connection serves all threads of the process in turn, and it waits
for other processes; with PostgreSQL there is a pool of connections. A new database gets the tables of `schema.py`, an
older one is migrated; one that is current costs a single query. Its rows are read and written through `gate.py` only.
"""

from __future__ import annotations

import atexit
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from signalbox.errors import ConfigurationError, DatabaseError, ProgrammerError, RequestError, redact
from signalbox.runs.schema import HEAD, VERSION_TABLE, postgres_statements, sqlite_statements
from signalbox.settings import get_settings, home_file

__all__ = ["Conflict", "Connection", "Database", "PostgresDatabase", "SqliteDatabase", "database"]

TIMEOUT = 60.0
_MOST_OPEN = 8
_MOST_CONNECTIONS = 8
_LOCK = 7_263_001
_log = logging.getLogger("signalbox.runs")


Scope = tuple[str, bool]
"""The person of a transaction, or everybody in maintenance; `("", False)` is nobody."""


class Conflict(Exception):
    """A row that must be unique already exists."""


class Connection(Protocol):
    """The connection inside a transaction; statements have `?` for each value."""

    def execute(self, statement: str, values: Any = ..., /) -> Any:
        """Run a statement; the result has `fetchone`, `fetchall` and `rowcount`."""

    def executemany(self, statement: str, values: Any, /) -> Any:
        """Run a statement for each row of values."""


class Database(Protocol):
    """An open database."""

    @property
    def name(self) -> str:
        """Its name for people, without a password."""

    def transaction(self, person: str = "", *, maintenance: bool = False) -> AbstractContextManager[Connection]:
        """A transaction, or inside another one of the same thread and person, a part of that one.

        Only for `gate.py`: on PostgreSQL it sees this person's rows, with `maintenance` everybody's, otherwise none.
        Raises Conflict, RequestError for a text that cannot be stored, and DatabaseError if the database cannot be
        used.
        """

    def close(self) -> None:
        """Release it."""


class SqliteDatabase:
    """A SQLite file. `lock` is held while the connection is used."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.lock = threading.RLock()
        self.keeps_checkpoints = False
        self._path = path
        self._open_for: Scope | None = None
        self.connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False, isolation_level="IMMEDIATE")
        # SQLite's own knows ASCII alone.
        self.connection.create_function("LOWER", 1, lambda text: text and text.casefold(), deterministic=True)
        self._prepare()

    @contextmanager
    def transaction(self, person: str = "", *, maintenance: bool = False) -> Iterator[Connection]:
        """A transaction, or a part of the open one. Raises Conflict, and DatabaseError if the
        file cannot be used."""
        with self.lock:
            try:
                with self._joined((person, maintenance)):
                    yield self.connection
            except UnicodeEncodeError:
                raise _unstorable() from None
            except sqlite3.IntegrityError as error:
                raise Conflict(str(error)) from None
            except sqlite3.Error as error:
                raise _unusable(self.name, error) from None

    @contextmanager
    def _joined(self, scope: Scope) -> Iterator[None]:
        if self._open_for is not None:
            _require_same(self._open_for, scope)
            yield
            return
        self._open_for = scope
        try:
            with self.connection:
                yield
        finally:
            self._open_for = None

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()

    def _prepare(self) -> None:
        """Create or migrate the tables. Several processes may do so at once."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode=WAL")
                self.connection.execute("PRAGMA synchronous=NORMAL")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        if not _is_current(self._version()):
            self._bring_up_to_date()

    def _version(self) -> str | None:
        if not self._has(VERSION_TABLE):
            return None
        row = self.connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        return str(row[0]) if row else None

    def _has(self, table: str) -> bool:
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
        return self.connection.execute(query, (table,)).fetchone() is not None

    def _bring_up_to_date(self) -> None:
        with self.connection:
            # Who waited here for another process finds its work done.
            self.connection.execute("BEGIN IMMEDIATE")
            if not self._has("runs"):
                for statement in sqlite_statements():
                    self.connection.execute(statement)
        if not _is_current(self._version()):
            from signalbox.runs.migrations import upgrade

            upgrade("sqlite", lambda: sqlite3.connect(self._path, timeout=TIMEOUT, isolation_level=None))


class PostgresDatabase:
    """A pool of connections to a server."""

    def __init__(self, address: str) -> None:
        from signalbox.runs.pool import open_pool

        self.name = str(redact(address))
        self.address = address
        self._here = threading.local()
        self.keeps_checkpoints = False
        self.pool: Any = open_pool(address, _MOST_CONNECTIONS)
        self._prepare()

    def dedicated(self) -> Any:
        """A connection of its own. Raises DatabaseError."""
        import psycopg

        try:
            return psycopg.connect(self.address, autocommit=True, connect_timeout=10)
        except psycopg.Error as error:
            raise _unusable(self.name, error) from None

    @contextmanager
    def transaction(self, person: str = "", *, maintenance: bool = False) -> Iterator[Marked]:
        """A transaction, or a part of the open one: it sees this person's rows, with `maintenance` everybody's,
        otherwise none. Raises Conflict, and DatabaseError if the server cannot be used."""
        import psycopg

        try:
            with self._joined((person, maintenance)) as connection:
                yield connection
        except (psycopg.DataError, UnicodeEncodeError):
            raise _unstorable() from None
        except psycopg.IntegrityError as error:
            raise Conflict(str(error)) from None
        except psycopg.Error as error:
            raise _unusable(self.name, error) from None

    @contextmanager
    def _joined(self, scope: Scope) -> Iterator[Marked]:
        if (held := getattr(self._here, "open", None)) is not None:
            _require_same(held[1], scope)
            yield held[0]
            return
        with self.pool.connection() as connection, connection.transaction():
            _say_for(connection, scope)
            self._here.open = (Marked(connection), scope)
            try:
                yield self._here.open[0]
            finally:
                self._here.open = None

    def close(self) -> None:
        """Close every connection without waiting for those being opened."""
        self.pool.close()

    def _prepare(self) -> None:
        """Create or migrate the tables, including LangGraph's. Several processes may do so at once."""
        with self.pool.connection() as connection:
            if _is_current(_postgres_version(connection)):
                return
        with self.dedicated() as connection:
            _wait_for_turn(connection)
            if _is_current(_postgres_version(connection)):
                return
            _warn_of_power(connection)
            _make_checkpoints(connection)
            make_queue(connection)
            if not _has_table(connection, "runs"):
                with connection.transaction():
                    for statement in postgres_statements():
                        connection.execute(statement)
                return
            import psycopg

            from signalbox.runs.migrations import upgrade

            upgrade("postgresql+psycopg", lambda: psycopg.connect(self.address))


def _wait_for_turn(connection: Any) -> None:
    """Wait for other processes, until the connection closes. It polls, because waiting inside a statement would block
    the indexes that LangGraph creates."""
    deadline = time.monotonic() + TIMEOUT
    while not connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone()[0]:
        if time.monotonic() > deadline:
            raise ConfigurationError("Another process has been preparing the database of runs for too long.")
        time.sleep(0.1)


def _postgres_version(connection: Any) -> str | None:
    if not _has_table(connection, VERSION_TABLE):
        return None
    row = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
    return str(row[0]) if row else None


def _has_table(connection: Any, name: str) -> bool:
    return bool(connection.execute("SELECT to_regclass(%s) IS NOT NULL", (name,)).fetchone()[0])


def _warn_of_power(connection: Any) -> None:
    query = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    if connection.execute(query).fetchone()[0]:
        _log.warning("The database's user can bypass row-level security: use one that is not a superuser.")


def _make_checkpoints(connection: Any) -> None:
    from langgraph.checkpoint.postgres import PostgresSaver

    PostgresSaver(connection).setup()


def make_queue(connection: Any) -> None:
    """Create the tables of the queue if they do not exist."""
    from procrastinate.schema import SchemaManager

    if not _has_table(connection, "procrastinate_jobs"):
        connection.execute(SchemaManager.get_schema())


def _is_current(version: str | None) -> bool:
    """True if the tables are those of this version. Raises ConfigurationError if they are newer."""
    if version is not None and version > HEAD:
        raise ConfigurationError(
            f"The database of runs is newer ({version}) than this Signalbox ({HEAD}).", suggestion="Update Signalbox."
        )
    return version == HEAD


class Marked:
    """A connection of psycopg that takes `?` for each value; `own` is the connection itself."""

    def __init__(self, connection: Any) -> None:
        self.own = connection

    def execute(self, statement: str, values: Any = ()) -> Any:
        """Run a statement."""
        return self.own.execute(statement.replace("?", "%s"), values)

    def executemany(self, statement: str, values: Any) -> Any:
        """Run a statement for each row of values."""
        with self.own.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), values)


def _say_for(connection: Any, scope: Scope) -> None:
    """Row-level security goes by this, and forgets it with the transaction."""
    person, maintenance = scope
    if person:
        connection.execute("SELECT set_config('app.user_id', %s, true)", (person,))
    if maintenance:
        connection.execute("SELECT set_config('app.maintenance', 'on', true)")


def _require_same(before: Scope, scope: Scope) -> None:
    """Check that a nested transaction is for the same person, or for nobody, which sees no rows."""
    if scope not in (before, ("", False)):
        raise ProgrammerError("A transaction for one person was begun inside that of another.")


_open: dict[tuple[int, str], Database] = {}
_lock = threading.Lock()


@atexit.register
def _close() -> None:
    for key in [key for key in _open if key[0] == os.getpid()]:
        _open.pop(key).close()


def database() -> Database:
    """The database that the settings name, opened now if it is not. Raises ConfigurationError and DatabaseError."""
    settings = get_settings()
    address = settings.database_url
    place = address if address.startswith("postgres") else str(settings.home / "signalbox.db")
    key = (os.getpid(), place)
    with _lock:
        if key not in _open:
            _open[key] = _opened(place, is_file=place is not address)
            for old in list(_open)[:-_MOST_OPEN]:
                _open.pop(old).close()
        return _open[key]


def _opened(place: str, is_file: bool) -> Database:
    try:
        if is_file:
            return SqliteDatabase(home_file(Path(place).name))
        return PostgresDatabase("postgresql" + place[place.index("://") :])
    except ImportError:
        from signalbox.errors import MissingExtraError

        raise MissingExtraError("PostgreSQL", "postgres") from None
    except ConfigurationError:
        raise
    except Exception as error:
        raise _unusable(place, error) from None


def _unstorable() -> RequestError:
    return RequestError(
        "A text contains characters that databases cannot store.", suggestion="Leave out NUL and halves of characters."
    )


def _unusable(name: str, error: Exception) -> DatabaseError:
    told = getattr(error, "strerror", None) or str(error).strip().partition("\n")[0] or type(error).__name__
    return DatabaseError(
        "The database with runs and conversations cannot be used.",
        suggestion="Set SIGNALBOX_HOME, or SIGNALBOX_DATABASE_URL for PostgreSQL.",
        details=f"{redact(name)}: {redact(told)}",
    )
