"""openconfig-isis: interfaces and adjacencies, every one in every state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.moments import age, told
from signalbox.agents.oncall.gnmi.tree import (
    Tree,
    at,
    entries,
    find,
    instances,
    number,
    protocol_enabled,
    reach,
    unapplied,
    word,
    words,
)

__all__ = ["parse_isis"]


def parse_isis(tree: Tree, names: Names, descriptions: dict[str, str] | None = None) -> dict[str, Any] | None:
    """IS-IS in every network instance; None where no instance runs it. `descriptions` are those of the interfaces."""
    processes = list(_processes(tree))
    if not processes:
        return None
    circuits = [one for _, process, _ in processes for one in _circuits(process)]
    adjacencies = [found for one in circuits for found in _adjacencies(one, names, descriptions or {})]
    interfaces = [_interface(one) for one in circuits]
    active = [one for one in interfaces if one["enabled"] is not False and not one["passive"]]
    alone = [one["name"] for one in active if not one["adjacency_count"]]
    return {
        "instances": [_instance(*process) for process in processes],
        "interfaces": interfaces,
        "adjacencies": adjacencies,
        "summary": {
            "total": len(adjacencies),
            "up": sum(1 for one in adjacencies if one["state"] == "UP"),
            "not_up": [one["interface"] for one in adjacencies if one["state"] != "UP"],
            "interfaces_without_adjacency": alone,
        },
    }


def _processes(tree: Tree) -> Iterator[tuple[str, Tree, bool | None]]:
    """The name of each process, its tree, and whether it is switched on."""
    for _, instance in instances(tree):
        for protocol in entries(at(instance, "protocols"), "protocol"):
            isis = at(protocol, "isis")
            if isis:
                yield word(protocol.get("name")) or "", isis, protocol_enabled(instance, "ISIS")


def _circuits(process: Tree) -> list[Tree]:
    return entries(at(process, "interfaces"), "interface")


def _instance(name: str, process: Tree, enabled: bool | None) -> dict[str, Any]:
    state = at(process, "global", "state")
    overload = next((one for one in find(at(process, "global"), "overload-bit") if isinstance(one, dict)), {})
    nets = words(state.get("net"))
    return {
        "name": name,
        "enabled": enabled,
        "net": nets,
        "areas": [net.rsplit(".", 4)[0] for net in nets if net.count(".") >= 4],
        "level_capability": word(state.get("level-capability")),
        "authentication": _authentication([at(process, "global"), *entries(at(process, "levels"), "level")]),
        "overload": at(overload, "state").get("set-bit"),
        "segment_routing": reach(process, "global/segment-routing/state/enabled"),
        "prefix_sids": sorted({text for one in find(process, "sid-id") if (text := word(one))}),
        "metric_styles": sorted({text for one in find(process, "metric-style") if (text := word(one))}),
    }


def _authentication(places: Iterable[Tree]) -> str | None:
    """The kind of authentication that is switched on, `off`, or None where the device does not say."""
    states = [
        at(found, "state")
        for place in places
        for name in ("authentication", "hello-authentication")
        for found in find(place, name)
        if isinstance(found, dict)
    ]
    told = [one for one in states if one]
    on = [one for one in told if True in (one.get("enabled"), one.get("hello-authentication")) or one.get("auth-mode")]
    on = [one for one in on if one.get("enabled") is not False]
    if not told:
        return None
    return (word(on[0].get("auth-mode")) or word(on[0].get("auth-type")) or "on").upper() if on else "off"


def _levels(circuit: Tree) -> list[Tree]:
    return entries(at(circuit, "levels"), "level")


def _interface(circuit: Tree) -> dict[str, Any]:
    state = at(circuit, "state")
    metrics = [number(value) for level in _levels(circuit) for value in find(level, "metric")]
    count = sum(len(entries(at(level, "adjacencies"), "adjacency")) for level in _levels(circuit))
    return {
        "name": word(circuit.get("interface-id")),
        "enabled": state.get("enabled"),
        "passive": bool(state.get("passive")),
        "ipv4": _family(circuit, "IPV4"),
        "circuit_type": word(state.get("circuit-type")),
        "metric": next((one for one in metrics if one is not None), None),
        "levels": [number(level.get("level-number")) for level in _levels(circuit) if _is_on(level)],
        "hello_interval": _timer(circuit, "hello-interval"),
        "hello_multiplier": _timer(circuit, "hello-multiplier"),
        "hello_padding": word(state.get("hello-padding")),
        "authentication": _authentication([circuit]),
        "hellos_rejected": _rejected(circuit),
        "adjacency_count": count,
        "unapplied": unapplied({name: one for name, one in circuit.items() if name != "levels"}),
    }


def _family(circuit: Tree, name: str) -> bool | None:
    """Whether an address family is switched on at any level; None where the device does not say."""
    told = [
        at(one, "state").get("enabled")
        for families in find(circuit, "afi-safi")
        for one in entries(at(families), "af")
        if word(one.get("afi-name")) == name
    ]
    return None if not told or None in told else any(told)


def _is_on(level: Tree) -> bool:
    return at(level, "state").get("enabled") is not False


def _timer(circuit: Tree, name: str) -> int | None:
    return next((number(value) for value in find(circuit, name) if number(value) is not None), None)


def _rejected(circuit: Tree) -> dict[str, int]:
    """How many hellos were turned down, by the counters that say why."""
    counters = at(circuit, "circuit-counters", "state")
    return {
        name.replace("-", "_"): count
        for name in (
            "rejected-adj",
            "auth-fails",
            "auth-type-fails",
            "area-address-mismatches",
            "id-field-len-mismatches",
        )
        if (count := number(counters.get(name)))
    }


def _adjacencies(circuit: Tree, names: Names, descriptions: dict[str, str]) -> Iterator[dict[str, Any]]:
    interface = word(circuit.get("interface-id")) or ""
    changes = number(at(circuit, "circuit-counters", "state").get("adj-changes"))
    for level in _levels(circuit):
        for one in entries(at(level, "adjacencies"), "adjacency"):
            state = at(one, "state")
            address = word(state.get("neighbor-ipv4-address"))
            level_state = (word(state.get("adjacency-state")) or "UNKNOWN").upper()
            up = level_state == "UP"
            yield {
                "interface": interface,
                "level": number(level.get("level-number")),
                "system_id": word(one.get("system-id")) or word(state.get("system-id")),
                "neighbor_name": names.of_address(address) or names.in_text(descriptions.get(interface)),
                "neighbor_ipv4": address,
                "state": level_state,
                "up_since": told(state.get("up-timestamp")) if up else None,
                "uptime_seconds": age(state.get("up-timestamp")) if up else None,
                "adjacency_type": word(state.get("adjacency-type")),
                "area_addresses": words(state.get("area-address")),
                "adjacency_changes": changes,
            }
