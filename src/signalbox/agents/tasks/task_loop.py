"""The loop's two nodes for tasks: what a run begins with, what each call is lent, and the answer that it ends with."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.types import Command, Send

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answering import answered, failed_answer
from signalbox.agents.tasks.changing import Person, asking, kept_args, remember, spoken_of
from signalbox.agents.tasks.errors import TEXTS, contract_error
from signalbox.agents.tasks.prompts import INSTRUCTIONS
from signalbox.agents.tasks.state import Talk, TasksState
from signalbox.agents.tasks.tools import LAST_CHANGE, Turn, current_turn, task_tools
from signalbox.errors import redact
from signalbox.maps.context import run_context
from signalbox.settings import get_settings
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import use_person
from signalbox.toolbox.loop import Limits, LoopContext, LoopNodes, start_loop

__all__ = ["ask_in_loop", "call_in_loop"]

MAX_ITERATIONS = 15
WARNING = "The request was stopped after {limit} steps; it may not be complete."
_NAME = "tasks"
_SHOWN, _LONGEST = 50, 120
_log = logging.getLogger("signalbox.agents.tasks")

Results = Sequence[Mapping[str, Any]]


async def ask_in_loop(state: TasksState, model: Any) -> Command[Any]:
    """The loop's next round: the calls that come next, or the answer."""
    begun: Any = state if state.get("asked") else {**state, **await _begin(state)}
    limit = _limit(state)
    command = await _nodes(limit, _seconds(state)).model(begun, _context(model, may_pause=state["may_pause"]))
    update: dict[str, Any] = {"asked": begun["asked"], **(command.update or {})}
    replies = [*begun["replies"], *update.get("replies", ())]
    rounds = sum(isinstance(one["message"], AIMessage) for one in replies)
    if rounds > state["iterations"]:
        _log.info("Agent iteration %d/%d", min(rounds, limit), limit)
    update["iterations"] = min(rounds, limit)
    results = {**begun["results"], **update["results"]}
    if "outcome" in update:
        given = [results[one["id"]] for one in update["outcome"]["results"]]
        update |= await _end(begun, update["outcome"], given, is_over=rounds > limit, limit=limit)
        return Command(update=update, goto=command.goto)
    goto: Any = command.goto
    if isinstance(goto, list):
        lent = {"room": _lent(begun, list(results.values()))}
        goto = [Send(one.node, {**one.arg, **lent}) for one in goto]
    return Command(update=update, goto=goto)


async def call_in_loop(sent: Mapping[str, Any]) -> Any:
    """Make one call of the loop, for the person and in the turn that it was sent with."""
    room, name = sent["room"], sent["call"]["name"]
    known: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in room["known"].items()}
    turn = Turn(key=f"{room['turn']}:{sent['number']}", **known)
    token = current_turn.set(turn)
    _log.info("Executing tool: %s", name)
    try:
        with use_person(room["user_id"]):
            nodes = _nodes(room["limit"], room["seconds"])
            given = await nodes.call(sent, _context(None, may_pause=room["may_pause"]))
    finally:
        current_turn.reset(token)
    for one in given.get("results", {}).values():
        if one.get("error"):
            _log.error("Tool execution error (%s): %s", name, redact(one["error"]["message"]))
    return given


@lru_cache(maxsize=8)
def _nodes(limit: int, seconds: float) -> LoopNodes:
    # One round more, to say what was done.
    limits = Limits(rounds=limit + 1, seconds=seconds)
    return LoopNodes(task_tools(), INSTRUCTIONS, limits=limits, nodes=("model", "tools"))


def _context(model: Any, *, may_pause: bool) -> LoopContext:
    # The room's examples are plans, in other terms than those of the tools.
    model = model.model_copy(update={"taught": ()}) if getattr(model, "taught", ()) else model
    return LoopContext(model, streams=run_context().streams, may_pause=may_pause)


def _limit(state: Mapping[str, Any]) -> int:
    return int(state["limits"].get("max_iterations", MAX_ITERATIONS))


def _seconds(state: Mapping[str, Any]) -> float:
    return float(state["limits"].get("timeout") or get_settings().model_timeout)


