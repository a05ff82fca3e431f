"""openconfig-mpls and openconfig-mpls-ldp: labels, interfaces and LDP neighbours in every state."""

from __future__ import annotations

from typing import Any

from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.moments import age, told
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, find, instances, number, word

__all__ = ["parse_ldp", "parse_mpls"]


def parse_mpls(
    tree: Tree, names: Names, descriptions: dict[str, str] | None = None, details: bool = False
) -> dict[str, Any] | None:
    """MPLS of the instance that has it; None where none does. `descriptions` are those of the interfaces."""
    found = next((at(one, "mpls") for _, one in instances(tree) if at(one, "mpls")), None)
    if found is None:
        return None
    state = at(found, "global", "state")
    ldp = parse_ldp(tree, names, descriptions)
    labelled = {one["name"] for one in ldp["interfaces"] if one["enabled"] is not False} if ldp else set()
    interfaces = [
        {
            "name": word(one.get("interface-id")),
            "mpls_enabled": at(one, "state").get("mpls-enabled"),
            # A device that does not list the interfaces of LDP does not say where it is off.
            "ldp_enabled": word(one.get("interface-id")) in labelled if ldp and ldp["interfaces"] else None,
        }
        for one in entries(at(found, "global", "interface-attributes"), "interface")
    ]
    ranges = [_block(one) for one in entries(at(found, "global", "reserved-label-blocks"), "reserved-label-block")]
    neighbours = ldp["neighbors"] if ldp else []
    answer = {
        "enabled": bool(interfaces or ranges or ldp),
        "label_ranges": ranges,
        "interfaces": interfaces,
        "ldp": {"router_id": ldp["router_id"], "neighbors": neighbours} if ldp else None,
        "segment_routing": _segment_routing(ranges),
        "summary": {
            "interfaces": len(interfaces),
            "ldp_neighbors": len(neighbours),
            "ldp_operational": sum(1 for one in neighbours if one["session_state"] == "OPERATIONAL"),
            "interfaces_without_ldp": ldp["summary"]["interfaces_without_neighbor"] if ldp else [],
        },
    }
    return answer | (_details(found, state) if details else {})


def _details(found: Tree, state: Tree) -> dict[str, Any]:
    errors = [number(value) or 0 for one in find(found, "errors") if isinstance(one, dict) for value in one.values()]
    return {
        "rsvp": {"errors": sum(errors)} if list(find(found, "rsvp-te")) else None,
        "null_label": word(state.get("null-label")),
        "ttl_propagation": state.get("ttl-propagation"),
    }


def _block(one: Tree) -> dict[str, Any]:
    state = at(one, "state")
    return {
        "name": word(one.get("local-id")),
        "lower": number(state.get("lower-bound")),
        "upper": number(state.get("upper-bound")),
    }


def _segment_routing(ranges: list[dict[str, Any]]) -> dict[str, Any] | None:
    block = next((one for one in ranges if "srgb" in (one["name"] or "").lower()), None)
    return {"enabled": True, "srgb": [block["lower"], block["upper"]]} if block else None


def parse_ldp(tree: Tree, names: Names, descriptions: dict[str, str] | None = None) -> dict[str, Any] | None:
    """LDP of the instance that runs it; None where none does."""
    found = next((at(one, "mpls", "signaling-protocols", "ldp") for _, one in instances(tree) if _runs_ldp(one)), None)
    if found is None:
        return None
    listed = next((one for one in find(at(found, "interface-attributes"), "interface") if isinstance(one, list)), [])
    interfaces = [{"name": word(one.get("interface-id")), "enabled": at(one, "state").get("enabled")} for one in listed]
    neighbours = [_neighbour(one, names, descriptions or {}) for one in entries(at(found, "neighbors"), "neighbor")]
    heard = {hello["interface"] for one in neighbours for hello in one["discovery"] if hello["interface"]}
    operational = {
        hello["interface"] for one in neighbours if one["session_state"] == "OPERATIONAL" for hello in one["discovery"]
    }
    silent = [one["name"] for one in interfaces if one["enabled"] is not False and one["name"] not in operational]
    return {
        "router_id": word(at(found, "global", "state").get("lsr-id")),
        "neighbors": neighbours,
        "interfaces": interfaces,
        "summary": {
            "total": len(neighbours),
            "operational": sum(1 for one in neighbours if one["session_state"] == "OPERATIONAL"),
            "not_operational": [one["lsr_id"] for one in neighbours if one["session_state"] != "OPERATIONAL"],
            # A device that does not tell where it hears its neighbours cannot be said to miss one.
            "interfaces_without_neighbor": silent if heard or not neighbours else [],
        },
    }


def _runs_ldp(instance: Tree) -> bool:
    return bool(at(instance, "mpls", "signaling-protocols", "ldp"))


def _neighbour(one: Tree, names: Names, descriptions: dict[str, str]) -> dict[str, Any]:
    state = at(one, "state")
    lsr = word(one.get("lsr-id")) or word(state.get("lsr-id")) or ""
    hellos = [_hello(hello) for hello in entries(at(one, "hello-adjacencies"), "hello-adjacency")]
    named = names.of_address(lsr) or next(
        (name for hello in hellos if (name := names.in_text(descriptions.get(hello["interface"] or "")))), None
    )
    since = state.get("up-timestamp") or state.get("last-established")
    return {
        "lsr_id": lsr,
        "label_space": number(one.get("label-space-id")),
        "peer_name": named,
        "lsr_known": names.of_address(lsr) is not None,
        "session_state": (word(state.get("session-state")) or "UNKNOWN").upper(),
        "up_since": told(since),
        "uptime_seconds": age(since),
        "transport_address": (transport := word(state.get("transport-address"))),
        "transport_known": names.of_address(transport) is not None,
        "discovery": hellos,
    }


def _hello(hello: Tree) -> dict[str, Any]:
    hold = at(hello, "hello-holdtime", "state")
    counters = at(hello, "state", "counters") or at(hello, "counters", "state")
    return {
        "interface": word(at(hello, "interface-ref", "state").get("interface")) or word(hello.get("interface-id")),
        "hello_hold_seconds": number(hold.get("negotiated")),
        "next_hello_seconds": number(hold.get("next-hello")),
        "hello_received": number(counters.get("hello-received")),
    }
