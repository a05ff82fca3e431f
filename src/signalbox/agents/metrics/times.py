"""The times of a plan: its phrases as ranges, and the same part of another period for a comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.state import TimeRange
from signalbox.errors import TimeRangeError
from signalbox.language.time import Range, find_range, parse_duration

__all__ = ["Moment", "Times", "earlier", "find_present", "is_present", "read_times"]

_NOW = re.compile(
    r"(?:right |just |as of )?\b(?:now|rn|atm|currently|current|at (?:the|this) moment|at present|today now|latest"
    r"|this (?:very )?(?:minute|moment|second|instant))\b",
    re.I,
)
_SLIP_NOW = re.compile(r"(?!until|till|til|to|by|before|since|from)[a-z]+ now", re.I)
_AGO = re.compile(
    r"(?P<length>(?:(?:an?|one|\d+|two|three|few|several)\s+)?[a-z]+)\s+(?:ago|earlier|before|prior)(?:\s+to\s+the\s+\w+)?",
    re.I,
)
_SHORT_AGO = re.compile(r"(?:\w+\s+|\w+\s+an?\s+)?(?:min\w*|hours?|hrs?|h|m)\s+ago", re.I)
_DAYS_AGO = re.compile(r"\w+\s+(?:days?|weeks?)\s+ago", re.I)
_BEFORE = re.compile(
    r"(?:the\s+)?(?:(?:previous|preceding|prior)\b.*|(?P<unit>hour|day|week|month|one|period)\s+before(?:\s+.*)?"
    r"|(?P<length>(?:\S+\s+){1,3})before(?:\s+that)?|before.*)",
    re.I,
)
_SAME = re.compile(
    r"\b(?:at\s+)?(?:this|(?:the\s+)?same)\s+(?:time|hours?|period|days?|moment|point|window|stretch)\b"
    r"(?:\s+of)?(?:\s+on)?",
    re.I,
)
_MOMENT = re.compile(
    r"at\s+(?:about\s+|around\s+|exactly\s+)?(?:\d{1,2}(?:[:.]\d{2})?\s*(?:am|pm|h|o'clock)?|noon|midnight"
    r"|(?:half|quarter)\s+past\s+\w+)\b",
    re.I,
)
_CLOCK = re.compile(r"\d{1,2}(?:[:.]\d{2}|\s*(?:am|pm|h)\b)|\bo['’]clock\b|\bnoon\b|\bmidnight\b|\bat\s+\d", re.I)
_SPAN = re.compile(r"\b(?:from|between|since|until|till?|to|after|before|and)\b|\d\s*[-–]\s*\d", re.I)
_PAIR = re.compile(r"(?P<start>\d{4}-\d\d-\d\d\S*)\s*(?:/|to|until|\.\.)\s*(?P<end>\d{4}-\d\d-\d\d\S*)", re.I)
_PRESENT = timedelta(minutes=1)
_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
_UNITS = {"hour": _HOUR, "day": _DAY, "week": _WEEK, "month": timedelta(days=28)}
_FRACTION = 0.9


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where a question is asked."""

    now: datetime
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Times:
    """What a plan says of time. `main` is None where nothing is said, or the present; `note` is what was made of it."""

    main: TimeRange | None = None
    against: TimeRange | None = None
    is_current: bool = False
    is_moment: bool = False
    note: str = ""


def read_times(time: str, against: str, now: datetime, zone: tzinfo) -> Times:
    """The ranges that a plan's phrases mean; raises InvalidTimeRangeError for one that cannot be."""
    try:
        return _read(time.strip(), against.strip(), now, zone)
    except TimeRangeError as error:
        raise InvalidTimeRangeError(error.user_message, suggestion=error.suggestion, details=error.details) from None


def _read(time: str, against: str, now: datetime, zone: tzinfo) -> Times:
    is_current = is_present(time)
    main = None if is_current or not time else _range_of(time, now, zone)
    is_moment = main is not None and bool(
        _SHORT_AGO.fullmatch(time) or (_MOMENT.search(time) and not _SPAN.search(time))
    )
    if not against:
        return Times(_checked(_moment(main) if is_moment and main else main, now), None, is_current, is_moment)
    if _NOW.fullmatch(against):
        return Times(_checked(Range(now - _PRESENT, now), now), _checked(main, now), False, is_moment)
    # "Than an hour ago", and nothing else: now, and then.
    base = main or (Range(now - _PRESENT, now) if is_current or _SHORT_AGO.fullmatch(against) else None)
    other, note = _against(against, base, now, zone)
    if is_current and _CLOCK.search(against) and not _SPAN.search(against) and other.end - other.start <= _HOUR:
        # A moment beside a moment: now against nine o'clock.
        other = _moment(other)
    if base is None:
        base, other, note = _paired(other, now, zone)
    return Times(_checked(base, now), _checked(other, now), False, is_moment, note)


