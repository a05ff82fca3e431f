"""Conversations: what was asked in each thread, kept as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import RequestError
from signalbox.runs.database import database
from signalbox.settings import now

__all__ = ["Turn", "add_turn", "check_name", "last_turn", "list_turns"]

_LONGEST_NAME = 200
_MOST_TURNS = 200
_MOST_KEPT = 20_000


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
