"""Arguments that a model gave for a tool, in the words that tools take: names as the step or the device has them.

What cannot be one is left out: the tool then reads all of them, which is more and never something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from signalbox.agents.oncall.facts import Record

__all__ = ["ground_arguments", "match_interface"]

_MOST_WORDS = 4


def ground_arguments(args: Mapping[str, Any], said: str, facts: Mapping[str, Sequence[Record]]) -> dict[str, Any]:
    """The arguments of a call, for a step and its objective in the words of `said`."""
    given = {str(name): value for name, value in args.items() if value not in (None, "", [])}
    for name, ground in _GROUNDS.items():
        if name in given:
            given[name] = ground(
                str(given[name]) if not isinstance(given[name], list) else " ".join(map(str, given[name])), said, facts
            )
    return {name: value for name, value in given.items() if value is not None}


def _protocol(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> str | None:
    """The protocols that were given; both where the step speaks of both."""
    known = _protocols(told)
    return ",".join(dict.fromkeys([*known, *(_protocols(said) if known else ())])) or None


def _protocols(text: str) -> list[str]:
    return re.findall(r"bgp|isis", text.casefold().replace("-", ""))


def _interface(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> str | None:
    if not re.search(r"\d", told):
        return None
    return match_interface(told, [str(one.get("name")) for one in facts.get("interface", ())]) or told


def _vrf(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> str | None:
    """A VRF that the device has, or that stands after the word in the step or the objective."""
    known = {str(one.get("name")).casefold(): str(one.get("name")) for one in facts.get("vrf", ())}
    if told.casefold() in known:
        return known[told.casefold()]
    return told if re.search(rf"\b(?:vrf|vpn)\s+['\"]?{re.escape(told)}(?!\w)", said, re.IGNORECASE) else None


def _prefix(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> str | None:
    try:
        return str(ip_network(told, strict=False)) if "/" in told else str(ip_network(told).network_address)
    except ValueError:
        return None


def _keywords(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> str | None:
    return told if len(told.split()) <= _MOST_WORDS else None


def _minutes(told: str, said: str, facts: Mapping[str, Sequence[Record]]) -> int | None:
    """A stretch of time in minutes: 90, 24 hours."""
    found = re.match(r"(\d{1,6})\s*([a-z]*)", told.strip().casefold())
    size = {"h": 60, "d": 1440}.get(found[2][:1], 1) if found else 0
    return int(found[1]) * size if found else None


_GROUNDS: Mapping[str, Callable[[str, str, Mapping[str, Sequence[Record]]], str | int | None]] = {
    "protocol": _protocol,
    "interface": _interface,
    "vrf_name": _vrf,
    "prefix": _prefix,
    "keywords": _keywords,
    "minutes": _minutes,
}


def match_interface(said: str, names: Sequence[str]) -> str | None:
    """The interface that was meant: Gi0/0/0/1 is GigabitEthernet0/0/0/1. None where none or several fit."""
    letters, figures = _split(said)
    exact = [name for name in names if _split(name) == (letters, figures)]
    begins = [
        name for name in names if _split(name)[1] == figures and (not letters or _split(name)[0].startswith(letters))
    ]
    if not begins and letters:
        begins = [name for name in names if _split(name)[1] == figures and _abbreviates(letters, _split(name)[0])]
    found = exact or begins
    return found[0] if len(found) == 1 else None


def _split(name: str) -> tuple[str, tuple[str, ...]]:
    plain = re.sub(r"^(?:interface|port|link)\s+", "", name.strip().casefold())
    first = re.search(r"\d", plain)
    place = first.start() if first else len(plain)
    return re.sub(r"[^a-z]", "", plain[:place]), tuple(re.findall(r"\d+|[a-z]+", plain[place:]))


def _abbreviates(short: str, name: str) -> bool:
    """Whether the letters of a short name stand in the long one in their order, beginning with the same: be, hu, te."""
    rest = iter(name)
    return bool(short) and name[:1] == short[:1] and all(letter in rest for letter in short)
