"""openconfig-interfaces."""

from __future__ import annotations

from typing import Any

from signalbox.agents.oncall.gnmi.parsers.moments import age, told
from signalbox.agents.oncall.gnmi.parsers.ports import port_parts
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, find, number, reach, unapplied, word, words

__all__ = ["parse_interfaces", "summarize_interfaces"]

# Going up while the device starts counts one or two, and once more does not make it unsteady.
_STEADY = 4
_COUNTERS = {
    "in_octets": "in-octets",
    "out_octets": "out-octets",
    "in_packets": "in-pkts",
    "out_packets": "out-pkts",
    "in_errors": "in-errors",
    "out_errors": "out-errors",
    "in_fcs_errors": "in-fcs-errors",
    "in_discards": "in-discards",
    "out_discards": "out-discards",
}
_WIRE_COUNTERS = {"in_oversize_frames": "in-oversize-frames", "in_crc_errors": "in-crc-errors"}
_ERRORS = ("in_errors", "out_errors", "in_fcs_errors", "in_crc_errors")


def parse_interfaces(tree: Tree, vrfs: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Every interface; `vrfs` says which belongs to which VRF."""
    listed = [one for one in entries(at(tree, "interfaces"), "interface") if word(one.get("name"))]
    told = port_parts(tree)
    return [{**_interface(one, vrfs or {}), **told(one)} for one in listed]


def _interface(one: Tree, vrfs: dict[str, str]) -> dict[str, Any]:
    state, wire = at(one, "state"), at(one, "ethernet", "state")
    name = word(one.get("name")) or ""
    kind = word(state.get("type"))
    below = entries(at(one, "subinterfaces"), "subinterface")
    ipv4 = [at(sub, "ipv4") for sub in below]
    own = next((at(sub, "state") for sub in below if number(sub.get("index")) == 0), {})
    return {
        "name": name,
        "type": kind,
        "description": word(state.get("description")),
        "admin_state": _upper(state.get("admin-status")),
        "oper_state": _upper(state.get("oper-status")),
        "enabled": state.get("enabled") if isinstance(state.get("enabled"), bool) else None,
        "mtu": number(state.get("mtu")),
        "ip_mtu": next((number(at(one, "state").get("mtu")) for one in ipv4), None),
        "speed": _speed(word(wire.get("negotiated-port-speed")) or word(wire.get("port-speed"))),
        "configured_speed": _speed(word(wire.get("port-speed"))),
        "duplex": _upper(wire.get("negotiated-duplex-mode") or wire.get("duplex-mode")),
        "mac_address": word(wire.get("mac-address")),
        "loopback": kind == "softwareLoopback" or name.lower().startswith("lo"),
        "management": bool(state.get("management")) or name.lower().startswith(("mgmt", "management")),
        "vrf": vrfs.get(name),
        "addresses": [place for found in ipv4 for place in _addresses(found)],
        "ipv6_addresses": [place for sub in below for place in _addresses(at(sub, "ipv6"))],
        "vlans": sorted({found for sub in below for one in find(sub, "vlan-id") if (found := number(one)) is not None}),
        "unnumbered": any(reach(found, "unnumbered/state/enabled") is True for found in ipv4),
        "ip_is_off": own.get("enabled") is False or _upper(own.get("admin-status")) == "DOWN",
        "looped": _upper(state.get("loopback-mode")) in ("FACILITY", "TERMINAL", "TRUE"),
        "last_change": told(state.get("last-change")),
        "last_change_seconds": age(state.get("last-change")),
        "carrier_transitions": number(at(state, "counters").get("carrier-transitions")),
        "counters": _counters(at(state, "counters"), at(wire, "counters")),
        "bundle": word(wire.get("aggregate-id")),
        "members": words(at(one, "aggregation", "state").get("member")),
        "min_links": number(at(one, "aggregation", "state").get("min-links")),
        "unapplied": unapplied(one),
    }


def _speed(told: str | None) -> str | None:
    return None if told is None or told.upper().endswith("UNKNOWN") else told


def _upper(value: Any) -> str | None:
    text = word(value)
    return text.upper() if text else None


def _addresses(ipv4: Tree) -> list[str]:
    found = []
    for one in entries(at(ipv4, "addresses"), "address"):
        state = at(one, "state")
        place, length = word(state.get("ip") or one.get("ip")), number(state.get("prefix-length"))
        if place:
            found.append(f"{place}/{32 if length is None else length}")
    return found


def _counters(counters: Tree, wire: Tree) -> dict[str, int | None]:
    found = {name: number(counters.get(key)) for name, key in _COUNTERS.items()}
    return found | {name: number(wire.get(key)) for name, key in _WIRE_COUNTERS.items()}


def summarize_interfaces(interfaces: list[dict[str, Any]]) -> dict[str, Any]:
    """Which of them need a look."""
    up = [one for one in interfaces if one["admin_state"] == "UP"]
    return {
        "total": len(interfaces),
        "admin_up": len(up),
        "oper_up": sum(1 for one in interfaces if one["oper_state"] == "UP"),
        "admin_up_oper_down": [one["name"] for one in up if one["oper_state"] not in ("UP", None)],
        "admin_down": [one["name"] for one in interfaces if one["admin_state"] == "DOWN"],
        "with_errors": [one["name"] for one in interfaces if any(one["counters"][name] for name in _ERRORS)],
        "flapped": [one["name"] for one in interfaces if (one["carrier_transitions"] or 0) > _STEADY],
    }
