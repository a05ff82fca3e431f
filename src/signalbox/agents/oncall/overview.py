"""What many records tell together: that they are alike, which differ, what counters add up to, and whether both ends of
links and sessions agree. It stands before the lines of the single records, and makes most of them unnecessary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.fields import (
    IS_UP,
    LIMITS,
    Field,
    adds_up,
    fields,
    in_state,
    in_time,
    is_moment,
    is_up,
    kind_of_group,
    limit_of,
    name_of,
    of_subject,
    said_value,
    things,
    told_value,
    value_of,
    within,
)
from signalbox.agents.oncall.spoken import spoken_duration, spoken_moment
from signalbox.settings import now

__all__ = ["Overview", "count_chosen", "overview"]

_LEAST = 3
"""Fewer records are told one by one."""
_FEW = 6
"""So many records are all told, if they are not alike."""
_MOST_NAMED, _MOST_CITED, _MOST_APART = 4, 12, 4
_ON = ("system", "interface", "isis_interface", "mpls", "bgp_instance", "isis_instance")
"""The kinds of which something holds "on" and not "for" them."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The lines that tell of many records together, and by field the value that they tell of most."""

    lines: tuple[str, ...] = ()
    usual: Mapping[str, str] | None = None
    is_dated: bool = False
    """Whether the lines say how many records lie in the time that is asked for; the others need no line then."""


@dataclass(frozen=True, slots=True)
class _Row:
    device: str
    record: Record
    said: str


def overview(
    asked: Sequence[str], focus: Mapping[str, Mapping[str, str]], facts: Mapping[str, Mapping[str, Sequence[Record]]]
) -> Overview:
    """What the facts that are asked for say of all devices together; `focus` is by device."""
    lines: list[str] = []
    usual: dict[str, str] = {}
    is_dated = False
    for field in (fields()[one] for one in asked if one in fields()):
        rows = [row for device, told in facts.items() for row in _rows(device, field, focus[device], told)]
        own = set().union(*focus.values())
        if "order" in own:
            continue
        if {*LIMITS} & own:
            lines += _in_limit(field, rows, focus) if len(rows) >= _LEAST else []
            continue
        if any(one.get("minutes") for one in focus.values()):
            dated = list(_in_time(field, rows, focus)) if len(rows) >= _LEAST else []
            lines, is_dated = [*lines, *dated], is_dated or bool(dated)
            continue
        common = _common(rows)
        by_device = {device: [row for row in rows if row.device == device] for device in facts}
        is_alike = all(row.said == common for row in rows)
        if not is_alike and 1 < len(facts) <= _MOST_APART and all(len(own) >= _LEAST for own in by_device.values()):
            lines += [f"{device}: {line}" for device, own in by_device.items() for line in _summary(field, own, 1)]
        else:
            lines += _summary(field, rows, len(facts))
        if common is not None and (is_alike or len(rows) > _FEW):
            usual[field.id] = common
        lines += _ends(field, rows)
    return Overview(tuple(dict.fromkeys(lines)), usual, is_dated)


def count_chosen(
    kinds: Iterable[str], focus: Mapping[str, Mapping[str, str]], facts: Mapping[str, Mapping[str, Sequence[Record]]]
) -> list[str]:
    """How many things of several devices there are, and how many in the state, or of the group, that is asked for."""
    lines = []
    own: Mapping[str, str] = next(iter(focus.values()), {})
    for kind in dict.fromkeys(kinds):
        group = own["group"] if own.get("group") and kind_of_group(own["group"]) == kind else ""
        state = own["state"] if own.get("state") and kind in IS_UP and group != "shut" else ""
        every = [_Row(device, one, "") for device, told in facts.items() for one in told.get(kind, ())]
        chosen = [
            one
            for device, told in facts.items()
            for one in in_state(kind, of_subject(kind, focus[device], told), {"state": state})
        ]
        if every and (group or state):
            verb = "are" if len(chosen) > 1 else "is"
            count = f"{len(chosen) or 'none'} of {_things(kind, every, len(facts))}"
            lines.append(f"{count} {verb} {' and '.join(filter(None, (group, state)))}{_cited(every)}")
        elif every and kind in IS_UP:
            up = sum(is_up(kind, row.record) for row in every)
            told = "all" if up == len(every) else f"{up} of them"
            lines.append(f"{_things(kind, every, len(facts))}, {told} up{_cited(every)}")
    return lines


def _rows(device: str, field: Field, focus: Mapping[str, str], facts: Mapping[str, Sequence[Record]]) -> Iterator[_Row]:
    for one in in_state(field.kind, of_subject(field.kind, focus, facts), focus):
        if said := said_value(one, field):
            yield _Row(device, one, said)


