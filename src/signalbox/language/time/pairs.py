"""A range from one phrase to another, each end completing what the other leaves unsaid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, advance
from signalbox.language.time.months import month_day
from signalbox.language.time.reader import Reader
from signalbox.language.time.spans import Outcome, Span, is_within, last_on_dial, locate
from signalbox.language.time.values import Atom, Clock, Phrase, Stretch, find_first, find_latest

__all__ = ["Between"]

# "Yesterday 22:00 to 02:00" goes on into the next day; "yesterday 18:00 to 17:00" has its ends swapped.
_LONGEST_NIGHT = timedelta(hours=12)


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
        if second.atoms[-1].is_now:
            start = last_on_dial(r, first)
        if first.atoms[0].ago and second.atoms[0].ago and end.start < start.start:
            start, end = end, start
        return Outcome(start.opening, _closing(r, end, self.link), second.says_future)


def _complete(r: Reader, first: Phrase, second: Phrase) -> tuple[Phrase, Phrase]:
    """Gives a bare number what the other side says: '1 to 3 November'."""
    a, b = first.atoms[-1], second.atoms[-1]
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
        return _before(first, start, locate(r, second))
    if first.only_clock and second.only_clock and first.clock == second.clock:
        return start, start
    end = _after(r, second, start)
    if second.clock and second.clock.open:
        end = min(end, _after(r, second.with_clock(second.clock.other_half()), start), key=lambda found: found.start)
    if second.only_clock and first.clock and not first.only_daily and end.start - start.start > _LONGEST_NIGHT:
        raise _reversed()
    if end.start > r.now and second.cycle is Grain.WEEK and not _began_before(r, start, end):
        start = find_latest(first, start.start) or start
        end = _after(r, second, start)
    if end.start > r.now and second.cycle is Grain.YEAR and end.start.year > start.start.year:
        if second.grain is Grain.DAY or first.pinned:
            raise _reversed()
        start = find_latest(first, start.start) or start
        end = _after(r, second, start)
    return start, end


def _before(first: Phrase, start: Stretch, end: Stretch) -> tuple[Stretch, Stretch]:
    """'last Thursday to last Friday', said on a Friday: the Thursday before that Friday."""
    every = first.atoms[0].every
    if every is None or start.start <= end.start:
        return start, end
    return Stretch(advance(start.start, every, -1), advance(start.end, every, -1), start.grain), end


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
    if is_within(end, r.now):
        return end.end
    if link in ("until", "before"):
        return end.start
    return end.start if end.grain is Grain.DAY and link not in ("through", "dash", "and also") else end.end


def _reversed() -> TimeRangeError:
    return TimeRangeError(
        "That range ends before it begins.", suggestion="Put the earlier time first, or say the day of each."
    )
