"""openconfig-aft: the routes in use, with where they go."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Any

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, instances, number, word

__all__ = ["choose", "parse_routes"]

_FAMILIES = (("ipv4-unicast", "ipv4-entry"), ("ipv6-unicast", "ipv6-entry"))


def parse_routes(tree: Tree, names: Names) -> dict[str, list[dict[str, Any]]]:
    """The routes of every network instance that tells them, by its name."""
    return {name: _routes(at(one, "afts"), names) for name, one in instances(tree) if at(one, "afts")}


def _routes(afts: Tree, names: Names) -> list[dict[str, Any]]:
    hops = {word(one.get("index")): _hop(one, names) for one in entries(at(afts, "next-hops"), "next-hop")}
    groups = {
        word(one.get("id")): [
            hops[index]
            for hop in entries(at(one, "next-hops"), "next-hop")
            if (index := word(hop.get("index"))) in hops
        ]
        for one in entries(at(afts, "next-hop-groups"), "next-hop-group")
    }
    found = []
    for family, listed in _FAMILIES:
        for one in entries(at(afts, family), listed):
            state = at(one, "state")
            found.append(
                {
                    "prefix": word(one.get("prefix")) or word(state.get("prefix")),
                    "protocol": word(state.get("origin-protocol")),
                    "metric": number(state.get("metric")),
                    "next_hops": groups.get(word(state.get("next-hop-group")), []),
                }
            )
    return found


def _hop(one: Tree, names: Names) -> dict[str, Any]:
    address = word(at(one, "state").get("ip-address"))
    return {
        "address": address,
        "interface": word(at(one, "interface-ref", "state").get("interface")),
        "peer_name": names.of_address(address),
    }


def choose(routes: list[dict[str, Any]], asked: str) -> list[dict[str, Any]]:
    """The route for an address or a prefix: itself, else the longest that covers it.

    Raises GnmiError `not_found` where it is neither.
    """
    try:
        wanted = ip_network(asked.strip(), strict=False) if "/" in asked else ip_network(ip_address(asked.strip()))
    except ValueError:
        raise GnmiError(
            "not_found", f"'{asked}' is no address and no prefix.", suggestion="Write 10.0.0.1 or 10.0.0.0/24."
        ) from None
    best: list[dict[str, Any]] = []
    longest = -1
    for route in routes:
        try:
            network = ip_network(route["prefix"], strict=False)
        except (TypeError, ValueError):
            continue
        if network.version == wanted.version and wanted.subnet_of(network):  # type: ignore[arg-type]
            if network.prefixlen > longest:
                best, longest = [], network.prefixlen
            if network.prefixlen == longest:
                best.append(route)
    return best
