"""The loop of a capable model: `input_router` asks for the first reply, and the node of its capability goes on with it.

What the router leaves for the node is `loop` in the state: what was `asked`, the model's `replies`, and `outcome` where
the model has answered without a call. `turns` are the questions and answers of this run, which the conversation of the
thread does not have yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from signalbox.agents.experiments.change_tools import NO_CHANGE
from signalbox.agents.experiments.clarification import unclear
from signalbox.agents.experiments.loop_tools import CAPABILITY_OF, CLARIFY, UNSUPPORTED, loop_tools
from signalbox.agents.experiments.prompts import LOOP
from signalbox.agents.experiments.reader import begin_loop
from signalbox.agents.experiments.state import NodeStatus
from signalbox.maps.context import current_run
from signalbox.models import load_chat_model
from signalbox.settings import person_zone
from signalbox.toolbox.loop import Limits, LoopContext, LoopNodes, LoopState, build_loop, run_loop
from signalbox.toolbox.loop_calls import list_calls
from signalbox.toolbox.loop_prompt import Asked, said_texts
from signalbox.toolbox.verify import Sources, split_sentences

__all__ = ["first_reply", "go_on"]

_NAME = "experiments"
_LIMITS = Limits(seconds=300.0)
"""A test with many made-up users takes its time."""
_NOTHING = "Nothing was changed."
Update = dict[str, Any]


async def first_reply(state: Mapping[str, Any], data: str | None = None) -> Update:
    """What the router makes of the model's first reply: the capability of the tool that it calls, a question to the
    person, what it declines, or its answer. `data` is shown instead of what the server has."""
    turns = _turns(state)
    begun = await begin_loop(state, turns, data)
    nodes, context, replies, found = _nodes(), _context(), list[Any](), dict[str, Any]()
    while not list_calls(replies) and "outcome" not in found:
        given: Any = (await nodes.model({**begun, "replies": replies}, context)).update
        replies, found = [*replies, *given.get("replies", ())], given
    outcome = found.get("outcome")
    if outcome is not None and outcome["error"]:
        return {**_failed(outcome["error"]), "detected_capability": None}
    left = {"asked": begun["asked"], "replies": replies, "turns": turns, "outcome": outcome}
    calls = list_calls(replies)
    update: Update = {
        "routing_confidence": 1.0,
        "wants_raw": False,
        "params": {},
        "node_status": NodeStatus.SUCCESS,
        "loop": left,
    }
    named = [CAPABILITY_OF[one["name"]] for one in calls if one["name"] in CAPABILITY_OF]
    for only, tool in (("clarification_needed", CLARIFY), ("unsupported", UNSUPPORTED)):
        if named and set(named) == {only}:
            args = next(one["args"] for one in calls if one["name"] == tool.name)
            told = _asks(args["question"], args, begun["asked"]) if tool is CLARIFY else {"params": args}
            return {**update, "detected_capability": only, **told}
    done = [one for one in named if one not in ("clarification_needed", "unsupported")]
    # Who answers without a call speaks of what was shown: the experiments, or what the turn before was about.
    before = str((state["previous"] or {}).get("capability") or "list_experiments")
    return {**update, "detected_capability": done[0] if done else before}


async def go_on(state: Mapping[str, Any], capability: str) -> Update:
    """What becomes of the state when the loop has ended. A change waits inside it for the person's yes."""
    left = state["loop"]
    outcome = left["outcome"]
    if outcome is None:
        begun = LoopState(asked=left["asked"], replies=left["replies"], results={}, shown={})
        outcome = await run_loop(_loop(), begun, _context())
    results = [one for one in outcome["results"] if not one.get("same_as")]
    good = [one for one in results if one["ok"]]
    failed = [one["error"] for one in results if one.get("error")]
    told = str(outcome["answer"])
    for one in results:
        # What a model is told of a no is not what the person is told.
        told = told.replace(str(one["text"]), _NOTHING) if one.get("is_declined") else told
    update = _kept(good, capability) | {
        "tool_results": [call for one in results for call in _calls(one)],
        "raw_api_responses": [raw for one in good for raw in _data(one).get("raw", ())],
        "blocks": outcome["blocks"],
        "source": outcome["source"],
        "not_covered": outcome["not_covered"],
        "written": next((_data(one)["written"] for one in results if "written" in _data(one)), None),
        "bot_response": told,
        "told": told[:300],
    }
    if outcome["question"]:
        # The answer is the question, with what was changed before it.
        asks = _asks(told, outcome["question"], left["asked"], results)
        return {**update, **asks, "node_status": NodeStatus.INCOMPLETE}
    if outcome["error"] and not told:
        return {**update, **_failed(outcome["error"])}
    if outcome["error"]:
        fault = f"Then the model failed: {outcome['error']['message']} {outcome['error']['suggestion']}".strip()
        return {**update, "bot_response": f"{told}\n\n{fault}", "model_error": outcome["error"]}
    is_answered = good or any(one.get("is_declined") for one in results)
    if failed and not is_answered and failed[-1]["error_type"] != NO_CHANGE:
        return {**update, **_failed(failed[-1], said=told)}
    return update


