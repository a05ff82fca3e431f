"""The facts that can be asked of a device: fields of its records, what people call them, and how they are told.

The table is `askable.yaml`. A fact is named by its kind of record and its field, such as `bgp.hold_time_seconds`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any

import yaml

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.presence import LABELS, Presence, presence_of
from signalbox.agents.oncall.spoken import moment_of, spoken_duration, spoken_moment
from signalbox.settings import now

__all__ = [
    "IS_UP",
    "LIMITS",
    "THINGS",
    "Field",
    "adds_up",
    "askable",
    "fact_lines",
    "fields",
    "in_state",
    "in_time",
    "is_moment",
    "is_up",
    "kind_of_group",
    "limit_of",
    "name_of",
    "none_is",
    "of_subject",
    "plans_for",
    "said_value",
    "things",
    "told_of",
    "told_value",
    "untold",
    "value_of",
    "within",
]

_MOST_LINES = 100
_MOMENT = re.compile(r"(?:_time|_change|_datetime)$")
_COUNTED = ("received", "sent", "installed", "route_count", "dropped_by_filter")
IS_UP = {
    "interface": ("oper_state", "UP"),
    "bgp": ("session_state", "ESTABLISHED"),
    "isis": ("state", "UP"),
    "ldp": ("session_state", "OPERATIONAL"),
}
"""What says that a thing of a kind is up."""
THINGS = {
    "interface": "interfaces",
    "bgp": "BGP neighbours",
    "isis": "IS-IS adjacencies",
    "ldp": "LDP neighbours",
    "vrf": "VRFs",
    "route": "routes",
    "lldp": "LLDP neighbours",
    "log": "lines of the log",
    "isis_interface": "interfaces",
    "optic": "optics",
    "hardware": "parts",
    "bfd": "BFD sessions",
    "disk": "disks",
    "alarm": "alarms",
}
"""What several things of a kind are called."""
LIMITS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "above": ("above", gt),
    "below": ("below", lt),
    "least": ("at least", ge),
    "most": ("at most", le),
}
"""The limits of a focus, in words and as tests."""
_BASE = {
    "bgp_instance": "bgp",
    "isis_instance": "isis",
    "isis_interface": "isis",
    **dict.fromkeys(("hardware", "disk"), "system"),
    **dict.fromkeys(("optic", "bfd"), "interface"),
}
"""The kind that says whether records of this kind are there."""
_PARTS = {"hardware": "hardware part", "optic": "optics", "bfd": "BFD session", "disk": "disk"}
"""The kinds that a device may have nothing to tell of, and how that is said."""
_KEYS = {
    "interface": ("interface", "local_interface", "name"),
    "vrf": ("network_instance", "vrf", "name"),
    "neighbor": ("neighbor_address", "peer_name", "lsr_id", "who", "neighbor_ipv4", "neighbor_name", "description"),
    "as_number": ("peer_as",),
    "address": ("addresses",),
}
"""The fields of a record that may say that it is about the one thing that a request names."""
_NAMED_BY = {
    "interface": ("interface", "isis_interface", "lldp", "optic", "bfd"),
    "vrf": ("vrf", "interface", "bgp", "bgp_instance"),
    "neighbor": ("bgp", "isis", "ldp", "lldp", "interface", "isis_interface"),
    "as_number": ("bgp",),
    "address": ("interface",),
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a kind of record: its path, what an answer calls it, what people call it, and whether both ends of a
    link or session have to agree on it."""

    kind: str
    path: str
    label: str
    words: tuple[str, ...]
    at_both_ends: bool = False

    @property
    def name(self) -> str:
        """What it is called without a value."""
        return self.words[0] if self.label.startswith("{}") else self.label.partition(" {}")[0]

    @property
    def id(self) -> str:
        return f"{self.kind}.{self.path}"


