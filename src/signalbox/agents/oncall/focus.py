"""The one thing that a request is about: an interface, a VRF, a neighbour, a route, a stretch of the log."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from ipaddress import ip_network

from signalbox.agents.oncall.inventory import key
from signalbox.agents.oncall.plan import Reading
from signalbox.agents.oncall.plans import Plan

__all__ = ["MOST_SEARCHED", "SEARCHED", "focus_of", "steps_for"]

SEARCHED = "where it is"
"""What `which` says where nobody named a device: those that have what is asked about are meant."""

MOST_SEARCHED = 50
"""In a network of more devices, the person has to say on which of them a VRF is meant."""

_BEHIND = re.compile(r"\s+(?:on|at|of|from|in|to)\s+")
_MINUTES_OF_A_DAY = 1440


def focus_of(reading: Reading, devices: Collection[str], inventory: Collection[str]) -> dict[str, str]:
    """What the reading names, by `interface`, `vrf`, `neighbor`, `as_number`, `prefix` and `minutes`.

    A port has a figure, and neither it nor a VRF is a device; a neighbour may be one, but not one that is checked.
    """
    named = {key(name): name for name in inventory}
    said = {name: _BEHIND.split(getattr(reading, name), maxsplit=1)[0] for name in ("interface", "vrf", "neighbor")}
    kept = {name: value for name, value in said.items() if value and "[" not in value}
    if not re.search(r"\d", kept.get("interface", "0")) or key(kept.get("interface", "")) in named:
        kept.pop("interface", None)
    if key(kept.get("vrf", "")) in named:
        kept.pop("vrf")
    if named.get(key(kept.get("neighbor", ""))) in devices:
        kept.pop("neighbor", None)
    if (as_number := re.search(r"\d{1,10}", reading.as_number)) is not None:
        kept["as_number"] = as_number[0]
    prefix, is_route = _prefix(reading.prefix), "check_routes" in (reading.intent, *reading.also)
    if is_route and not prefix and (prefix := _prefix(kept.get("neighbor", ""))):
        kept.pop("neighbor")
    if prefix:
        kept["prefix" if is_route or "neighbor" in kept else "neighbor"] = prefix
    if reading.minutes > 0:
        kept["minutes"] = str(int(reading.minutes))
    return kept


def _prefix(told: str) -> str:
    """An address or a prefix, as routers write it; empty for anything else."""
    if re.fullmatch(r"(?:the\s+)?default(?:\s+(?:route|gateway))?", told, re.IGNORECASE):
        return "0.0.0.0/0"
    try:
        found = ip_network(told.strip(), strict=False)
    except ValueError:
        return ""
    return str(found) if "/" in told else str(found.network_address)


def steps_for(plans: Iterable[Plan], focus: Mapping[str, str]) -> list[str]:
    """The steps of the plans, each once, with what the request is about filled in."""
    vrf = f" in VRF {focus['vrf']}" if focus.get("vrf") else ""
    minutes = int(focus.get("minutes") or _MINUTES_OF_A_DAY)
    filled = {
        "{prefix}": (f"the route to {focus['prefix']}" if focus.get("prefix") else "every route in use") + vrf,
        "{minutes}": "the last 24 hours" if minutes == _MINUTES_OF_A_DAY else f"the last {minutes} minutes",
    }
    return list(dict.fromkeys(_filled(step, filled) for plan in plans for step in plan.steps))


def _filled(step: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        step = step.replace(name, value)
    return step
