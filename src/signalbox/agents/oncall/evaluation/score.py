"""Whether an answer of the on-call agent is the expected one, and the figures of many answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

__all__ = ["figures_of", "oncall_right"]

_FAULTY = ("unreachable", "critical", "warning")


def oncall_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if everything that is wanted holds."""
    if outcome.get("outcome") != wanted.get("outcome", "ok"):
        return False
    if "intent" in wanted and not {outcome.get("intent"), *outcome.get("intents", ())} & {*_listed(wanted["intent"])}:
        return False
    if "devices" in wanted and sorted(_folded(outcome.get("devices"))) != sorted(_folded(_listed(wanted["devices"]))):
        return False
    if wanted.get("healthy") and (outcome.get("verdict") != "healthy" or outcome.get("findings")):
        return False
    if "calls" in wanted and outcome.get("calls", 0) > wanted["calls"]:
        return False
    if "device" in wanted and not _located(outcome, wanted):
        return False
    return "cause" not in wanted or _explained(outcome, wanted)


def figures_of(results: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> dict[str, str]:
    """The figures over cases: outcomes, each with those that are allowed.

    A request that was carried out on other devices, or though it should have been refused or asked about, misled.
    """
    asked = [(one, wanted[0]) for one, wanted in results if wanted]
    faults = [(one, wanted) for one, wanted in asked if "device" in wanted]
    healthy = [one for one, wanted in asked if wanted.get("healthy")]
    requests = [(one, wanted) for one, wanted in asked if "device" not in wanted and not wanted.get("healthy")]
    misled = [one for one, wanted in requests if one.get("outcome") == "ok" and not _meant(one, wanted)]
    told = {
        "detected": _share([one.get("verdict") in _FAULTY for one, _ in faults]),
        "device right": _share([_located(one, wanted) for one, wanted in faults]),
        "cause right": _share([_explained(one, wanted) for one, wanted in faults if "cause" in wanted]),
        "false alarms": f"{sum(bool(one.get('findings')) for one in healthy)} of {len(healthy)}" if healthy else "",
        "misleading requests": f"{len(misled)} of {len(requests)}" if requests else "",
        "calls, mean": f"{mean(counts):.1f}"
        if (counts := [one["calls"] for one, _ in faults if "calls" in one])
        else "",
    }
    return {name: value for name, value in told.items() if value}


def _meant(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    same = "devices" not in wanted or sorted(_folded(outcome.get("devices"))) == sorted(
        _folded(_listed(wanted["devices"]))
    )
    return wanted.get("outcome", "ok") == "ok" and same


def _located(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a finding is about the place of the fault: a device, or one of several that may be blamed for it."""
    places = _folded(_listed(wanted["device"]))
    return any(
        place in f"{one['device']} {one['text']} {one['cause']}".casefold()
        for one in outcome.get("findings") or ()
        for place in places
    )


def _explained(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a finding has one of the words for the cause."""
    words = _folded(_listed(wanted["cause"]))
    return any(
        word in f"{one['text']} {one['cause']}".casefold() for one in outcome.get("findings") or () for word in words
    )


def _share(held: Sequence[bool]) -> str:
    return f"{sum(held)} of {len(held)} ({sum(held) / len(held):.0%})" if held else ""


def _listed(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else [str(one) for one in given or ()]


def _folded(given: Any) -> list[str]:
    return [str(one).casefold() for one in given or ()]
