"""What every node of a capability shares: what its request says, how it asks the person, and how a failure is put."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.asking import Ask, Calls, Fault
from signalbox.agents.experiments.clients import close_clients, current_client, source_of
from signalbox.agents.experiments.errors import RETRYABLE
from signalbox.agents.experiments.reader import read_fields
from signalbox.agents.experiments.state import AgentState, NodeStatus, complete
from signalbox.contract.agent import wait_for
from signalbox.errors import SignalboxError

__all__ = ["at_once", "capability_node", "close_with_loop", "failing"]

_MOST_TIMES = 2
_GONE_ON = ("experiment_details", "testing", "user_simulation")
_DECIDED = ("yes", "no")
State = Mapping[str, Any]
Update = dict[str, Any]
Node = Callable[[dict[str, Any], Calls], Awaitable[Update]]


def capability_node(capability: str) -> Callable[[Node], Callable[[State], Awaitable[Update]]]:
    """Make a node of a function over the complete state and its calls; it gives what changes in the state.

    `fields` of the state is what the request says, in the terms of the server, and `calls.server` that server.
    """

    def made(function: Node) -> Callable[[State], Awaitable[Update]]:
        @wraps(function)
        async def run(state: State) -> Update:
            whole, calls = complete(state), Calls()
            await close_with_loop()
            try:
                if whole["wants_raw"] and whole["params"].get("of_before"):
                    return _raw_of_before(whole)
                kept = await _read_into(whole, capability, calls)
                update = {"node_status": NodeStatus.SUCCESS, "needs_clarification": False, "pending": None, **kept}
                update |= await function(whole, calls)
            except Ask as asked:
                update = _asking(asked, capability, whole) if _may_ask(asked, whole) else _given_up(asked, whole)
                if update.get("question"):
                    update["source"] = update["question"]["source"] = await asyncio.to_thread(_source)
            except Fault as fault:
                update = failing(fault.message, fault.kind, fault.suggestion, whole)
                update["written"] = fault.written
                if fault.kind == "not_found" and capability in _GONE_ON:
                    # "Then Night Reader": the same, for one that is there.
                    update["previous"] = {"capability": capability, "fields": {}}
            except SignalboxError as error:
                update = failing(error.user_message, error.error_type, error.suggestion, whole)
            return await _completed(update, capability, whole, calls)

        return run

    return made


async def _read_into(state: dict[str, Any], capability: str, calls: Calls) -> Update:
    """Have the request read into `fields` of the state, unless it was decided already; gives what is kept of that."""
    pending = state["pending"] or {}
    if pending.get("decision") in _DECIDED:
        return {}
    fields, calls.server = await read_fields(state, capability)
    state["fields"] = fields
    if capability == "experiment_management" and fields.get("action") != "create":
        calls.said = said_params(fields)
    return {"context_metadata": calls.server.metadata or state["context_metadata"]}


async def _completed(update: Update, capability: str, state: State, calls: Calls) -> Update:
    """The update with what every node tells: its capability, what it called, what was asked for, and of whom."""
    update["detected_capability"] = capability
    update["fields"] = state["fields"]
    # What was shown with a question is not shown again with the answer to the reply.
    update.setdefault("blocks", [])
    update.setdefault("not_covered", [])
    if calls.said or "params" in update:
        update["params"] = {**calls.said, **update.get("params", {})}
    taken_for = state["fields"].get("taken_for")
    if taken_for and not state["pending"] and update["node_status"] != NodeStatus.ERROR:
        name = state["fields"].get("experiment_name")
        meant = f"'{name}' is meant." if update.get("question") else f"Did you mean '{name}'?"
        update["notice"] = f"{state['notice']} There is no experiment '{taken_for}'. {meant}".strip()
    if calls.results:
        update["tool_results"] = json.loads(json.dumps(calls.results, default=str))
        update["source"] = await asyncio.to_thread(_source)
    if calls.raw:
        update["raw_api_responses"] = calls.raw
    return update


def at_once(node: Callable[[State], Awaitable[Update]]) -> Callable[[State], AgentState]:
    """The node as a plain function, for who has no event loop."""

    @wraps(node)
    def run(state: State) -> AgentState:
        async def closing() -> Any:
            try:
                return {**complete(state), **await node(state)}
            finally:
                await close_clients()

        result: AgentState = wait_for(closing())
        return result

    return run


_held: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = WeakKeyDictionary()


async def close_with_loop() -> None:
    """Have connections closed when the running event loop ends: a graph that is invoked plainly has one for each node,
    and nobody who could close them."""
    loop = asyncio.get_running_loop()
    if loop not in _held:
        _held[loop] = _until_the_end()
        await anext(_held[loop])


async def _until_the_end() -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await close_clients()


def _may_ask(asked: Ask, state: State) -> bool:
    """True if a question may be put: not one that was put in the same words and answered in vain too often."""
    before = state["pending"] or {}
    same = all(before.get(key) == asked.pending[key] for key in ("field", "fields"))
    again = same and before.get("message") == asked.question["message"]
    asked.pending["times"] = int(before.get("times") or 0) + 1 if again else 0
    return bool(asked.pending["times"] < _MOST_TIMES)


def _given_up(asked: Ask, state: State) -> Update:
    told = (
        f"I did not understand the answers to: {asked.question['message']} Nothing was done. The question is dropped."
    )
    return {**failing(told, "user_input", "Say the whole request anew.", state), "pending": None}


def _asking(asked: Ask, capability: str, state: State) -> Update:
    question = dict(asked.question)
    blocks = question.pop("blocks")
    pending = {
        "capability": capability,
        "text": (state.get("pending") or {}).get("text") or "",
        "message": question["message"],
        "options": question["options"],
        **asked.pending,
    }
    return {
        "node_status": NodeStatus.INCOMPLETE,
        "needs_clarification": True,
        "clarification_options": question["options"] or None,
        "question": question,
        "bot_response": question["message"],
        "pending": pending,
        "params": said_params(asked.pending["fields"]),
        "pending_confirmations": [str(pending["key"])] if pending.get("key") else [],
        "blocks": blocks,
        "not_covered": list(pending.get("left") or ()),
        **_spoken_of(asked.pending["fields"], state),
    }


def _spoken_of(fields: Mapping[str, Any], state: State) -> Update:
    """The experiment that a question is about: what is said next may mean it, also after a no."""
    own, name = fields.get("experiment_id"), fields.get("experiment_name")
    if not own or not name:
        return {}
    is_shown = any(one["id"] == own for one in state["shown"])
    return {
        "current_experiment_id": own,
        "shown": state["shown"] if is_shown else [{"id": str(own), "name": str(name)}],
    }


def failing(message: str, kind: str, suggestion: str, state: State) -> Update:
    """What the state holds of a failure."""
    # The client has tried again what may be: its tries count, so that nothing is tried four times four times.
    tried = state["max_retries"] if kind in RETRYABLE else state["retry_count"]
    return {
        "retry_count": tried,
        "node_status": NodeStatus.ERROR,
        "needs_clarification": False,
        "last_error": message,
        "error_type": kind,
        "error": {"error_type": kind, "message": message, "suggestion": suggestion},
        "pending": state["pending"],
    }


def _raw_of_before(state: State) -> Update:
    if not state["raw_api_responses"]:
        told = "There is no response of the server to show yet."
        return failing(told, "user_input", "Ask for something first.", state)
    return {
        "node_status": NodeStatus.SUCCESS,
        "needs_clarification": False,
        "detected_capability": state["detected_capability"],
        "bot_response": "The response of the server:",
        "told": state["told"],
    }


def _source() -> dict[str, str] | None:
    try:
        return source_of(current_client())
    except SignalboxError:
        return None
