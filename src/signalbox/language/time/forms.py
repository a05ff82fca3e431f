"""The forms of a range: since, until, around, from ... to, between ... and, a length beside a time."""

from __future__ import annotations

from dataclasses import replace

from signalbox.language.time.beside import read_beside
from signalbox.language.time.calendar import Grain, scale, shift
from signalbox.language.time.numbers import read_length, read_number
from signalbox.language.time.pairs import Between
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Reader
from signalbox.language.time.relative import window
from signalbox.language.time.spans import After, Around, Beside, Since, Single, Span, Until, fits_into, needs_day
from signalbox.language.time.values import Phrase, pin_moment

__all__ = ["PREPOSITIONS", "read_minus", "read_range", "take_day_after"]

Read = tuple[Span, int] | None

PREPOSITIONS = frozenset({"in", "on", "at", "during", "over", "for", "within", "by", "through", "only"})
_LINKS = {"to": "to", "until": "until", "through": "through"}


def read_range(r: Reader, i: int, *, held: bool = False) -> Read:
    """Any of the forms; None if what begins here is no range. `held`: a day was said just before."""
    return (
        _read_agos(r, i)
        or read_beside(r, i)
        or _read_since(r, i)
        or _read_until(r, i)
        or _read_around(r, i)
        or _read_between(r, i, held=held)
        or _read_pair(r, i, held=held)
    )


def _read_since(r: Reader, i: int) -> Read:
    """since X, starting X, after X, from X onwards; with an end or a length after it."""
    i = r.skip(i, ("only",))
    word = r.word(i)
    if word not in ("since", "starting", "after") and not (word == "beginning" and r.word(i + 1) != "of"):
        return None
    length = read_length(r, r.skip(i + 1, ("the",))) if word == "since" else None
    phrase = read_phrase(r, r.skip(i + 1, ("around",)), expected=True)
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
            after = _skip_inclusive(r, second[1])
            return Between(first, second[0], link[0] if after == second[1] else "through"), after
        length = read_length(r, link[1])
        if r.kind(i) == "slash" and length is not None:
            return Beside(length.duration, "starting", first), length.after
    lasting = r.word(i) in ("for", "plus") or r.kind(i) == "plus"
    length = read_length(r, r.skip(i + 1, ("the", "next"))) if lasting else None
    if length is not None and length.counted and not first.atoms[-1].is_now:
        return Beside(length.duration, "starting", first), length.after
    return None


def _skip_inclusive(r: Reader, i: int) -> int:
    """The index after "inclusive" or ", both included", where it stands."""
    after = r.skip(r.skip_comma(i), ("both",))
    return after + 1 if r.word(after) == "inclusive" else i


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
    phrase = read_phrase(r, r.skip(i + 1, ("around",)), expected=True)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    if r.word(i) == "until" and r.word(phrase[1]) in ("from", "since"):
        # "until noon from 8" tells the end first.
        first = read_phrase(r, phrase[1] + 1, expected=True)
        if first is not None and _match(first[0], phrase[0]):
            return Between(first[0], phrase[0], "until"), first[1]
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


def _read_between(r: Reader, i: int, *, held: bool) -> Read:
    """between A and B, from A to B, from A for 20 minutes, from A onwards."""
    lead = r.word(i)
    if lead not in ("between", "from"):
        return None
    start = r.skip_all(i + 1, ("around",))
    first = read_phrase(r, start, expected=True) or read_minus(r, start)
    if first is None:
        return None
    at = first[1]
    if lead == "between" and (r.word(at) == "and" or r.kind(at) == "dash"):
        second = read_phrase(r, r.skip_all(at + 1, ("around",)), expected=True) or read_minus(r, at + 1)
        if second is not None and _match(first[0], second[0]):
            return _checked(r, Between(first[0], second[0], "to"), i, second[1], held=held)
        return None
    ended = _read_end(r, first[0], at) or _read_minus_end(r, first[0], at)
    if ended is not None:
        return _checked(r, ended[0], i, ended[1], held=held)
    if lead == "between" or first[0].atoms[-1].bare is not None:
        return None
    after = _skip_onwards(r, at)
    if after > at or (first[0].grain is Grain.MOMENT):
        return Since(first[0]), after
    return Single(first[0]), at


def _read_minus_end(r: Reader, first: Phrase, i: int) -> Read:
    link = _read_link(r, i)
    second = None if link is None else read_minus(r, link[1])
    return None if link is None or second is None else (Between(first, second[0], link[0]), second[1])