@lru_cache(maxsize=1)
def askable() -> dict[str, Any]:
    """The table, as it is written."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return dict(yaml.load(Path(__file__).with_name("askable.yaml").read_text("utf-8"), loader))


@lru_cache(maxsize=1)
def fields() -> dict[str, Field]:
    """Every field that can be asked for, by its id."""
    found = [
        Field(kind, path, label, tuple(map(str.strip, words.split(","))), bool(ends))
        for kind, told in askable()["facts"].items()
        for path, (label, words, *ends) in told["fields"].items()
    ]
    return {one.id: one for one in found}


def plans_for(ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By kind of record, the plans that read these facts, the one that reads least first."""
    kinds = dict.fromkeys(fields()[one].kind for one in ids if one in fields())
    return {kind: tuple(askable()["facts"][kind]["plans"]) for kind in kinds}


def _in_group(group: str, record: Record) -> bool:
    """Whether a record is one of a group, such as the loopbacks or the fans; or of those that are "not shut"."""
    name, _, value = str(_group(group)[1]).partition("=")
    is_one = str(record.get(name)).startswith(value) if value else bool(record.get(name))
    return is_one != group.startswith(_NOT)


_NOT = "not "


def kind_of_group(group: str) -> str:
    """The kind of the records that a group chooses among."""
    return str(_group(group)[0])


def _group(group: str) -> Sequence[str]:
    return tuple(askable()["groups"][group.removeprefix(_NOT)])


def of_subject(kind: str, focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]]) -> list[Record]:
    """The records of a kind, or those about the one thing that the request names, if they can tell."""
    found = list(facts.get(kind, ()))
    if focus.get("group") and _group(focus["group"])[0] == kind:
        found = [one for one in found if _in_group(focus["group"], one)]
    for what, kinds in _NAMED_BY.items():
        if focus.get(what) and kind in kinds:
            found = [one for one in found if _is_about(one, kind, what, focus[what], facts)]
    if kind == "bgp_instance" and not focus.get("vrf"):
        found = [one for one in found if str(one.get("network_instance")).casefold() == "default"] or found
    return found


def _is_about(one: Record, kind: str, what: str, name: str, facts: Mapping[str, Sequence[Record]]) -> bool:
    keys = [key for key in _KEYS[what] if key != "name" or kind in ("interface", "isis_interface", "vrf", "optic")]
    told = [str(one[key]) for key in keys if one.get(key) is not None]
    if what == "neighbor" and kind in ("interface", "isis_interface"):
        return one.get("name") in _ports_facing(name, facts)
    if what == "address":
        return name in (str(told).partition("/")[0] for told in one.get("addresses") or ())
    if what == "interface":
        known = [str(it.get(key)) for it in facts.get(kind, ()) for key in keys if it.get(key)]
        return any(match_interface(port, list(dict.fromkeys(known))) in told for port in name.split(", "))
    return name.casefold() in (text.casefold() for text in told)


def _ports_facing(neighbor: str, facts: Mapping[str, Sequence[Record]]) -> list[str]:
    """The interfaces whose links lead to a neighbouring device."""
    links = [one for one in facts.get("link", ()) if str(one.get("neighbor")).casefold() == neighbor.casefold()]
    return [str(one.get("local_interface")) for one in links]


def adds_up(field: Field) -> bool:
    """True if the figures of several records say something together: packets, errors, prefixes, routes."""
    return field.path in _COUNTED or field.path.startswith(("in_", "out_"))


def in_state(kind: str, records: Sequence[Record], focus: Mapping[str, str]) -> list[Record]:
    """The records in the state that is asked for; all where none is, or where records of this kind have no state."""
    if kind not in IS_UP or not focus.get("state"):
        return list(records)
    return [one for one in records if is_up(kind, one) == (focus["state"] == "up")]


def is_moment(field: Field) -> bool:
    """True if a field says when something was."""
    return _MOMENT.search(field.path) is not None


