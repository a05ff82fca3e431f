"""What a whole time expression means: one phrase, a range of two, or a length beside one; and where it falls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Duration, Grain, advance, floor, shift
from signalbox.language.time.dates import month_day
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Clock, Phrase, Stretch, find_first, find_latest

_AROUND = timedelta(minutes=30)
_MOMENT_LASTS = timedelta(hours=1)
# "Yesterday 22:00 to 02:00" goes on into the next day; "yesterday 18:00 to 17:00" has its ends swapped.
_LONGEST_NIGHT = timedelta(hours=12)
_CONTAINERS = {
    **dict.fromkeys((Grain.MOMENT, Grain.PART), Grain.DAY),
    Grain.WEEKEND: Grain.WEEK,
    **dict.fromkeys((Grain.DAY, Grain.WEEK), Grain.MONTH),
    **dict.fromkeys((Grain.MONTH, Grain.QUARTER, Grain.HALF), Grain.YEAR),
}


class Outcome(NamedTuple):
    """Both ends; `says_future` keeps an end after now."""

    start: datetime
    end: datetime
    says_future: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """An expression of time; `day` is what holds it, where that was said elsewhere in the sentence."""

    phrase: Phrase
    day: Phrase | None = field(default=None, kw_only=True)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase,)

    def within(self, atoms: tuple[Atom, ...]) -> Self:
        """The same expression inside a day that was said elsewhere."""
        return replace(self, phrase=self.phrase.narrowed_by(atoms), day=Phrase.of(atoms, self.phrase.zone))

    def resolve(self, r: Reader) -> Outcome:
        """Where it falls."""
        raise NotImplementedError

    def needs_day(self) -> bool:
        """True if it says times of day and no day."""
        return all(phrase.only_daily for phrase in self.phrases)

    def fits_into(self, outer: Phrase) -> bool:
        """True if it can lie within a phrase that was said beside it: times in a day, days in a week."""
        if not outer.atoms[0].joins or outer.clock is not None:
            return False
        narrowest = Grain.DAY if outer.atoms[0].ago else min(atom.grain for atom in outer.atoms)
        return all(p.cycle is not None and p.atoms[0].grain < narrowest for p in self.phrases)


def locate(r: Reader, phrase: Phrase) -> Stretch:
    """Where a phrase falls: the most recent occurrence, or the next one for a reader that looks ahead."""
    if r.future:
        return _there(find_first(phrase, floor(r.now, Grain.DAY) if phrase.grain >= Grain.DAY else r.now, same=True))
    return _there(find_latest(phrase, r.now))


def _there(found: Stretch | None) -> Stretch:
    if found is None:
        raise TimeRangeError(
            "There is no such day in that month or year.", suggestion="Say a day that exists, such as 2026-11-03."
        )
    return found


def _last_on_dial(r: Reader, phrase: Phrase) -> Stretch:
    """The last time today at which the hands stood so: at four, "quarter past two" was in the afternoon."""
    clock = phrase.clock
    if r.future or clock is None or not (clock.open and clock.spoken and phrase.only_clock):
        return locate(r, phrase)
    first, other = (locate(r, phrase.with_clock(half)) for half in (clock.fixed(), clock.other_half()))
    return other if first.start < other.start and other.start.date() == r.now.date() else first


class Single(Span):
    """One phrase on its own. A clock time stands for the hour that begins with it, 'N ago' for then until now."""

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        if found.grain is not Grain.MOMENT:
            return Outcome(found.start, found.end)
        return Outcome(found.start, r.now if self.phrase.atoms[-1].lasts else _elapse(found.start, _MOMENT_LASTS))


class Since(Span):
    """From a phrase until now."""

    def resolve(self, r: Reader) -> Outcome:
        return Outcome(_last_on_dial(r, self.phrase).opening, r.now)


class After(Span):
    """From the end of a phrase until now, or until the end of the day it was put in."""

    def resolve(self, r: Reader) -> Outcome:
        found = _last_on_dial(r, self.phrase)
        return Outcome(found.edge or found.end, r.now if self.day is None else locate(r, self.day).end)


class Until(Span):
    """Up to a phrase, from the start of what holds it: a time's day, a weekday's week, a date's month."""

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        end = found.edge or (r.now if found.start <= r.now < found.end else found.start)
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


