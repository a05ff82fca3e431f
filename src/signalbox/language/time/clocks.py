"""Times of day: 14:00, 2 pm, half nine, quarter past six, 0615, noon, nine in the evening."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.errors import TimeRangeError
from signalbox.language.time.lexicon import PARTS, WEEKDAYS
from signalbox.language.time.numbers import read_number
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Clock

__all__ = ["is_number_like_clock", "read_clock"]

# After these, "ten to four" is one time; after "from" it is a range.
_LEADS = frozenset({"at", "since", "until", "by", "around", "after", "before", "and", "to"})
_HOUR_LEADS = frozenset({"at", "from", "between", "to", "and", "until", "around", "after", "before"})
_LENGTH_LEADS = frozenset({"for", "over", "in", "within", "during", "last", "past", "next", "previous", "plus", "the"})
_HOURS = re.compile(r"(\d{1,2})h(\d{2})?")
_DIGITS = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?(?:[.,]\d+)?")


def read_clock(r: Reader, i: int, *, expected: bool) -> tuple[Clock, int] | None:
    """A time of day. `expected`: words before it (at, since, from) make a bare number one, too."""
    found = (
        _read_named(r, i)
        or _read_spoken(r, i)
        or _read_digits(r, i, expected=expected)
        or _read_number_clock(r, i, expected=expected)
    )
    found = found or _read_hours(r, i)
    return None if found is None else _read_part(r, *found)


def _read_hours(r: Reader, i: int) -> tuple[Clock, int] | None:
    """9h30, and 14h where another time stands beside it; not 'for 1h30', not 'from 14h ago'."""
    match = _HOURS.fullmatch(r.tokens[i].text) if r.kind(i) == "quantity" else None
    if match is None or r.word(i + 1) in ("ago", "back", "earlier") or r.word(i - 1) in _LENGTH_LEADS:
        return None
    if not (match[2] or r.word(i - 1) in _HOUR_LEADS or _is_hours(r, i - 2) or _is_hours(r, i + 2)):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    return (Clock(hour, minute), i + 1) if _exists(hour, minute, 0) else None


def _is_hours(r: Reader, i: int) -> bool:
    """Whether the other end of a range, beyond a dash or 'to', is written with an h as well."""
    if r.kind(i) != "quantity" or not _HOURS.fullmatch(r.tokens[i].text) or r.word(i + 1) == "ago":
        return False
    return any(r.kind(j) == "dash" or r.word(j) in ("to", "until") for j in (i - 1, i + 1))


def _read_named(r: Reader, i: int) -> tuple[Clock, int] | None:
    if r.kind(i) == "number" and r.tokens[i].value == 12 and r.word(i + 1) in ("noon", "midnight"):
        i += 1
    if r.word(i) in ("this", "same") and r.word(i + 1) == "time":
        return Clock(r.now.hour, r.now.minute, r.now.second), i + 2
    if r.word(i) == "last" and r.word(i + 1) in ("noon", "midnight"):
        i += 1
    if r.word(i) == "noon":
        return Clock(12), i + 1
    if r.word(i) == "midnight":
        return Clock(0), i + 1
    return None


def _read_spoken(r: Reader, i: int) -> tuple[Clock, int] | None:
    """half nine, half past nine, quarter to six, ten past four."""
    if r.word(i) == "halfpast":
        return _hour_shifted(r, i + 1, 30)
    if r.word(i) == "half":
        found = _hour_shifted(r, i + 1, 30)
        return found if found and r.closes(found[1]) else None
    start = r.skip(i, ("a",))
    if r.word(start) == "quarter":
        minutes, after = 15.0, start + 1
    else:
        number = read_number(r, i)
        if number is None or not 0 < number[0] < 60:
            return None
        minutes, after = number
        after = r.skip(after, ("minutes", "minute", "mins", "min"))
    if r.word(after) == "of" and r.word(start) == "quarter":
        shifted = _hour_shifted(r, after + 1, -15)
        return shifted if shifted and r.closes(shifted[1]) else None
    if r.word(after) == "past":
        return _hour_shifted(r, after + 1, int(minutes))
    if r.word(after) == "to" and (
        r.word(start) == "quarter" or (r.word(i - 1) in _LEADS and minutes in (5, 10, 20, 25))
    ):
        found = _hour_shifted(r, after + 1, -int(minutes))
        return found if found and r.closes(found[1]) else None
    return None


def _hour_shifted(r: Reader, i: int, minutes: int) -> tuple[Clock, int] | None:
    named = _read_named(r, i)
    number = None if named else _read_hour(r, i)
    if named is None and number is None:
        return None
    clock, after = named or number  # type: ignore[misc]
    total = (clock.hour * 60 + minutes) % 1440
    return replace(clock, hour=total // 60, minute=total % 60, spoken=True), after


def _read_hour(r: Reader, i: int) -> tuple[Clock, int] | None:
    """An hour with or without its half of the day."""
    digits = _read_digits(r, i, expected=True)
    if digits is not None:
        return digits if digits[0].minute == 0 else None
    number = read_number(r, i)
    if number is None or number[0] not in range(25):
        return None
    return _with_half(r, Clock(int(number[0]), open=1 <= number[0] <= 12), number[1])


def _read_digits(r: Reader, i: int, *, expected: bool) -> tuple[Clock, int] | None:
    if r.kind(i) != "clock":
        return None
    text, half = r.tokens[i].value
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    if not half and r.word(i + 1) not in ("am", "pm") and not expected and not _exists(hour, minute, second):
        return None
    clock = Clock(hour, minute, second, open=1 <= hour <= 12 and not text.startswith("0"))
    if half:
        return _halved(clock, half, text), i + 1
    return _with_half(r, clock, i + 1, text)


def _exists(hour: int, minute: int, second: int) -> bool:
    return (hour < 24 and minute < 60 and second < 60) or (hour, minute, second) == (24, 0, 0)


def _with_half(r: Reader, clock: Clock, i: int, text: str = "") -> tuple[Clock, int]:
    text = text or str(clock.hour)
    if r.word(i) in ("am", "pm"):
        return _halved(clock, r.word(i)[0], text), i + 1
    _check(clock, text)
    return replace(clock, spoken=clock.spoken or r.word(i) == "oclock"), r.skip(i, ("oclock",))


def _halved(clock: Clock, half: str, text: str) -> Clock:
    if not 1 <= clock.hour <= 12:
        raise _no_such_time(f"{text}{half}m")
    _check(clock, f"{text}{half}m")
    return replace(clock, hour=clock.hour % 12 + (12 if half == "p" else 0), open=False, halved=True)


def _check(clock: Clock, text: str) -> None:
    if not _exists(clock.hour, clock.minute, clock.second):
        raise _no_such_time(text)


def _no_such_time(text: str) -> TimeRangeError:
    return TimeRangeError(
        f"There is no clock time {text}.", suggestion="Say a time from 00:00 to 24:00, such as 14:30 or 2:30 pm."
    )


def _read_number_clock(r: Reader, i: int, *, expected: bool) -> tuple[Clock, int] | None:
    """9 pm, nine o'clock, 0615, 1430 hours, and a bare 9 where a time is expected."""
    number = read_number(r, i)
    if number is None:
        return None
    value, after = number
    text = r.tokens[i].text
    if r.word(after) in ("am", "pm", "oclock") and text.replace(".", ":").count(":") < 2:
        hour, minute = _split_number(text) if r.kind(i) == "number" else (int(value), 0)
        return _with_half(r, Clock(hour, minute, open=1 <= hour <= 12), after, text if r.kind(i) == "number" else "")
    return _read_bare(r, i, value, after, expected=expected)


