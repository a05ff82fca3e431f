"""The loop of a capable model at the front door: the other agents are its tools.

One call marked as the answer hands the request over, so that it costs one question to the model. Every other call is a
part: a run of that agent inside this one, whose result the model sees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph.graph import END
from langgraph.types import Send

from signalbox.agents.frontdoor.plan import known_agents
from signalbox.agents.frontdoor.prompts import CALL
from signalbox.agents.frontdoor.state import OWN, FrontDoorState, Route
from signalbox.agents.frontdoor.tools import agent_tools
from signalbox.contract import Agent
from signalbox.errors import ToolFailedError
from signalbox.maps.context import Part, run_context
from signalbox.settings import person_zone
from signalbox.toolbox import Result
from signalbox.toolbox.loop import Limits, LoopContext, LoopNodes, LoopState
from signalbox.toolbox.loop_calls import list_calls
from signalbox.toolbox.loop_prompt import said_texts
from signalbox.toolbox.person import use_results
from signalbox.toolbox.verify import Sources, split_sentences

__all__ = ["call_agent", "continue_loop", "read_first_reply"]

_LIMITS = Limits(rounds=6, calls=8, seconds=600)
"""An agent's own loop may take two minutes."""
_LONGEST_REQUEST = 10_000
_CITED = re.compile(r"\[E\d+(?:,\s*E\d+)*\]")
_KEPT = ("asked", "replies", "results", "shown")


async def continue_loop(
    begun: LoopState, state: FrontDoorState, model: Any
) -> tuple[Route | None, dict[str, Any], Any]:
    """One pass of the loop that begins so: the way that the first reply chooses, or None; what changes in the state;
    and where the loop goes next."""
    run = run_context()
    is_first = not state.get("replies")
    if not is_first:
        begun = {**begun, **{name: state[name] for name in _KEPT if name in state}}  # type: ignore[literal-required,typeddict-item]
    command = await _nodes().model(begun, LoopContext(model, streams=run.streams))
    update: dict[str, Any] = dict(command.update or {})
    if is_first:
        route, chosen = _first_way(begun, update)
        if route is not None:
            return route, chosen, None
        update["asked"] = begun["asked"]
    outcome = update.get("outcome")
    if outcome and outcome["error"] and not outcome["results"]:
        return None, {"error": outcome["error"]}, END
    return None, update, _with_words(command.goto, begun)


def _with_words(goto: Any, begun: LoopState) -> Any:
    """Where the loop goes; its calls know what the person said, and whether the model had seen results."""
    if isinstance(goto, str):
        return goto
    known = {"said": begun["asked"]["said"], "has_seen": bool(begun["results"])}
    return [Send(one.node, {**one.arg, **known}) for one in goto]


async def read_first_reply(begun: LoopState, model: Any) -> tuple[Route | None, dict[str, Any]]:
    """The way that the model's first reply chooses, or None, and the state with it; no agent is called."""
    command = await _nodes().model(begun, LoopContext(model))
    update: dict[str, Any] = dict(command.update or {})
    route, chosen = _first_way(begun, update)
    return (route, chosen) if route is not None else (None, update)


async def call_agent(state: Any) -> Any:
    """One call of the loop: an agent is asked, in a run of its own inside this one."""
    run, parts = run_context(), list[Part]()

    async def ask(agent: Agent, args: dict[str, Any]) -> Result:
        if run.call_agent is None:
            raise ToolFailedError("No agent can be called here.")
        said, label = state["said"], f"E{state['number']}"
        with use_results(state["has_seen"]):
            parts.append(await run.call_agent(agent.name, _written(args) or said, said, label))
        answer = parts[0].answer
        if answer.status == "error":
            raise ToolFailedError(answer.answer)
        # Evidence that the agent cites is its own; here it is this call.
        text = _CITED.sub(f"[{label}]", answer.answer)
        return Result(
            text, blocks=answer.blocks, source=answer.source, not_covered=answer.not_covered,
            is_empty=not text.strip(),
        )  # fmt: skip

    update = await _nodes(ask).call(state, LoopContext(None))
    if not parts:
        return update
    # A call in which an agent changed something is a change: whatever the model says, it is told.
    told = {"part": parts[0].answer.as_dict(), **({"kind": "own"} if parts[0].has_changed else {})}
    results = {own: {**one, **told} for own, one in update["results"].items()}
    memory = {str(one.answer.agent): one.memory for one in parts if one.memory is not None}
    return {"results": results, "parts": memory}


async def _uncalled(agent: Agent, args: dict[str, Any]) -> Result:
    raise ToolFailedError("No agent is called here.")


def _nodes(ask: Any = _uncalled) -> LoopNodes:
    return LoopNodes(agent_tools(ask), CALL, limits=_LIMITS, nodes=("route_request", "call_agent"))


def _first_way(begun: LoopState, update: Mapping[str, Any]) -> tuple[Route | None, dict[str, Any]]:
    """The way of a first reply that is one call: to an agent whose answer is the answer, or one of the front door's
    own; else None."""
    calls = list_calls(update.get("replies") or ())
    if len(calls) != 1 or "outcome" in update:
        return None, {}
    name, args = calls[0]["name"], calls[0]["args"]
    route = Route(to=name, confidence=1.0)
    if name in OWN:
        question = _question(args, begun) if name == "clarify" else ""
        return route, {"question": question} if question else {}
    if calls[0]["is_marked"] and name in {agent.name for agent in known_agents()}:
        written = _written(args)
        return route, {"request": written} if written else {}
    return None, {}


def _written(args: Mapping[str, Any]) -> str:
    """What the model wrote for an agent; empty where it is asked what the person said."""
    written = args.get("request")
    return written if isinstance(written, str) and 0 < len(written.strip()) <= _LONGEST_REQUEST else ""


def _question(args: Mapping[str, Any], begun: LoopState) -> str:
    """The model's question to the person, unless it claims what nobody said."""
    asked = str(args.get("question") or "").strip()
    sources = Sources({}, said_texts(begun["asked"]), vocabulary=CALL, zone=person_zone())
    return "" if any(sources.check(one).unsupported for one in split_sentences(asked)) else asked