class Around(Span):
    """Half an hour on either side of a time, a day on either side of a day."""

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        if found.grain is Grain.MOMENT:
            return Outcome(_elapse(found.start, -_AROUND), _elapse(found.start, _AROUND))
        if found.grain is Grain.DAY:
            return Outcome(advance(found.start, Grain.DAY, -1), advance(found.end, Grain.DAY))
        return Outcome(found.start, found.end)


@dataclass(frozen=True, slots=True)
class Beside(Span):
    """A length before, after, around or on either side of a phrase; `ending` and `starting` count the phrase in."""

    length: Duration
    side: str

    def resolve(self, r: Reader) -> Outcome:
        found = locate(r, self.phrase)
        anchor = found.edge or (found.end if self.side in ("after", "ending") else found.start)
        half = Duration(seconds=self.length.as_timedelta().total_seconds() / 2)
        reach = half if self.side == "around" else self.length
        starts = anchor if self.side in ("after", "starting") else shift(anchor, reach, -1)
        return Outcome(starts, anchor if self.side in ("before", "ending") else shift(anchor, reach))


def _elapse(moment: datetime, length: timedelta) -> datetime:
    return (moment.astimezone(UTC) + length).astimezone(moment.tzinfo)


@dataclass(frozen=True, slots=True)
class Between(Span):
    """From one phrase to another, each completing what the other leaves unsaid; `link` is the word between them."""

    second: Phrase
    link: str

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        return (self.phrase, self.second)

    def within(self, atoms: tuple[Atom, ...]) -> Self:
        day = Phrase.of(atoms, self.phrase.zone)
        return replace(self, phrase=self.phrase.narrowed_by(atoms), second=self.second.narrowed_by(atoms), day=day)

    def resolve(self, r: Reader) -> Outcome:
        first, second = _complete(r, self.phrase, self.second)
        first, shared = (first, True) if self.day is not None else _share(r, first, second)
        first, second = _settle_halves(first, second)
        start, end = _pair_within(r, first, second) if shared else _pair(r, first, second)
        if second.atoms[-1].is_now:
            start = _last_on_dial(r, first)
        if first.atoms[0].ago and second.atoms[0].ago and end.start < start.start:
            start, end = end, start
        return Outcome(start.opening, _closing(r, end, self.link), second.says_future)


def _complete(r: Reader, first: Phrase, second: Phrase) -> tuple[Phrase, Phrase]:
    """Gives a bare number what the other side says: '1 to 3 November'."""
    a, b = first.atoms[-1], second.atoms[-1]
    if b.month_day and a.bare is not None:
        return _with_last(first, month_day(r, b.month_day[0], a.bare)), second
    if b.month_day and a.cycle is Grain.MONTH and a.grain is Grain.DAY:
        return _with_last(first, month_day(r, b.month_day[0], locate(r, first).start.day)), second
    if a.month_day and b.bare is not None:
        return first, _with_last(second, month_day(r, a.month_day[0], b.bare))
    return first, second


def _with_last(phrase: Phrase, atom: Atom) -> Phrase:
    return Phrase.of((*phrase.atoms[:-1], atom), phrase.zone)


