"""`planner`: the contract's Input Validator & Planner. It says which devices are meant, what for, in which steps."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.types import interrupt

from signalbox.agents.oncall.grounding import Question, devices_meant, devices_of_reply
from signalbox.agents.oncall.inventory import Device, read_devices
from signalbox.agents.oncall.mentions import find_mentions
from signalbox.agents.oncall.objectives import objective_of
from signalbox.agents.oncall.plan import Reading, read_request
from signalbox.agents.oncall.plans import Plan, load_plans, unserved_steps
from signalbox.agents.oncall.state import GraphState
from signalbox.agents.oncall.tools import call_plain, current_session, device_tools, source_of
from signalbox.errors import MissingInputError, SignalboxError, UnsupportedError
from signalbox.maps.context import current_run
from signalbox.settings import get_settings

__all__ = ["Planned", "lent_model", "make_plan", "planner"]

_log = logging.getLogger("signalbox.agents.oncall")
_DOES = "It checks BGP, interfaces, MPLS, VPNs and the health of devices, and reviews them in their role"


async def planner(state: GraphState) -> dict[str, Any]:
    """The plan of a run. What cannot be planned comes back as `error`; what has to be asked pauses the run."""
    try:
        return await make_plan(state)
    except SignalboxError as error:
        _log.info("No plan: %s", error.user_message)
        return {"error": error.as_dict(), "stop_reason": "error", "objective_achieved_assessment": True}


Planned = dict[str, Any]


async def make_plan(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Planned:
    """What the planner writes.

    Raises UnsupportedError for a request to change something, NotFoundError for a device that there is not.
    """
    plans = load_plans()
    before = state.get("previous") or {}
    turn = (str(before.get("query", "")), str(before.get("answer", ""))) if before.get("query") else None
    told = {intent: plan.description for intent, plan in plans.items()}
    reading = await read_request(state["user_query"], told, model or lent_model(), turn)
    _refuse(reading)
    session = current_session()
    inventory = read_devices(await call_plain(session, "get_devices"))
    if not inventory:
        raise MissingInputError("The inventory has no device.", suggestion="Set NETWORK_INVENTORY to one that has.")
    devices, unread = _devices(state["user_query"], reading, inventory, before)
    plan = plans[_intent(reading, before, plans)]
    focus = _focus(reading, before, inventory, devices)
    missing = unserved_steps(plan.steps, await device_tools(session))
    objective = objective_of(plan.intent, plan.description, devices, focus)
    return {
        "device_name": ", ".join(devices),
        "devices": devices,
        "intent": plan.intent,
        "objective": objective,
        "focus": focus,
        "working_plan_steps": list(plan.steps),
        "unserved_steps": [f"Step {place + 1}: {text}" for place, text in missing.items()],
        "execution_results": [],
        "max_retries": get_settings().oncall_max_retries,
        "current_retries": 0,
        "retry": {},
        "not_covered": [
            word
            for word in dict.fromkeys((*unread, *reading.not_covered))
            if _is_left(word, state["user_query"], inventory, focus)
        ],
        "source": source_of(),
        "asked": {
            "query": state["user_query"],
            "answer": f"{objective}.",
            "devices": devices,
            "intent": plan.intent,
            "focus": focus,
        },
    }


def lent_model() -> BaseChatModel:
    """The model of the run, else the one of the settings, taught by the examples of this room."""
    run = current_run.get()
    if run is not None and run.model is not None:
        lent: BaseChatModel = run.model
        return lent
    from pathlib import Path

    from signalbox.models import load_chat_model

    return load_chat_model(None, examples=Path(__file__).with_name("examples.jsonl"))


def _refuse(reading: Reading) -> None:
    if reading.action == "change":
        raise UnsupportedError(
            "That would change something on a device, and the on-call agent only reads.",
            suggestion="Ask for the state instead, such as: check the interfaces of pe1.",
        )
    if reading.action == "other":
        raise UnsupportedError("That is no check of network devices.", suggestion=f"{_DOES}.")


def _devices(
    text: str, reading: Reading, inventory: list[Device], before: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """The devices that are meant; those of the turn before where none is said; else the person is asked."""
    known = {device.name for device in inventory}
    earlier = [name for name in before.get("devices") or () if name in known]
    found = devices_meant(text, reading, inventory, earlier)
    if isinstance(found, Question):
        return _asked(found, inventory), []
    devices, unread = found
    if devices:
        return devices, unread
    if earlier:
        return earlier, unread
    return _asked(Question("Which device is meant?", tuple(device.name for device in inventory)), inventory), unread


def _asked(question: Question, inventory: list[Device]) -> list[str]:
    reply = _ask(question.message, question.options)
    return devices_of_reply(_reply_text(reply), inventory, question.options)


def _ask(message: str, options: Iterable[str]) -> Any:
    """The person's answer. Where nobody can be asked, what is lacking is the error."""
    try:
        return interrupt({"kind": "clarify", "message": message, "options": list(options)})
    except RuntimeError as error:
        raise MissingInputError(message, suggestion=f"There are: {', '.join(options)}.") from error


