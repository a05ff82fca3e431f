"""`model`: the chat model reads the conversation and calls tools, or answers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answers import objects, settled
from signalbox.agents.tasks.asked import learn
from signalbox.agents.tasks.conversation import offered_tools, remembered_state
from signalbox.agents.tasks.definitions import CONVERSATION, TOOLS, shown_to_model
from signalbox.agents.tasks.errors import APIError, APITimeoutError, RateLimitError, text_for
from signalbox.agents.tasks.guesses import borne_out, guesses_of
from signalbox.agents.tasks.prompts import SUMMARY, system_prompt
from signalbox.agents.tasks.state import TasksState
from signalbox.agents.tasks.together import read_together
from signalbox.contract.summary import plain
from signalbox.errors import LLMAPIError, SignalboxError, redact
from signalbox.maps.context import current_run
from signalbox.models import load_chat_model
from signalbox.storage import Store

__all__ = ["DOUBTED", "GUESSED", "SETTLED", "after_model", "lent_model", "model_node", "said_before"]

MAX_ITERATIONS, TIMEOUT = 15, 30.0
WARNING = "The request was stopped after {limit} steps; it may not be complete."
_log = logging.getLogger("signalbox.agents.tasks")
SETTLED, GUESSED, DOUBTED = "answer-", "answer-guess-", "answer-guess-other-"
"""What the ids of calls begin with that code has settled, of those that it made of a model's guesses, and of a guess
that is not the likeliest."""


async def model_node(state: TasksState) -> dict[str, Any]:
    """One iteration: the model's next message. At the limit it only says what was done; what fails is `error`."""
    try:
        return await _iterate(state)
    except SignalboxError as error:
        _log.error("The model failed: %s: %s", type(error).__name__, redact(error.details or error.user_message))
        return {"status": "error", "error": {**error.as_dict(), "message": text_for(error)}}


async def _iterate(state: TasksState) -> dict[str, Any]:
    limit = int(state["limits"].get("max_iterations", MAX_ITERATIONS))
    if state["iterations"] >= limit:
        return await _stopped(state, limit)
    iteration = state["iterations"] + 1
    _log.info("Agent iteration %d/%d", iteration, limit)
    if not state["done"] and (call := await settled(state["request"], state["talk"], state["user_id"])):
        return {
            "messages": [_call(call, f"{SETTLED}{state['turn']}")], "iterations": iteration, "asked": [call[0]],
        }  # fmt: skip
    # What code has settled is only put into words.
    reply = await _ask(state, tools=not _is_settled(state))
    if reply.tool_calls and not _is_settled(state):
        return {"messages": [await _together(reply, state)], "iterations": iteration}
    if guesses_of(reply) and not state["done"]:
        meant = await borne_out(guesses_of(reply), state)
        if meant is not None:
            # A choice is read by code in the person's own words; for the rest these must give a reason still.
            asked = ["choose_task"] if meant.name == "choose_task" else None
            message = _call((meant.name, meant.args), f"{GUESSED if meant.is_likeliest else DOUBTED}{state['turn']}")
            return {"messages": [message], "iterations": iteration, "asked": asked}
        if not all(one.get("missing") for one in guesses_of(reply)):
            reply = AIMessage(say.UNSURE)
    if not state["done"] and _is_refused(state):
        # A yes to come would be to something else than what was asked before.
        talk = {**state["talk"], "pending": None}
        return {
            "messages": [AIMessage(say.LET_GO)], "iterations": iteration, "talk": talk, **_answered(state, say.LET_GO),
        }  # fmt: skip
    return {"messages": [reply], "iterations": iteration, **_answered(state, _text(reply))}


def _is_refused(state: TasksState) -> bool:
    """Whether a message that no call was made for says something against the change that waits for a yes."""
    pending = state["talk"]["pending"]
    return pending is not None and pending["kind"] == "confirm" and objects(state["request"])


