"""The one interface, VRF or neighbour that a request names: found on the device, and told of first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.spoken import spoken_duration, spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.language.names import nearest

__all__ = ["look_at_focus", "rank", "vrf_among"]

_KINDS = {"interface": ("interface",), "vrf": ("vrf",), "neighbor": ("bgp", "ldp", "isis")}
_WORDS = {"interface": "interface", "vrf": "VRF", "neighbor": "neighbour"}


def look_at_focus(
    focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]], device: str
) -> tuple[list[str], list[str], set[str]]:
    """What is said of the thing that the request names, what was not found, and the words that findings name it by."""
    said, missing, names = [], [], set()
    for what, word in focus.items():
        records = [(kind, one) for kind in _KINDS.get(what, ()) for one in facts.get(kind, ())]
        if not records:
            continue
        found = [(kind, one) for kind, one in records if _is(what, word, one, records)]
        if not found:
            near = nearest(word, [_name(what, one) for _, one in records])
            told = f" The nearest: {', '.join(near)}." if near else ""
            missing.append(f"{device} has no {_WORDS[what]} '{word}'.{told}")
        for kind, one in found:
            said.append(_told(kind, one))
            names |= {_name(what, one), str(one.get("neighbor_address") or ""), str(one.get("peer_name") or "")}
    return said, missing, names - {""}


def vrf_among(words: Sequence[str], facts: Mapping[str, Mapping[str, Sequence[Record]]]) -> str:
    """The first of the words that is the name of a VRF on one of the devices."""
    known = {str(one.get("name")).casefold() for records in facts.values() for one in records.get("vrf", ())}
    return next((word for word in words if word.casefold() in known), "")


def rank(findings: Sequence[Finding], names: set[str]) -> list[Finding]:
    """The findings about the thing that is meant first, the rest in their order."""
    return sorted(findings, key=lambda one: not any(name in (one["about"], *one["text"].split()) for name in names))


def _is(what: str, word: str, record: Record, records: Sequence[tuple[str, Record]]) -> bool:
    if what == "interface":
        return record.get("name") == match_interface(word, [str(one.get("name")) for _, one in records])
    plain = word.casefold()
    own = [
        record.get(key)
        for key in ("name", "neighbor_address", "peer_name", "lsr_id", "who", "neighbor_ipv4", "description")
    ]
    return any(str(value).casefold() == plain for value in own if value)


def _name(what: str, record: Record) -> str:
    return str(record.get("name") or record.get("neighbor_address") or record.get("lsr_id") or record.get("who") or "")


def _told(kind: str, one: Record) -> str:
    told: dict[str, tuple[str, Mapping[str, Any]]] = {
        "interface": (
            str(one.get("name")),
            {
                "admin": one.get("admin_state"),
                "oper": one.get("oper_state"),
                "MTU": one.get("mtu"),
                "input errors": one.get("errors"),
                "carrier transitions": one.get("carrier_transitions"),
                "last change": spoken_moment(one["last_change"]) if one.get("last_change") else None,
            },
        ),
        "vrf": (
            f"VRF {one.get('name')}",
            {
                "routes": one.get("route_count"),
                "import": ", ".join(one.get("import_route_targets") or ()) or "none",
                "export": ", ".join(one.get("export_route_targets") or ()) or "none",
                "interfaces": ", ".join(one.get("interfaces") or ()) or "none",
            },
        ),
        "bgp": (
            f"BGP neighbour {one.get('who')}",
            {
                "state": one.get("session_state"),
                "prefixes received": one.get("received"),
                "prefixes sent": one.get("sent"),
                "up for": spoken_duration(one["uptime_seconds"]) if one.get("uptime_seconds") is not None else None,
                "last error": one.get("last_error"),
            },
        ),
        "ldp": (f"LDP neighbour {one.get('who')}", {"state": one.get("session_state")}),
        "isis": (
            f"IS-IS adjacency with {one.get('who')}",
            {"state": one.get("state"), "interface": one.get("interface")},
        ),
    }
    name, values = told[kind]
    listed = ", ".join(f"{key} {value}" for key, value in values.items() if value not in (None, ""))
    return f"{name}: {listed} [{one.get('evidence')}]" if one.get("evidence") else f"{name}: {listed}"
