"""What the next turn of a thread is told of this one: what was asked, what was seen, and what is at the other ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.subjects import find_subject, focus_on

__all__ = ["remembered"]

_MOST = 200


def remembered(
    asked: Mapping[str, Any], facts: Mapping[str, Mapping[str, Sequence[Record]]], known: Sequence[str]
) -> dict[str, Any]:
    """What was asked, with the VRFs that were seen and the far ends of what it was about; `known` are all devices."""
    vrfs = dict.fromkeys(str(one.get("name")) for told in facts.values() for one in told.get("vrf", ()))
    far = [
        one
        for device, told in facts.items()
        for one in _far_ends(device, told, asked.get("focus") or {}, asked.get("intents") or ())
        if len(facts) == 1 and one["device"] in known
    ]
    return {**asked, "seen": {"vrf": [*vrfs][:_MOST]}, "far": far[:_MOST]}


def _far_ends(
    device: str, told: Mapping[str, Sequence[Record]], focus: Mapping[str, str], intents: Sequence[str]
) -> list[dict[str, Any]]:
    """The devices at the other ends: of the interface or session that was asked about, else of all links."""
    focus = focus_on(device, focus, intents, told)
    if focus.get("neighbor"):
        found = [one for _, one in find_subject("neighbor", focus["neighbor"], told, intents)]
        names = [one.get("peer_name") or one.get("neighbor_name") or focus["neighbor"] for one in found]
        return [{"device": str(name), "focus": {"neighbor": device}} for name in dict.fromkeys(names)]
    named = focus.get("interface", "")
    ports = [one.get("name") for _, one in find_subject("interface", named, told, intents)] if named else []
    keys = ("neighbor", "remote_interface") if told.get("link") else ("neighbor_name", "neighbor_interface")
    records = told.get("link") or told.get("lldp", ())
    links = [(one.get("local_interface"), *(one.get(key) for key in keys)) for one in records]
    return [
        {"device": str(device), "focus": {"interface": str(far)} if named else {}, "port": str(port)}
        for port, device, far in links
        if not named or port in ports
    ]
