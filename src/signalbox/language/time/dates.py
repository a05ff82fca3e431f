"""Atoms of the year: dates in words and figures, months, quarters, halves, numbered weeks, years.

Two figures with a slash are day/month, as with the month's name; if that day does not exist, month/day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

from signalbox.errors import TimeRangeError
from signalbox.language.numbers import ORDINALS
from signalbox.language.time.calendar import Grain, days_in_month, midnight, settle
from signalbox.language.time.days import LEADS, relate
from signalbox.language.time.lexicon import HOLIDAYS, MONTHS, WEEKDAYS
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Stretch, pin, pin_moment, unit_from
from signalbox.language.words import word_list

Read = tuple[Atom, int] | None

_MONTH_NAMES = word_list("January February March April May June July August September October November December")
_LOOSE_MONTHS = frozenset({"may", "march", "mar"})
_WHICH = frozenset({"last", "previous", "past", "this", "next"})
_TO = frozenset({"to", "through", "until"})


def _pinned(r: Reader, first: date, grain: Grain) -> Atom:
    start = midnight(first, r.zone)
    return pin(unit_from(start, grain), says_future=start > r.now)


def _yearly(r: Reader, grain: Grain, first: Callable[[int], date | None], named: tuple[int, int] | None = None) -> Atom:
    """An atom that recurs every year; `first` gives the day it begins with, None for a year without it."""

    def on(anchor: date) -> Stretch | None:
        day = first(anchor.year)
        return None if day is None else unit_from(midnight(day, r.zone), grain)

    return Atom(grain, Grain.YEAR, on, month_day=named)


def _part_of_year(r: Reader, grain: Grain, month: int) -> Atom:
    return _yearly(r, grain, lambda year: date(year, month, 1))


def _day_or_none(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if day <= days_in_month(year, month) else None


def _existing(year: int, month: int, day: int, *, any_year: bool = False) -> date:
    if not 1 <= month <= 12:
        raise TimeRangeError(f"There is no month {month}.", suggestion="Months run from 01 to 12: write 2026-11-03.")
    most = days_in_month(year, month)
    if not 1 <= day <= most:
        when = _MONTH_NAMES[month - 1] if any_year else f"{_MONTH_NAMES[month - 1]} {year}"
        raise TimeRangeError(
            f"There is no {day} {when}, which has {most} days at most.",
            suggestion="Say a day that exists, such as 3 November or 2026-11-03.",
        )
    return date(year, month, day)


def month_day(r: Reader, month: int, day: int) -> Atom:
    """A date without a year."""
    _existing(2024, month, day, any_year=True)
    return _yearly(r, Grain.DAY, lambda year: _day_or_none(year, month, day), (month, day))


def _day_of_month(r: Reader, day: int) -> Atom:
    """A day without a month."""
    if not 1 <= day <= 31:
        raise TimeRangeError(f"No month has a day {day}.", suggestion="Say a day from the 1st to the 31st.")

    def on(anchor: date) -> Stretch | None:
        found = _day_or_none(anchor.year, anchor.month, day)
        return None if found is None else unit_from(midnight(found, r.zone), Grain.DAY)

    return Atom(Grain.DAY, Grain.MONTH, on)


def read_month_or_date(r: Reader, i: int) -> Read:
    """November, last March, 3 November, the 3rd of November, November 3rd, the 3rd, Christmas."""
    return _read_holiday(r, i) or _read_day_month(r, i) or _read_month(r, i) or _read_the_day(r, i)


def _read_holiday(r: Reader, i: int) -> Read:
    for size in (3, 2, 1):
        words = " ".join(r.word(j) for j in range(i, i + size))
        if words in HOLIDAYS:
            return month_day(r, *HOLIDAYS[words]), i + size
    return None


def _read_day_number(r: Reader, i: int) -> tuple[int, int] | None:
    """3, 3rd, third, twenty-first."""
    if r.kind(i) == "ordinal" or (r.number(i).isdigit() and len(r.number(i)) <= 2):
        return int(r.tokens[i].value), i + 1
    tens = {"twenty": 20, "thirty": 30}.get(r.word(i), 0)
    number = ORDINALS.get(r.word(i + 1 if tens else i), 0)
    if not number or (tens and number >= 10):
        return None
    return tens + number, i + (2 if tens else 1)


def _read_day_month(r: Reader, i: int) -> Read:
    day = _read_day_number(r, r.skip(i, ("the",)))
    if day is None:
        return None
    after = r.skip(day[1], ("of",))
    month = MONTHS.get(r.word(after))
    return None if month is None else (month_day(r, month, day[0]), after + 1)


def _read_month(r: Reader, i: int) -> Read:
    lead, at = r.take(i, _WHICH)
    word = r.word(at)
    if word not in MONTHS:
        return None
    day = _read_day_number(r, r.skip(at + 1, ("the",)))
    if day and r.closes(day[1]) and r.word(day[1]) not in ("am", "pm", "oclock") and not lead:
        return month_day(r, MONTHS[word], day[0]), day[1]
    if not lead and word in _LOOSE_MONTHS and not _is_sure_month(r, at):
        return None
    return relate(r, _part_of_year(r, Grain.MONTH, MONTHS[word]), lead), at + 1


def _is_sure_month(r: Reader, i: int) -> bool:
    """True if "may" or "march" is a month: by what leads to it, a year after it, or another month beside it."""
    return (
        r.word(i - 1) in LEADS - {"by", "and", "to", "the"}
        or len(r.tokens) == 1
        or _is_year(r, i + 1)
        or r.word(i + 1) == "sofar"
        or "dash" in (r.kind(i + 1), r.kind(i - 1))
        or (r.word(i - 1) in (*_TO, "and") and r.word(i - 2) in MONTHS)
        or (r.word(i + 1) in _TO and r.word(i + 2) in MONTHS)
    )


def _read_the_day(r: Reader, i: int) -> Read:
    """the 3rd, 1st to ..., the first of the month; not the 3rd quarter, not the 2nd host."""
    at = r.skip(i, ("the",))
    number = _read_day_number(r, at)
    if number is None or r.kind(at) == "number":
        return None
    day, after = number
    if r.word(after) == "of" and r.word(r.skip_all(after + 1, _WHICH | {"the"})) in ("month", "months"):
        return _day_of_month(r, day), after + 3 if r.word(after + 1) == "the" else after
    if r.kind(at) != "ordinal" or not r.closes(after) or r.word(after) in ("quarter", "half"):
        return None
    before = at > i or r.word(i - 1) in LEADS or r.word(i - 1) in WEEKDAYS
    if before or "dash" in (r.kind(i - 1), r.kind(after)) or r.word(after) in _TO:
        return _day_of_month(r, day), after
    return None


def read_quarter(r: Reader, i: int) -> Read:
    """Q4, last Q3, Q3 25, 3Q25, the third quarter, H1."""
    lead, at = r.take(i, _WHICH)
    if r.kind(at) == "quarter":
        letter, number, year = r.tokens[at].value
        if letter == "h" and (number > 2 or (r.tokens[at].text == f"h{number}" and not r.closes(at + 1))):
            return None  # "h2 traffic" is a protocol
        after, short = at + 1, r.number(at + 1)
        if not year and len(short) == 2 and short.isdigit() and r.closes(at + 2):
            year, after = int(short), at + 2
        grain, month = (Grain.QUARTER, number * 3 - 2) if letter == "q" else (Grain.HALF, number * 6 - 5)
        if year:
            return _pinned(r, date(_full_year(year), month, 1), grain), after
        return relate(r, _part_of_year(r, grain, month), lead), after
    at = r.skip(i, ("the",))
    number = r.tokens[at].value if r.kind(at) == "ordinal" else ORDINALS.get(r.word(at), 0)
    if 1 <= number <= 4 and r.word(at + 1) in ("quarter", "qtr"):
        return _part_of_year(r, Grain.QUARTER, number * 3 - 2), at + 2
    return None


def read_week_number(r: Reader, i: int) -> Read:
    """week 45, CW 45: ISO weeks."""
    number = r.number(i + 1) if r.word(i) in ("week", "wk", "calendarweek") else ""
    if not number.isdigit() or len(number) > 2 or not r.closes(i + 2):
        return None
    if not 1 <= int(number) <= 53:
        raise TimeRangeError(f"There is no week {number}.", suggestion="Say a week from 1 to 53.")

    def first(year: int) -> date | None:
        has_week = int(number) <= date(year, 12, 28).isocalendar().week
        return date.fromisocalendar(year, int(number), 1) if has_week else None

    return _yearly(r, Grain.WEEK, first), i + 2


def read_year(r: Reader, i: int, *, expected: bool) -> Read:
    """2025 where a year is expected; the year 2025."""
    named = r.skip(r.skip(i, ("the",)), ("year",))
    if r.word(named - 1) == "year" and named > i:
        i, expected = named, True
    if expected and _is_year(r, i) and r.closes(i + 1):
        return _pinned(r, date(r.tokens[i].value, 1, 1), Grain.YEAR), i + 1
    return None


def _full_year(year: int) -> int:
    """25 as 2025."""
    return year if year > 99 else 2000 + year


def _is_year(r: Reader, i: int) -> bool:
    return r.kind(i) == "number" and isinstance(r.tokens[i].value, int) and 1900 <= r.tokens[i].value <= 2100


def read_written(r: Reader, i: int, *, expected: bool) -> Read:
    """A date in figures, ISO 8601 in its forms; 3/11 alone only if a date is expected."""
    if r.kind(i) != "date":
        return None
    form, text = r.tokens[i].value
    if form in ("stamp", "basic"):
        moment = read_stamp(text)
        moment = settle(moment if moment.tzinfo else moment.replace(tzinfo=r.zone)).astimezone(r.zone)
        return pin_moment(moment, says_future=moment > r.now, joins=False), i + 1
    if form == "weekdate":
        return _pinned(r, read_stamp(text).date(), Grain.WEEK if re.search(r"W\d\d$", text) else Grain.DAY), i + 1
    parts = [int(part) for part in re.split(r"[-/.]", text)]
    if form == "ymd":
        return _pinned(r, _existing(*parts), Grain.DAY), i + 1
    if form == "ym":
        return _pinned(r, _existing(parts[0], parts[1], 1), Grain.MONTH), i + 1
    can_be = 1 <= min(parts[:2]) <= 12 and max(parts[:2]) <= 31  # 0/1 and 50/50 cannot
    if form in ("dm", "dmyy") and not (can_be and (expected or _has_clock_after(r, i + 1))):
        return None
    day, month = parts[:2] if parts[1] <= 12 or parts[0] > 12 else (parts[1], parts[0])
    if form == "dm":
        return month_day(r, month, day), i + 1
    return _pinned(r, _existing(_full_year(parts[2]), month, day), Grain.DAY), i + 1


def _has_clock_after(r: Reader, i: int) -> bool:
    """True if a clock time follows, as in '3/11 at 9', which makes the figures before it a date."""
    at = r.skip(i, ("at",))
    return r.kind(at) == "clock" or (at > i and r.kind(at) == "number" and r.closes(at + 1))


def read_stamp(text: str) -> datetime:
    """A date and time in figures, with the zone that it carries. TimeRangeError for one that does not exist."""
    try:
        return datetime.fromisoformat(text.replace("/", "-").upper())
    except ValueError:
        raise TimeRangeError(
            f"There is no time {text}.", suggestion="Write a day and time that exist: 2026-11-03T14:30."
        ) from None


def read_long_number(r: Reader, i: int, *, expected: bool) -> Read:
    """A long number: 20261103, or seconds or milliseconds since 1970."""
    text = r.number(i)
    if not expected or not text.isdigit():
        return None
    if len(text) == 8 and text[:2] in ("19", "20"):
        return _pinned(r, _existing(int(text[:4]), int(text[4:6]), int(text[6:])), Grain.DAY), i + 1
    if len(text) not in (10, 13):
        return None
    moment = datetime.fromtimestamp(int(text) / (1000 if len(text) == 13 else 1), r.zone)
    return pin_moment(moment, says_future=moment > r.now, joins=False), i + 1
