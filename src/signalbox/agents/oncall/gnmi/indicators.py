"""The lights of get_device_health: one for each part, with the value that it stands for."""

from __future__ import annotations

from typing import Any

__all__ = ["indicators"]

_CPU, _CPU_WORST = 80, 90
_MEMORY, _MEMORY_WORST = 85, 95
_CLOCK = 30
_FRESH_BOOT = 3600
Light = dict[str, Any]


def indicators(found: dict[str, Any]) -> list[Light]:
    """One light for each part; `unknown` where the device does not tell."""
    system = found.get("system") or {}
    cpu, memory = (system.get("cpu") or {}), (system.get("memory") or {})
    return [
        _above("cpu", cpu.get("average_percent"), _CPU, _CPU_WORST, "% of the CPU in use"),
        _above("memory", memory.get("used_percent"), _MEMORY, _MEMORY_WORST, "% of the memory in use"),
        _clock(system),
        _uptime(system.get("uptime_seconds")),
        _interfaces(found.get("interfaces")),
        _all_up("bgp", found.get("bgp"), "established", "not_established", "BGP sessions established"),
        _all_up("isis", found.get("isis"), "up", "not_up", "IS-IS adjacencies up", "interfaces_without_adjacency"),
        _all_up(
            "ldp", found.get("ldp"), "operational", "not_operational", "LDP sessions up", "interfaces_without_neighbor"
        ),
        _vpn(found.get("vpn")),
        _alarms(found.get("alarms")),
    ]


def _light(name: str, status: str, value: Any, text: str) -> Light:
    return {"name": name, "status": status, "value": value, "text": text}


def _unknown(name: str) -> Light:
    return _light(name, "unknown", None, "the device does not tell")


def _above(name: str, value: float | None, high: float, worst: float, text: str) -> Light:
    if value is None:
        return _unknown(name)
    status = "critical" if value >= worst else "warning" if value >= high else "ok"
    return _light(name, status, value, f"{value:g}{text}")


def _clock(system: dict[str, Any]) -> Light:
    offset, synchronised = system.get("clock_offset_seconds"), (system.get("ntp") or {}).get("synchronized")
    if offset is None and synchronised is None:
        return _unknown("clock")
    wrong = abs(offset or 0) > _CLOCK or synchronised is False
    text = f"{offset or 0:+g} s against ours" + (", not synchronised" if synchronised is False else "")
    return _light("clock", "warning" if wrong else "ok", offset, text)


def _uptime(seconds: int | None) -> Light:
    if seconds is None:
        return _unknown("uptime")
    return _light("uptime", "warning" if seconds < _FRESH_BOOT else "ok", seconds, f"up for {seconds} s")


def _interfaces(summary: dict[str, Any] | None) -> Light:
    if summary is None:
        return _unknown("interfaces")
    down = summary["admin_up_oper_down"]
    if down:
        return _light("interfaces", "critical", len(down), f"down though enabled: {', '.join(down)}")
    unsteady = sorted({*summary["flapped"], *summary["with_errors"]})
    text = f"unsteady or with errors: {', '.join(unsteady)}" if unsteady else f"{summary['oper_up']} up"
    return _light("interfaces", "warning" if unsteady else "ok", len(unsteady), text)


def _all_up(name: str, summary: dict[str, Any] | None, up: str, down: str, text: str, alone: str = "") -> Light:
    if summary is None:
        return _unknown(name)
    missing = [*summary[down], *(summary[alone] if alone else [])]
    told = f"{summary[up]} of {summary['total']} {text}" + (f"; not: {', '.join(missing)}" if missing else "")
    return _light(name, "critical" if missing else "ok", len(missing), told)


def _vpn(summary: dict[str, Any] | None) -> Light:
    if summary is None:
        return _unknown("vpn")
    empty, closed = summary["without_routes"], summary["without_import"]
    named = ", ".join(sorted({*empty, *closed}))
    text = f"without routes or import: {named}" if named else f"{summary['total']} VRFs"
    return _light("vpn", "critical" if empty or closed else "ok", len({*empty, *closed}), text)


def _alarms(alarms: dict[str, Any] | None) -> Light:
    if alarms is None:
        return _unknown("alarms")
    counted = alarms["summary"]["by_severity"]
    status = "critical" if counted.get("CRITICAL") or counted.get("MAJOR") else "warning" if counted else "ok"
    total = alarms["summary"]["total"]
    return _light("alarms", status, total, "; ".join(one["text"] or "" for one in alarms["alarms"][:3]) or "none")
