"""What the next turn of a thread is told of this one: what was asked, what was seen, and what is at the other ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.subjects import find_subject, focus_on
from signalbox.agents.oncall.tools import DEVICE, call_plain, read_device
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import Session

__all__ = ["find_far_ends", "remembered"]

_MOST, _MOST_READ = 200, 50
_ADDRESS = re.compile(r"[\d.]+\.\d+|[\da-f]*:[\da-f:]+", re.IGNORECASE)


def remembered(
    asked: Mapping[str, Any], facts: Mapping[str, Mapping[str, Sequence[Record]]], known: Sequence[str]
) -> dict[str, Any]:
    """What was asked, with the VRFs that were seen and the far ends of what it was about; `known` are all devices."""
    vrfs = dict.fromkeys(str(one.get("name")) for told in facts.values() for one in told.get("vrf", ()))
    far = [
        one
        for device, told in facts.items()
        for one in _far_ends(device, told, asked.get("focus") or {}, asked.get("intents") or ())
        if len(facts) == 1 and (one["device"] in known or _ADDRESS.fullmatch(one["device"]))
    ]
    return {**asked, "seen": {"vrf": [*vrfs][:_MOST]}, "far": far[:_MOST]}


def _far_ends(
    device: str, told: Mapping[str, Sequence[Record]], focus: Mapping[str, str], intents: Sequence[str]
) -> list[dict[str, Any]]:
    """The devices at the other ends: of the interface or session that was asked about, else of all links."""
    focus = focus_on(device, focus, intents, told)
    named, peer = focus.get("interface", ""), focus.get("neighbor")
    sessions = told.get("bgp", ()) if "check_bgp_neighbors" in intents else ()
    if peer:
        sessions = [one for _, one in find_subject("neighbor", peer, told, intents)]
    if "check_logs" in intents and not named:
        kept = {name: value for name, value in focus.items() if name in ("words", "minutes")}
        abouts = {str(one.get("about")) for one in told.get("log", ()) if _fits(one, focus)}
        addresses = [one for one in abouts if _ADDRESS.fullmatch(one)]
        return [{"device": one, "focus": kept} for one in addresses if len(addresses) == 1]
    if sessions:
        ends = [(one, one.get("peer_name") or one.get("neighbor_name") or peer) for one in sessions]
        return [_end(far, {"neighbor": device}, one.get("session_state", "ESTABLISHED")) for one, far in ends if far]
    keys = ("neighbor", "remote_interface") if told.get("link") else ("neighbor_name", "neighbor_interface")
    records = told.get("link") or told.get("lldp", ())
    near, far = keys
    links = [(one, str(one.get("local_interface")), one.get(near), one.get(far)) for one in records]
    port_meant = match_interface(named, [link[1] for link in links]) if named else None
    return [
        {**_end(far, {"interface": str(there)} if named else {}, one.get("state", "UP")), "port": port}
        for one, port, far, there in links
        if not named or port == port_meant
    ]


def _end(device: Any, focus: dict[str, str], state: Any) -> dict[str, Any]:
    is_down = state not in ("UP", "UNKNOWN", "ESTABLISHED", "OPERATIONAL")
    return {"device": str(device), "focus": focus, **({"down": True} if is_down else {})}


def _fits(line: Record, focus: Mapping[str, str]) -> bool:
    """Whether a line of the log was told: it has one of the words, where some were asked for."""
    words = [focus[name].casefold() for name in ("neighbor",) if focus.get(name)]
    words += focus["words"].casefold().split(", ") if focus.get("words") else []
    return not words or any(word in str(line.get("text")).casefold() for word in words)


async def find_far_ends(session: Session, before: Mapping[str, Any], inventory: Sequence[Device]) -> list[Any]:
    """The far ends of the turn before: an address among them as the device that has it, and where none was seen, as of
    a device that could not be read, the devices that are wired to it. None where that cannot be read either."""
    far, devices = list(before.get("far") or ()), list(before.get("devices") or ())
    names = {device.name for device in inventory}
    with suppress(SignalboxError):
        if any(one["device"] not in names for one in far) and devices:
            seconds = get_settings().oncall_deadline
            told = await read_device(session, "get_routing_info", {DEVICE: devices[0]}, seconds)
            peers = ((told.get("data") or {}).get("bgp") or {}).get("neighbors") or ()
            by_address = {one.get("neighbor_address"): one.get("peer_name") for one in peers}
            return [{**one, "device": by_address.get(one["device"]) or one["device"]} for one in far]
        if not far and len(inventory) <= _MOST_READ:
            told = await call_plain(session, "get_network_topology_api")
            links = [(one.get("a"), one.get("b")) for one in (told.get("data") or {}).get("links") or ()]
            ends = {far for a, b in links for near, far in ((a, b), (b, a)) if near in devices and far not in devices}
            return [{"device": one, "focus": {}} for one in sorted(ends & names)]
    return far
