"""What the model is asked for: one plan, in a schema made of the plans there are; and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signalbox.agents.oncall.inventory import Device

__all__ = ["ACTIONS", "Question", "Reading", "Request", "plan_schema", "reading_of"]

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
    as_number: str = ""
    minutes: float = 0
    """For logs: how far back."""
    also: tuple[str, ...] = ()
    """Further checks that the request asks for, by intent."""
    not_covered: tuple[str, ...] = ()
    confidence: float = 1.0
    """How sure the model is of action and intent."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request in the terms of the inventory and the plans: which devices, which checks, about which one thing."""

    devices: tuple[str, ...]
    intents: tuple[str, ...]
    focus: Mapping[str, str] = field(default_factory=dict)
    not_covered: tuple[str, ...] = ()
    inventory: Sequence[Device] = ()
    is_guess: bool = False
    """Whether the check was chosen because none was understood."""
    facts: tuple[str, ...] = ()
    """The facts that are asked for, by their ids in `fields.py`."""
    not_looked_up: tuple[str, ...] = ()
    """What was asked for and no tool reads, in words."""
    checks: tuple[str, ...] = ()
    """The checks that are asked for beside facts."""
    as_before: tuple[str, ...] = ()
    """What was taken over from the turn before, in words."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person has to say before anything can be done; `devices` and `intents` are known already."""

    message: str
    options: tuple[str, ...]
    devices: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()


def plan_schema(intents: Mapping[str, str], *, is_capable: bool = False) -> dict[str, Any]:
    """The schema of a plan, for the plans there are with what each is for. A capable model fills in more; for one that
    copies words, `offline` finds it."""
    text = {"type": "string"}
    more = {
        "also": {
            "type": "array",
            "description": "Further checks that the request asks for.",
            "items": {"type": "string", "enum": [*intents]},
        },
        "as_number": {**text, "description": "The AS number that the neighbour is said to be in."},
        "minutes": {"type": "number", "description": "For logs: how many minutes back they are asked for."},
    }
    return {
        "title": "OncallPlan",
        "description": "What is asked about the devices of a network.",
        "type": "object",
        "minProperties": 1,
        "properties": {
            "action": _options("Whether devices are read, altered, or neither.", ACTIONS),
            "intent": _options("What is to be checked.", intents),
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
            **(more if is_capable else {}),
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


def reading_of(given: Mapping[str, Any]) -> Reading:
    """The values that a model filled in."""
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
        as_number=_word(str(given.get("as_number") or "")),
        minutes=given.get("minutes") or 0,
        not_covered=_words(given.get("not_covered")),
        confidence=given.get("confidence", 1.0),
    )


def _words(given: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(word for one in given or () if (word := _word(one)))


def _word(given: str | None) -> str:
    return (given or "").strip()[:200]
