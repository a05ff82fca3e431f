"""Threads: whose each is, and what was asked in it, kept as plain JSON.

A thread belongs to one person. For anybody else it is not there: `require_own` and `take` are the place that says so.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs.database import Connection, database
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "Thread",
    "Turn",
    "add_turn",
    "check_name",
    "find_by_transcript",
    "last_turn",
    "list_threads",
    "list_turns",
    "make_thread",
    "require_own",
    "take",
    "update_thread",
]

_LONGEST_NAME = 200
_MOST_TURNS = 200
_MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of one person. `metadata` is whatever its maker wrote on it."""

    thread_id: str
    person: str
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


_THREAD = "thread_id, person, metadata, created_at, updated_at"


def make_thread(thread_id: str, metadata: dict[str, Any] | None = None) -> bool:
    """Make a thread for the person who asks; False where there is one of that name, whoever's it is."""
    moment = now().isoformat()
    row = (check_name(thread_id), current_person(), json.dumps(plain(metadata or {})), moment, moment)
    with database().transaction() as connection:
        made = connection.execute(
            f"INSERT INTO threads ({_THREAD}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (thread_id) DO NOTHING", row
        )
        return bool(made.rowcount == 1)


def require_own(thread_id: str) -> Thread:
    """The thread, if it is that of the person who asks. Raises NotFoundError for any other."""
    with database().transaction() as connection:
        row = connection.execute(f"SELECT {_THREAD} FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
    found = _thread(row) if row else None
    if found is None or found.person != current_person():
        raise NotFoundError(f"There is no thread '{thread_id}'.", suggestion="Make one, or look at your own.")
    return found


def take(connection: Connection, thread_id: str, person: str) -> None:
    """Let a run use a thread, within its transaction: the thread is the person's, or is made so.

    Raises NotFoundError where it is somebody else's.
    """
    moment = now().isoformat()
    owner = connection.execute(
        f"INSERT INTO threads ({_THREAD}) VALUES (?, ?, '{{}}', ?, ?) "
        "ON CONFLICT (thread_id) DO UPDATE SET updated_at = excluded.updated_at RETURNING person",
        (thread_id, person, moment, moment),
    ).fetchone()[0]
    if owner != person:
        raise NotFoundError(f"There is no thread '{thread_id}'.", suggestion="Give this one another name.")


def list_threads(limit: int = 100, offset: int = 0) -> list[Thread]:
    """The threads of the person who asks, the latest first."""
    with database().transaction() as connection:
        rows = connection.execute(
            f"SELECT {_THREAD} FROM threads WHERE person = ? ORDER BY updated_at DESC, thread_id LIMIT ? OFFSET ?",
            (current_person(), limit, offset),
        ).fetchall()
    return [_thread(row) for row in rows]


def update_thread(thread_id: str, *, metadata: dict[str, Any] | None = None, transcript: str | None = None) -> Thread:
    """Add to what is written on a thread of the person who asks. Raises NotFoundError."""
    found = require_own(thread_id)
    kept = {**found.metadata, **plain(metadata or {})}
    said = "" if transcript is None else ", transcript = ?"
    with database().transaction() as connection:
        connection.execute(
            f"UPDATE threads SET metadata = ?, updated_at = ?{said} WHERE thread_id = ?",
            (json.dumps(kept), now().isoformat(), *([transcript] if transcript is not None else []), thread_id),
        )
    return require_own(thread_id)


def find_by_transcript(transcript: str) -> str | None:
    """The latest thread of the person who asks in which exactly this was said until now, by its digest."""
    with database().transaction() as connection:
        row = connection.execute(
            "SELECT thread_id FROM threads WHERE transcript = ? AND person = ? ORDER BY updated_at DESC LIMIT 1",
            (transcript, current_person()),
        ).fetchone()
    return str(row[0]) if row else None


def _thread(row: Any) -> Thread:
    return Thread(row[0], row[1], json.loads(row[2]), row[3], row[4])


@dataclass(frozen=True, slots=True)
class Turn:
    """One request in a thread: what was said, how it was answered, and what of the state the next turn is given."""

    thread_id: str
    run_id: str
    agent: str
    said: str
    answer: str
    remembered: dict[str, Any] | None
    at: str


def add_turn(thread_id: str, *, run_id: str, agent: str, said: str, answer: str, remembered: Any) -> None:
    """Keep what was asked; of a long conversation, and of all of them together, only the latest turns stay."""
    row = (check_name(thread_id), run_id, agent, said, answer, json.dumps(plain(remembered)), now().isoformat())
    with database().transaction() as connection:
        connection.execute(
            "INSERT INTO turns (thread_id, run_id, agent, said, answer, remembered, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        connection.execute(
            "DELETE FROM turns WHERE thread_id = ? AND number NOT IN "
            "(SELECT number FROM turns WHERE thread_id = ? ORDER BY number DESC LIMIT ?)",
            (thread_id, thread_id, _MOST_TURNS),
        )
        connection.execute("DELETE FROM turns WHERE number <= (SELECT MAX(number) FROM turns) - ?", (_MOST_KEPT,))


def last_turn(thread_id: str, agents: Collection[str]) -> Turn | None:
    """The latest turn that one of these agents completed."""
    turns = [turn for turn in list_turns(thread_id) if turn.remembered is not None and turn.agent in agents]
    return turns[-1] if turns else None


def list_turns(thread_id: str) -> list[Turn]:
    """The turns of a thread in their order; none where nobody has used its name."""
    with database().transaction() as connection:
        rows = connection.execute(
            "SELECT thread_id, run_id, agent, said, answer, remembered, at FROM turns "
            "WHERE thread_id = ? ORDER BY number",
            (check_name(thread_id),),
        ).fetchall()
    return [Turn(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]), row[6]) for row in rows]


def check_name(thread_id: str) -> str:
    """The name, if a thread can have it. Raises RequestError."""
    if not thread_id.strip() or len(thread_id) > _LONGEST_NAME or not thread_id.isprintable():
        raise RequestError(
            "This cannot be the name of a thread.",
            suggestion=f"Use letters, digits and dashes, at most {_LONGEST_NAME} of them.",
        )
    return thread_id
