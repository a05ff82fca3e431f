"""The connection to the database: one engine for each event loop, with the tables made and migrated at first use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool, StaticPool

from signalbox.errors import ConfigurationError, DatabaseError
from signalbox.settings import get_settings, home_file

__all__ = ["HEAD", "close_stores", "database_address", "open_direct", "open_engine"]

HEAD = "0001"
"""The newest migration: a database that has it needs none."""
_log = logging.getLogger("signalbox.storage")
_DRIVERS = {"postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg", "sqlite": "sqlite+aiosqlite"}
_LOCK = 7_246_001
_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, AsyncEngine]] = WeakKeyDictionary()
_opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


def database_address() -> str:
    """Where tasks and conversations are kept, without a password. Raises ConfigurationError."""
    return _url()[0].render_as_string(hide_password=True)


def _url() -> tuple[URL, str]:
    """The address of the database, and the whole of it as a text: comparing address objects is slow."""
    settings = get_settings()
    return _read(settings.database_url, settings.home)


@lru_cache(maxsize=16)
def _read(given: str, home: Path) -> tuple[URL, str]:
    url = _read_url(given, home)
    return url, url.render_as_string(hide_password=False)


def _read_url(given: str, home: Path) -> URL:
    if not given:
        return make_url(f"sqlite+aiosqlite:///{home / 'store.db'}")
    try:
        url = make_url(given)
        return url.set(drivername=_DRIVERS[url.drivername.partition("+")[0]])
    except (ArgumentError, KeyError):
        raise ConfigurationError(
            "SIGNALBOX_DATABASE_URL is not the address of a supported database.",
            suggestion="Use postgresql://user:password@host/name or sqlite:////path/to/file.db.",
        ) from None


async def open_engine() -> AsyncEngine:
    """The engine of the running event loop; the first time, the tables are brought up to date.

    Raises ConfigurationError or DatabaseError.
    """
    loop = asyncio.get_running_loop()
    engines = _open.setdefault(loop, {})
    url, key = _url()
    if key not in engines:
        async with _opening.setdefault(loop, asyncio.Lock()):
            if key not in engines:
                engines[key] = await _opened(url)
    return engines[key]


@dataclass(frozen=True, slots=True)
class Way:
    """A connection to the file, for readers and for writers."""

    reading: Engine
    writing: Engine


@dataclass(frozen=True, slots=True)
class Direct:
    """Access to a file without switching threads for every statement.

    `here` is the event loop's own connection, for work of a millisecond: it never waits for the disk or for a lock,
    which is an error instead. `there` belongs to `thread`, which may wait for both.
    """

    here: Way
    there: Way
    thread: ThreadPoolExecutor
    written: Iterator[int]

    def note_writing(self) -> None:
        """Checkpoint the write-ahead log into the file now and then, in the other thread."""
        if next(self.written) % _CHECKPOINT_EVERY == 0:
            self.thread.submit(_checkpoint, self.there)


_CHECKPOINT_EVERY, _LONGEST_LOG = 200, 20_000
_there: dict[str, tuple[Way, ThreadPoolExecutor]] = {}
_direct: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Direct]] = WeakKeyDictionary()


async def open_direct() -> Direct | None:
    """The access to the file, if the database is one; None for a server. Raises like `open_engine`."""
    url, key = _url()
    await open_engine()
    if not url.drivername.startswith("sqlite"):
        return None
    known = _direct.setdefault(asyncio.get_running_loop(), {})
    if key not in known:
        if key not in _there:
            _there[key] = (_way(url, _prepare_sqlite), ThreadPoolExecutor(1, "signalbox-store"))
        known[key] = Direct(_way(url, _prepare_unwaiting), *_there[key], count(1))
    return known[key]


def _way(url: URL, prepare: Callable[[Any, Any], None]) -> Way:
    options: dict[str, Any] = {"timeout": 60.0, "isolation_level": None, "check_same_thread": False}
    engine = create_engine(url.set(drivername="sqlite"), poolclass=StaticPool, connect_args=options)
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_sqlite)
    return Way(engine.execution_options(writes=False), engine.execution_options(writes=True))


def _checkpoint(way: Way) -> None:
    """It waits for the disk without blocking anyone; writers only have to wait if the log grows long in spite of it."""
    with way.reading.connect() as connection:
        cursor = connection.connection.cursor()
        _, pages, _ = cursor.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if pages > _LONGEST_LOG:
            cursor.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()


async def close_stores() -> None:
    """Close the connections of this process, on whichever event loop each was opened."""
    here = asyncio.get_running_loop()
    for loop in {*_open, *_direct}:
        engines, direct = _open.pop(loop, {}), _direct.pop(loop, {})
        if loop is here or not loop.is_running():
            await _close(engines if loop is here else {}, direct)
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_close(engines, direct), loop))
    while _there:
        way, thread = _there.popitem()[1]
        await here.run_in_executor(thread, way.writing.dispose)
        thread.shutdown(wait=False)


async def _close(engines: dict[str, AsyncEngine], direct: dict[str, Direct]) -> None:
    for one in direct.values():
        one.here.writing.dispose()
    for engine in engines.values():
        await engine.dispose()


async def _opened(url: URL) -> AsyncEngine:
    is_sqlite = url.get_backend_name() == "sqlite"
    if is_sqlite and url.database and not get_settings().database_url:
        home_file(Path(url.database).name)
    # Of a file only migration and cleaning up go this way: no connection is kept for a loop that may be gone.
    own: dict[str, Any] = {"poolclass": NullPool, "connect_args": {"timeout": 60.0, "isolation_level": None}}
    options = own if is_sqlite else {"connect_args": {"timeout": 10}}
    engine = create_async_engine(url, pool_pre_ping=not is_sqlite, **options)
    if is_sqlite:
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    try:
        await _migrate(engine)
    except (OSError, DBAPIError) as error:
        await engine.dispose()
        raise DatabaseError(
            "The database with tasks and conversations cannot be used.",
            suggestion="Check SIGNALBOX_DATABASE_URL, or that its server runs.",
            details=f"{url.render_as_string()}: {error}",
        ) from error
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=60000"):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_unwaiting(connection: Any, _: Any) -> None:
    _prepare_sqlite(connection, _)
    for pragma in ("busy_timeout=0", "wal_autocheckpoint=0"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Any) -> None:
    """Writers take the lock at once: in SQLite, a transaction that has read cannot wait for it."""
    writes = connection.get_execution_options().get("writes", True)
    cursor = connection.connection.cursor()
    cursor.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    cursor.close()


async def _migrate(engine: AsyncEngine) -> None:
    if await _is_current(engine):
        return
    async with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Several processes may start at once.
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            await _warn_of_power(connection)
        await connection.run_sync(_upgrade)


async def _is_current(engine: AsyncEngine) -> bool:
    try:
        async with engine.connect() as connection:
            found = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
    except DBAPIError as error:
        if error.connection_invalidated or "connect" in str(error.orig).casefold():
            raise
        return False
    if found is not None and found > HEAD:
        raise ConfigurationError(
            f"The database is newer ({found}) than this Signalbox ({HEAD}).", suggestion="Update Signalbox."
        )
    return bool(found == HEAD)


async def _warn_of_power(connection: Any) -> None:
    query = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    if (await connection.execute(text(query))).scalar():
        _log.warning("The database's user can bypass row-level security: use one that is not a superuser.")


def _upgrade(connection: Any) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "signalbox.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
