"""What a whole time expression means: one phrase, a range of two, or a length beside one; and where it falls.

`within(atoms)` gives the same expression inside a day that was said elsewhere in the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from signalbox.errors import TimeRangeError
from signalbox.models.time.calendar import Duration, Grain, advance, floor, scale, shift
from signalbox.models.time.names import month_day
from signalbox.models.time.reader import Reader
from signalbox.models.time.values import Atom, Clock, Phrase, Stretch, find_first, find_latest, pin_moment

__all__ = [
    "After",
    "Around",
    "Beside",
    "Between",
    "Outcome",
    "Since",
    "Single",
    "Span",
    "Until",
    "fits_into",
    "locate",
    "needs_day",
]

_AROUND = timedelta(minutes=30)
_MOMENT_LASTS = timedelta(hours=1)
_CONTAINERS = {
    Grain.MOMENT: Grain.DAY,
    Grain.PART: Grain.DAY,
    Grain.DAY: Grain.MONTH,
    Grain.WEEKEND: Grain.WEEK,
    Grain.WEEK: Grain.MONTH,
    Grain.MONTH: Grain.YEAR,
    Grain.QUARTER: Grain.YEAR,
    Grain.HALF: Grain.YEAR,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Both ends; `says_future` keeps an end after now."""

    start: datetime
    end: datetime
    says_future: bool = False


class Span(Protocol):
    def resolve(self, r: Reader) -> Outcome: ...

    def within(self, atoms: tuple[Atom, ...]) -> Span: ...

    @property
    def phrases(self) -> tuple[Phrase, ...]: ...


def needs_day(span: Span) -> bool:
    """Whether an expression says times of day and no day."""
    return all(phrase.only_daily for phrase in span.phrases)


def fits_into(span: Span, outer: Phrase) -> bool:
    """Whether an expression can lie within a phrase that was said beside it: times in a day, days in a week."""
    if not outer.atoms[0].joins or outer.clock is not None:
        return False
    narrowest = Grain.DAY if outer.atoms[0].ago else min(atom.grain for atom in outer.atoms)
    return all(not p.pinned and p.atoms[0].grain < narrowest for p in span.phrases)


def locate(r: Reader, phrase: Phrase) -> Stretch:
    """Where a phrase falls: the most recent occurrence, or the next one for a reader that looks ahead."""
    found = (
        find_first(phrase, floor(r.now, Grain.DAY) if phrase.grain >= Grain.DAY else r.now, same=True)
        if (r.future)
        else find_latest(phrase, r.now)
    )
    if found is None:
        raise TimeRangeError(
            "There is no such day in that month or year.", suggestion="Say a day that exists, such as 2026-11-03."
        )
    return found


