"""gNMIBuddy's own keys, beside ours, in what its ten tools give: clients that were written for it find what they know.

The keys are its interface, read from its answers on the same devices; docs/gnmi.md says where ours differ on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_interface
from typing import Any

from signalbox.agents.oncall.gnmi.envelope import Envelope
from signalbox.toolbox.serving import Offer

__all__ = ["with_gnmibuddy_keys"]

Data = Mapping[str, Any]
_DEFAULT = "default"
_INTERNAL_VRFS = ["default", "**iid"]
_POLICY = "openconfig-policy-types:"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The arguments of a call, when it was answered, and which parts could not be read, with why."""

    args: Mapping[str, Any]
    at: str
    failed: Mapping[str, str]

    @property
    def details(self) -> bool:
        return str(self.args.get("include_details", "")).casefold() in ("true", "1")

    def text(self, name: str) -> str | None:
        return self.args.get(name) or None


@dataclass(frozen=True, slots=True)
class _Shape:
    """Its word for what a tool does, and its keys in the data and the metadata of an answer; `absent` is the data to
    make them of for a device that does not have this."""

    operation: str
    keys: Callable[[Data, _Asked], tuple[dict[str, Any], dict[str, Any]]]
    absent: Data | None = None


def with_gnmibuddy_keys(offered: Offer) -> Offer:
    """The tool with gNMIBuddy's keys in its answers, if it is one of gNMIBuddy's that reads."""
    name = offered.tool.name
    shape = _SHAPES.get(name)
    if shape is None:
        return offered

    async def call(given: dict[str, Any]) -> Mapping[str, object]:
        # What gNMIBuddy always tells of MPLS is among the details here.
        whole = {**given, "include_details": True} if name == "get_mpls_info" else given
        return _shaped(shape, dict(await offered.call(whole)), given)

    return replace(offered, call=call)


def _shaped(shape: _Shape, envelope: Envelope, args: Mapping[str, Any]) -> Envelope:
    failed = {one["part"]: one["message"] for one in envelope["metadata"].get("errors", ())}
    asked = _Asked(args, _clock(envelope["metadata"]["collected_at"]) or "", failed)
    operation = shape.operation
    if operation == "interface_brief" and asked.text("interface"):
        operation = "interface_details"
    envelope["operation_type"] = operation
    found = shape.absent if envelope["status"] == "feature_not_available" else envelope["data"]
    if found and envelope["status"] != "failed":
        data, metadata = shape.keys(found, asked)
        envelope["data"] = {**envelope["data"], **data}
        envelope["metadata"] = {**envelope["metadata"], **metadata}
    elif operation == "interface_details" and envelope["error_response"]["type"] == "not_found":
        found = {"interface": asked.text("interface"), "issue_type": "INTERFACE_NOT_FOUND"}
        envelope["metadata"] |= found | {"message": envelope["error_response"]["message"]}
    if operation == "network_topology":
        envelope |= {"device_name": "ALL_DEVICES", "ip_address": "0.0.0.0", "nos": "unknown"}
    return envelope


def _clock(iso: str | None) -> str | None:
    """A moment as gNMIBuddy writes it."""
    return iso[:19].replace("T", " ") if iso else None


def _text(value: int | None) -> str | None:
    """A large number as it stands in JSON of OpenConfig."""
    return None if value is None else str(value)


# Profile and system


