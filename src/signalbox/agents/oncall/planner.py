"""`planner`: the contract's Input Validator & Planner. It says which devices are meant, what for, in which steps."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.types import interrupt

from signalbox.agents.oncall.beside import is_elsewhere, past_times, topics_beside, wishes_for_more
from signalbox.agents.oncall.checks import load_checks
from signalbox.agents.oncall.grounding import Question, devices_meant, devices_of_reply, named_devices, same_as_before
from signalbox.agents.oncall.inventory import Device, read_devices
from signalbox.agents.oncall.mentions import find_mentions
from signalbox.agents.oncall.objectives import objective_of
from signalbox.agents.oncall.plan import Reading, read_request, read_request_by_name
from signalbox.agents.oncall.plans import Plan, load_plans, unserved_steps
from signalbox.agents.oncall.state import GraphState
from signalbox.agents.oncall.tools import call_plain, current_session, device_tools, source_of
from signalbox.errors import MissingInputError, SignalboxError, UnsupportedError
from signalbox.maps.context import current_run
from signalbox.models import fills_plans
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import Session

__all__ = ["Planned", "lent_model", "make_plan", "planner"]

_log = logging.getLogger("signalbox.agents.oncall")
_SURE = 0.9
_BROADEST = "general_device_health_check"
_INTENTS = {
    "vrf": "troubleshoot_vpn_vrf",
    "interface": "check_interface_status",
    "neighbor": "check_bgp_neighbors",
}
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
    plans, before, chosen = load_plans(), state.get("previous") or {}, model or lent_model()
    session = current_session()
    if fills_plans(chosen):
        read = await _read_words(state["user_query"], before, plans, chosen, session)
    else:
        read = await _read_names(state["user_query"], before, plans, chosen, session)
    plan, devices, focus = read.plan, read.devices, read.focus
    missing = unserved_steps(plan.steps, await device_tools(session))
    objective = objective_of(plan.intent, plan.description, devices, focus)
    return {
        "device_name": ", ".join(devices),
        "devices": devices,
        "intent": plan.intent,
        "objective": objective,
        "focus": focus,
        "inventory": {device.name: device.about for device in read.inventory},
        "working_plan_steps": list(plan.steps),
        "unserved_steps": [f"Step {place + 1}: {text}" for place, text in missing.items()],
        "execution_results": [],
        "max_retries": get_settings().oncall_max_retries,
        "current_retries": 0,
        "retry": {},
        "not_covered": read.not_covered,
        "source": source_of(),
        "asked": {
            "query": state["user_query"],
            "answer": f"{objective}.",
            "devices": devices,
            "intent": plan.intent,
            "focus": focus,
        },
    }


@dataclass(frozen=True, slots=True)
class _Read:
    """A request in the terms of the inventory and the plans."""

    inventory: list[Device]
    devices: list[str]
    plan: Plan
    focus: dict[str, str]
    not_covered: list[str]


async def _read_words(
    text: str, before: Mapping[str, Any], plans: Mapping[str, Plan], model: BaseChatModel, session: Session
) -> _Read:
    """The request as a model reads it that copies words: code finds out which devices they mean."""
    turn = (str(before.get("query", "")), str(before.get("answer", ""))) if before.get("query") else None
    reading = await read_request(text, _told(plans), model, turn)
    _refuse(text, reading)
    inventory = await _inventory(session)
    devices, unread = _devices(text, reading, inventory, before)
    plan = plans[_intent(text, reading, before, plans)]
    focus = _focus(reading, before, inventory, devices)
    left = _left_over(text, (*unread, *reading.not_covered), inventory, devices, focus)
    return _Read(inventory, devices, plan, focus, [*left, *topics_beside(text, plan.told, load_checks().topics)])


async def _read_names(
    text: str, before: Mapping[str, Any], plans: Mapping[str, Plan], model: BaseChatModel, session: Session
) -> _Read:
    """The request as a model reads it that knows the inventory and the conversation, and gives names. What is asked
    beside the plan is answered in the loop."""
    inventory, run = await _inventory(session), current_run.get()
    conversation = run.conversation if run is not None else ()
    if not conversation and before.get("query"):
        conversation = ({"said": str(before["query"]), "agent": "oncall", "answer": str(before.get("answer", ""))},)
    reading = await read_request_by_name(text, _told(plans), model, inventory, conversation)
    _refuse_action(reading)
    found = named_devices(reading, inventory)
    if not found:
        known = {device.name for device in inventory}
        found = [name for name in before.get("devices") or () if name in known] or _which(inventory)
    devices = _asked(found, inventory) if isinstance(found, Question) else found
    read = [reading.intent, str(before.get("intent") or ""), *_intents_of(reading), _BROADEST]
    plan = plans[next(intent for intent in read if intent in plans)]
    return _Read(inventory, devices, plan, _focus(reading, before, inventory, devices), [])


def _told(plans: Mapping[str, Plan]) -> dict[str, str]:
    return {intent: plan.description for intent, plan in plans.items()}


async def _inventory(session: Session) -> list[Device]:
    found = read_devices(await call_plain(session, "get_devices"))
    if not found:
        raise MissingInputError("The inventory has no device.", suggestion="Set NETWORK_INVENTORY to one that has.")
    return found


def lent_model() -> BaseChatModel:
    """The model of the run, else the one of the settings. One that fills plans is taught by the examples of this room;
    they copy words and serve single steps, so that they would mislead any other."""
    from signalbox.models import load_chat_model, open_door

    run = current_run.get()
    if run is not None and run.model is not None:
        model: BaseChatModel = open_door(run.model)
    else:
        model = load_chat_model(None, examples=Path(__file__).with_name("examples.jsonl"))
    if getattr(model, "taught", ()) and not fills_plans(model):
        return model.model_copy(update={"taught": ()})
    return model


def _refuse(text: str, reading: Reading) -> None:
    is_wish = reading.action == "check" and wishes_for_more(text)
    _refuse_action(replace(reading, action="change") if is_wish else reading)


def _refuse_action(reading: Reading) -> None:
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
        same = same_as_before(text, [*unread, *reading.not_covered], earlier, inventory)
        return _asked(same, inventory) if isinstance(same, Question) else same, unread
    return _asked(_which(inventory), inventory), unread


def _which(inventory: list[Device]) -> Question:
    return Question("Which device is meant?", tuple(device.name for device in inventory))


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


def _intent(text: str, reading: Reading, before: Mapping[str, Any], plans: Mapping[str, Plan]) -> str:
    """What is to be checked: as it was said, as in the turn before, or asked for, also where the model is unsure."""
    earlier = str(before.get("intent") or "") if before.get("intent") in plans else ""
    read = reading.intent
    if earlier and read == _BROADEST and not _speaks_of(text, plans[read]):
        read = earlier
    if read and read != earlier:
        if reading.confidence < _SURE or is_elsewhere(text, plans[read].told, load_checks().topics):
            return _asked_intent("What is to be checked? Nothing can be changed.", plans)
        return read
    if earlier:
        return earlier
    meant = next((intent for intent in _intents_of(reading) if intent in plans), "")
    return meant or _asked_intent("What is to be checked?", plans)


def _intents_of(reading: Reading) -> list[str]:
    """What is to be checked, by the thing that a request names."""
    return [intent for name, intent in _INTENTS.items() if getattr(reading, name)]


def _speaks_of(text: str, plan: Plan) -> bool:
    """Whether a text has a word of what a plan is for; without one, a follow-up asks for the same as before."""
    told = set(re.findall(r"[a-z]{3,}", f"{plan.intent.replace('_', ' ')} {plan.description}".casefold()))
    return bool(told & set(re.findall(r"[a-z]{3,}", text.casefold())) - {"device", "check"})


def _asked_intent(message: str, plans: Mapping[str, Plan]) -> str:
    options = {plan.description: intent for intent, plan in plans.items()}
    reply = _reply_text(_ask(message, options))
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


def _left_over(
    text: str, unread: Iterable[str], inventory: list[Device], devices: list[str], focus: Mapping[str, str]
) -> list[str]:
    """What stands neither in the words for devices nor in what else is meant; and a time that is over."""
    past = past_times(text)
    said = [text[one.start : one.end] for one in find_mentions(text, inventory)]
    covered = [*said, *devices, *focus.values(), *past]
    left = [word for word in dict.fromkeys(unread) if not any(word.casefold() in one.casefold() for one in covered)]
    return [*left, *past]
