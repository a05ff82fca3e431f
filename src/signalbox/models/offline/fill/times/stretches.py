"""Two times that belong together: a start and an end in their order, or a start and how long it lasts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise

from signalbox.models.offline.fill.figures.measures import convert
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times.clocks import with_half
from signalbox.models.offline.fill.times.instants import as_text
from signalbox.models.offline.fill.times.moments import iso_duration, side_in_time, time_kind
from signalbox.models.offline.fill.times.tenses import looks_back

__all__ = ["find_hours", "find_lengths", "put_in_order"]

_TO = re.compile(r"\s*(?:-|–|—|to|until|till|til|through|and)\s*(?:at )?", re.IGNORECASE)
_HOURS = re.compile(
    r"(?<![\d.,:/-])(?P<a>\d{1,2})(?:[:.](?P<am>\d\d))?\s*(?:-|–|to|till|until|and)\s*"
    r"(?P<b>\d{1,2})(?:[:.](?P<bm>\d\d))?(?![\d:.]\d|\d)(?P<sign>\s*(?:h|hrs|uhr|o'clock)\b)?(?!\s*(?:%|[€$£]|-|\w))",
    re.IGNORECASE,
)
# What settles the half of the day: am, "in the morning", a zero before the hour.
_SETTLED = re.compile(r"\A0\d|\A\S*\s*[ap]\.?m\b|midnight|morning|night", re.IGNORECASE)
_LENGTH = re.compile(r"\b(?:duration|length|how long|lasts?|takes)\b")
_APART = re.compile(r"\b(?:before|ahead|reminder|notice|break|between|buffer)\b")


def find_lengths(reading: Reading, fields: list[Field]) -> Iterator[Proposal]:
    """How long something lasts, from the two clock times that it runs between, when no field holds the end."""
    if len(reading.times) < 2:
        return
    if any(time_kind(f) in ("date-time", "time", "hour", "time-words") and side_in_time(f) == "end" for f in fields):
        return
    lasting = [f for f in fields if _LENGTH.search(f.about) and not _APART.search(f.about) and _holds_time(f)]
    for first, last in pairwise(reading.times) if len(lasting) == 1 else ():
        seconds = _seconds_between(reading, first.part("clock"), last.part("clock"))
        if not seconds:
            continue
        number = Quantity(seconds, 0, 0, 0, 0, 0, "time", "second", 1.0, meanings=(("time", "second", 1.0),))
        value = iso_duration(seconds) if lasting[0].kind == "string" else convert(lasting[0], number)
        if value is not None:
            yield Proposal(lasting[0], value, last.start, last.end, 0.9)


def find_hours(reading: Reading, fields: list[Field]) -> Iterator[Proposal]:
    """Two bare hours beside a day or with an "h", for the times when something starts and ends: "sat 9 to 12"."""
    timed = [f for f in fields if time_kind(f) in ("time", "hour", "time-words")]
    starts = [f for f in timed if side_in_time(f) == "start"]
    ends = [f for f in timed if side_in_time(f) == "end"]
    for found in _HOURS.finditer(reading.text) if len(starts) == len(ends) == 1 else ():
        beside = any(0 <= found.start() - phrase.end < 3 for phrase in reading.times)
        led = re.search(r"\b(?:from|between)\s+$", reading.text[: found.start()], re.IGNORECASE)
        if int(found["a"]) < int(found["b"]) <= 24 and (beside or led or found["sign"]):
            for field, hour, minutes, group in ((starts[0], "a", "am", 1), (ends[0], "b", "bm", 3)):
                value = as_text(reading, f"{found[hour]}:{found[minutes] or '00'}", time_kind(field), "", ahead=True)
                if value is not None:
                    yield Proposal(field, value, *found.span(group), 0.92)


def _holds_time(field: Field) -> bool:
    if field.kind == "string":
        return time_kind(field) == "duration"
    return field.kind in ("integer", "number") and unit_of_field(field.about, field.maximum)[0] == "time"


def _seconds_between(reading: Reading, first: tuple[int, int] | None, last: tuple[int, int] | None) -> float:
    if first is None or last is None or not _TO.fullmatch(reading.text[first[1] : last[0]]):
        return 0.0
    said = [with_half(reading.text, a, b, reading.text[a:b]) for a, b in (first, last)]
    begun, ended = (as_text(reading, words, "time", "", ahead=True) for words in said)
    if begun is None or ended is None:
        return 0.0
    return float((_since_midnight(ended) - _since_midnight(begun)) % timedelta(days=1) / timedelta(seconds=1))


def _since_midnight(written: str) -> timedelta:
    clock = time.fromisoformat(written)
    return timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second)


def put_in_order(reading: Reading, filled: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """An end never comes before its start: told the wrong way round they change places, else the end moves on."""
    return _days_in_order(reading, filled) or _hours_in_order(reading, filled)


def _hours_in_order(reading: Reading, filled: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """ "From noon until two" ends in the afternoon, though nobody says so."""
    timed = [p for p in filled.values() if time_kind(p.field) in ("time", "hour")]
    starts = [p for p in timed if side_in_time(p.field) == "start"]
    ends = [p for p in timed if side_in_time(p.field) == "end"]
    if len(starts) != 1 or len(ends) != 1 or _SETTLED.search(reading.text[ends[0].start : ends[0].end + 16]):
        return {}
    first, last = time.fromisoformat(starts[0].value), time.fromisoformat(ends[0].value)
    if last >= first or last.hour >= 12 or last.hour + 12 < first.hour:
        return {}
    later = last.replace(hour=last.hour + 12).isoformat("seconds" if time_kind(ends[0].field) == "time" else "minutes")
    return {ends[0].field.path: replace(ends[0], value=later)}


def _days_in_order(reading: Reading, filled: Mapping[str, Proposal]) -> dict[str, Proposal]:
    timed = [p for p in filled.values() if time_kind(p.field) in ("date", "date-time")]
    starts = [p for p in timed if side_in_time(p.field) == "start"]
    ends = [p for p in timed if side_in_time(p.field) == "end"]
    if len(starts) != 1 or len(ends) != 1 or time_kind(starts[0].field) != time_kind(ends[0].field):
        return {}
    start, end = starts[0], ends[0]
    first, last = datetime.fromisoformat(start.value), datetime.fromisoformat(end.value)
    if (first.tzinfo is None) != (last.tzinfo is None) or first <= last:
        return {}
    if end.start < start.start and first - last < timedelta(days=180):
        swapped = replace(start, value=end.value), replace(end, value=start.value)
        return {p.field.path: p for p in swapped}
    later = _moved_on(reading, end, first, last)
    value = later.date().isoformat() if time_kind(end.field) == "date" else later.isoformat()
    return {end.field.path: replace(end, value=value)}


def _moved_on(reading: Reading, end: Proposal, first: datetime, last: datetime) -> datetime:
    """The same clock time on the day of the start, the same weekday a week on, or the same date a year on."""
    if any(p.start <= end.start < p.end and p.kind == "clock" for p in reading.times):
        same = datetime.combine(first.date(), last.time(), last.tzinfo)
        return same if same >= first else same + timedelta(days=1)
    if first - last < timedelta(days=7) and not looks_back(end.field):
        return last + timedelta(days=7)
    month, day = last.month, min(last.day, 28 if last.month == 2 else last.day)
    while last < first:
        last = last.replace(year=last.year + 1, month=month, day=day)
    return last
