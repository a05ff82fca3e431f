"""A phrase: a few names of time that narrow each other, and the pieces that are cut from one."""

from __future__ import annotations

from datetime import date

from signalbox.language.numbers import ORDINALS
from signalbox.language.time.calendar import Grain, advance, floor, scale, shift
from signalbox.language.time.clocks import read_clock
from signalbox.language.time.cuts import cut, nth_of
from signalbox.language.time.days import read_day_word, read_part, read_weekday, unit_atom, weekend_atom
from signalbox.language.time.lexicon import PARTS, UNITS, WEEKDAYS
from signalbox.language.time.months import read_month_or_date, read_quarter, read_season, read_week_number, read_year
from signalbox.language.time.numbers import read_number, read_unit
from signalbox.language.time.reader import Reader
from signalbox.language.time.relative import read_ago, read_calendar_unit, read_window
from signalbox.language.time.values import Atom, Clock, Phrase, Stretch, clock_atom, pin_moment
from signalbox.language.time.written import read_long_number, read_written

__all__ = ["read_phrase"]

Read = tuple[Atom, int] | None

_DEEPEST = 4
_GLUE = frozenset({"of", "on", "in", "at", "during", "the", "by", "then"})


def read_phrase(r: Reader, i: int, *, expected: bool = False, days: bool = False) -> tuple[Phrase, int] | None:
    """The longest phrase that begins here. `expected`: words before it say that a time follows.

    `days`: only names of a day or more, and not the time of day after them.
    """
    key = (i, expected, days)
    if key not in r.memo:
        depth = r.memo.get("depth", 0)
        r.memo["depth"] = depth + 1
        r.memo[key] = _read_phrase(r, i, expected, days) if depth < _DEEPEST else None
        r.memo["depth"] = depth
    found: tuple[Phrase, int] | None = r.memo[key]
    return found


def _read_phrase(r: Reader, i: int, expected: bool, days: bool) -> tuple[Phrase, int] | None:
    i = r.skip_all(i, ("on", "at", "in", "during")) if expected else i
    whole = _skip_whole(r, i)
    i, expected = whole, expected or whole > i
    first = _read_atom(r, i, expected=expected)
    if first is None:
        return None
    atoms, after = [first[0]], first[1]
    while len(atoms) < 6 and atoms[0].joins:
        more = _read_more(r, after, atoms)
        if more is None or (days and more[0].grain < Grain.DAY):
            break
        atoms.append(more[0])
        after = more[1]
    if len(atoms) == 1 and _is_bare_part(r, i, atoms[0]) and not expected:
        return None
    return Phrase.of(tuple(atoms), r.zone), r.skip(after, ("sofar",))


def _is_bare_part(r: Reader, i: int, atom: Atom) -> bool:
    """'good morning' and 'the night shift' speak of no time."""
    return atom.cycle is Grain.DAY and r.word(r.skip(i, ("the",))) in PARTS


def _skip_whole(r: Reader, i: int) -> int:
    """the whole of, all of, all day: words that leave the phrase after them as it is."""
    at = r.skip(i, ("the",))
    if r.word(at) != "all":
        return i
    if r.word(at + 1) == "of":
        return at + 2
    return at + 2 if r.word(at + 1) == "day" and _read_atom(r, at + 2, expected=False) else i


def _read_more(r: Reader, i: int, atoms: list[Atom]) -> Read:
    j = r.skip_all(r.skip_comma(i), _GLUE)
    at = any(r.word(k) in ("at", "by") for k in range(i, j)) or _is_clock_number(r, j, atoms)
    more = _read_atom(r, j, expected=at, among=atoms)
    return more if more is not None and _fits(atoms, more[0]) else None