async def _together(reply: AIMessage, state: TasksState) -> AIMessage:
    """The model's message, with the calls that the person's message means by them."""
    calls = [(one["name"], dict(one["args"] or {})) for one in reply.tool_calls]
    meant = await read_together(calls, state["request"], Store(state["user_id"]).tasks)
    if meant == calls:
        return reply
    # Read so, the message is settled: a model that looks at it again would find what was left out.
    made = [
        {"name": name, "args": args, "id": f"{SETTLED}{state['turn']}-{state['iterations']}-{at}", "type": "tool_call"}
        for at, (name, args) in enumerate(meant)
    ]
    return reply.model_copy(update={"tool_calls": made})


def _call(call: tuple[str, dict[str, Any]], number: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": call[0], "args": call[1], "id": number, "type": "tool_call"}])


async def _stopped(state: TasksState, limit: int) -> dict[str, Any]:
    _log.warning("Max iterations (%d) reached", limit)
    reply = await _ask(state, tools=False, summary=True)
    warned = WARNING.format(limit=limit)
    return {
        "messages": [AIMessage(_text(reply))],
        "status": "max_iterations_reached",
        "warning": warned,
        **_answered(state, _text(reply)),
    }


def _answered(state: TasksState, text: str) -> dict[str, Any]:
    """The answer; a question that waits is part of it, whatever the model makes of it."""
    pending = state["talk"]["pending"]
    asked_now = pending is not None and any(one.get("asks") == pending["question"] for one in state["done"])
    if asked_now and pending is not None and pending["question"] not in text:
        text = f"{text}\n\n{pending['question']}".strip()
    return {"final_response": text, "history": remembered_state(state, text)}


def _is_settled(state: TasksState) -> bool:
    return any(isinstance(one, ToolMessage) and one.tool_call_id.startswith(SETTLED) for one in state["messages"])


async def _ask(state: TasksState, *, tools: bool, summary: bool = False) -> AIMessage:
    """What the model says next, in the time that it has."""
    seconds = float(state["limits"].get("timeout", TIMEOUT))
    model: Any = lent_model()
    messages = _messages(state)
    if tools:
        offered = offered_tools(state["talk"]) if not state["done"] else _offered_before(state)
        await learn(offered)
        model = model.bind_tools(offered)
    if summary:
        messages.append(HumanMessage(SUMMARY))
    try:
        async with asyncio.timeout(seconds):
            reply = await model.ainvoke(messages)
    except TimeoutError:
        raise APITimeoutError from None
    except LLMAPIError as error:
        status = error.details.get("status") if isinstance(error.details, dict) else None
        if status == 429:
            _log.warning("The model's provider limits the rate of requests")
            raise RateLimitError from None
        if status == 408:
            raise APITimeoutError from None
        raise
    except SignalboxError:
        raise
    except Exception as error:
        raise APIError(details=error) from None
    return reply if isinstance(reply, AIMessage) else AIMessage(str(plain(reply)))


def _offered_before(state: TasksState) -> list[dict[str, Any]]:
    """The tools that the turn began with: what is offered does not change under a model's hands."""
    names = state["done"][0]["offered"]
    by_name = {one["name"]: one for one in (*TOOLS, *CONVERSATION)}
    return [shown_to_model(by_name[name]) for name in names]


def lent_model() -> Any:
    """The model of the run under way."""
    run = current_run.get()
    return (run.model if run is not None else None) or load_chat_model()


def _messages(state: TasksState) -> list[BaseMessage]:
    """The system prompt, the texts of the conversation, and this turn."""
    turn: list[AnyMessage] = state["messages"]
    return [SystemMessage(system_prompt(state["user_id"])), *said_before(state), *turn]


def said_before(state: TasksState) -> list[BaseMessage]:
    """The texts of the conversation before this turn."""
    return [
        HumanMessage(one["content"]) if one["role"] == "user" else AIMessage(one["content"]) for one in state["history"]
    ]


def _text(reply: AIMessage) -> str:
    return reply.text.strip()


def after_model(state: TasksState) -> Literal["tools"] | None:
    """The tools where the model called some, else the end."""
    last = state["messages"][-1]
    if state["error"]:
        return None
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else None
