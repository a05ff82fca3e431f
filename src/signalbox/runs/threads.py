"""Threads: their owner, and what was asked in them, stored as plain JSON.

A thread belongs to one person and does not exist for anybody else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs.gate import Row, Transaction, owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "Thread",
    "Turn",
    "add_turn",
    "check_name",
    "find_by_transcript",
    "list_threads",
    "list_turns",
    "make_thread",
    "require_own",
    "take",
    "trim_turns",
    "update_thread",
]

_LONGEST_NAME = 200
_LONGEST_TITLE = 60
_MOST_TURNS = 200
_MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of one person. `metadata` is set by clients."""

    thread_id: str
    person: str
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    title: str = ""
    """The first request in one line, until it is renamed."""


_THREAD = "thread_id, metadata, created_at, updated_at, title"


def make_thread(thread_id: str, metadata: dict[str, Any] | None = None) -> bool:
    """Create a thread for the current person; False if the name is taken, by whomever."""
    with owned(current_person()) as held:
        return _make(held, check_name(thread_id), metadata or {})


def _make(held: Transaction, thread_id: str, metadata: dict[str, Any]) -> bool:
    moment = now().isoformat()
    row = {"metadata": json.dumps(plain(metadata)), "created_at": moment, "updated_at": moment}
    return held.insert("threads", {"thread_id": thread_id, **row}, unless_there=True)


def require_own(thread_id: str) -> Thread:
    """The thread, if it belongs to the current person. Raises NotFoundError for any other."""
    with owned(current_person()) as held:
        row = held.first(_THREAD, "threads", "thread_id = ?", (thread_id,))
    if row is None:
        raise NotFoundError(f"There is no thread '{thread_id}'.", suggestion="Make one, or look at your own.")
    return _thread(held.person, row)


def take(held: Transaction, thread_id: str, said: str = "") -> None:
    """Use a thread in a run's transaction, creating it if necessary.

    `said` becomes the title if there is none. Raises NotFoundError if it belongs to somebody else.
    """
    is_new = _make(held, thread_id, {})
    if not is_new and not held.update("threads", {"updated_at": now().isoformat()}, "thread_id = ?", (thread_id,)):
        raise NotFoundError(f"There is no thread '{thread_id}'.", suggestion="Use another name.")
    if said:
        held.update("threads", {"title": title_of(said)}, "thread_id = ? AND title = ''", (thread_id,))


def title_of(said: str) -> str:
    """What was said as a title: one line, of 60 characters at most."""
    words = " ".join(said.split())
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


def list_threads(limit: int | None = 100, text: str = "") -> list[Thread]:
    """The current person's threads, latest first; with `text`, those that contain it in the title, a message or an
    answer."""
    with owned(current_person()) as held:
        where, values = _containing(held, text) if text else ("", ())
        rows = held.select(_THREAD, "threads", where, values, order="updated_at DESC, thread_id", limit=limit)
    return [_thread(held.person, row) for row in rows]


def _containing(held: Transaction, text: str) -> tuple[str, tuple[str, ...]]:
    """The condition for threads that hold a text, in capitals or not."""
    escaped = re.sub(r"([\\\\%_])", r"\\\1", text.casefold())
    like, backslash = f"%{escaped}%", "\\"
    said = "LOWER(said) LIKE ? ESCAPE ? OR LOWER(answer) LIKE ? ESCAPE ?"
    found = held.select("DISTINCT thread_id", "turns", said, (like, backslash, like, backslash))
    marks = ", ".join("?" * len(found))
    return f"LOWER(title) LIKE ? ESCAPE ? OR thread_id IN ({marks})", (like, backslash, *(row[0] for row in found))


def update_thread(
    thread_id: str,
    *,
    metadata: dict[str, Any] | None = None,
    transcript: str | None = None,
    title: str | None = None,
) -> Thread:
    """Change a thread of the current person; `metadata` is merged. Raises
    NotFoundError."""
    found = require_own(thread_id)
    changes = {"metadata": json.dumps({**found.metadata, **plain(metadata or {})}), "updated_at": now().isoformat()}
    changes |= {} if transcript is None else {"transcript": transcript}
    changes |= {} if title is None else {"title": title}
    with owned(current_person()) as held:
        held.update("threads", changes, "thread_id = ?", (thread_id,))
    return require_own(thread_id)


def find_by_transcript(transcript: str) -> str | None:
    """The current person's latest thread whose whole conversation has this digest."""
    with owned(current_person()) as held:
        row = held.first("thread_id", "threads", "transcript = ?", (transcript,), order="updated_at DESC")
    return str(row[0]) if row else None


def _thread(person: str, row: Row) -> Thread:
    return Thread(row[0], person, json.loads(row[1]), *row[2:])


@dataclass(frozen=True, slots=True)
class Turn:
    """One request in a thread: what was said, the answer, and the state passed to the next turn."""

    thread_id: str
    run_id: str
    agent: str
    said: str
    answer: str
    remembered: dict[str, Any] | None
    at: str


def add_turn(thread_id: str, *, run_id: str, agent: str, said: str, answer: str, remembered: Any) -> None:
    """Store a turn of the current person; a long conversation keeps only its latest turns."""
    told = {"thread_id": check_name(thread_id), "run_id": run_id, "agent": agent, "said": said, "answer": answer}
    with owned(current_person()) as held:
        held.insert("turns", {**told, "remembered": json.dumps(plain(remembered)), "at": now().isoformat()})
        _trim(held, _MOST_TURNS, "thread_id = ?", (thread_id,))


def trim_turns(held: Transaction) -> None:
    """Delete all but the latest turns of a person."""
    _trim(held, _MOST_KEPT)


def _trim(held: Transaction, most: int, where: str = "", values: tuple[str, ...] = ()) -> None:
    old = held.select("number", "turns", where, values, order="number DESC", limit=1, offset=most)
    if old:
        held.delete("turns", f"number <= ?{f' AND {where}' if where else ''}", (old[0][0], *values))


def list_turns(
    thread_id: str, most: int | None = None, *, but_of: str = "", of: Collection[str] | None = None
) -> list[Turn]:
    """The turns of a thread of the current person, in order: all or the latest, without one run or only of some runs;
    none if there is no such thread."""
    columns, where = "thread_id, run_id, agent, said, answer, remembered, at", "thread_id = ?"
    values = [check_name(thread_id)]
    if but_of:
        where, values = f"{where} AND run_id <> ?", [*values, but_of]
    if of is not None:
        where, values = f"{where} AND run_id IN ({', '.join('?' * len(of))})", [*values, *of]
    with owned(current_person()) as held:
        rows = held.select(columns, "turns", where, values, order="number DESC", limit=most)
    return [Turn(row[0], row[1], row[2], row[3], row[4], json.loads(row[5]), row[6]) for row in reversed(rows)]


def check_name(thread_id: str) -> str:
    """The name, if a thread can have it. Raises RequestError."""
    is_no_path = not set(thread_id) & set("/\\?#") and thread_id.strip(".")
    if not thread_id.strip() or len(thread_id) > _LONGEST_NAME or not thread_id.isprintable() or not is_no_path:
        raise RequestError(
            "This cannot be the name of a thread.",
            suggestion=f"Use letters, digits and dashes, at most {_LONGEST_NAME} of them.",
        )
    return thread_id
