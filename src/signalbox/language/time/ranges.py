"""The public face: a range, a moment or a length of time out of a text.

Every expression of time in the text is read, with how sure it is that it is meant; the surest one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

from signalbox import settings
from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, shift
from signalbox.language.time.dates import read_stamp
from signalbox.language.time.forms import PREPOSITIONS, back_from_now, read_minus, read_range, take_day_after
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Reader, read_length
from signalbox.language.time.spans import Beside, Between, Outcome, Single, Span, locate
from signalbox.language.time.tokens import Tokens, tokenise
from signalbox.language.time.values import Phrase, pin_moment
from signalbox.language.words import word_set

__all__ = ["Clock", "Found", "Range", "find_range", "names_time", "parse_duration", "parse_instant", "parse_range"]

Clock = Callable[[], datetime] | datetime | None
Read = tuple[Span, int] | None

# How sure it is that an expression is the one meant: a range, a single name, a length that may be something else.
STRONG, PLAIN, WEAK = 3, 2, 1
_NEVER_FIRST = word_set(
    "and or of not so to am pm oclock ago back earlier onwards inclusive sofar roughly time date my "
    "right far long way most very clock side either more any ever as up run then minus"
)
# Words and kinds of token that can be the heart of an expression, and not only lead to one.
_FIGURES = frozenset({"number", "ordinal", "clock", "date", "quantity", "quarter"})
_HEARTS = {
    *WEEKDAYS, *MONTHS, *UNITS, *PARTS, *NUMBERS, "today", "yesterday", "tomorrow", "tonight", "overnight", "now",
    "noon", "midnight", "weekend", "mtd", "wtd", "qtd", "ytd", "christmas", "xmas", "halloween", "eve", "new",
    "valentines",
}  # fmt: skip
# A length after these is a setting of the answer, not its range.
_NOT_RANGES = word_set("step interval resolution granularity bucket buckets timeout ttl")
# "The 3 minute rolling mean", "a 24 hour clock": the length says of what kind something is.
_NOT_AFTER_LENGTH = word_set("past clock time running early late")
_THRESHOLDS = word_set("above below under exceeding exceeds beyond least most minimum maximum versus")
_COMPARING = word_set("compared comparing comparison relative unlike versus")


class Range(NamedTuple):
    """A range of time, half-open: `start` belongs to it, `end` does not."""

    start: datetime
    end: datetime


class Found(NamedTuple):
    """A range and the words that said it: `text` is what stands between the two indices; `spans` has all pieces.
    `has_day` is False for times of day alone, whose day is the latest that fits."""

    range: Range
    start_index: int
    end_index: int
    text: str
    spans: tuple[tuple[int, int], ...]
    has_day: bool = True


class Candidate(NamedTuple):
    """An expression found in a sentence: its tokens [first, last) and how sure it is that it is meant."""

    span: Span
    first: int
    last: int
    strength: int


def parse_range(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> Range | None:
    """The range of time that a text speaks of; None if it speaks of none. TimeRangeError if it is impossible."""
    found = find_range(text, clock, tz)
    return None if found is None else found.range


def names_time(text: str) -> bool:
    """True if a text names a time, one that lies ahead or cannot be as well."""
    try:
        return find_range(text) is not None
    except TimeRangeError:
        return True


def find_range(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> Found | None:
    """The range, and where in the text it was said. TimeRangeError if it is impossible."""
    with _within_calendar():
        tokens = tokenise(text)
        reader = _reader(tokens, clock, tz)
        candidates = list(_read_candidates(reader))
        chosen = _choose(candidates)
        if chosen is None:
            return None
        span, used = _gather(chosen, candidates)
        found = _found(text, tokens, _finish(reader, span.resolve(reader)), used)
        return found._replace(has_day=not span.needs_day())


def parse_instant(text: str, clock: Clock = None, tz: tzinfo | str | None = None) -> datetime | None:
    """The one moment that a text speaks of, which may lie ahead; bare names mean the next one."""
    with _within_calendar():
        tokens = tokenise(text)
        reader = _reader(tokens, clock, tz, future=True)
        chosen = _choose(list(_read_candidates(reader)))
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
    zone = tokens.zone or next((zone for zone in (read_stamp(stamp).tzinfo for stamp in stamps) if zone), None)
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


def _read_candidates(r: Reader) -> Iterator[Candidate]:
    """Every expression in the sentence, from left to right, none inside another."""
    i = 0
    while i < len(r.tokens):
        found = _read_expression(r, i) if _may_begin(r, i) else None
        if found is not None:
            yield found
        i = max(i + 1, found.last if found else 0)


def _may_begin(r: Reader, i: int) -> bool:
    """A cheap look ahead, so that long texts without times are read quickly."""
    kind = r.kind(i)
    if kind == "word":
        hearts = (t.value in _HEARTS if t.kind == "word" else t.kind in _FIGURES for t in r.tokens[i : i + 8])
        return r.word(i) not in _NEVER_FIRST and any(hearts)
    if kind in ("number", "ordinal"):
        return i == 0 or r.kind(i + 1) in ("word", "dash", "slash")
    return kind not in ("other", "stop", "comma", "slash", "plus")


def _read_expression(r: Reader, i: int) -> Candidate | None:
    """One expression, with the day that holds it said before or after."""
    if "every" in (r.word(i), r.word(i - 1)) or _is_threshold(r, i):
        return None
    compared = not _COMPARING.isdisjoint(str(token.value) for token in r.tokens[max(0, i - 2) : i])
    ranged = _read_held(r, i) or read_range(r, i)
    if ranged is not None:
        span, after = take_day_after(r, *ranged)
        return Candidate(span, i, after, STRONG - 3 * compared)
    single = _read_single(r, i)
    if single is not None:
        phrase = single[0].phrase
        is_window = not phrase.atoms[0].joins and phrase.grain is Grain.PART
        return Candidate(single[0], i, single[1], (STRONG if is_window else PLAIN) - 3 * compared)
    weak = _read_weak(r, i)
    return None if weak is None else Candidate(weak[0], i, weak[1], WEAK)


def _is_threshold(r: Reader, i: int) -> bool:
    """'above 3 minutes', 'requests over 5 seconds': how long something takes, not when it was."""
    at = r.skip(i, ("over",))
    length = read_length(r, at) if at > 0 else None
    if length is None or not length.counted:
        return False
    before = r.tokens[at - 1].value
    return before in _THRESHOLDS or (before == "over" and at > 1 and length.grain is Grain.SECOND)


def _read_held(r: Reader, i: int) -> Read:
    """yesterday between 2 and 4 pm; on 3 November from 9 to 11; last week from Tuesday to Thursday."""
    start = r.skip_all(i, PREPOSITIONS)
    if r.word(start) == "the" and r.word(start + 1) in PARTS:
        start += 1
    outer = read_phrase(r, start, expected=start > i)
    inner = None if outer is None else read_range(r, r.skip_comma(outer[1]), held=True)
    if outer is None or inner is None:
        return None
    if inner[0].fits_into(outer[0]):
        return inner[0].within(outer[0].atoms), inner[1]
    # "the night from Friday to Saturday" is Friday's.
    is_night = isinstance(inner[0], Between) and outer[0].only_daily and inner[0].phrase.grain is Grain.DAY
    return (Single(inner[0].phrase.narrowed_by(outer[0].atoms)), inner[1]) if is_night else None


def _read_single(r: Reader, i: int) -> Read:
    start = r.skip_all(i, PREPOSITIONS)
    leads = {r.word(j) for j in range(i, start)}
    opens = i == start == 0 and len(r.number(0)) in (4, 8, 10, 13)
    expected = bool(leads - {"within", "through", "only"}) or len(r.tokens) == 1 or opens
    phrase = read_phrase(r, start, expected=expected)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    is_bare = phrase[0].atoms[-1].bare is not None and len(phrase[0].atoms) == 1
    if is_bare and "at" not in leads and not (start == 0 and len(r.tokens[0].text) == 4):
        return None  # a number alone is a time after "at", or as 0615 at the beginning
    return Single(phrase[0]), phrase[1]


def _read_weak(r: Reader, i: int) -> Read:
    """A length alone: after a preposition, as the whole text, or short at its end (cpu web-1 6h).

    It says when something was, never when something is due.
    """
    if r.future or (i and r.tokens[i - 1].value in _NOT_RANGES):
        return None
    minus = read_minus(r, i)
    if minus is not None:
        return Single(minus[0]), minus[1]
    start = r.skip_all(i, ("in", "over", "for", "within", "during", "the", "at", "all", "around"))
    length = read_length(r, start)
    if length is None or not (length.counted or start > i) or length.duration.is_empty():
        return None
    if not r.closes(length.after) or r.word(length.after) in _NOT_AFTER_LENGTH:
        return None
    ends = length.after == len(r.tokens)
    if not ((ends and (i == 0 or r.kind(start) == "quantity")) or (start > i and length.counted)):
        return None
    if ends and r.word(i) == "in" and r.word(i + 1) != "the":
        ahead = pin_moment(shift(r.now, length.duration), says_future=True)
        return Single(Phrase((ahead,), r.zone)), length.after
    return back_from_now(r, length), length.after
