"""The loop of this room: its two nodes, what each run of it is lent, and what a call knows of its turn."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from langgraph.types import Send

from signalbox.agents.tasks.prompts import INSTRUCTIONS
from signalbox.agents.tasks.state import TasksState
from signalbox.agents.tasks.talk import touched
from signalbox.agents.tasks.tools import LAST_CHANGE, Turn, current_turn, task_tools
from signalbox.errors import redact
from signalbox.maps.context import run_context
from signalbox.settings import get_settings
from signalbox.toolbox import use_person
from signalbox.toolbox.loop import Limits, LoopContext, LoopNodes

__all__ = ["call_tool", "lend", "limit_of", "next_round", "seconds_of"]

MAX_ITERATIONS = 15
_log = logging.getLogger("signalbox.agents.tasks")


async def next_round(state: TasksState, model: Any) -> Any:
    """The next round of the loop. Without a model, the calls that were read are all there are."""
    nodes = _nodes(limit_of(state), seconds_of(state))
    # The room's examples are plans, in other terms than those of the tools.
    model = model.model_copy(update={"taught": ()}) if getattr(model, "taught", ()) else model
    return await nodes.model(state, _context(model, may_pause=state["may_pause"]))


async def call_tool(sent: Mapping[str, Any]) -> Any:
    """Make one call, for the person and in the turn that it was sent with."""
    room, name = sent["room"], sent["call"]["name"]
    known: Any = {key: tuple(value) if isinstance(value, list) else value for key, value in room["known"].items()}
    token = current_turn.set(Turn(key=f"{room['turn']}:{sent['number']}", **known))
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


def lend(sent: Send, state: TasksState) -> Send:
    """A call with what it has to know of the turn, as it is stored with the call."""
    talk, waited, only = state["talk"], state["waited"], state["asked"]["only"]
    note = (state.get("notes") or {}).get(str(sent.arg["call"]["id"])) or {}
    # What is neither yes nor no to a question writes nothing unseen. One about a new task may be completed.
    is_reply = waited is not None and waited["kind"] == "confirm" and waited["name"] != "add_task"
    known = {
        "seen": [*talk["shown"], *talk["spoken"]],
        "is_unsure": bool(note.get("is_unsure")) or is_reply,
        "reference": "" if talk.get("is_recalled") else note.get("reference", ""),
        "undoes": talk["changes"][-1]["keys"] if talk["changes"] else [],
        "undone": only if only and only in [*map(str, touched(talk))] else LAST_CHANGE,
    }
    own = {"user_id": state["user_id"], "turn": state["turn"], "may_pause": state["may_pause"]}
    room = {**own, "known": known, "limit": limit_of(state), "seconds": seconds_of(state)}
    return Send(sent.node, {**sent.arg, "room": room})


@lru_cache(maxsize=8)
def _nodes(limit: int, seconds: float) -> LoopNodes:
    # One round more, to say what was done.
    limits = Limits(rounds=limit + 1, seconds=seconds)
    return LoopNodes(task_tools(), INSTRUCTIONS, limits=limits, nodes=("model", "tools"))


def _context(model: Any, *, may_pause: bool) -> LoopContext:
    return LoopContext(model, streams=run_context().streams, may_pause=may_pause)


def limit_of(state: TasksState) -> int:
    """How many rounds the turn may take."""
    return int(state["limits"].get("max_iterations", MAX_ITERATIONS))


def seconds_of(state: TasksState) -> float:
    """How long a round may take."""
    return float(state["limits"].get("timeout") or get_settings().model_timeout)
