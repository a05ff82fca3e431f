"""What every node of a capability shares: its calls of tools, how it asks the person, and how a failure is put."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.clients import close_clients, current_client, source_of
from signalbox.agents.experiments.errors import RETRYABLE
from signalbox.agents.experiments.outcome import ToolResult
from signalbox.agents.experiments.state import AgentState, NodeStatus, complete
from signalbox.contract.agent import wait_for
from signalbox.errors import SignalboxError

__all__ = ["Ask", "Calls", "Fault", "at_once", "capability_node", "close_with_loop"]

_LARGEST_RAW = 60_000
_MOST_TIMES = 2
_GONE_ON = ("experiment_details", "testing", "user_simulation")
State = Mapping[str, Any]
Update = dict[str, Any]


class Fault(Exception):
    """A request that comes to nothing, or to less than was asked: what to tell the person, the kind of the error, and
    what a write that stopped midway has stored."""

    def __init__(self, message: str, kind: str, suggestion: str = "", written: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message, self.kind, self.suggestion, self.written = message, kind, suggestion, written


class Ask(Exception):
    """A request that cannot go on without the person.

    `pending` is what is known so far; `field` is what the answer is for, `confirm` where it is a yes or a no. `choices`
    gives the value that each option stands for, where that is not its text.
    """

    def __init__(
        self,
        message: str,
        field: str,
        fields: Mapping[str, Any],
        options: Sequence[str] = (),
        choices: Mapping[str, str] | None = None,
        blocks: Sequence[dict[str, Any]] = (),
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.question: dict[str, Any] = {
            "kind": "confirm" if field == "confirm" else "clarify",
            "message": message,
            "options": list(options),
            "schema": {"type": "string"},
            "blocks": list(blocks),
        }
        self.pending = {"field": field, "fields": dict(fields), "choices": dict(choices or {}), **more}


class Calls:
    """The calls of one node: what each gave is kept for the state, and in `said` the parameters of the request."""

    def __init__(self) -> None:
        self.said: dict[str, Any] = {}
        self.results: list[dict[str, Any]] = []
        self.raw: list[dict[str, Any]] = []

    async def __call__(self, tool: Callable[..., Awaitable[ToolResult]], **args: Any) -> Any:
        """The data that a tool gives. Raises Fault where it fails, with what the tool says."""
        result = await tool(**args)
        name = str(getattr(tool, "__name__", "tool"))
        told = {key: value for key, value in args.items() if not callable(value)}
        self.results.append({"tool": name, "args": told, **{k: v for k, v in result.items() if k != "raw_response"}})
        if result["raw_response"] is not None:
            self.raw.append({"endpoint": result["endpoint"], "response": _bounded(result["raw_response"])})
        if not result["success"]:
            hint = result["data"] if isinstance(result["data"], Mapping) else {}
            raise Fault(
                str(result["error"]),
                str(result["error_type"]),
                str(hint.get("suggestion") or ""),
                hint.get("written"),
            )
        return result["data"]

    async def look(self, tool: Callable[..., Awaitable[ToolResult]], **args: Any) -> Any:
        """As a call, but not what was asked for: its result is not kept. Raises Fault."""
        kept, raw = list(self.results), list(self.raw)
        try:
            return await self(tool, **args)
        finally:
            self.results, self.raw = kept, raw


def capability_node(
    capability: str,
) -> Callable[[Callable[[dict[str, Any], Calls], Awaitable[Update]]], Callable[[State], Awaitable[Update]]]:
    """Make a node of a function over the complete state and its calls; it gives what changes in the state."""

    def made(function: Callable[[dict[str, Any], Calls], Awaitable[Update]]) -> Callable[[State], Awaitable[Update]]:
        @wraps(function)
        async def run(state: State) -> Update:
            whole, calls = complete(state), Calls()
            await close_with_loop()
            try:
                if whole["wants_raw"] and whole["params"].get("of_before"):
                    return _raw_of_before(whole)
                update = await (function(whole, calls) if whole["loop"] is None else _in_loop(whole, capability))
                update = {"node_status": NodeStatus.SUCCESS, "needs_clarification": False, "pending": None, **update}
            except Ask as asked:
                update = _asking(asked, capability, whole) if _may_ask(asked, whole) else _given_up(asked, whole)
                if update.get("question"):
                    update["source"] = update["question"]["source"] = await asyncio.to_thread(_source)
            except Fault as fault:
                update = _failing(fault.message, fault.kind, fault.suggestion, whole)
                update["written"] = fault.written
                if fault.kind == "not_found" and capability in _GONE_ON:
                    # "Then Night Reader": the same, for one that is there.
                    update["previous"] = {"capability": capability, "fields": {}}
            except SignalboxError as error:
                update = _failing(error.user_message, error.error_type, error.suggestion, whole)
            update["detected_capability"] = capability
            # What was shown with a question is not shown again with the answer to the reply.
            update.setdefault("blocks", [])
            update.setdefault("not_covered", [])
            if calls.said or "params" in update:
                update["params"] = {**calls.said, **update.get("params", {})}
            if calls.results:
                update["tool_results"] = [_plain(one) for one in calls.results]
                update["source"] = await asyncio.to_thread(_source)
            if calls.raw:
                update["raw_api_responses"] = calls.raw
            return update

        return run

    return made


async def _in_loop(state: Mapping[str, Any], capability: str) -> Update:
    # Imported here: the tools of the loop tell of what they did as the nodes do.
    from signalbox.agents.experiments.experiment_loop import go_on

    return await go_on(state, capability)


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


def _may_ask(asked: Ask, state: Mapping[str, Any]) -> bool:
    """Whether a question may be put: not one that was put in the same words and answered in vain too often."""
    before = state["pending"] or {}
    same = all(before.get(key) == asked.pending[key] for key in ("field", "fields"))
    again = same and before.get("message") == asked.question["message"]
    asked.pending["times"] = int(before.get("times") or 0) + 1 if again else 0
    return bool(asked.pending["times"] < _MOST_TIMES)


def _given_up(asked: Ask, state: Mapping[str, Any]) -> Update:
    told = (
        f"I did not understand the answers to: {asked.question['message']} Nothing was done. The question is dropped."
    )
    return {**_failing(told, "user_input", "Say the whole request anew.", state), "pending": None}


def _asking(asked: Ask, capability: str, state: Mapping[str, Any]) -> Update:
    question = dict(asked.question)
    blocks = question.pop("blocks")
    pending = {
        "capability": capability,
        "text": (state.get("pending") or {}).get("text") or state["user_input"],
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
        "params": said_params(asked.pending["fields"], pending["text"]),
        "pending_confirmations": [str(pending["key"])] if pending.get("key") else [],
        "blocks": blocks,
        "not_covered": list(pending.get("left") or ()),
        **_spoken_of(asked.pending["fields"], state),
    }


def _spoken_of(fields: Mapping[str, Any], state: Mapping[str, Any]) -> Update:
    """The experiment that a question is about: what is said next may mean it, also after a no."""
    own, name = fields.get("experiment_id"), fields.get("experiment_name")
    if not own or not name:
        return {}
    is_shown = any(one["id"] == own for one in state["shown"])
    return {
        "current_experiment_id": own,
        "shown": state["shown"] if is_shown else [{"id": str(own), "name": str(name)}],
    }


def _failing(message: str, kind: str, suggestion: str, state: Mapping[str, Any]) -> Update:
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


def _raw_of_before(state: Mapping[str, Any]) -> Update:
    if not state["raw_api_responses"]:
        return _failing(
            "There is no response of the server to show yet.", "user_input", "Ask for something first.", state
        )
    return {
        "node_status": NodeStatus.SUCCESS,
        "needs_clarification": False,
        "detected_capability": state["detected_capability"],
        "bot_response": "The response of the server:",
        "told": state["told"],
    }


def _bounded(raw: Any) -> Any:
    """A response as plain data; one that is too large to be kept in a state is said to be."""
    told = json.dumps(raw, default=str)
    if len(told) <= _LARGEST_RAW:
        return json.loads(told)
    return {"left_out": f"The response has {len(told):,} characters.", "start": told[:1000]}


def _plain(result: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(dict(result), default=str))
    return found


def _source() -> dict[str, str] | None:
    try:
        return source_of(current_client())
    except SignalboxError:
        return None
