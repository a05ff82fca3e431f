"""The grammar of whole expressions: since, until, from ... to, between ... and, a length beside a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from signalbox.models.time.calendar import Grain, shift
from signalbox.models.time.lexicon import MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS, words
from signalbox.models.time.numbers import Length, read_length, read_number
from signalbox.models.time.phrases import read_phrase
from signalbox.models.time.reader import Reader
from signalbox.models.time.relative import window
from signalbox.models.time.spans import After, Around, Beside, Between, Since, Single, Span, Until, fits_into, needs_day
from signalbox.models.time.tokens import Token
from signalbox.models.time.values import Atom, Phrase, pin_moment

__all__ = ["Candidate", "read_candidates"]

Read = tuple[Span, int] | None

STRONG, PLAIN, WEAK = 3, 2, 1
_LINKS = {"to": "to", "until": "until", "through": "through"}
_PREPOSITIONS = frozenset({"in", "on", "at", "during", "over", "for", "within", "by", "through", "only"})
_NEVER_FIRST = frozenset(
    words(
        "and or of not so to am pm oclock ago back earlier hence onwards inclusive sofar roughly time date my "
        "right far long way most very clock side either more any ever as up run then minus"
    )
)
_HEARTS = {
    *WEEKDAYS, *MONTHS, *UNITS, *PARTS, *NUMBERS, "today", "yesterday", "tomorrow", "tonight", "overnight", "now",
    "noon", "midnight", "weekend", "businessday", "weekday", "mtd", "wtd", "qtd", "ytd", "wee", "latertoday",
    "christmas", "xmas", "halloween", "eve", "new", "valentines",
}  # fmt: skip
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
    if r.word(i) == "every" or r.word(i - 1) == "every":
        return None
    held = _read_held(r, i)
    if held is not None:
        return Candidate(held[0], i, held[1], _weigh(r, i, STRONG))
    ranged = _read_range(r, i)
    if ranged is not None:
        span, after = _take_day_after(r, *ranged)
        return Candidate(span, i, after, _weigh(r, i, STRONG))
    single = _read_single(r, i)
    if single is not None:
        return Candidate(single[0], i, single[1], _weigh(r, i, PLAIN if not _is_window(single[0]) else STRONG))
    weak = _read_weak(r, i)
    return None if weak is None else Candidate(weak[0], i, weak[1], WEAK)


def _is_window(span: Span) -> bool:
    return isinstance(span, Single) and not span.phrase.atoms[0].joins and span.phrase.grain is Grain.PART


def _weigh(r: Reader, i: int, strength: int) -> int:
    before = {r.tokens[j].value for j in (i - 1, i - 2) if j >= 0 and isinstance(r.tokens[j].value, str)}
    return strength - 3 if before & _COMPARING else strength


def _read_held(r: Reader, i: int) -> Read:
    """yesterday between 2 and 4 pm; on 3 November from 9 to 11; last week from Tuesday to Thursday."""
    start = r.skip_all(i, _PREPOSITIONS)
    outer = read_phrase(r, start, expected=start > i)
    inner = None if outer is None else _read_range(r, r.skip_comma(outer[1]))
    if outer is None or inner is None:
        return None
    span, after = inner
    if fits_into(span, outer[0]):
        return span.within(outer[0].atoms), after
    if isinstance(span, Between) and outer[0].only_daily and span.first.grain is Grain.DAY:
        # "the night from Friday to Saturday" is Friday's.
        return Single(span.first.narrowed_by(outer[0].atoms)), after
    return None


def _take_day_after(r: Reader, span: Span, after: int) -> tuple[Span, int]:
    """between 2 and 4 pm on Tuesday, where the day is not already part of the second time."""
    start = r.skip_all(r.skip_comma(after), _PREPOSITIONS)
    outer = read_phrase(r, start) if needs_day(span) else None
    if outer is None or not fits_into(span, outer[0]):
        return span, after
    return span.within(outer[0].atoms), outer[1]


def _read_range(r: Reader, i: int) -> Read:
    return (
        _read_beside(r, i)
        or _read_since(r, i)
        or _read_until(r, i)
        or _read_around(r, i)
        or _read_between(r, i)
        or _read_pair(r, i)
    )


def _read_since(r: Reader, i: int) -> Read:
    """since X, starting X, after X, from X onwards; with an end or a length after it."""
    i = r.skip(i, ("only",))
    word = r.word(i)
    if word not in ("since", "starting", "after") and not (word == "beginning" and r.word(i + 1) != "of"):
        return None
    length = read_length(r, r.skip(i + 1, ("the",))) if word == "since" else None
    phrase = read_phrase(r, i + 1, expected=True)
    if phrase is None:
        if length is None or r.word(length.after) in ("ago", "back", "earlier"):
            return None
        return Single(Phrase((window(r, shift(r.now, length.duration, -1), r.now),), r.zone)), length.after
    ended = _read_end(r, phrase[0], phrase[1])
    if ended is not None:
        return ended
    if word == "after":
        return After(phrase[0]), phrase[1]
    return Since(phrase[0]), _skip_onwards(r, phrase[1])


def _read_end(r: Reader, first: Phrase, i: int) -> Read:
    """... to X, ... for 20 minutes."""
    link = _read_link(r, i)
    if link is not None:
        second = read_phrase(r, link[1], expected=True)
        if second is not None and _match(first, second[0]):
            after = r.skip(second[1], ("inclusive",))
            return Between(first, second[0], link[0] if after == second[1] else "through"), after
        length = read_length(r, link[1])
        if r.kind(i) == "slash" and length is not None:
            return Beside(length.duration, "starting", first), length.after
    length = (
        read_length(r, r.skip(i + 1, ("the", "next"))) if r.word(i) in ("for", "plus") or r.kind(i) == "plus" else None
    )
    if length is not None and length.counted and not first.atoms[-1].is_now:
        return Beside(length.duration, "starting", first), length.after
    return None


def _read_link(r: Reader, i: int) -> tuple[str, int] | None:
    """The word between two ends."""
    i = r.skip_comma(i)
    if r.word(i) == "and" and r.word(i + 1) in _LINKS:
        i += 1
    word = r.word(i)
    if word in _LINKS:
        after = r.skip(i + 1, ("until", "to")) if word != "through" else r.skip(i + 1, ("to",))
        return _LINKS[word], after
    if word == "ending":
        return "through", i + 1
    if r.kind(i) in ("dash", "slash"):
        return ("dash" if r.tokens[i].text.startswith("-") else "to"), i + 1
    return None


def _skip_onwards(r: Reader, i: int) -> int:
    if r.word(i) in ("onwards", "on") and (r.word(i) == "onwards" or (r.closes(i + 1) and not r.word(i + 1))):
        return i + 1
    return i


def _read_until(r: Reader, i: int) -> Read:
    i = r.skip(i, ("only",))
    if r.word(i) not in ("until", "before"):
        return None
    phrase = read_phrase(r, i + 1, expected=True)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    return Until(phrase[0]), phrase[1]


def _read_around(r: Reader, i: int) -> Read:
    start = r.skip_all(i, ("at", "on"))
    if r.word(start) != "around":
        return None
    phrase = read_phrase(r, start + 1, expected=True)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    if phrase[0].atoms[0].lasts or not phrase[0].atoms[0].joins:
        return Single(phrase[0]), phrase[1]
    ended = _read_end(r, phrase[0], phrase[1])
    return ended or (Around(phrase[0]), phrase[1])


def _read_between(r: Reader, i: int) -> Read:
    """between A and B, from A to B, from A for 20 minutes, from A onwards."""
    lead = r.word(i)
    if lead not in ("between", "from"):
        return None
    start = r.skip_all(i + 1, ("around",))
    first = read_phrase(r, start, expected=True) or _read_minus(r, start) or _read_bare_count(r, start)
    if first is None:
        return None
    at = first[1]
    if lead == "between" and (r.word(at) == "and" or r.kind(at) == "dash"):
        second = read_phrase(r, r.skip_all(at + 1, ("around",)), expected=True) or _read_minus(r, at + 1)
        if second is not None and _match(first[0], second[0]):
            return _checked(r, Between(first[0], second[0], "to"), i, second[1])
        return None
    ended = _read_end(r, first[0], at) or _read_minus_end(r, first[0], at)
    if ended is not None:
        return _checked(r, ended[0], i, ended[1])
    if lead == "between" or first[0].atoms[-1].bare is not None:
        return None
    after = _skip_onwards(r, at)
    if after > at or (first[0].grain is Grain.MOMENT):
        return Since(first[0]), after
    return Single(first[0]), at


def _read_minus_end(r: Reader, first: Phrase, i: int) -> Read:
    link = _read_link(r, i)
    second = None if link is None else _read_minus(r, link[1])
    return None if link is None or second is None else (Between(first, second[0], link[0]), second[1])


def _read_minus(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """-6h: six hours before now."""
    length = read_length(r, i + 1) if r.kind(i) == "dash" and r.kind(i + 1) == "quantity" else None
    if length is None:
        return None
    moment = shift(r.now, length.duration, -1)
    return Phrase((pin_moment(moment, lasts=True, joins=False),), r.zone), length.after


def _read_bare_count(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """90 in 'from 90 to 30 minutes ago': the other end says of what."""
    number = read_number(r, i)
    if number is None or not 0 < number[0] < 10_000:
        return None
    return Phrase((Atom(Grain.MOMENT, Grain.DAY, lambda _: None, bare=int(number[0])),), r.zone), number[1]


def _checked(r: Reader, span: Span, i: int, after: int) -> Read:
    """Two bare numbers are times only where a day is said beside them, or nothing else is said."""
    if isinstance(span, Between) and _is_bare(span.first) and _is_bare(span.second):
        alone = i == 0 and after == len(r.tokens)
        if not alone and _take_day_after(r, span, after)[1] == after and not _day_before(r, i):
            return None
    return span, after


def _is_bare(phrase: Phrase) -> bool:
    return len(phrase.atoms) == 1 and phrase.atoms[0].bare is not None


def _day_before(r: Reader, i: int) -> bool:
    j = i - 1 if r.kind(i - 1) != "comma" else i - 2
    return r.word(j) in ("yesterday", "today", "night", "morning", "afternoon", "evening") or r.is_time_word(j)


def _match(first: Phrase, second: Phrase) -> bool:
    """Whether two phrases can be the ends of one range."""
    a, b = first.atoms[-1], second.atoms[-1]
    if a.bare is not None and a.clock is None:
        return second.atoms[0].ago is not None
    if a.bare is not None and not (b.clock or b.month_day or second.atoms[0].ago or b.is_now):
        return False
    return not (b.bare is not None and not (a.clock or a.month_day))


def _read_pair(r: Reader, i: int) -> Read:
    """A to B, A - B, A and B, A for 20 minutes, without a word before."""
    start = r.skip_all(i, _PREPOSITIONS)
    number = read_number(r, start)
    linked = number is not None and _read_link(r, number[1]) is not None
    first = read_phrase(r, start, expected=linked or start > i) or _read_minus(r, start)
    if first is None and linked:
        first = _read_bare_count(r, start)
    if first is None:
        return _read_length_to_date(r, start)
    ended = _read_end(r, first[0], first[1])
    if ended is not None and (not linked or _closes_well(r, ended, start)):
        return ended
    return _read_union(r, first[0], first[1])


def _closes_well(r: Reader, ended: tuple[Span, int], i: int) -> bool:
    return _checked(r, ended[0], i, ended[1]) is not None


def _read_length_to_date(r: Reader, i: int) -> Read:
    """PT2H/2026-11-01T12:00: a length that ends with a date."""
    if r.kind(i) != "quantity" or r.kind(i + 1) != "slash":
        return None
    end = read_phrase(r, i + 2, expected=True)
    return None if end is None else (Beside(r.tokens[i].value[0], "before", end[0]), end[1])


def _read_union(r: Reader, first: Phrase, i: int) -> Read:
    """yesterday and today: two neighbours make one range."""
    if r.word(i) != "and" or first.grain < Grain.PART:
        return None
    second = read_phrase(r, i + 1)
    if second is None or second[0].grain != first.grain or not first.atoms[0].joins or not second[0].atoms[0].joins:
        return None
    return Between(first, second[0], "and also"), second[1]


def _read_beside(r: Reader, i: int) -> Read:
    """the 30 minutes before noon, an hour after 9, for 20 minutes from 14:00, within 10 minutes of 3 pm."""
    start = r.skip_all(i, ("for", "in", "over", "during", "within"))
    near = r.word(start - 1) == "within" and start > i
    the = r.word(start) == "the"
    j = r.skip_all(start, ("the", "last", "first", "around", "all", "previous", "past"))
    length = read_length(r, j)
    if length is None or not (length.counted or the) or length.duration.is_empty():
        return None
    if not length.counted and length.grain is Grain.DAY:
        return None
    at = r.skip(r.skip(length.after, ("or", "roughly")), ("right", "only"))
    side = _read_side(r, at, near=near)
    if side is None:
        return None
    phrase = read_phrase(r, side[1], expected=True)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    return Beside(length.duration, side[0], phrase[0]), phrase[1]


def _read_side(r: Reader, i: int, *, near: bool) -> tuple[str, int] | None:
    word = r.word(i)
    if near and word == "of":
        return "eitherside", i + 1
    sides = {
        "before": "before",
        "until": "before",
        "to": "before",
        "ending": "ending",
        "after": "after",
        "next": "after",
        "from": "starting",
        "starting": "starting",
        "since": "starting",
        "around": "around",
        "eitherside": "eitherside",
    }
    if word == "from" and r.word(i + 1) == "now":
        return None
    if {word, r.word(i + 2)} == {"before", "after"} and r.word(i + 1) in ("and", "or"):
        return "eitherside", i + 3
    if word == "beginning" and r.word(i + 1) != "of":
        return "starting", i + 1
    if word == "past" and r.kind(i + 1) != "number" and r.word(i + 1) not in NUMBERS:
        return "after", i + 1
    return (sides[word], i + 1) if word in sides else None


def _read_single(r: Reader, i: int) -> Read:
    start = r.skip_all(i, _PREPOSITIONS)
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
    """A length alone: after a preposition, as the whole text, or short at its end (cpu web-1 6h)."""
    start = r.skip_all(i, ("in", "over", "for", "within", "during", "the", "at", "all", "around"))
    minus = _read_minus(r, i)
    if minus is not None:
        return Single(minus[0]), minus[1]
    length = read_length(r, start)
    if length is None or not (length.counted or start > i) or not r.closes(length.after) or length.duration.is_empty():
        return None
    alone = start == 0 and length.after == len(r.tokens)
    last = r.kind(start) == "quantity" and length.after == len(r.tokens)
    if not (alone or last or (start > i and length.counted)):
        return None
    return _past_or_future(r, i, length)


def _past_or_future(r: Reader, i: int, length: Length) -> Read:
    ahead = r.word(i) == "in" and r.word(i + 1) != "the" and length.after == len(r.tokens)
    if ahead or (r.future and r.word(i) in ("in", "within")):
        moment = shift(r.now, length.duration)
        return Single(Phrase((pin_moment(moment, says_future=True),), r.zone)), length.after
    return Single(Phrase((window(r, shift(r.now, length.duration, -1), r.now),), r.zone)), length.after
