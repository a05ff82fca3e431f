"""Times of day: 14:00, 2 pm, half nine, quarter past six, 0615, noon, nine in the evening."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.errors import TimeRangeError
from signalbox.language.time.days import AGO
from signalbox.language.time.lexicon import PARTS, WEEKDAYS
from signalbox.language.time.reader import Reader, read_number
from signalbox.language.time.values import Clock

Read = tuple[Clock, int] | None

# After these, "ten to four" is one time; after "from" it is a range.
_LEADS = frozenset({"at", "since", "until", "by", "around", "after", "before", "and", "to"})
_HOUR_LEADS = frozenset({"at", "from", "between", "to", "and", "until", "around", "after", "before"})
_BEFORE_HOURS = _HOUR_LEADS | {"yesterday", "today", *WEEKDAYS}
_LENGTH_LEADS = frozenset({"for", "over", "in", "within", "during", "last", "past", "next", "previous", "plus", "the"})
_HOURS = re.compile(r"(\d{1,2})h(\d{2})?")
_DIGITS = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?(?:[.,]\d+)?")
_NUMBER = re.compile(r"(\d{1,2})(?:\.?(\d{2}))?")


def read_clock(r: Reader, i: int, *, expected: bool) -> Read:
    """A time of day. `expected`: words before it (at, since, from) make a bare number one, too."""
    found = (
        _read_named(r, i)
        or _read_spoken(r, i)
        or _read_digits(r, i, expected=expected)
        or _read_number_clock(r, i, expected=expected)
        or _read_hours(r, i)
    )
    return None if found is None else _read_part(r, *found)


def _exists(hour: int, minute: int, second: int = 0) -> bool:
    return (hour < 24 and minute < 60 and second < 60) or (hour, minute, second) == (24, 0, 0)


def _make(r: Reader, after: int, text: str, hour: int, minute: int = 0, second: int = 0, half: str = "") -> Read:
    """The time with the half of the day or the o'clock that stands after it. TimeRangeError if there is none such."""
    if not half and r.word(after) in ("am", "pm"):
        half, after = r.word(after)[0], after + 1
    if not _exists(hour, minute, second) or (half and not 1 <= hour <= 12):
        raise TimeRangeError(
            f"There is no clock time {text}{half and half + 'm'}.",
            suggestion="Say a time from 00:00 to 24:00, such as 14:30 or 2:30 pm.",
        )
    if half:
        return Clock(hour % 12 + (12 if half == "p" else 0), minute, second, halved=True), after
    is_open = 1 <= hour <= 12 and not text.startswith("0")
    return Clock(hour, minute, second, is_open, spoken=r.word(after) == "oclock"), r.skip(after, ("oclock",))


def _read_named(r: Reader, i: int) -> Read:
    """noon, 12 midnight, this noon, this time."""
    if r.word(i) in ("this", "same") and r.word(i + 1) == "time":
        return Clock(r.now.hour, r.now.minute, r.now.second), i + 2
    if (r.number(i) == "12" or r.word(i) in ("last", "this")) and r.word(i + 1) in ("noon", "midnight"):
        i += 1
    return (Clock(12 if r.word(i) == "noon" else 0), i + 1) if r.word(i) in ("noon", "midnight") else None


def _read_spoken(r: Reader, i: int) -> Read:
    """half nine, half past nine, quarter to six, ten past four."""
    if r.word(i) == "halfpast":
        return _read_shifted(r, i + 1, 30)
    if r.word(i) == "half":
        return _read_shifted(r, i + 1, 30, closed=True)
    start = r.skip(i, ("a",))
    is_quarter = r.word(start) == "quarter"
    number = (15.0, start + 1) if is_quarter else read_number(r, i)
    if number is None or not 0 < number[0] < 60:
        return None
    minutes, after = int(number[0]), r.skip(number[1], ("minutes", "minute", "mins", "min"))
    if r.word(after) == "past":
        return _read_shifted(r, after + 1, minutes)
    is_before = r.word(after) == "to" and r.word(i - 1) in _LEADS and minutes in (5, 10, 20, 25)
    if is_before or (is_quarter and r.word(after) in ("to", "of")):
        return _read_shifted(r, after + 1, -minutes, closed=True)
    return None


