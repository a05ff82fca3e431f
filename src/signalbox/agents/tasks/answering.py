"""How a turn ends: the answer, the question that waits, what has become of an earlier one, and the offer to undo."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.conversation import remembered_state
from signalbox.agents.tasks.definitions import CHANGING
from signalbox.agents.tasks.errors import TEXTS, contract_error
from signalbox.agents.tasks.state import Pending, Talk, TasksState
from signalbox.agents.tasks.talk import after_result, asking
from signalbox.agents.tasks.tools import preview
from signalbox.contract.summary import plain
from signalbox.errors import ModelEmptyError, redact
from signalbox.toolbox import use_person

__all__ = ["answered", "failed_answer"]

_log = logging.getLogger("signalbox.agents.tasks")
Results = Sequence[Mapping[str, Any]]


async def answered(
    state: TasksState, outcome: Mapping[str, Any], results: Results, *, is_over: bool = False
) -> dict[str, Any]:
    """The end of the turn: its answer, or the error of the model with what was done before it."""
    talk = state["talk"]
    for one in results:
        talk = after_result(one, talk, state["turn"])
    pending = await _question(results, state) or state.get("choice")
    talk = asking(talk, pending) if pending is not None else talk
    done = [_done(one, pending) for one in results]
    talk, note = _after_question(state, talk, [one["name"] for one in done])
    error = contract_error(outcome["error"], is_late=outcome["stopped"] == "time")
    told = [str(one["text"]) for one in results if _key(one) and not one.get("same_as")]
    if error is not None and not is_over:
        _log.error("The model failed: %s: %s", error["error_type"], redact(error["message"]))
        return {"done": done, **failed_answer({**state, "talk": talk}, error, told)}
    text = _text(state, outcome, results, pending, told, error)
    text = _complete(text, talk, note, pending, done)
    ended = {"done": done, "final_response": text, "history": remembered_state(state, text), "talk": talk}
    if not is_over:
        return ended
    _log.warning("Max iterations (%s) reached", state["limits"].get("max_iterations", "15"))
    return {**ended, "status": "max_iterations_reached", "warning": TEXTS["MaxIterationsExceededError"]}


def failed_answer(state: Any, error: Mapping[str, Any], told: Sequence[str] = ()) -> dict[str, Any]:
    """The error of a model; after a change, with what was `told` of it, so that the person can go on from there."""
    if not told:
        return {"status": "error", "error": dict(error)}
    text = "\n\n".join((*told, say.failed_after(error["message"]), say.UNDO))
    # To try the same again would do twice what was done.
    after = {"message": text, "suggestion": "", "after_change": True}
    kept = {"final_response": text, "history": remembered_state(state, text), "talk": state["talk"]}
    return {"status": "error", **kept, "error": {**error, **after}}


def _text(
    state: TasksState, outcome: Mapping[str, Any], results: Results, pending: Pending | None, told: Sequence[str],
    error: Mapping[str, Any] | None,
) -> str:  # fmt: skip
    """What is said of the results, before anything is added to it."""
    said = list(state.get("said") or ())
    if error is not None:
        return "\n\n".join((*told, error["message"]))
    if pending is not None and pending["kind"] == "confirm":
        # All that was done or read is told beside the question.
        others = [str(one["text"]) for one in results if not one.get("asks") and not one.get("same_as")]
        waiting = [one for one in results if one.get("asks") and one["name"] != pending["name"]]
        return "\n\n".join([*others, *said, *([say.WAITS] if waiting else [])])
    text = str(outcome["answer"])
    for one in results:
        # What a model is told of a no is not what the person is told.
        text = text.replace(str(one["text"]), say.NOTHING) if one.get("is_declined") else text
    return "\n\n".join(filter(None, [text, *said]))


def _complete(text: str, talk: Talk, note: str, pending: Pending | None, done: Sequence[Mapping[str, Any]]) -> str:
    """The answer with what has become of the question before, the question now, and the offer to undo. Raises
    ModelEmptyError where there is nothing to say."""
    asks = [pending["text"]] if pending is not None and pending["text"] not in f"{text}{note}" else []
    is_changed = any(one["changed"] and one["name"] != "undo_change" for one in done)
    undo = [say.UNDO] if is_changed and talk["pending"] is None and "undo" not in text.casefold() else []
    whole = "\n\n".join(filter(None, [text, note, *asks, *undo]))
    if not whole:
        raise ModelEmptyError("The model gave an empty reply.")
    return whole


def _key(result: Mapping[str, Any]) -> str:
    """The key of a change that was made; empty for everything else."""
    return str((result.get("data") or {}).get("changed") or "")


def _done(result: Mapping[str, Any], pending: Pending | None) -> dict[str, Any]:
    """A call as the state tells of it."""
    asks = pending["text"] if pending is not None and result.get("asks") else None
    told = (result.get("data") or {}).get("tasks", [])
    call = {"name": result["name"], "args": redact(result["args"]), "result": told}
    return {**call, "changed": bool(_key(result)), "asks": asks}


async def _question(results: Results, state: TasksState) -> Pending | None:
    """The question whether to make a change, where one has to be confirmed and the run cannot wait. The same change to
    several tasks is one question."""
    waiting = [one for one in results if one.get("asks") and not one.get("same_as")]
    if not waiting:
        return None
    first = waiting[0]
    name, args = first["name"], _without_which(first["args"])
    same = [one for one in waiting if one["name"] == name and _without_which(one["args"]) == args]
    is_on_tasks = name not in ("add_task", "undo_change")
    numbers = list(dict.fromkeys(int(key) for one in same for key in one["targets"])) if is_on_tasks else []
    shown = {
        key: first["asks"].get(key)
        for key in ("message", "summary", "blocks", "source", "version")
        if key in first["asks"]
    }
    if len(same) > 1 and is_on_tasks:
        with use_person(state["user_id"]):
            shown = plain((await preview(name, {**args, "task_ids": numbers})).as_question())
    text = f"{say.CHANGED}{shown['message']}" if first["asks"].get("is_again") else str(shown["message"])
    return Pending(kind="confirm", name=name, args=args, numbers=numbers, text=text, shown=shown)


def _without_which(args: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in args.items() if key not in ("task_id", "task_ids")}


def _after_question(state: TasksState, talk: Talk, called: Sequence[str]) -> tuple[Talk, str]:
    """The conversation after a message that did not answer the question that waited, and what is said of that: a new
    request drops the question, anything else leaves it open."""
    waited = state["waited"]
    if waited is None or state.get("decision") is not None or (waited["kind"] == "choose" and not waited["numbers"]):
        return talk, ""
    is_open = talk["pending"] == waited
    if not is_open or set(called) & set(CHANGING) or (called and waited["kind"] == "confirm"):
        return {**talk, "pending": None if is_open else talk["pending"]}, say.dropped(waited["name"])
    if called:
        return talk, say.STILL_OPEN
    told = say.neither if waited["kind"] == "confirm" else say.not_chosen
    return talk, f"{told(waited['name'])} {waited['text']}"
