"""openconfig-system: the device itself, its clock, load and alarms. Of users it tells names and roles, never more."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from signalbox.agents.oncall.gnmi.parsers.moments import age, iso, told
from signalbox.agents.oncall.gnmi.tree import Tree, at, decimal, entries, find, moment, number, reach, word
from signalbox.settings import now

__all__ = ["parse_alarms", "parse_system"]

_UNSYNCHRONISED = 16
_TOP = 5
_HARDWARE = ("FAN", "FAN_TRAY", "POWER_SUPPLY", "LINECARD", "FABRIC", "CONTROLLER_CARD")


def parse_system(tree: Tree) -> dict[str, Any]:
    """What a device says of itself."""
    system = at(tree, "system")
    state = at(system, "state")
    clock = moment(state.get("current-datetime"))
    boot = moment(state.get("boot-time"))
    return {
        "hostname": word(state.get("hostname")),
        "software_version": word(state.get("software-version")),
        "timezone": word(at(system, "clock", "state").get("timezone-name")),
        "current_datetime": iso(clock),
        "boot_time": iso(boot),
        "uptime_seconds": _seconds(boot, clock or now()),
        "clock_offset_seconds": round((clock - now()).total_seconds(), 1) + 0.0 if clock else None,
        "last_reboot_reason": _reboot_reason(tree),
        "hardware": _hardware(entries(at(tree, "components"), "component")),
        "disks": _disks(entries(at(system, "mount-points"), "mount-point")),
        "memory": _memory(at(system, "memory", "state")),
        "cpu": _cpu(entries(at(system, "cpus"), "cpu")),
        "top_processes": _processes(entries(at(system, "processes"), "process")),
        "restarted_processes": _restarted(entries(at(system, "processes"), "process"), boot, clock or now()),
        "ntp": _ntp(at(system, "ntp")),
        "grpc": _grpc(entries(at(system, "grpc-servers"), "grpc-server")),
        "users": _users(entries(at(system, "aaa", "authentication", "users"), "user")),
        "last_message": _message(at(system, "messages", "state")),
    }


def _seconds(start: datetime | None, end: datetime) -> int | None:
    return max(0, int((end - start).total_seconds())) if start else None


def _reboot_reason(tree: Tree) -> str | None:
    return next((text for text in map(word, find(at(tree, "components"), "last-reboot-reason")) if text), None)


def _hardware(listed: list[Tree]) -> list[dict[str, Any]]:
    """Fans, power supplies, cards, and what has a temperature; slots that are empty are none."""
    found = []
    for one in listed:
        state = at(one, "state")
        kind, heat = (word(state.get("type")) or "").upper(), at(state, "temperature")
        if state.get("empty") is True or not (kind in _HARDWARE or heat):
            continue
        found.append(
            {
                "name": word(one.get("name")) or word(state.get("name")),
                "type": kind,
                "oper_state": (word(state.get("oper-status")) or "").upper() or None,
                "temperature": decimal(heat.get("instant")),
                "temperature_limit": decimal(heat.get("alarm-threshold")),
                "temperature_alarm": heat.get("alarm-status") if isinstance(heat.get("alarm-status"), bool) else None,
                "fan_speed": decimal(reach(one, "fan/state/speed")),
                "input_voltage": decimal(reach(one, "power-supply/state/input-voltage")),
                "enabled": reach(one, "power-supply/state/enabled"),
            }
        )
    return found


def _disks(listed: list[Tree]) -> list[dict[str, Any]]:
    found = []
    for one in listed:
        size, free = decimal(reach(one, "state/size")), decimal(reach(one, "state/available"))
        used = round(100 * (1 - free / size), 1) if size and free is not None else None
        found.append({"name": word(one.get("name")), "used_percent": used})
    return found


def _memory(state: Tree) -> dict[str, Any]:
    physical, used = number(state.get("physical")), number(state.get("used"))
    return {
        "physical_bytes": physical,
        "reserved_bytes": number(state.get("reserved")),
        "used_bytes": used,
        "used_percent": round(100 * used / physical, 1) if used is not None and physical else None,
    }


def _cpu(listed: list[Tree]) -> dict[str, Any]:
    cores = [_core(one) for one in listed]
    whole = next((one for one in cores if str(one["index"]).upper() == "ALL"), None)
    single = [one for one in cores if one is not whole]

    def overall(name: str) -> int | None:
        if whole:
            return whole[name]  # type: ignore[no-any-return]
        known = [one[name] for one in single if one[name] is not None]
        return round(sum(known) / len(known)) if known else None

    names = ("average_percent", "instant_percent", "max_percent")
    busy = max(single, key=lambda one: one["average_percent"] or one["instant_percent"] or 0, default=None)
    return {name: overall(name) for name in names} | {"cores": single, "busiest_core": busy}


def _core(one: Tree) -> dict[str, Any]:
    total = at(one, "state", "total")
    return {
        "index": word(one.get("index")),
        "average_percent": number(total.get("avg")),
        "instant_percent": number(total.get("instant")),
        "max_percent": number(total.get("max")),
    }


def _processes(listed: list[Tree]) -> list[dict[str, Any]]:
    states = [at(one, "state") for one in listed]
    ranked = sorted(states, key=lambda state: -(number(state.get("cpu-utilization")) or 0))
    ranked = [*ranked[:_TOP], *sorted(ranked[_TOP:], key=lambda state: -(number(state.get("memory-utilization")) or 0))]
    return [
        {
            "name": word(state.get("name")),
            "cpu_percent": number(state.get("cpu-utilization")),
            "memory_percent": number(state.get("memory-utilization")),
        }
        for state in ranked[: _TOP + 1]
    ]


def _restarted(listed: list[Tree], boot: datetime | None, clock: datetime) -> list[str]:
    """The processes that started in the last hour, long after the device."""
    names = []
    for state in (at(one, "state") for one in listed):
        start = moment(state.get("start-time"))
        if boot and start and (clock - start).total_seconds() < 3600 < (start - boot).total_seconds():
            names.append(word(state.get("name")) or "")
    return sorted(filter(None, names))


def _ntp(ntp: Tree) -> dict[str, Any]:
    servers = []
    for one in entries(at(ntp, "servers"), "server"):
        state = at(one, "state")
        stratum, offset = number(state.get("stratum")), number(state.get("offset"))
        servers.append(
            {
                "address": word(one.get("address")) or word(state.get("address")),
                "stratum": stratum,
                "offset_seconds": None if offset is None else offset / 1000,
                "synchronized": None if stratum is None else 0 < stratum < _UNSYNCHRONISED,
            }
        )
    known = [one["synchronized"] for one in servers if one["synchronized"] is not None]
    return {
        "enabled": at(ntp, "state").get("enabled"),
        "synchronized": any(known) if known else None,
        "servers": servers,
    }


def _grpc(listed: list[Tree]) -> dict[str, Any]:
    state = at(listed[0], "state") if listed else {}
    return {"port": number(state.get("port")), "tls": state.get("transport-security")}


def _users(listed: list[Tree]) -> list[dict[str, Any]]:
    return [
        {"username": word(one.get("username")), "role": word(at(one, "state").get("role"))}
        for one in listed
        if word(one.get("username"))
    ]


def _message(state: Tree) -> dict[str, Any] | None:
    text = word(at(state, "message").get("msg"))
    return {"severity": word(state.get("severity")), "text": text} if text else None


def parse_alarms(tree: Tree) -> dict[str, Any]:
    """What is wrong by the device's own account, worst first."""
    alarms = [_alarm(one) for one in entries(at(tree, "system", "alarms"), "alarm")]
    order = {"CRITICAL": 0, "MAJOR": 1, "MINOR": 2, "WARNING": 3}
    alarms.sort(key=lambda one: order.get(one["severity"] or "", 4))
    counted = Counter(one["severity"] or "UNKNOWN" for one in alarms)
    return {"alarms": alarms, "summary": {"total": len(alarms), "by_severity": dict(counted)}}


def _alarm(one: Tree) -> dict[str, Any]:
    state = at(one, "state")
    return {
        "id": word(one.get("id")) or word(state.get("id")),
        "resource": word(state.get("resource")),
        "severity": (word(state.get("severity")) or "UNKNOWN").upper(),
        "text": word(state.get("text")),
        "type": word(state.get("type-id")),
        "time_created": told(state.get("time-created")),
        "age_seconds": age(state.get("time-created")),
    }
