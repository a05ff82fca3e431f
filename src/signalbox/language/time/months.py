"""Atoms of the year: dates, months, quarters, halves, numbered weeks, years."""

from __future__ import annotations

from datetime import date

from signalbox.errors import TimeRangeError
from signalbox.language.numbers import ORDINALS
from signalbox.language.time.calendar import Grain, advance, days_in_month, midnight
from signalbox.language.time.days import LEADS, relate
from signalbox.language.time.lexicon import HOLIDAYS, MONTHS, SEASONS, WEEKDAYS
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Stretch, pin
from signalbox.language.words import word_list

__all__ = [
    "day_of_month",
    "full_year",
    "month_day",
    "no_such_day",
    "read_month_or_date",
    "read_quarter",
    "read_season",
    "read_week_number",
    "read_year",
]

Read = tuple[Atom, int] | None

_MONTH_NAMES = word_list("January February March April May June July August September October November December")
_LOOSE_MONTHS = frozenset({"may", "march", "mar"})
_MONTH_LEADS = frozenset({"the", "this", "last", "previous", "next"})


def no_such_day(day: int, month: int, year: int | None = None) -> TimeRangeError:
    name = _MONTH_NAMES[month - 1]
    when = f"{name} {year}" if year else name
    return TimeRangeError(
        f"There is no {day} {when}, which has {days_in_month(year or 2024, month)} days at most.",
        suggestion="Say a day that exists, such as 3 November or 2026-11-03.",
    )


def month_day(r: Reader, month: int, day: int) -> Atom:
    """A date without a year."""
    if not 1 <= day <= days_in_month(2024, month):
        raise no_such_day(day, month)

    def on(anchor: date) -> Stretch | None:
        if day > days_in_month(anchor.year, month):
            return None
        start = midnight(date(anchor.year, month, day), r.zone)
        return Stretch(start, advance(start, Grain.DAY), Grain.DAY)

    return Atom(Grain.DAY, Grain.YEAR, on, month_day=(month, day))


def day_of_month(r: Reader, day: int) -> Atom:
    """A day without a month."""

    def on(anchor: date) -> Stretch | None:
        if day > days_in_month(anchor.year, anchor.month):
            return None
        start = midnight(anchor.replace(day=day), r.zone)
        return Stretch(start, advance(start, Grain.DAY), Grain.DAY)

    return Atom(Grain.DAY, Grain.MONTH, on)


def _span_of_year(r: Reader, grain: Grain, month: int) -> Atom:
    def on(anchor: date) -> Stretch:
        start = midnight(date(anchor.year, month, 1), r.zone)
        return Stretch(start, advance(start, grain), grain)

    return Atom(grain, Grain.YEAR, on)


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
    if r.kind(i) == "ordinal" or (r.kind(i) == "number" and r.tokens[i].text.isdigit() and len(r.tokens[i].text) <= 2):
        return int(r.tokens[i].value), i + 1
    word, following = r.word(i), r.word(i + 1)
    if word in ORDINALS:
        return ORDINALS[word], i + 1
    if word in ("twenty", "thirty") and following in ORDINALS and ORDINALS[following] < 10:
        return (20 if word == "twenty" else 30) + ORDINALS[following], i + 2
    return None


def _read_day_month(r: Reader, i: int) -> Read:
    day = _read_day_number(r, r.skip(i, ("the",)))
    if day is None:
        return None
    after = r.skip(day[1], ("of",))
    month = MONTHS.get(r.word(after))
    if month is None or (after == i + 1 and r.word(after) == "mar" and r.kind(i) == "word"):
        return None
    return month_day(r, month, day[0]), after + 1


def _read_month(r: Reader, i: int) -> Read:
    lead = r.word(i) if r.word(i) in ("last", "previous", "past", "this", "next") else ""
    at = i + 1 if lead else i
    word = r.word(at)
    if word not in MONTHS:
        return None
    day = _read_day_number(r, r.skip(at + 1, ("the",)))
    if day and r.closes(day[1]) and r.word(day[1]) not in ("am", "pm", "oclock") and not lead:
        return month_day(r, MONTHS[word], day[0]), day[1]
    if not lead and word in _LOOSE_MONTHS and not _is_sure_month(r, at):
        return None
    return _relate_month(r, _span_of_year(r, Grain.MONTH, MONTHS[word]), lead), at + 1


def _is_sure_month(r: Reader, i: int) -> bool:
    if r.word(i - 1) in LEADS - {"by", "and", "to", "the"} or len(r.tokens) == 1:
        return True
    return (
        _is_year(r, i + 1)
        or r.word(i + 1) == "sofar"
        or (r.kind(i + 1) == "dash")
        or (r.kind(i - 1) == "dash")
        or (r.word(i - 1) in ("to", "and", "through") and r.word(i - 2) in MONTHS)
        or (r.word(i + 1) in ("to", "through", "until") and r.word(i + 2) in MONTHS)
    )


def _relate_month(r: Reader, atom: Atom, lead: str) -> Atom:
    if lead == "last":
        present = atom.on(r.now.date())
        # "last November", said in November, is a year ago.
        if present and present.start <= r.now < present.end:
            found = atom.on(date(r.now.year - 1, 1, 1))
            assert found is not None
            return pin(found)
        return atom
    return relate(r, atom, lead)


