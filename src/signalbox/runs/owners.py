"""Which process executes a run, and whether it still does.

On SQLite a process holds a lock on a file in SIGNALBOX_HOME until it ends in any way. On PostgreSQL workers execute
runs from the queue, each with the lease of a job; other processes are known by their heartbeat.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

from signalbox.errors import DatabaseError
from signalbox.runs.database import Connection, PostgresDatabase, database
from signalbox.settings import get_settings, home_folder

try:
    import fcntl
except ImportError:  # Windows: a process is then known by its number alone
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "BEAT", "QUEUED", "SILENCE", "Lease", "current_lease", "current_owner", "is_alive", "lease_holds", "on_queue",
    "this_process", "use_lease",
]  # fmt: skip

BEAT, SILENCE = 2.0, 10.0
"""Seconds between heartbeats, and seconds without one after which a worker counts as gone and others get its runs."""
QUEUED = "queue"
"""The owner of a run that waits for a worker."""
_MOST_HELD = 8
_held: dict[tuple[int, Path], tuple[str, IO[str]]] = {}
_beating: dict[tuple[int, str], _Heartbeat] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one worker to execute a run. It ends when the queue gives the run to another worker, as another
    job."""

    job: int
    worker: int

    @property
    def owner(self) -> str:
        """The owner's name for the run."""
        return f"job-{self.job}-{self.worker}"

    @staticmethod
    def owners_by(job: int) -> str:
        """A pattern for all owners of runs by this job."""
        return f"job-{job}-%"

    def holds(self, connection: Connection) -> bool:
        """True if the lease is still valid; then it stays valid until the transaction ends."""
        query = "SELECT 1 FROM procrastinate_jobs WHERE id = ? AND worker_id = ? AND status = 'doing' FOR SHARE"
        return connection.execute(query, (self.job, self.worker)).fetchone() is not None


_LEASE: ContextVar[Lease | None] = ContextVar("signalbox_lease", default=None)


def current_lease() -> Lease | None:
    """The worker's lease on the run of this context, if any."""
    return _LEASE.get()


@contextmanager
def use_lease(lease: Lease) -> Iterator[None]:
    """Use this lease inside the block."""
    token = _LEASE.set(lease)
    try:
        yield
    finally:
        _LEASE.reset(token)


def current_owner() -> str:
    """The owner of runs that start or continue here."""
    lease = _LEASE.get()
    return lease.owner if lease is not None else this_process()


def on_queue() -> bool:
    """True if background runs go through the queue."""
    return isinstance(database(), PostgresDatabase)


def this_process() -> str:
    """The name of this process as an owner of runs."""
    kept = database()
    return _heartbeat(kept).name if isinstance(kept, PostgresDatabase) else _file()


def is_alive(owner: str) -> bool:
    """True if this owner is alive. The lock file of a dead process is removed."""
    kept = database()
    if isinstance(kept, PostgresDatabase):
        # The queue finds out by itself which of its workers are gone, and has others go on.
        return owner == QUEUED or owner.startswith("job-") or _beats(kept, owner)
    return owner == this_process() or _file_is_held(owner)


class _Heartbeat:
    """Registers this process as a worker of the queue while it lives and reaches the database."""

    def __init__(self, kept: PostgresDatabase) -> None:
        self._kept, self._over = kept, threading.Event()
        self.name = self._register()
        threading.Thread(target=self._beat, name="signalbox-heartbeat", daemon=True).start()

    def _register(self) -> str:
        with self._kept.transaction() as connection:
            row = connection.execute("SELECT worker_id FROM procrastinate_register_worker_v1()").fetchone()
        return f"worker-{row[0]}"

    def _beat(self) -> None:
        while not self._over.wait(BEAT):
            try:
                if not _renewed(self._kept, self.name):
                    self.name = self._register()
            except DatabaseError:
                continue

    def stop(self) -> None:
        """Unregister the process: its remaining runs count as interrupted."""
        self._over.set()
        with suppress(DatabaseError), self._kept.transaction() as connection:
            connection.execute("DELETE FROM procrastinate_workers WHERE id = ?", (_number(self.name),))


def _heartbeat(kept: PostgresDatabase) -> _Heartbeat:
    key = (os.getpid(), kept.name)
    with _lock:
        if key not in _beating:
            _beating[key] = _Heartbeat(kept)
        return _beating[key]


def _renewed(kept: PostgresDatabase, owner: str) -> bool:
    query = "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = ?"
    with kept.transaction() as connection:
        return bool(connection.execute(query, (_number(owner),)).rowcount)


def _beats(kept: PostgresDatabase, owner: str) -> bool:
    query = "SELECT 1 FROM procrastinate_workers WHERE id = ? AND last_heartbeat > now() - ? * interval '1 second'"
    with kept.transaction() as connection:
        return connection.execute(query, (_number(owner), SILENCE)).fetchone() is not None


def _number(owner: str) -> int:
    kind, _, number = owner.partition("-")
    return int(number) if kind == "worker" and number.isdecimal() else 0


def _file() -> str:
    folder = get_settings().home / "owners"
    key = (os.getpid(), folder)
    with _lock:
        if key not in _held:
            (home_folder() / "owners").mkdir(mode=0o700, exist_ok=True)
            name = f"{os.getpid()}-{uuid4().hex[:12]}"
            file = (folder / name).open("w")
            if fcntl is not None:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _held[key] = (name, file)
            for old in list(_held)[:-_MOST_HELD]:
                _let_go(old)
        return _held[key][0]


def _let_go(key: tuple[int, Path]) -> None:
    name, file = _held.pop(key)
    file.close()
    (key[1] / name).unlink(missing_ok=True)


@atexit.register
def _leave() -> None:
    """Clean up when the process ends normally."""
    for beating in [key for key in _beating if key[0] == os.getpid()]:
        _beating.pop(beating).stop()
    for key in [key for key in _held if key[0] == os.getpid()]:
        _let_go(key)


def _file_is_held(owner: str) -> bool:
    path = get_settings().home / "owners" / owner
    if fcntl is None:
        return path.exists() and _runs(int(owner.partition("-")[0]))
    try:
        with path.open("r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def lease_holds() -> bool:
    """True if the worker's lease of this context is still valid, or there is none."""
    lease = _LEASE.get()
    if lease is None:
        return True
    with database().transaction() as connection:
        return lease.holds(connection)
