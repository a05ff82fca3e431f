"""What a request is about, and whether it is there: the kinds of things that a plan reads, and the one that is named.

A verdict needs what was asked for to have been read and to be present; so does an objective that is met.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.fields import kind_of_group, of_subject, untold
from signalbox.agents.oncall.presence import Presence, presence_of

__all__ = ["absent", "find_subject", "focus_on", "intents_of", "kinds_of", "with_names_found"]

_KINDS = {
    "check_bgp_neighbors": ("bgp",),
    "check_interface_status": ("interface",),
    "check_isis_adjacencies": ("isis",),
    "check_mpls_state": ("mpls", "ldp"),
    "troubleshoot_vpn_vrf": ("vrf",),
    "check_routes": ("route",),
    "check_logs": ("log",),
    "show_system_facts": ("system",),
    "show_lldp_neighbors": ("lldp",),
    "general_device_health_check": ("system", "interface"),
    "review_pe_device": ("system", "interface", "bgp", "isis"),
    "review_p_device": ("system", "interface", "isis"),
    "review_rr_device": ("system", "interface", "bgp"),
}
_WIDER = ("general_device_health_check", "review_pe_device", "review_p_device", "review_rr_device")
_ALL = ("system", "interface", "bgp", "isis", "ldp", "vrf")
_PEERS = ("bgp", "isis", "ldp", "lldp", "interface")
"""What may lead to a neighbour; an interface does by its link."""
_BETWEEN_NEIGHBOURS = {"check_bgp_neighbors", "check_isis_adjacencies", "check_interface_status", "show_lldp_neighbors"}
"""Checks of what joins two devices directly: where nothing does, that is the answer."""
ENDS = " <-> "
_QUOTED = re.compile(r"'([^']+)'")
_KINDS_OF_THINGS = {
    **dict.fromkeys(("interface", "address", "group"), ("interface",)),
    "as_number": ("bgp",),
    "vrf": ("vrf",),
}


def intents_of(state: Mapping[str, Any]) -> list[str]:
    """The checks of a run."""
    return list(state.get("intents") or ([state["intent"]] if state.get("intent") else ()))


def kinds_of(intent: str) -> tuple[str, ...]:
    """The kinds of things that a report on this check tells of."""
    return _ALL if intent in _WIDER else _KINDS.get(intent, ())


def focus_on(
    device: str, focus: Mapping[str, str], intents: Sequence[str], facts: Mapping[str, Sequence[Record]]
) -> dict[str, str]:
    """The focus as it is on one device: of the two ends of a link or session, the other one is its neighbour."""
    own = {what: name for what, name in focus.items() if what != "ends"}
    others = [name for name in focus["ends"].split(ENDS) if name != device] if focus.get("ends") else []
    is_next = others and (find_subject("neighbor", others[0], facts, intents) or {*intents} <= _BETWEEN_NEIGHBOURS)
    return {**own, "neighbor": others[0]} if is_next else own


def with_names_found(
    state: Mapping[str, Any], facts: Mapping[str, Mapping[str, Sequence[Record]]]
) -> Mapping[str, Any]:
    """The state with a word that the reading left over as the VRF, where a device has one of that name."""
    focus, left = dict(state.get("focus") or {}), list(state.get("not_covered") or ())
    unread = {str(one): _QUOTED.match(str(one)) for one in state.get("not_looked_up") or ()}
    known = {str(one.get("name")).casefold() for told in facts.values() for one in told.get("vrf", ())}
    words = [*left, *(found[1] for found in unread.values() if found)]
    name = next((word for word in words if word.casefold() in known), "")
    if not name or focus.get("vrf"):
        return state
    return {
        **state,
        "focus": {**focus, "vrf": name},
        "not_covered": [word for word in left if word != name],
        "not_looked_up": [one for one, found in unread.items() if not found or found[1] != name],
    }


def find_subject(
    what: str, name: str, facts: Mapping[str, Sequence[Record]], intents: Sequence[str]
) -> list[tuple[str, Record]]:
    """The records of the interface, VRF, neighbour or AS that a request names, each with its kind; a neighbour is that
    of what the checks read."""
    kinds = _peer_kinds(intents) if what == "neighbor" else _KINDS_OF_THINGS.get(what, ())
    if what == "group" and kind_of_group(name) != "interface":
        return []
    return [(kind, one) for kind in kinds for one in of_subject(kind, {what: name}, facts)]


def _peer_kinds(intents: Sequence[str]) -> list[str]:
    """The kinds of things that lead to a neighbour, as far as the checks read them; all where they read none."""
    read = {kind for intent in intents for kind in kinds_of(intent)}
    return [one for one in _PEERS if one in read] or [*_PEERS]


def absent(
    intents: Sequence[str],
    focus: Mapping[str, str],
    facts: Mapping[str, Sequence[Record]],
    asked: Sequence[str] = (),
    not_looked_up: Sequence[str] = (),
) -> list[Presence]:
    """What was asked about on a device and is not there, is not told, or was not read; `asked` are facts."""
    device = str(next(iter(facts.get("device", ())), {}).get("device", ""))
    unread = [Presence(device, "system", one, "not_checked", said=_not_looked_up(one)) for one in not_looked_up]
    named = [*unread, *_absent_subjects(intents, focus, facts), *_untold(asked, focus, facts)]
    kinds = {one.kind for one in named if not one.said}
    whole = [
        _with_members(presence_of(facts, kind))
        for intent in intents
        for kind in _KINDS.get(intent, ())
        if kind not in kinds
    ]
    if focus.get("neighbor") and find_subject("neighbor", focus["neighbor"], facts, intents):
        whole = []
    # LDP is one way to MPLS, and labels may come from segment routing.
    has_labels = any(one.kind == "mpls" and one.is_present for one in whole)
    told = [one for one in whole if not one.is_present and not (one.kind == "ldp" and has_labels and _is_sr(facts))]
    return list({(one.kind, one.name): one for one in (*named, *told)}.values())


def _not_looked_up(what: str) -> str:
    return f"Not looked up: {what}"


def _untold(asked: Sequence[str], focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]]) -> list[Presence]:
    return [one for one in untold(asked, focus, facts) if one.said or not one.is_present]


def _with_members(found: Presence) -> Presence:
    """A kind that is configured and has no member is not there either."""
    is_empty = found.is_present and found.kind in ("bgp", "isis", "ldp", "lldp", "vrf") and not found.known
    return replace(found, state="not_configured", why="it has no neighbour") if is_empty else found


def _is_sr(facts: Mapping[str, Sequence[Record]]) -> bool:
    return any((one.get("segment_routing") or {}).get("enabled") for one in facts.get("mpls", ()))


def _absent_subjects(
    intents: Sequence[str], focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]]
) -> Iterator[Presence]:
    # Several interfaces may be named, and each may be missing.
    for what, name in ((what, name) for what, told in focus.items() for name in told.split(", ")):
        kind = {"interface": "interface", "vrf": "vrf", "neighbor": "bgp", "prefix": "route"}.get(what)
        if what == "as_number" and not focus.get("neighbor") and not find_subject(what, name, facts, intents):
            known = tuple(sorted({f"AS {one['peer_as']}" for one in facts.get("bgp", ()) if one.get("peer_as")}))
            yield _missing(presence_of(facts, "bgp"), f"in AS {name}", known)
        elif kind is None or what == "as_number" or find_subject(what, name, facts, intents):
            continue
        elif what == "prefix" and not focus.get("vrf"):
            yield from _absent_route(name, facts)
        elif what == "prefix":
            # Of a VRF that does not exist there, nothing was looked up.
            if find_subject("vrf", focus["vrf"], facts, intents):
                found = _absent_route(name, facts)
                yield from (replace(one, name=f"{name} in VRF {focus['vrf']}") for one in found)
        else:
            if what == "neighbor":
                kind = next((one for one in _peer_kinds(intents) if facts.get(one)), "bgp")
            # Whatever is checked: of a kind that was read, the one that was named has to be there.
            if _was_meant(kind, intents) or (what in ("interface", "vrf") and facts.get(kind)):
                whole = presence_of(facts, "link" if (what, kind) == ("neighbor", "interface") else kind)
                peers = [str(one["who"]) for one in facts.get(kind, ()) if one.get("who")] if what == "neighbor" else []
                yield _missing(whole, name, peers or whole.known)


def _was_meant(kind: str, intents: Sequence[str]) -> bool:
    return any(intent in _WIDER or kind in _KINDS.get(intent, (kind,)) for intent in intents)


def _missing(whole: Presence, name: str, known: Sequence[str]) -> Presence:
    """That there is none of this name; or why nothing of its kind is known."""
    return replace(whole, name=name, state="does_not_exist", known=tuple(known)) if whole.is_present else whole


def _absent_route(prefix: str, facts: Mapping[str, Sequence[Record]]) -> Iterator[Presence]:
    found = presence_of(facts, "route", prefix)
    if found.state == "present" and facts.get("route"):
        return
    if found.state in ("not_readable", "not_checked"):
        yield found
    else:
        yield replace(found, name=prefix, state="does_not_exist", known=())