def _read_shifted(r: Reader, i: int, minutes: int, *, closed: bool = False) -> Read:
    """The hour that stands here, so many minutes later; `closed`: only if nothing goes on after it."""
    number = read_number(r, i)
    found = _read_named(r, i) or _read_digits(r, i, expected=True)
    if found is None and number is not None and number[0] in range(25):
        found = _make(r, number[1], str(int(number[0])), int(number[0]))
    if found is None or found[0].minute or (closed and not r.closes(found[1])):
        return None
    total = (found[0].hour * 60 + minutes) % 1440
    return replace(found[0], hour=total // 60, minute=total % 60, spoken=True), found[1]


def _read_digits(r: Reader, i: int, *, expected: bool) -> Read:
    """14:00, 2:30 pm, 9pm."""
    text, half = r.tokens[i].value if r.kind(i) == "clock" else ("", "")
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    if not (half or r.word(i + 1) in ("am", "pm") or expected or _exists(hour, minute, second)):
        return None
    return _make(r, i + 1, text, hour, minute, second, half)


def _read_number_clock(r: Reader, i: int, *, expected: bool) -> Read:
    """9 pm, nine o'clock, 0615, 1430 hours, and a bare 9 where a time is expected."""
    number = read_number(r, i)
    if number is None:
        return None
    (value, after), text = number, r.number(i)
    match = _NUMBER.fullmatch(text or str(int(value)))
    if match is None or (not text and value > 24):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    minutes = read_number(r, after) if not text and 1 <= value <= 12 else None
    if minutes and 10 <= minutes[0] < 60 and not r.number(after) and r.word(minutes[1]) in ("am", "pm"):
        minute, after = int(minutes[0]), minutes[1]  # six thirty pm
    if r.word(after) in ("am", "pm", "oclock"):
        return _make(r, after, text or str(hour), hour, minute)
    military = len(text) == 4 and text.isdigit()
    if military and r.word(after) in ("hours", "hrs", "h", "hour"):
        expected, after = True, after + 1
    if not (expected and r.closes(after)):
        return _read_with_part(r, i, value, after)
    if not _exists(hour, minute) or (len(text) == 3 and match[2]):
        return None
    if military:
        is_year = 1970 <= int(text) <= r.now.year + 1 and r.word(i - 1) != "at"
        return None if is_year else (Clock(hour, minute), after)
    is_open = 1 <= hour <= 12 and not text.startswith("0")
    return Clock(hour, minute, open=is_open, spoken=not match[2]), after


def _read_with_part(r: Reader, i: int, value: float, after: int) -> Read:
    """nine in the evening, 5 this morning, 8 last Monday night: the part of the day makes the number a time."""
    if value != int(value) or not 1 <= value <= 12:
        return None
    at = r.skip(r.skip(after, ("this", "last", "next")), ("yesterday", "tomorrow", *WEEKDAYS))
    some_day = i == 0 and (r.word(after) == "tonight" or (at > after and r.word(at) in PARTS))
    return (Clock(int(value), open=True), after) if some_day or _part_after(r, after) else None


def _read_hours(r: Reader, i: int) -> Read:
    """9h30, and 14h where another time stands beside it; not 'for 1h30', not 'from 14h ago'."""
    match = _HOURS.fullmatch(r.tokens[i].text) if r.kind(i) == "quantity" else None
    if match is None or r.word(i + 1) in AGO or r.word(i - 1) in _LENGTH_LEADS:
        return None
    is_end = r.kind(i - 1) == "dash" and bool(r.number(i - 2)) and r.word(i - 3) in _BEFORE_HOURS
    if not (match[2] or r.word(i - 1) in _HOUR_LEADS or is_end or _is_hours(r, i - 2) or _is_hours(r, i + 2)):
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    return (Clock(hour, minute), i + 1) if _exists(hour, minute) else None


def _is_hours(r: Reader, i: int) -> bool:
    """True if the other end of a range, beyond a dash or 'to', is written with an h as well."""
    if r.kind(i) != "quantity" or not _HOURS.fullmatch(r.tokens[i].text) or r.word(i + 1) == "ago":
        return False
    return any(r.kind(j) == "dash" or r.word(j) in ("to", "until") for j in (i - 1, i + 1))


def _part_after(r: Reader, i: int) -> tuple[str, int] | None:
    if r.word(i) == "in" and r.word(i + 1) == "the" and r.word(i + 2) in PARTS:
        return r.word(i + 2), i + 3
    return ("night", i + 2) if r.word(i) == "at" and r.word(i + 1) == "night" else None


def _read_part(r: Reader, clock: Clock, i: int) -> tuple[Clock, int]:
    """Settles the half of the day by 'in the evening', 'at night'."""
    part = _part_after(r, i)
    if part is None or not clock.open:
        return clock, i
    hour = clock.hour % 12
    is_late = hour >= 6 if part[0] == "night" else part[0] not in ("morning", "dawn", "breakfast", "wee")
    return replace(clock, hour=hour + 12 if is_late else hour, open=False, halved=True), part[1]
