"""The conversation: the state that a turn begins with, and what was shown, changed and asked before it.

`run_agent` is given nothing but texts. What stood behind each answer is kept with the person's other things, under a
digest of the answer and of the message before it, and found again by them; of an answer that was never kept, the
numbers in it are what it showed.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.state import Talk, empty_talk
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import current_person

__all__ = ["keep_talk", "recall_talk", "remembered_state", "start_state"]

MOST_HISTORY = 50


def start_state(request: str, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The state of a turn in a thread: the message, who says it, and what the thread remembers."""
    remembered = before or {}
    is_same = remembered.get("user_id") == current_person()
    return new_turn(
        request,
        current_person(),
        list(remembered.get("history") or []) if is_same else [],
        remembered.get("talk") if is_same else None,
        may_pause=True,
    )


def new_turn(
    request: str, user_id: str, history: Sequence[Mapping[str, str]], talk: Any, *, may_pause: bool = False,
    limits: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The state that a turn begins with."""
    return {
        "request": request,
        "user_id": user_id,
        "turn": uuid.uuid4().hex,
        "history": [dict(one) for one in history][-MOST_HISTORY:],
        "talk": talk or empty_talk(),
        "waited": (talk or empty_talk())["pending"],
        "decision": None,
        "planned": False,
        "notes": {},
        "said": [],
        "choice": None,
        "done": [],
        "replies": [],
        "results": {},
        "shown": {},
        "agreed": {},
        "iterations": 0,
        "limits": dict(limits or {}),
        "may_pause": may_pause,
        "final_response": "",
        "warning": None,
        "status": "completed",
        "error": None,
    }


def remembered_state(state: Mapping[str, Any], answer: str) -> list[dict[str, str]]:
    """The history with this turn."""
    said = [{"role": "user", "content": state["request"]}, {"role": "assistant", "content": answer}]
    return [*state["history"], *said][-MOST_HISTORY:]


async def recall_talk(user_id: str, history: Sequence[Mapping[str, str]]) -> Talk:
    """What a conversation has in view, from the texts of it."""
    talk = empty_talk()
    said = [one for one in history if one["role"] == "assistant"]
    if not said:
        return talk
    store = Store(user_id)
    kept = await store.note(_digest(history))
    if kept is not None:
        return {**talk, **kept}  # type: ignore[typeddict-item]
    shown = await _numbers_in(str(said[-1]["content"]), store)
    return {**talk, "shown": shown, "spoken": shown if len(shown) == 1 else [], "is_recalled": True}


async def keep_talk(user_id: str, history: Sequence[Mapping[str, str]], talk: Talk) -> None:
    """Keep what stands behind the last answer of a conversation."""
    await Store(user_id).keep_note(_digest(history), dict(talk))


def _digest(history: Sequence[Mapping[str, str]]) -> str:
    """The last answer and the message before it."""
    last = [f"{one['role']}:{one['content']}" for one in history][-2:]
    return hashlib.sha256("\n".join(last).encode()).hexdigest()


async def _numbers_in(text: str, store: Store) -> list[int]:
    """The tasks that a text shows: by number, else by title, else those of an unspecified list of tasks."""
    numbers = [int(found) for found in re.findall(r"#(\d{1,9})\b", text)]
    if numbers:
        return [one.task_id for one in await store.tasks.several(numbers)]
    page = await store.tasks.list(TaskFilter(limit=100))
    places = {one.task_id: text.casefold().find(one.title.casefold()) for one in page.tasks}
    named = sorted((one for one in places if places[one] >= 0), key=lambda one: places[one])
    if named or not re.search(r"\btasks\b", text, re.IGNORECASE):
        return named
    return [one.task_id for one in page.tasks]
