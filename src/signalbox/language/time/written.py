"""Dates in figures: ISO 8601 in its forms, 3/11, 03.11.2026, seconds since 1970.

Two figures with a slash are day/month, as with the month's name; if that day does not exist, month/day.
"""

from __future__ import annotations

import re
from datetime import date, datetime

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, advance, midnight, settle
from signalbox.language.time.months import full_year, month_day, no_such_day
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Stretch, pin, pin_moment
from signalbox.language.time.zones import read_offset

__all__ = ["read_long_number", "read_written", "stamp_zone"]

_STAMP = re.compile(
    r"(\d{4})[-/]?(\d{2})[-/]?(\d{2})[Tt](\d{2}):?(\d{2})?:?(\d{2})?(?:[.,](\d+))?([Zz]|[+-]\d{2}(?::?\d{2})?)?"
)


def read_written(r: Reader, i: int, *, expected: bool) -> tuple[Atom, int] | None:
    """A date in figures; 3/11 alone only where a date is expected."""
    if r.kind(i) != "date":
        return None
    form, text = r.tokens[i].value
    expected = expected or _has_clock_after(r, i + 1)
    if form in ("dm", "dmyy") and not (expected and _is_day_and_month(text)):
        return None
    readers = {
        "stamp": _stamp,
        "basic": _stamp,
        "weekdate": _week_date,
        "ymd": _year_first,
        "dmy": _year_last,
        "ordinaldate": _day_of_year,
        "ym": _month_of_year,
        "yq": _quarter_of_year,
        "dm": _day_month,
        "dmyy": _year_last,
    }
    return readers[form](r, text), i + 1


def _has_clock_after(r: Reader, i: int) -> bool:
    """Whether a clock time follows, as in '3/11 at 9', which makes the figures before it a date."""
    at = r.skip(i, ("at",))
    return r.kind(at) == "clock" or (at > i and r.kind(at) == "number" and r.closes(at + 1))


def stamp_zone(text: str) -> str:
    """The offset that a date and time carries, or ''."""
    match = _STAMP.fullmatch(text)
    return (match[8] or "") if match else ""


def _day(r: Reader, year: int, month: int, day: int) -> Atom:
    _check_date(year, month, day)
    start = midnight(date(year, month, day), r.zone)
    return pin(Stretch(start, advance(start, Grain.DAY), Grain.DAY), says_future=start > r.now)


def _check_date(year: int, month: int, day: int) -> None:
    if not 1 <= month <= 12:
        raise TimeRangeError(f"There is no month {month}.", suggestion="Months run from 01 to 12: write 2026-11-03.")
    try:
        date(year, month, day)
    except ValueError:
        raise no_such_day(day, month, year) from None


def _stamp(r: Reader, text: str) -> Atom:
    match = _STAMP.fullmatch(text)
    assert match is not None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    _check_date(year, month, day)
    late = hour == 24 and minute == 0 and second == 0
    if (hour > 23 and not late) or minute > 59 or second > 59:
        raise TimeRangeError(
            f"There is no clock time {hour:02}:{minute:02}:{second:02}.",
            suggestion="Hours run from 00 to 23, minutes and seconds from 00 to 59.",
        )
    fraction = int(((match[7] or "") + "000000")[:6])
    own = read_offset(match[8]) if match[8] else None
    moment = datetime(year, month, day, hour % 24, minute, second, fraction, tzinfo=own or r.zone)
    moment = settle(moment).astimezone(r.zone)
    if late:
        moment = advance(moment, Grain.DAY)
    return pin_moment(moment, says_future=moment > r.now, joins=False)


def _week_date(r: Reader, text: str) -> Atom:
    year, week, weekday = re.fullmatch(r"(\d{4})-?W(\d{2})-?(\d)?", text).groups()  # type: ignore[union-attr]
    try:
        first = date.fromisocalendar(int(year), int(week), int(weekday or 1))
    except ValueError:
        raise TimeRangeError(
            f"There is no week {week} in {year}.", suggestion="Say a week from W01 to W52 (some years have W53)."
        ) from None
    grain = Grain.DAY if weekday else Grain.WEEK
    start = midnight(first, r.zone)
    return pin(Stretch(start, advance(start, grain), grain), says_future=start > r.now)


def _year_first(r: Reader, text: str) -> Atom:
    return _day(r, *(int(part) for part in re.split(r"[-/.]", text)))


def _year_last(r: Reader, text: str) -> Atom:
    day, month, year = (int(part) for part in re.split(r"[-/.]", text))
    if month > 12 >= day:
        day, month = month, day
    return _day(r, full_year(year), month, day)


def _day_of_year(r: Reader, text: str) -> Atom:
    year, number = int(text[:4]), int(text[5:])
    try:
        day = datetime.strptime(f"{year}-{number:03}", "%Y-%j").date()
    except ValueError:
        raise TimeRangeError(f"{year} has no day {number}.", suggestion="Write the date as 2026-11-03.") from None
    return _day(r, day.year, day.month, day.day)


def _month_of_year(r: Reader, text: str) -> Atom:
    year, month = int(text[:4]), int(text[5:])
    _check_date(year, month, 1)
    start = midnight(date(year, month, 1), r.zone)
    return pin(Stretch(start, advance(start, Grain.MONTH), Grain.MONTH), says_future=start > r.now)


def _quarter_of_year(r: Reader, text: str) -> Atom:
    """2025Q3, Q3/25, 3Q25, H1-2025."""
    digits = re.findall(r"\d+", text)
    if len(digits) == 1:
        digits = [digits[0][0], digits[0][1:]]
    number, year = sorted(digits, key=len)
    grain, months = (Grain.HALF, 6) if text[0] in "Hh" else (Grain.QUARTER, 3)
    if grain is Grain.HALF and int(number) > 2:
        raise TimeRangeError("A year has two halves.", suggestion="Say H1 or H2.")
    start = midnight(date(full_year(int(year)), (int(number) - 1) * months + 1, 1), r.zone)
    return pin(Stretch(start, advance(start, grain), grain), says_future=start > r.now)


def _is_day_and_month(text: str) -> bool:
    """Whether 3/11 can be a date: 0/1 and 50/50 cannot."""
    first, second = (int(part) for part in text.split("/")[:2])
    return 1 <= min(first, second) <= 12 and 1 <= max(first, second) <= 31


def _day_month(r: Reader, text: str) -> Atom:
    day, month = (int(part) for part in text.split("/"))
    if month > 12 >= day:
        day, month = month, day
    return month_day(r, month, day)


def read_long_number(r: Reader, i: int, *, expected: bool) -> tuple[Atom, int] | None:
    """A long number: 20261103, or seconds or milliseconds since 1970."""
    text = r.tokens[i].text if r.kind(i) == "number" else ""
    if not expected or not text.isdigit():
        return None
    if len(text) == 8 and text[:2] in ("19", "20"):
        return _day(r, int(text[:4]), int(text[4:6]), int(text[6:])), i + 1
    if len(text) not in (10, 13):
        return None
    seconds = int(text) / (1000 if len(text) == 13 else 1)
    moment = datetime.fromtimestamp(seconds, r.zone)
    return pin_moment(moment, says_future=moment > r.now, joins=False), i + 1
