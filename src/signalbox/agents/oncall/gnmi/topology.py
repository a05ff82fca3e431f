"""Who is wired to whom: links out of shared subnets, LLDP and descriptions, parallel ones kept.

A device that cannot be read is a node of unknown state, and its links are links all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.inventory import Device, Inventory
from signalbox.agents.oncall.gnmi.readings import Absent, Reader, Reading

__all__ = ["read_neighbours", "read_topology"]

Interface = dict[str, Any]


@dataclass
class View:
    """What one device says of its wires."""

    device: Device
    interfaces: list[Interface] = field(default_factory=list)
    lldp: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    error: GnmiError | None = None

    @property
    def wired(self) -> list[Interface]:
        """The interfaces that can be an end of a link."""
        return [one for one in self.interfaces if not one["loopback"] and not one["management"] and _subnets(one)]


@dataclass
class Wire:
    """A link, seen from one end. `remote` is None where the other end could not be read."""

    local: Interface
    local_ip: str
    network: str
    neighbour: str | None
    remote: Interface | None
    remote_ip: str | None
    sources: list[str]
    lldp: tuple[str | None, str | None] = (None, None)
    """The device of the inventory, and its port, that LLDP sees there."""


async def read_neighbours(reader: Reader, inventory: Inventory, device: Device) -> Reading:
    """The links of a device, with it as the local end of each. Raises GnmiError where itself cannot be read."""
    own = await _view(reader, device)
    if own.error:
        raise own.error
    described = {reader.names.in_text(one["description"]) for one in own.wired}
    hinted = {_hint(reader, own, one)[0] for one in own.wired} | described
    near = [one for name, one in inventory.devices.items() if name in hinted and name != device.name]
    views = {device.name: own} | await _views(reader, near)
    if any(wire.neighbour is None for wire in _wires(reader, own, views)):
        rest = [one for name, one in inventory.devices.items() if name not in views]
        views |= await _views(reader, rest)
    wires = list(_wires(reader, own, views))
    errors = _errors(views, {wire.neighbour for wire in wires})
    return Reading({"device": device.name, "neighbors": [_neighbour(wire, views) for wire in wires]}, errors)


async def read_topology(reader: Reader, inventory: Inventory) -> Reading:
    """All devices and all links, each link once. Never raises for a device that cannot be read."""
    views = await _views(reader, inventory.devices.values())
    links: dict[tuple[Any, ...], dict[str, Any]] = {}
    for view in views.values():
        for wire in _wires(reader, view, views):
            other = (wire.neighbour or "", wire.remote["name"] if wire.remote else "")
            ends = sorted([(view.device.name, wire.local["name"]), other])
            links.setdefault((wire.network, *ends), _link(view, wire))
    found = list(links.values())
    dead = [name for name, view in views.items() if view.error]
    nodes = [
        {
            "name": name,
            "role": view.device.role,
            "ip_address": view.device.ip_address,
            "status": "unknown" if view.error else "reachable",
            "error": {"type": view.error.error_type, "message": view.error.user_message} if view.error else None,
        }
        for name, view in views.items()
    ]
    summary = {
        "devices": len(nodes),
        "reachable": len(nodes) - len(dead),
        "unknown": dead,
        "links": len(found),
        "links_down": sum(1 for one in found if one["state"] in ("DOWN", "ONE_SIDED")),
    }
    return Reading({"nodes": nodes, "links": found, "summary": summary}, _errors(views, set(views)))


async def _views(reader: Reader, devices: Iterable[Device]) -> dict[str, View]:
    found = await asyncio.gather(*(_view(reader, device) for device in devices))
    return {view.device.name: view for view in found}


async def _view(reader: Reader, device: Device) -> View:
    """One device's wires; LLDP is welcome and not needed."""
    view = View(device)
    interfaces, lldp = await asyncio.gather(
        reader.interfaces(device, is_brief=True), reader.lldp(device), return_exceptions=True
    )
    if isinstance(interfaces, GnmiError):
        view.error = interfaces
    elif isinstance(interfaces, BaseException):
        raise interfaces
    else:
        view.interfaces = interfaces.data["interfaces"]
    if isinstance(lldp, Reading):
        for one in lldp.data["neighbors"]:
            name = reader.names.of_system(one["neighbor_name"]) or one["neighbor_name"]
            view.lldp[one["local_interface"]] = (name, one["neighbor_interface"])
    elif not isinstance(lldp, GnmiError | Absent):
        raise lldp
    return view


