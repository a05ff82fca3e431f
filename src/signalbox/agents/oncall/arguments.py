"""Arguments that a model gave for a tool, in the words that tools take: names as the device has them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.facts import Record

__all__ = ["ground_arguments", "match_interface"]


def ground_arguments(tool: str, args: Mapping[str, Any], facts: Mapping[str, Sequence[Record]]) -> dict[str, Any]:
    """The arguments without what is empty; a protocol in its plain letters, an interface by its full name."""
    given = {str(name): value for name, value in args.items() if value not in (None, "", [])}
    if isinstance(given.get("protocol"), str):
        known = re.findall(r"bgp|isis", re.sub(r"[^a-z,]", "", given["protocol"].casefold()))
        if known:
            given["protocol"] = ",".join(dict.fromkeys(known))
        else:
            given.pop("protocol")
    if isinstance(given.get("interface"), str):
        names = [str(one.get("name")) for one in facts.get("interface", ())]
        given["interface"] = match_interface(given["interface"], names) or given["interface"]
    if isinstance(given.get("keywords"), list):
        given["keywords"] = " ".join(map(str, given["keywords"]))
    return given


def match_interface(said: str, names: Sequence[str]) -> str | None:
    """The interface that was meant: Gi0/0/0/1 and "gig 0/0/0/1" are GigabitEthernet0/0/0/1. None where none or several fit."""
    letters, figures = _split(said)
    exact = [name for name in names if _split(name) == (letters, figures)]
    begins = [name for name in names if _split(name)[1] == figures and (not letters or _split(name)[0].startswith(letters))]
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
