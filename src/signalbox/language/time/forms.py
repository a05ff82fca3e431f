"""The forms of a range: since, until, around, from ... to, between ... and, a length beside a time."""

from __future__ import annotations

from dataclasses import replace

from signalbox.language.time.calendar import Grain, scale, shift
from signalbox.language.time.clocks import read_clock
from signalbox.language.time.days import AGO, window
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Length, Reader, read_length, read_number
from signalbox.language.time.spans import After, Around, Beside, Between, Since, Single, Span, Until
from signalbox.language.time.values import Phrase, pin_moment

Read = tuple[Span, int] | None

PREPOSITIONS = frozenset({"in", "on", "at", "during", "over", "for", "within", "by", "through", "only"})
_SIDES = {
    **dict.fromkeys(("before", "until", "to"), "before"),
    **dict.fromkeys(("after", "next", "past"), "after"),
    **dict.fromkeys(("from", "starting", "since", "beginning"), "starting"),
    **{side: side for side in ("ending", "around", "eitherside")},
}
_REFERENCES = frozenset(("that", "it", "then", "this"))


def read_range(r: Reader, i: int, *, held: bool = False) -> Read:
    """Any of the forms; None if what begins here is no range. `held`: a day was said just before."""
    return (
        _read_agos(r, i)
        or _read_beside(r, i)
        or _read_since(r, i)
        or _read_until(r, i)
        or _read_around(r, i)
        or _read_between(r, i, held=held)
        or _read_pair(r, i, held=held)
    )


def back_from_now(r: Reader, length: Length) -> Span:
    """The length of time that ends now."""
    return Single(Phrase((window(r, shift(r.now, length.duration, -1), r.now),), r.zone))


def _read_time(r: Reader, i: int) -> tuple[Phrase, int] | None:
    """One end of a range."""
    i = r.skip_all(i, ("around",))
    return read_phrase(r, i, expected=True) or read_minus(r, i)


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
    length = length if length and length.counted else None
    after = length.after if length else number[1] if number else len(r.tokens)
    link = ("to", after + 1) if r.word(after) == "and" and start > i else _read_link(r, after)
    second = None if link is None else read_phrase(r, link[1], expected=True)
    unit = second[0].atoms[0].ago if second else None
    if link is None or second is None or unit is None or second[0].says_future:
        return None
    if length is None and (number is None or link[0] == "until" or not 0 < number[0] < 10_000):
        return None  # "from 9 until 10 minutes ago" begins at nine
    back = length.duration if length else scale(unit, number[0] if number else 0)
    moment = replace(pin_moment(shift(r.now, back, -1), lasts=True), ago=unit)
    return Between(Phrase((moment,), r.zone), second[0], "to"), second[1]


def _read_beside(r: Reader, i: int) -> Read:
    """the 30 minutes before noon, an hour after 9, for 20 minutes from 14:00, within 10 minutes of 3 pm."""
    start = r.skip_all(i, ("for", "in", "over", "during", "within"))
    j = r.skip_all(start, ("the", "last", "first", "around", "all", "previous", "past"))
    is_clock = r.kind(j) == "quantity" and read_clock(r, j, expected=False) is not None  # 9h30 to 11h
    length = None if is_clock else read_length(r, j)
    if length is None or length.duration.is_empty():
        return None
    if not length.counted and (r.word(start) != "the" or length.grain is Grain.DAY):
        return None
    at = r.skip(r.skip(length.after, ("or", "roughly")), ("right", "only"))
    near = r.word(start - 1) == "within" and start > i and r.word(at) == "of"
    side, at = ("eitherside", at + 1) if near else _read_side(r, at)
    phrase = (read_phrase(r, at, expected=True) or _read_reference(r, at, i)) if side else None
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    return Beside(phrase[0], length.duration, side), phrase[1]


def _read_side(r: Reader, i: int) -> tuple[str, int]:
    """On which side of a time a length lies; '' for none."""
    word, following = r.word(i), r.word(i + 1)
    if {word, r.word(i + 2)} == {"before", "after"} and following in ("and", "or"):
        return "eitherside", i + 3
    # From now, the beginning of, ten minutes past six are something else.
    other = (word, following) in (("from", "now"), ("beginning", "of")) or (word == "past" and read_number(r, i + 1))
    return ("" if other else _SIDES.get(word, "")), i + 1


