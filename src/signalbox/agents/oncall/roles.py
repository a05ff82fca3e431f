"""The role of a device by what it runs, for an inventory that does not say it. Names tell nothing about roles."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.oncall.inventory import ROLES, UNREAD, Device, role_of
from signalbox.agents.oncall.tools import DEVICE, place_to_read, read_device
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings
from signalbox.toolbox import current_ledger
from signalbox.toolbox.sessions import Session

__all__ = ["DeviceRole", "read_roles", "role_in_profile", "with_roles"]

PROFILE = "get_device_profile_api"
_KEPT_SECONDS = 3600.0
_FAILED = "what it runs could not be read"
_RUNS = {
    "is_route_reflector": "has BGP route-reflector clients",
    "has_vpn_ipv4_unicast_bgp": "runs BGP in a VRF",
    "is_bgp_l3vpn_enabled": "runs BGP for L3VPN",
    "is_bgp_enabled": "runs BGP",
    "is_mpls_enabled": "runs MPLS",
    "is_isis_enabled": "runs IS-IS",
}
_known: WeakKeyDictionary[Session, dict[tuple[str, str], tuple[float, DeviceRole]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class DeviceRole:
    """A role (PE, P, RR or CE; empty where nothing decides it), and what says so or why it is not known."""

    role: str
    evidence: str


async def with_roles(session: Session, devices: Sequence[Device]) -> list[Device]:
    """The devices, those without a role with the one that they show by what they run.

    What a device runs is read where the inventory says no role, and kept for an hour. A device that does nothing that
    decides its role stays without one, and so does one that cannot be read: its state says so.
    """
    found = await read_roles(session, [one for one in devices if not one.role])
    return [_with(one, found[one.name]) if one.name in found else one for one in devices]


def _with(device: Device, found: DeviceRole) -> Device:
    return replace(device, role=found.role, state=UNREAD if found.evidence.startswith(_FAILED) else device.state)


async def read_roles(session: Session, devices: Sequence[Device]) -> dict[str, DeviceRole]:
    """The role of each device by what it runs, and the evidence. Raises ToolServerError where there are no tools."""
    if not devices:
        return {}
    if all(one.name != PROFILE for one in await session.tools()):
        return {one.name: DeviceRole("", f"the tools have no {PROFILE}") for one in devices}
    known = _known.setdefault(session, {})
    oldest = monotonic() - _KEPT_SECONDS
    places = place_to_read()

    async def one_role(device: Device) -> DeviceRole:
        kept = known.get((device.name, device.ip_address))
        if kept is not None and kept[0] > oldest:
            return kept[1]
        async with places:
            try:
                found = role_in_profile(await _profile(session, device.name))
            except SignalboxError as error:
                return DeviceRole("", f"{_FAILED}: {error.user_message}")
        known[device.name, device.ip_address] = (monotonic(), found)
        return found

    found = await asyncio.gather(*map(one_role, devices))
    return {device.name: role for device, role in zip(devices, found, strict=True)}


async def _profile(session: Session, device: str) -> Mapping[str, Any]:
    args = {DEVICE: device}
    with current_ledger().call(PROFILE, args) as entry:
        given = await read_device(session, PROFILE, args, get_settings().oncall_deadline)
        entry.returned(str(given.get("status", "success")), given)
        return given


def role_in_profile(answer: Mapping[str, Any]) -> DeviceRole:
    """The role in what `get_device_profile_api` gave, gNMIBuddy's or Signalbox's own. A profile of which a part could
    not be read decides nothing."""
    data = answer.get("data")
    profile = data.get("profile", data) if isinstance(data, Mapping) else {}
    if answer.get("status") == "partial_success":
        return DeviceRole("", "what it runs could be read only in part")
    runs = [text for name, text in _RUNS.items() if profile.get(name)]
    if "runs BGP for L3VPN" in runs and "runs BGP" in runs:
        runs.remove("runs BGP")
    evidence = ", ".join(runs) or "runs neither MPLS, IS-IS nor BGP"
    told = str(profile.get("role") or "")
    return DeviceRole(told if told in ROLES else role_of(told), evidence if profile else "its profile is empty")
