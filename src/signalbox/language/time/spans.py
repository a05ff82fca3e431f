"""What a whole time expression means: one phrase, a range of two, or a length beside one; and where it falls.

`within(atoms)` gives the same expression inside a day that was said elsewhere in the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Duration, Grain, advance, floor, shift
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Phrase, Stretch, find_first, find_latest

__all__ = [
    "After",
    "Around",
    "Beside",
    "Outcome",
    "Since",
    "Single",
    "Span",
    "Until",
    "fits_into",
    "is_within",
    "last_on_dial",
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
    if r.future:
        found = find_first(phrase, floor(r.now, Grain.DAY) if phrase.grain >= Grain.DAY else r.now, same=True)
    else:
        found = find_latest(phrase, r.now)
    if found is None:
        raise TimeRangeError(
            "There is no such day in that month or year.", suggestion="Say a day that exists, such as 2026-11-03."
        )
    return found


def last_on_dial(r: Reader, phrase: Phrase) -> Stretch:
    """The last time today at which the hands stood so: at four, "quarter past two" was in the afternoon."""
    clock = phrase.clock
    if r.future or clock is None or not (clock.open and clock.spoken and phrase.only_clock):
        return locate(r, phrase)
    first, other = (locate(r, phrase.with_clock(half)) for half in (clock.fixed(), clock.other_half()))
    return other if first.start < other.start and other.start.date() == r.now.date() else first


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
        return Outcome(last_on_dial(r, self.phrase).opening, r.now)

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
        found = last_on_dial(r, self.phrase)
        start = found.edge or found.end
        return Outcome(start, r.now if self.day is None else locate(r, self.day).end)

    def within(self, atoms: tuple[Atom, ...]) -> Span:
        return After(self.phrase.narrowed_by(atoms), Phrase.of(atoms, self.phrase.zone))

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)


@dataclass(frozen=True, slots=True)
class Until:
    """Up to a phrase, from the start of what holds it: a time's day, a weekday's week, a date's month."""

    phrase: Phrase
    day: Phrase | None = None

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        end = found.edge or (r.now if is_within(found, r.now) else found.start)
        if self.day is not None:
            return Outcome(locate(r, self.day).start, end)
        container = _CONTAINERS.get(found.grain)
        if found.grain is Grain.DAY and self.phrase.cycle is Grain.WEEK:
            container = Grain.WEEK
        if container is None or (self.phrase.atoms[-1].ago or Grain.MOMENT) >= Grain.DAY:
            raise TimeRangeError(
                "That range has an end but no beginning.", suggestion="Say both, such as from 09:00 until noon."
            )
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


def is_within(stretch: Stretch, moment: datetime) -> bool:
    """Whether a stretch goes on at a moment."""
    return stretch.start <= moment < stretch.end


def _elapse(moment: datetime, length: timedelta) -> datetime:
    return (moment.astimezone(UTC) + length).astimezone(moment.tzinfo)


def _seconds(length: Duration) -> float:
    return length.as_timedelta().total_seconds()