def is_present(phrase: str) -> bool:
    """Whether a phrase means the present; also with a slip of the pen before it."""
    return bool(_NOW.fullmatch(phrase.strip()) or _SLIP_NOW.fullmatch(phrase.strip()))


def find_present(text: str) -> str:
    """The words of a text that mean the present; empty where it has none."""
    found = _NOW.search(text)
    return found.group() if found else ""


def earlier(phrase: str, main: TimeRange) -> Range | None:
    """The range before another that "the day before", "the previous week" means; None for another phrase."""
    before = _BEFORE.fullmatch(phrase.strip())
    if before is None:
        return None
    return _earlier(Range(main.start_time, main.end_time), before)


def _range_of(phrase: str, now: datetime, zone: tzinfo) -> Range:
    """The range of a phrase, or of two moments in ISO 8601."""
    if pair := _PAIR.fullmatch(phrase):
        try:
            ends = [datetime.fromisoformat(pair[name]) for name in ("start", "end")]
        except ValueError:
            ends = []
        if ends:
            return Range(*(one if one.tzinfo else one.replace(tzinfo=zone) for one in ends))
    found = find_range(phrase, now, zone)
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
    if main is not None and (before := _BEFORE.fullmatch(phrase)) and find_range(phrase, now, zone) is None:
        return _earlier(main, before), ""
    if (
        main is not None
        and (before := _BEFORE.fullmatch(phrase))
        and (before["unit"] or before["length"] or "previous" in phrase.lower())
    ):
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
    length = max(main.end - main.start, named)
    if named >= _DAY and main.end - main.start < named:
        return Range(main.start - named, main.end - named)
    return Range(main.start - length, main.end - length)


def _same_part(main: Range, other: Range, now: datetime) -> tuple[Range, str]:
    """Of a period that is over, as much as has passed of one that is not: until noon where it is noon today."""
    passed = main.end - main.start
    is_unfinished = now - main.end <= _PRESENT and passed < (other.end - other.start) * _FRACTION
    begins_alike = main.start.hour == main.start.minute == 0 == other.start.hour == other.start.minute
    if not (is_unfinished and begins_alike and other.end <= main.start + _PRESENT):
        return other, ""
    return Range(
        other.start, other.start + passed
    ), "The period is not over: it is compared with the same part of the other one."


def _is_piece(main: Range, other: Range) -> bool:
    """Whether the main range is a piece of a day or week, so that the same piece of the other one is meant."""
    length, whole = main.end - main.start, other.end - other.start
    if other.start <= main.start and main.end <= other.end:
        return False
    starts_with_it = main.start.hour == main.start.minute == 0
    return whole >= _DAY - _HOUR and length < whole * _FRACTION and not starts_with_it


def _distance(main: Range, other: Range) -> timedelta:
    """By how many whole days or weeks the other lies before the main range."""
    whole = other.end - other.start
    if whole >= _WEEK - timedelta(hours=2):
        weeks = max(1, round((main.start - other.start) / _WEEK - 0.5 + 0.5 * (whole < _WEEK)))
        return _WEEK * weeks
    days = (main.start.date() - other.start.date()).days
    return _DAY * (days or 1)


def _paired(other: Range, now: datetime, zone: tzinfo) -> tuple[Range, Range, str]:
    """The main range where only the other one is said: the period that goes on now, as far as it has come."""
    length, local = other.end - other.start, now.astimezone(zone)
    if other.end >= now - _PRESENT:
        return other, Range(other.start - length, other.start), ""
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    if length > timedelta(days=25) and other.end.day == 1:
        main = Range(midnight.replace(day=1), local)
    elif length > timedelta(days=2):
        start = other.end if other.end < local and other.end > local - 2 * length else local - length
        main = Range(start, local)
    else:
        main = Range(midnight, local)
    cut, note = _same_part(main, other, now)
    return main, cut, note


def _checked(found: Range | None, now: datetime) -> TimeRange | None:
    """A range as the contract has it, cut off at now; raises InvalidTimeRangeError."""
    if found is None:
        return None
    if found.start.astimezone(UTC) >= now.astimezone(UTC):
        raise InvalidTimeRangeError(
            "That range of time lies in the future.", suggestion='Ask about the past, such as "the last hour".'
        )
    end = min(found.end.astimezone(UTC), now.astimezone(UTC)).astimezone(found.end.tzinfo)
    return TimeRange(start_time=found.start, end_time=end)