@dataclass(frozen=True, slots=True)
class Single:
    """One phrase on its own. A clock time stands for the hour that begins with it, 'N ago' for then until now."""

    phrase: Phrase

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        if found.grain is not Grain.MOMENT:
            return Outcome(found.start, found.end)
        if self.phrase.atoms[-1].lasts:
            return Outcome(found.start, r.now)
        return Outcome(found.start, _elapse(found.start, _MOMENT_LASTS))

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return Single(self.phrase.narrowed_by(atoms))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Since:
    phrase: Phrase

    def resolve(self, r: Reader) -> Outcome:
        return Outcome(locate(r, self.phrase).opening, r.now)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return Since(self.phrase.narrowed_by(atoms))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class After:
    """From the end of a phrase until now, or until the end of the day it was put in."""

    phrase: Phrase
    day: Phrase | None = None

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        start = found.edge or found.end
        return Outcome(start, r.now if self.day is None else locate(r, self.day).end)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return After(self.phrase.narrowed_by(atoms), Phrase.of(atoms, self.phrase.zone))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Until:
    """Up to a phrase, from the beginning of what holds it: the day of a time, the month of a day."""

    phrase: Phrase
    day: Phrase | None = None

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        end = found.edge or (r.now if _holds(found, r.now) else found.start)
        if self.day is not None:
            return Outcome(locate(r, self.day).start, end)
        container = Grain.WEEK if self.phrase.cycle is Grain.WEEK else _CONTAINERS.get(found.grain)
        if (found.grain is Grain.MOMENT and self.phrase.atoms[-1].lasts) or container is None:
            raise TimeRangeError(
                "That range has an end but no beginning.", suggestion="Say both, such as from 09:00 until noon."
            )
        if found.grain is Grain.MOMENT:
            container = Grain.DAY
        return Outcome(floor(end - timedelta(microseconds=1), container), end)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return Until(self.phrase.narrowed_by(atoms), Phrase.of(atoms, self.phrase.zone))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Around:
    """Half an hour on either side of a time, a day on either side of a day."""

    phrase: Phrase

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        if found.grain is Grain.MOMENT:
            return Outcome(_elapse(found.start, -_AROUND), _elapse(found.start, _AROUND))
        if found.grain is Grain.DAY:
            return Outcome(advance(found.start, Grain.DAY, -1), advance(found.end, Grain.DAY))
        return Outcome(found.start, found.end)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return Around(self.phrase.narrowed_by(atoms))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Beside:
    """A length before, after, around or on either side of a phrase."""

    length: Duration
    side: str
    phrase: Phrase

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        if self.side == "before":
            end = found.edge or found.start
            return Outcome(shift(end, self.length, -1), end)
        if self.side == "ending":
            end = found.edge or found.end
            return Outcome(shift(end, self.length, -1), end)
        if self.side in ("after", "starting"):
            start = found.edge or (found.end if self.side == "after" else found.start)
            return Outcome(start, shift(start, self.length))
        reach = self.length if self.side == "eitherside" else Duration(seconds=_seconds(self.length) / 2)
        return Outcome(shift(found.start, reach, -1), shift(found.start, reach))

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return replace(self, phrase=self.phrase.narrowed_by(atoms))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Between:
    """From one phrase to another. `link` is the word between them; `shared` means that one day holds both."""

    first: Phrase
    second: Phrase
    link: str
    shared: bool = False

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.first, self.second)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return replace(self, first=self.first.narrowed_by(atoms), second=self.second.narrowed_by(atoms), shared=True)

    def resolve(self, r: Reader) -> Outcome:
        first, second = _complete(r, self.first, self.second)
        shared = self.shared
        if not shared:
            first, shared = _share(r, first, second)
        first, second = _settle_halves(first, second)
        start, end = _pair_within(r, first, second) if shared else _pair(r, first, second)
        if first.atoms[0].ago and second.atoms[0].ago and end.start < start.start:
            start, end = end, start
        return Outcome(start.opening, _closing(r, end, self.link), second.says_future)


def _complete(r: Reader, first: Phrase, second: Phrase) -> tuple[Phrase, Phrase]:
    """Gives a bare number what the other side says: '1 to 3 November', '2 to 3 hours ago'."""
    a, b = first.atoms[-1], second.atoms[-1]
    if second.atoms[0].ago and a.bare is not None:
        unit = second.atoms[0].ago
        atom = pin_moment(shift(r.now, scale(unit, a.bare), -1), lasts=True)
        return Phrase((replace(atom, ago=unit),), first.zone), second
    if b.month_day and (a.bare is not None or (a.cycle is Grain.MONTH and a.grain is Grain.DAY)):
        day = a.bare if a.bare is not None else _day_number(r, a)
        return _swap_last(first, month_day(r, b.month_day[0], day)), second
    if a.month_day and b.bare is not None:
        return first, _swap_last(second, month_day(r, a.month_day[0], b.bare))
    return first, second


def _day_number(r: Reader, atom: Atom) -> int:
    found = find_latest(Phrase((atom,), r.zone), r.now)
    return found.start.day if found else 1


def _swap_last(phrase: Phrase, atom: Atom) -> Phrase:
    return Phrase.of((*phrase.atoms[:-1], atom), phrase.zone)


def _share(r: Reader, first: Phrase, second: Phrase) -> tuple[Phrase, bool]:
    """'2pm to 4pm yesterday': what only the second says, and is wider, holds for the first as well."""
    if first.pinned or second.atoms[-1].grain < first.grain:
        return first, False
    wider = tuple(a for a in second.atoms if a.grain > first.atoms[0].grain and a not in first.atoms)
    if not wider or (wider[0].ago and not first.only_daily):
        return first, False
    narrowed = first.narrowed_by(wider)
    if first.only_daily:
        return narrowed, True
    a, b = find_latest(narrowed, r.now), find_latest(second, r.now)
    return (narrowed, False) if a and b and a.start < b.start else (first, False)


