"""The grammar of a sentence: which expressions of time stand in it, and how sure it is that each is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from signalbox.language.time.calendar import Grain, shift
from signalbox.language.time.forms import PREPOSITIONS, read_minus, read_range, take_day_after
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, SEASONS, UNITS, WEEKDAYS
from signalbox.language.time.numbers import Length, read_length
from signalbox.language.time.pairs import Between
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Reader
from signalbox.language.time.relative import window
from signalbox.language.time.spans import Single, Span, fits_into
from signalbox.language.time.tokens import Token
from signalbox.language.time.values import Phrase, pin_moment
from signalbox.language.words import word_list

__all__ = ["Candidate", "read_candidates"]

Read = tuple[Span, int] | None

# How sure it is that an expression is the one meant: a range, a single name, a length that may be something else.
STRONG, PLAIN, WEAK = 3, 2, 1
_NEVER_FIRST = frozenset(
    word_list(
        "and or of not so to am pm oclock ago back earlier hence onwards inclusive sofar roughly time date my "
        "right far long way most very clock side either more any ever as up run then minus"
    )
)
_HEARTS = {
    *WEEKDAYS, *MONTHS, *UNITS, *PARTS, *NUMBERS, "today", "yesterday", "tomorrow", "tonight", "overnight", "now",
    "noon", "midnight", "weekend", "businessday", "weekday", "mtd", "wtd", "qtd", "ytd", "wee", *SEASONS,
    "christmas", "xmas", "halloween", "eve", "new", "valentines",
}  # fmt: skip
# A length after these is a setting of the answer, not its range.
_NOT_RANGES = frozenset({"step", "interval", "resolution", "granularity", "bucket", "buckets", "timeout", "ttl"})
_THRESHOLDS = frozenset(word_list("above below under exceeding exceeds beyond least most minimum maximum versus"))
_COMPARING = frozenset({"compared", "comparing", "comparison", "relative", "unlike", "versus"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """An expression found in a sentence: its tokens [first, last) and how sure it is that it is meant."""

    span: Span
    first: int
    last: int
    strength: int


def read_candidates(r: Reader) -> Iterator[Candidate]:
    """Every expression in the sentence, from left to right, none inside another."""
    i = 0
    while i < len(r.tokens):
        found = read_expression(r, i) if _may_begin(r, i) else None
        if found is None or found.last <= i:
            i += 1
            continue
        yield found
        i = found.last


def _may_begin(r: Reader, i: int) -> bool:
    """A cheap look ahead, so that long texts without times are read quickly."""
    kind = r.kind(i)
    if kind == "word":
        return r.word(i) not in _NEVER_FIRST and any(_tells(token) for token in r.tokens[i : i + 8])
    if kind in ("number", "ordinal"):
        return i == 0 or r.kind(i + 1) in ("word", "dash", "slash")
    return kind not in ("other", "stop", "comma", "slash", "plus")


def _tells(token: Token) -> bool:
    """Whether a token can be the heart of an expression, and not only lead to one."""
    if token.kind == "word":
        return token.value in _HEARTS
    return token.kind in ("number", "ordinal", "clock", "date", "quantity", "quarter")


def read_expression(r: Reader, i: int) -> Candidate | None:
    """One expression, with the day that holds it said before or after."""
    if r.word(i) == "every" or r.word(i - 1) == "every" or _is_threshold(r, i):
        return None
    held = _read_held(r, i)
    if held is not None:
        return Candidate(held[0], i, held[1], _weigh(r, i, STRONG))
    ranged = read_range(r, i)
    if ranged is not None:
        span, after = take_day_after(r, *ranged)
        return Candidate(span, i, after, _weigh(r, i, STRONG))
    single = _read_single(r, i)
    if single is not None:
        return Candidate(single[0], i, single[1], _weigh(r, i, PLAIN if not _is_window(single[0]) else STRONG))
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


def _is_window(span: Span) -> bool:
    return isinstance(span, Single) and not span.phrase.atoms[0].joins and span.phrase.grain is Grain.PART


def _weigh(r: Reader, i: int, strength: int) -> int:
    before = {r.tokens[j].value for j in (i - 1, i - 2) if j >= 0 and isinstance(r.tokens[j].value, str)}
    return strength - 3 if before & _COMPARING else strength


def _read_held(r: Reader, i: int) -> Read:
    """yesterday between 2 and 4 pm; on 3 November from 9 to 11; last week from Tuesday to Thursday."""
    start = r.skip_all(i, PREPOSITIONS)
    if r.word(start) == "the" and r.word(start + 1) in PARTS:
        start += 1
    outer = read_phrase(r, start, expected=start > i)
    inner = None if outer is None else read_range(r, r.skip_comma(outer[1]), held=True)
    if outer is None or inner is None:
        return None
    span, after = inner
    if fits_into(span, outer[0]):
        return span.within(outer[0].atoms), after
    if isinstance(span, Between) and outer[0].only_daily and span.first.grain is Grain.DAY:
        # "the night from Friday to Saturday" is Friday's.
        return Single(span.first.narrowed_by(outer[0].atoms)), after
    return None


def _read_single(r: Reader, i: int) -> Read:
    start = r.skip_all(i, PREPOSITIONS)
    at = any(r.word(j) in ("at", "on", "in", "during", "for", "by", "over") for j in range(i, start))
    phrase = read_phrase(r, start, expected=at or len(r.tokens) == 1 or _opens_text(r, start))
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    if phrase[0].atoms[-1].bare is not None and len(phrase[0].atoms) == 1 and not _bare_is_time(r, i, start):
        return None
    return Single(phrase[0]), phrase[1]


def _opens_text(r: Reader, i: int) -> bool:
    return i == 0 and r.kind(0) == "number" and len(r.tokens[0].text) in (4, 8, 10, 13)


def _bare_is_time(r: Reader, i: int, start: int) -> bool:
    """A number alone is a time after 'at', or as 0615 at the beginning."""
    if any(r.word(j) == "at" for j in range(i, start)):
        return True
    return start == 0 and len(r.tokens[0].text) == 4


def _read_weak(r: Reader, i: int) -> Read:
    """A length alone: after a preposition, as the whole text, or short at its end (cpu web-1 6h).

    It says when something was, never when something is due.
    """
    start = r.skip_all(i, ("in", "over", "for", "within", "during", "the", "at", "all", "around"))
    if r.tokens[i - 1].value in _NOT_RANGES and i:
        return None
    minus = None if r.future else read_minus(r, i)
    if minus is not None:
        return Single(minus[0]), minus[1]
    length = read_length(r, start)
    if length is None or not (length.counted or start > i) or length.duration.is_empty() or _goes_on(r, length):
        return None
    alone = i == 0 and length.after == len(r.tokens)
    last = r.kind(start) == "quantity" and length.after == len(r.tokens)
    if not (alone or last or (start > i and length.counted)):
        return None
    return None if r.future else _past_or_future(r, i, length)


def _goes_on(r: Reader, length: Length) -> bool:
    """'the 3 minute rolling mean', 'a 24 hour clock': the length says of what kind something is."""
    return not r.closes(length.after) or r.word(length.after) in ("past", "clock", "time", "running", "early", "late")


def _past_or_future(r: Reader, i: int, length: Length) -> Read:
    ahead = r.word(i) == "in" and r.word(i + 1) != "the" and length.after == len(r.tokens)
    if ahead:
        moment = shift(r.now, length.duration)
        return Single(Phrase((pin_moment(moment, says_future=True),), r.zone)), length.after
    return Single(Phrase((window(r, shift(r.now, length.duration, -1), r.now),), r.zone)), length.after
