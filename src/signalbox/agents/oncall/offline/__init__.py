"""What only a model that copies words needs to read a request once. `planner.py` alone imports it.

- `asked.py`: the checks and facts that the words of `askable.yaml` ask for, and what no tool reads.
- `devices.py` with `mentions.py`: every device that the text speaks of is accounted for.
- `relation.py`: the far end, the neighbours or the other side of the turn before.
- `narrowing.py`: a state, a limit or an order that narrows the answer.
- `times.py`: a time that is over, and how far back a log is asked for.

`asked` and `mentions` are layers that `signalbox eval --ablate oncall` can leave out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from signalbox.agents.oncall.fields import LIMITS, askable, plans_for
from signalbox.agents.oncall.focus import focus_of
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.named_devices import UnknownDeviceError, chosen_among
from signalbox.agents.oncall.named_devices import speaks_of_roles as _speaks_of_roles
from signalbox.agents.oncall.offline.asked import Asked, asked_in, complaints_in, is_lookup, spelt_out, strange_words
from signalbox.agents.oncall.offline.devices import devices_meant, same_as_before
from signalbox.agents.oncall.offline.mentions import COMPARED, Mention, find_mentions
from signalbox.agents.oncall.offline.narrowing import asks_since, narrowed_by
from signalbox.agents.oncall.offline.relation import Moved, moved_to, relation_in
from signalbox.agents.oncall.offline.times import minutes_back, past_times, spans_of_time
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import Plan
from signalbox.agents.oncall.subjects import ENDS
from signalbox.language.switches import is_on
from signalbox.language.synonyms import FILLERS

__all__ = [
    "BROADEST",
    "LAYERS",
    "action_of",
    "devices_named",
    "names_other_end",
    "read",
    "speaks_of_roles",
    "spelt_out",
]

LAYERS = ("mentions", "asked")
BROADEST = "general_device_health_check"
_SURE, _PLAIN = 0.9, 0.5
"""How sure the model has to be of a plan, and of a health check, which reads more than was asked at worst."""
_BY_THING = {
    "vrf": "troubleshoot_vpn_vrf",
    "interface": "check_interface_status",
    "neighbor": "check_bgp_neighbors",
    "prefix": "check_routes",
}
_KEEPS = {
    "interface": ("check_interface_status", "check_logs", "show_lldp_neighbors", "check_isis_adjacencies"),
    "vrf": ("troubleshoot_vpn_vrf", "check_routes", "check_bgp_neighbors"),
    "neighbor": ("check_bgp_neighbors", "check_logs"),
    "as_number": ("check_bgp_neighbors",),
    "prefix": ("check_routes",),
    "words": ("check_logs",),
}
"""The checks for which a thing that was named in the turn before stays in view."""
_HAVE_PEERS = {"check_bgp_neighbors", "check_isis_adjacencies", "check_mpls_state", "check_interface_status"}
_OF_NAMES, _GROUPS = ("name", "pair", "range"), ("role", "every", "pattern")
_HAVE_ADDRESSES = {"check_routes", "check_bgp_neighbors", "check_mpls_state", "check_isis_adjacencies"}
_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w.])")
_DEFAULT = re.compile(r"\bdefault\s+(?:route|gateway|gw)\b", re.IGNORECASE)
_AS_NUMBER = re.compile(r"\bASN?\s?-?(\d{1,10})\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:health\w*|overall|in\s+general|general|review|audit|everything)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\bhow\s+(?:many|much)\b", re.IGNORECASE)
_JOINED_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{2,}(?:[-_][A-Z]+)+(?![\w/-])")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{3,}(?:[-_][A-Z\d]+)*(?![\w/-])")
_HOLDER = re.compile(
    r"\b(?:who|what|which\s+\w+)\s+(?:has|have|is|owns?|holds?)\s+(?:(?:the|ip|address)\s+)*((?:\d{1,3}\.){3}\d{1,3})(?![\w./])",
    re.IGNORECASE,
)
_FROM_A_PEER = re.compile(
    r"\bfrom\s+(?:(?:the|its|their|a|an|any|our|other|route)\s+)*(?:reflector|rr|peer|neighbou?r|customer|[\w-]*\d)s?\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"\bany(?:thing|one|body)?\b|\bno(?:thing|body|\s?one)\b", re.IGNORECASE)
_THE_ONE = re.compile(
    r"\b(?:it|its|this|that|there|(?:the|my|our)\s+(?:box|router|device|node|switch|one|host))\b", re.IGNORECASE
)
"""What says that one device is meant, though not which."""
_WAS = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_THEIR = re.compile(r"\b(?:those|these|them|their|they)\b", re.IGNORECASE)
Spans = list[tuple[int, int]]


def speaks_of_roles(text: str) -> bool:
    """True if a request may name devices by a role."""
    return _speaks_of_roles((text,))


def devices_named(text: str, inventory: Sequence[Device]) -> list[str]:
    """The devices whose names stand in a text."""
    found = {name for one in find_mentions(text, inventory) if one.kind in _OF_NAMES for name in one.names}
    return [device.name for device in inventory if device.name in found]


def names_other_end(text: str, inventory: Sequence[Device]) -> bool:
    """True if a text means devices by what they are to those of the turn before."""
    return relation_in(text, find_mentions(text, inventory)) is not None


def action_of(text: str, reading: Reading, before: Mapping[str, Any], inventory: Sequence[Device]) -> str:
    """Whether a request checks, changes, or does neither. What the model is not sure is a change can be looked at, and
    so can what names facts or checks and nothing that may be a change; a follow-up that names one goes on."""
    if reading.action == "other" and before and asked_in(text).is_anything:
        return "check"
    if reading.action != "check" and is_lookup(text, _taken(text, reading, find_mentions(text, inventory))):
        return "check"
    return "check" if reading.action == "change" and reading.confidence < _SURE else reading.action


def read(
    text: str,
    reading: Reading,
    before: Mapping[str, Any],
    plans: Mapping[str, Plan],
    inventory: Sequence[Device],
    decided: Request,
) -> Request | Question:
    """The request in the terms of the inventory and the plans; or a question, with what is known already.

    Raises NotFoundError for a device that there is not.
    """
    mentions = find_mentions(text, inventory)
    reading = _of_names_seen(text, reading, before, mentions)
    taken = _taken(text, reading, mentions)
    names = [device.name for device in inventory]
    moved = moved_to(text, before, mentions, reading.interface, names)
    if isinstance(moved, Moved):
        taken.append(moved.span)
        before, reading = moved.before, replace(reading, interface="")
        decided = replace(decided, devices=tuple(name for name in names if name in before["devices"]))
    if before and (compared := COMPARED.search(text)):
        taken.append(compared.span())
    of_before = tuple(map(str, before.get("intents") or ())) if _THEIR.search(text) else ()
    asked = asked_in(text, taken, of_before) if is_on("oncall.asked") else Asked()
    if reading.intent in plans:
        own = asked_in(" ".join(plans[reading.intent].told))
        asked = replace(asked, unread=tuple(one for one in asked.unread if one not in own.unread))
        if reading.intent not in askable()["checks"]:
            asked = replace(asked, facts=tuple(one for one in asked.facts if one not in own.facts))
    strange = [] if asked.is_anything else strange_words(text, taken, all_words=bool(_FIGURE.search(text)))
    goes_on = not strange or isinstance(moved, Moved) or asks_since(text)
    is_same = bool(before) and not asked.is_anything and goes_on and not _WHOLE.search(text)
    chosen = decided.intents or _checks(text, reading, before, plans, asked, is_same, taken)
    # A health check reads more than was asked at worst, and at night nobody wants to be asked first.
    is_guess = chosen is None
    checks = chosen if isinstance(chosen, tuple) else (BROADEST,) if chosen is None else ()
    if isinstance(moved, Question) and not decided.devices:
        return replace(moved, intents=checks)
    holder = _HOLDER.search(text)
    try:
        found = (list(decided.devices), [], []) if decided.devices else _devices(text, reading, inventory, before)
    except UnknownDeviceError as error:
        focus = _focus(text, reading, before, checks, asked, ((), {*names}), is_same)
        error.asked = {"query": text, "intents": [*checks], "facts": [*asked.facts], "focus": focus}
        raise
    if isinstance(found, Question):
        return replace(found, intents=checks)
    devices, unread, peers = found
    if holder and not isinstance(chosen, Question):
        checks, asked = ("check_interface_status",), replace(asked, facts=("interface.addresses",), own=())
        reading = replace(reading, prefix="", neighbor="")
    if checks == ("check_routes",) and not (_ADDRESS.search(text) or _DEFAULT.search(text)):
        # Routes from a neighbour are those of its session; a device that cannot be reached may have lost anything.
        checks = ("check_bgp_neighbors",) if _FROM_A_PEER.search(text) else checks if asked.checks else (BROADEST,)
    if checks == (BROADEST,):
        # What is between two devices, and not of one kind, is seen on both.
        devices = [device.name for device in inventory if device.name in (*devices, *peers)]
    if len(peers) == 1 and {*checks} & _HAVE_PEERS:
        reading = replace(reading, neighbor=peers[0])
    if isinstance(chosen, Question):
        return replace(chosen, devices=tuple(devices))
    facts = asked.facts or (tuple(map(str, before.get("facts") or ())) if is_same else ())
    narrowed = narrowed_by(
        text,
        replace(asked, facts=facts),
        checks,
        [text[one.start : one.end] for one in mentions if one.kind in _GROUPS],
    )
    focus = _focus(text, reading, before, checks, asked, (devices, {device.name for device in inventory}), is_same)
    focus = {**focus, **narrowed.focus, **_ends(mentions, devices)}
    if holder:
        focus = {"address": holder[1], "which": "device"}
    past, read_times = ([], spans_of_time(text)) if "check_logs" in checks else (past_times(text), [])
    known = (*devices, *focus.values(), *past, *read_times, *narrowed.words)
    covered = " ".join([*(text[start:end] for start, end in taken), *known]).casefold()
    left = [word for word in dict.fromkeys((*unread, *reading.not_covered)) if word.casefold() not in covered]
    left = [word for word in left if not (word.isdigit() and focus.get("minutes"))]
    left = [word for word in left if word.casefold() not in FILLERS and not asked_in(word).is_anything]
    lost = [f"'{' '.join(strange)}'"] if strange and _is_strange(text, taken, strange) and checks == (BROADEST,) else []
    gone = [f"how it was {one} (devices tell how they are now)" for one in past if _WAS.search(text)]
    return Request(
        tuple(devices),
        checks,
        focus,
        (*left, *(() if gone else past), *narrowed.unused),
        inventory,
        is_guess,
        facts,
        (*(f"{one} (no tool here reads it)" for one in (*asked.unread, *lost)), *gone),
        asked.own,
    )


def _ends(mentions: Sequence[Mention], devices: Sequence[str]) -> dict[str, str]:
    """The two devices whose link or session is meant, if they are all that is."""
    pairs = [one.names for one in mentions if one.kind == "pair" and {*one.names} == {*devices}]
    return {"ends": ENDS.join(pairs[0])} if pairs else {}


def _of_names_seen(text: str, reading: Reading, before: Mapping[str, Any], mentions: Sequence[Mention]) -> Reading:
    """The reading with the VRF that a request names without saying what it is: one that the turn before has shown, or
    a name in capitals that is nothing else."""
    words = {word.casefold() for word in re.findall(r"[\w-]+", text)}
    seen = [str(name) for name in (before.get("seen") or {}).get("vrf", ()) if str(name).casefold() in words]
    if not seen and not any((reading.interface, reading.vrf, reading.neighbor, reading.prefix)):
        capitals = _CAPITALS if (before.get("focus") or {}).get("vrf") else _JOINED_CAPITALS
        spans = [] if text == text.upper() else capitals.finditer(text)
        taken = [(one.start, one.end) for one in mentions]
        seen = [one[0] for one in spans if not _overlaps(one.span(), taken) and not asked_in(one[0]).is_anything]
    if len(seen) != 1:
        return reading
    return replace(reading, vrf=seen[0])


def _overlaps(span: tuple[int, int], taken: Spans) -> bool:
    return any(start < span[1] and end > span[0] for start, end in taken)


def _taken(text: str, reading: Reading, mentions: Sequence[Mention]) -> Spans:
    """The stretches that name devices, or the one thing that is meant."""
    spans = [(one.start, one.end) for one in mentions if one.kind != "every"]
    for said in (reading.interface, reading.vrf, reading.neighbor, reading.prefix):
        at = text.casefold().find(said.casefold()) if re.search(r"\d|[A-Z]{2}", said) else -1
        spans += [(at, at + len(said))] if at >= 0 else []
    return spans + [one.span() for one in _ADDRESS.finditer(text)]


def _is_strange(text: str, taken: Spans, strange: Sequence[str]) -> bool:
    """Whether nothing that was said is known, but the names of devices."""
    known = strange_words(text, taken, all_words=True)
    return set(known) == set(strange)


def _devices(
    text: str, reading: Reading, inventory: Sequence[Device], before: Mapping[str, Any]
) -> tuple[list[str], list[str], list[str]] | Question:
    """The devices that are meant; those of the turn before where none is said; else the person is asked."""
    names = tuple(device.name for device in inventory)
    earlier = [name for name in before.get("devices") or () if name in names]
    if not is_on("oncall.mentions"):
        meant = chosen_among(reading, inventory)
        found: Any = meant if isinstance(meant, Question) else (meant, [], [])
    else:
        found = devices_meant(
            text, reading, inventory, earlier, peer=str((before.get("focus") or {}).get("neighbor", ""))
        )
    if isinstance(found, Question) or found[0]:
        return found  # type: ignore[no-any-return]
    if not earlier and not found[1] and (_HOLDER.search(text) or (_ANY.search(text) and not _THE_ONE.search(text))):
        return list(names), [], found[2]
    if not earlier:
        return Question("Which device is meant?", names)
    recent = list(before.get("recent") or earlier)
    same = same_as_before(text, [*found[1], *reading.not_covered], earlier, recent, inventory)
    return same if isinstance(same, Question) else (same, [], found[2])


def _checks(
    text: str,
    reading: Reading,
    before: Mapping[str, Any],
    plans: Mapping[str, Plan],
    asked: Asked,
    is_same: bool,
    taken: Spans,
) -> tuple[str, ...] | Question | None:
    """What is to be checked: as words say it, as the model read it, or as in the turn before. A question where only
    what no tool reads was asked for; None where the model is unsure."""
    earlier = tuple(str(one) for one in before.get("intents") or (before.get("intent"),) if one in plans)
    if is_same and earlier:
        return earlier
    read = reading.intent if reading.intent in plans else ""
    said = [one for one in asked.checks if one in plans]
    if read == BROADEST and not _WHOLE.search(text):
        read = next((plan for name, plan in _BY_THING.items() if getattr(reading, name) and plan in plans), read)
    if asked.group and not said and not asked.facts:
        said = ["check_interface_status"]
    peered = set(earlier) & {"check_isis_adjacencies", "check_mpls_state", "check_bgp_neighbors", "show_lldp_neighbors"}
    if asked.is_weak and said == ["check_bgp_neighbors"] and peered and not asked.facts:
        return earlier
    if read.startswith("review_") or (read == BROADEST and _WHOLE.search(text)):
        said = []
    by_fact = plans_for(asked.facts)
    if complaints_in(text, taken, asked.unread) and not (said or by_fact or asked.unread or reading.prefix):
        # Of a complaint that names no check, the model has only guessed one.
        read = read if any(getattr(reading, name) for name in _BY_THING) else BROADEST
    # Is it DNS, or is xrd-1 broken: of the two, the second can be looked at.
    is_complaint = bool(complaints_in(text, taken, asked.unread))
    is_own = bool(read) and read not in askable()["checks"] and not read.startswith("review_")
    if is_own and reading.confidence >= _SURE:
        # The words of a plan of the operator's are in no table.
        checks = [read]
    elif said:
        # One word says it, or several in a list do; the model chooses only one plan.
        checks = said
    elif by_fact and read != BROADEST and (reading.confidence < _SURE or not _reads_any(read, by_fact)):
        checks = []
    elif (
        read
        and (is_complaint or not asked.unread)
        and (reading.confidence >= (_PLAIN if read == BROADEST else _SURE) or reading.prefix)
    ):
        checks = [read]
    else:
        named = [name for name in _BY_THING if getattr(reading, name) and not (name == "neighbor" and is_complaint)]
        checks = [_BY_THING[name] for name in named if _BY_THING[name] in plans][:1]
    if not checks and not by_fact:
        if asked.unread and not is_complaint:
            told = " and ".join(asked.unread)
            message = f"No tool here reads {told}. What is to be checked instead?"
            return Question(message, tuple(plan.description for plan in plans.values()))
        return (read,) if read == BROADEST else None
    checks += [own[0] for own in by_fact.values() if own[0] in plans and not set(own) & set(checks)]
    return tuple(dict.fromkeys(checks))


def _reads_any(plan: str, by_fact: Mapping[str, Sequence[str]]) -> bool:
    return any(plan in own for own in by_fact.values())


def _focus(
    text: str,
    reading: Reading,
    before: Mapping[str, Any],
    checks: Sequence[str],
    asked: Asked,
    named: tuple[Sequence[str], set[str]],
    is_same: bool,
) -> dict[str, str]:
    """The one thing that is meant, by what names it; that of the turn before where the checks still are about it."""
    as_number = found[1] if (found := _AS_NUMBER.search(text)) else ""
    reading = replace(reading, intent=checks[0] if checks else "", also=tuple(checks[1:]), as_number=as_number)
    if not reading.prefix and not reading.neighbor:
        reading = replace(reading, prefix=_address(text, checks, named[1]))
    if "check_logs" in checks:
        reading = replace(reading, minutes=minutes_back(text))
    focus = focus_of(reading, *named)
    if asked.group and not focus.get("interface"):
        focus["group"] = asked.group
    if asked.log_words and "check_logs" in checks:
        focus["words"] = ", ".join(asked.log_words)
    earlier = {str(name): str(value) for name, value in (before.get("focus") or {}).items()}
    if not focus or is_same:
        kept = {name: value for name, value in earlier.items() if set(_KEEPS.get(name, ())) & set(checks)}
        stays = ("group", "state", "minutes", *LIMITS) if is_same else ()
        # What joins two devices is between those two only.
        stays = (*stays, "ends") if {*named[0]} == {*earlier.get("ends", "").split(ENDS)} else stays
        kept |= {name: value for name, value in earlier.items() if name in stays}
        focus = {**kept, **focus}
    return focus


def _address(text: str, checks: Sequence[str], names: set[str]) -> str:
    """The one address that no field has: of a neighbour, or the one whose route is meant."""
    if "check_routes" in checks and _DEFAULT.search(text):
        return "0.0.0.0/0"
    found = list(dict.fromkeys(_ADDRESS.findall(text)))
    return found[0] if len(found) == 1 and set(checks) & _HAVE_ADDRESSES else ""
