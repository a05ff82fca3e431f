"""What this room has begun on a server and what came of it, kept on disk, so that a crash leaves nothing behind and
nothing is done twice. One SQLite file under `SIGNALBOX_HOME`.

A write is opened before it is sent and closed with what came of it; a clone is noted before it is made and forgotten
after it is removed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from signalbox.settings import home_file, now

__all__ = [
    "close_write",
    "find_unfinished",
    "find_write",
    "forget_clone",
    "leave_clone",
    "left_clones",
    "note_clone",
    "open_write",
]

_FILE = "experiments.sqlite"
_TABLES = """
create table if not exists writes (key text primary key, server text, begun text, intent text, outcome text);
create table if not exists clones (name text primary key, server text, made text, process integer);
"""


def find_write(key: str, server: str) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
    """What is known of a write under this key: its intent, and its outcome or None where nobody knows the end."""
    with _open() as base:
        found = base.execute(
            "select intent, outcome from writes where key = ? and server = ?", (key, server)
        ).fetchone()
    return (json.loads(found[0]), json.loads(found[1]) if found[1] else None) if found else None


def find_unfinished(server: str, intent: dict[str, Any]) -> str | None:
    """The key of a write that was begun with this intent and of which nobody knows the end."""
    with _open() as base:
        rows = base.execute(
            "select key, intent from writes where server = ? and outcome is null order by begun desc", (server,)
        ).fetchall()
    wanted = json.loads(json.dumps(intent, default=str))
    return next((key for key, told in rows if wanted.items() <= json.loads(told).items()), None)


def open_write(key: str, server: str, intent: dict[str, Any]) -> None:
    """Note that a write is about to be sent; what was noted under its key before is replaced."""
    told = json.dumps(intent, default=str)
    with _open() as base:
        base.execute("insert or replace into writes values (?, ?, ?, ?, null)", (key, server, now().isoformat(), told))


def close_write(key: str, outcome: dict[str, Any] | None) -> None:
    """Note what came of a write; None where it is known that nothing did, so that it may be begun anew."""
    with _open() as base:
        if outcome is None:
            base.execute("delete from writes where key = ?", (key,))
        else:
            base.execute("update writes set outcome = ? where key = ?", (json.dumps(outcome, default=str), key))


def note_clone(name: str, server: str) -> None:
    """Note that a clone of this name is about to be made."""
    with _open() as base:
        base.execute("insert into clones values (?, ?, ?, ?)", (name, server, now().isoformat(), os.getpid()))


def forget_clone(name: str) -> None:
    """Note that the clone is gone."""
    with _open() as base:
        base.execute("delete from clones where name = ?", (name,))


def leave_clone(name: str) -> None:
    """Note that the clone could not be removed, so that whoever comes next does."""
    with _open() as base:
        base.execute("update clones set process = 0 where name = ?", (name,))


def left_clones(server: str) -> list[str]:
    """The names of the clones on this server that nobody is using: their makers are gone, or left them."""
    with _open() as base:
        rows = base.execute("select name, process from clones where server = ?", (server,)).fetchall()
    return [name for name, process in rows if not _lives(process)]


@contextmanager
def _open() -> Iterator[sqlite3.Connection]:
    base = sqlite3.connect(home_file(_FILE), timeout=10)
    try:
        base.executescript(_TABLES)
        with base:
            yield base
    finally:
        base.close()


def _lives(process: int) -> bool:
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