def _reply_text(reply: Any) -> str:
    if isinstance(reply, Mapping):
        reply = next((reply[key] for key in ("value", "text", "device", "message") if key in reply), "")
    return ", ".join(map(str, reply)) if isinstance(reply, list | tuple) else str(reply)


def _intent(reading: Reading, before: Mapping[str, Any], plans: Mapping[str, Plan]) -> str:
    """What is to be checked: as it was said, as in the turn before, or asked for."""
    if reading.intent:
        return reading.intent
    if before.get("intent") in plans:
        return str(before["intent"])
    for name, words in (
        ("vrf", "troubleshoot_vpn_vrf"),
        ("interface", "check_interface_status"),
        ("neighbor", "check_bgp_neighbors"),
    ):
        if getattr(reading, name) and words in plans:
            return words
    options = {plan.description: intent for intent, plan in plans.items()}
    reply = _reply_text(_ask("What is to be checked?", options))
    chosen = options.get(reply.strip(), reply.strip())
    if chosen not in plans:
        raise MissingInputError(f"'{reply}' is no check that there is.", suggestion=f"There are: {', '.join(plans)}.")
    return chosen


def _focus(reading: Reading, before: Mapping[str, Any], inventory: list[Device], devices: list[str]) -> dict[str, str]:
    """The interface, VRF or neighbour that the request names; in a follow-up without an intent that of before."""
    said = {name: _alone(getattr(reading, name)) for name in ("interface", "vrf", "neighbor")}
    said = {name: value for name, value in said.items() if name == "neighbor" or "[" not in value}
    kept = {name: value for name, value in said.items() if value and _may_be(name, value, inventory, devices)}
    if kept or reading.intent or not before:
        return kept
    return {str(name): str(value) for name, value in (before.get("focus") or {}).items()}


def _alone(value: str) -> str:
    """A name without the place that stands behind it: CUST-B on pe1 is CUST-B."""
    return re.split(r"\s+(?:on|at|of|from|in|to)\s+", value.strip(), maxsplit=1)[0]


def _may_be(name: str, value: str, inventory: list[Device], devices: list[str]) -> bool:
    """A port has a figure, and neither it nor a VRF is a device; a neighbour may be one, but not the one checked."""
    named = {device for one in find_mentions(value, inventory) for device in one.names}
    if name == "neighbor":
        return not named or not named <= set(devices)
    return not named and (name == "vrf" or bool(re.search(r"\d", value)))


def _is_left(word: str, text: str, inventory: list[Device], focus: Mapping[str, str]) -> bool:
    """Whether a word stands neither in what names devices nor in what else is meant."""
    covered = [text[one.start : one.end] for one in find_mentions(text, inventory)] + list(focus.values())
    return not any(word.casefold() in one.casefold() for one in covered)
