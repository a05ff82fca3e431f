"""Phrases of time as ranges, and the same part of another period for a comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.plan import Moment
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.errors import TimeRangeError
from signalbox.language.synonyms import FILLERS
from signalbox.language.time import Range, find_range, parse_duration
from signalbox.language.time.stretches import is_time_word

__all__ = [
    "Times",
    "earlier",
    "find_time",
    "is_distance",
    "is_present",
    "is_since",
    "range_around",
    "read_times",
    "window_of",
]

_NOW_WORDS = (
    r"(?:right |just |as of )?\b(?:now|rn|atm|currently|current|at (?:the|this) moment|at present|today now|latest"
    r"|this (?:very )?(?:minute|moment|second|instant))\b"
)
_PRESENT_WORDS = re.compile(_NOW_WORDS, re.I)
_NOW = re.compile(rf"{_NOW_WORDS}|(?!until|till|til|to|by|before|since|from)[a-z]+ now", re.I)
_LONGEST = 400
_COUNT = r"(?:(?:an?|one|two|three|few|several|a few)\s+|\d+\s*)?"
_AGO = re.compile(rf"(?P<length>{_COUNT}[a-z]+)\s+(?:ago|earlier|before|prior)(?:\s+to\s+the\s+\w+)?", re.I)
_SHORT_AGO = re.compile(r"(?:\d+\s*|(?:\w+\s+){0,2})(?:min\w*|hours?|hrs?|h|m)\s+ago", re.I)
_DAYS_AGO = re.compile(r"\w+\s+(?:days?|weeks?)\s+ago", re.I)
_BEFORE = re.compile(
    r"(?:the\s+)?(?:(?:previous|preceding|prior)\b.*|(?P<unit>hour|day|week|month|one|period)\s+before(?:\s+.*)?"
    r"|(?P<length>(?:\S+\s+){1,3})before(?:\s+that)?|before.*)",
    re.I,
)
_SAME = re.compile(
    r"\b(?:at\s+)?(?:this|(?:the\s+)?same)\s+(?:time|hours?|period|days?|moment|point|window|stretch)\b(?:\s+of)?(?:\s+on)?",
    re.I,
)
_MOMENT = re.compile(
    r"at\s+(?:about\s+|around\s+|exactly\s+)?(?:\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm|h|o'clock)?|noon|midnight"
    r"|(?:half|quarter)\s+past\s+\w+)\b",
    re.I,
)
_SPAN = re.compile(r"\b(?:from|between|since|until|till?|to|after|before|and)\b|\d\s*[-–]\s*\d", re.I)
# After something that happened at a time: only the time can be read.
_SINCE = re.compile(r"\b(?:since|after|following)\b(?:\s+[a-z'’-]+){0,5}?\s+(?:at|on|from)\s+", re.I)
_PAIR = re.compile(r"(?P<start>\d{4}-\d\d-\d\d\S*)\s*(?:/|to|until|\.\.)\s*(?P<end>\d{4}-\d\d-\d\d\S*)", re.I)
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^/\s]*")
_PRESENT = timedelta(minutes=1)
_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
_UNITS = {"hour": _HOUR, "day": _DAY, "week": _WEEK, "month": timedelta(days=28)}
_FRACTION = 0.9


@dataclass(frozen=True, slots=True)
class Times:
    """What a plan says of time. `main` is None if nothing is said, or the present; `note` says how it was taken."""

    main: TimeRange | None = None
    against: TimeRange | None = None
    is_current: bool = False
    is_moment: bool = False
    note: str = ""


def read_times(time: str, against: str, moment: Moment) -> Times:
    """Return the ranges that a plan's phrases mean. Raises InvalidTimeRangeError for one that cannot be."""
    try:
        return _read(time.strip(), against.strip(), moment.now, moment.zone)
    except TimeRangeError as error:
        raise InvalidTimeRangeError(error.user_message, suggestion=error.suggestion, details=error.details) from None