def read_minus(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """-6h: six hours before now."""
    length = read_length(r, i + 1) if r.kind(i) == "dash" and r.kind(i + 1) == "quantity" else None
    if length is None:
        return None
    moment = shift(r.now, length.duration, -1)
    return Phrase((pin_moment(moment, lasts=True, joins=False),), r.zone), length.after


def _read_agos(r: Reader, i: int) -> Read:
    """from 90 to 30 minutes ago, 12h-6h ago: 'ago', and perhaps its unit, said once for both ends."""
    start = r.skip_all(r.skip(i, ("between", "from")), ("around",))
    length, number = read_length(r, start), read_number(r, start)
    after = length.after if length and length.counted else number[1] if number else None
    link = None if after is None else _read_link(r, after)
    if after is not None and link is None and r.word(after) == "and" and start > i:
        link = "to", after + 1
    second = None if link is None else read_phrase(r, link[1], expected=True)
    unit = second[0].atoms[0].ago if second else None
    if link is None or second is None or unit is None or second[0].says_future:
        return None
    if length and length.counted:
        back = length.duration
    elif number is None or link[0] == "until" or not 0 < number[0] < 10_000:
        return None  # "from 9 until 10 minutes ago" begins at nine
    else:
        back = scale(unit, number[0])
    moment = replace(pin_moment(shift(r.now, back, -1), lasts=True), ago=unit)
    return Between(Phrase((moment,), r.zone), second[0], "to"), second[1]


def _checked(r: Reader, span: Span, i: int, after: int, *, held: bool) -> Read:
    """Two bare numbers are times only where a day is said beside them, or nothing else is said."""
    if not held and isinstance(span, Between) and _is_bare(span.first) and _is_bare(span.second):
        alone = i == 0 and after == len(r.tokens)
        if not alone and take_day_after(r, span, after)[1] == after:
            return None
    return span, after


def _is_bare(phrase: Phrase) -> bool:
    return len(phrase.atoms) == 1 and phrase.atoms[0].bare is not None


def _match(first: Phrase, second: Phrase) -> bool:
    """Whether two phrases can be the ends of one range."""
    a, b = first.atoms[-1], second.atoms[-1]
    if a.bare is not None and not (b.clock or b.month_day or second.atoms[0].ago or b.is_now):
        return False
    return not (b.bare is not None and not (a.clock or a.month_day))


def _read_pair(r: Reader, i: int, *, held: bool) -> Read:
    """A to B, A - B, A and B, A for 20 minutes, without a word before."""
    start = r.skip_all(i, PREPOSITIONS)
    number = read_number(r, start)
    linked = number is not None and _read_link(r, number[1]) is not None
    linked = linked or _is_date_to_date(r, start)
    first = read_phrase(r, start, expected=linked or start > i) or read_minus(r, start)
    if first is None:
        return _read_length_to_date(r, start)
    ended = _read_end(r, first[0], first[1])
    if ended is not None and (not linked or _checked(r, ended[0], start, ended[1], held=held)):
        return ended
    return _read_union(r, first[0], first[1])


def _is_date_to_date(r: Reader, i: int) -> bool:
    """Whether figures that may be a date lead to others: 1/11 to 5/11."""
    link = _read_link(r, i + 1) if r.kind(i) == "date" else None
    return link is not None and r.kind(link[1]) == "date"


def _read_length_to_date(r: Reader, i: int) -> Read:
    """PT2H/2026-11-01T12:00: a length that ends with a date."""
    if r.kind(i) != "quantity" or r.kind(i + 1) != "slash":
        return None
    end = read_phrase(r, i + 2, expected=True)
    return None if end is None else (Beside(r.tokens[i].value[0], "before", end[0]), end[1])


def _read_union(r: Reader, first: Phrase, i: int) -> Read:
    """yesterday and today; Monday, Tuesday and Wednesday: neighbours make one range."""
    listed = r.kind(i) == "comma"
    if not (listed or r.word(i) == "and") or first.grain < Grain.PART or _is_compared(r, i):
        return None
    second = read_phrase(r, r.skip(i + 1, ("and",)))
    if second is None or second[0].grain != first.grain or not first.atoms[0].joins or not second[0].atoms[0].joins:
        return None
    further = _read_union(r, second[0], second[1]) if listed else None
    if isinstance(further, tuple) and isinstance(further[0], Between):
        return replace(further[0], first=first), further[1]
    return None if listed and r.word(i + 1) != "and" else (Between(first, second[0], "and also"), second[1])


def _is_compared(r: Reader, i: int) -> bool:
    """'compare yesterday and today' speaks of two ranges; the first is the one asked for."""
    return any(token.value in ("compare", "difference", "diff") for token in r.tokens[max(0, i - 8) : i])


def take_day_after(r: Reader, span: Span, after: int) -> tuple[Span, int]:
    """between 2 and 4 pm on Tuesday, where the day is not already part of the second time."""
    start = r.skip_all(r.skip_comma(after), PREPOSITIONS)
    outer = read_phrase(r, start) if needs_day(span) else None
    if outer is None or not fits_into(span, outer[0]):
        return span, after
    return span.within(outer[0].atoms), outer[1]
