"""The nodes that choose the way: read the request, ask where it is not sure, and hand it over.

A model that fills plans chooses one way by a schema. Any other works in the loop, with the agents as its tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.graph import END
from langgraph.types import Command, interrupt

from signalbox.agents.frontdoor.agent_calls import continue_loop, read_first_reply
from signalbox.agents.frontdoor.answers import tell_unconnected, what_can_be_asked, what_is_not_connected
from signalbox.agents.frontdoor.offline.courtesy import is_courtesy
from signalbox.agents.frontdoor.plan import known_agents, offered_agents, route_schema
from signalbox.agents.frontdoor.prompts import ROUTE
from signalbox.agents.frontdoor.state import OWN, FrontDoorState, Route
from signalbox.contract import Agent, Presented
from signalbox.errors import SignalboxError
from signalbox.language.names import nearest
from signalbox.language.today import today_line
from signalbox.maps.context import current_run, run_context
from signalbox.models import fills_plans, load_chat_model
from signalbox.toolbox.loop import start_loop
from signalbox.toolbox.loop_calls import list_calls

__all__ = ["ask_which", "dry_run", "first_route", "hand_over", "read_route", "route_request"]

SURE = 0.7
"""How sure a route must be for the request to go there unasked."""
_LONGEST_SHOWN = 400
_MOST_QUESTIONS = 3
Way = Literal[
    "ask_which", "hand_over", "tell_help", "return_courtesy", "decline", "tell_unconnected", "call_agent",
    "route_request",
]  # fmt: skip


async def route_request(state: FrontDoorState) -> Command[Way]:
    """Read which agent the request is for. With a model that fills plans, a follow-up stays with the agent of the
    thread; a capable one may call several agents, and comes back here with their results."""
    update: dict[str, Any] = {}
    goto: Any = END
    try:
        model = _model()
        if fills_plans(model):
            if is_courtesy(state["user_query"], state.get("before")):
                return Command(goto="return_courtesy", update={"route": Route(to="help", confidence=1.0)})
            route: Route | None = await read_route(state["user_query"], state.get("before"), model)
        else:
            begun = start_loop(state["user_query"], run_context().conversation)
            route, update, goto = await continue_loop(begun, state, model)
    except SignalboxError as error:
        return Command(update={"error": error.as_dict()})
    if route is None:
        return Command(goto=goto, update=update)
    return Command(goto=_way(route), update={**update, **_decided(route)})


def _model() -> Any:
    run = current_run.get()
    return (run.model if run else None) or load_chat_model()


async def ask_which(state: FrontDoorState) -> Command[Way]:
    """Ask the person which agent is meant, with what each is for, or what a capable model wants to know. An answer in
    other words is read with the request."""
    agents = offered_agents()
    listed = (what_can_be_asked(agents), what_is_not_connected())
    answer = interrupt({
        "kind": "clarify",
        "message": state.get("question") or "\n\n".join(("What is this about?", *filter(None, listed))),
        "options": [] if state.get("question") else [agent.name for agent in agents],
    })  # fmt: skip
    found = nearest(str(answer), [agent.name for agent in known_agents()])
    if found and len(str(answer).split()) == 1 and not state.get("question"):
        route = Route(to=found[0], confidence=1.0)
        return Command(goto=_way(route), update=_decided(route))
    said = f"{state['user_query']} {answer}"
    try:
        model = _model()
        if not fills_plans(model):
            return _ask_again(state, said)
        route = await read_route(said, None, model)
    except SignalboxError as error:
        return Command(update={"error": error.as_dict()})
    if _way(route) == "ask_which" and found:
        route = Route(to=found[0], confidence=SURE)
    if _way(route) == "ask_which":
        route = Route(to="unsupported", confidence=route["confidence"])
        return Command(goto="decline", update={"route": route})
    return Command(goto=_way(route), update={**_decided(route), "user_query": said})


def _ask_again(state: FrontDoorState, said: str) -> Command[Way]:
    """Back to the capable model, with what the person has added; not for ever."""
    many = state.get("asked_back", 0) + 1
    if many >= _MOST_QUESTIONS:
        return Command(goto="decline", update={"route": Route(to="unsupported", confidence=1.0)})
    return Command(goto="route_request", update={"user_query": said, "asked_back": many, "question": ""})


def hand_over(state: FrontDoorState) -> dict[str, Any]:
    """Nothing is left to do here: whoever runs this map sends the request on."""
    return {}


async def read_route(request: str, before: Mapping[str, Any] | None, model: BaseChatModel | None) -> Route:
    """The way of a request, as a model that fills plans reads it.

    In a thread, what goes on with it or is not surely about something else stays with its agent. Raises LLMAPIError and
    BudgetError.
    """
    chosen = model or load_chat_model()
    read = await _read(request, before, chosen)
    if before and not read.get("follows_on"):
        # What was said before would only draw the small model there.
        read = await _read(request, None, chosen)
    route = _grounded(read)
    held = str((before or {}).get("agent") or "")
    leaves = route["to"] != "clarify" and route["confidence"] >= SURE
    stays = read.get("follows_on") or (not leaves and held in _names(offered_agents()))
    if stays and held in _names(known_agents()):
        return Route(to=held, confidence=max(route["confidence"], SURE))
    return route


async def _read(request: str, before: Mapping[str, Any] | None, model: BaseChatModel) -> Mapping[str, Any]:
    read: Any = await model.with_structured_output(route_schema(before)).ainvoke(_messages(request, before))
    return dict(read)


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None) -> Presented:
    """Where the request would go."""
    chosen = model or load_chat_model()
    if fills_plans(chosen) and is_courtesy(state["user_query"], state.get("before")):
        return Presented("no agent is asked", state={**state, "route": Route(to="help", confidence=1.0)})
    route, found = await first_route(state["user_query"], state.get("before"), chosen)
    if route is None:
        called = [call["name"] for call in list_calls(found.get("replies") or ())]
        error = (found.get("outcome") or {}).get("error")
        asked = f"It would ask: {', '.join(called)}." if called else "no agent is asked"
        return Presented(asked, state={**state, **({"error": error} if error else {})})
    decided: Any = {**state, **found, **_decided(route)}
    if _way(route) == "tell_unconnected":
        return Presented("", state={**decided, **tell_unconnected(decided)})
    told = {"tell_help": "help", "decline": "nothing here does that", "ask_which": "it would ask which agent is meant"}
    return Presented(told.get(_way(route), f"It is for {route['to']}."), state=decided)


async def first_route(
    request: str, before: Mapping[str, Any] | None, model: BaseChatModel | None
) -> tuple[Route | None, dict[str, Any]]:
    """The way of a request, or None where a capable model calls several agents or answers itself; and the state with
    it. No agent is asked. Raises as `read_route`."""
    chosen = model or load_chat_model()
    if fills_plans(chosen):
        return await read_route(request, before, chosen), {}
    return await read_first_reply(start_loop(request, [before] if before else []), chosen)


def _messages(request: str, before: Mapping[str, Any] | None) -> list[BaseMessage]:
    earlier: list[BaseMessage] = []
    if before:
        earlier = [HumanMessage(str(before["said"])), AIMessage(str(before["answer"])[:_LONGEST_SHOWN])]
    return [SystemMessage(f"{ROUTE}\n\n{today_line()}"), *earlier, HumanMessage(request)]


def _grounded(read: Mapping[str, Any]) -> Route:
    """What was read, if there is such a way; one that is not known is as good as none."""
    to = str(read.get("to") or "clarify")
    known = _names(known_agents()) | set(OWN)
    confidence = read.get("confidence")
    sure = min(1.0, max(0.0, float(confidence))) if isinstance(confidence, int | float) else 1.0
    return Route(to=to, confidence=sure) if to in known else Route(to="clarify", confidence=0.0)


def _way(route: Route) -> Way:
    if route["confidence"] < SURE or route["to"] == "clarify":
        return "ask_which"
    ways: dict[str, Way] = {"help": "tell_help", "unsupported": "decline"}
    sent = route["to"] in _names(offered_agents())
    return ways.get(route["to"], "hand_over" if sent else "tell_unconnected")


def _decided(route: Route) -> dict[str, Any]:
    """What the state says of a route: a request for an agent that is not connected goes to nobody."""
    if _way(route) != "tell_unconnected":
        return {"route": route}
    return {"route": Route(to="unsupported", confidence=route["confidence"]), "unconnected": route["to"]}


def _names(agents: Sequence[Agent]) -> set[str]:
    return {agent.name for agent in agents}
