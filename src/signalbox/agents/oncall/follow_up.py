"""What is at the other ends of what a turn was about: read when the next turn of the thread asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.tools import DEVICE, call_plain, read_device
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import Session

__all__ = ["find_far_ends"]

_BGP = "check_bgp_neighbors"
_UP = ("UP", "UNKNOWN", "ESTABLISHED")
_MOST_DEVICES, _MOST_READ = 4, 50


async def find_far_ends(
    session: Session, before: Mapping[str, Any], inventory: Sequence[Device]
) -> list[dict[str, Any]]:
    """The devices at the other ends of the session or interface that the turn before was about, else of all sessions
    or links, each with what it calls that end. Of a device that does not answer, the devices that are wired to it."""
    devices, focus = list(before.get("devices") or ()), before.get("focus") or {}
    is_bgp = bool(focus.get("neighbor")) or _BGP in (before.get("intents") or ())
    if len(devices) <= _MOST_DEVICES:
        with suppress(SignalboxError):
            found = [end for device in devices for end in await _ends_of(session, device, focus, is_bgp=is_bgp)]
            if found:
                return found
    if len(inventory) > _MOST_READ:
        return []
    with suppress(SignalboxError):
        told = (await call_plain(session, "get_network_topology_api")).get("data") or {}
        links = [(one.get("a"), one.get("b")) for one in told.get("links") or ()]
        ends = {far for a, b in links for near, far in ((a, b), (b, a)) if near in devices and far not in devices}
        return [{"device": one.name, "focus": {}} for one in inventory if one.name in ends]
    return []


async def _ends_of(session: Session, device: str, focus: Mapping[str, str], *, is_bgp: bool) -> list[dict[str, Any]]:
    if is_bgp:
        told = await _read(session, "get_routing_info", device)
        neighbors = (told.get("bgp") or {}).get("neighbors") or ()
        return list(_peers(device, str(focus.get("neighbor") or ""), neighbors))
    told = await _read(session, "get_topology_neighbors", device)
    return list(_links(str(focus.get("interface") or ""), told.get("neighbors") or ()))


async def _read(session: Session, tool: str, device: str) -> Mapping[str, Any]:
    told = await read_device(session, tool, {DEVICE: device}, get_settings().oncall_deadline)
    return told.get("data") or {}


def _peers(device: str, wanted: str, neighbors: Iterable[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    for one in neighbors:
        if wanted.casefold() in ("", str(one.get("peer_name")).casefold(), str(one.get("neighbor_address"))):
            yield _end(one.get("peer_name"), {"neighbor": device}, one.get("session_state", "ESTABLISHED"))


def _links(wanted: str, links: Sequence[Mapping[str, Any]]) -> Iterable[dict[str, Any]]:
    named = match_interface(wanted, [str(one.get("local_interface")) for one in links]) if wanted else None
    for one in links:
        port = str(one.get("local_interface"))
        if not wanted or port == named:
            focus = {"interface": str(one.get("remote_interface"))} if wanted else {}
            yield {**_end(one.get("neighbor"), focus, one.get("state", "UP")), "port": port}


def _end(device: Any, focus: dict[str, str], state: Any) -> dict[str, Any]:
    return {"device": str(device), "focus": focus, **({} if state in _UP else {"down": True})}
