"""The grammar of a sentence: which expressions of time stand in it, and how sure it is that each is meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from signalbox.language.time.calendar import Grain, shift
from signalbox.language.time.forms import PREPOSITIONS, back_from_now, read_minus, read_range, take_day_after
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, SEASONS, UNITS, WEEKDAYS
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Reader, read_length
from signalbox.language.time.spans import Single, Span
from signalbox.language.time.tokens import Token
from signalbox.language.time.values import Phrase, pin_moment
from signalbox.language.words import word_set

Read = tuple[Span, int] | None

# How sure it is that an expression is the one meant: a range, a single name, a length that may be something else.
STRONG, PLAIN, WEAK = 3, 2, 1
_NEVER_FIRST = word_set(
    "and or of not so to am pm oclock ago back earlier hence onwards inclusive sofar roughly time date my "
    "right far long way most very clock side either more any ever as up run then minus"
)
_HEARTS = {
    *WEEKDAYS, *MONTHS, *UNITS, *PARTS, *NUMBERS, "today", "yesterday", "tomorrow", "tonight", "overnight", "now",
    "noon", "midnight", "weekend", "mtd", "wtd", "qtd", "ytd", *SEASONS, "christmas", "xmas", "halloween", "eve", "new",
    "valentines",
}  # fmt: skip
# A length after these is a setting of the answer, not its range.
_NOT_RANGES = word_set("step interval resolution granularity bucket buckets timeout ttl")
# "The 3 minute rolling mean", "a 24 hour clock": the length says of what kind something is.
_NOT_AFTER_LENGTH = word_set("past clock time running early late")
_THRESHOLDS = word_set("above below under exceeding exceeds beyond least most minimum maximum versus")
_COMPARING = word_set("compared comparing comparison relative unlike versus")


class Candidate(NamedTuple):
    """An expression found in a sentence: its tokens [first, last) and how sure it is that it is meant."""

    span: Span
    first: int
    last: int
    strength: int


def read_candidates(r: Reader) -> Iterator[Candidate]:
    """Every expression in the sentence, from left to right, none inside another."""
    i = 0
    while i < len(r.tokens):
        found = _read_expression(r, i) if _may_begin(r, i) else None
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
    return (inner[0].within(outer[0].atoms), inner[1]) if inner[0].fits_into(outer[0]) else None


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