def _read_bare(r: Reader, i: int, value: float, after: int, *, expected: bool) -> tuple[Clock, int] | None:
    text = r.tokens[i].text
    military = r.kind(i) == "number" and len(text) == 4 and text.isdigit()
    if military and r.word(after) in ("hours", "hrs", "h", "hour"):
        expected, after = True, after + 1
    if not (expected and r.closes(after)):
        return _read_with_part(r, i, value, after)
    if military:
        return (Clock(int(text[:2]), int(text[2:])), after) if is_number_like_clock(r, i) else None
    if re.fullmatch(r"\d{1,2}\.\d{2}", text):
        hour, minute = _split_number(text)
        return (Clock(hour, minute, open=1 <= hour <= 12), after) if _exists(hour, minute, 0) else None
    if value != int(value) or not 0 <= value <= 24 or (r.kind(after) == "dash" and not expected):
        return None
    return Clock(int(value), open=1 <= value <= 12 and not text.startswith("0"), spoken=True), after


def is_number_like_clock(r: Reader, i: int) -> bool:
    """Whether four digits are a clock time and not a year."""
    text = r.tokens[i].text
    if not _exists(int(text[:2]), int(text[2:]), 0):
        return False
    return r.word(i - 1) == "at" or not 1970 <= int(text) <= r.now.year + 1


def _split_number(text: str) -> tuple[int, int]:
    hour, _, minute = text.partition(".")
    if not minute and len(hour) in (3, 4):
        return int(hour[:-2]), int(hour[-2:])
    return int(hour), int(minute or 0)


def _read_with_part(r: Reader, i: int, value: float, after: int) -> tuple[Clock, int] | None:
    """nine in the evening, 5 this morning: the part of the day makes the number a time."""
    if value != int(value) or not 1 <= value <= 12:
        return None
    if _part_after(r, after) is None and not (i == 0 and _part_of_some_day(r, after)):
        return None
    return Clock(int(value), open=True), after


def _part_of_some_day(r: Reader, i: int) -> bool:
    """this morning, yesterday evening, last Monday night, tonight."""
    at = r.skip(r.skip(i, ("this", "last", "next")), ("yesterday", "tomorrow", *WEEKDAYS))
    return r.word(i) == "tonight" or (at > i and r.word(at) in PARTS)


def _part_after(r: Reader, i: int) -> tuple[str, int] | None:
    if r.word(i) == "in" and r.word(i + 1) == "the" and r.word(i + 2) in PARTS:
        return r.word(i + 2), i + 3
    if r.word(i) == "at" and r.word(i + 1) == "night":
        return "night", i + 2
    return None


def _read_part(r: Reader, clock: Clock, i: int) -> tuple[Clock, int]:
    """Settles the half of the day by 'in the evening', 'at night'."""
    part = _part_after(r, i)
    if part is None or not clock.open:
        return clock, i
    name, after = part
    hour = clock.hour % 12
    late = hour + 12
    if name == "night":
        hour = late if hour >= 6 else hour
    elif name not in ("morning", "dawn", "breakfast"):
        hour = late
    return replace(clock, hour=hour, open=False, halved=True), after