def in_time(asked: Iterable[Field], records: Sequence[Record], focus: Mapping[str, str]) -> list[Record]:
    """The records of which a moment that is asked for lies in the minutes that are asked for, and before `until`; all
    where no time is asked for."""
    paths = [one.path for one in asked if is_moment(one)]
    if not paths or not focus.get("minutes"):
        return list(records)
    since, until = now() - timedelta(minutes=int(focus["minutes"])), moment_of(focus.get("until")) or now()
    moments = ((one, (moment_of(value_of(one, path)) for path in paths)) for one in records)
    return [one for one, told in moments if any(at is not None and since <= at <= until for at in told)]


def things(kind: str, count: int) -> str:
    """How many there are of a kind: 1 interface, 3 IS-IS adjacencies."""
    name = THINGS.get(kind, LABELS.get(kind, kind))
    return f"{count} {name if count != 1 else name.replace('ies', 'y').replace('lines', 'line').removesuffix('s')}"


def none_is(kind: str, count: int, state: str) -> str:
    """That of so many things of a kind none is in a state."""
    return (
        f"none of {things(kind, count)} is {state}" if count > 1 else f"the only {things(kind, 1)[2:]} is not {state}"
    )


def fact_lines(
    ids: Sequence[str],
    focus: Mapping[str, str],
    facts: Mapping[str, Sequence[Record]],
    usual: Mapping[str, str] | None = None,
    *,
    is_counted: bool = False,
) -> list[str]:
    """A line for each record that tells what was asked for, with its evidence; of those in the state and within the
    limit that are asked for. A record whose values are all the `usual` ones needs no line, nor does one
    beyond the limit where it `is_counted` how many are within it."""
    lines: list[str] = []
    for kind, asked in _by_kind(ids).items():
        records = of_subject(kind, focus, facts)
        chosen = in_state(kind, records, focus)
        if records and not chosen:
            lines.append(none_is(kind, len(records), focus["state"]))
        records = in_time(asked, chosen or records, focus)
        fitting = [one for one in records if any(within(one, it, focus) for it in asked)]
        own = list(_lines(kind, asked, [one for one in fitting if not _is_usual(one, asked, usual or {})]))
        if records and not fitting and not is_counted:
            own = [f"nothing {limit_of(focus, asked)}: {one}" for one in _lines(kind, asked, records)]
        lines += [*own[:_MOST_LINES], *([f"… and {len(own) - _MOST_LINES} more"] if own[_MOST_LINES:] else [])]
        if not own and kind == "alarm" and presence_of(facts, kind).is_present:
            lines.append("no active alarm")
    return list(dict.fromkeys(lines))


def _is_usual(record: Record, asked: Iterable[Field], usual: Mapping[str, str]) -> bool:
    told = [(one.id, said_value(record, one)) for one in asked]
    return all(not said or usual.get(name) == said for name, said in told)


def untold(ids: Sequence[str], focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]]) -> Iterator[Presence]:
    """What was asked for and no record tells; nothing of a kind that is not there at all, since that says it."""
    device = str(next(iter(facts.get("device", ())), {}).get("device", ""))
    for kind, asked in _by_kind(ids).items():
        records, base = of_subject(kind, focus, facts), _BASE.get(kind, kind)
        if kind == "alarm":
            continue
        if kind in _PARTS and not records:
            told = f"{device} tells of no {focus.get('group') or _PARTS[kind]}"
            yield Presence(device, base, kind, "not_readable", said=told)
        elif not records and facts.get(kind):
            named = next((focus[what] for what in _NAMED_BY if focus.get(what)), str(focus.get("group", "")))
            known = tuple(dict.fromkeys(name_of(kind, one) for one in facts[kind]))
            yield Presence(device, base, named, "does_not_exist", known)
        elif not records:
            yield presence_of(facts, base)
        for one in asked if records else ():
            if all(value_of(record, one.path) in (None, "") for record in records):
                said = f"{device} does not tell the {one.name}"
                yield Presence(device, base, one.name, "not_readable", said=said)


