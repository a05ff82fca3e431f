"""The answer of a turn, whatever wrote it: with the question that was asked, what has become of the one that waited,
and the offer to undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.conversation import remembered_state
from signalbox.agents.tasks.definitions import CHANGING
from signalbox.agents.tasks.state import Talk, TasksState
from signalbox.errors import ModelEmptyError

__all__ = ["answered", "failed_answer"]


def answered(state: TasksState, text: str) -> dict[str, Any]:
    """What the turn ends with. Raises ModelEmptyError where there is nothing to say."""
    talk = state["talk"]
    pending = talk["pending"]
    is_asked = pending is not None and any(one.get("asks") == pending["question"] for one in state["done"])
    added = [pending["question"]] if pending is not None and is_asked and pending["question"] not in text else []
    talk, note = _after_question(state)
    added = [*([note] if note else []), *added]
    is_changed = any(one["changed"] and one["name"] != "undo_change" for one in state["done"])
    if is_changed and talk["pending"] is None and "undo" not in text.casefold():
        added.append(say.UNDO)
    text = "\n\n".join([*([text] if text else []), *added])
    if not text:
        raise ModelEmptyError("The model gave an empty reply.")
    return {"final_response": text, "history": remembered_state(state, text), "talk": talk}


def failed_answer(state: TasksState, error: Mapping[str, Any], told: Sequence[str]) -> dict[str, Any]:
    """The error of a model; after a change or a question, with what was `told` of it, so that the person can go on from
    there."""
    if not any(one["changed"] or one["asks"] for one in state["done"]):
        return {"status": "error", "error": dict(error)}
    left = answered(state, "\n\n".join((*told, say.failed_after(error["message"]))))
    # To try the same again would do twice what was done.
    after = {"message": left["final_response"], "suggestion": "", "after_change": True}
    return {"status": "error", **left, "error": {**error, **after}}


def _after_question(state: TasksState) -> tuple[Talk, str]:
    """The conversation after a message that did not answer the question that waited, and what is said of it: a new
    request drops it, anything else leaves it open."""
    talk, waited = state["talk"], state["waited"]
    if waited is None or state["decision"] is not None or (waited["kind"] == "choose" and not waited["numbers"]):
        return talk, ""
    called = {one["name"] for one in state["done"]} - {"small_talk", "other_people"}
    is_open = talk["pending"] == waited
    if "choose_task" in called:
        return talk, ""
    if called & CHANGING or not is_open or (called and waited["kind"] == "confirm"):
        return {**talk, "pending": None if is_open else talk["pending"]}, say.dropped(waited["name"])
    if called:
        return talk, say.STILL_OPEN
    told = say.neither if waited["kind"] == "confirm" else say.not_chosen
    return talk, f"{told(waited['name'])} {waited['question']}"
