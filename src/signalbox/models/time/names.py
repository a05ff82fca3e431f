"""Atoms from the calendar: the day words, weekdays, dates, months, quarters, years, parts of the day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from signalbox.errors import TimeRangeError
from signalbox.models.time.calendar import Grain, advance, days_in_month, floor, midnight, shift, step_date, wall
from signalbox.models.time.lexicon import HOLIDAYS, MONTHS, ORDINALS, PARTS, WEEKDAYS, words
from signalbox.models.time.numbers import read_length
from signalbox.models.time.reader import Reader
from signalbox.models.time.values import Atom, Stretch, pin, pin_moment

__all__ = [
    "day_of_month",
    "month_day",
    "part_of_day",
    "read_day_word",
    "read_month_or_date",
    "read_part",
    "read_quarter",
    "read_week_number",
    "read_weekday",
    "read_year",
    "unit_atom",
    "weekday_atom",
    "weekend_atom",
]

Read = tuple[Atom, int] | None

_MONTH_NAMES = words("January February March April May June July August September October November December")
_LOOSE_MONTHS = frozenset({"may", "march", "mar"})
_MONTH_LEADS = frozenset({"the", "this", "last", "previous", "next"})
_LOOSE_DAYS = frozenset({"sun", "sat", "mon", "wed"})
_LEADS = frozenset(
    words(
        "in of since last from until during this next before after through to between and on every by for "
        "early late middle the over all at previous past end beginning"
    )
)


def no_such_day(day: int, month: int, year: int | None = None) -> TimeRangeError:
    name = _MONTH_NAMES[month - 1]
    when = f"{name} {year}" if year else name
    return TimeRangeError(
        f"There is no {day} {when}: {when} has {days_in_month(year or 2024, month)} days.",
        suggestion="Say a day that exists, such as 3 November or 2026-11-03.",
    )


def unit_atom(r: Reader, grain: Grain, count: int, *, says_future: bool = False) -> Atom:
    """The calendar unit so many after the one that holds now."""
    start = advance(floor(r.now, grain), grain, count)
    return pin(Stretch(start, advance(start, grain), grain), says_future=says_future)


def day_atom(r: Reader, offset: int) -> Atom:
    return unit_atom(r, Grain.DAY, offset, says_future=offset > 0)


def read_day_word(r: Reader, i: int) -> Read:
    """now, today, yesterday, tomorrow, tonight, last night, overnight, the small hours."""
    word, following = r.word(i), r.word(i + 1)
    if word == "now":
        return _read_now(r, i + 1)
    if word in ("today", "yesterday", "tomorrow"):
        return day_atom(r, {"today": 0, "yesterday": -1, "tomorrow": 1}[word]), i + 1
    if word == "latertoday":
        start = r.now
        return pin(Stretch(start, advance(floor(start, Grain.DAY), Grain.DAY), Grain.PART), says_future=True), i + 1
    if word == "tonight":
        return _pinned_part(r, "night", 0), i + 1
    if word == "overnight":
        return _pinned_part(r, "night", -1), i + 1
    if word == "wee":
        return part_of_day(r, (0, 6)), i + 1
    if word in ("last", "previous", "this", "next") and following in PARTS and following not in ("lunch", "nights"):
        offset = {"last": -1, "previous": -1, "this": 0, "next": 1}[word]
        return _pinned_part(r, following, offset, says_future=offset > 0), i + 2
    return None


def _read_now(r: Reader, i: int) -> Read:
    """now, now-6h, now - 6 hours, now/d, now-1d/d."""
    moment = r.now
    while True:
        sign = {"dash": -1, "plus": 1}.get(r.kind(i)) or {"minus": -1, "plus": 1}.get(r.word(i))
        length = read_length(r, i + 1) if sign else None
        if sign is None or length is None:
            break
        moment, i = shift(moment, length.duration, sign), length.after
    grain = _rounding(r, i)
    if grain is not None:
        moment, i = floor(moment, grain), i + 2
    atom = pin_moment(moment, says_future=moment > r.now, lasts=True, joins=False)
    return replace(atom, is_now=moment == r.now), i


def _rounding(r: Reader, i: int) -> Grain | None:
    units = {"d": Grain.DAY, "w": Grain.WEEK, "h": Grain.HOUR, "m": Grain.MINUTE, "y": Grain.YEAR}
    if r.kind(i) != "slash" or r.kind(i + 1) != "word":
        return None
    return Grain.MONTH if r.tokens[i + 1].text == "M" else units.get(r.word(i + 1))


def part_of_day(r: Reader, hours: tuple[int, int]) -> Atom:
    def on(day: date) -> Stretch:
        return Stretch(wall(day, hours[0], 0, 0, r.zone), wall(day, hours[1], 0, 0, r.zone), Grain.PART)

    return Atom(Grain.PART, Grain.DAY, on)


def _pinned_part(r: Reader, name: str, offset: int, *, says_future: bool = False) -> Atom:
    stretch = part_of_day(r, PARTS[name]).on(r.now.date() + timedelta(days=offset))
    assert stretch is not None
    return pin(stretch, says_future=says_future)


def read_part(r: Reader, i: int) -> Read:
    """A bare part of the day, with 'early' or 'late' cutting it in half."""
    word = r.word(i)
    if word in ("early", "late") and r.word(i + 1) in PARTS:
        begin, end = PARTS[r.word(i + 1)]
        middle = (begin + end) // 2
        return part_of_day(r, (begin, middle) if word == "early" else (middle, end)), i + 2
    return (part_of_day(r, PARTS[word]), i + 1) if word in PARTS else None


def read_weekday(r: Reader, i: int) -> Read:
    """Tuesday, last Tuesday, this Friday, next Monday, the weekend, last weekend."""
    lead = r.word(i) if r.word(i) in ("last", "previous", "past", "this", "next", "latest") else ""
    at = i + 1 if lead else i
    word = r.word(at)
    if word in WEEKDAYS:
        if not lead and word in _LOOSE_DAYS and not _is_sure(r, at):
            return None
        atom = weekday_atom(r, WEEKDAYS[word])
    elif word == "weekend":
        atom = weekend_atom(r)
    else:
        return None
    return _relate(r, atom, lead), at + 1


def _is_sure(r: Reader, i: int) -> bool:
    """A short name that is also a word counts if it is capitalised, led by a preposition, or among times."""
    token = r.tokens[i]
    if token.text[:1].isupper() or r.word(i - 1) in _LEADS or len(r.tokens) == 1:
        return True
    return any(r.kind(j) in ("dash", "clock", "date", "ordinal", "number") or r.is_time_word(j) for j in (i - 1, i + 1))


def weekday_atom(r: Reader, weekday: int) -> Atom:
    def on(day: date) -> Stretch:
        start = midnight(day + timedelta(days=weekday - day.weekday()), r.zone)
        return Stretch(start, advance(start, Grain.DAY), Grain.DAY)

    return Atom(Grain.DAY, Grain.WEEK, on)


def weekend_atom(r: Reader) -> Atom:
    def on(day: date) -> Stretch:
        saturday = day + timedelta(days=5 - day.weekday())
        monday = saturday + timedelta(days=2)
        return Stretch(midnight(saturday, r.zone), midnight(monday, r.zone), Grain.WEEKEND)

    return Atom(Grain.WEEKEND, Grain.WEEK, on)


def _relate(r: Reader, atom: Atom, lead: str) -> Atom:
    """last X: the latest that is over; this X: the one in the present cycle; next X: the first still to come."""
    if lead in ("", "latest") or atom.cycle is None or (lead == "this" and r.future):
        return atom
    today = floor(r.now, Grain.DAY)
    if lead == "this":
        present = atom.on(r.now.date())
        assert present is not None
        return pin(present, says_future=present.start > r.now)
    step = -1 if lead != "next" else 1
    for count in range(20):
        found = atom.on(step_date(r.now.date(), atom.cycle, step * count))
        if found and (found.end <= today if step < 0 else found.start > r.now):
            return pin(found, says_future=step > 0)
    return atom


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
    if r.word(i - 1) in _LEADS - {"by", "and", "to", "the"} or len(r.tokens) == 1:
        return True
    return (
        _is_year(r, i + 1)
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
    return _relate(r, atom, lead)


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
    before = r.word(i - 1) in _LEADS or r.word(i - 1) in WEEKDAYS or r.kind(i - 1) == "dash"
    return at > i or before or r.kind(at + 1) == "dash" or r.word(at + 1) in ("to", "through", "until")


def read_quarter(r: Reader, i: int) -> Read:
    """Q4, last Q3, the third quarter, H1, the first half of ..."""
    lead = r.word(i) if r.word(i) in ("last", "this", "next", "previous") else ""
    at = i + 1 if lead else i
    if r.kind(at) == "quarter":
        letter, number = r.tokens[at].value
        if letter == "h" and number > 2:
            return None
        grain, months = (Grain.QUARTER, 3) if letter == "q" else (Grain.HALF, 6)
        return _relate(r, _span_of_year(r, grain, (number - 1) * months + 1), lead), at + 1
    at = r.skip(i, ("the",))
    number = ORDINALS.get(r.word(at)) or (int(r.tokens[at].value) if r.kind(at) == "ordinal" else 0)
    if 1 <= number <= 4 and r.word(at + 1) in ("quarter", "qtr"):
        return _span_of_year(r, Grain.QUARTER, number * 3 - 2), at + 2
    return None


def _is_year(r: Reader, i: int) -> bool:
    return r.kind(i) == "number" and isinstance(r.tokens[i].value, int) and 1970 <= r.tokens[i].value <= 2100


def year_atom(r: Reader, year: int) -> Atom:
    start = midnight(date(year, 1, 1), r.zone)
    return pin(Stretch(start, advance(start, Grain.YEAR), Grain.YEAR), says_future=year > r.now.year)


def read_year(r: Reader, i: int, *, expected: bool) -> Read:
    if expected and _is_year(r, i) and r.closes(i + 1):
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