def _settle_halves(first: Phrase, second: Phrase) -> tuple[Phrase, Phrase]:
    """Morning or afternoon, where only one side said it, or neither."""
    a, b = first.clock, second.clock
    if a is None or b is None or (a.open and b.open and _in_part(first)):
        return first, second
    if a.open and b.halved:
        nearest = min((a.fixed(), a.other_half()), key=lambda c: (b.seconds() - c.seconds()) % 86400 or 86400)
        return first.with_clock(nearest), second
    if a.open and not _in_part(first):
        first, a = first.with_clock(a.fixed()), a.fixed()
    if b.open:
        second = second.with_clock(_later_half(a, b))
    return first, second


def _later_half(a: Clock, b: Clock) -> Clock:
    if a.halved:
        return min((b.fixed(), b.other_half()), key=lambda c: (c.seconds() - a.seconds()) % 86400 or 86400)
    late = b.other_half()
    return late if b.seconds() < a.seconds() < late.seconds() else b.fixed()


def _in_part(phrase: Phrase) -> bool:
    return any(atom.grain is Grain.PART for atom in phrase.atoms)


def _pair_within(r: Reader, first: Phrase, second: Phrase) -> tuple[Stretch, Stretch]:
    """Both in one occurrence of the day that holds them."""
    start = locate(r, first)
    day = start.start.date()
    end = second.on(day)
    if end is not None and second.clock and second.clock.seconds() == 0 and end.start <= start.start:
        end = Stretch(advance(end.start, Grain.DAY), advance(end.start, Grain.DAY), Grain.MOMENT)
    if end is None or end.start < start.start:
        raise _reversed()
    return start, end


def _pair(r: Reader, first: Phrase, second: Phrase) -> tuple[Stretch, Stretch]:
    """Each in its place: a name that recurs is the one nearest to the side that is fixed."""
    if second.pinned and not first.pinned:
        end = locate(r, second)
        start = find_latest(first, end.end if end.grain >= Grain.DAY and first.grain < Grain.DAY else end.start)
        return start or locate(r, first), end
    start = locate(r, first)
    if second.pinned:
        return start, locate(r, second)
    if first.only_clock and second.only_clock and first.clock == second.clock:
        return start, start
    end = _after(r, second, start)
    if end.start > r.now and second.cycle is Grain.WEEK and not _began_before(r, start, end):
        start = find_latest(first, start.start) or start
        end = _after(r, second, start)
    if end.start > r.now and second.cycle is Grain.YEAR and end.start.year > start.start.year:
        if second.grain is Grain.DAY or first.pinned:
            raise _reversed()
        start = find_latest(first, start.start) or start
        end = _after(r, second, start)
    return start, end


def _began_before(r: Reader, start: Stretch, end: Stretch) -> bool:
    """Who says 'Sunday to Tuesday' on a Sunday, or 'Tuesday to Tuesday', means days that are over."""
    return start.end <= r.now and start.start.weekday() != end.start.weekday()


def _after(r: Reader, second: Phrase, start: Stretch) -> Stretch:
    found = find_first(second, start.start, same=second.grain > Grain.DAY)
    if found is None:
        raise TimeRangeError("The end of that range does not exist.", suggestion="Say both ends as dates.")
    return found


def _closing(r: Reader, end: Stretch, link: str) -> datetime:
    """A day after 'to' ends the range where it begins; after 'through' it belongs to it; wider names always do."""
    if end.edge is not None:
        return end.edge
    if end.grain is Grain.MOMENT:
        return end.start
    if _holds(end, r.now):
        return end.end
    if link in ("until", "before"):
        return end.start
    return end.start if end.grain is Grain.DAY and link not in ("through", "dash", "and also") else end.end


def _holds(stretch: Stretch, moment: datetime) -> bool:
    return stretch.start <= moment < stretch.end


def _elapse(moment: datetime, length: timedelta) -> datetime:
    return (moment.astimezone(UTC) + length).astimezone(moment.tzinfo)


def _seconds(length: Duration) -> float:
    return length.as_timedelta().total_seconds()


def _reversed() -> TimeRangeError:
    return TimeRangeError(
        "That range ends before it begins.", suggestion="Put the earlier time first, or say the day of each."
    )