def _subnets(interface: Interface) -> list[tuple[str, str]]:
    """The networks of an interface that a second device can be in, each with the interface's own address."""
    found = []
    for place in interface["addresses"]:
        try:
            read = ip_interface(place)
        except ValueError:
            continue
        if read.network.num_addresses > 1:
            found.append((str(read.network), str(read.ip)))
    return found


def _hint(reader: Reader, view: View, interface: Interface) -> tuple[str | None, str | None, str]:
    """Who LLDP or the description says is at the other end: device, interface, and which of the two says so."""
    if interface["name"] in view.lldp:
        return (*view.lldp[interface["name"]], "lldp")
    return reader.names.in_text(interface["description"]), None, "description"


def _wires(reader: Reader, view: View, views: dict[str, View]) -> Iterable[Wire]:
    for one in view.wired:
        network, own = _subnets(one)[0]
        seen = view.lldp.get(one["name"], (None, None))
        seen = (reader.names.of_system(seen[0]), seen[1])
        hinted, port, source = _hint(reader, view, one)
        matches = [
            (name, other, place)
            for name, there in views.items()
            if name != view.device.name
            for other in there.wired
            for found, place in _subnets(other)
            if found == network
        ]
        if not matches:
            known = views.get(hinted or "")
            remote = next((i for i in known.interfaces if i["name"] == port), None) if known and port else None
            yield Wire(one, own, network, hinted, remote, None, [source] if hinted else [], seen)
        for name, other, place in matches:
            said = hinted == name and (port is None or port == other["name"] or source == "description")
            yield Wire(one, own, network, name, other, place, ["subnet", *([source] if said else [])], seen)


def _state(local: Interface, remote: Interface | None) -> str:
    states = {local["oper_state"] == "UP", remote["oper_state"] == "UP"} if remote else None
    if states is None:
        return "UNKNOWN"
    return "ONE_SIDED" if len(states) == 2 else "UP" if True in states else "DOWN"


def _neighbour(wire: Wire, views: dict[str, View]) -> dict[str, Any]:
    view = views.get(wire.neighbour or "")
    return {
        "neighbor": wire.neighbour,
        "known": view is not None,
        "reachable": view.error is None if view else None,
        "local_interface": wire.local["name"],
        "remote_interface": wire.remote["name"] if wire.remote else None,
        "local_ip": wire.local_ip,
        "remote_ip": wire.remote_ip,
        "network": wire.network,
        "state": _state(wire.local, wire.remote),
        "local_oper_state": wire.local["oper_state"],
        "remote_oper_state": wire.remote["oper_state"] if wire.remote else None,
        "remote_admin_state": wire.remote["admin_state"] if wire.remote else None,
        "local_mtu": wire.local["mtu"],
        "remote_mtu": wire.remote["mtu"] if wire.remote else None,
        "local_speed": wire.local["speed"],
        "remote_speed": wire.remote["speed"] if wire.remote else None,
        "lldp_neighbor": wire.lldp[0],
        "lldp_interface": wire.lldp[1],
        "sources": wire.sources,
    }


def _link(view: View, wire: Wire) -> dict[str, Any]:
    local, remote = wire.local, wire.remote or {}
    return {
        "a": view.device.name,
        "a_interface": local["name"],
        "a_ip": wire.local_ip,
        "a_mtu": local["mtu"],
        "a_oper_state": local["oper_state"],
        "b": wire.neighbour,
        "b_interface": remote.get("name"),
        "b_ip": wire.remote_ip,
        "b_mtu": remote.get("mtu"),
        "b_oper_state": remote.get("oper_state"),
        "network": wire.network,
        "state": _state(local, wire.remote),
    }


def _errors(views: dict[str, View], needed: set[str | None]) -> list[dict[str, str]]:
    return [
        {"part": name, "type": view.error.error_type, "message": view.error.user_message}
        for name, view in views.items()
        if view.error and name in needed
    ]
