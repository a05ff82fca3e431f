"""openconfig-network-instance: the default table and the VRFs, with BGP, IS-IS, MPLS, LDP and the routes in use."""

from __future__ import annotations

from typing import Any

from signalbox.worlds.network.openconfig.bgp import bgp, speaks_bgp
from signalbox.worlds.network.openconfig.interfaces import MANAGEMENT
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.snapshot import Route
from signalbox.worlds.network.values import nanoseconds

__all__ = ["network_instances"]

Hop = tuple[str, str, str]
_KINDS = "openconfig-network-instance-types:"
_PROTOCOLS = "openconfig-policy-types:"


def network_instances(router: Router) -> dict[str, Any]:
    """The default table first, then the VRFs by name, then management."""
    vrfs = [name for name, vrf in router.model.vrfs.items() if router.name in vrf.members]
    return {"network-instance": [_default(router), *(_vrf(router, name) for name in vrfs), _management(router)]}


def _default(router: Router) -> dict[str, Any]:
    protocols: list[dict[str, Any]] = []
    if speaks_bgp(router):
        protocols.append({"identifier": _PROTOCOLS + "BGP", "name": "default", "bgp": lambda: bgp(router, None)})
    if router.device.runs_isis:
        protocols.append({"identifier": _PROTOCOLS + "ISIS", "name": "1", "isis": lambda: _isis(router)})
    kind = {"name": "DEFAULT", "type": _KINDS + "DEFAULT_INSTANCE", "enabled": True}
    found: dict[str, Any] = {
        "name": "DEFAULT",
        "state": {**kind, "router-id": router.device.loopback},
        "protocols": {"protocol": protocols},
        "afts": lambda: _afts(_default_routes(router)),
    }
    if router.device.runs_ldp:
        found["mpls"] = lambda: _mpls(router)
    return found


def _default_routes(router: Router) -> list[Route]:
    if router.device.role != "CE":
        return router.now.core_routes(router.name)
    own = Route(f"{router.device.loopback}/32", "DIRECTLY_CONNECTED", 0, ((router.name, "0.0.0.0", "Loopback0"),))
    return [own, *router.now.vrf_routes(router.name, "CUST-A")]


def _vrf(router: Router, name: str) -> dict[str, Any]:
    vrf = router.model.vrfs[name]
    ports = [end.interface for end, link in router.model.ends[router.name] if link.vrf == name]
    imported = [vrf.route_target] if router.now.imports(router.name, name) else []
    targets: dict[str, Any] = {"export-route-target": [vrf.route_target]}
    if imported:
        targets["import-route-target"] = imported
    return {
        "name": name,
        "state": {
            "name": name,
            "type": _KINDS + "L3VRF",
            "enabled": True,
            "enabled-address-families": ["openconfig-types:IPV4"],
            "route-distinguisher": f"{router.device.loopback}:{vrf.number}",
        },
        "interfaces": {"interface": [_member(one) for one in (f"Loopback{vrf.number}", *ports)]},
        "protocols": {
            "protocol": [{"identifier": _PROTOCOLS + "BGP", "name": "default", "bgp": lambda: bgp(router, name)}]
        },
        "inter-instance-policies": {"import-export-policy": {"state": targets}},
        "afts": lambda: _afts(router.now.vrf_routes(router.name, name)),
    }


def _member(interface: str) -> dict[str, Any]:
    return {"id": interface, "state": {"id": interface, "interface": interface, "subinterface": 0}}


def _management(router: Router) -> dict[str, Any]:
    """How the router itself is reached: no VPN of anybody."""
    hop = {"index": "##172.20.0.1##", "state": {"index": "##172.20.0.1##", "next-hop": "172.20.0.1", "metric": 0}}
    static = {"prefix": "0.0.0.0/0", "state": {"prefix": "0.0.0.0/0"}, "next-hops": {"next-hop": [hop]}}
    routes = [
        Route("0.0.0.0/0", "STATIC", 0, (("", "172.20.0.1", MANAGEMENT),)),
        Route("172.20.0.0/24", "DIRECTLY_CONNECTED", 0, (("", "0.0.0.0", MANAGEMENT),)),
    ]
    return {
        "name": "Mgmt",
        "state": {
            "name": "Mgmt",
            "type": _KINDS + "L3VRF",
            "enabled": True,
            "enabled-address-families": ["openconfig-types:IPV4"],
        },
        "interfaces": {"interface": [_member(MANAGEMENT)]},
        "protocols": {"protocol": [{"identifier": "STATIC", "name": "DEFAULT", "static-routes": {"static": [static]}}]},
        "afts": lambda: _afts(routes),
    }


def _isis(router: Router) -> dict[str, Any]:
    state = {
        "instance-id": 0,
        "net": [f"49.0001.{router.device.system_id}.00"],
        "level-capability": "LEVEL_2",
        "hello-padding": "STRICT",
    }
    entries = {end.interface: (end, level, since, count) for end, _, level, since, count in router.adjacencies()}
    listed = [_passive()]
    for end, link in router.model.ends[router.name]:
        if link.isis:
            listed.append(_circuit(router, end.interface, entries.get(end.interface), router.now.oper_up(link)))
    overload = {"overload-bit": {"state": {"set-bit": False}}}
    return {"global": {"state": state, "lsp-bit": overload}, "interfaces": {"interface": listed}}