def _is_clock_number(r: Reader, i: int, atoms: list[Atom]) -> bool:
    """Whether a number after a day is a time without 'at': 0615; 7 after 'this morning'; 9 after a day to come."""
    text = r.tokens[i].text if r.kind(i) == "number" else ""
    if len(text) == 4 and text.startswith("0"):
        return True
    if r.kind(i + 1) == "dash" or r.word(i + 1) in ("to", "until", "through", "and"):
        return False  # the first of two times, which both lie in that day
    grain = atoms[-1].grain
    return text.isdigit() and int(text) <= 12 and (grain is Grain.PART or (r.future and grain is Grain.DAY))


def _fits(atoms: list[Atom], new: Atom) -> bool:
    """Whether a further name of time can narrow, or widen, the ones before it."""
    if not new.joins or (new.clock and any(a.clock for a in atoms)):
        return False
    for atom in atoms:
        if atom.cycle is None and new.cycle is None:
            return False
        pinned, other = (atom, new) if atom.cycle is None else (new, atom)
        if pinned.cycle is None and pinned.ago is None and pinned.grain < other.grain:
            return False
        same = atom.grain == new.grain and not (atom.ago or new.ago)
        if same and (atom.grain is not Grain.DAY or atom.cycle == new.cycle):
            return False
    return True


def _read_atom(r: Reader, i: int, *, expected: bool, among: list[Atom] | None = None) -> Read:
    """One name of time; `among` are the ones said before it in the same phrase."""
    year_expected = expected if among is None else any(a.cycle is Grain.YEAR for a in among)
    return (
        _read_piece(r, i)
        or (read_window(r, i) if among is None else None)
        or _read_this_time(r, r.skip(i, ("the",)))
        or read_day_word(r, r.skip(i, ("the",)))
        or read_ago(r, i)
        or read_written(r, i, expected=expected)
        or _read_adjacent_day(r, i)
        or read_month_or_date(r, i)
        or read_quarter(r, i)
        or read_season(r, i)
        or read_week_number(r, i)
        or _read_week_of(r, i)
        or read_calendar_unit(r, i)
        or read_weekday(r, r.skip(i, ("the",)))
        or _read_year_or_clock(r, i, year=year_expected, clock=expected)
        or read_long_number(r, i, expected=expected)
        or read_part(r, r.skip(i, ("the",)))
    )


def _read_year_or_clock(r: Reader, i: int, *, year: bool, clock: bool) -> Read:
    found = read_clock(r, i, expected=clock)
    if found is not None:
        return clock_atom(found[0], r.zone, _bare_number(r, i, found)), found[1]
    return read_year(r, i, expected=year)


def _bare_number(r: Reader, i: int, found: tuple[Clock, int]) -> int | None:
    number = read_number(r, i)
    if number is None or number[1] != found[1] or found[0].minute or r.kind(i) == "clock":
        return None
    return int(number[0])


def _read_this_time(r: Reader, i: int) -> Read:
    """this time last week: now, so many units back."""
    if r.word(i) not in ("this", "same") or r.word(i + 1) != "time" or r.word(i + 2) not in ("last", "previous"):
        return None
    unit = read_unit(r, i + 3)
    if unit is None:
        return None
    moment = shift(r.now, scale(unit[0][0], unit[0][1]), -1)
    return pin_moment(moment, joins=False), unit[1]


def _read_adjacent_day(r: Reader, i: int) -> Read:
    """the day before yesterday, the day after 3 November, the night before Christmas."""
    at = r.skip(i, ("the",))
    word, side = r.word(at), r.word(at + 1)
    if side not in ("before", "after") or (word not in ("day", "night", "evening", "morning")):
        return None
    anchor = read_phrase(r, at + 2, days=True)
    if anchor is None or anchor[0].grain < Grain.DAY:
        return None
    phrase, part = anchor[0], read_part(r, at)

    def on(day: date) -> Stretch | None:
        found = phrase.on(day)
        if found is None:
            return None
        start = advance(found.start, Grain.DAY, -1) if side == "before" else floor(found.end, Grain.DAY)
        return part[0].on(start.date()) if part else Stretch(start, advance(start, Grain.DAY), Grain.DAY)

    return Atom(Grain.PART if part else Grain.DAY, phrase.cycle, on, says_future=phrase.says_future), anchor[1]