def window_of(times: Times, moment: Moment, length: timedelta = _HOUR) -> TimeRange:
    """Return all the time that a plan is about; by default the last hour."""
    main = times.main or TimeRange(start_time=moment.now - length, end_time=moment.now)
    if times.against is None:
        return main
    start, end = min(main.start_time, times.against.start_time), max(main.end_time, times.against.end_time)
    return main if end - start > timedelta(days=MOST_DAYS) else TimeRange(start_time=start, end_time=end)


def find_time(text: str, time: str, against: str, moment: Moment) -> str:
    """Return the words of a question that say when, outside of those it is compared with. `time` are those that the
    model marked, which may be a piece of them; without any, the question may have none."""
    said = text[:_LONGEST]
    if time.lower() in FILLERS and not (is_time_word(time.lower()) or _is_time(time, moment)):
        time = ""  # How many are left still: that is no time.
    if time and (whole := re.search(rf"{_SINCE.pattern}{re.escape(time)}(?!\w)", said, re.I)):
        return whole.group()
    at = said.lower().find(against.lower()) if against else -1
    if against and at < 0:
        return time  # Any time in the question may be the one that is compared with.
    said = f"{said[:at]} {said[at + len(against) :]}" if at >= 0 else said
    try:
        found = find_range(said, moment.now, moment.zone)
    except TimeRangeError:
        return time
    if found is not None and (not time or (time.lower() in found.text.lower() and not is_present(time))):
        return found.text
    present = _PRESENT_WORDS.search(time or said)
    return present.group() if present and (not time or is_present(time)) else time


def _is_time(phrase: str, moment: Moment) -> bool:
    try:
        return find_range(phrase, moment.now, moment.zone) is not None
    except TimeRangeError:
        return True


def range_around(text: str, time: str, against: str, moment: Moment) -> str:
    """Return the one range of which two times are the ends: between 18:00 yesterday and 06:00 today. Empty if they are
    none."""
    try:
        found = find_range(text, moment.now, moment.zone) if time and against else None
    except TimeRangeError:
        return ""
    whole = found.text if found else ""
    return whole if time in whole and against in whole else ""


def is_present(phrase: str) -> bool:
    """True if a phrase means the present."""
    return bool(_NOW.fullmatch(phrase.strip()))


def is_distance(phrase: str) -> bool:
    """True if a phrase says how far away another time is: a day ago, this time yesterday."""
    return bool(_AGO.fullmatch(phrase.strip()) or _SAME.search(phrase))


def is_since(phrase: str) -> bool:
    """True if a phrase says from when on, so that the time before it can be compared."""
    return bool(re.match(r"(?:since|after|following|from)\b", phrase.strip(), re.I))


def earlier(phrase: str, main: TimeRange) -> Range | None:
    """Return the range before another that "the day before" or "the previous week" means; None for other phrases."""
    before = _BEFORE.fullmatch(phrase.strip())
    return _earlier(Range(main.start_time, main.end_time), before) if before else None


def _read(time: str, against: str, now: datetime, zone: tzinfo) -> Times:
    is_current = is_present(time)
    main = None if is_current or not time else _range_of(time, now, zone)
    is_moment = main is not None and bool(
        _SHORT_AGO.fullmatch(time) or _ISO.fullmatch(time) or (_MOMENT.search(time) and not _SPAN.search(time))
    )
    if not against:
        return Times(_checked(_moment(main) if is_moment and main else main, now), None, is_current, is_moment)
    # "Than an hour ago", and nothing else: now, and then.
    base = main or (Range(now - _PRESENT, now) if is_current or is_distance(against) else None)
    other, note = _against(against, base, now, zone)
    base = base or Range(now - (other.end - other.start), now)
    return Times(_checked(base, now), _checked(other, now), False, is_moment, note)


