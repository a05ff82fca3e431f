"""Atoms of days: today and its neighbours, now, parts of the day, weekdays, the weekend."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from signalbox.language.time.calendar import Grain, advance, floor, midnight, shift, step_date, wall
from signalbox.language.time.lexicon import PARTS, WEEKDAYS
from signalbox.language.time.numbers import read_length
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Phrase, Stretch, find_first, pin, pin_moment
from signalbox.language.words import word_list

__all__ = [
    "LEADS",
    "part_of_day",
    "read_day_word",
    "read_part",
    "read_weekday",
    "relate",
    "unit_atom",
    "weekday_atom",
    "weekend_atom",
]

Read = tuple[Atom, int] | None

# Words that let a short or common word after them be a name of time: in may, on sat, since march.
LEADS = frozenset(
    word_list(
        "in of since last from until during this next before after through to between and on every by for "
        "early late middle the over all at previous past end beginning"
    )
)
_LOOSE_DAYS = frozenset({"sun", "sat", "mon", "wed"})


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
    if r.future and not lead and r.word(at + 1) == "week" and r.closes(at + 2) and r.kind(at + 2) != "number":
        coming = find_first(Phrase((atom,), r.zone), floor(r.now, Grain.DAY), same=True)
        assert coming is not None
        return pin(_moved(coming, Grain.WEEK), says_future=True), at + 2  # Monday week: the one after the next
    return relate(r, atom, lead), at + 1


def _moved(stretch: Stretch, grain: Grain) -> Stretch:
    return replace(stretch, start=advance(stretch.start, grain), end=advance(stretch.end, grain))


def _is_sure(r: Reader, i: int) -> bool:
    """A short name that is also a word counts if it is capitalised, led by a preposition, or among times."""
    token = r.tokens[i]
    if token.text[:1].isupper() or r.word(i - 1) in LEADS - {"the", "of"} or len(r.tokens) == 1:
        return True
    return any(
        r.kind(j) in ("dash", "clock", "date", "ordinal", "number") or r.is_time_word(j)
        for j in (i - 2, i - 1, i + 1, i + 2)
    )


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


def relate(r: Reader, atom: Atom, lead: str) -> Atom:
    """last X: the latest that is over; this X: the one in the present cycle; next X: the first still to come."""
    if lead in ("", "latest") or atom.cycle is None or (lead == "this" and r.future):
        return atom
    today = floor(r.now, Grain.DAY)
    if lead == "this":
        present = atom.on(r.now.date())
        before = atom.on(step_date(r.now.date(), atom.cycle, -1))
        if before and before.start <= r.now < before.end:  # winter, said in January
            present = before
        assert present is not None
        return pin(present, says_future=present.start > r.now)
    step = -1 if lead != "next" else 1
    for count in range(20):
        found = atom.on(step_date(r.now.date(), atom.cycle, step * count))
        if found and (found.end <= today if step < 0 else found.start > r.now):
            return replace(pin(found, says_future=step > 0), every=atom.cycle)
    return atom