def _read_the_day(r: Reader, i: int) -> Read:
    """the 3rd, 1st to ..., the first of the month."""
    at = r.skip(i, ("the",))
    number = _read_day_number(r, at)
    if number is None or r.kind(at) == "number":
        return None
    day, after = number
    monthly = r.word(after) == "of" and r.word(r.skip_all(after + 1, _MONTH_LEADS)) in ("month", "months")
    if not monthly and not (r.kind(at) == "ordinal" and r.closes(after) and _is_day_position(r, i, at)):
        return None
    if not 1 <= day <= 31:
        raise TimeRangeError(f"No month has a day {day}.", suggestion="Say a day from the 1st to the 31st.")
    if monthly and r.word(after + 1) == "the" and r.word(after + 2) == "month":
        after += 3
    return day_of_month(r, day), after


def _is_day_position(r: Reader, i: int, at: int) -> bool:
    """Whether the words around an ordinal let it be a day: not the 3rd quarter, not the 2nd host."""
    if r.word(at + 1) in ("quarter", "half"):
        return False
    before = r.word(i - 1) in LEADS or r.word(i - 1) in WEEKDAYS or r.kind(i - 1) == "dash"
    return at > i or before or r.kind(at + 1) == "dash" or r.word(at + 1) in ("to", "through", "until")


def read_quarter(r: Reader, i: int) -> Read:
    """Q4, last Q3, the third quarter, H1, the first half of ..."""
    lead = r.word(i) if r.word(i) in ("last", "this", "next", "previous") else ""
    at = i + 1 if lead else i
    if r.kind(at) == "quarter":
        letter, number = r.tokens[at].value
        if letter == "h" and (number > 2 or (r.tokens[at].text == f"h{number}" and not r.closes(at + 1))):
            return None  # "h2 traffic" is a protocol
        grain, months = (Grain.QUARTER, 3) if letter == "q" else (Grain.HALF, 6)
        atom = _span_of_year(r, grain, (number - 1) * months + 1)
        return _read_short_year(r, at + 1, atom) or (relate(r, atom, lead), at + 1)
    at = r.skip(i, ("the",))
    number = ORDINALS.get(r.word(at)) or (int(r.tokens[at].value) if r.kind(at) == "ordinal" else 0)
    if 1 <= number <= 4 and r.word(at + 1) in ("quarter", "qtr"):
        return _span_of_year(r, Grain.QUARTER, number * 3 - 2), at + 2
    return None


def _read_short_year(r: Reader, i: int, atom: Atom) -> Read:
    """The 25 of 'Q4 25'."""
    text = r.tokens[i].text if r.kind(i) == "number" else ""
    if len(text) != 2 or not text.isdigit() or not r.closes(i + 1):
        return None
    found = atom.on(date(full_year(int(text)), 1, 1))
    return None if found is None else (pin(found, says_future=found.start > r.now), i + 1)


def read_season(r: Reader, i: int) -> Read:
    """last summer, this winter, in spring: three months, where a word before says that a time is meant."""
    i = r.skip(i, ("the",))
    lead = r.word(i) if r.word(i) in ("last", "this", "next", "previous", "past") else ""
    at = i + 1 if lead else i
    if r.word(at) not in SEASONS or not r.closes(at + 1) or not (lead or r.word(i - 1) in LEADS - {"and", "all"}):
        return None
    month = SEASONS[r.word(at)]

    def on(anchor: date) -> Stretch:
        start = midnight(date(anchor.year, month, 1), r.zone)
        return Stretch(start, advance(start, Grain.MONTH, 3), Grain.QUARTER)

    return relate(r, Atom(Grain.QUARTER, Grain.YEAR, on), lead), at + 1


def full_year(year: int) -> int:
    """25 as 2025."""
    return year if year > 99 else 2000 + year


def _is_year(r: Reader, i: int) -> bool:
    return r.kind(i) == "number" and isinstance(r.tokens[i].value, int) and 1900 <= r.tokens[i].value <= 2100


def year_atom(r: Reader, year: int) -> Atom:
    start = midnight(date(year, 1, 1), r.zone)
    return pin(Stretch(start, advance(start, Grain.YEAR), Grain.YEAR), says_future=year > r.now.year)


def read_year(r: Reader, i: int, *, expected: bool) -> Read:
    named = r.word(r.skip(i, ("the",))) == "year"
    i = r.skip(r.skip(i, ("the",)), ("year",)) if named else i
    if (expected or named) and _is_year(r, i) and r.closes(i + 1):
        return year_atom(r, r.tokens[i].value), i + 1
    return None


def read_week_number(r: Reader, i: int) -> Read:
    """week 45, CW 45: ISO weeks."""
    if r.word(i) not in ("week", "wk", "calendarweek") or r.kind(i + 1) != "number":
        return None
    number = r.tokens[i + 1].value
    if not isinstance(number, int) or not r.closes(i + 2):
        return None
    if not 1 <= number <= 53:
        raise TimeRangeError(f"There is no week {number}.", suggestion="Say a week from 1 to 53.")

    def on(anchor: date) -> Stretch | None:
        try:
            start = midnight(date.fromisocalendar(anchor.year, number, 1), r.zone)
        except ValueError:
            return None
        return Stretch(start, advance(start, Grain.WEEK), Grain.WEEK)

    return Atom(Grain.WEEK, Grain.YEAR, on), i + 2
