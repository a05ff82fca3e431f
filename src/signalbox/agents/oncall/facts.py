"""What was collected, as records that checks look at: one for each session, port, adjacency, VRF, link, alarm and line.

    interface       as get_interface_info has it, its counters beside it; errors, packets (in)
    bgp_instance    BGP itself in one table, with its router id
    bgp             a neighbour; received and sent over all address families, who (its name and address)
    isis            an adjacency; who
    isis_instance   a process of IS-IS
    isis_interface  an interface that IS-IS runs on; has_adjacency
    ldp             a neighbour; who
    ldp_interface   an interface that LDP runs on; has_neighbor
    mpls_interface  an interface of the MPLS list
    vrf             a VRF
    link            a link to a neighbouring device, with both ends
    system          the device itself; cpu and memory in percent
    hardware        a fan, a power supply, a card, or a part with a temperature
    disk            a file system; used_percent
    optic           a channel of an optic, with the port's name; light in dBm, bias, temperature and the limits
    queue           an output queue of a port (interface)
    lacp            a member of a bundle
    bfd             a session of BFD on a port (interface)
    label_block     a range of labels
    alarm           an active alarm
    log             a line of the log; event, about, is_up and why, where its form is known
    route           a route in use
    lldp            a neighbour that is heard by LLDP
    device          whether it answers: reachable, and error_type and error where it does not
    unapplied       what is configured and not in use: what, name, text
    unread          what is up here and whose far end could not be read: what, name, far_device, why
    values          all leaves of a device by their paths; see oddities.py
    odd             what is odd among them: name, field, text, cause, topic
    changed         what is configured otherwise than in the last good state: what, name, text
    missing         what the far end, the neighbours or the last good state have and the device has not; see far_ends.py
    presence        what was found of a kind of things (kind), or of one by its name: state, known, why; see presence.py

Every record also has `device` and `evidence`, the id of the call that it comes from. A later call of the same thing
takes the place of an earlier one. Answers of other shapes give no records, and never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.events import event_of
from signalbox.agents.oncall.presence import read_presence

__all__ = ["KINDS", "TOPICS", "Record", "collect"]

Record = dict[str, Any]
KINDS = (
    "interface bgp_instance bgp isis isis_instance isis_interface ldp ldp_interface mpls_interface mpls vrf link "
    "system hardware disk optic queue lacp bfd label_block alarm log route lldp indicator device presence unapplied "
    "changed missing values odd unread"
).split()
"""The kinds of records."""
TOPICS = {"isis_interface": "isis", "isis_instance": "isis", "ldp_interface": "ldp"}
"""The topic of records of a kind, where it is not the kind itself."""
_UNREACHABLE = (
    "refused",
    "timeout",
    "tls",
    "auth",
    "unavailable",
    "tool_timeout",
    "rate_limited",
    "parse",
    "unsupported",
)


def collect(results: Sequence[Mapping[str, Any]], device: str) -> dict[str, list[Record]]:
    """The records of one device, by kind, in the order of the calls."""
    kept: dict[str, dict[Any, Record]] = {}
    answered, failed = False, None
    own = [one for one in results if one.get("device_name") in (None, device)]
    calls = [call for one in own for call in one.get("executed_calls") or ()]
    for call in calls:
        data = (call.get("result") or {}).get("data")
        answered = answered or bool(call.get("result"))
        if call.get("error") and call.get("error_type") in _UNREACHABLE:
            failed = failed or call
        common = {"device": device, "evidence": call.get("evidence", "")}
        for kind, key, record in _records(str(call.get("function")), data):
            kept.setdefault(kind, {})[key] = {**record, **common}
            for text in record.get("unapplied") or ():
                name, topic = record.get("name") or record.get("neighbor_address"), TOPICS.get(kind, kind)
                told = {"what": kind, "name": name, "topic": topic, "text": text}
                kept.setdefault("unapplied", {})[kind, name, text] = {**told, **common}
    state: Record = {
        "device": device,
        "reachable": answered or failed is None,
        "error_type": None,
        "error": None,
        "evidence": "",
    }
    if failed is not None:
        state |= {"error_type": failed["error_type"], "error": failed["error"], "evidence": failed.get("evidence", "")}
    presence = [one.as_record() for one in read_presence(calls, device)]
    records = {kind: list(found.values()) for kind, found in kept.items()}
    return {"device": [state], **({"presence": presence} if presence else {}), **records}


def _records(tool: str, data: Any) -> Iterator[tuple[str, Any, Record]]:
    reader = _READERS.get(tool)
    if reader is not None and isinstance(data, Mapping):
        yield from reader(data)


def _interfaces(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("interfaces")):
        counters = _map(one.get("counters"))
        errors = [_number(counters.get(name)) for name in ("in_errors", "in_fcs_errors", "in_crc_errors")]
        more = {
            "errors": max((count for count in errors if count is not None), default=None),
            "packets": _number(counters.get("in_packets")),
            "dropped_by_filter": max(
                (_number(it.get("dropped_packets")) or 0 for it in _maps(one.get("filters"))), default=None
            ),
            "addresses": list(one.get("addresses") or ()),
        }
        name = one.get("name")
        yield "interface", name, {**counters, **one, **more}
        for kind, key in (("optic", "optics"), ("queue", "queues"), ("bfd", "bfd")):
            for number, part in enumerate(_maps(one.get(key))):
                # Queues and sessions have names of their own; what a channel of an optic has is its port's.
                yield kind, (name, number), {"name": name, **part, "interface": name}
        if isinstance(one.get("lacp"), Mapping):
            yield "lacp", name, {**one["lacp"], "name": name}


def _routing(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    bgp, isis = _map(data.get("bgp")), _map(data.get("isis"))
    yield from _neighbors(_maps(bgp.get("neighbors")))
    for one in _maps(bgp.get("instances")):
        yield "bgp_instance", one.get("network_instance"), dict(one)
    for one in _maps(isis.get("adjacencies")):
        who = one.get("neighbor_name") or one.get("system_id")
        yield "isis", (one.get("interface"), one.get("system_id"), one.get("level")), {**one, "who": who}
    for one in _maps(isis.get("instances")):
        yield "isis_instance", one.get("name"), dict(one)
    adjacent = {one.get("interface") for one in _maps(isis.get("adjacencies"))}
    for one in _maps(isis.get("interfaces")):
        yield (
            "isis_interface",
            one.get("name"),
            {**one, "has_adjacency": one.get("name") in adjacent or bool(one.get("adjacency_count"))},
        )


def _neighbors(found: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any, Record]]:
    for one in found:
        families = _maps(one.get("prefixes"))
        address, name = one.get("neighbor_address"), one.get("peer_name")
        queues = _map(one.get("queues"))
        limits = [(_number(it.get("received")), _number(it.get("prefix_limit"))) for it in families]
        more = {
            **{name: _total(families, name) for name in ("received", "sent", "installed", "received_before_policy")},
            "prefix_limit": _total(families, "prefix_limit"),
            "limit_used": max((100 * used / most for used, most in limits if used is not None and most), default=None),
            "output_queue": _number(queues.get("output")),
            "inactive_families": sorted(str(it.get("afi_safi")) for it in families if it.get("active") is False),
            "families": sorted(str(it.get("afi_safi")) for it in families if it.get("enabled") is not False),
            "who": f"{address} ({name})" if name else str(address),
        }
        yield "bgp", (one.get("network_instance"), address), {**one, **more}


def _ldp(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    own = data.get("ldp") if isinstance(data.get("ldp"), Mapping) else data
    neighbors = _maps((own or {}).get("neighbors"))
    for one in neighbors:
        name, lsr = one.get("peer_name"), one.get("lsr_id")
        ports = [str(hello.get("interface")) for hello in _maps(one.get("discovery"))]
        yield "ldp", lsr, {**one, "who": f"{lsr} ({name})" if name else str(lsr), "ports": ports}
    lonely = {str(name) for name in _map(data.get("summary")).get("interfaces_without_neighbor") or ()}
    if data is own:
        for one in _maps(data.get("interfaces")):
            yield "ldp_interface", one.get("name"), {**one, "has_neighbor": str(one.get("name")) not in lonely}


def _mpls(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("interfaces")):
        yield "mpls_interface", one.get("name"), dict(one)
    for one in _maps(data.get("label_ranges")):
        lower, upper = _number(one.get("lower")), _number(one.get("upper"))
        size = None if lower is None or upper is None else upper - lower + 1
        yield "label_block", one.get("name"), {**one, "size": size, "range": f"{lower}-{upper}"}
    yield (
        "mpls",
        "mpls",
        {
            "enabled": data.get("enabled"),
            "segment_routing": data.get("segment_routing"),
            "ldp_router_id": _map(data.get("ldp")).get("router_id"),
            "label_ranges": [
                f"{one.get('name')} {one.get('lower')}–{one.get('upper')}" for one in _maps(data.get("label_ranges"))
            ],
            "name": "MPLS",
        },
    )
    if isinstance(data.get("ldp"), Mapping):
        yield from _ldp(data)


def _vpn(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("vrfs")):
        by_protocol = _map(one.get("routes_by_protocol"))
        more = {"bgp_routes": by_protocol.get("BGP", 0) if by_protocol else None}
        yield "vrf", one.get("name"), {**one, **more}
        yield from _neighbors(_maps(one.get("bgp_neighbors")))


def _links(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("neighbors")):
        yield "link", (one.get("local_interface"), one.get("neighbor"), one.get("remote_interface")), dict(one)


def _system(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    cpu, memory, ntp = (_map(data.get(name)) for name in ("cpu", "memory", "ntp"))
    offsets = [_number(one.get("offset_seconds")) for one in _maps(ntp.get("servers")) if one.get("synchronized")]
    processes = _maps(data.get("top_processes"))
    largest = max(processes, key=lambda one: _number(one.get("memory_percent")) or 0, default={})
    more = {
        "cpu": _number(cpu.get("average_percent")) or _number(cpu.get("instant_percent")),
        "core": _number(_map(cpu.get("busiest_core")).get("average_percent")),
        "core_index": _map(cpu.get("busiest_core")).get("index"),
        "memory": _number(memory.get("used_percent")),
        "ntp_enabled": ntp.get("enabled"),
        "ntp_synchronized": ntp.get("synchronized"),
        "ntp_offset": min((abs(one) for one in offsets if one is not None), default=None),
        "ntp_servers": [one.get("address") for one in _maps(ntp.get("servers"))] if ntp else None,
        "busiest": next((str(one.get("name")) for one in processes), None),
        "shares": [f"{one.get('name')} {_number(one.get('cpu_percent')) or 0:g} %" for one in processes],
        "largest": largest.get("name"),
        "largest_percent": _number(largest.get("memory_percent")),
    }
    yield "system", "system", {**data, **more}
    for one in _maps(data.get("hardware")):
        yield "hardware", one.get("name"), dict(one)
    for one in _maps(data.get("disks")):
        yield "disk", one.get("name"), dict(one)


def _alarms(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("alarms")):
        yield "alarm", one.get("id") or (one.get("resource"), one.get("text")), dict(one)


def _logs(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("logs")):
        yield "log", (one.get("time"), one.get("text")), {**one, **event_of(str(one.get("text", "")))}


def _routes(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("routes")):
        hops = ", ".join(str(hop.get("interface") or hop.get("address")) for hop in _maps(one.get("next_hops")))
        more = {"hops": hops, "network_instance": data.get("network_instance")}
        yield "route", (data.get("network_instance"), one.get("prefix"), one.get("protocol")), {**one, **more}


def _lldp(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    for one in _maps(data.get("neighbors")):
        yield "lldp", (one.get("local_interface"), one.get("neighbor_name")), dict(one)


def _health(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    if isinstance(data.get("system"), Mapping):
        yield from _system(data["system"])
    if isinstance(data.get("alarms"), Mapping):
        yield from _alarms(data["alarms"])
    for one in _maps(data.get("indicators")):
        yield "indicator", one.get("name"), dict(one)


def _values(data: Mapping[str, Any]) -> Iterator[tuple[str, Any, Record]]:
    yield "values", "values", {"values": _map(data.get("values"))}


_READERS: dict[str, Callable[[Mapping[str, Any]], Iterator[tuple[str, Any, Record]]]] = {
    "get_interface_info": _interfaces,
    "get_routing_info": _routing,
    "get_ldp_neighbors": _ldp,
    "get_mpls_info": _mpls,
    "get_vpn_info": _vpn,
    "get_topology_neighbors": _links,
    "get_system_info": _system,
    "get_alarms": _alarms,
    "get_logs": _logs,
    "get_route": _routes,
    "get_lldp_neighbors": _lldp,
    "get_device_health": _health,
    "get_values": _values,
}


def _maps(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list | tuple) else []


def _map(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _number(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return given


def _total(families: Sequence[Mapping[str, Any]], name: str) -> float | None:
    counts = [count for one in families if (count := _number(one.get(name))) is not None]
    return sum(counts) if counts else None