def _read_reference(r: Reader, i: int, before: int) -> tuple[Phrase, int] | None:
    """The time that a word such as "that" points back to: the last one said before the length."""
    if i >= len(r.tokens) or r.tokens[i].text.lower() not in _REFERENCES or not r.closes(i + 1):
        return None
    said, j = None, 0
    while j < before:
        phrase = read_phrase(r, j, expected=r.word(j - 1) == "at")
        if phrase is not None and phrase[0].grain is Grain.MOMENT and phrase[1] <= before:
            said = phrase[0]
        j = max(j + 1, phrase[1] if phrase else 0)
    return None if said is None else (said, i + 1)


def _read_since(r: Reader, i: int) -> Read:
    """since X, starting X, after X; with an end or a length after it."""
    i = r.skip(i, ("only",))
    word = r.word(i)
    if word not in ("since", "starting", "after") and not (word == "beginning" and r.word(i + 1) != "of"):
        return None
    phrase = read_phrase(r, r.skip(i + 1, ("around",)), expected=True)
    if phrase is None:
        length = read_length(r, r.skip(i + 1, ("the",))) if word == "since" else None
        return None if length is None or r.word(length.after) in AGO else (back_from_now(r, length), length.after)
    ended = _read_end(r, *phrase)
    if ended is not None or word == "after":
        return ended or (After(phrase[0]), phrase[1])
    return Since(phrase[0]), _skip_onwards(r, phrase[1])


def _skip_onwards(r: Reader, i: int) -> int:
    is_last = r.word(i) == "on" and r.closes(i + 1) and not r.word(i + 1)
    return i + 1 if r.word(i) == "onwards" or is_last else i


def _read_until(r: Reader, i: int) -> Read:
    i = r.skip(i, ("only",))
    is_by = r.word(i) == "by" and not r.future
    is_end = is_by or r.word(i) in ("until", "before")
    phrase = read_phrase(r, r.skip(i + 1, ("around",)), expected=True) if is_end else None
    if phrase is None or phrase[0].atoms[-1].is_now or (is_by and not phrase[0].clock):
        return None
    # "Until noon from 8" tells the end first.
    reverses = r.word(i) == "until" and r.word(phrase[1]) in ("from", "since")
    first = _read_time(r, phrase[1] + 1) if reverses else None
    if first is not None and _match(first[0], phrase[0]):
        return Between(first[0], phrase[0], "until"), first[1]
    return Until(phrase[0]), phrase[1]


def _read_around(r: Reader, i: int) -> Read:
    start = r.skip_all(i, ("at", "on"))
    phrase = read_phrase(r, start + 1, expected=True) if r.word(start) == "around" else None
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    if phrase[0].atoms[0].lasts or not phrase[0].atoms[0].joins:
        return Single(phrase[0]), phrase[1]
    return _read_end(r, *phrase) or (Around(phrase[0]), phrase[1])


def _read_between(r: Reader, i: int, *, held: bool) -> Read:
    """between A and B, from A to B, from A for 20 minutes, from A onwards."""
    lead = r.word(i)
    first = _read_time(r, i + 1) if lead in ("between", "from") else None
    if first is None:
        return None
    at = first[1]
    if lead == "between" and (r.word(at) == "and" or r.kind(at) == "dash"):
        second = _read_time(r, at + 1)
        matches = second is not None and _match(first[0], second[0])
        ended: Read = (Between(first[0], second[0], "to"), second[1]) if second and matches else None
    else:
        ended = _read_end(r, *first)
    if ended is not None:
        return _checked(r, ended[0], i, ended[1], held=held)
    if lead == "between" or first[0].atoms[-1].bare is not None:
        return None
    after = _skip_onwards(r, at)
    return (Since if after > at or first[0].grain is Grain.MOMENT else Single)(first[0]), after