def _range_of(phrase: str, now: datetime, zone: tzinfo) -> Range:
    """The range of a phrase, or of two moments in ISO 8601."""
    if pair := _PAIR.fullmatch(phrase):
        try:
            ends = [datetime.fromisoformat(pair[name]) for name in ("start", "end")]
            return Range(*(one if one.tzinfo else one.replace(tzinfo=zone) for one in ends))
        except ValueError:
            pass
    if _ISO.fullmatch(phrase):
        try:
            start = datetime.fromisoformat(phrase)
            return Range(start if start.tzinfo else start.replace(tzinfo=zone), now)
        except ValueError:
            pass
    found = find_range(_SINCE.sub("since ", phrase), now, zone)
    if found is None:
        raise InvalidTimeRangeError(
            f'The time "{phrase}" cannot be read.',
            suggestion='Say it like "the last 2 hours" or "yesterday from 2 to 4 pm".',
        )
    if _DAYS_AGO.fullmatch(phrase):
        midnight = found.range.start.replace(hour=0, minute=0, second=0, microsecond=0)
        return Range(midnight, midnight + _DAY)
    return found.range


def _moment(found: Range) -> Range:
    return Range(found.start - _PRESENT, found.start)


def _against(phrase: str, main: Range | None, now: datetime, zone: tzinfo) -> tuple[Range, str]:
    """The other time, which may be said by its distance: "an hour ago", "the same time yesterday", "the day before"."""
    if main is not None and (ago := _AGO.fullmatch(phrase)) and (length := parse_duration(ago["length"])):
        return Range(main.start - length, main.end - length), ""
    before = _BEFORE.fullmatch(phrase) if main is not None else None
    is_distance = before and (before["unit"] or before["length"] or "previous" in phrase.lower())
    if main is not None and before and (is_distance or find_range(phrase, now, zone) is None):
        return _earlier(main, before), ""
    same = _SAME.search(phrase)
    rest = _SAME.sub(" ", phrase).strip() if same else phrase
    other = _range_of(rest or "yesterday", now, zone)
    if main is None:
        return other, ""
    if same is not None or _is_piece(main, other):
        away = _distance(main, other)
        return Range(main.start - away, main.end - away), ""
    return _same_part(main, other, now)


def _earlier(main: Range, before: re.Match[str]) -> Range:
    named = next((length for name, length in _UNITS.items() if name in before.group().lower()), timedelta(0))
    length = named if named >= _DAY and main.end - main.start < named else max(main.end - main.start, named)
    return Range(main.start - length, main.end - length)


def _same_part(main: Range, other: Range, now: datetime) -> tuple[Range, str]:
    """Of a period that is over, as much as has passed of one that is not: until noon if it is noon today."""
    passed = main.end - main.start
    is_unfinished = now - main.end <= _PRESENT and passed < (other.end - other.start) * _FRACTION
    begins_alike = main.start.hour == main.start.minute == 0 == other.start.hour == other.start.minute
    if not (is_unfinished and begins_alike and other.end <= main.start + _PRESENT):
        return other, ""
    note = "The period is not over: it is compared with the same part of the other one."
    return Range(other.start, other.start + passed), note


def _is_piece(main: Range, other: Range) -> bool:
    """True if the main range is a piece of a day or week, so that the same piece of the other one is meant."""
    length, whole = main.end - main.start, other.end - other.start
    if other.start <= main.start and main.end <= other.end:
        return False
    starts_with_it = main.start.hour == main.start.minute == 0
    return whole >= _DAY - _HOUR and length < whole * _FRACTION and not starts_with_it


def _distance(main: Range, other: Range) -> timedelta:
    """By how many whole days or weeks the other lies before the main range."""
    whole = other.end - other.start
    if whole >= _WEEK - timedelta(hours=2):
        return _WEEK * max(1, round((main.start - other.start) / _WEEK - 0.5 + 0.5 * (whole < _WEEK)))
    return _DAY * ((main.start.date() - other.start.date()).days or 1)


def _checked(found: Range | None, now: datetime) -> TimeRange | None:
    """A range as the contract has it, cut off at now. Raises InvalidTimeRangeError."""
    if found is None:
        return None
    if found.start.astimezone(UTC) >= now.astimezone(UTC):
        raise InvalidTimeRangeError(
            "That range of time lies in the future.", suggestion='Ask about the past, such as "the last hour".'
        )
    end = min(found.end.astimezone(UTC), now.astimezone(UTC)).astimezone(found.end.tzinfo)
    return TimeRange(start_time=found.start, end_time=end)
