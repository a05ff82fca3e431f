"""The times of a question: the range it is about, and the one that is compared with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.reading.cues import COMPARISON, is_current
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.vocabulary import FILLERS, SOFT, text_words
from signalbox.errors import TimeRangeError
from signalbox.language.time import Found, Range, find_range, parse_duration

__all__ = ["Times", "read_times"]

_AGO = re.compile(
    r"\b(?P<length>(?:an?|one|\d+|two|three|few|several)\s+[a-z]+)\s+(?:ago|earlier|before|prior)\b", re.IGNORECASE
)
_BEFORE = re.compile(
    r"\b(?:the\s+)?(?:(?:previous|preceding|prior)\s+(?:one|period|(?:\d+\s+|two\s+|three\s+)?(?:hours?|days?|weeks?|minutes?|months?|\w+))|"
    r"(?:hour|day|week|month|\d+\s+\w+|period|one)\s+before(?:\s+that|\s+it)?|before(?:hand)?|before\s+that)\b(?!\s+(?:yesterday|last))",
    re.IGNORECASE,
)
_OVER = re.compile(r"\b(?P<unit>hour|day|week|month)[ -](?:over|on)[ -](?P=unit)\b", re.IGNORECASE)
_SAME = re.compile(
    r"\bthis\s+time\b(?=\s+(?:yesterday|last|on))|\b(?:the\s+)?same\s+(?:time|hour|period|day|window|\d+\s+\w+|stretch|span|moment|interval|minutes|hours)\b",
    re.IGNORECASE,
)
_WITH = re.compile(r"\b(?:with|against)\b", re.IGNORECASE)
# How long "now" is beside another time.
_PRESENT = timedelta(minutes=1)
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)
_UNITS = {"hour": timedelta(hours=1), "day": _DAY, "week": _WEEK, "month": timedelta(days=28)}
# Words that a grammar of time reads as a time, and that are none beside a measure.
_NO_TIME = re.compile(
    r"(?<!of )(?<!half )\b(?:per|an?|every|each)\s+(?:second|minute|hour|day)s?\b"
    r"(?!\s+(?:ago|earlier|before|since|until))|"
    r"(?<!last )(?<!past )(?<!previous )\b[1-5]\d\ds\b|"
    r"\b(?:1|5|15)[ -]?(?:m|min|minute)s?\s+load\b|\bload\s+(?:average\s+)?(?:\(?\d+\s?m\w*\)?)|"
    r"\bp\d{2,3}\b|\btop\s+\d+\b",
    re.IGNORECASE,
)
_SHORT_AGO = re.compile(r"(?:\w+\s+|\w+\s+an?\s+)?(?:min\w*|hours?|hrs?|h|m)\s+ago", re.IGNORECASE)
_DAYS_AGO = re.compile(r"\w+\s+(?:days?|weeks?)\s+ago", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from|until|till|between|starting|after|before)\W*$", re.IGNORECASE)
_MOMENT = re.compile(
    r"\bat\s+(?:about\s+|around\s+|exactly\s+)?(?:\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm|h|o'clock)?|noon|midnight)\b"
    r"(?!.*\b(?:to|until|till|and|for)\b)",
    re.IGNORECASE,
)
_CLOCKS = re.compile(
    r"\b(?P<ah>\d{1,2}):(?P<am>\d{2})(?:\s+(?P<day>today|yesterday))?\s*(?:to|until|till|and|-|–)\s*"
    r"(?P<bh>\d{1,2}):(?P<bm>\d{2})\b(?!\s*[ap]m)(?:\s+(?P<other>today|yesterday))?",
    re.IGNORECASE,
)
_LAST_WORDS = re.compile(r"\b(?:so\s+far|until\s+now|up\s+to\s+now)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Times:
    """What is said of time. `body` is the text without it, as long as the text; `main` is None where none is said."""

    main: Range | None
    against: Range | None
    body: str
    is_moment: bool = False
    """One moment is said, "at 9:30"; `main` starts there."""


def read_times(text: str, now: datetime, zone: tzinfo | str | None, *, compares: bool) -> Times:
    """The ranges of a question; raises InvalidTimeRangeError for one that cannot be."""
    readable = _NO_TIME.sub(lambda found: " " * len(found.group()), text)
    try:
        if not compares:
            found = find_range(readable, now, zone)
            _refuse_backwards(readable)
            main = _whole_day(found, readable) if found else None
            return Times(main, None, _blanked(text, found), found is not None and _is_moment(found, readable))
        return _read_two(text, readable, now, zone)
    except TimeRangeError as error:
        raise InvalidTimeRangeError(error.user_message, suggestion=error.suggestion, details=error.details) from None


def _refuse_backwards(text: str) -> None:
    """Raise for two times of one day of which the second is the earlier; overnight may be meant without a day."""
    found = _CLOCKS.search(text)
    if found is None:
        return
    days = [day.lower() for day in (found["day"], found["other"]) if day]
    is_one_day = "today" in days if len(days) == 1 else len(days) == 2 and days[0] == days[1]
    start, end = (int(found[f"{name}h"]) * 60 + int(found[f"{name}m"]) for name in ("a", "b"))
    if is_one_day and end <= start:
        raise InvalidTimeRangeError(
            "That range of time ends before it starts.", suggestion='Say the earlier time first: "from 11:00 to 14:00".'
        )


def checked(found: Range, now: datetime) -> TimeRange:
    """A range as the contract has it, cut off at now; raises InvalidTimeRangeError."""
    if found.start.astimezone(UTC) >= now.astimezone(UTC):
        raise InvalidTimeRangeError(
            "That range of time lies in the future.", suggestion='Ask about the past, such as "the last hour".'
        )
    end = min(found.end.astimezone(UTC), now.astimezone(UTC)).astimezone(found.end.tzinfo)
    return TimeRange(start_time=found.start, end_time=end)


def _is_moment(found: Found, text: str) -> bool:
    """Whether one moment is meant: "at 9:30", "15 minutes ago"."""
    is_ago = _SHORT_AGO.fullmatch(found.text.strip()) and not _SINCE.search(text[: found.start_index])
    return bool(is_ago or _MOMENT.search(found.text))


def _whole_day(found: Found, text: str) -> Range:
    """The range; "two days ago" by itself is that day, rather than all the time since."""
    ago = _DAYS_AGO.fullmatch(found.text.strip())
    if ago is None or _SINCE.search(text[: found.start_index]):
        return found.range
    midnight = found.range.start.replace(hour=0, minute=0, second=0, microsecond=0)
    return Range(midnight, midnight + _DAY)


def _read_two(text: str, readable: str, now: datetime, zone: tzinfo | str | None) -> Times:
    cue = COMPARISON.search(readable) or _cut_between_times(readable, now, zone)
    first, second = (readable[: cue.start()], readable[cue.end() :]) if cue else (readable, "")
    offset = cue.end() if cue else 0
    found = _find_main(first, now, zone)
    main = found.range if found else _implied(first, second, now)
    body = _blanked(text, found)
    later = _find_against(second, main, now, zone) if cue else None
    if later is not None and (main is not None or _stands_first(second, later)):
        return _paired(main, later, _blank(body, [(offset + a, offset + b) for a, b in later.spans]), now)
    if (over := _OVER.search(readable)) is not None:
        length = _UNITS[over["unit"].lower()]
        base = main or Range(now - length, now)
        return Times(base, Range(base.start - length, base.end - length), _blank(body, [over.span()]))
    if found is not None:
        other = _find_against(_blank(readable, list(found.spans)), main, now, zone)
        spans = list(other.spans) if other else []
        return Times(main, other.range if other else None, _blank(body, spans))
    # "Compared with web-2 in the last hour": the time stands after the comparison, and is about both.
    both = find_range(second, now, zone)
    if both is None:
        return Times(None, None, body)
    return Times(both.range, None, _blank(text, [(offset + a, offset + b) for a, b in both.spans]))


def _cut_between_times(text: str, now: datetime, zone: tzinfo | str | None) -> re.Match[str] | None:
    """The "with" of "compare A at one time with another time": both sides of it say a time."""
    for cut in _WITH.finditer(text):
        first = text[: cut.start()]
        if (is_current(first) or find_range(first, now, zone)) and _stands_alone(text[cut.end() :], now, zone):
            return cut
    return None


def _stands_alone(text: str, now: datetime, zone: tzinfo | str | None) -> bool:
    found = find_range(text, now, zone)
    return found is not None and _stands_first(text, found)


def _implied(first: str, second: str, now: datetime) -> Range | None:
    """The main range where only the other one is said: "now" is compared, or the hour that "the same time" is of."""
    if is_current(first):
        return Range(now - _PRESENT, now)
    return Range(now - _UNITS["hour"], now) if _SAME.search(second) else None


def _stands_first(text: str, found: Found) -> bool:
    """Whether the time is what is compared with, rather than when two other things are compared."""
    before = text[: min(start for start, _ in found.spans)]
    return all(word in FILLERS or word in SOFT for word, *_ in text_words(before))


def _find_main(text: str, now: datetime, zone: tzinfo | str | None) -> Found | None:
    """The first range; in "between today and yesterday" the first of the two."""
    pair = re.search(r"\b(?:difference|compar\w+|change[ds]?)\b.*\bbetween\b(?!\s+\d)", text, re.IGNORECASE)
    if pair and (cut := re.search(r"\band\b", text[pair.end() :], re.IGNORECASE)):
        head = find_range(text[: pair.end() + cut.start()], now, zone)
        if head is not None:
            return head
    return find_range(text, now, zone)


def _find_against(text: str, main: Range | None, now: datetime, zone: tzinfo | str | None) -> Found | None:
    """The other time, which may be said by its distance: "an hour ago", "the same time yesterday", "the day before"."""
    if main is not None and (ago := _AGO.search(text)) and (length := parse_duration(ago["length"])):
        return _shifted(text, main, length, ago.span())
    if main is not None and (before := _BEFORE.search(text)):
        unit = next((_UNITS[name] for name in _UNITS if re.search(rf"\b{name}\b", before.group(), re.IGNORECASE)), None)
        return _shifted(text, main, max(main.end - main.start, unit or timedelta(0)), before.span())
    same = _SAME.search(text)
    found = find_range(_SAME.sub(lambda one: " " * len(one.group()), text), now, zone)
    if found is None or main is None:
        return found
    spans = [*found.spans, *([same.span()] if same else [])]
    if same is not None or _is_part(main, found.range):
        away = _distance(main, found.range)
        return Found(Range(main.start - away, main.end - away), *spans[0], found.text, tuple(spans))
    return found


def _shifted(text: str, main: Range, length: timedelta, span: tuple[int, int]) -> Found:
    return Found(Range(main.start - length, main.end - length), *span, text[slice(*span)], (span,))


def _is_part(main: Range, other: Range) -> bool:
    """Whether the main range is a piece of a day or week, so that the same piece of the other one is meant."""
    length, whole = main.end - main.start, other.end - other.start
    if other.start <= main.start and main.end <= other.end:
        return False
    starts_with_it = main.start.hour == main.start.minute == 0
    return whole >= _DAY - timedelta(hours=1) and length < whole * 0.9 and not starts_with_it


def _distance(main: Range, other: Range) -> timedelta:
    """By how many whole days or weeks the other lies before the main range."""
    whole = other.end - other.start
    if whole >= _WEEK - timedelta(hours=2):
        weeks = max(1, round((main.start - other.start) / _WEEK - 0.5 + 0.5 * (whole < _WEEK)))
        return _WEEK * weeks
    days = (main.start.date() - other.start.date()).days
    return _DAY * max(1, days)


def _paired(main: Range | None, later: Found, body: str, now: datetime) -> Times:
    if main is not None:
        return Times(main, later.range, body)
    length = later.range.end - later.range.start
    zone_now = now.astimezone(later.range.start.tzinfo)
    if later.range.end >= now - timedelta(minutes=1):
        # "Compared with an hour ago", and nothing else: the time since then, and as long before.
        return Times(later.range, Range(later.range.start - length, later.range.start), body)
    midnight = zone_now.replace(hour=0, minute=0, second=0, microsecond=0)
    if length > timedelta(days=2):
        start = later.range.end if later.range.end < zone_now else zone_now - length
        return Times(Range(start, zone_now), later.range, body)
    return Times(Range(midnight, zone_now), later.range, body)


def _blanked(text: str, found: Found | None) -> str:
    return _blank(text, list(found.spans)) if found else text


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
