"""What a time phrase means before a clock is read: atoms that recur, phrases of several, and where they fall.

An atom is one name of time ("Tuesday", "October", "14:00", "yesterday"). It is either pinned (it lies in one
place) or it recurs with a cycle (a weekday every week). A phrase is a few atoms that narrow each other:
"last week" + "Tuesday" + "14:00", in whatever order they were said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, advance, floor, step_date, wall

_TRIES = {Grain.DAY: 4, Grain.WEEK: 4, Grain.MONTH: 30, Grain.QUARTER: 6, Grain.YEAR: 30}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of time; `edge` is the one moment that it stands for in a range ("from the end of May")."""

    start: datetime
    end: datetime
    grain: Grain
    edge: datetime | None = None

    @property
    def opening(self) -> datetime:
        """Where a range begins that is said to begin with it."""
        return self.edge or self.start


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. `open` means that no one said whether morning or afternoon."""

    hour: int
    minute: int = 0
    second: int = 0
    open: bool = False
    halved: bool = False  # am, pm or "in the evening" was said
    spoken: bool = False  # as the hands of a clock show it: quarter past two, 2 o'clock

    def other_half(self) -> Clock:
        return replace(self, hour=(self.hour + 12) % 24, open=False)

    def fixed(self) -> Clock:
        return replace(self, open=False)

    def seconds(self) -> int:
        return self.hour * 3600 + self.minute * 60 + self.second

    def on(self, day: date, zone: tzinfo) -> Stretch:
        moment = wall(day, self.hour, self.minute, self.second, zone)
        return Stretch(moment, moment, Grain.MOMENT)


@dataclass(frozen=True, slots=True)
class Atom:
    """One name of time: `on(day)` is its occurrence in the cycle that holds the day, None if there is none."""

    grain: Grain
    cycle: Grain | None
    on: Callable[[date], Stretch | None]
    clock: Clock | None = None
    says_future: bool = False
    lasts: bool = False  # a moment that, said alone, begins a range up to now ("2 hours ago")
    month_day: tuple[int, int] | None = None
    is_now: bool = False
    joins: bool = True  # may be narrowed by the words beside it
    ago: Grain | None = None  # the unit of "N units ago"
    bare: int | None = None  # the number, if a number was all that was said


def unit_from(start: datetime, grain: Grain) -> Stretch:
    """The unit of the calendar that begins with a moment."""
    return Stretch(start, advance(start, grain), grain)


def moved(stretch: Stretch, grain: Grain, count: int) -> Stretch:
    """A stretch, so many units later."""
    return replace(stretch, start=advance(stretch.start, grain, count), end=advance(stretch.end, grain, count))


def pin(stretch: Stretch, *, says_future: bool = False, lasts: bool = False, joins: bool = True) -> Atom:
    """An atom that lies in one place."""
    return Atom(stretch.grain, None, lambda _: stretch, says_future=says_future, lasts=lasts, joins=joins)


def pin_moment(moment: datetime, *, says_future: bool = False, lasts: bool = False, joins: bool = True) -> Atom:
    """An atom that is one moment."""
    return pin(Stretch(moment, moment, Grain.MOMENT), says_future=says_future, lasts=lasts, joins=joins)


def clock_atom(clock: Clock, zone: tzinfo, bare: int | None = None) -> Atom:
    """An atom that is a time of every day."""
    return Atom(Grain.MOMENT, Grain.DAY, lambda day: clock.on(day, zone), clock=clock, bare=bare)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Atoms that narrow each other, the widest first."""

    atoms: tuple[Atom, ...]
    zone: tzinfo

    @staticmethod
    def of(atoms: tuple[Atom, ...], zone: tzinfo) -> Phrase:
        return Phrase(tuple(sorted(atoms, key=lambda a: (a.cycle is not None, -a.grain, -(a.cycle or 0)))), zone)

    @property
    def cycle(self) -> Grain | None:
        return self.atoms[0].cycle

    @property
    def clock(self) -> Clock | None:
        return self.atoms[-1].clock

    @property
    def only_clock(self) -> bool:
        return len(self.atoms) == 1 and self.clock is not None

    @property
    def only_daily(self) -> bool:
        """Says a time of day and no day."""
        return self.cycle is Grain.DAY

    @property
    def grain(self) -> Grain:
        return self.atoms[-1].grain

    @property
    def says_future(self) -> bool:
        return any(atom.says_future for atom in self.atoms)

    def narrowed_by(self, atoms: tuple[Atom, ...]) -> Phrase:
        return Phrase.of(self.atoms + atoms, self.zone)

    def with_clock(self, clock: Clock) -> Phrase:
        return Phrase((*self.atoms[:-1], clock_atom(clock, self.zone)), self.zone)

    def on(self, day: date) -> Stretch | None:
        """The occurrence of the whole phrase in the cycle that holds the day."""
        found = self.atoms[0].on(day)
        for atom in self.atoms[1:]:
            if found is None:
                return None
            outer, found = found, _first_within(atom, found, self.zone)
            if found is None and outer.grain is Grain.DAY and self.cycle in (None, Grain.YEAR):
                raise TimeRangeError(
                    f"{outer.start:%-d %B %Y} is a {outer.start:%A}.", suggestion="Say the date or the weekday alone."
                )
        return found


def find_latest(phrase: Phrase, limit: datetime) -> Stretch | None:
    """The most recent occurrence that begins before the limit; a pinned phrase wherever it lies."""
    return _search(phrase, limit, -1, lambda found: found.start < limit)


def find_first(phrase: Phrase, after: datetime, *, same: bool = False) -> Stretch | None:
    """The first occurrence that begins after a moment (or with it, if `same`)."""
    return _search(phrase, after, 1, lambda found: found.start > after or (same and found.start == after))


def _search(phrase: Phrase, near: datetime, step: int, is_meant: Callable[[Stretch], bool]) -> Stretch | None:
    if phrase.cycle is None:
        return phrase.on(near.date())
    for count in range(_TRIES[phrase.cycle]):
        found = phrase.on(step_date(near.date(), phrase.cycle, step * count))
        if found and is_meant(found):
            return found
    return None


def _first_within(atom: Atom, outer: Stretch, zone: tzinfo) -> Stretch | None:
    if outer.grain is Grain.MOMENT and atom.cycle is not None:
        # A moment ("a week ago") that is narrowed stands for the day, week, month or year around it.
        outer = unit_from(floor(outer.start, atom.cycle), atom.cycle)
    if atom.grain == outer.grain and atom.cycle is not None:
        same = atom.on(outer.start.date())
        return outer if same and same.start == outer.start else None
    if atom.clock is not None:
        return _place(atom.clock, outer, zone)
    for count in range(2):
        day = outer.start.date() if atom.cycle is None else step_date(outer.start.date(), atom.cycle, count)
        found = atom.on(day)
        if found and outer.start <= found.start < outer.end:
            return found
    return None


def _place(clock: Clock, outer: Stretch, zone: tzinfo) -> Stretch:
    first_day = outer.start.date()
    for reading in (clock, clock.other_half()) if clock.open else (clock,):
        for day in (first_day, first_day + timedelta(days=1)):
            found = reading.on(day, zone)
            if outer.start <= found.start < outer.end:
                return found
    return clock.on(first_day, zone)