def _share(r: Reader, first: Phrase, second: Phrase) -> tuple[Phrase, bool]:
    """'2pm to 4pm yesterday': what only the second says, and is wider, holds for the first as well."""
    if first.cycle is None or second.atoms[-1].grain < first.grain:
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
    in_part = any(atom.grain is Grain.PART for atom in first.atoms)
    if a is None or b is None or (a.open and b.open and in_part):
        return first, second
    if a.open and b.halved:
        nearest = min((a.fixed(), a.other_half()), key=lambda c: (b.seconds() - c.seconds()) % 86400 or 86400)
        return first.with_clock(nearest), second
    if a.open and not in_part:
        first, a = first.with_clock(a.fixed()), a.fixed()
    return first, second.with_clock(_later_half(a, b)) if b.open else second


def _later_half(a: Clock, b: Clock) -> Clock:
    if a.halved:
        return min((b.fixed(), b.other_half()), key=lambda c: (c.seconds() - a.seconds()) % 86400 or 86400)
    late = b.other_half()
    return late if b.seconds() < a.seconds() < late.seconds() else b.fixed()


def _pair_within(r: Reader, first: Phrase, second: Phrase) -> tuple[Stretch, Stretch]:
    """Both in one occurrence of the day that holds them."""
    start = locate(r, first)
    end = second.on(start.start.date())
    if end is not None and second.clock and second.clock.seconds() == 0 and end.start <= start.start:
        midnight = advance(end.start, Grain.DAY)
        end = Stretch(midnight, midnight, Grain.MOMENT)
    if end is not None and end.start < start.start and second.clock and len(second.atoms) > 1:
        # A night ends on the next day: last night from ten to six.
        morning = second.clock.on(advance(start.start, Grain.DAY).date(), second.zone)
        end = morning if morning.start <= locate(r, Phrase(second.atoms[:-1], second.zone)).end else end
    if end is None or end.start < start.start:
        raise _reversed()
    return start, end


def _pair(r: Reader, first: Phrase, second: Phrase) -> tuple[Stretch, Stretch]:
    """Each in its place: a name that recurs is the one nearest to the side that is fixed."""
    if second.cycle is None and first.cycle is not None:
        end = locate(r, second)
        start = find_latest(first, end.end if end.grain >= Grain.DAY and first.grain < Grain.DAY else end.start)
        return start or locate(r, first), end
    start = locate(r, first)
    if second.cycle is None:
        return start, locate(r, second)
    if first.only_clock and second.only_clock and first.clock == second.clock:
        return start, start
    end = _first_after(second, start)
    if second.clock and second.clock.open:
        other = _first_after(second.with_clock(second.clock.other_half()), start)
        end = min(end, other, key=lambda found: found.start)
    if second.only_clock and first.clock and not first.only_daily and end.start - start.start > _LONGEST_NIGHT:
        raise _reversed()
    # Who says "Sunday to Tuesday" on a Sunday, or "Tuesday to Tuesday", means days that are over.
    began_before = start.end <= r.now and start.start.weekday() != end.start.weekday()
    weekly = second.cycle is Grain.WEEK and not began_before
    yearly = second.cycle is Grain.YEAR and end.start.year > start.start.year
    if end.start > r.now and yearly and (second.grain is Grain.DAY or first.cycle is None):
        raise _reversed()
    if end.start > r.now and (weekly or yearly):
        start = find_latest(first, start.start) or start
        end = _first_after(second, start)
    return start, end


def _first_after(second: Phrase, start: Stretch) -> Stretch:
    return _there(find_first(second, start.start, same=second.grain > Grain.DAY))


def _closing(r: Reader, end: Stretch, link: str) -> datetime:
    """A day after 'to' ends the range where it begins; after 'through' it belongs to it; wider names always do."""
    if end.edge is not None or end.grain is Grain.MOMENT:
        return end.opening
    if end.start <= r.now < end.end:
        return end.end
    if link == "until":
        return end.start
    return end.start if end.grain is Grain.DAY and link not in ("through", "dash", "and also") else end.end


def _reversed() -> TimeRangeError:
    return TimeRangeError(
        "That range ends before it begins.", suggestion="Put the earlier time first, or say the day of each."
    )
