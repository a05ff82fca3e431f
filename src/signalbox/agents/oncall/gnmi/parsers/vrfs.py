"""openconfig-network-instance: the VRFs of a device, with what goes in and out of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.bgp import parse_neighbours
from signalbox.agents.oncall.gnmi.parsers.routes import parse_routes
from signalbox.agents.oncall.gnmi.tree import Tree, at, entries, find, instances, number, unapplied, word, words

__all__ = ["interface_vrfs", "parse_vrfs", "summarize_vrfs"]

_DEFAULT = "default"
_MOST_ROUTES = 500


def parse_vrfs(tree: Tree, names: Names, details: bool = False) -> list[dict[str, Any]]:
    """Every VRF; the default instance is none."""
    routes = parse_routes(tree, names)
    return [_vrf(name, one, routes.get(name), names, details) for name, one in instances(tree) if _is_vrf(name, one)]


def _is_vrf(name: str, one: Tree) -> bool:
    kind = word(at(one, "state").get("type")) or ""
    return bool(name) and name.lower() != _DEFAULT and kind != "DEFAULT_INSTANCE"


def _vrf(name: str, one: Tree, routes: list[dict[str, Any]] | None, names: Names, details: bool) -> dict[str, Any]:
    state, policy = at(one, "state"), at(one, "inter-instance-policies", "import-export-policy", "state")
    protocols = entries(at(one, "protocols"), "protocol")
    answer = {
        "name": name,
        "type": word(state.get("type")),
        "enabled": state.get("enabled"),
        "route_distinguisher": word(state.get("route-distinguisher")),
        "interfaces": _members(one),
        "address_families": words(state.get("enabled-address-families")),
        "import_route_targets": words(policy.get("import-route-target")),
        "export_route_targets": words(policy.get("export-route-target")),
        "protocols": [text for text in (word(p.get("identifier")) for p in protocols) if text],
        "bgp": _bgp(one),
        "bgp_neighbors": parse_neighbours(name, one, names),
        "unapplied": unapplied({name: value for name, value in one.items() if name not in ("protocols", "afts")}),
        "route_count": None if routes is None else len(routes),
        "routes_by_protocol": {} if routes is None else dict(Counter(r["protocol"] or "UNKNOWN" for r in routes)),
    }
    return answer | ({"routes": (routes or [])[:_MOST_ROUTES]} if details else {})


def _members(one: Tree) -> list[str]:
    found = (word(entry.get("id")) for entry in entries(at(one, "interfaces"), "interface"))
    return [name for name in found if name]


def _bgp(one: Tree) -> dict[str, Any] | None:
    for found in find(at(one, "protocols"), "global"):
        state = at(found, "state") if isinstance(found, dict) else {}
        if "as" in state:
            return {
                "as": number(state.get("as")),
                "total_prefixes": number(state.get("total-prefixes")),
                "total_paths": number(state.get("total-paths")),
            }
    return None


def summarize_vrfs(vrfs: list[dict[str, Any]]) -> dict[str, Any]:
    """Which of them have no routes, and which export and do not import."""
    return {
        "total": len(vrfs),
        "without_routes": [one["name"] for one in vrfs if one["route_count"] == 0],
        "without_import": [
            one["name"] for one in vrfs if one["export_route_targets"] and not one["import_route_targets"]
        ],
    }


def interface_vrfs(tree: Tree) -> dict[str, str]:
    """Which interface belongs to which VRF."""
    return {interface: name for name, one in instances(tree) if _is_vrf(name, one) for interface in _members(one)}
