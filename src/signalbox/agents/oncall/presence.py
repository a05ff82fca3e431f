"""What a reading found of a thing: whether it is there, and if not, in which way it is missing.

    present         it was read and is there
    not_running     it should be there and is not: it was switched off, or its process stopped
    not_configured  the device answered, and has none of this kind
    does_not_exist  the device has things of this kind, and none of this name (`known` has those there are)
    not_readable    the device, or this part of it, could not be read (`why`)
    not_checked     no call asked for it

Only `present` may be called healthy. Every kind of reading (interfaces, BGP, IS-IS, LDP, MPLS, VRFs, routes, logs,
LLDP, links, alarms and the system) is judged here by one table, from the calls that were made. `collect` puts the
results among the records of a device under `presence`; `presence_of` looks one up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

__all__ = ["LABELS", "Presence", "State", "presence_of", "read_presence"]

State = Literal["present", "not_running", "not_configured", "does_not_exist", "not_readable", "not_checked"]

LABELS = {
    "interface": "interface",
    "bgp": "BGP",
    "isis": "IS-IS",
    "ldp": "LDP",
    "mpls": "MPLS",
    "vrf": "VRF",
    "route": "route",
    "log": "log",
    "system": "system",
    "alarm": "alarms",
    "lldp": "LLDP",
    "link": "links to neighbours",
}
"""The kinds of things, and how a person calls them."""
_THINGS = {"bgp": "BGP neighbour", "isis": "IS-IS adjacency", "ldp": "LDP neighbour", "link": "link to"}
_EVERY_DEVICE_HAS = ("interface", "system", "log")
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Presence:
    """What was found of a kind of things on a device, or of one of them by its name."""

    device: str
    kind: str
    name: str
    state: State
    known: tuple[str, ...] = ()
    """What there is of this kind."""
    why: str = ""
    evidence: str = ""
    said: str = ""
    """The state in words of its own: of a fact that is not told, and of what no tool reads."""

    @property
    def is_present(self) -> bool:
        return self.state == "present"

    def as_record(self) -> dict[str, Any]:
        """As a record that checks can look at."""
        return {**asdict(self), "known": list(self.known), "text": self.text}

    @property
    def text(self) -> str:
        """The state as a clause, without a full stop."""
        if self.said:
            return self.said
        if self.kind == "route" and self.name and self.state == "does_not_exist":
            return f"{self.device} has no route to {self.name}"
        what = f"{_THINGS.get(self.kind, LABELS[self.kind])} {self.name}" if self.name else LABELS[self.kind]
        because = f": {self.why}" if self.why else ""
        listed = ", ".join(self.known[:_MOST_NAMED])
        more = f" and {len(self.known) - _MOST_NAMED} more" if self.known[_MOST_NAMED:] else ""
        there = f"there {'is only' if len(self.known) == 1 else 'are'}: {listed}{more}" if listed else "there are none"
        return {
            "present": f"{what} is there on {self.device}",
            "not_running": f"{what} is not running on {self.device}{because}",
            "not_configured": f"{what} is not configured on {self.device}{because}",
            "does_not_exist": f"{what} does not exist on {self.device} ({there})",
            "not_readable": f"{what} of {self.device} could not be read{because}",
            "not_checked": f"{what} of {self.device} was not checked",
        }[self.state]


def presence_of(facts: Mapping[str, Sequence[Mapping[str, Any]]], kind: str, name: str = "") -> Presence:
    """What was found of a kind of things, or of one by its name, in the records of a device."""
    device = str(next(iter(facts.get("device", ())), {}).get("device", ""))
    found = {one["name"].casefold(): one for one in facts.get("presence", ()) if one["kind"] == kind}
    whole, own = found.get(""), found.get(name.casefold())
    if own is not None:
        return _of_record(own)
    if whole is None:
        return Presence(device, kind, name, "not_checked")
    listed = _of_record(whole)
    if listed.state != "present":
        return replace(listed, name=name)
    known = name.casefold() in (one.casefold() for one in listed.known)
    return replace(listed, name=name, state="present" if known else "does_not_exist")


def _of_record(one: Mapping[str, Any]) -> Presence:
    names = ("device", "kind", "name", "state", "why", "evidence")
    return Presence(**{name: one[name] for name in names}, known=tuple(one["known"]))


def read_presence(calls: Iterable[Mapping[str, Any]], device: str) -> list[Presence]:
    """What the calls found, one for each kind and for each name that was asked for. What one call could not read and
    another did counts as read."""
    found: dict[tuple[str, str], Presence] = {}
    for call in calls:
        for one in _of_call(call, device):
            known = found.get((one.kind, one.name.casefold()))
            if known is None or known.state != "present" or one.state == "present":
                found[one.kind, one.name.casefold()] = _joined(known, one)
    return list(found.values())


def _joined(known: Presence | None, one: Presence) -> Presence:
    names = dict.fromkeys((*(known.known if known else ()), *one.known))
    return replace(one, known=tuple(names))


def _of_call(call: Mapping[str, Any], device: str) -> Iterator[Presence]:
    tool, evidence = str(call.get("function")), str(call.get("evidence") or "")
    parameters = call.get("params") or {}
    result = _mapping(call.get("result"))
    data = _mapping(result.get("data"))
    named, key = _NAMED.get(tool, ("", ""))
    asked = str(parameters.get(key) or "")
    failed = _failed_parts(result)
    for kind, read in _READERS.get(tool, {}).items():
        if kind in ("bgp", "isis") and kind not in str(parameters.get("protocol") or kind).replace("-", "").lower():
            continue
        name = asked if kind == named else ""
        if call.get("error"):
            absent = call.get("error_type") == "not_found" and name
            state: State = "does_not_exist" if absent else "not_readable"
            yield Presence(device, kind, name, state, tuple(call.get("known") or ()), _why(call, state), evidence)
            continue
        is_unknown = result.get("status") == "feature_not_available"
        if kind == "route" and is_unknown:
            yield Presence(device, kind, name, "not_readable", (), "the device does not tell its routes", evidence)
            continue
        names = None if is_unknown else read(data)
        if names is None and (kind in failed or (failed and not data)):
            yield Presence(device, kind, name, "not_readable", (), failed.get(kind, ""), evidence)
        elif names is None and kind in _EVERY_DEVICE_HAS:
            told = result.get("feature_not_found_response")
            why = str(told.get("message") or "") if isinstance(told, Mapping) else "the device answered with nothing"
            yield Presence(device, kind, name, "not_readable", (), why.rstrip("."), evidence)
        elif names is None:
            yield Presence(device, kind, name, "not_configured", (), "", evidence)
        elif _is_off(data.get(kind)):
            yield Presence(device, kind, name, "not_running", tuple(names), "it is switched off there", evidence)
        elif kind == "log" and (unread := data.get("unread_lines")):
            state = "not_readable" if unread == data.get("total_lines") else "present"
            yield Presence(device, kind, name, state, tuple(names), f"{unread} lines of no known form", evidence)
        else:
            yield Presence(device, kind, name, "present", tuple(names), "", evidence)
            if name:
                yield Presence(device, kind, "", "present", tuple(names), "", evidence)


def _is_off(part: Any) -> bool:
    """Whether every process of a protocol is disabled."""
    processes = part.get("instances") if isinstance(part, Mapping) else None
    return bool(processes) and all(one.get("enabled") is False for one in processes or ())


def _why(call: Mapping[str, Any], state: State) -> str:
    return "" if state == "does_not_exist" else str(call["error"]).strip().rstrip(".")


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _failed_parts(result: Mapping[str, Any]) -> dict[str, str]:
    """The parts of an answer that could not be read, each with why."""
    metadata = _mapping(result.get("metadata"))
    listed = metadata.get("errors") if result.get("status") == "partial_success" else ()
    return {
        str(one.get("part")).rpartition("/")[2]: str(one.get("message") or "").rstrip(".")
        for one in listed or ()
        if isinstance(one, Mapping)
    }


_NAMED = {
    "get_interface_info": ("interface", "interface"),
    "get_vpn_info": ("vrf", "vrf_name"),
    "get_route": ("route", "prefix"),
}
"""The kind that a tool can be asked by name for, and the argument that names it."""
Names = Callable[[Mapping[str, Any]], Sequence[str] | None]


def _listed(key: str, *fields: str) -> Names:
    """The names in a list of the data; None where the list is missing or empty."""

    def read(data: Mapping[str, Any]) -> Sequence[str] | None:
        entries = [one for one in data.get(key) or () if isinstance(one, Mapping)]
        return [str(one[field]) for one in entries for field in fields if one.get(field)] if entries else None

    return read


def _part(key: str, *lists: tuple[str, str]) -> Names:
    """The names in the lists of a part of the data; None where the part is missing."""

    def read(data: Mapping[str, Any]) -> Sequence[str] | None:
        part = data.get(key) if key else data
        if not isinstance(part, Mapping) or not part:
            return None
        if part.get("enabled") is False and not any(part.get(name) for name, _ in lists):
            return None
        return list(
            dict.fromkeys(
                str(one[field])
                for name, field in lists
                for one in part.get(name) or ()
                if isinstance(one, Mapping) and one.get(field)
            )
        )

    return read


def _there(data: Mapping[str, Any]) -> Sequence[str] | None:
    return [] if data else None


_BGP = _part("bgp", ("neighbors", "neighbor_address"), ("neighbors", "peer_name"))
_ISIS = _part("isis", ("adjacencies", "neighbor_name"), ("adjacencies", "system_id"), ("interfaces", "name"))
_LDP = (("neighbors", "lsr_id"), ("neighbors", "peer_name"), ("interfaces", "name"))
_READERS: Mapping[str, Mapping[str, Names]] = {
    "get_interface_info": {"interface": _listed("interfaces", "name")},
    "get_routing_info": {"bgp": _BGP, "isis": _ISIS},
    "get_ldp_neighbors": {"ldp": _part("", *_LDP)},
    "get_mpls_info": {"mpls": _part("", ("interfaces", "name")), "ldp": _part("ldp", *_LDP)},
    "get_vpn_info": {"vrf": _listed("vrfs", "name")},
    "get_route": {"route": _listed("routes", "prefix")},
    "get_logs": {"log": _part("", ("logs", "mnemonic"))},
    "get_lldp_neighbors": {"lldp": _part("", ("neighbors", "neighbor_name"), ("neighbors", "local_interface"))},
    "get_topology_neighbors": {"link": _listed("neighbors", "neighbor", "local_interface")},
    "get_alarms": {"alarm": _there},
    "get_system_info": {"system": _there},
    "get_device_health": {
        "system": lambda data: _there(data.get("system") or {}),
        "alarm": lambda data: _there(data.get("alarms") or {}),
    },
}
"""Which kinds each tool reads, and what it found of them: the names, or None where there is none."""
