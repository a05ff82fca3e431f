"""The two nodes: `model` reads the message and goes round by round until there is an answer, `tools` makes one call.

A capable model works in the loop. What was read without one is a run of the loop as well, whose calls are known from
the start.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage
from langgraph.graph import END
from langgraph.types import Command, interrupt

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answering import answered, failed_answer
from signalbox.agents.tasks.errors import APITimeoutError, contract_error
from signalbox.agents.tasks.plan import Reading
from signalbox.agents.tasks.reader import as_begun, read_choice, read_message
from signalbox.agents.tasks.state import TasksState
from signalbox.agents.tasks.task_loop import call_tool, lend, limit_of, next_round
from signalbox.errors import SignalboxError, redact
from signalbox.maps.context import current_run
from signalbox.models import load_chat_model
from signalbox.storage import Store

__all__ = ["after_model", "model_node", "tools_node"]

_log = logging.getLogger("signalbox.agents.tasks")


def after_model(state: TasksState) -> Literal["tools", "model"] | None:
    """Where `model` may lead, for who draws or checks the map: its commands say it themselves, so there is no edge."""
    return None


async def tools_node(state: TasksState) -> Any:
    """Make the call that was sent here."""
    return await call_tool(state)


async def model_node(state: TasksState) -> Any:
    """Begin the turn, hand out calls, ask the model for its next reply, or end the turn. What fails is `error`."""
    run = current_run.get()
    model = (run.model if run is not None else None) or load_chat_model()
    if state.get("asked"):
        return await _go_on(state, None if state["planned"] else model)
    try:
        begun = await read_message(state, model)
    except TimeoutError:
        return Command(update=_failed(state, APITimeoutError()), goto=END)
    except SignalboxError as error:
        return Command(update=_failed(state, error), goto=END)
    if begun["planned"]:
        _log.info("Agent iteration 1/%d", limit_of(state))
    # What was read is stored before anything is done or asked about it.
    return Command(update=begun, goto="model")


async def _go_on(state: TasksState, model: Any) -> Command[Any]:
    limit = limit_of(state)
    command = await next_round(state, model)
    update: dict[str, Any] = dict(command.update or {})
    replies = [*state["replies"], *update.get("replies", ())]
    rounds = sum(isinstance(one["message"], AIMessage) for one in replies)
    if rounds > state["iterations"]:
        _log.info("Agent iteration %d/%d", min(rounds, limit), limit)
    update["iterations"] = min(max(rounds, 1), limit)
    if "outcome" not in update:
        goto: Any = command.goto
        return Command(update=update, goto=[lend(one, state) for one in goto] if isinstance(goto, list) else goto)
    if state.get("choice") and state["may_pause"]:
        return await _wait_for_choice(state)
    results = {**state["results"], **update["results"]}
    given = [results[one["id"]] for one in update["outcome"]["results"]]
    is_over = rounds > limit or update["outcome"]["stopped"] in ("rounds", "tokens")
    return Command(update={**update, **await answered(state, update["outcome"], given, is_over=is_over)}, goto=END)


async def _wait_for_choice(state: TasksState) -> Command[Any]:
    """Wait until the person has said which task is meant, and go on with the call that it is for."""
    pending: Any = state["choice"]
    offered = await Store(state["user_id"]).tasks.several(pending["numbers"], deleted=True)
    question = {"kind": "clarify", "message": pending["text"], "options": say.options(offered)}
    chosen = await read_choice(interrupt(question), pending, state["user_id"])
    while chosen is None:
        again = f"{say.not_chosen(pending['name'])} {pending['text']}"
        chosen = await read_choice(interrupt({**question, "message": again}), pending, state["user_id"])
    if isinstance(chosen, str):
        return Command(update={"choice": None, "said": [*state["said"], say.NOTHING]}, goto="model")
    reading = Reading([chosen], state["said"], is_choice=True)
    begun = await as_begun(reading, f"{state['turn']}-choice", pending, state["user_id"])
    return Command(update={**begun, "notes": {**state["notes"], **begun["notes"]}}, goto="model")


def _failed(state: TasksState, error: SignalboxError) -> dict[str, Any]:
    _log.error("The model failed: %s: %s", type(error).__name__, redact(error.details or error.user_message))
    told: Mapping[str, Any] = contract_error(error.as_dict()) or {}
    return failed_answer(state, told)