def _read_pair(r: Reader, i: int, *, held: bool) -> Read:
    """A to B, A - B, A and B, A for 20 minutes, without a word before."""
    start = r.skip_all(i, PREPOSITIONS)
    number = (0, start + 1) if r.kind(start) == "date" else read_number(r, start)
    link = None if number is None else _read_link(r, number[1])
    linked = link is not None and (r.kind(start) != "date" or r.kind(link[1]) == "date")
    first = read_phrase(r, start, expected=linked or start > i) or read_minus(r, start)
    if first is None:
        return None
    ended = _read_end(r, *first)
    if ended is not None and (not linked or _checked(r, ended[0], start, ended[1], held=held)):
        return ended
    return _read_union(r, *first)


def _read_end(r: Reader, first: Phrase, i: int) -> Read:
    """... to X, ... for 20 minutes."""
    link = _read_link(r, i)
    if link is not None:
        second = _read_time(r, link[1])
        if second is not None and _match(first, second[0]):
            after = _skip_inclusive(r, second[1])
            return Between(first, second[0], link[0] if after == second[1] else "through"), after
    lasting = r.word(i) in ("for", "plus") or r.kind(i) in ("plus", "slash")
    length = read_length(r, r.skip(i + 1, ("the", "next"))) if lasting else None
    if length is None or not length.counted or first.atoms[-1].is_now:
        return None
    return Beside(first, length.duration, "starting"), length.after


def _skip_inclusive(r: Reader, i: int) -> int:
    """The index after "inclusive" or ", both included", where it stands."""
    after = r.skip(r.skip_comma(i), ("both", "either"))
    return after + 1 if r.word(after) == "inclusive" else i


def _read_link(r: Reader, i: int) -> tuple[str, int] | None:
    """The word between two ends, and the index after it."""
    i = r.skip_comma(i)
    if r.word(i) == "and" and r.word(i + 1) in ("to", "until", "through"):
        i += 1
    word = r.word(i)
    if word in ("to", "until", "through"):
        return word, r.skip(i + 1, ("until", "to"))
    if r.kind(i) in ("dash", "slash"):
        return ("dash" if r.tokens[i].text.startswith("-") else "to"), i + 1
    return ("through", i + 1) if word == "ending" else None


def _match(first: Phrase, second: Phrase) -> bool:
    """True if two phrases can be the ends of one range."""
    a, b = first.atoms[-1], second.atoms[-1]
    if a.bare is not None and not (b.clock or b.month_day or second.atoms[0].ago or b.is_now):
        return False
    return not (b.bare is not None and not (a.clock or a.month_day))


def _checked(r: Reader, span: Span, i: int, after: int, *, held: bool) -> Read:
    """Two bare numbers are times only if a day is said beside them, or nothing else is said."""
    bare = isinstance(span, Between) and all(len(p.atoms) == 1 and p.atoms[0].bare is not None for p in span.phrases)
    alone = i == 0 and after == len(r.tokens)
    if bare and not (held or alone) and take_day_after(r, span, after)[1] == after:
        return None
    return span, after


def _read_union(r: Reader, first: Phrase, i: int) -> Read:
    """yesterday and today; Monday, Tuesday and Wednesday: neighbours make one range."""
    listed = r.kind(i) == "comma"
    # "compare yesterday and today" speaks of two ranges; the first is the one asked for.
    compared = any(token.value in ("compare", "difference", "diff") for token in r.tokens[max(0, i - 8) : i])
    if not (listed or r.word(i) == "and") or first.grain < Grain.PART or compared:
        return None
    second = read_phrase(r, r.skip(i + 1, ("and",)))
    if second is None or second[0].grain != first.grain or not first.atoms[0].joins or not second[0].atoms[0].joins:
        return None
    further = _read_union(r, *second) if listed else None
    if further is not None:
        return replace(further[0], phrase=first), further[1]
    return None if listed and r.word(i + 1) != "and" else (Between(first, second[0], "and also"), second[1])


def take_day_after(r: Reader, span: Span, after: int) -> tuple[Span, int]:
    """between 2 and 4 pm on Tuesday, where the day is not already part of the second time."""
    start = r.skip_all(r.skip_comma(after), PREPOSITIONS)
    outer = read_phrase(r, start) if span.needs_day() else None
    if outer is None or not span.fits_into(outer[0]):
        return span, after
    return span.within(outer[0].atoms), outer[1]