@cache
def _nodes() -> LoopNodes:
    return LoopNodes(loop_tools(), LOOP, limits=_LIMITS)


@cache
def _loop() -> Any:
    return build_loop(loop_tools(), LOOP, limits=_LIMITS)


def _context() -> LoopContext:
    run = current_run.get()
    model = (run.model if run is not None else None) or load_chat_model()
    # The room's examples are plans, in other terms than those of the tools.
    model = model.model_copy(update={"taught": ()}) if getattr(model, "taught", ()) else model
    return LoopContext(model, streams=run is not None and run.streams)


def _turns(state: Mapping[str, Any]) -> list[dict[str, str]]:
    """The conversation of the whole thread, with what was asked and answered in this run."""
    if state["loop"] is not None:
        last = state["conversation_history"][-1]
        return [*state["loop"]["turns"], {"said": last["user"], "agent": _NAME, "answer": last["bot"]}]
    run = current_run.get()
    if run is not None and run.conversation:
        return [dict(turn) for turn in run.conversation]
    history = state["conversation_history"]
    return [{"said": turn.get("user", ""), "agent": _NAME, "answer": turn.get("bot", "")} for turn in history]


def _asks(said: str, args: Mapping[str, Any], asked: Asked, results: Sequence[Mapping[str, Any]] = ()) -> Update:
    """What the state holds of a question to the person, without sentences that name what is nowhere. A figure may be a
    proposal."""
    texts = {one["number"]: str(one["text"]) for one in results if one["name"] != CLARIFY.name}
    sources = Sources(texts, said_texts(asked), vocabulary=LOOP, zone=person_zone())
    kept = [one for one in split_sentences(said) if not any(map(_is_name, sources.check(one).unsupported))]
    message = "".join(kept).strip() or unclear()["message"]
    options = list(args.get("options") or ())
    question = {"kind": "clarify", "message": message, "options": options, "schema": {"type": "string"}}
    return {
        "question": question,
        "bot_response": message,
        "needs_clarification": True,
        "clarification_options": options or None,
    }


def _is_name(claim: str) -> bool:
    return any(letter.isalpha() for letter in claim)


def _failed(error: Mapping[str, str], said: str = "") -> Update:
    """An error, with what the model says to it."""
    suggestion = f"{error['suggestion']} {said}".strip()
    return {
        "node_status": NodeStatus.ERROR,
        "routing_confidence": None,
        "last_error": error["message"],
        "error_type": error["error_type"],
        "error": {**error, "suggestion": suggestion},
    }


def _data(result: Mapping[str, Any]) -> Mapping[str, Any]:
    return result["data"] if isinstance(result.get("data"), dict) else {}


def _kept(good: Sequence[Mapping[str, Any]], capability: str) -> Update:
    """What the state keeps of what was done, the later before the earlier."""
    kept: Update = {}
    for one in good:
        kept |= _data(one).get("state", {})
    return {key: value for key, value in kept.items() if key != "is_empty"} | {
        "previous": {"capability": capability, "fields": {}}
    }


def _calls(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls behind a result as the contract tells of them."""
    if made := _data(result).get("calls"):
        return list(made)
    error = result.get("error") or {}
    told = {"tool": result["name"], "args": result["args"], "success": bool(result["ok"]), "data": None}
    return [{**told, "error": error.get("message"), "error_type": error.get("error_type"), "endpoint": ""}]