def _read_week_of(r: Reader, i: int) -> Read:
    """the week of 2 November: the unit that holds a day."""
    at = r.skip_all(i, ("the", "all"))
    unit = ((Grain.WEEKEND, 1), at + 1) if r.word(at) == "weekend" else read_unit(r, at)
    if unit is None or r.word(unit[1]) not in ("of", "starting", "beginning") or unit[0][0] < Grain.DAY:
        return None
    inner = read_phrase(r, unit[1] + 1, expected=True, days=True)
    if inner is None or not Grain.DAY <= inner[0].grain <= unit[0][0]:
        return None
    grain, phrase = unit[0][0], inner[0]

    def on(day: date) -> Stretch | None:
        found = phrase.on(day)
        if found is None:
            return None
        if grain is Grain.WEEKEND:
            return weekend_atom(r).on(found.start.date())
        start = floor(found.start, grain)
        return Stretch(start, advance(start, grain), grain)

    return Atom(grain, phrase.cycle, on), inner[1]


def _read_piece(r: Reader, i: int) -> Read:
    """A piece of a phrase: the end of October, early last week, the first three days of May."""
    at = r.skip(i, ("the", "in"))
    return _read_edge(r, at) or _read_nth(r, at)


def _read_edge(r: Reader, i: int) -> Read:
    which = r.word(i)
    if which in ("beginning", "end"):
        if r.word(i + 1) != "of":
            return None
        at = i + 2
    elif which in ("early", "late", "middle"):
        at = r.skip(i + 1, ("of", "in", "on"))
    else:
        return None
    whole = _read_whole(r, at)
    if whole is None:
        return None
    phrase, after = whole

    def on(day: date) -> Stretch | None:
        found = phrase.on(day)
        return None if found is None else cut(found, which)

    return Atom(Grain.PART, phrase.cycle, on, joins=False, says_future=phrase.says_future), after


def _read_whole(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """What a piece is cut from: a phrase, or a unit ("the month") that means the present one."""
    at = r.skip(i, ("the",))
    unit = read_unit(r, at)
    if unit is not None and unit[0][1] == 1 and r.closes(unit[1]):
        named = read_phrase(r, r.skip(unit[1], ("of", "on")))
        if named is not None and named[0].grain >= unit[0][0]:
            return named
        return Phrase((unit_atom(r, unit[0][0], 0),), r.zone), unit[1]
    return read_phrase(r, i, expected=True)


def _read_nth(r: Reader, i: int) -> Read:
    """first week of, second half of, last 3 days of, the third Monday of."""
    place = _read_place(r, i)
    if place is None:
        return None
    nth, at = place
    number = read_number(r, at)
    count, at = (int(number[0]), number[1]) if number and 1 <= number[0] <= 999 else (1, at)
    word = r.word(at)
    after = at + 1
    if r.word(after) not in ("of", "in"):
        return None
    if word not in UNITS and word not in WEEKDAYS and word not in ("half", "weekend"):
        return None
    whole = _read_whole(r, after + 1)
    if whole is None or (word in UNITS and UNITS[word][0] > whole[0].grain):
        # Nothing is cut from what is smaller: "last year in March" is a March.
        return None
    phrase, ends = whole

    def on(day: date) -> Stretch | None:
        found = phrase.on(day)
        return None if found is None else nth_of(r, found, word, nth, count)

    grain = Grain.DAY if word in WEEKDAYS else UNITS[word][0] if word in UNITS else Grain.PART
    return Atom(grain, phrase.cycle, on, joins=grain >= Grain.DAY), ends


def _read_place(r: Reader, i: int) -> tuple[int, int] | None:
    """Which one: 1 for the first, -1 for the last."""
    if r.word(i) in ("last", "latest"):
        return -1, i + 1
    if r.word(i) in ORDINALS:
        return ORDINALS[r.word(i)], i + 1
    return (int(r.tokens[i].value), i + 1) if r.kind(i) == "ordinal" else None
