"""`model`: the chat model reads the conversation and calls tools, or answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answers import read_choice, read_decision
from signalbox.agents.tasks.conversation import offered_tools, remembered_state
from signalbox.agents.tasks.definitions import CHANGING, WITH_TOOLS, tools_for
from signalbox.agents.tasks.errors import TEXTS, APITimeoutError, RateLimitError, text_for
from signalbox.agents.tasks.plan import SETTLED, learn, read_plan, settle
from signalbox.agents.tasks.prompts import SUMMARY, system_prompt
from signalbox.agents.tasks.state import Talk, TasksState
from signalbox.errors import (
    ModelBusyError,
    ModelEmptyError,
    ModelOutputError,
    ModelTimeoutError,
    SignalboxError,
    redact,
)
from signalbox.maps.context import current_run
from signalbox.models import is_offline, load_chat_model
from signalbox.settings import get_settings

__all__ = ["after_model", "lent_model", "model_node", "said_before"]

MAX_ITERATIONS = 15
WARNING = "The request was stopped after {limit} steps; it may not be complete."
_log = logging.getLogger("signalbox.agents.tasks")


async def model_node(state: TasksState) -> dict[str, Any]:
    """One iteration: the model's next message. At the limit it only says what was done; what fails is `error`."""
    try:
        return await _iterate(state)
    except SignalboxError as error:
        _log.error("The model failed: %s: %s", type(error).__name__, redact(error.details or error.user_message))
        return _failed(state, error)


def _failed(state: TasksState, error: SignalboxError) -> dict[str, Any]:
    """The error; after a change or a question, with what was done, so that the person can go on from there."""
    told = {**error.as_dict(), "message": text_for(error)}
    if not _has_result(state):
        return {"status": "error", "error": told}
    left = _answered(state, "\n\n".join((*_told_by_tools(state), say.failed_after(told["message"]))))
    # To try the same again would do twice what was done.
    after = {"message": left["final_response"], "suggestion": "", "after_change": True}
    return {"status": "error", **left, "error": {**told, **after}}


def _has_result(state: TasksState) -> bool:
    """Whether something was changed or asked in this turn."""
    return any(one["changed"] or one["asks"] for one in state["done"])


def _told_by_tools(state: TasksState) -> list[str]:
    """What the tools said of each change that was made."""
    results = [str(one.content) for one in state["messages"] if isinstance(one, ToolMessage)]
    return [text for one, text in zip(state["done"], results, strict=True) if one["changed"]]


async def _iterate(state: TasksState) -> dict[str, Any]:
    limit = int(state["limits"].get("max_iterations", MAX_ITERATIONS))
    if state["iterations"] >= limit:
        return await _stopped(state, limit)
    iteration = state["iterations"] + 1
    _log.info("Agent iteration %d/%d", iteration, limit)
    if not state["done"] and (reply := await _answer_to_question(state)) is not None:
        return {**reply, "iterations": iteration}
    model = lent_model()
    is_plan = is_offline(model)
    if is_plan and not state["done"] and (call := await settle(state)) is not None:
        return {"messages": [call], "iterations": iteration, "planned": True}
    # What code has settled is only put into words.
    is_settled = _is_settled(state)
    message = await _ask(model, state, tools=not is_settled, is_plan=is_plan)
    message = await read_plan(message, state) if is_plan and not is_settled else message
    if message.tool_calls and not is_settled:
        return {"messages": [message], "iterations": iteration, "planned": is_plan}
    return {"messages": [AIMessage(_text(message))], "iterations": iteration, **_answered(state, _text(message))}


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


async def _stopped(state: TasksState, limit: int) -> dict[str, Any]:
    _log.warning("Max iterations (%d) reached", limit)
    try:
        told = _text(await _ask(lent_model(), state, tools=False, summary=True))
    except ModelOutputError as error:
        told = "\n\n".join((*_told_by_tools(state), TEXTS["MaxIterationsExceededError"], text_for(error)))
    return {
        "messages": [AIMessage(told)],
        "status": "max_iterations_reached",
        "warning": WARNING.format(limit=limit),
        **_answered(state, told),
    }


def _answered(state: TasksState, text: str) -> dict[str, Any]:
    """The answer, whatever the model makes of it: with the question that was asked, what has become of the one that
    waited, and the offer to undo. Raises ModelEmptyError where there is nothing to say."""
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


def _is_settled(state: TasksState) -> bool:
    return any(isinstance(one, ToolMessage) and one.tool_call_id.startswith(SETTLED) for one in state["messages"])


async def _ask(
    model: Any, state: TasksState, *, tools: bool, summary: bool = False, is_plan: bool = False
) -> AIMessage:
    """What the model says next, in the time that it has. Raises the contract's errors, where it names them."""
    seconds = float(state["limits"].get("timeout") or get_settings().model_timeout)
    messages = _messages(state)
    if tools or not is_offline(model):
        offered = _offered(state, is_plan=is_plan)
        if is_plan:
            await learn(offered)
        # The tools stay the same when only words are wanted, so that the provider's cache holds.
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


def _offered(state: TasksState, *, is_plan: bool) -> list[dict[str, Any]]:
    """The tools: always the same ones, except in a plan, which can only mean what the conversation has come to. There,
    they stay those that the turn began with."""
    if not is_plan:
        return tools_for(WITH_TOOLS, is_plan=False)
    return tools_for(state["done"][0]["offered"] if state["done"] else offered_tools(state["talk"]), is_plan=True)


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
