"""What a conversation has in view, from one message to the next: tasks shown and spoken of, changes, a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.state import Pending, Talk
from signalbox.grounding import View

__all__ = ["after_result", "asking", "last_acts", "touched", "view_of"]

_MOST_CHANGES = 5
_WHICH = ("task_id", "task_ids")


def view_of(talk: Talk) -> View:
    """What words such as "it" and "the second" may mean."""
    pending = talk["pending"]
    is_offered = pending is not None and pending["kind"] == "choose" and bool(pending["numbers"])
    shown = pending["numbers"] if pending is not None and is_offered else talk["shown"]
    return View(tuple(map(str, shown)), tuple(map(str, talk["spoken"])), offered=is_offered)


def last_acts(talk: Talk) -> list[dict[str, Any]]:
    """The calls of the last change: all that one message changed."""
    return list(talk["changes"][-1]["acts"]) if talk["changes"] else []


def touched(talk: Talk) -> list[int]:
    """The tasks of the last change."""
    return [number for act in last_acts(talk) for number in act["numbers"]]


def asking(talk: Talk, pending: Pending) -> Talk:
    """The conversation with a question that waits. "It" is then the one task that it is about."""
    numbers, is_choice = pending["numbers"], pending["kind"] == "choose"
    if not numbers:
        return {**talk, "pending": pending}
    is_inside = not is_choice and set(numbers) <= set(talk["shown"])
    spoken = numbers if not is_choice or len(numbers) == 1 else []
    return {**talk, "shown": talk["shown"] if is_inside else numbers, "spoken": spoken, "pending": pending}


def after_result(result: Mapping[str, Any], talk: Talk, turn: str) -> Talk:
    """The conversation after a call."""
    name, data = result["name"], result.get("data") or {}
    key, numbers = str(data.get("changed") or ""), [one["task_id"] for one in data.get("tasks", ())]
    if result.get("same_as") or not numbers:
        return talk
    if name == "list_tasks":
        # Of several that were shown, "it" is none in particular.
        return {**talk, "shown": numbers, "spoken": numbers if len(numbers) == 1 else [], "is_recalled": False}
    if name == "undo_change":
        last = talk["changes"][-1] if talk["changes"] else None
        shown = last["shown"] if last is not None and last["shown"] else numbers
        rest = [talk["changes"][-1]] if set(touched(talk)) - set(numbers) else []
        changes = [*talk["changes"][:-1], *rest]
        return {**talk, "shown": shown, "spoken": numbers, "changes": changes, "pending": None}
    if name == "add_task":
        # Things added in one message are a list of their own; one more thing joins the list that was shown.
        is_same_turn = bool(talk["changes"]) and talk["changes"][-1]["turn"] == turn
        talk = {**talk, "shown": [*(touched(talk) if is_same_turn else talk["shown"]), *numbers], "spoken": numbers}
    else:
        shown = talk["shown"] if set(numbers) <= set(talk["shown"]) else numbers
        talk = {**talk, "shown": shown, "spoken": numbers}
    return _remember({**talk, "pending": None}, turn, key, name, result["args"], numbers) if key else talk


def _remember(talk: Talk, turn: str, key: str, name: str, args: Mapping[str, Any], numbers: Sequence[int]) -> Talk:
    """The conversation with one more change. All changes of one message are taken back together."""
    said = {field: value for field, value in args.items() if field not in _WHICH}
    made = {"name": name, "args": said, "numbers": list(numbers)}
    latest = talk["changes"][-1] if talk["changes"] else None
    if latest is not None and latest["turn"] == turn:
        joined = {**latest, "keys": [*latest["keys"], key], "acts": [*latest["acts"], made]}
        return {**talk, "changes": [*talk["changes"][:-1], joined]}
    change = {"turn": turn, "keys": [key], "acts": [made], "shown": talk["shown"]}
    return {**talk, "changes": [*talk["changes"], change][-_MOST_CHANGES:]}
