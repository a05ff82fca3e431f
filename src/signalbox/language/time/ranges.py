"""The public face: a range, a moment or a length of time out of a text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from signalbox import settings
from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import shift
from signalbox.language.time.grammar import Candidate, read_candidates
from signalbox.language.time.numbers import read_length
from signalbox.language.time.reader import Reader
from signalbox.language.time.spans import (
    After,
    Around,
    Beside,
    Outcome,
    Since,
    Single,
    Span,
    Until,
    fits_into,
    locate,
    needs_day,
)
from signalbox.language.time.tokens import Tokens, tokenise
from signalbox.language.time.written import stamp_zone
from signalbox.language.time.zones import read_offset

__all__ = ["Clock", "Found", "Range", "find_range", "parse_duration", "parse_instant", "parse_range"]

Clock = Callable[[], datetime] | datetime | None


class Range(NamedTuple):
    """A range of time, half-open: `start` belongs to it, `end` does not."""

    start: datetime
    end: datetime

    @property
    def start_time(self) -> datetime:
        return self.start

    @property
    def end_time(self) -> datetime:
        return self.end


class Found(NamedTuple):
    """A range and the words that said it: `text` is what stands between the two indices; `spans` has all pieces."""

    range: Range
    start_index: int
    end_index: int
    text: str
    spans: tuple[tuple[int, int], ...]


def parse_range(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> Range | None:
    """The range of time that a text speaks of; None if it speaks of none. TimeRangeError if it is impossible."""
    found = find_range(text, clock, tz)
    return None if found is None else found.range


def find_range(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> Found | None:
    """The range, and where in the text it was said. TimeRangeError if it is impossible."""
    tokens = tokenise(text)
    reader = _reader(tokens, clock, tz)
    try:
        candidates = list(read_candidates(reader))
        chosen = _choose(candidates)
        if chosen is None:
            return None
        span, used = _gather(chosen, candidates)
        ends = _finish(reader, span.resolve(reader))
    except (OverflowError, ValueError, OSError) as error:
        raise _too_far() from error
    return _found(text, tokens, ends, used)


def parse_instant(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> datetime | None:
    """The one moment that a text speaks of, which may lie ahead; bare names mean the next one."""
    tokens = tokenise(text)
    reader = _reader(tokens, clock, tz, future=True)
    try:
        chosen = _choose(list(read_candidates(reader)))
        if chosen is None:
            return reader.now if any(t.value == "now" for t in tokens.items) else None
        return _moment(reader, chosen.span)
    except (OverflowError, ValueError, OSError) as error:
        raise _too_far() from error


def parse_duration(text: str) -> timedelta | None:
    """The first length of time in a text: '90 seconds', '1h30m', 'two and a half hours'."""
    tokens = tokenise(text)
    reader = Reader(tokens.items, datetime.now(UTC), UTC)
    for index in range(len(tokens.items)):
        length = read_length(reader, index)
        if length is not None and (length.counted or len(tokens.items) == 1):
            try:
                return length.duration.as_timedelta()
            except OverflowError as error:
                raise _too_far() from error
    return None


def _reader(tokens: Tokens, clock: Clock, tz: tzinfo | str | None, *, future: bool = False) -> Reader:
    zone = tokens.zone or _written_zone(tokens) or _zone(tz)
    return Reader(tokens.items, _now(clock).astimezone(zone), zone, future)


def _now(clock: Clock) -> datetime:
    if clock is None:
        return settings.now()
    return clock if isinstance(clock, datetime) else clock()


def _zone(tz: tzinfo | str | None) -> tzinfo:
    if tz is None:
        return settings.person_zone()
    return ZoneInfo(tz) if isinstance(tz, str) else tz


def _written_zone(tokens: Tokens) -> tzinfo | None:
    stamps = (t.value[1] for t in tokens.items if t.kind == "date" and t.value[0] in ("stamp", "basic"))
    offset = next((zone for zone in map(stamp_zone, stamps) if zone), "")
    return read_offset(offset) if offset else None


def _choose(candidates: list[Candidate]) -> Candidate | None:
    """The surest expression; of equals the first."""
    return max(candidates, key=lambda c: (c.strength, -c.first), default=None)


def _gather(chosen: Candidate, candidates: list[Candidate]) -> tuple[Span, list[Candidate]]:
    """Puts a time without a day into the day said elsewhere: 'yesterday, show cpu between 2 and 4 pm'."""
    if not needs_day(chosen.span):
        return chosen.span, [chosen]
    for other in candidates:
        if other is chosen or not isinstance(other.span, Single) or other.strength <= 0:
            continue
        if fits_into(chosen.span, other.span.phrase) and not other.span.phrase.only_daily:
            return chosen.span.within(other.span.phrase.atoms), sorted((chosen, other), key=lambda c: c.first)
    return chosen.span, [chosen]


def _moment(r: Reader, span: Span) -> datetime:
    """A due moment: 'by Friday' and 'before Friday' are Friday, '2 weeks from Friday' is the far end."""
    if isinstance(span, Single | Since | Until | After | Around):
        return locate(r, span.phrase).opening
    if isinstance(span, Beside) and span.side in ("after", "starting"):
        return shift(locate(r, span.phrase).opening, span.length)
    return span.resolve(r).start


def _finish(r: Reader, outcome: Outcome) -> Range:
    """No end after now unless the words say so; no empty range; none that is still to come."""
    start, end, now = outcome.start, outcome.end, r.now
    if _stamp(start) > _stamp(now) or _stamp(start) == _stamp(now) < _stamp(end):
        raise TimeRangeError(
            f"That lies in the future: it begins {start:%Y-%m-%d %H:%M}, and now is {now:%Y-%m-%d %H:%M}.",
            suggestion="Ask for a time up to now, such as today, last week or since 09:00.",
        )
    if _stamp(end) > _stamp(now) and not outcome.says_future:
        end = now
    if _stamp(end) == _stamp(start):
        raise TimeRangeError(
            "That range is empty: it ends where it begins.", suggestion="Say two different times, or a length."
        )
    if _stamp(end) < _stamp(start):
        raise TimeRangeError(
            f"That range ends before it begins: {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}.",
            suggestion="Put the earlier time first.",
        )
    return Range(start, end)


def _stamp(moment: datetime) -> datetime:
    """Moments of one zone compare by the wall clock, which repeats an hour in autumn: compare in UTC."""
    return moment.astimezone(UTC)


def _found(text: str, tokens: Tokens, ends: Range, used: list[Candidate]) -> Found:
    spans = tuple((tokens.items[c.first].start, tokens.items[c.last - 1].end) for c in used)
    spans = tuple(_with_zone(span, tokens.zone_spans, text) for span in spans)
    start, end = max(spans, key=lambda s: s[1] - s[0])
    return Found(ends, start, end, text[start:end], spans)


def _with_zone(span: tuple[int, int], zones: tuple[tuple[int, int], ...], text: str) -> tuple[int, int]:
    start, end = span
    for left, right in zones:
        if left >= end and not text[end:left].strip(" ,("):
            end = right
        elif right <= start and not text[right:start].strip(" ,"):
            start = left
    return start, end


def _too_far() -> TimeRangeError:
    return TimeRangeError(
        "That reaches beyond the calendar.", suggestion="Say a time within living memory, such as last year."
    )
