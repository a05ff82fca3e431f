"""The one database of runs: SQLite under `SIGNALBOX_HOME`, or PostgreSQL where `SIGNALBOX_DATABASE_URL` names one.

It is opened once for each process. With SQLite one connection serves all threads of the process, one after the other,
and other processes are waited for; with PostgreSQL there is a pool of connections.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from signalbox.errors import ConfigurationError, DatabaseError, redact
from signalbox.settings import get_settings, home_file

__all__ = ["Conflict", "Connection", "Database", "PostgresDatabase", "SqliteDatabase", "database"]

TIMEOUT = 60.0
_MOST_OPEN = 8
_MOST_CONNECTIONS = 8
# SQLite numbers the rows of a table by itself, as `rowid`; on PostgreSQL the column is a real one.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    transcript TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS threads_of_person ON threads (person, updated_at);
CREATE INDEX IF NOT EXISTS threads_by_transcript ON threads (transcript) WHERE transcript <> '';
CREATE TABLE IF NOT EXISTS runs (
    /*rowid*/ run_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    record TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_of_thread ON runs (thread_id, started_at);
-- The claim: of all runs of a thread, one at most is under way or waits.
CREATE UNIQUE INDEX IF NOT EXISTS active_run ON runs (thread_id) WHERE status IN ('running', 'waiting');
CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status);
CREATE TABLE IF NOT EXISTS steps (
    /*rowid*/ run_id TEXT NOT NULL,
    node TEXT NOT NULL,
    record TEXT
);
CREATE INDEX IF NOT EXISTS steps_of_run ON steps (run_id);
CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
);
CREATE TABLE IF NOT EXISTS turns (
    number /*numbered*/,
    thread_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    said TEXT NOT NULL,
    answer TEXT NOT NULL,
    remembered TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS turns_of_thread ON turns (thread_id, number);
"""


class Conflict(Exception):
    """What was to be written must be there once only, and is there already."""


class Connection(Protocol):
    """What a transaction gives: statements with `?` for each value."""

    def execute(self, statement: str, values: Any = ..., /) -> Any:
        """Run a statement; what comes back has `fetchone`, `fetchall` and `rowcount`."""

    def executemany(self, statement: str, values: Any, /) -> Any:
        """Run a statement for each row of values."""


class Database(Protocol):
    """An open database."""

    @property
    def name(self) -> str:
        """What people know it by; no password is in it."""

    def transaction(self) -> AbstractContextManager[Connection]:
        """All or nothing. Raises Conflict, and DatabaseError where the database cannot be used."""

    def close(self) -> None:
        """Let go of it."""


class SqliteDatabase:
    """A file. `lock` is held by whoever uses the connection."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False, isolation_level="IMMEDIATE")
        self._prepare()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing. Raises Conflict, and DatabaseError where the file cannot be used."""
        with self.lock:
            try:
                with self.connection:
                    yield self.connection
            except sqlite3.IntegrityError as error:
                raise Conflict(str(error)) from None
            except sqlite3.Error as error:
                raise _unusable(self.name, error) from None

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self.connection.close()

    def _prepare(self) -> None:
        """Make the tables. Several processes may do so at once, and a change of the journal waits for nobody."""
        schema = _SCHEMA.replace("/*numbered*/", "INTEGER PRIMARY KEY AUTOINCREMENT")
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode=WAL")
                self.connection.execute("PRAGMA synchronous=NORMAL")
                self.connection.executescript(schema)
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


class PostgresDatabase:
    """A pool of connections to a server. Whatever a process held there ends with its connection."""

    def __init__(self, address: str) -> None:
        from signalbox.runs.pool import open_pool

        self.name = str(redact(address))
        self._address = address
        self.keeps_checkpoints = False
        self.pool: Any = open_pool(address, _MOST_CONNECTIONS)
        identity = "BIGINT GENERATED ALWAYS AS IDENTITY"
        schema = _SCHEMA.replace("/*rowid*/", f"rowid {identity},").replace("/*numbered*/", f"{identity} PRIMARY KEY")
        with self.pool.connection() as connection, connection.transaction():
            # Two processes that make the same table at once would trip over each other.
            connection.execute("SELECT pg_advisory_xact_lock(7263001)")
            connection.execute(schema, prepare=False)

    def dedicated(self) -> Any:
        """A connection of its own, for what must last as long as the process. Raises DatabaseError."""
        import psycopg

        try:
            return psycopg.connect(self._address, autocommit=True, connect_timeout=10)
        except psycopg.Error as error:
            raise _unusable(self.name, error) from None

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing. Raises Conflict, and DatabaseError where the server cannot be used."""
        import psycopg

        try:
            with self.pool.connection() as connection, connection.transaction():
                yield _Marked(connection)
        except psycopg.IntegrityError as error:
            raise Conflict(str(error)) from None
        except psycopg.Error as error:
            raise _unusable(self.name, error) from None

    def close(self) -> None:
        """Close every connection."""
        self.pool.close()


class _Marked:
    """A connection of psycopg that takes `?` for each value."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Any = ()) -> Any:
        return self._connection.execute(statement.replace("?", "%s"), values)

    def executemany(self, statement: str, values: Any) -> Any:
        with self._connection.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), values)


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


def _unusable(name: str, error: Exception) -> DatabaseError:
    told = getattr(error, "strerror", None) or str(error).strip().partition("\n")[0] or type(error).__name__
    return DatabaseError(
        "The database, where runs and conversations are kept, cannot be used.",
        suggestion="Set SIGNALBOX_HOME, or SIGNALBOX_DATABASE_URL for PostgreSQL.",
        details=f"{redact(name)}: {redact(told)}",
    )