def _common(rows: Sequence[_Row]) -> str | None:
    """The value that more than half of the records have; None where they are few, or none is so common."""
    counts = {row.said: 0 for row in rows}
    for row in rows:
        counts[row.said] += 1
    most = max(counts, key=lambda said: counts[said], default=None)
    return most if most is not None and len(rows) >= _LEAST and 2 * counts[most] > len(rows) else None


def _summary(field: Field, rows: Sequence[_Row], devices: int) -> Iterator[str]:
    """How many records have the common value, and which have another; or what a counter adds up to."""
    common = _common(rows)
    figures = [value for row in rows if isinstance(value := value_of(row.record, field.path), int)]
    if adds_up(field) and len(figures) == len(rows) >= _LEAST and any(figures):
        counted = f"on {sum(map(bool, figures))} of {_things(field.kind, rows, devices)}"
        yield f"{told_value(field, f'{sum(figures):,}')} in all, {counted}{_cited(rows)}"
        return
    if common is None:
        return
    how = "on" if field.kind in _ON else "for"
    others = [row for row in rows if row.said != common]
    if not others:
        yield f"{told_value(field, common)} {how} all {_things(field.kind, rows, devices)}{_cited(rows)}"
        return
    apart: dict[str, list[str]] = {}
    for row in others:
        apart.setdefault(row.said, []).append(_who(field.kind, row, devices))
    if len(apart) < _MOST_NAMED:
        rest = [f"{said} {how} {_few(names)}" for said, names in apart.items()]
        count = f"{len(rows) - len(others)} of {_things(field.kind, rows, devices)}"
        yield f"{'; '.join([f'{told_value(field, common)} {how} {count}', *rest])}{_cited(rows)}"


def _in_limit(field: Field, rows: Sequence[_Row], focus: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """How many records are within the limit that is asked for."""
    fitting = [row for row in rows if within(row.record, field, focus[row.device])]
    limit = limit_of(next(iter(focus.values())), [field])
    yield f"{field.name} {limit}: {len(fitting) or 'none'} of {_things(field.kind, rows, len(focus))}{_cited(rows)}"


def _in_time(field: Field, rows: Sequence[_Row], focus: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Of how many records a moment lies in the time that is asked for."""
    if not is_moment(field):
        return
    own = next(one for one in focus.values() if one.get("minutes"))
    when = f"less than {spoken_duration(60 * int(own['minutes']))} ago"
    if own.get("until"):
        since = now() - timedelta(minutes=int(own["minutes"]))
        when = f"between {spoken_moment(since.isoformat())} and {spoken_moment(own['until'])}"
    fitting = [row for row in rows if in_time([field], [row.record], focus[row.device])]
    count = f"{len(fitting) or 'none'} of {_things(field.kind, rows, len(focus))}"
    yield f"{field.name} {when}: {count}{_cited(rows)}"


def _ends(field: Field, rows: Sequence[_Row]) -> Iterator[str]:
    """Where the other ends were read: whether they agree, for what has to be alike at both."""
    known = [row for row in rows if field.at_both_ends and row.record.get(f"far_{field.path}") is not None]
    differing = [row for row in known if row.record[f"far_{field.path}"] != value_of(row.record, field.path)]
    for row in differing:
        far = f"{row.record[f'far_{field.path}']} at its other end"
        where = " ".join(str(row.record[one]) for one in ("far_device", "far_port") if row.record.get(one))
        yield f"{_who(field.kind, row, 2)}: {told_value(field, row.said)}, but {far}{f' ({where})' if where else ''}"
    if len(known) > 1 and not differing:
        yield f"{field.name}: the same at both ends, for all {len(known)} of which both are known"


def _things(kind: str, rows: Sequence[_Row], devices: int) -> str:
    """How many there are of what kind, on how many devices."""
    of = len({row.device for row in rows})
    if of == len(rows) and devices > 1:
        return f"{of} devices"
    return things(kind, len(rows)) + (f" of {of} devices" if of > 1 else "")


def _who(kind: str, row: _Row, devices: int) -> str:
    name = name_of(kind, row.record)
    return f"{row.device} {name}".strip() if devices > 1 else name


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMED else str(len(names))


def _cited(rows: Sequence[_Row]) -> str:
    """The evidence of the records."""
    ids = list(dict.fromkeys(str(row.record["evidence"]) for row in rows if row.record.get("evidence")))
    return f" [{', '.join(ids[:_MOST_CITED])}]" if ids else ""
