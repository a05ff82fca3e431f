"""Atoms of days: today and its neighbours, now, parts of the day, weekdays, the weekend."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from signalbox.language.time.calendar import Grain, advance, floor, midnight, shift, step_date, wall
from signalbox.language.time.lexicon import PARTS, WEEKDAYS
from signalbox.language.time.reader import Reader, read_length
from signalbox.language.time.values import Atom, Phrase, Stretch, find_first, moved, pin, pin_moment, unit_from
from signalbox.language.words import word_set

Read = tuple[Atom, int] | None

# Words that let a short or common word after them be a name of time: in may, on sat, since march.
LEADS = word_set(
    "in of since last from until during this next before after through to between and on every by for "
    "early late middle the over all at previous past end beginning"
)
_LOOSE_DAYS = frozenset({"sun", "sat", "mon", "wed"})
_OFFSETS = {"last": -1, "previous": -1, "this": 0, "next": 1}
_ROUNDING = {"d": Grain.DAY, "w": Grain.WEEK, "h": Grain.HOUR, "m": Grain.MINUTE, "M": Grain.MONTH, "y": Grain.YEAR}


def unit_atom(r: Reader, grain: Grain, count: int) -> Atom:
    """The calendar unit so many after the one that holds now."""
    return pin(unit_from(advance(floor(r.now, grain), grain, count), grain), says_future=count > 0)


def read_day_word(r: Reader, i: int) -> Read:
    """now, today, yesterday, tomorrow, tonight, last night, overnight."""
    word = r.word(i)
    if word == "now":
        return _read_now(r, i + 1)
    if word in ("today", "yesterday", "tomorrow"):
        return unit_atom(r, Grain.DAY, {"today": 0, "yesterday": -1, "tomorrow": 1}[word]), i + 1
    if word in ("tonight", "overnight"):
        return part_on(r, "night", 0 if word == "tonight" else -1), i + 1
    if word in _OFFSETS and r.word(i + 1) in PARTS and r.word(i + 1) not in ("lunch", "nights"):
        return part_on(r, r.word(i + 1), _OFFSETS[word]), i + 2
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
    if r.kind(i) == "slash" and r.kind(i + 1) == "word" and r.tokens[i + 1].text in _ROUNDING:
        moment, i = floor(moment, _ROUNDING[r.tokens[i + 1].text]), i + 2
    atom = pin_moment(moment, says_future=moment > r.now, lasts=True, joins=False)
    return replace(atom, is_now=moment == r.now), i


def part_of_day(r: Reader, name: str) -> Atom:
    """A part of every day."""
    begin, end = PARTS[name]

    def on(day: date) -> Stretch:
        return Stretch(wall(day, begin, 0, 0, r.zone), wall(day, end, 0, 0, r.zone), Grain.PART)

    return Atom(Grain.PART, Grain.DAY, on)


def part_on(r: Reader, name: str, offset: int) -> Atom:
    """A part of the day that lies so many days after today."""
    stretch = part_of_day(r, name).on(r.now.date() + timedelta(days=offset))
    assert stretch is not None
    return pin(stretch, says_future=offset > 0)


def read_part(r: Reader, i: int) -> Read:
    """A bare part of the day."""
    return (part_of_day(r, r.word(i)), i + 1) if r.word(i) in PARTS else None


def read_weekday(r: Reader, i: int) -> Read:
    """Tuesday, last Tuesday, this Friday, next Monday, the weekend, last weekend; Monday week."""
    lead, at = r.take(i, ("last", "previous", "past", "this", "next", "latest"))
    atom = named_days(r, r.word(at))
    if atom is None or (not lead and r.word(at) in _LOOSE_DAYS and not _is_sure(r, at)):
        return None
    if r.future and not lead and r.word(at + 1) == "week" and r.closes(at + 2) and r.kind(at + 2) != "number":
        coming = find_first(Phrase((atom,), r.zone), floor(r.now, Grain.DAY), same=True)
        assert coming is not None
        return pin(moved(coming, Grain.WEEK, 1), says_future=True), at + 2  # Monday week: the one after the next
    return relate(r, atom, lead), at + 1


def _is_sure(r: Reader, i: int) -> bool:
    """A short name that is also a word counts if it is capitalised, led by a preposition, or among times."""
    if r.tokens[i].text[:1].isupper() or r.word(i - 1) in LEADS - {"the", "of"} or len(r.tokens) == 1:
        return True
    return any(
        r.kind(j) in ("dash", "clock", "date", "ordinal", "number") or r.is_time_word(j)
        for j in (i - 2, i - 1, i + 1, i + 2)
    )


def named_days(r: Reader, word: str) -> Atom | None:
    """A day of every week by its name, or the weekend."""
    first, length = (5, 2) if word == "weekend" else (WEEKDAYS.get(word, -1), 1)
    if first < 0:
        return None

    def on(day: date) -> Stretch:
        begin = day + timedelta(days=first - day.weekday())
        return Stretch(midnight(begin, r.zone), midnight(begin + timedelta(days=length), r.zone), grain)

    grain = Grain.WEEKEND if word == "weekend" else Grain.DAY
    return Atom(grain, Grain.WEEK, on)


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
        return atom if present is None else pin(present, says_future=present.start > r.now)
    step = -1 if lead != "next" else 1
    for count in range(20):
        found = atom.on(step_date(r.now.date(), atom.cycle, step * count))
        if found and (found.end <= today if step < 0 else found.start > r.now):
            return pin(found, says_future=step > 0)
    return atom
