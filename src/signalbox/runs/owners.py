"""Which process carries a run, and whether it is alive: it holds a lock until it ends, however it ends.

The lock is on a file at home; where runs are kept on PostgreSQL, for machines that share no files, it is one of there.
"""

from __future__ import annotations

import atexit
import os
import threading
import uuid
from pathlib import Path
from typing import IO, Any
from zlib import crc32

from signalbox.runs.database import PostgresDatabase, database
from signalbox.settings import get_settings, home_folder

try:
    import fcntl
except ImportError:  # Windows: a process is then known by its number alone
    fcntl = None  # type: ignore[assignment]

__all__ = ["is_alive", "renew", "this_process"]

_held: dict[tuple[int, Path], tuple[str, IO[str]]] = {}
_lock = threading.Lock()
_MOST_HELD = 8
_sessions: dict[tuple[int, str], tuple[str, Any]] = {}
_SPACE = 7263


def this_process() -> str:
    """The name of this process as an owner of runs."""
    kept = database()
    return _session_of(kept) if isinstance(kept, PostgresDatabase) else _file()


def _session_of(kept: PostgresDatabase) -> str:
    """The name under which this process holds a lock on the server, for as long as it is connected."""
    key = (os.getpid(), kept.name)
    with _lock:
        name, session = _sessions.get(key, (f"{os.getpid()}-{uuid.uuid4().hex[:12]}", None))
        if session is None or session.closed:
            _sessions[key] = (name, _locked(kept, name))
        return name


def _locked(kept: PostgresDatabase, name: str) -> Any:
    session = kept.dedicated()
    session.execute("SELECT pg_advisory_lock(%s, %s)", (_SPACE, _number(name)))
    return session


def renew() -> None:
    """Hold this process's lock on the server again, under the same name, if it went with the connection.

    Raises DatabaseError if the server cannot be reached.
    """
    kept = database()
    held = _sessions.get((os.getpid(), kept.name))
    if held is None or not isinstance(kept, PostgresDatabase):
        return
    try:
        held[1].execute("SELECT 1")
    except Exception:
        held[1].close()
        _session_of(kept)


def _number(name: str) -> int:
    return crc32(name.encode()) & 0x7FFFFFFF


def _file() -> str:
    folder = get_settings().home / "owners"
    key = (os.getpid(), folder)
    with _lock:
        if key not in _held:
            (home_folder() / "owners").mkdir(mode=0o700, exist_ok=True)
            name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
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
    """A process that ends in order leaves nothing behind."""
    for own in [key for key in _sessions if key[0] == os.getpid()]:
        _sessions.pop(own)[1].close()
    for key in [key for key in _held if key[0] == os.getpid()]:
        _let_go(key)


def is_alive(owner: str) -> bool:
    """Whether the process of that name still runs. What a dead one left behind is cleared away."""
    if owner == this_process():
        return True
    kept = database()
    if isinstance(kept, PostgresDatabase):
        with kept.transaction() as connection:
            return (
                connection.execute(
                    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = CAST(? AS int)::oid "
                    "AND objid = CAST(? AS int)::oid",
                    (_SPACE, _number(owner)),
                ).fetchone()
                is not None
            )
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
