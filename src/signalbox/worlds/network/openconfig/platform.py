"""openconfig-system, -lldp and -platform: the router itself, its clock, load and alarms, and who stands beside it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from signalbox.worlds.network.conditions import Cause
from signalbox.worlds.network.router import Alarm, Router, fraction
from signalbox.worlds.network.syslog import log_lines
from signalbox.worlds.network.values import nanoseconds

__all__ = ["components", "lldp", "system"]

_MEMORY = 33_657_106_432
_CORES = 4
_TIME_SERVER = "172.20.0.1"
_VERSION = "24.2.1"
# What no tool may ever show.
_PASSWORD_HASH = "$6$m3vXq0PzT1sUeW7k$vK2bq9sYh6cZr4Lq8nDfJ1wQxT5mB0aG7eUiR3oPzCk"


def system(router: Router) -> dict[str, Any]:
    """Name, clock, load, memory, time servers, alarms, users and the last message."""
    name = router.name
    return {
        "state": {
            "hostname": name,
            "current-datetime": router.clock.isoformat(timespec="milliseconds"),
            "boot-time": nanoseconds(router.booted),
            "software-version": _VERSION,
        },
        "clock": {"state": {"timezone-name": "UTC"}},
        "memory": {"state": _memory(router)},
        "cpus": {"cpu": [_cpu(router, index) for index in ("ALL", *range(_CORES))]},
        "processes": {"process": _processes(router)},
        "ntp": _ntp(router),
        "alarms": {"alarm": [_alarm(alarm) for alarm in router.alarms()]},
        "messages": lambda: _last_message(router),
        "openconfig-system-grpc:grpc-servers": {
            "grpc-server": [
                {"name": "DEFAULT", "state": {"name": "DEFAULT", "port": 57400, "transport-security": False}}
            ]
        },
        "aaa": {
            "authentication": {
                "users": {
                    "user": [
                        {
                            "username": "admin",
                            "state": {"username": "admin", "role": "root-lr", "password-hashed": _PASSWORD_HASH},
                        }
                    ]
                }
            }
        },
    }


def _memory(router: Router) -> dict[str, str]:
    share = 0.97 if router.now.has(Cause.MEMORY, router.name) else 0.34 + 0.2 * fraction(f"{router.name}/memory")
    used = int(_MEMORY * share)
    return {"physical": str(_MEMORY), "reserved": "0", "used": str(used), "free": str(_MEMORY - used)}


def _load(router: Router, index: object) -> int:
    if router.now.has(Cause.CPU, router.name):
        return 97
    return round(100 * (0.09 + 0.12 * fraction(router.name)) + 4 * fraction(f"{router.name}/{index}"))


def _cpu(router: Router, index: object) -> dict[str, Any]:
    load = _load(router, index)
    total = {
        "instant": load,
        "avg": load,
        "min": max(load - 4, 0),
        "max": min(load + 9, 100),
        "interval": "300000000000",
    }
    return {"index": index, "state": {"index": index, "total": total}}


def _processes(router: Router) -> list[dict[str, Any]]:
    busy = router.now.has(Cause.CPU, router.name)
    full = router.now.has(Cause.MEMORY, router.name)
    listed = ((1084, "bgp", 91 if busy else 2, 71 if full else 6), (1003, "isis", 1, 2), (277, "ifmgr", 1, 1))
    return [
        {
            "pid": str(pid),
            "state": {"pid": str(pid), "name": name, "cpu-utilization": cpu, "memory-utilization": memory},
        }
        for pid, name, cpu, memory in listed
    ]


def _ntp(router: Router) -> dict[str, Any]:
    lost = router.now.has(Cause.CLOCK, router.name)
    state = {"address": _TIME_SERVER, "stratum": 16 if lost else 2, "offset": "432000" if lost else "1"}
    return {"state": {"enabled": True}, "servers": {"server": [{"address": _TIME_SERVER, "state": state}]}}


def _alarm(alarm: Alarm) -> dict[str, Any]:
    name = f"{alarm.name}:{alarm.resource}"
    return {
        "id": name,
        "state": {
            "id": name,
            "resource": alarm.resource,
            "text": alarm.text,
            "severity": f"openconfig-alarm-types:{alarm.severity}",
            "type-id": alarm.name,
            "time-created": nanoseconds(alarm.since),
        },
    }


def _last_message(router: Router) -> dict[str, Any]:
    lines = log_lines(router)
    return {"state": {"severity": "INFORMATIONAL", "message": {"msg": lines[-1]}}} if lines else {}


def lldp(router: Router) -> dict[str, Any]:
    """Who stands at the other end of each wire."""
    listed = []
    for port in router.ports():
        entry: dict[str, Any] = {"name": port.end.interface, "state": {"name": port.end.interface, "enabled": True}}
        if port.oper_up:
            peer = router.model.devices[port.end.peer]
            state = {
                "id": peer.mac(0),
                "system-name": peer.name,
                "system-description": f"Router, {peer.role}, {_VERSION}",
                "chassis-id": peer.mac(0),
                "port-id": port.end.peer_interface,
                "management-address": peer.management,
                "age": str(int((router.moment - port.last_change).total_seconds())),
                "last-update": str(int((router.moment - timedelta(seconds=11)).timestamp())),
                "ttl": 120,
            }
            entry["neighbors"] = {"neighbor": [{"id": peer.mac(0), "state": state}]}
        listed.append(entry)
    state = {"enabled": True, "system-name": router.name, "chassis-id": router.device.mac(0)}
    return {"state": state, "interfaces": {"interface": listed}}


def components(router: Router) -> dict[str, Any]:
    """The route processor, and why it last started."""
    reason = "REBOOT_CRITICAL_ERROR" if router.rebooted else "REBOOT_USER_INITIATED"
    state = {
        "name": "0/RP0/CPU0",
        "type": "openconfig-platform-types:CONTROLLER_CARD",
        "oper-status": "openconfig-platform-types:ACTIVE",
        "last-reboot-reason": f"openconfig-platform-types:{reason}",
        "last-reboot-time": nanoseconds(router.booted),
        "software-version": _VERSION,
    }
    return {"component": [{"name": "0/RP0/CPU0", "state": state}]}
