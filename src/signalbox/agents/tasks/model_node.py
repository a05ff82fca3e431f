"""`model`: a capable model works in the loop, any other fills in a plan, which code carries out.

A yes, a no or a choice that a question waited for is carried out by code, whichever model there is.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answering import answered, failed_answer
from signalbox.agents.tasks.answers import read_choice, read_decision
from signalbox.agents.tasks.conversation import offered_tools
from signalbox.agents.tasks.definitions import tools_for
from signalbox.agents.tasks.errors import TEXTS, APITimeoutError, RateLimitError, text_for
from signalbox.agents.tasks.plan import SETTLED, learn, read_plan, settle
from signalbox.agents.tasks.prompts import SUMMARY, system_prompt
from signalbox.agents.tasks.state import TasksState
from signalbox.agents.tasks.task_loop import MAX_ITERATIONS, WARNING, ask_in_loop
from signalbox.errors import ModelBusyError, ModelOutputError, ModelTimeoutError, SignalboxError, redact
from signalbox.maps.context import current_run
from signalbox.models import fills_plans, is_offline, load_chat_model
from signalbox.settings import get_settings

__all__ = ["after_model", "lent_model", "model_node", "said_before"]

_log = logging.getLogger("signalbox.agents.tasks")


async def model_node(state: TasksState) -> Any:
    """One iteration: the model's next message. At the limit it only says what was done; what fails is `error`."""
    try:
        if state.get("asked"):
            return await ask_in_loop(state, lent_model())
        return await _iterate(state)
    except SignalboxError as error:
        _log.error("The model failed: %s: %s", type(error).__name__, redact(error.details or error.user_message))
        return _failed(state, error)


def _failed(state: TasksState, error: SignalboxError) -> dict[str, Any]:
    return failed_answer(state, {**error.as_dict(), "message": text_for(error)}, _told_by_tools(state))


def _told_by_tools(state: TasksState) -> list[str]:
    """What the tools said of each change that was made."""
    results = [str(one.content) for one in state["messages"] if isinstance(one, ToolMessage)]
    return [text for one, text in zip(state["done"], results, strict=True) if one["changed"]]


async def _iterate(state: TasksState) -> Any:
    limit = int(state["limits"].get("max_iterations", MAX_ITERATIONS))
    if not state["done"] and (reply := await _answer_to_question(state)) is not None:
        return {**reply, "iterations": 1}
    model = lent_model()
    if not fills_plans(model):
        if state["decision"] is None:
            return await ask_in_loop(state, model)
        told = str(state["messages"][-1].content)
        return {"messages": [AIMessage(told)], **answered(state, told)}
    if state["iterations"] >= limit:
        return await _stopped(model, state, limit)
    iteration = state["iterations"] + 1
    _log.info("Agent iteration %d/%d", iteration, limit)
    if not state["done"] and (call := await settle(state)) is not None:
        return {"messages": [call], "iterations": iteration, "planned": True}
    # What code has settled is only put into words.
    is_settled = _is_settled(state)
    message = await _ask(model, state, tools=not is_settled)
    message = message if is_settled else await read_plan(message, state)
    if message.tool_calls and not is_settled:
        return {"messages": [message], "iterations": iteration, "planned": True}
    return {"messages": [AIMessage(_text(message))], "iterations": iteration, **answered(state, _text(message))}


async def _answer_to_question(state: TasksState) -> dict[str, Any] | None:
    """The call that waits for an answer, where the message is one: a yes, a no, or a choice; else None."""
    pending = state["waited"]
    number = f"{SETTLED}{state['turn']}"
    if pending is not None and (decision := read_decision(state["request"], pending)) is not None:
        shown = {key: value for key, value in pending["args"].items() if key != "user_id"}
        return {"messages": [_call((pending["name"], shown), number)], "decision": decision, "planned": False}
    choice = await read_choice(state["request"], pending, state["user_id"])
    if choice is not None:
        return {"messages": [_call(choice, number)], "decision": "choice", "planned": False}
    return None


def _call(call: tuple[str, dict[str, Any]], number: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": call[0], "args": call[1], "id": number, "type": "tool_call"}])


async def _stopped(model: Any, state: TasksState, limit: int) -> dict[str, Any]:
    _log.warning("Max iterations (%d) reached", limit)
    try:
        told = _text(await _ask(model, state, tools=False, summary=True))
    except ModelOutputError as error:
        told = "\n\n".join((*_told_by_tools(state), TEXTS["MaxIterationsExceededError"], text_for(error)))
    return {
        "messages": [AIMessage(told)],
        "status": "max_iterations_reached",
        "warning": WARNING.format(limit=limit),
        **answered(state, told),
    }


def _is_settled(state: TasksState) -> bool:
    return any(isinstance(one, ToolMessage) and one.tool_call_id.startswith(SETTLED) for one in state["messages"])


async def _ask(model: Any, state: TasksState, *, tools: bool, summary: bool = False) -> AIMessage:
    """What the model says next, in the time that it has. Raises the contract's errors, where it names them."""
    seconds = float(state["limits"].get("timeout") or get_settings().model_timeout)
    messages = _messages(state)
    if tools or not is_offline(model):
        # The tools stay those that the turn began with.
        offered = tools_for(state["done"][0]["offered"] if state["done"] else offered_tools(state["talk"]))
        await learn(offered)
        model = model.bind_tools(offered, **({} if tools else {"tool_choice": "none"}))
    if summary:
        messages.append(HumanMessage(SUMMARY))
    try:
        async with asyncio.timeout(seconds):
            reply: AIMessage = await model.ainvoke(messages)
    except (TimeoutError, ModelTimeoutError) as error:
        raise APITimeoutError(details=redact(error)) from None
    except ModelBusyError as error:
        _log.warning("The model's provider limits the rate of requests")
        raise RateLimitError(suggestion=error.suggestion, details=error.details) from None
    return reply


def lent_model() -> Any:
    """The model of the run under way."""
    run = current_run.get()
    return (run.model if run is not None else None) or load_chat_model()


def _messages(state: TasksState) -> list[BaseMessage]:
    """The system prompt, the texts of the conversation, and this turn."""
    turn: list[AnyMessage] = state["messages"]
    return [SystemMessage(system_prompt()), *said_before(state), *turn]


def said_before(state: TasksState) -> list[BaseMessage]:
    """The texts of the conversation before this turn, without the offer to undo, which tells nothing of the tasks."""
    return [
        HumanMessage(one["content"])
        if one["role"] == "user"
        else AIMessage(one["content"].removesuffix(say.UNDO).rstrip())
        for one in state["history"]
    ]


def _text(reply: AIMessage) -> str:
    return reply.text.strip()


def after_model(state: TasksState) -> Literal["tools"] | None:
    """The tools where the model called some, else the end."""
    last = state["messages"][-1]
    if state["error"]:
        return None
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else None
