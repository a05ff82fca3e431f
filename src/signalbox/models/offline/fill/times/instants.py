"""Words of time as the text that a schema asks for, by way of `signalbox.language.time`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from signalbox.errors import SignalboxError
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.times.clocks import write_clocks
from signalbox.models.offline.fill.times.tenses import tells_past

__all__ = ["as_text", "coming_range", "day_of", "range_of", "written"]

# What ends where the next day begins ends on the day before.
_ENDS = re.compile(r"\bend of\b|\beo[dwmy]\b", re.IGNORECASE)
_COMING = re.compile(
    r"(?:the )?(?:next|coming) "
    r"(?:(?P<unit>week(?:end)?|month|year)|(?P<count>\w+(?:-\w+)? (?:hour|day|week|month|year)s?))",
    re.IGNORECASE,
)
# Whoever asks for something may still log what was a few weeks ago, rather than wait for most of a year.
_LEAN = 4
_NAMED_DAY = re.compile(r"day\b|\b(?:mon|tues?|wed|thu(?:rs)?|fri|sat|sun)\b", re.IGNORECASE)


def as_text(reading: Reading, words: str, kind: str, side: str, *, ahead: bool | None) -> str | None:
    """The words as a date, a time or a moment in ISO form; as they are when the field wants words.

    A bare name of time means the next such time when the field looks `ahead`, the last one when it does not,
    and the nearer of the two when nothing tells.
    """
    if kind.endswith("-words"):
        return words.removeprefix("the ").removeprefix("on ")
    words = write_clocks(words, reading.text)
    moment = _instant(reading, words) if ahead is not False else None
    if moment is not None and ahead is None:
        moment = _nearer(reading, words, moment)
    if moment is None:
        ends = range_of(reading, words)
        moment = (ends[1] if side == "end" and _stretches(words) else ends[0]) if ends else _instant(reading, words)
    if moment and kind == "date" and _ENDS.search(words) and moment.time() == moment.time().min:
        moment -= timedelta(days=1)
    return written(moment, kind) if moment else None


def range_of(reading: Reading, words: str) -> tuple[datetime, datetime] | None:
    """The range that the words speak of, or None when they speak of none that can be."""
    from signalbox.language.time import find_range

    try:
        found = find_range(words, reading.clock, reading.tz)
    except SignalboxError:
        return None
    return (found.range.start, found.range.end) if found else None


def coming_range(reading: Reading, words: str) -> tuple[datetime, datetime] | None:
    """The range ahead that the words name: a week or month to come, or "the next two weeks" from now on."""
    named = _COMING.fullmatch(words)
    begun = _instant(reading, words if named and named["unit"] else "now")
    if named is None or begun is None:
        return None
    if named["count"]:
        ended = _instant(reading, f"in {named['count']}")
        return (begun, ended) if ended else None
    unit = named["unit"].lower()
    if unit in ("week", "weekend"):
        return begun, begun + timedelta(days=7 if unit == "week" else 2)
    last = begun + timedelta(days=31 if unit == "month" else 366)
    return begun, last.replace(day=1) if unit == "month" else last.replace(month=1, day=1)


def day_of(reading: Reading, words: str) -> tuple[datetime, datetime] | None:
    """The whole day that the words name, which may lie ahead."""
    moment = _instant(reading, words)
    if moment is None or moment.time() != moment.time().min:
        return None
    return moment, moment + timedelta(days=1)


def _instant(reading: Reading, words: str) -> datetime | None:
    """The moment that the words name, worked out once for all fields."""
    if words not in reading.moments:
        reading.moments[words] = _parse(reading, words)
    return reading.moments[words]


def _parse(reading: Reading, words: str) -> datetime | None:
    from signalbox.language.time import parse_instant

    try:
        return parse_instant(words, reading.clock, reading.tz)
    except SignalboxError:
        return None


def _nearer(reading: Reading, words: str, coming: datetime) -> datetime:
    """Of the coming and the past meaning of the words the one that is nearer to now; a request leans to what comes."""
    past = range_of(reading, words)
    now = _instant(reading, "now")
    if past is None or now is None or _NAMED_DAY.search(words):
        return coming
    lean = _LEAN if tells_past(reading) is False else 1
    return past[0] if lean * abs(now - past[0]) < abs(coming - now) else coming


def _stretches(words: str) -> bool:
    """Whether the words name a stretch that goes on, not a day on which something ends."""
    said = words.lower().replace("last day", "")
    return any(word in said for word in ("last", "past", "since", "this", "previous"))


def written(moment: datetime, kind: str) -> str:
    """A moment in the ISO form of a kind of field."""
    if kind == "date":
        return moment.date().isoformat()
    if kind == "time":
        return moment.time().isoformat()
    return moment.time().isoformat("minutes") if kind == "hour" else moment.isoformat()