async def _begin(state: TasksState) -> dict[str, Any]:
    """What the run of the loop begins with: the conversation of the whole thread, and the person's tasks."""
    talk = state["talk"]
    turns = list(run_context().conversation) or _turns(state["history"])
    # After another agent's answer, "it" and "the first one" are no longer what was said of tasks.
    is_ours = not turns or turns[-1]["agent"] == _NAME
    listed = [str(number) for number in state["seen"]] if is_ours else []
    only = _only(talk) if is_ours else None
    return dict(start_loop(state["request"], turns, listed=listed, only=only, records=await _known(state)))


def _only(talk: Talk) -> str | None:
    """What the last answer was about, if it was about one thing: a task, or a change to several."""
    about = talk["spoken"] or talk["shown"]
    if len(about) == 1 and not talk.get("is_recalled"):
        return str(about[0])
    return LAST_CHANGE if talk["changes"] and set(about) <= set(_touched(talk)) else None


def _turns(history: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The messages of a chat as turns."""
    turns: list[dict[str, str]] = []
    for one in history:
        if one["role"] == "user" or not turns or turns[-1]["answer"]:
            turns.append({"said": "", "agent": _NAME, "answer": ""})
        turns[-1]["said" if one["role"] == "user" else "answer"] = one["content"]
    return turns


async def _known(state: TasksState) -> str:
    """The person's open tasks, and others that they have just seen, a line each."""
    tasks, talk = Store(state["user_id"]).tasks, state["talk"]
    page = await tasks.list(TaskFilter(limit=_SHOWN))
    seen = await tasks.several([*talk["shown"], *talk["spoken"]][:_SHOWN], deleted=True)
    lines = []
    for one in {one.task_id: one for one in (*page.tasks, *seen)}.values():
        told = one.as_dict()
        title = " ".join(told["title"].split())
        title = title if len(title) <= _LONGEST else f"{title[:_LONGEST]}…"
        status = "deleted" if one.deleted else "done" if one.completed else "open"
        lines.append(f"#{one.task_id} | {title} | due {told['due'] or 'never'} | {told['priority']} | {status}")
    if not lines:
        return "The person has no open tasks."
    more = f"\nThere are {page.total} open tasks; list_tasks shows the others." if page.total > len(page.tasks) else ""
    return "\n".join(["The person's tasks: number | title | due | priority | state", *lines]) + more


def _touched(talk: Talk) -> list[int]:
    """The tasks of the last change."""
    acts = talk["changes"][-1]["acts"] if talk["changes"] else []
    return [number for act in acts for number in act["numbers"]]


def _lent(state: Mapping[str, Any], results: Results) -> dict[str, Any]:
    """What a call knows of the turn, as it is stored with the call."""
    talk, waited, only = state["talk"], state["waited"], state["asked"]["only"]
    known = {
        "seen": [*talk["shown"], *talk["spoken"]],
        "changed": [number for one in results if one["name"] != "add_task" and _key(one) for number in _numbers(one)],
        "is_reply": waited is not None and waited["kind"] == "confirm" and waited["name"] != "add_task",
        "undoes": talk["changes"][-1]["keys"] if talk["changes"] else [],
        "undone": only if only in map(str, _touched(talk)) else LAST_CHANGE,
        "touched": _touched(talk),
    }
    own = {"user_id": state["user_id"], "turn": state["turn"], "may_pause": state["may_pause"]}
    return {**own, "known": known, "limit": _limit(state), "seconds": _seconds(state)}


def _key(result: Mapping[str, Any]) -> str:
    """The key of a change that was made; empty for everything else."""
    return str((result.get("data") or {}).get("changed") or "")


def _numbers(result: Mapping[str, Any]) -> list[int]:
    return [one["task_id"] for one in (result.get("data") or {}).get("tasks", ())]


async def _end(
    state: Mapping[str, Any], outcome: Mapping[str, Any], results: Results, *, is_over: bool, limit: int
) -> dict[str, Any]:
    """What the turn ends with: the answer, or the error with what was done before it."""
    talk = state["talk"]
    for one in results:
        talk = _after(one, talk, state)
    talk, text = await _asked(talk, outcome, results, state)
    asks = talk["pending"]["question"] if talk["pending"] is not None else None
    ended: Any = {**state, "talk": talk, "done": [_done(one, asks) for one in results]}
    told = _changes_told(results)
    error = contract_error(outcome["error"], is_late=outcome["stopped"] == "time")
    if is_over or outcome["stopped"] in ("rounds", "tokens"):
        _log.warning("Max iterations (%d) reached", limit)
        if error is not None:
            text = "\n\n".join((*told, error["message"]))
        warning = f"{WARNING.format(limit=limit)} {TEXTS['MaxIterationsExceededError']}"
        warned = {"status": "max_iterations_reached", "warning": warning}
        return {"done": ended["done"], **warned, **answered(ended, text)}
    if error is not None:
        _log.error("The model failed: %s: %s", error["error_type"], redact(error["message"]))
        return {"done": ended["done"], **failed_answer(ended, error, told)}
    return {"done": ended["done"], **answered(ended, text)}


def _done(result: Mapping[str, Any], question: str | None) -> dict[str, Any]:
    """A call as the state tells of it."""
    told = {
        "name": result["name"],
        "args": redact(result["args"]),
        "result": (result.get("data") or {}).get("tasks", []),
    }
    return {**told, "changed": bool(_key(result)), "asks": question if result.get("asks") else None}


def _after(result: Mapping[str, Any], talk: Talk, state: Mapping[str, Any]) -> Talk:
    """What the conversation has in view after a call."""
    name, key, numbers = result["name"], _key(result), _numbers(result)
    if result.get("same_as") or not numbers:
        return talk
    if name == "list_tasks":
        return {**talk, "shown": numbers, "spoken": numbers if len(numbers) == 1 else [], "is_recalled": False}
    if name == "undo_change":
        last = talk["changes"][-1] if talk["changes"] else None
        shown = last["shown"] if last is not None and last["shown"] else numbers
        return {**talk, "shown": shown, "spoken": numbers, "changes": talk["changes"][:-1], "pending": None}
    if name == "add_task":
        latest = talk["changes"][-1] if talk["changes"] else None
        together = _touched(talk) if latest is not None and latest["turn"] == state["turn"] else talk["shown"]
        talk = {**talk, "shown": [*together, *numbers], "spoken": numbers}
    else:
        talk = spoken_of(talk, numbers)
    if not key:
        return talk
    return remember({**talk, "pending": None}, state["turn"], key, name, kept_args(result["args"]), numbers)


async def _asked(
    talk: Talk, outcome: Mapping[str, Any], results: Results, state: Mapping[str, Any]
) -> tuple[Talk, str]:
    """The conversation with the question that waits, and the text with it. The same change to several tasks is one
    question; anything else that has to be confirmed waits for the answer."""
    asking_now = [one for one in results if one.get("asks") and not one.get("same_as")]
    if not asking_now:
        text = str(outcome["answer"])
        for one in results:
            # What a model is told of a no is not what the person is told.
            text = text.replace(str(one["text"]), say.NOTHING) if one.get("is_declined") else text
        return talk, text
    first = asking_now[0]
    name, args = first["name"], kept_args(first["args"])
    same = [one for one in asking_now if one["name"] == name and kept_args(one["args"]) == args]
    is_on_tasks = name not in ("add_task", "undo_change")
    numbers = [int(key) for one in same for key in one["targets"]] if is_on_tasks else []
    tasks = await Store(state["user_id"]).tasks.several(numbers, deleted=name == "reopen_task")
    question = say.ask_whether(name, args, tasks) if len(same) > 1 and is_on_tasks else first["asks"]["message"]
    talk = asking(talk, "confirm", name, args, tasks, question, Person(state["user_id"], state["turn"]))
    others = [say.WAITS] if len(same) < len(asking_now) else []
    return talk, "\n\n".join([*_changes_told(results), question, *others])


def _changes_told(results: Results) -> list[str]:
    """What is said of each change that was made."""
    return [str(one["text"]) for one in results if _key(one) and not one.get("same_as")]
