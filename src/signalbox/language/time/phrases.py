"""A phrase: a few names of time that narrow each other, and the pieces that are cut from one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from signalbox.language.numbers import ORDINALS
from signalbox.language.time import dates, days
from signalbox.language.time.calendar import Duration, Grain, advance, floor, scale, shift
from signalbox.language.time.clocks import read_clock
from signalbox.language.time.lexicon import PARTS, UNITS, WEEKDAYS
from signalbox.language.time.reader import Reader, read_number
from signalbox.language.time.values import Atom, Phrase, Stretch, clock_atom, pin_moment, unit_from

Read = tuple[Atom, int] | None

_DEEPEST = 4
_GLUE = frozenset({"of", "on", "in", "at", "during", "the", "by", "then"})


def read_phrase(r: Reader, i: int, *, expected: bool = False, by_day: bool = False) -> tuple[Phrase, int] | None:
    """The longest phrase that begins here. `expected`: words before it say that a time follows.

    `by_day`: only names of a day or more, and not the time of day after them.
    """
    key = (i, expected, by_day)
    if key not in r.memo:
        depth = r.memo.get("depth", 0)
        r.memo["depth"] = depth + 1
        r.memo[key] = _read_phrase(r, i, expected, by_day) if depth < _DEEPEST else None
        r.memo["depth"] = depth
    found: tuple[Phrase, int] | None = r.memo[key]
    return found


def _read_phrase(r: Reader, i: int, expected: bool, by_day: bool) -> tuple[Phrase, int] | None:
    i = r.skip_all(i, ("on", "at", "in", "during")) if expected else i
    whole = _skip_whole(r, i)
    i, expected = whole, expected or whole > i
    first = _read_atom(r, i, expected=expected)
    if first is None:
        return None
    atoms, after = [first[0]], first[1]
    while len(atoms) < 6 and atoms[0].joins:
        more = _read_more(r, after, atoms)
        if more is None or (by_day and more[0].grain < Grain.DAY):
            break
        atoms.append(more[0])
        after = more[1]
    is_daily = len(atoms) == 1 and atoms[0].cycle is Grain.DAY
    if is_daily and not expected and r.word(r.skip(i, ("the",))) in PARTS:
        return None  # "good morning" and "the night shift" speak of no time
    return Phrase.of(tuple(atoms), r.zone), r.skip(after, ("sofar",))


def _skip_whole(r: Reader, i: int) -> int:
    """the whole of, all of, all day: words that leave the phrase after them as it is."""
    at = r.skip(i, ("the",))
    if r.word(at) != "all":
        return i
    is_day = r.word(at + 1) == "day" and _read_atom(r, at + 2, expected=False)
    return at + 2 if r.word(at + 1) == "of" or is_day else i


def _read_more(r: Reader, i: int, atoms: list[Atom]) -> Read:
    j = r.skip_all(r.skip_comma(i), _GLUE)
    at = any(r.word(k) in ("at", "by") for k in range(i, j)) or _is_clock_number(r, j, atoms)
    more = _read_atom(r, j, expected=at, among=atoms)
    if more is not None and more[0].clock and not r.future and any(r.word(k) == "by" for k in range(i, j)):
        return None  # What had happened by noon happened before it.
    return more if more is not None and _fits(atoms, more[0]) else None


def _is_clock_number(r: Reader, i: int, atoms: list[Atom]) -> bool:
    """True if a number after a day is a time without 'at': 0615; 7 after 'this morning'; 9 after a day to come."""
    text = r.number(i)
    if len(text) == 4 and text.startswith("0"):
        return True
    if r.kind(i + 1) == "dash" or r.word(i + 1) in ("to", "until", "through", "and"):
        return False  # the first of two times, which both lie in that day
    grain = atoms[-1].grain
    return text.isdigit() and int(text) <= 12 and (grain is Grain.PART or (r.future and grain is Grain.DAY))


def _fits(atoms: list[Atom], new: Atom) -> bool:
    """True if a further name of time can narrow, or widen, the ones before it."""
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
    at = r.skip(i, ("the",))
    return (
        _read_edge(r, r.skip(i, ("the", "in")))
        or _read_nth(r, r.skip(i, ("the", "in")))
        or days.read_weeks_on(r, i)
        or (days.read_window(r, i) if among is None else None)
        or _read_this_time(r, at)
        or days.read_day_word(r, at)
        or days.read_ago(r, i)
        or dates.read_written(r, i, expected=expected)
        or _read_adjacent_day(r, at)
        or dates.read_month_or_date(r, i)
        or dates.read_quarter(r, i)
        or dates.read_week_number(r, i)
        or _read_unit_of(r, i)
        or days.read_calendar_unit(r, i)
        or days.read_weekday(r, at)
        or _read_clock_atom(r, i, expected=expected)
        or dates.read_year(r, i, expected=year_expected)
        or dates.read_long_number(r, i, expected=expected)
        or days.read_part(r, at)
    )


def _read_clock_atom(r: Reader, i: int, *, expected: bool) -> Read:
    found = read_clock(r, i, expected=expected)
    if found is None:
        return None
    number = read_number(r, i)
    bare = int(number[0]) if number and number[1] == found[1] and not found[0].minute else None
    return clock_atom(found[0], r.zone, bare), found[1]


def _read_this_time(r: Reader, i: int) -> Read:
    """this time last week: now, so many units back."""
    is_now = r.word(i) in ("this", "same") and r.word(i + 1) == "time"
    if not is_now or r.word(i + 2) not in ("last", "previous") or r.word(i + 3) not in UNITS:
        return None
    return pin_moment(shift(r.now, scale(*UNITS[r.word(i + 3)]), -1), joins=False), i + 4


def _derived(phrase: Phrase, grain: Grain, make: Callable[[Stretch], Stretch | None], *, joins: bool = True) -> Atom:
    """An atom that is made from wherever a phrase falls."""

    def on(day: date) -> Stretch | None:
        found = phrase.on(day)
        return None if found is None else make(found)

    return Atom(grain, phrase.cycle, on, joins=joins, says_future=phrase.says_future)


def _read_adjacent_day(r: Reader, i: int) -> Read:
    """the day before yesterday, the day after 3 November, the night before Christmas."""
    word, side = r.word(i), r.word(i + 1)
    if side not in ("before", "after") or word not in ("day", "night", "evening", "morning"):
        return None
    anchor = read_phrase(r, i + 2, by_day=True)
    if anchor is None or anchor[0].grain < Grain.DAY:
        return None
    part = days.read_part(r, i)

    def make(found: Stretch) -> Stretch | None:
        start = advance(found.start, Grain.DAY, -1) if side == "before" else floor(found.end, Grain.DAY)
        return part[0].on(start.date()) if part else unit_from(start, Grain.DAY)

    return _derived(anchor[0], Grain.PART if part else Grain.DAY, make), anchor[1]


def _read_unit_of(r: Reader, i: int) -> Read:
    """the week of 2 November: the unit that holds a day."""
    at = r.skip_all(i, ("the", "all"))
    grain = Grain.WEEKEND if r.word(at) == "weekend" else UNITS.get(r.word(at), (Grain.MOMENT, 1))[0]
    if grain < Grain.DAY or r.word(at + 1) not in ("of", "starting", "beginning"):
        return None
    inner = read_phrase(r, at + 2, expected=True, by_day=True)
    if inner is None or not Grain.DAY <= inner[0].grain <= grain:
        return None
    weekend = days.named_days(r, r.word(at))

    def make(found: Stretch) -> Stretch | None:
        return weekend.on(found.start.date()) if weekend else unit_from(floor(found.start, grain), grain)

    return _derived(inner[0], grain, make), inner[1]


def _read_edge(r: Reader, i: int) -> Read:
    """the end of October, early last week, the middle of the month."""
    which = r.word(i)
    if which in ("early", "late", "middle"):
        at = r.skip(i + 1, ("of", "in", "on"))
    elif which in ("beginning", "end") and r.word(i + 1) == "of":
        at = i + 2
    else:
        return None
    whole = _read_whole(r, at)
    return None if whole is None else (_derived(whole[0], Grain.PART, lambda w: _cut(w, which), joins=False), whole[1])


def _cut(whole: Stretch, which: str) -> Stretch:
    """The first, middle or last third; of a part of the day the first or last half."""
    start, end = whole.start, whole.end
    third = _fraction(whole, 3)
    early = shift(start, third)
    late = shift(early, third)
    if whole.grain is Grain.PART and which != "middle":
        early = late = shift(start, _fraction(whole, 2))
    if which in ("beginning", "early"):
        return Stretch(start, early, Grain.PART, edge=start if which == "beginning" else None)
    if which in ("end", "late"):
        return Stretch(late, end, Grain.PART, edge=end if which == "end" else None)
    return Stretch(early, late, Grain.PART)


def _fraction(whole: Stretch, parts: int) -> Duration:
    """How long one of so many equal parts is, in whole days from a week on."""
    if whole.grain is Grain.WEEK:
        return Duration(days=7 // parts)
    elapsed = (whole.end - whole.start).total_seconds()
    return scale(whole.grain, 1 / parts) if whole.grain > Grain.WEEK else Duration(seconds=elapsed / parts)


def _read_whole(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """What a piece is cut from: a phrase, or a unit ("the month") that means the present one."""
    at = r.skip(i, ("the",))
    grain, times = UNITS.get(r.word(at), (Grain.MOMENT, 0))
    if times == 1 and r.closes(at + 1):
        named = read_phrase(r, r.skip(at + 1, ("of", "on")))
        is_inside = named is not None and named[0].grain >= grain
        return named if is_inside else (Phrase((days.unit_atom(r, grain, 0),), r.zone), at + 1)
    return read_phrase(r, i, expected=True)


def _read_nth(r: Reader, i: int) -> Read:
    """first week of, second half of, last 3 days of, the third Monday of."""
    nth = -1 if r.word(i) in ("last", "latest") else ORDINALS.get(r.word(i), 0)
    nth = int(r.tokens[i].value) if r.kind(i) == "ordinal" else nth
    number = read_number(r, i + 1) if nth else None
    count, at = (int(number[0]), number[1]) if number and 1 <= number[0] <= 999 else (1, i + 1)
    word = r.word(at)
    if not nth or r.word(at + 1) not in ("of", "in") or word not in {*UNITS, *WEEKDAYS, "half", "weekend"}:
        return None
    whole = _read_whole(r, at + 2)
    if whole is None or (word in UNITS and UNITS[word][0] > whole[0].grain):
        # Nothing is cut from what is smaller: "last year in March" is a March.
        return None
    grain = Grain.DAY if word in WEEKDAYS else UNITS.get(word, (Grain.PART, 1))[0]
    made = _derived(whole[0], grain, lambda found: _nth_of(r, found, word, nth, count), joins=grain >= Grain.DAY)
    return made, whole[1]


def _nth_of(r: Reader, whole: Stretch, word: str, nth: int, count: int) -> Stretch | None:
    named = days.named_days(r, word)
    if named is not None:
        weeks = ((whole.end - whole.start).days + 6) // 7 + 1
        every = (named.on(advance(whole.start, Grain.WEEK, n).date()) for n in range(min(weeks, 60)))
        found = [one for one in every if one and whole.start <= one.start < whole.end]
        index = nth - 1 if nth > 0 else nth
        return found[index] if -len(found) <= index < len(found) else None
    if word == "half":
        middle = shift(whole.start, _fraction(whole, 2))
        return Stretch(whole.start, middle, Grain.PART) if nth == 1 else Stretch(middle, whole.end, Grain.PART)
    grain, times = UNITS[word]
    size = scale(grain, count * times)
    start = shift(whole.start, scale(grain, (nth - 1) * times)) if nth > 0 else shift(whole.end, size, -1)
    return Stretch(start, min(shift(start, size), whole.end), grain) if whole.start <= start < whole.end else None
