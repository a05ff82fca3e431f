"""What the model is asked for: one plan, in a schema made of the plans there are; and the plan as it was read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.inventory_excerpt import inventory_excerpt
from signalbox.agents.oncall.prompts import plan_prompt, read_prompt
from signalbox.maps.context import Conversation
from signalbox.toolbox.loop import start_loop
from signalbox.toolbox.loop_prompt import prompt

__all__ = ["ACTIONS", "Reading", "plan_schema", "read_request", "read_request_by_name"]

ACTIONS = {
    "check": "look, show, verify, troubleshoot or review; nothing is altered",
    "change": "alter a device: shut, enable, configure, clear, reset, reload, restart, upgrade, delete, fix",
    "other": "no check of network devices: a graph over time, a task, an experiment, small talk",
}


# What joins a name to the one before is no part of it: and/or pe2.
_JOINED = re.compile(r"^(?:[/&+,;\s]|(?:and|or)\b)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """A request as the model read it: words, not yet devices."""

    action: str = "check"
    intent: str = ""
    devices: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    interface: str = ""
    vrf: str = ""
    neighbor: str = ""
    prefix: str = ""
    also: tuple[str, ...] = ()
    """Further checks that the request asks for, by intent."""
    not_covered: tuple[str, ...] = ()
    confidence: float = 1.0
    """How sure the model is of action and intent."""
    said: frozenset[str] = field(default_factory=frozenset)
    """The fields that the request gave."""


def plan_schema(intents: Mapping[str, str], *, lists_checks: bool = False) -> dict[str, Any]:
    """The schema of a plan, for the plans there are with what each is for. A capable model also lists further checks;
    for one that fills plans, `offline` finds them."""
    text = {"type": "string"}
    several = {
        "type": "array",
        "description": "Further checks that the request asks for.",
        "items": {"enum": [*intents]},
    }
    return {
        "title": "OncallPlan",
        "description": "What is asked about the devices of a network.",
        "type": "object",
        "minProperties": 1,
        "properties": {
            "action": _options("Whether devices are read, altered, or neither.", ACTIONS),
            "intent": _options("What is to be checked.", intents),
            **({"also": several} if lists_checks else {}),
            "devices": {
                "type": "array",
                "description": "The words that name the devices: names, a range, a pattern, a role, all of them.",
                "items": text,
            },
            "left_out": {
                "type": "array",
                "description": "The devices that are not meant: after except, but not, apart from, skip.",
                "items": text,
            },
            "interface": {**text, "description": "The one port or interface that is meant, such as Gi0/0/0/1."},
            "vrf": {**text, "description": "The name of the VRF, VPN or customer that is meant."},
            "neighbor": {**text, "description": "The one neighbour or peer that is meant, by address or name."},
            "prefix": {**text, "description": "The address or prefix whose route is meant, such as 192.0.2.0/24."},
            "not_covered": {
                "type": "array",
                "description": "Parts of the request that the fields above leave out.",
                "items": text,
            },
            "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure the plan is."},
        },
    }


def _options(about: str, told: Mapping[str, str]) -> dict[str, Any]:
    return {"type": "string", "description": about, "enum": list(told), "enumDescriptions": dict(told)}


async def read_request(
    request: str, intents: Mapping[str, str], model: BaseChatModel, before: tuple[str, str] | None = None
) -> Reading:
    """The request as the model reads it; `before` is the request of the turn before and what was answered.

    Raises what the model raises.
    """
    messages: list[BaseMessage] = [SystemMessage(read_prompt())]
    if before is not None:
        messages += [HumanMessage(before[0]), AIMessage(before[1])]
    given: Any = await model.with_structured_output(plan_schema(intents)).ainvoke([*messages, HumanMessage(request)])
    return _reading(given)


async def read_request_by_name(
    request: str,
    intents: Mapping[str, str],
    model: BaseChatModel,
    inventory: Sequence[Device],
    conversation: Conversation,
) -> Reading:
    """The request as a model reads it that is shown the inventory and the conversation of the thread.

    Raises what the model raises.
    """
    shown = await inventory_excerpt({one.name: one.about for one in inventory}, request, conversation)
    asked = start_loop(request, conversation, records=shown)["asked"]
    messages = prompt(SystemMessage(plan_prompt()), asked, [], {})
    given: Any = await model.with_structured_output(plan_schema(intents, lists_checks=True)).ainvoke(messages)
    return _reading(given)


def _reading(given: Mapping[str, Any]) -> Reading:
    return Reading(
        action=given.get("action", "check"),
        intent=given.get("intent", ""),
        devices=tuple(name for one in _words(given.get("devices")) if (name := _JOINED.sub("", one))),
        left_out=_words(given.get("left_out")),
        interface=_word(given.get("interface")),
        vrf=_word(given.get("vrf")),
        neighbor=_word(given.get("neighbor")),
        prefix=_word(given.get("prefix")),
        also=_words(given.get("also")),
        not_covered=_words(given.get("not_covered")),
        confidence=given.get("confidence", 1.0),
        said=frozenset(name for name, value in given.items() if value),
    )


def _words(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(word for one in given or () if (word := _word(one)))


def _word(given: str | None) -> str:
    return (given or "").strip()[:200]
