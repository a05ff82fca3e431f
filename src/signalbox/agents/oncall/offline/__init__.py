"""What only a model that copies words needs to read a request once. `planner.py` alone imports it.

- `asked.py`: the checks and facts that the words of `askable.yaml` ask for, and what no tool reads.
- `devices.py` with `mentions.py`: every device that the text speaks of is accounted for.
- `other_ends.py`: the far end, the neighbours or the other side of the turn before.
- `narrowing.py`: a state, a limit or an order that narrows the answer.
- `thread.py`: what a message takes over from the turn before.
- `times.py`: a time that is over, and how far back a log is asked for.

`asked` and `mentions` are layers that `signalbox eval --ablate oncall` can leave out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from signalbox.agents.oncall.fields import LIMITS, askable, fields, is_moment, plans_for
from signalbox.agents.oncall.focus import MOST_SEARCHED, SEARCHED, focus_of
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.named_devices import UnknownDeviceError, chosen_among
from signalbox.agents.oncall.named_devices import speaks_of_roles as _speaks_of_roles
from signalbox.agents.oncall.offline.asked import Asked, asked_in, complaints_in, fact_phrases, spelt_out, strange_words
from signalbox.agents.oncall.offline.devices import THE_REST, Meant, devices_meant, named_by_figures
from signalbox.agents.oncall.offline.mentions import COMPARED, Mention, find_mentions
from signalbox.agents.oncall.offline.narrowing import asks_since_when, narrowed_by, narrowing_in, refers_back
from signalbox.agents.oncall.offline.other_ends import Moved, moved_to, relation_in
from signalbox.agents.oncall.offline.thread import as_before, focus_kept
from signalbox.agents.oncall.offline.times import (
    TROUBLE,
    minutes_back,
    narrowed_lines,
    past_times,
    spans_of_time,
    until,
)
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
    "of_refused",
    "read",
    "speaks_of_roles",
    "spelt_out",
]

LAYERS = ("mentions", "asked")
BROADEST = "general_device_health_check"
_VRF = "troubleshoot_vpn_vrf"
_CERTAIN, _SURE, _PLAIN = 0.95, 0.9, 0.5
"""How sure the model has to be that something is to be changed where words name a check; of a plan, and of a change
otherwise; and of a health check, which reads more than was asked at worst."""
_BY_THING = {
    "vrf": _VRF,
    "interface": "check_interface_status",
    "neighbor": "check_bgp_neighbors",
    "prefix": "check_routes",
}
_HAVE_PEERS = {"check_bgp_neighbors", "check_isis_adjacencies", "check_mpls_state", "check_interface_status"}
_PEERED = {"check_isis_adjacencies", "check_mpls_state", "check_bgp_neighbors", "show_lldp_neighbors"}
_JOINING = _HAVE_PEERS | _PEERED | {BROADEST}
"""Checks after which "and with pe2" names a neighbour, and no other device."""
_HAVE_ADDRESSES = {"check_routes", "check_bgp_neighbors", "check_mpls_state", "check_isis_adjacencies"}
_OF_NEIGHBORS = {"bgp_instance.as": "bgp.peer_as"}
"""Facts of a device, and those of its neighbour that are called the same."""
_OF_NAMES, _GROUPS = ("name", "pair", "range"), ("role", "every", "pattern")
_ADDRESS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w.])")
_IS_PREFIX = re.compile(r"[.:]|default", re.IGNORECASE)
_PORT = r"(?<![\w/.-])[A-Za-z][A-Za-z-]*\d+(?:/\d+)+(?:\.\d+)?(?![\w/])"
_PORTS = re.compile(rf"{_PORT}(?:\s*(?:,|&|and|or|plus)\s*{_PORT})+", re.IGNORECASE)
"""Several interfaces in a list."""
_DEFAULT = re.compile(r"\bdefault\s+(?:route|gateway|gw)\b", re.IGNORECASE)
_AS_NUMBER = re.compile(r"\bASN?\s?-?(\d{1,10})\b", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:health\w*|overall|in\s+general|general|review|audit|everything)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\bhow\s+(?:many|much)\b", re.IGNORECASE)
_JOINED_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{2,}(?:[-_][A-Z\d]+)+(?![\w/-])")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{3,}(?:[-_][A-Z\d]+)*(?![\w/-])")
_HOLDER = re.compile(
    r"\b(?:who|what|which\s+\w+)\s+(?:has|have|is|owns?|holds?)\s+(?:(?:the|ip|address)\s+)*((?:\d{1,3}\.){3}\d{1,3})(?![\w./])",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    r"\bany(?:thing|one|body)?\b|\bno(?:thing|body|\s?one)\b|\b(?:which|list|how\s+many|all|top\s+\d+)\b"
    r"|\bwhat(?:['’]?s|\s+is)\s+(?:going\s+on|down|wrong|broken|up|happening)\b",
    re.IGNORECASE,
)
_THE_ONE = re.compile(
    r"\b(?:it|its|this|that|(?<!is\s)(?<!are\s)there|(?:the|my|our)\s+(?:box|router|device|node|switch|one|host))\b",
    re.IGNORECASE,
)
"""What says that one device is meant, though not which."""
_IN_VRF = re.compile(r"\bin\s+(?:the\s+)?(?:vrf|vpn)\b", re.IGNORECASE)
_WITH_IT = re.compile(r"\b(?:from|with|to|towards?)\s+(?:it|that\s+(?:one|box|router))\b", re.IGNORECASE)
_WAS = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:last|past|since|in|within|for|during)\b", re.IGNORECASE)
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


def of_refused(reading: Reading, devices: Sequence[str], inventory: Sequence[Device]) -> dict[str, Any]:
    """What the next turn goes on from after a change was refused: the devices, and what was to be changed there."""
    focus = focus_of(reading, devices, {device.name for device in inventory})
    intents = [intent for name, intent in _BY_THING.items() if focus.get(name)]
    return {"devices": list(devices), "focus": focus, "intents": intents[:1]} if devices else {}


def action_of(text: str, reading: Reading, before: Mapping[str, Any], inventory: Sequence[Device]) -> str:
    """Whether a request checks, changes, or does neither.

    What the model is not sure is a change can be looked at. A message that goes on with the turn before is a check,
    whatever it looks like on its own.
    """
    mentions = find_mentions(text, inventory)
    is_doubtful = reading.confidence < _SURE and reading.intent
    if reading.action == "other" and is_doubtful and asked_in(text).is_anything:
        # The model doubts that it is a check, and names one.
        return "check"
    if reading.action == "other" and before:
        known = [
            *narrowing_in(text, names_devices=_names_devices(mentions)),
            *(one.span() for one in COMPARED.finditer(text)),
        ]
        is_strange = bool(strange_words(text, known)) and not refers_back(text)
        return "other" if is_strange and not mentions and not asked_in(text).is_anything else "check"
    is_sure = reading.confidence >= (_CERTAIN if asked_in(text).checks else _SURE)
    return "check" if reading.action == "change" and not is_sure else reading.action


@dataclass(frozen=True, slots=True)
class _Message:
    """What one message says by itself: what it asks for, the stretches that name things, and words nothing knows."""

    text: str
    reading: Reading
    mentions: Sequence[Mention]
    taken: Spans
    asked: Asked
    complaints: Sequence[str]
    strange: Sequence[str]
    narrows: Spans
    """Where it may narrow what was told in the turn before."""

    @property
    def names_checks(self) -> bool:
        """True if it says what is to be checked, if only that something is wrong."""
        return self.asked.is_anything or bool(self.complaints) or _WHOLE.search(self.text) is not None


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
    names, mentions = [device.name for device in inventory], find_mentions(text, inventory)
    reading = replace(reading, prefix=reading.prefix if _IS_PREFIX.search(reading.prefix) else "")
    taken = _taken(text, reading, mentions)
    moved = moved_to(text, before, mentions, reading.interface, names)
    if isinstance(moved, Moved):
        taken.append(moved.span)
        before, reading = moved.before, replace(reading, interface="")
        decided = replace(decided, devices=tuple(name for name in names if name in before["devices"]))
    if before and (rest := THE_REST.search(text)):
        reading = replace(reading, vrf="" if reading.vrf in rest[0] else reading.vrf)
        taken.append(rest.span())
    message = _message(text, reading, mentions, taken, before, plans)
    earlier = tuple(str(one) for one in before.get("intents") or (before.get("intent"),) if one in plans)
    is_known = refers_back(text) or isinstance(moved, Moved) or message.asked.log_words or not message.strange
    is_about_before = bool(is_known or _is_other_vrf(message, before) or (mentions and not reading.intent))
    if _is_within(message, earlier):
        message = replace(message, asked=replace(message.asked, checks=()))
    goes_on = bool(earlier) and not message.names_checks and is_about_before
    if goes_on and _is_other_vrf(message, before):
        message = replace(message, reading=replace(message.reading, vrf=message.strange[0]), strange=())
    chosen = decided.intents or (earlier if goes_on else _checks(message, plans, earlier))
    is_unclear = chosen is None or (chosen == (BROADEST,) and not message.names_checks and not goes_on)
    if is_unclear and before and message.strange and not mentions and not (decided.devices or decided.intents):
        said = f"'{' '.join(message.strange)}' is nothing that can be checked here. What is to be checked?"
        chosen = Question(said, tuple(plan.description for plan in plans.values()))
    # A health check reads more than was asked at worst, and at night nobody wants to be asked first.
    checks = chosen if isinstance(chosen, tuple) else (BROADEST,) if chosen is None else ()
    if isinstance(moved, Question) and not decided.devices:
        return replace(moved, intents=checks)
    try:
        found = Meant(list(decided.devices)) if decided.devices else _devices(message, inventory, before)
    except UnknownDeviceError as error:
        focus = _focus(message, checks, [], {*names})
        error.asked = {"query": text, "intents": [*checks], "facts": [*message.asked.facts], "focus": focus}
        raise
    if isinstance(found, Question):
        return replace(found, intents=checks)
    if isinstance(chosen, Question):
        return replace(chosen, devices=tuple(found.devices))
    found = replace(found, keeps_focus=found.is_carried or goes_on or isinstance(moved, Moved))
    return _request(message, found, checks, before, inventory, is_guess=chosen is None, goes_on=goes_on)


def _message(
    text: str,
    reading: Reading,
    mentions: Sequence[Mention],
    taken: Spans,
    before: Mapping[str, Any],
    plans: Mapping[str, Plan],
) -> _Message:
    if before and (compared := COMPARED.search(text)):
        taken.append(compared.span())
    named = (reading.interface, reading.neighbor, reading.prefix)
    if not reading.vrf and text != text.upper():
        is_vrf = not any(named) and (reading.intent == _VRF or (before.get("focus") or {}).get("vrf"))
        capitals_of = _CAPITALS if is_vrf else _JOINED_CAPITALS
        spans = [one for one in capitals_of.finditer(text) if not _overlaps(one.span(), taken)]
        capitals = [one[0] for one in spans if not asked_in(one[0]).is_anything]
        if len(capitals) == 1:
            reading = replace(reading, vrf=capitals[0])
            taken += [one.span() for one in spans]
    reading = replace(reading, devices=tuple(one for one in reading.devices if one != reading.vrf))
    of_before = tuple(map(str, before.get("intents") or ())) if _THEIR.search(text) else ()
    is_log = list(before.get("intents") or ()) == ["check_logs"]
    taken += [one.span() for one in TROUBLE.finditer(text) if is_log]
    asked = asked_in(text, taken, of_before, is_log=is_log) if is_on("oncall.asked") else Asked()
    if reading.intent in plans and reading.intent not in askable()["checks"]:
        # What a plan of the operator's speaks of is read by it.
        own = asked_in(" ".join(plans[reading.intent].told))
        facts = tuple(one for one in asked.facts if one not in own.facts)
        asked = replace(asked, unread=tuple(one for one in asked.unread if one not in own.unread), facts=facts)
    # "Only those that are down" complains of nothing.
    narrows = narrowing_in(text, names_devices=_names_devices(mentions)) if before else []
    known = [*taken, *narrows, *((one.start, one.end) for one in mentions if before)]
    strange = [] if asked.is_anything else strange_words(text, known, all_words=bool(_FIGURE.search(text)))
    complaints = complaints_in(text, [*taken, *narrows, *fact_phrases(text)], asked.unread)
    return _Message(text, reading, mentions, taken, asked, complaints, strange, narrows)


def _names_devices(mentions: Sequence[Mention]) -> bool:
    return any(one.kind != "every" for one in mentions)


def _overlaps(span: tuple[int, int], taken: Spans) -> bool:
    return any(start < span[1] and end > span[0] for start, end in taken)


def _taken(text: str, reading: Reading, mentions: Sequence[Mention]) -> Spans:
    """The stretches that name devices, or the one thing that is meant."""
    spans = [(one.start, one.end) for one in mentions if one.kind != "every"]
    for said in (reading.interface, reading.vrf, reading.neighbor, reading.prefix):
        at = text.casefold().find(said.casefold()) if re.search(r"\d|[A-Z]{2}", said) else -1
        spans += [(at, at + len(said))] if at >= 0 else []
    return spans + [one.span() for one in _ADDRESS.finditer(text)]


def _is_other_vrf(message: _Message, before: Mapping[str, Any]) -> bool:
    """True if the one word that nothing knows can be the name of another VRF than that of the turn before."""
    return bool((before.get("focus") or {}).get("vrf")) and len(message.strange) == 1 and not message.names_checks


def _is_within(message: _Message, earlier: Sequence[str]) -> bool:
    """True if the check that a message names is only of what the turn before checked: the neighbours, in a thread about
    adjacencies, or the VRF in which a route is looked up."""
    asked = message.asked
    if asked.checks == ("check_bgp_neighbors",):
        return bool({*earlier} & _PEERED) and asked.is_weak and not asked.facts
    is_vrf = asked.checks == (_VRF,) and bool(message.reading.vrf)
    return is_vrf and bool({*earlier} & {"check_routes", "check_bgp_neighbors"}) and bool(_IN_VRF.search(message.text))


def _devices(message: _Message, inventory: Sequence[Device], before: Mapping[str, Any]) -> Meant | Question:
    """The devices that are meant; those of the turn before where none is said; else the person is asked."""
    names, text = tuple(device.name for device in inventory), message.text
    earlier = [name for name in before.get("devices") or () if name in names]
    if is_on("oncall.mentions"):
        neighbor = str((before.get("focus") or {}).get("neighbor", ""))
        has_peers = bool(_PEERED & {*map(str, before.get("intents") or ())})
        joins = not earlier or bool(_JOINING & {*map(str, before.get("intents") or _JOINING)})
        found = devices_meant(
            text, message.reading, inventory, earlier, neighbor, has_peers=has_peers, joins_devices=joins
        )
    else:
        among = chosen_among(message.reading, inventory)
        found = among if isinstance(among, Question) else Meant(among)
    if isinstance(found, Question):
        return found
    if found.devices:
        # What does xrd-5 get from it: the device before is its neighbour.
        is_peer = len(earlier) == 1 and not found.peers and earlier != found.devices and _WITH_IT.search(text)
        return replace(found, peers=earlier) if is_peer else found
    if earlier:
        told = [*(text[start:end] for start, end in message.narrows), *spans_of_time(text)]
        said = re.findall(r"\w+", " ".join(told))
        figures = [one for one in (*found.unread, *message.reading.not_covered) if one not in said]
        other = named_by_figures(text, figures, earlier, names)
        if isinstance(other, Question):
            return other
        return replace(found, devices=other or earlier, is_carried=not other)
    # Words that the model marked, and that name no device, may leave out some of them: the routers in Porto.
    is_marked = bool(message.reading.devices or message.reading.not_covered)
    is_several = message.asked.is_plural and not is_marked and len(names) <= MOST_SEARCHED
    is_general = _ANYWHERE.search(text) or is_several
    is_anywhere = _HOLDER.search(text) or (is_general and not _THE_ONE.search(text))
    if (not found.unread and is_anywhere) or (message.reading.vrf and len(names) <= MOST_SEARCHED):
        return replace(found, devices=list(names), is_searched=True)
    return Question("Which device is meant?", names)


def _checks(message: _Message, plans: Mapping[str, Plan], earlier: Sequence[str]) -> tuple[str, ...] | Question | None:
    """What is to be checked: as words say it, or as the model read it; facts by the check before, if that reads them. A
    question where only what no tool reads was asked for; None where the model is unsure."""
    asked, reading = message.asked, message.reading
    read = reading.intent if reading.intent in plans else ""
    is_whole = _WHOLE.search(message.text) is not None
    things = [name for name in _BY_THING if getattr(reading, name)]
    said = [one for one in asked.checks if one in plans] or (["check_interface_status"] if asked.group else [])
    if any("/" in one for one in _ADDRESS.findall(message.text)) and not said and not asked.facts:
        # A network is no neighbour: its route is meant.
        return ("check_routes",)
    by_fact = plans_for(asked.facts)
    of_facts = [own[0] for own in by_fact.values() if own[0] in plans]
    if read and read not in askable()["checks"] and not read.startswith("review_") and reading.confidence >= _SURE:
        # The words of a plan of the operator's are in no table.
        return (read, *of_facts)
    is_sure = reading.confidence >= (_PLAIN if read == BROADEST else _SURE)
    if is_whole and (read.startswith("review_") or read == BROADEST):
        return (read,)
    reads_all = [one for one in earlier if by_fact and all(one in own for own in by_fact.values())]
    if reads_all and not said:
        return (reads_all[0],)
    is_certain = is_sure and read not in ("", BROADEST)
    if message.complaints and of_facts and not (said or is_certain) and not {*things} - {"neighbor"}:
        # Why traffic is slow is told by the health of the device, beside the figures.
        return (BROADEST,)
    if is_sure and not said and any(read in plans_of_fact for plans_of_fact in by_fact.values()):
        return tuple(dict.fromkeys((read, *(own[0] for own in by_fact.values() if read not in own))))
    if said or of_facts:
        # One word says it, or several in a list do; the model chooses only one plan.
        more = [own[0] for own in by_fact.values() if own[0] in plans and not set(own) & set(said)]
        return tuple(dict.fromkeys((*said, *more)))
    if read in ("", BROADEST) and not things and past_times(message.text) and not asked.unread:
        # How a device was at a time that is over, only its log tells.
        return ("check_logs",)
    if asked.unread and not message.complaints:
        told = f"No tool here reads {' and '.join(asked.unread)}. What is to be checked instead?"
        return Question(told, tuple(plan.description for plan in plans.values()))
    if read == BROADEST and things:
        read = _BY_THING[things[0]]
    if message.complaints and not things and not (read and is_sure):
        # Of a complaint that names no check, the model has only guessed one.
        return (BROADEST,)
    if read and (is_sure or reading.prefix):
        return (read,)
    things = [name for name in things if not (name == "neighbor" and message.complaints)]
    return (_BY_THING[things[0]],) if things else None


def _request(
    message: _Message,
    found: Meant,
    checks: tuple[str, ...],
    before: Mapping[str, Any],
    inventory: Sequence[Device],
    *,
    is_guess: bool,
    goes_on: bool,
) -> Request:
    """The request, with what it takes over from the turn before and says so, and what it leaves out."""
    text, asked, reading, names = message.text, message.asked, message.reading, [one.name for one in inventory]
    devices = found.devices
    holder = _HOLDER.search(text)
    if holder:
        checks, asked = ("check_interface_status",), replace(asked, facts=("interface.addresses",), own=())
        message = replace(message, reading=replace(reading, prefix="", neighbor=""))
    elif checks == ("check_routes",) and not goes_on and not (_ADDRESS.search(text) or _DEFAULT.search(text)):
        # A device that cannot be reached may have lost anything.
        checks = checks if asked.checks else (BROADEST,)
    if checks == (BROADEST,):
        if message.complaints:
            # The health is asked for, and not only what reads the facts.
            asked = replace(asked, own=checks)
        # What is between two devices, and not of one kind, is seen on both.
        devices = [name for name in names if name in (*devices, *found.peers)]
    if len(found.peers) == 1 and {*checks} & _HAVE_PEERS:
        message = replace(message, reading=replace(message.reading, neighbor=found.peers[0]))
    facts = asked.facts or (tuple(map(str, before.get("facts") or ())) if goes_on else ())
    groups = [text[one.start : one.end] for one in message.mentions if one.kind in _GROUPS]
    narrowed = narrowed_by(
        text,
        replace(asked, facts=facts),
        checks,
        groups,
        is_bare=(goes_on or found.is_searched) and not _names_devices(message.mentions),
    )
    if asks_since_when(text) and not asked.facts:
        # Since when there is what was found, and not the facts of the turn before again.
        narrowed, facts = replace(narrowed, focus={**narrowed.focus, "since": "asked"}), ()
    focus = _focus(replace(message, asked=asked), checks, devices, {*names}) | narrowed.focus
    focus |= _ends(message.mentions, devices)
    is_whole = len(devices) == len(names) > 1
    if found.is_searched or (focus.get("vrf") and _VRF in checks and is_whole):
        # Of the whole network, those that have it are meant.
        focus.setdefault("which", SEARCHED)
    if focus.get("interface") and checks == ("check_bgp_neighbors",):
        # A port that is named is looked at itself, so that one that does not exist is told.
        checks = ("check_interface_status", *checks)
    if holder:
        focus = {"address": holder[1], "which": "device"}
    kept = {}
    if found.keeps_focus:
        kept = focus_kept(before, focus, checks, devices, is_same_check=goes_on)
        earlier_focus = before.get("focus") or {}
        if found.is_carried and facts and before.get("facts") and not {"order", *LIMITS} & focus.keys():
            # By another figure, in the same order.
            kept |= {name: earlier_focus[name] for name in ("order", "first", "which") if name in earlier_focus}
    if {**kept, **focus}.get("neighbor"):
        facts = tuple(_OF_NEIGHBORS.get(one, one) for one in facts)
    told = as_before(devices if found.is_carried else (), checks if goes_on else (), facts if goes_on else (), kept)
    past, read_times = ([], spans_of_time(text)) if "check_logs" in checks else (past_times(text), [])
    # What devices tell is how they are now, and not how they were for some time.
    lasting = [] if "check_logs" in checks else [one for one in spans_of_time(text) if _LASTS.search(one)]
    if (past or lasting) and any(is_moment(fields()[one]) for one in facts):
        # Devices tell when they started, or when an interface last changed, however long ago that is.
        focus |= {"minutes": str(minutes_back(text)), **until(text)}
        read_times, past, lasting = [*read_times, *past, *lasting], [], []
    gone = [f"how it was {one} (devices tell how they are now)" for one in past if goes_on or _WAS.search(text)]
    strange = " ".join(message.strange)
    is_lost = bool(strange) and checks == (BROADEST,) and _is_all_strange(message) and not goes_on
    unread = [*asked.unread, *([f"'{strange}'"] if is_lost else [])]
    known = (*devices, *focus.values(), *past, *read_times, *lasting, *narrowed.words)
    figures = [one for one in reading.left_out if one.strip().isdigit() and not asked_in(one).is_anything]
    left = _left(
        message, [*found.unread, *figures, *reading.not_covered, *(message.strange if goes_on else ())], known, focus
    )
    return Request(
        tuple(devices),
        checks,
        {**kept, **focus},
        tuple(dict.fromkeys((*left, *(() if gone else (*past, *lasting)), *narrowed.unused))),
        inventory,
        is_guess,
        facts,
        (*(f"{one} (no tool here reads it)" for one in unread), *gone),
        asked.own,
        told if before else (),
    )


def _left(message: _Message, words: Sequence[str], known: Sequence[str], focus: Mapping[str, str]) -> list[str]:
    """The words that nothing in the request explains."""
    covered = " ".join([*(message.text[start:end] for start, end in message.taken), *known]).casefold()
    left = [word for word in dict.fromkeys(words) if word.casefold() not in covered]
    left = [word for word in left if not (word.isdigit() and focus.get("minutes"))]
    return [word for word in left if word.casefold() not in FILLERS and not asked_in(word).is_anything]


def _is_all_strange(message: _Message) -> bool:
    """True if nothing that was said is known, but the names of devices."""
    return {*strange_words(message.text, message.taken, all_words=True)} == {*message.strange}


def _ends(mentions: Sequence[Mention], devices: Sequence[str]) -> dict[str, str]:
    """The two devices whose link or session is meant, if they are all that is."""
    pairs = [one.names for one in mentions if one.kind == "pair" and {*one.names} == {*devices}]
    return {"ends": ENDS.join(pairs[0])} if pairs else {}


def _focus(message: _Message, checks: Sequence[str], devices: Sequence[str], names: set[str]) -> dict[str, str]:
    """The one thing that a message means, by what names it."""
    text, asked = message.text, message.asked
    as_number = found[1] if (found := _AS_NUMBER.search(text)) else ""
    reading = replace(message.reading, intent=checks[0] if checks else "", also=tuple(checks[1:]), as_number=as_number)
    if not reading.prefix and not reading.neighbor:
        reading = replace(reading, prefix=_address(text, checks))
    if "check_logs" in checks:
        reading = replace(reading, minutes=minutes_back(text))
    focus = focus_of(reading, devices, names)
    if "check_logs" in checks:
        focus |= narrowed_lines(text)
    lists = [re.findall(_PORT, one[0]) for one in _PORTS.finditer(text)]
    if ports := next((one for one in lists if focus.get("interface") in one), None):
        focus["interface"] = ", ".join(dict.fromkeys(ports))
    if asked.group and not focus.get("interface"):
        focus["group"] = asked.group
    if asked.log_words and "check_logs" in checks:
        focus["words"] = ", ".join(asked.log_words)
    return focus


def _address(text: str, checks: Sequence[str]) -> str:
    """The one address that no field has: of a neighbour, or the one whose route is meant."""
    if "check_routes" in checks and _DEFAULT.search(text):
        return "0.0.0.0/0"
    found = list(dict.fromkeys(_ADDRESS.findall(text)))
    return found[0] if len(found) == 1 and set(checks) & _HAVE_ADDRESSES else ""
