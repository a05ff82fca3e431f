"""What other models than openconfig-interfaces tell of a port: its optic, queues, access lists, LACP and BFD."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from signalbox.agents.oncall.gnmi.tree import Tree, at, decimal, entries, number, reach, word

__all__ = ["port_parts"]

Part = dict[str, Any]
_PLACE = re.compile(r"\d+(?:/\d+)+$")


def port_parts(tree: Tree) -> Callable[[Tree], Part]:
    """A function that gives these parts of an interface."""
    acl, lacp = at(tree, "acl"), at(tree, "lacp")
    filters = _by_name(entries(at(acl, "interfaces"), "interface"), "id")
    queues = _by_name(entries(at(tree, "qos", "interfaces"), "interface"), "interface-id")
    sessions = _by_name(entries(at(tree, "bfd", "interfaces"), "interface"), "id")
    members = {
        word(one.get("interface")): {**_member(one), "bundle": word(bundle.get("name"))}
        for bundle in entries(at(lacp, "interfaces"), "interface")
        for one in entries(at(bundle, "members"), "member")
    }
    optics = {str(word(one.get("name"))): one for one in entries(at(tree, "components"), "component")}
    optics = {name: one for name, one in optics.items() if at(one, "transceiver")}
    drops = set(_drops(acl))

    def parts(port: Tree) -> Part:
        name = word(port.get("name")) or ""
        return {
            "filters": list(_filters(filters.get(name, {}), drops)),
            "queues": [_queue(one) for one in entries(at(queues.get(name, {}), "output", "queues"), "queue")],
            "bfd": [_bfd(sessions[name], one) for one in entries(at(sessions.get(name, {}), "peers"), "peer")],
            "lacp": members.get(name),
            "optics": _optics(optics.get(_optic_of(port, name, optics), {})),
        }

    return parts


def _by_name(listed: list[Tree], key: str) -> dict[str, Tree]:
    return {str(word(one.get(key))): one for one in listed}


def _drops(acl: Tree) -> Iterator[tuple[str | None, str | None]]:
    """The entries of access lists that drop."""
    for one in entries(at(acl, "acl-sets"), "acl-set"):
        for entry in entries(at(one, "acl-entries"), "acl-entry"):
            if word(reach(entry, "actions/state/forwarding-action")) in ("DROP", "REJECT"):
                yield word(one.get("name")), word(entry.get("sequence-id"))


def _filters(one: Tree, drops: set[tuple[str | None, str | None]]) -> Iterator[Part]:
    """The access lists of an interface, each with its direction and how many packets it dropped."""
    for direction in ("ingress", "egress"):
        for applied in entries(at(one, f"{direction}-acl-sets"), f"{direction}-acl-set"):
            name = word(applied.get("set-name"))
            dropped = [
                number(reach(entry, "state/matched-packets")) or 0
                for entry in entries(at(applied, "acl-entries"), "acl-entry")
                if (name, word(entry.get("sequence-id"))) in drops
            ]
            yield {"name": name, "direction": direction, "dropped_packets": sum(dropped)}


def _queue(one: Tree) -> Part:
    state = at(one, "state")
    return {
        "name": word(one.get("name")) or word(state.get("name")),
        "sent_packets": number(state.get("transmit-pkts")),
        "dropped_packets": number(state.get("dropped-pkts")),
    }


def _bfd(interface: Tree, one: Tree) -> Part:
    state = at(one, "state")
    return {
        "peer": word(state.get("remote-address")),
        "enabled": reach(interface, "state/enabled"),
        "state": word(state.get("session-state")),
        "remote_state": word(state.get("remote-session-state")),
        "diagnostic": word(state.get("local-diagnostic-code")),
    }


def _member(one: Tree) -> Part:
    state, sync = at(one, "state"), word(reach(one, "state/synchronization"))
    return {
        "synchronized": None if sync is None else sync == "IN_SYNC",
        "collecting": state.get("collecting"),
        "distributing": state.get("distributing"),
        "activity": word(state.get("activity")),
    }


def _optic_of(port: Tree, name: str, optics: dict[str, Tree]) -> str:
    """The component that is the optic of a port: the one that it names, else the one with the same place."""
    named = word(reach(port, "state/transceiver")) or ""
    place = _PLACE.search(name)
    alike = (one for one in optics if place and (found := _PLACE.search(one)) and found[0] == place[0])
    return named if named in optics else next(alike, "")


def _optics(component: Tree) -> list[Part]:
    """Each channel of an optic: light in and out in dBm, bias in mA, degrees, and the limits that the optic has."""
    optic = at(component, "transceiver")
    limits = {word(one.get("severity")): at(one, "state") for one in entries(at(optic, "thresholds"), "threshold")}
    limit: Tree = next((limits[name] for name in ("CRITICAL", "MAJOR") if name in limits), {})
    limit = limit or next(iter(limits.values()), {})
    return [
        {
            "channel": number(one.get("index")),
            "rx_power": decimal(reach(one, "state/input-power")),
            "tx_power": decimal(reach(one, "state/output-power")),
            "bias": decimal(reach(one, "state/laser-bias-current")),
            "temperature": decimal(reach(component, "state/temperature")),
            "rx_least": decimal(limit.get("input-power-lower")),
            "rx_most": decimal(limit.get("input-power-upper")),
            "tx_least": decimal(limit.get("output-power-lower")),
            "tx_most": decimal(limit.get("output-power-upper")),
            "bias_most": decimal(limit.get("laser-bias-current-upper")),
            "temperature_most": decimal(limit.get("module-temperature-upper")),
        }
        for one in entries(at(optic, "physical-channels"), "channel")
    ]