def _passive() -> dict[str, Any]:
    return {
        "interface-id": "Loopback0",
        "state": {"interface-id": "Loopback0", "enabled": True, "passive": True, "circuit-type": "POINT_TO_POINT"},
    }


def _circuit(router: Router, interface: str, entry: Any, lit: bool) -> dict[str, Any]:
    level: dict[str, Any] = {"level-number": 2, "state": {"level-number": 2, "enabled": True}}
    family = {"afi-name": "openconfig-isis-types:IPV4", "safi-name": "openconfig-isis-types:UNICAST"}
    level["afi-safi"] = {"af": [{**family, "state": {**family, "metric": 10, "enabled": True}}]}
    changes = 1
    if entry:
        end, state, since, changes = entry
        peer = router.model.devices[end.peer]
        told: dict[str, Any] = {
            "system-id": peer.system_id,
            "neighbor-ipv4-address": end.peer_address,
            "neighbor-circuit-type": "LEVEL_2",
            "adjacency-type": "LEVEL_2",
            "adjacency-state": state,
            "area-address": ["49.0001"],
        }
        if state == "UP":
            told["up-timestamp"] = nanoseconds(since)
        level["adjacencies"] = {"adjacency": [{"system-id": peer.system_id, "state": told}]}
    return {
        "interface-id": interface,
        "interface-ref": {"state": {"interface": interface}},
        "state": {
            "interface-id": interface,
            "enabled": True,
            "passive": False,
            "hello-padding": "STRICT",
            "circuit-type": "POINT_TO_POINT",
        },
        "circuit-counters": {"state": {"adj-changes": changes, "adj-number": int(bool(entry)), "rejected-adj": 0}},
        "levels": {"level": [level]},
    }


def _mpls(router: Router) -> dict[str, Any]:
    labelled = [(end, link) for end, link in router.model.ends[router.name] if link.ldp]
    blocks = [("default-srgb", 16000, 23999), ("dynamic", 24000, 1048575)]
    return {
        "global": {
            "state": {"null-label": "openconfig-mpls-types:IMPLICIT", "ttl-propagation": True},
            "reserved-label-blocks": {
                "reserved-label-block": [
                    {"local-id": name, "state": {"local-id": name, "lower-bound": low, "upper-bound": high}}
                    for name, low, high in blocks
                ]
            },
            "interface-attributes": {
                "interface": [
                    {"interface-id": end.interface, "state": {"interface-id": end.interface, "mpls-enabled": True}}
                    for end, _ in labelled
                ]
            },
        },
        "signaling-protocols": {"ldp": _ldp(router)},
    }


def _ldp(router: Router) -> dict[str, Any]:
    labelled = [end.interface for end, link in router.model.ends[router.name] if link.ldp]
    return {
        "global": {"state": {"lsr-id": router.device.loopback}},
        "interface-attributes": {
            "interfaces": {
                "interface": [
                    {"interface-id": name, "state": {"interface-id": name, "enabled": True}} for name in labelled
                ]
            }
        },
        "neighbors": {"neighbor": [_ldp_neighbour(router, end, state) for end, state in router.ldp_neighbours()]},
    }


def _ldp_neighbour(router: Router, end: Any, state: str) -> dict[str, Any]:
    loopback = router.model.devices[end.peer].loopback
    hello = {
        "remote-address": end.peer_address,
        "local-address": end.address,
        "state": {"remote-address": end.peer_address, "local-address": end.address, "adjacency-type": "LINK"},
        "interface-ref": {"state": {"interface": end.interface}},
        "hello-holdtime": {"state": {"negotiated": 15, "hello-expiration": 12, "next-hello": 2}},
    }
    return {
        "lsr-id": loopback,
        "label-space-id": 0,
        "state": {
            "lsr-id": loopback,
            "label-space-id": 0,
            "session-state": state,
            "transport-address": loopback,
        },
        "hello-adjacencies": {"hello-adjacency": [hello]},
    }


def _afts(routes: list[Route]) -> dict[str, Any]:
    """The routes in use. Entries with the same next hops share a group, as in hardware."""
    groups: dict[tuple[Hop, ...], int] = {}
    hops: dict[Hop, int] = {}
    entries = []
    for route in routes:
        group = groups.setdefault(route.next_hops, len(groups) + 1)
        for hop in route.next_hops:
            hops.setdefault(hop, len(hops) + 1)
        state = {
            "prefix": route.prefix,
            "origin-protocol": _PROTOCOLS + route.protocol,
            "next-hop-group": str(group),
            "openconfig-aft-ext:metric": route.metric,
        }
        entries.append({"prefix": route.prefix, "state": state})
    return {
        "ipv4-unicast": {"ipv4-entry": entries},
        "next-hop-groups": {"next-hop-group": [_group(number, found, hops) for found, number in groups.items()]},
        "next-hops": {"next-hop": [_hop(number, hop) for hop, number in hops.items()]},
    }


def _group(number: int, found: tuple[Hop, ...], hops: dict[Hop, int]) -> dict[str, Any]:
    listed = [{"index": str(hops[hop]), "state": {"index": str(hops[hop]), "weight": "1"}} for hop in found]
    return {"id": str(number), "state": {"id": str(number)}, "next-hops": {"next-hop": listed}}


def _hop(number: int, hop: Hop) -> dict[str, Any]:
    _, address, interface = hop
    state: dict[str, Any] = {"index": str(number)}
    if address != "0.0.0.0":
        state["ip-address"] = address
    return {"index": str(number), "state": state, "interface-ref": {"state": {"interface": interface}}}
