"""`planner`: the contract's Input Validator & Planner. It says which devices are meant, what for, in which steps.

This file reads the request. Nothing behind it sees its text again, but the prompts of a capable model.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.types import interrupt

from signalbox.agents.oncall import offline
from signalbox.agents.oncall.focus import MOST_SEARCHED, SEARCHED, focus_of, steps_for
from signalbox.agents.oncall.follow_up import find_far_ends
from signalbox.agents.oncall.inventory import Device, read_devices
from signalbox.agents.oncall.inventory_excerpt import inventory_excerpt
from signalbox.agents.oncall.named_devices import chosen_among, chosen_devices, speaks_of_roles
from signalbox.agents.oncall.objectives import objective_of
from signalbox.agents.oncall.plan import Question, Reading, Request, plan_schema, reading_of
from signalbox.agents.oncall.plans import Plan, load_plans, unserved_steps
from signalbox.agents.oncall.prompts import plan_prompt, read_prompt
from signalbox.agents.oncall.roles import with_roles
from signalbox.agents.oncall.state import GraphState
from signalbox.agents.oncall.tools import call_plain, current_session, device_tools, source_of
from signalbox.errors import MissingInputError, SignalboxError, UnsupportedError
from signalbox.maps.context import current_run
from signalbox.models import fills_plans
from signalbox.settings import get_settings
from signalbox.toolbox.loop import start_loop
from signalbox.toolbox.loop_prompt import prompt
from signalbox.toolbox.sessions import Session

__all__ = ["lent_model", "make_plan", "planner"]

_log = logging.getLogger("signalbox.agents.oncall")
_MOST_QUESTIONS = 5
_INTERFACES = "check_interface_status"
_DOES = "It checks BGP, IS-IS, interfaces, MPLS, VPNs, routes, logs and the health of devices, and reviews their roles"


async def planner(state: GraphState) -> dict[str, Any]:
    """The plan of a run. What cannot be planned comes back as `error`; what has to be asked pauses the run."""
    try:
        return await make_plan(state)
    except SignalboxError as error:
        _log.info("No plan: %s", error.user_message)
        asked = dict(getattr(error, "asked", {}))
        summary = [f"{error.user_message} {error.suggestion}".strip()]
        return {
            "error": error.as_dict() | ({"goes_on": True} if asked else {}),
            "stop_reason": "error",
            "objective_achieved_assessment": True,
            "summary": summary,
            # The next turn goes on from the devices of a refused one, or from what was asked of one that there is not.
            "asked": {**(state.get("previous") or {}), **asked} if asked else None,
        }


async def make_plan(state: Mapping[str, Any], model: BaseChatModel | None = None) -> dict[str, Any]:
    """What the planner writes. A reply that chooses none of what a question offers is a request of its own.

    Raises UnsupportedError for a request to change something, NotFoundError for a device that there is not.
    """
    plans, session = load_plans(), current_session()
    reader = _Reader(plans, model or lent_model(), session)
    text, before, decided = str(state["user_query"]), state.get("previous") or {}, Request((), ())
    for _ in range(_MOST_QUESTIONS):
        read = await reader.read(text, before, decided)
        if isinstance(read, Request):
            return await _planned(text, read, plans, session)
        reply = _reply_text(_ask(read))
        if chosen := _choice(reply, read, plans, reader.inventory):
            decided = Request(chosen.devices or decided.devices, chosen.intents or decided.intents)
        else:
            intent = next(iter(decided.intents or read.intents), before.get("intent"))
            devices = decided.devices or read.devices or before.get("devices") or ()
            before = {"query": text, "answer": read.message, "devices": list(devices), "intent": intent}
            text, decided = reply, Request((), ())
    raise MissingInputError("The request is still not clear.", suggestion="Name the devices and the check.")


async def _planned(text: str, read: Request, plans: Mapping[str, Plan], session: Session) -> dict[str, Any]:
    chosen, devices, focus = [plans[one] for one in read.intents], list(read.devices), dict(read.focus)
    steps = steps_for(chosen, focus)
    missing = unserved_steps(steps, await device_tools(session))
    objective = "; ".join(objective_of(one.intent, one.description, devices, focus) for one in chosen)
    if read.is_guess:
        objective += ", since it was not clear what is to be checked"
    return {
        "user_query": text,
        "device_name": ", ".join(devices),
        "devices": devices,
        "intent": read.intents[0],
        "intents": list(read.intents),
        "objective": objective,
        "focus": focus,
        "facts": list(read.facts),
        "checks": list(read.checks),
        "not_looked_up": list(read.not_looked_up),
        "as_before": list(read.as_before),
        "inventory": {device.name: device.about for device in read.inventory},
        "working_plan_steps": steps,
        "unserved_steps": [f"Step {place + 1}: {step}" for place, step in missing.items()],
        "execution_results": [],
        "max_retries": get_settings().oncall_max_retries,
        "current_retries": 0,
        "retry": {},
        "not_covered": list(read.not_covered),
        "source": source_of(),
        "asked": {
            "query": text,
            "answer": f"{objective}.",
            "devices": devices,
            "intent": read.intents[0],
            "intents": list(read.intents),
            "focus": focus,
            "facts": list(read.facts),
        },
    }


class _Reader:
    """Reads requests with one model; the same words are read once."""

    def __init__(self, plans: Mapping[str, Plan], model: BaseChatModel, session: Session) -> None:
        self._plans, self._model, self._session = plans, model, session
        self._told = {intent: plan.description for intent, plan in plans.items()}
        self._readings: dict[str, Reading] = {}
        self.inventory: list[Device] = []

    async def read(self, text: str, before: Mapping[str, Any], decided: Request) -> Request | Question:
        """The request in the terms of the inventory and the plans, or what has to be asked first."""
        copies_words = fills_plans(self._model)
        text = offline.spelt_out(text) if copies_words else text
        if text not in self._readings:
            asked = self._words if copies_words else self._names
            self._readings[text] = await asked(text, before)
        reading = self._readings[text]
        if copies_words:
            await self._know(offline.speaks_of_roles(text))
            if before and offline.names_other_end(text, self.inventory):
                before = {**before, "far": await find_far_ends(self._session, before, self.inventory)}
            return offline.read(text, reading, before, self._plans, self.inventory, decided)
        await self._know(speaks_of_roles(reading.devices))
        return self._by_name(reading, before, decided)

    async def _know(self, needs_roles: bool) -> None:
        if not self.inventory:
            self.inventory = await _inventory(self._session)
        if needs_roles:
            self.inventory = await with_roles(self._session, self.inventory)

    async def _words(self, text: str, before: Mapping[str, Any]) -> Reading:
        """The request as a model reads it that copies words."""
        messages: list[BaseMessage] = [SystemMessage(read_prompt())]
        if before.get("query"):
            messages += [HumanMessage(str(before["query"])), AIMessage(str(before.get("answer", "")))]
        model = self._model.with_structured_output(plan_schema(self._told))
        reading = reading_of(dict(await model.ainvoke([*messages, HumanMessage(text)])))
        if reading.action != "check":
            with suppress(SignalboxError):
                await self._know(needs_roles=False)
        named = offline.devices_named(text, self.inventory)
        about = offline.of_refused(reading, named, self.inventory)
        _refuse(offline.action_of(text, reading, before, self.inventory), about)
        return reading

    async def _names(self, text: str, before: Mapping[str, Any]) -> Reading:
        """The request as a model reads it that is shown the inventory and the conversation, and gives names."""
        await self._know(needs_roles=False)
        run = current_run.get()
        conversation = run.conversation if run is not None else ()
        if not conversation and before.get("query"):
            turn = {"said": str(before["query"]), "agent": "oncall", "answer": str(before.get("answer", ""))}
            conversation = (turn,)
        shown = await inventory_excerpt({one.name: one.about for one in self.inventory}, text, conversation)
        asked = start_loop(text, conversation, records=shown)["asked"]
        model = self._model.with_structured_output(plan_schema(self._told, is_capable=True))
        reading = reading_of(dict(await model.ainvoke(prompt(SystemMessage(plan_prompt()), asked, [], {}))))
        named = [one.name for one in self.inventory if one.name in reading.devices]
        _refuse(reading.action, offline.of_refused(reading, named, self.inventory))
        return reading

    def _by_name(self, reading: Reading, before: Mapping[str, Any], decided: Request) -> Request | Question:
        """The request of a model that gives names. What is asked beside the plan is answered in the loop."""
        names = tuple(device.name for device in self.inventory)
        intents = decided.intents or self._intents(reading, before)
        found = list(decided.devices) or chosen_among(reading, self.inventory)
        if isinstance(found, Question):
            return replace(found, intents=intents)
        devices = found or [name for name in before.get("devices") or () if name in names]
        if not devices and reading.vrf and len(names) <= MOST_SEARCHED:
            return Request(names, intents, {**focus_of(reading, names, names), "which": SEARCHED}, (), self.inventory)
        if not devices:
            return Question("Which device is meant?", names, intents=intents)
        return Request(tuple(devices), intents, focus_of(reading, devices, names), (), self.inventory)

    def _intents(self, reading: Reading, before: Mapping[str, Any]) -> tuple[str, ...]:
        said = [one for one in (reading.intent, *reading.also) if one in self._plans]
        earlier = str(before.get("intent") or "")
        return tuple(dict.fromkeys(said)) or (earlier if earlier in self._plans else offline.BROADEST,)


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


class _ChangeRefusedError(UnsupportedError):
    """A request for a change, and what it was about."""

    asked: Mapping[str, Any] = {}


def _refuse(action: str, about: Mapping[str, Any]) -> None:
    if action == "change":
        state = objective_of(_INTERFACES, "", about.get("devices") or ("pe1",), about.get("focus") or {})
        error = _ChangeRefusedError(
            "That would change something on a device, and the on-call agent only reads.",
            suggestion=f"Ask for the state instead, such as: {state[:1].lower()}{state[1:]}.",
        )
        error.asked = about
        raise error
    if action == "other":
        raise UnsupportedError("That is no check of network devices.", suggestion=f"{_DOES}.")


def _ask(question: Question) -> Any:
    """The person's answer. Where nobody can be asked, what is lacking is the error."""
    try:
        return interrupt({"kind": "clarify", "message": question.message, "options": list(question.options)})
    except RuntimeError as error:
        options = ", ".join(question.options)
        raise MissingInputError(question.message, suggestion=f"There are: {options}.") from error


def _reply_text(reply: Any) -> str:
    if isinstance(reply, Mapping):
        reply = next((reply[key] for key in ("value", "text", "device", "message") if key in reply), "")
    return ", ".join(map(str, reply)) if isinstance(reply, list | tuple) else str(reply)


def _choice(reply: str, question: Question, plans: Mapping[str, Plan], inventory: Iterable[Device]) -> Request | None:
    """What a reply chooses of what was offered; None if it is a request of its own."""
    said = reply.strip().strip(".!").casefold()
    for intent, plan in plans.items():
        if plan.description in question.options and said in (intent, plan.description.casefold()):
            return Request((), (intent,))
    offered = [device.name for device in inventory if device.name in question.options]
    names = chosen_devices(reply, offered, list(inventory)) if offered else []
    return Request(tuple(names), ()) if names else None