def _by_kind(ids: Sequence[str]) -> dict[str, list[Field]]:
    kept: dict[str, list[Field]] = {}
    for one in ids:
        if one in fields():
            kept.setdefault(fields()[one].kind, []).append(fields()[one])
    return kept


def is_up(kind: str, record: Record) -> bool:
    """Whether a thing of a kind that has states is up."""
    name, state = IS_UP[kind]
    return record.get(name) == state


def within(record: Record, field: Field, focus: Mapping[str, str]) -> bool:
    """Whether the value of a field is within the limit that is asked for, if one is."""
    value = value_of(record, field.path)
    limits = LIMITS.keys() & focus.keys()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return not limits
    return all(LIMITS[name][1](value, float(focus[name])) for name in limits)


def limit_of(focus: Mapping[str, str], asked: Sequence[Field] = ()) -> str:
    """The limit that is asked for, in words; empty where none is."""
    is_time = bool(asked) and all(one.path.endswith("_seconds") for one in asked)
    told = {name: spoken_duration(float(focus[name])) if is_time else focus[name] for name in LIMITS if name in focus}
    return next((f"{LIMITS[name][0]} {value}" for name, value in told.items()), "")


def told_of(kind: str, asked: Sequence[Field], record: Record, more: str = "") -> str:
    """What a record tells of what is asked, with its name and evidence; empty where it tells nothing."""
    told = [told_value(one, said) for one in asked if (said := said_value(record, one))]
    name, evidence = name_of(kind, record), f" [{record['evidence']}]" if record.get("evidence") else ""
    return f"{f'{name}: ' if name else ''}{', '.join(told)}{more}{evidence}" if told else ""


def _lines(kind: str, asked: Sequence[Field], records: Sequence[Record]) -> Iterator[str]:
    return filter(None, (told_of(kind, asked, one) for one in records))


def told_value(field: Field, said: str) -> str:
    """A value with what an answer calls it."""
    return field.label.format(said) if "{}" in field.label else f"{field.label} {said}"


def said_value(record: Record, field: Field) -> str:
    """The value that a record has in a field, in words; empty where it tells nothing."""
    return _said(value_of(record, field.path), field.path)


def name_of(kind: str, record: Record) -> str:
    """What a record is about, where a device has several of its kind."""
    who = " ".join(str(record.get("who") or "").split())
    named = {
        "bgp": f"BGP neighbour {who}",
        "ldp": f"LDP neighbour {who}",
        "isis": f"IS-IS adjacency with {who}",
        "vrf": f"VRF {record.get('name')}",
        "lldp": str(record.get("local_interface")),
        "alarm": str(record.get("resource") or ""),
        "interface": str(record.get("name")),
        **{one: str(record.get("interface") or record.get("name")) for one in ("isis_interface", "optic", "bfd")},
        "disk": str(record.get("name")),
    }
    if kind == "bgp_instance" and str(record.get("network_instance")).casefold() != "default":
        return f"VRF {record.get('network_instance')}"
    return named.get(kind, "")


def value_of(record: Any, path: str) -> Any:
    """What stands at a path; of a list, what stands there in each of its members."""
    name, _, rest = path.partition(".")
    found = record.get(name) if isinstance(record, Mapping) else None
    if not rest:
        return found
    if isinstance(found, list | tuple):
        return [value for one in found if (value := value_of(one, rest)) is not None]
    return value_of(found, rest)


def _said(value: Any, path: str) -> str:
    """A value in words; empty where nothing was told."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if path.endswith("srgb") and isinstance(value, list | tuple) and len(value) == 2:
        return f"{value[0]}–{value[1]}"
    if isinstance(value, list | tuple):
        return ", ".join(dict.fromkeys(_said(one, path) for one in value)) or "none"
    if path.endswith("uptime_seconds"):
        return spoken_duration(value)
    if _MOMENT.search(path):
        return spoken_moment(value)
    return f"{value:,}" if isinstance(value, int) and value >= 100_000 else " ".join(str(value).split())
