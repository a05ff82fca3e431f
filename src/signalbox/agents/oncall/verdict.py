"""The verdict: how each device is, and all of them together, said only of what was looked at and is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.presence import Presence
from signalbox.agents.oncall.state import Finding

__all__ = ["STATUSES", "device_status", "first_of", "looked_at", "overall", "told_together", "verdict_of"]

STATUSES = ("unreachable", "critical", "warning", "absent", "incomplete", "healthy")
_MOST_NAMED = 4
_SAID = ("the interface is down", "the interface is shut administratively")
"""The causes of findings that follow from the one about their interface."""
_RANKS = {"critical": 0, "warning": 1, "info": 2}
_ORDER = ("device", "interface", "isis", "ldp", "bgp", "vrf", "system", "alarm")
_ABSENT = ("not_running", "not_configured", "does_not_exist")
_LOOKED = {
    "get_routing_info": "routing protocols",
    "get_interface_info": "interfaces",
    "get_mpls_info": "MPLS",
    "get_vpn_info": "VRFs",
    "get_logs": "logs",
    "get_topology_neighbors": "links to neighbours",
    "get_ldp_neighbors": "LDP neighbours",
    "get_route": "routes",
    "get_lldp_neighbors": "LLDP neighbours",
    "get_alarms": "alarms",
    "get_device_health": "health indicators",
    "get_system_info": "system",
    "get_device_profile_api": "profile",
}


def looked_at(results: Sequence[Mapping[str, Any]], device: str) -> list[str]:
    """What was read of a device, in words."""
    calls = [
        call for one in results if one.get("device_name") in (None, device) for call in one.get("executed_calls") or ()
    ]
    read = [call for call in calls if call.get("result") and not call.get("error")]
    names = []
    for call in read:
        if call["result"].get("status") == "feature_not_available":
            continue
        name = _LOOKED.get(call["function"], call["function"])
        if call["function"] == "get_routing_info":
            data = call["result"].get("data") or {}
            told = [said for key, said in (("bgp", "BGP sessions"), ("isis", "IS-IS adjacencies")) if data.get(key)]
            if not told and {"bgp", "isis"} & set(data):
                continue
            name = " and ".join(told) or name
        names.append(name)
    return list(dict.fromkeys(names))


def device_status(
    findings: Sequence[Finding],
    facts: Mapping[str, Sequence[Record]],
    has_failed: bool,
    missing: Sequence[Presence] = (),
) -> str:
    """How a device is: unreachable, critical, warning, absent (what was asked about is not there), incomplete (nothing
    found, and not all of it looked at) or healthy."""
    if not any(one.get("reachable") for one in facts.get("device", ())):
        return "unreachable"
    worst = {one["severity"] for one in findings}
    for severity in ("critical", "warning"):
        if severity in worst:
            return severity
    if any(one.state in _ABSENT for one in missing):
        return "absent"
    return "incomplete" if has_failed or missing else "healthy"


def overall(statuses: Mapping[str, str]) -> str:
    """The worst of the devices' statuses."""
    return next((one for one in STATUSES if one in statuses.values()), "incomplete")


def told_together(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """The findings, each with what follows from it: where an interface is down, that no protocol has a neighbour there
    is no finding of its own for whoever reads, nor is the alarm about it."""
    order = {topic: place for place, topic in enumerate(_ORDER)}
    first: dict[tuple[str, str], Finding] = {}
    for one in findings:
        known = first.get((one["device"], one["about"]))
        if known is None or order.get(one["topic"], 9) < order.get(known["topic"], 9):
            first[one["device"], one["about"]] = one
    follows: dict[int, list[Finding]] = {id(one): [] for one in first.values()}
    told = []
    for one in findings:
        cause = first[one["device"], one["about"]]
        is_said = one["topic"] != cause["topic"] and (one["topic"] == "alarm" or one["cause"] in _SAID)
        if is_said and _RANKS[cause["severity"]] <= _RANKS[one["severity"]]:
            follows[id(cause)].append(one)
        else:
            told.append(one)
    return [(one, follows.get(id(one), [])) for one in told]


def first_of(findings: Sequence[Finding]) -> Finding | None:
    """The finding that most likely explains the others: the worst, nearest to the wire, with a cause."""
    faults = [one for one in findings if one["severity"] != "info"]
    order = {topic: place for place, topic in enumerate(_ORDER)}
    return min(
        faults, key=lambda one: (_RANKS[one["severity"]], order.get(one["topic"], 9), not one["cause"]), default=None
    )


def verdict_of(
    statuses: Mapping[str, str],
    findings: Sequence[Finding],
    looked: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[Presence]],
) -> str:
    """The verdict in a sentence or two."""
    if len(statuses) == 1:
        device, status = next(iter(statuses.items()))
        return _one(device, status, findings, looked.get(device, ()), missing.get(device, ()))
    parts = []
    by_status = {status: [name for name, one in statuses.items() if one == status] for status in STATUSES}
    words = {
        "unreachable": "cannot be read",
        "critical": "critical",
        "warning": "with warnings",
        "absent": "without what was asked about",
        "incomplete": "without a finding, but not wholly checked",
        "healthy": "healthy as far as checked",
    }
    for status, names in by_status.items():
        if names:
            told = ", ".join([*names[:_MOST_NAMED], "…"] if len(names) > _MOST_NAMED else names)
            parts.append(f"{len(names)} of {len(statuses)} {words[status]} ({told})")
    first = first_of(findings)
    told = f" First of all: {first['device']}: {first['text']}{_because(first)}." if first else ""
    return f"{'; '.join(parts)}.{told}"


def _one(
    device: str, status: str, findings: Sequence[Finding], looked: Sequence[str], missing: Sequence[Presence]
) -> str:
    seen = f" ({', '.join(looked)})" if looked else ""
    first = first_of(findings)
    if status == "unreachable":
        why = f": {first['cause']}" if first and first["cause"] else ""
        return f"{device} cannot be read, so nothing is known of it{why}."
    lacking = [one.text for one in missing if not one.said]
    absent = "".join(f"{one if one.startswith(device) else one[:1].upper() + one[1:]}. " for one in lacking)
    if first is None and status == "incomplete" and not looked:
        return absent + f"Nothing was read of {device}."
    if first is None:
        if status == "absent":
            return absent.strip()
        kind = "healthy as far as it was checked" if status == "healthy" else "without a finding in what could be read"
        return absent + f"{device} is {kind}{seen}."
    counts = {severity: sum(one["severity"] == severity for one in findings) for severity in ("critical", "warning")}
    told = " and ".join(
        f"{count} {severity} finding{'s' if count != 1 else ''}" for severity, count in counts.items() if count
    )
    return f"{absent}{device} has {told}. First of all: {first['text']}{_because(first)}."


def _because(finding: Finding) -> str:
    return f" (likely cause: {finding['cause']})" if finding["cause"] else ""