def _profile(data: Data, _: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    names = ("is_mpls_enabled", "is_isis_enabled", "is_bgp_l3vpn_enabled", "is_route_reflector")
    role = {"IGP_ONLY": "IGP-only", "UNKNOWN": "Unknown"}.get(data["role"], data["role"])
    kept = {name: data[name] for name in (*names, "has_vpn_ipv4_unicast_bgp")}
    return {"profile": {**kept, "role": role}}, {}


def _system(data: Data, _: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    booted, grpc, last = data["boot_time"], data["grpc"] or {}, data["last_message"] or {}
    server = {"name": None, "enable": None, "port": grpc.get("port"), "transport_security": grpc.get("tls")}
    moment = datetime.fromisoformat(booted) if booted else None
    told = {
        "hostname": data["hostname"],
        "current_datetime": data["current_datetime"],
        "software_version": data["software_version"],
        "timezone": data["timezone"],
        "memory_physical": _text((data["memory"] or {}).get("physical_bytes")),
        "grpc_servers": [{**server, "listen_addresses": []}] if grpc else [],
        "logging": [],
        "message": {"msg": last.get("text"), "priority": None, "app_name": None} if last else {},
        "users": data["users"],
        "boot_time": str(int(moment.timestamp()) * 10**9) if moment else None,
        "boot_time_human": f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if moment else None,
        "uptime": _duration(data["uptime_seconds"]),
    }
    return {"system_data": told, "summary": {}}, {}


def _duration(seconds: int | None) -> str | None:
    if seconds is None:
        return None
    days, rest = divmod(int(seconds), 86_400)
    return f"{days}d {rest // 3600}h {rest % 3600 // 60}m {rest % 60}s"


# Interfaces


def _interfaces(data: Data, asked: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    listed, wanted = data["interfaces"], asked.text("interface")
    told = {"interfaces": [_brief(one) for one in listed], "interface_count": len(listed)}
    if wanted:
        told["interfaces"] = [{**_brief(one), "interface": _detailed(one), "timestamp": None} for one in listed]
        told["interface_name"] = wanted
    up = [sum(one[key] == "UP" for one in listed) for key in ("admin_state", "oper_state")]
    told["summary"] = {
        **data["summary"],
        "admin_down_interfaces": data["summary"]["admin_down"],
        "total_interfaces": len(listed),
        "admin_up": up[0],
        "admin_down": len(listed) - up[0],
        "oper_up": up[1],
        "oper_down": len(listed) - up[1],
        "with_ip": sum(bool(one["addresses"]) for one in listed),
        "with_vrf": sum(bool(one["vrf"]) for one in listed),
    }
    details = f"Read {wanted}" if wanted else "Read all interfaces"
    return told, {"is_single_interface": bool(wanted), "operation_details": details}


def _brief(one: Data) -> dict[str, Any]:
    told = {**one, "admin_status": one["admin_state"], "oper_status": one["oper_state"]}
    address = _first_ipv4(one)
    return told | ({"ip_address": address.with_netmask} if address else {})


def _detailed(one: Data) -> dict[str, Any]:
    names = ("name", "admin_state", "oper_state", "description", "vrf", "mtu", "mac_address", "speed", "duplex")
    address, counted = _first_ipv4(one), one["counters"]
    counters = {name: _text(counted[name]) for name in ("in_packets", "out_packets", "in_errors", "out_errors")}
    return {
        **{name: one[name] for name in names},
        "ip_address": str(address.ip) if address else None,
        "prefix_length": address.network.prefixlen if address else None,
        "counters": counters,
    }


def _first_ipv4(one: Data) -> Any:
    return next((ip_interface(told) for told in one["addresses"] if ":" not in told), None)


# Routing


def _routing(data: Data, asked: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    wanted = _protocols(asked)
    makers = {"bgp": (_bgp_detailed, _bgp_summary), "isis": (_isis_detailed, _isis_summary)}
    listed = []
    for name in wanted:
        if data.get(name):
            detailed = makers[name][0](data[name], asked)
            summary = makers[name][1](detailed)
            entry = {"protocol": name, "detailed_data": detailed if asked.details else {}, "summary": summary}
            listed.append(entry)
    errors = {name: _protocol_error(name, asked) for name in wanted if not data.get(name)}
    statuses = {
        name: "success" if name not in errors else "failed" if name in asked.failed else "feature_not_available"
        for name in wanted
    }
    return {"routing_protocols": listed}, {
        "protocol": ", ".join(wanted),
        "include_details": asked.details,
        "successful_protocols": len(listed),
        "failed_protocols": list(statuses.values()).count("failed"),
        "feature_not_found_protocols": list(statuses.values()).count("feature_not_available"),
        "total_protocols": len(wanted),
        "protocol_statuses": statuses,
        "protocol_errors": errors,
    }


def _protocol_error(name: str, asked: _Asked) -> dict[str, str]:
    if name in asked.failed:
        return {"type": "error", "message": asked.failed[name]}
    return {"type": "feature_not_found", "message": f"{name.upper()} does not run on this device."}


def _protocols(asked: _Asked) -> list[str]:
    told = str(asked.text("protocol") or "bgp,isis").casefold().replace("-", "")
    return [name for name in ("bgp", "isis") if name in told.replace(" ", "").split(",")]


def _is_default(instance: str | None) -> bool:
    return (instance or _DEFAULT).casefold() == _DEFAULT


def _bgp_detailed(bgp: Data, asked: _Asked) -> dict[str, Any]:
    own: Data = next((one for one in bgp["instances"] if _is_default(one["network_instance"])), {})
    told = [(one["network_instance"], _bgp_neighbor(one)) for one in bgp["neighbors"]]
    here = [neighbor for name, neighbor in told if _is_default(name)]
    return {
        "data_timestamp": int(datetime.fromisoformat(f"{asked.at}+00:00").timestamp()) * 10**9 if asked.at else None,
        "data_timestamp_str": asked.at,
        "router": {
            "as_number": own.get("as"),
            "router_id": own.get("router_id"),
            "total_prefixes": own.get("total_prefixes"),
        },
        "address_families": _families(here, own.get("total_prefixes")),
        "neighbor_groups": _groups(bgp),
        "neighbors": here,
        "vrfs": [_bgp_vrf(one, told) for one in bgp["instances"] if not _is_default(one["network_instance"])],
    }


def _bgp_neighbor(one: Data) -> dict[str, Any]:
    prefixes = {
        str(family["afi_safi"]).casefold(): {"received": family["received"], "sent": family["sent"]}
        for family in one["prefixes"]
    }
    told = {
        "address": one["neighbor_address"],
        "remote_as": one["peer_as"],
        "group": one["peer_group"],
        "state": one["session_state"],
        "prefixes": prefixes,
    }
    since = _clock(one["last_established"])
    return told | ({"uptime": since} if since else {})


def _bgp_vrf(instance: Data, told: list[tuple[str | None, dict[str, Any]]]) -> dict[str, Any]:
    name = instance["network_instance"]
    here = [neighbor for place, neighbor in told if place == name]
    return {
        "name": name,
        "as_number": instance["as"],
        "router_id": instance["router_id"],
        "total_prefixes": instance["total_prefixes"],
        "address_families": _families(here, instance["total_prefixes"]),
        "neighbors": here,
    }


def _families(neighbors: list[dict[str, Any]], total: int | None) -> list[dict[str, Any]]:
    """The address families that neighbours talk in. Where there are several, no total of one is known."""
    names = dict.fromkeys(name for one in neighbors for name in one["prefixes"]) or {"ipv4_unicast": None}
    return [{"name": name, "prefixes": total if len(names) == 1 else None} for name in names]


def _groups(bgp: Data) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for one in bgp["neighbors"]:
        if one["peer_group"] and _is_default(one["network_instance"]):
            group = {"name": one["peer_group"], "remote_as": one["peer_as"], "update_source": one.get("local_address")}
            families = found.setdefault(one["peer_group"], {**group, "address_families": []})["address_families"]
            for family in one["prefixes"]:
                entry: dict[str, Any] = {"name": str(family["afi_safi"]).casefold()}
                entry |= {"is_rr_client": True} if one["route_reflector_client"] else {}
                if entry not in families:
                    families.append(entry)
    return list(found.values())


def _bgp_summary(bgp: Data) -> str:
    router, families = bgp["router"], ", ".join(one["name"] for one in bgp["address_families"])
    lines = [
        f"BGP at {bgp['data_timestamp_str']}: AS {router['as_number']}, router id {router['router_id']}, "
        f"{router['total_prefixes']} prefixes; address families: {families}",
        "Neighbors:" if bgp["neighbors"] else "Neighbors: none",
        *map(_neighbor_line, bgp["neighbors"]),
    ]
    for vrf in bgp["vrfs"]:
        lines += [f"VRF {vrf['name']}: AS {vrf['as_number']}, {vrf['total_prefixes']} prefixes"]
        lines += map(_neighbor_line, vrf["neighbors"])
    return "\n".join(lines)


def _neighbor_line(one: Data) -> str:
    counts = "; ".join(
        f"{name}: {count['received']} received, {count['sent']} sent" for name, count in one["prefixes"].items()
    )
    since = f" since {one['uptime']}" if one["state"] == "ESTABLISHED" and "uptime" in one else ""
    return f"  {one['address']} (AS {one['remote_as']}): {one['state']}{since}; {counts or 'no prefixes'}"


def _isis_detailed(isis: Data, _: _Asked) -> dict[str, Any]:
    own: Data = next(iter(isis["instances"]), {})
    levels: dict[str, list[int]] = {}
    for one in isis["adjacencies"]:
        if one["level"] is not None:
            levels.setdefault(one["interface"], []).append(one["level"])
    return {
        "router_id": None,
        "net": next(iter(own.get("net") or ()), None),
        "level_capability": own.get("level_capability"),
        "authentication_check": own.get("authentication_check"),
        "segment_routing_enabled": own.get("segment_routing_enabled"),
        "interfaces": [_isis_interface(one, levels.get(one["name"], [])) for one in isis["interfaces"]],
        "adjacencies": [_adjacency(one) for one in isis["adjacencies"]],
    }


def _isis_interface(one: Data, levels: list[int]) -> dict[str, Any]:
    return {
        **{name: one[name] for name in ("name", "enabled", "passive", "circuit_type")},
        "levels": [
            {"level_number": level, "enabled": True, "hello_authentication": None} for level in dict.fromkeys(levels)
        ],
        "authentication_enabled": None,
        "bfd_enabled": None,
    }


def _adjacency(one: Data) -> dict[str, Any]:
    names = ("interface", "system_id", "neighbor_ipv4", "level", "adjacency_type", "state")
    told = {name: one[name] for name in names}
    return told | {"neighbor_ipv6": one.get("neighbor_ipv6"), "area_address": one["area_addresses"]}


def _isis_summary(isis: Data) -> str:
    lines = [f"IS-IS: NET {isis['net']}, {isis['level_capability'] or 'level not told'}", "Interfaces:"]
    for one in isis["interfaces"]:
        state = "disabled" if one["enabled"] is False else "passive" if one["passive"] else "active"
        lines.append(f"  {one['name']}: {state}")
    lines.append("Adjacencies:" if isis["adjacencies"] else "Adjacencies: none")
    for one in isis["adjacencies"]:
        peer = f"{one['system_id']} ({one['neighbor_ipv4']})"
        lines.append(f"  {one['interface']} to {peer}: {one['state']}, level {one['level']}")
    return "\n".join(lines)


# MPLS and VPNs


def _mpls(data: Data, asked: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    names = ("null_label", "ttl_propagation")
    told: dict[str, Any] = {
        "enabled": data["enabled"],
        "label_blocks": [
            {"name": one["name"], "lower_bound": one["lower"], "upper_bound": one["upper"]}
            for one in data["label_ranges"]
        ]
        or ["NO_LABEL_BLOCKS_CONFIGURED"],
        "interfaces": [{name: one[name] for name in ("name", "mpls_enabled")} for one in data["interfaces"]]
        or ["NO_INTERFACES_CONFIGURED"],
        "global_settings": {name: data[name] for name in names if data.get(name) is not None},
    }
    told["summary"] = _mpls_summary(told)
    rare: dict[str, Any] = {} if asked.details else dict.fromkeys(("rsvp", *names))
    summary = {**data["summary"], "summary": told["summary"]}
    return {"mpls_data": told, "summary": summary, **rare}, {"include_details": asked.details}


_NO_MPLS: Data = {"enabled": False, "label_ranges": [], "interfaces": [], "summary": {}}


def _mpls_summary(told: Data) -> str:
    ports = [one["name"] for one in told["interfaces"] if isinstance(one, Mapping) and one["mpls_enabled"]]
    blocks = [one for one in told["label_blocks"] if isinstance(one, Mapping)]
    ranges = [f"{one['name']} {one['lower_bound']}-{one['upper_bound']}" for one in blocks]
    return f"MPLS on {', '.join(ports) or 'no interface'}; label ranges: {', '.join(ranges) or 'none'}"


def _vpn(data: Data, asked: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    wanted = asked.text("vrf_name")
    told = [
        {**one, "detailed_data": _vrf(one, asked) if asked.details else {}, "summary": _vrf_summary(one, asked)}
        for one in data["vrfs"]
    ]
    metadata = {
        "message": f"{len(told)} VRFs",
        "total_vrfs_on_device": None if wanted else len(told),
        "vrfs_returned": len(told),
        "vrf_filter_applied": bool(wanted),
        "vrf_filter": wanted,
        "include_details": asked.details,
        "excluded_internal_vrfs": _INTERNAL_VRFS,
    }
    return {"vrfs": told}, metadata


def _vrf(one: Data, asked: _Asked) -> dict[str, Any]:
    return {
        "timestamp": asked.at,
        "name": one["name"],
        "description": one.get("description"),
        "rd": one["route_distinguisher"] or "",
        "interfaces": one["interfaces"],
        "route_targets": {"import": one["import_route_targets"], "export": one["export_route_targets"]},
        "protocols": [*_vrf_bgp(one), *_vrf_static(one)],
    }


def _vrf_bgp(one: Data) -> list[dict[str, Any]]:
    bgp = one["bgp"]
    if not bgp:
        return []
    counted = {"as_number": bgp["as"], "paths": bgp["total_paths"], "prefixes": bgp["total_prefixes"]}
    return [{"type": f"{_POLICY}BGP", "name": _DEFAULT, "router_id": bgp.get("router_id"), **counted}]


def _vrf_static(one: Data) -> list[dict[str, Any]]:
    routes = [route for route in one.get("routes", ()) if route["protocol"] == "STATIC"]
    if not routes:
        return []
    listed = [
        {
            "prefix": route["prefix"],
            "next_hops": [
                {"address": hop["address"], "metric": route["metric"], "preference": None} for hop in route["next_hops"]
            ],
        }
        for route in routes
    ]
    return [{"type": "static-routes", "name": "DEFAULT", "routes": listed}]


def _vrf_summary(one: Data, asked: _Asked) -> str:
    imports, exports = (", ".join(one[f"{way}_route_targets"]) or "none" for way in ("import", "export"))
    return "\n".join(
        [
            f"VRF {one['name']} at {asked.at}{'' if one['enabled'] is not False else ' (disabled)'}",
            f"  Route distinguisher: {one['route_distinguisher'] or 'none'}",
            f"  Route targets: import {imports}; export {exports}",
            f"  Interfaces: {', '.join(one['interfaces']) or 'none'}",
            f"  Protocols: {', '.join(one['protocols']) or 'none'}",
        ]
    )


# Logs and topology


def _logs(data: Data, _: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    filters = data["filters"]
    applied = {
        "keywords": filters["keywords"],
        "filter_minutes": None if filters["show_all_logs"] else filters["minutes"],
        "show_all_logs": filters["show_all_logs"],
    }
    return {
        "logs": [{**one, "message": one["text"]} for one in data["logs"]],
        "summary": {"count": len(data["logs"]), "filter_info": applied},
        "filters_applied": applied,
    }, {}


_LINK = ("network", "local_interface", "remote_interface", "local_ip", "remote_ip")


def _neighbors(data: Data, _: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    told = [{**one, "attributes": {name: one[name] for name in _LINK}} for one in data["neighbors"]]
    message = f"{len(told)} links of {data['device']}"
    return {"neighbors": told}, {"message": message, "device_in_topology": True, "neighbor_count": len(told)}


def _topology(data: Data, _: _Asked) -> tuple[dict[str, Any], dict[str, Any]]:
    told = [
        {
            "source": one["a"],
            "target": one["b"],
            "attributes": {
                "network": one["network"],
                "local_interface": one["a_interface"],
                "remote_interface": one["b_interface"],
                "local_ip": one["a_ip"],
                "remote_ip": one["b_ip"],
            },
        }
        for one in data["links"]
        if one["network"]
    ]
    counted = {"total_connections": len(told), "total_nodes": len(data["nodes"]), "total_edges": len(told)}
    return {"direct_connections": told}, {**counted, "scope": "network-wide", "context_device": "network-wide"}


_SHAPES: Mapping[str, _Shape] = {
    "get_device_profile_api": _Shape("device_profile", _profile),
    "get_system_info": _Shape("system_info", _system),
    "get_interface_info": _Shape("interface_brief", _interfaces),
    "get_routing_info": _Shape("routing_info", _routing, {"bgp": None, "isis": None}),
    "get_mpls_info": _Shape("mpls_info", _mpls, _NO_MPLS),
    "get_vpn_info": _Shape("vpn_info", _vpn, {"vrfs": []}),
    "get_logs": _Shape("logs", _logs),
    "get_topology_neighbors": _Shape("topology_neighbors", _neighbors),
    "get_network_topology_api": _Shape("network_topology", _topology),
}
