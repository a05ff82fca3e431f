"""openconfig-lldp: who stands at the other end of each wire."""

from __future__ import annotations

from typing import Any

from signalbox.agents.oncall.gnmi.parsers.moments import told
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, number, word

__all__ = ["parse_lldp"]


def parse_lldp(tree: Tree) -> dict[str, Any] | None:
    """The neighbours of every interface; None where the device does not tell."""
    lldp = at(tree, "lldp")
    if not lldp:
        return None
    interfaces = entries(at(lldp, "interfaces"), "interface")
    neighbours = [_neighbour(one, found) for one in interfaces for found in entries(at(one, "neighbors"), "neighbor")]
    heard = {one["local_interface"] for one in neighbours}
    names = [word(one.get("name")) for one in interfaces if at(one, "state").get("enabled") is not False]
    return {
        "enabled": at(lldp, "state").get("enabled"),
        "neighbors": neighbours,
        "interfaces_without_neighbor": [name for name in names if name and name not in heard],
    }


def _neighbour(interface: Tree, one: Tree) -> dict[str, Any]:
    state = at(one, "state")
    return {
        "local_interface": word(interface.get("name")),
        "neighbor_name": word(state.get("system-name")),
        "neighbor_interface": word(state.get("port-id")),
        "chassis_id": word(state.get("chassis-id")),
        "description": word(state.get("system-description")),
        "management_address": word(state.get("management-address")),
        "age_seconds": number(state.get("age")),
        "last_update": told(state.get("last-update")),
    }
