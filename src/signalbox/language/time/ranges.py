"""The public face: a range, a moment or a length of time out of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from signalbox import settings
from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import shift
from signalbox.language.time.dates import stamp_zone
from signalbox.language.time.grammar import Candidate, read_candidates
from signalbox.language.time.reader import Reader, read_length
from signalbox.language.time.spans import Beside, Between, Outcome, Single, Span, locate
from signalbox.language.time.tokens import Tokens, tokenise

__all__ = ["Clock", "Found", "Range", "find_range", "parse_duration", "parse_instant", "parse_range"]

Clock = Callable[[], datetime] | datetime | None


class Range(NamedTuple):
    """A range of time, half-open: `start` belongs to it, `end` does not."""

    start: datetime
    end: datetime


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
    with _within_calendar():
        tokens = tokenise(text)
        reader = _reader(tokens, clock, tz)
        candidates = list(read_candidates(reader))
        chosen = _choose(candidates)
        if chosen is None:
            return None
        span, used = _gather(chosen, candidates)
        return _found(text, tokens, _finish(reader, span.resolve(reader)), used)


def parse_instant(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> datetime | None:
    """The one moment that a text speaks of, which may lie ahead; bare names mean the next one."""
    with _within_calendar():
        tokens = tokenise(text)
        reader = _reader(tokens, clock, tz, future=True)
        chosen = _choose(list(read_candidates(reader)))
        if chosen is None:
            return reader.now if any(t.value == "now" for t in tokens.items) else None
        return _moment(reader, chosen.span)


def parse_duration(text: str) -> timedelta | None:
    """The first length of time in a text: '90 seconds', '1h30m', 'two and a half hours'."""
    with _within_calendar():
        items = tokenise(text).items
        reader = Reader(items, datetime.now(UTC), UTC)
        lengths = (read_length(reader, index) for index in range(len(items)))
        meant = (length for length in lengths if length and (length.counted or len(items) == 1))
        found = next(meant, None)
        return None if found is None else found.duration.as_timedelta()


@contextmanager
def _within_calendar() -> Iterator[None]:
    try:
        yield
    except (OverflowError, ValueError, OSError) as error:
        raise TimeRangeError(
            "That reaches beyond the calendar.", suggestion="Say a time within living memory, such as last year."
        ) from error


def _reader(tokens: Tokens, clock: Clock, tz: tzinfo | str | None, *, future: bool = False) -> Reader:
    stamps = (t.value[1] for t in tokens.items if t.kind == "date" and t.value[0] in ("stamp", "basic"))
    zone = tokens.zone or next((zone for zone in map(stamp_zone, stamps) if zone), None)
    if zone is None:
        zone = settings.person_zone() if tz is None else ZoneInfo(tz) if isinstance(tz, str) else tz
    now = settings.now() if clock is None else clock if isinstance(clock, datetime) else clock()
    return Reader(tokens.items, now.astimezone(zone), zone, future)


def _choose(candidates: list[Candidate]) -> Candidate | None:
    """The surest expression; of equals the first."""
    return max(candidates, key=lambda c: (c.strength, -c.first), default=None)


def _gather(chosen: Candidate, candidates: list[Candidate]) -> tuple[Span, list[Candidate]]:
    """Puts a time without a day into the day said elsewhere: 'yesterday, show cpu between 2 and 4 pm'."""
    if not chosen.span.needs_day():
        return chosen.span, [chosen]
    for other in candidates:
        if other is chosen or not isinstance(other.span, Single) or other.strength <= 0:
            continue
        if chosen.span.fits_into(other.span.phrase) and not other.span.phrase.only_daily:
            return chosen.span.within(other.span.phrase.atoms), sorted((chosen, other), key=lambda c: c.first)
    return chosen.span, [chosen]


def _moment(r: Reader, span: Span) -> datetime:
    """A due moment: 'by Friday' and 'before Friday' are Friday, '2 weeks from Friday' is the far end."""
    if isinstance(span, Beside) and span.side in ("after", "starting"):
        return shift(locate(r, span.phrase).opening, span.length)
    return span.resolve(r).start if isinstance(span, Beside | Between) else locate(r, span.phrase).opening


def _finish(r: Reader, outcome: Outcome) -> Range:
    """No end after now unless the words say so; no empty range; none that is still to come."""
    # Moments of one zone compare by the wall clock, which repeats an hour in autumn: compare in UTC.
    start, end, now = (moment.astimezone(UTC) for moment in (outcome.start, outcome.end, r.now))
    if start > now or start == now < end:
        raise TimeRangeError(
            f"That lies in the future: it begins {outcome.start:%Y-%m-%d %H:%M}, and now is {r.now:%Y-%m-%d %H:%M}.",
            suggestion="Ask for a time up to now, such as today, last week or since 09:00.",
        )
    is_cut = end > now and not outcome.says_future
    if not is_cut and end == start:
        raise TimeRangeError(
            "That range is empty: it ends where it begins.", suggestion="Say two different times, or a length."
        )
    if end < start:
        raise TimeRangeError(
            f"That range ends before it begins: {outcome.start:%Y-%m-%d %H:%M} to {outcome.end:%Y-%m-%d %H:%M}.",
            suggestion="Put the earlier time first.",
        )
    return Range(outcome.start, r.now if is_cut else outcome.end)


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
