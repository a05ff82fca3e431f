"""The one database of a home: SQLite, opened once for each process, with one time-out.

One connection serves all threads of the process, one after the other; other processes are waited for.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings, home_file

__all__ = ["Database", "database"]

TIMEOUT = 60.0
_MOST_OPEN = 8
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY,
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
CREATE TABLE IF NOT EXISTS steps (
    run_id TEXT NOT NULL,
    node TEXT NOT NULL,
    record TEXT
);
CREATE INDEX IF NOT EXISTS steps_of_run ON steps (run_id);
CREATE TABLE IF NOT EXISTS turns (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
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


class Database:
    """An open database. `lock` is held by whoever uses the connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self.connection = sqlite3.connect(path, timeout=TIMEOUT, check_same_thread=False, isolation_level="IMMEDIATE")
        self._prepare()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing. Raises ConfigurationError where the file cannot be used."""
        with self.lock:
            try:
                with self.connection:
                    yield self.connection
            except sqlite3.IntegrityError:
                raise
            except sqlite3.Error as error:
                raise _unusable(self.path, error) from None

    def _prepare(self) -> None:
        """Make the tables. Several processes may do so at once, and a change of the journal waits for nobody."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode=WAL")
                self.connection.execute("PRAGMA synchronous=NORMAL")
                self.connection.executescript(_SCHEMA)
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


_open: dict[tuple[int, Path], Database] = {}
_lock = threading.Lock()


@atexit.register
def _close() -> None:
    for key in [key for key in _open if key[0] == os.getpid()]:
        _open.pop(key).connection.close()


def database() -> Database:
    """The database under `SIGNALBOX_HOME`, opened now if it is not. Raises ConfigurationError."""
    path = get_settings().home / "signalbox.db"
    key = (os.getpid(), path)
    with _lock:
        if key not in _open:
            try:
                home_file(path.name)
                _open[key] = Database(path)
                for old in list(_open)[:-_MOST_OPEN]:
                    _open.pop(old).connection.close()
            except (OSError, sqlite3.Error) as error:
                raise _unusable(path, error) from None
        return _open[key]


def _unusable(path: Path, error: Exception) -> ConfigurationError:
    told = getattr(error, "strerror", None) or str(error)
    return ConfigurationError(
        f"{path}, where runs and conversations are kept, cannot be used: {told}.", suggestion="Set SIGNALBOX_HOME."
    )
