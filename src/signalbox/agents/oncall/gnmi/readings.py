"""What each tool reads of one device: which paths, side by side, and what becomes of a part that cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from signalbox.agents.oncall.gnmi.client import GnmiClient
from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.indicators import indicators
from signalbox.agents.oncall.gnmi.inventory import Device
from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.bgp import parse_bgp
from signalbox.agents.oncall.gnmi.parsers.interfaces import parse_interfaces, summarize_interfaces
from signalbox.agents.oncall.gnmi.parsers.isis import parse_isis
from signalbox.agents.oncall.gnmi.parsers.lldp import parse_lldp
from signalbox.agents.oncall.gnmi.parsers.logs import choose_lines, count_unread, parse_lines
from signalbox.agents.oncall.gnmi.parsers.moments import iso
from signalbox.agents.oncall.gnmi.parsers.mpls import parse_ldp, parse_mpls
from signalbox.agents.oncall.gnmi.parsers.routes import choose, parse_routes
from signalbox.agents.oncall.gnmi.parsers.system import parse_alarms, parse_system
from signalbox.agents.oncall.gnmi.parsers.values import parse_values
from signalbox.agents.oncall.gnmi.parsers.vrfs import interface_vrfs, parse_vrfs, summarize_vrfs
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, moment, word
from signalbox.language.names import did_you_mean, nearest
from signalbox.settings import now

__all__ = ["Absent", "Reader", "Reading"]

_INSTANCE = "openconfig-network-instance:network-instances/network-instance[name={}]"
_ALL = _INSTANCE.format("*")
PATHS = {
    "interfaces": "openconfig-interfaces:interfaces",
    "descriptions": "openconfig-interfaces:interfaces/interface[name=*]/state/description",
    "system": "openconfig-system:system",
    "alarms": "openconfig-system:system/alarms",
    "clock": "openconfig-system:system/state",
    "hardware": "openconfig-platform:components/component[name=*]/state",
    "fans": "openconfig-platform:components/component[name=*]/fan",
    "supplies": "openconfig-platform:components/component[name=*]/power-supply",
    "optics": "openconfig-platform:components/component[name=*]/transceiver",
    "lldp": "openconfig-lldp:lldp",
    "bgp": f"{_ALL}/protocols/protocol/bgp",
    "isis": f"{_ALL}/protocols/protocol/isis",
    "mpls": f"{_ALL}/mpls",
    "ldp": f"{_ALL}/mpls/signaling-protocols/ldp",
    "members": f"{_ALL}/interfaces",
    "protocols": f"{_ALL}/protocols/protocol/state",
    "filters": "openconfig-acl:acl",
    "queues": "openconfig-qos:qos/interfaces",
    "bundles": "openconfig-lacp:lacp/interfaces",
    "detection": "openconfig-bfd:bfd/interfaces",
}
_COMMON_MODELS = (
    *"openconfig-interfaces:interfaces openconfig-system:system openconfig-platform:components".split(),
    *(f"{_ALL}/{part}" for part in ("state", "interfaces", "inter-instance-policies", "protocols", "mpls")),
)
_RARE_MODELS = (
    "openconfig-lldp:lldp openconfig-acl:acl openconfig-qos:qos openconfig-lacp:lacp openconfig-bfd:bfd "
    "openconfig-routing-policy:routing-policy openconfig-local-routing:local-routes "
    "openconfig-spanning-tree:stp openconfig-macsec:macsec openconfig-keychain:keychains"
).split()
"""The models that are read as a whole; of the tables of routes there is a tool of their own."""
_PARTS = ("hardware", "fans", "supplies")
_VRF_PARTS = ("state", "interfaces", "inter-instance-policies", "protocols/protocol/bgp", "afts/ipv4-unicast")
_MOST_ROUTES, _MOST_NAMED = 500, 20
_LOG_COMMAND = "show logging"
T = TypeVar("T")


class Absent(Exception):
    """The device does not have this at all; the text names it."""


@dataclass
class Reading:
    """What was read, and which parts could not be."""

    data: dict[str, Any]
    errors: list[dict[str, str]] = field(default_factory=list)


class Reader:
    """Reads devices for the tools, with one client and what was learnt about names."""

    def __init__(self, client: GnmiClient, names: Names) -> None:
        self.client = client
        self.names = names

    async def interfaces(self, device: Device, interface: str | None = None, is_brief: bool = False) -> Reading:
        """The interfaces; in brief, without what other models tell of them."""
        more = () if is_brief else ("filters", "queues", "bundles", "detection", "optics", "hardware")
        want = ("interfaces", "members", *more)
        found, errors = await self._parts(device, need="interfaces", want=want, mute=more)
        listed = self._learnt(device, found)
        if interface is not None:
            wanted = interface.strip().casefold()
            chosen = [one for one in listed if one["name"].casefold() == wanted]
            if not chosen:
                raise _unknown(device, "interface", interface, [one["name"] for one in listed])
            listed = chosen
        return Reading({"interfaces": listed, "summary": summarize_interfaces(listed)}, errors)

    def _learnt(self, device: Device, tree: Tree) -> list[dict[str, Any]]:
        """The interfaces of a tree; from now on their addresses mean this device."""
        listed = parse_interfaces(tree, interface_vrfs(tree))
        for one in listed:
            if not one["management"]:
                self.names.learn(device.name, one["addresses"])
        return listed

    async def routing(self, device: Device, protocols: set[str], details: bool = False) -> Reading:
        want = [*sorted(protocols), "protocols", *(["descriptions"] if "isis" in protocols else [])]
        found, errors = await self._parts(device, want=tuple(want), mute=("descriptions", "protocols"))
        read = {
            "bgp": parse_bgp(found, self.names, details) if "bgp" in protocols else None,
            "isis": parse_isis(found, self.names, _descriptions(found)) if "isis" in protocols else None,
        }
        if not any(read.values()) and not errors:
            raise Absent(" and ".join(sorted(protocols)).upper())
        return Reading(read, errors)

    async def mpls(self, device: Device, details: bool = False) -> Reading:
        found, errors = await self._parts(device, want=("mpls", "descriptions"), mute=("descriptions",))
        read = parse_mpls(found, self.names, _descriptions(found), details)
        if read is None:
            raise Absent("MPLS")
        return Reading(read, errors)

    async def ldp(self, device: Device) -> Reading:
        found, errors = await self._parts(device, want=("ldp", "descriptions"), mute=("descriptions",))
        read = parse_ldp(found, self.names, _descriptions(found))
        if read is None:
            raise Absent("LDP")
        return Reading(read, errors)

    async def vpn(self, device: Device, vrf: str | None = None, details: bool = False) -> Reading:
        whole = _INSTANCE.format("*")
        parts = (*_VRF_PARTS[:-1], "afts") if details else _VRF_PARTS
        found, errors = await self._trees(device, {part: f"{whole}/{part}" for part in parts}, need="state")
        vrfs = parse_vrfs(found, self.names, details)
        if vrf is not None:
            chosen = [one for one in vrfs if one["name"].casefold() == vrf.strip().casefold()]
            if not chosen:
                raise _unknown(device, "VRF", vrf, [one["name"] for one in vrfs])
            vrfs = chosen
        if not vrfs and not errors:
            raise Absent("VRFs")
        return Reading({"vrfs": vrfs, "summary": summarize_vrfs(vrfs)}, errors)

    async def route(self, device: Device, prefix: str | None, vrf: str | None) -> Reading:
        instance = vrf.strip() if vrf and vrf.strip().lower() not in ("default", "global") else None
        tables = await self._tables(device, instance)
        name = next((one for one in tables if one.casefold() == (instance or "default").casefold()), instance)
        known = tables.get(name or "")
        if known is None:
            raise Absent(f"Routes of {name}" if name else "AFT (the routes in use)")
        routes = known if prefix is None else choose(known, prefix)
        return Reading(
            {
                "network_instance": name,
                "prefix": prefix,
                "routes": routes[:_MOST_ROUTES],
                "total": len(routes),
                "truncated": len(routes) > _MOST_ROUTES,
            }
        )

    async def _tables(self, device: Device, instance: str | None) -> dict[str, Any]:
        """The routing tables by their VRFs: that of one VRF, however it is spelt, or all of them."""
        try:
            found = await self._get(device, _INSTANCE.format(instance or "*") + "/afts", "AFT")
        except Absent:
            if instance is None:
                raise
            every = await self._tables(device, None)
            if spelt := {name: table for name, table in every.items() if name.casefold() == instance.casefold()}:
                return spelt
            raise _unknown(device, "VRF", instance, list(every)) from None
        return parse_routes(found, self.names)

    async def _get(self, device: Device, path: str, what: str) -> Tree:
        try:
            return await self.client.get(device, path)
        except GnmiError as error:
            if not error.is_absence:
                raise
            raise Absent(what) from None

    async def lldp(self, device: Device) -> Reading:
        read = parse_lldp(await self._get(device, PATHS["lldp"], "LLDP"))
        if read is None:
            raise Absent("LLDP")
        return Reading(read)

    async def system(self, device: Device) -> Reading:
        found, errors = await self._parts(device, need="system", want=("system", *_PARTS), mute=_PARTS)
        return Reading(parse_system(found), errors)

    async def alarms(self, device: Device) -> Reading:
        try:
            found = await self.client.get(device, PATHS["alarms"])
        except GnmiError as error:
            # A device that has the model and no alarm answers that there is no data.
            if error.error_type == "unsupported":
                raise Absent("Alarms") from None
            if error.error_type != "not_found":
                raise
            found = {}
        return Reading(parse_alarms(found))

    async def logs(self, device: Device, keywords: str | None, minutes: int | None, everything: bool) -> Reading:
        text, clock = await asyncio.gather(self._log(device), self._clock(device))
        lines = parse_lines(text, clock)
        since = None if everything or minutes is None else clock - timedelta(minutes=max(minutes, 0))
        chosen, cut = choose_lines(lines, keywords, since)
        return Reading(
            {
                "logs": [one | {"time": iso(one["time"])} for one in chosen],
                "total_lines": len(lines),
                "unread_lines": count_unread(lines),
                "matched": len(chosen),
                "truncated": cut,
                "filters": {"keywords": keywords, "minutes": minutes, "show_all_logs": everything},
            }
        )

    async def _log(self, device: Device) -> str:
        try:
            return await self.client.command(device, _LOG_COMMAND)
        except GnmiError as error:
            if error.is_absence:
                raise Absent("The log over gNMI") from None
            raise

    async def _clock(self, device: Device) -> Any:
        """What the device takes for the present: its log is written by it."""
        try:
            tree = await self.client.get(device, PATHS["clock"])
            return moment(at(tree, "system", "state").get("current-datetime")) or now()
        except GnmiError:
            return now()

    async def profile(self, device: Device) -> Reading:
        vrf_state = {"vrfs": f"{_ALL}/state"}
        paths = {name: PATHS[name] for name in ("bgp", "isis", "mpls")} | vrf_state
        found, errors = await self._trees(device, paths)
        bgp = parse_bgp(found, self.names)
        families = {one["afi_safi"] for peer in (bgp or {}).get("neighbors", ()) for one in peer["prefixes"]}
        vrfs = parse_vrfs(found, self.names)
        mpls, isis = parse_mpls(found, self.names), parse_isis(found, self.names)
        facts = {
            "is_mpls_enabled": bool(mpls and mpls["enabled"]),
            "is_isis_enabled": isis is not None,
            "is_bgp_enabled": bgp is not None,
            "is_bgp_l3vpn_enabled": any((one or "").startswith("L3VPN") for one in families),
            "is_route_reflector": any(peer["route_reflector_client"] for peer in (bgp or {}).get("neighbors", ())),
            "has_vpn_ipv4_unicast_bgp": any(one["bgp"] for one in vrfs),
            "is_ldp_enabled": bool(mpls and mpls["ldp"]),
        }
        return Reading({"role": _role(facts), **facts, "vrfs": [one["name"] for one in vrfs]}, errors)

    async def values(self, device: Device, path: str | None = None) -> Reading:
        """Every leaf of a path, or of the models that devices commonly have."""
        if path is not None:
            return Reading({"values": parse_values(await self._get(device, path, path))})
        (common, errors), (rare, more) = await asyncio.gather(
            self._together(device, _COMMON_MODELS), self._trees(device, {one: one for one in _RARE_MODELS})
        )
        _lay(common, rare)
        return Reading({"values": parse_values(common)}, [*errors, *more])

    async def health(self, device: Device) -> Reading:
        """A first look at everything, side by side."""
        work = {
            "system": self.system(device),
            "interfaces": self.interfaces(device),
            "routing": self.routing(device, {"bgp", "isis"}),
            "ldp": self.ldp(device),
            "vpn": self.vpn(device),
            "alarms": self.alarms(device),
        }
        read, errors = await _side_by_side(work)
        routing = read.get("routing") or {}

        def summary(name: str) -> Any:
            part = routing.get(name) if name in ("bgp", "isis") else read.get(name)
            return part["summary"] if part else None

        names = ("interfaces", "bgp", "isis", "ldp", "vpn")
        found = {"reachable": True, "system": read.get("system"), **{name: summary(name) for name in names}}
        found["alarms"] = read.get("alarms")
        return Reading(found | {"indicators": indicators(found)}, errors)

    async def _parts(
        self, device: Device, *, want: tuple[str, ...], need: str = "", mute: tuple[str, ...] = ()
    ) -> tuple[Tree, list[dict[str, str]]]:
        return await self._trees(device, {name: PATHS[name] for name in want}, need, mute)

    async def _together(self, device: Device, paths: Sequence[str]) -> tuple[Tree, list[dict[str, str]]]:
        """As `_trees`, in one call where the device has all of the paths."""
        try:
            return await self.client.get(device, *paths), []
        except GnmiError as error:
            if not error.is_absence:
                raise
        return await self._trees(device, {one: one for one in paths})

    async def _trees(
        self, device: Device, paths: Mapping[str, str], need: str = "", mute: tuple[str, ...] = ()
    ) -> tuple[Tree, list[dict[str, str]]]:
        """Several paths side by side, as one tree, with what failed. What a device does not have is no failure.

        Raises GnmiError where the part that is needed cannot be read, or nothing can.
        """
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(_kept(self.client.get(device, path))) for name, path in paths.items()}
        found = {name: task.result() for name, task in tasks.items()}
        failed = {name: one for name, one in found.items() if isinstance(one, GnmiError) and name not in mute}
        real = {name: error for name, error in failed.items() if not error.is_absence}
        if need in failed:
            raise failed[need]
        if real and len(failed) == sum(name not in mute for name in paths):
            raise next(iter(real.values()))
        tree: Tree = {}
        for one in found.values():
            if not isinstance(one, GnmiError):
                _lay(tree, one)
        return tree, [_told(name, error) for name, error in real.items()]


async def _kept(work: Awaitable[T]) -> T | GnmiError:
    try:
        return await work
    except GnmiError as error:
        return error


async def _side_by_side(work: Mapping[str, Awaitable[Reading]]) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """What each gives, without those that the device does not have. Raises GnmiError where all fail."""

    async def one(name: str, awaited: Awaitable[Reading]) -> tuple[str, Any]:
        try:
            return name, await awaited
        except (GnmiError, Absent) as error:
            return name, error

    found = dict(await asyncio.gather(*(one(name, awaited) for name, awaited in work.items())))
    failed = {name: value for name, value in found.items() if isinstance(value, GnmiError)}
    if len(failed) == len(found):
        raise next(iter(failed.values()))
    read = {name: value for name, value in found.items() if isinstance(value, Reading)}
    errors = [_told(name, error) for name, error in failed.items() if not error.is_absence]
    for name, reading in read.items():
        errors += [one | {"part": f"{name}/{one['part']}"} for one in reading.errors]
    return {name: reading.data for name, reading in read.items()}, errors


def _unknown(device: Device, what: str, name: str, known: Sequence[str]) -> GnmiError:
    """The error for something that a device does not have, with the nearest names and what it has."""
    near = f"{did_you_mean(name, known)} " if nearest(name, known) else ""
    listed = ", ".join(known[:_MOST_NAMED]) + (f" and {len(known) - _MOST_NAMED} more" if known[_MOST_NAMED:] else "")
    error = GnmiError(
        "not_found", f"{device.name} has no {what} '{name}'.", suggestion=f"{near}It has {listed or 'none'}."
    )
    error.known = tuple(known)
    return error


def _told(part: str, error: GnmiError) -> dict[str, str]:
    return {"part": part, "type": error.error_type, "message": error.user_message}


def _lay(tree: Tree, other: Tree) -> None:
    """Put one tree onto another: containers join, and entries of a list with the same keys are one."""
    for name, value in other.items():
        known = tree.get(name)
        if isinstance(known, dict) and isinstance(value, dict):
            _lay(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            _join(known, value)
        else:
            tree[name] = value


def _join(known: list[Any], more: list[Any]) -> None:
    """Put the entries of one list into another. Long lists are common, so entries are found by their keys."""
    found: dict[tuple[str, str | None], list[Tree]] = {}
    for one in known:
        for key in _keys(one):
            found.setdefault(key, []).append(one)
    for one in more:
        keys = _keys(one)
        alike = (entry for key in keys for entry in found.get(key, ()) if _same(entry, one))
        same = next(alike, None)
        if same is not None:
            _lay(same, one)
        elif isinstance(one, dict) or one not in known:
            known.append(one)


_LIST_KEYS = ("name", "identifier", "interface-id", "neighbor-address", "lsr-id", "id", "index", "prefix")


def _keys(one: Any) -> list[tuple[str, str | None]]:
    return [(key, word(one[key])) for key in _LIST_KEYS if key in one] if isinstance(one, dict) else []


def _same(one: Tree, other: Tree) -> bool:
    return all(word(one[key]) == word(other[key]) for key in _LIST_KEYS if key in one and key in other)


def _descriptions(tree: Tree) -> dict[str, str]:
    listed = entries(at(tree, "interfaces"), "interface")
    return {str(one.get("name")): text for one in listed if (text := word(at(one, "state").get("description")))}


def _role(facts: Mapping[str, bool]) -> str:
    """What a device is for, by what it runs."""
    if facts["is_route_reflector"]:
        return "RR"
    if facts["has_vpn_ipv4_unicast_bgp"] and facts["is_bgp_l3vpn_enabled"]:
        return "PE"
    if facts["is_mpls_enabled"]:
        return "P" if not facts["is_bgp_l3vpn_enabled"] else "PE"
    if facts["is_bgp_enabled"] and not facts["is_isis_enabled"]:
        return "CE"
    return "IGP_ONLY" if facts["is_isis_enabled"] else "UNKNOWN"
