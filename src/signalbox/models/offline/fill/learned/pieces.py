"""The pieces of a sentence that may be a free text, and the plain facts of each: its look and what stands around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import CITIES, COUNTRIES
from signalbox.models.offline.fill.english.lexicon import FIRST_NAMES, HONORIFICS, KINSHIP, is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP, Token

__all__ = ["Piece", "cut_pieces"]

_LONGEST = 9
_MOST = 400
_JOINED = frozenset("/#@~")
_OWNERS = word_set("my our your his her their")
_CLASSES = {
    "preposition": word_set(
        """to from in at on for with by about of into onto via near around under over between during until since as per
        within without through against before after behind inside outside towards toward off up out down along across
        than like"""
    ),
    "joint": word_set("and or but so because if when while that which who whose where & + plus then nor"),
    "article": word_set("a an the some any every each another"),
    "pronoun": word_set(
        """i me my mine we us our you your he him his she her it its they them their this that these those there here
        what who which someone something anything one i'd i'm i've i'll we'd we're we've we'll you're it's he's she's
        that's there's they're can't won't don't doesn't isn't what's where's who's let's"""
    ),
    "auxiliary": word_set(
        """is are was were be been being am do does did have has had will would shall should can could may might must
        need needs want wants like let please pls plz thanks thank thx hi hello hey not no"""
    ),
}
_CLASS_OF = {word: kind for kind, words in reversed(_CLASSES.items()) for word in words}
_SMALL = frozenset(_CLASSES)
_FREE = frozenset({"name", "word", "verb", "number"})
_ENDS = frozenset({"sign.", "sign!", "sign?", "sign;"})


class Piece(NamedTuple):
    """Tokens `first` up to, not including, `last`, the facts of them, and the tokens that tell most of them.

    `around` are the word that leads to the piece, the nearest words of weight before and behind it, its own last word,
    the word behind it and its own first word; -1 where there is none.
    """

    first: int
    last: int
    start: int
    end: int
    facts: tuple[str, ...]
    around: tuple[int, ...]


class _Surroundings(NamedTuple):
    tokens: tuple[Token, ...]
    classes: list[str]
    shapes: list[str]
    weighty: list[int]
    quoted: list[tuple[int, int]]
    cased: bool


def cut_pieces(bounds: Bounds, taken: list[tuple[int, int]]) -> tuple[list[Piece], int]:
    """The pieces that neither taken text nor words of time overlap, and how many words are still free."""
    tokens = bounds.tokens
    told = [*taken, *((time.start, time.end) for time in bounds.reading.times)]
    classes = [_class_of(token, told) for token in tokens]
    weighty = [
        at
        for at, token in enumerate(tokens)
        if classes[at] not in _SMALL and token.text[0].isalnum() and token.lower not in STOP
    ]
    near = _Surroundings(
        tokens, classes, [_shape_of(token.text) for token in tokens], weighty, bounds.reading.quoted, bounds.cased
    )
    free = sum(kind in ("name", "word", "number") for kind in classes)
    return [_piece(near, first, last) for first, last in islice(_cuts(near), _MOST)], free


def _class_of(token: Token, taken: list[tuple[int, int]]) -> str:
    for start, end in taken:
        if start < token.end and token.start < end:
            return "taken"
    if known := _CLASS_OF.get(token.lower):
        return known
    initial = token.text[0]
    if not initial.isalnum():
        return f"sign{token.text}"
    if initial.isdigit():
        return "number"
    if token.lower in POS["verbs"] or is_verb_form(token.lower):
        return "verb"
    return "name" if initial.isupper() else "word"


def _shape_of(text: str) -> str:
    if text.isalpha():
        return "small" if text.islower() else "capitals" if len(text) > 1 and text.isupper() else "titled"
    if text.isdigit():
        return "digits"
    if any(c.isdigit() for c in text):
        return "code"
    if not text[0].isalnum():
        return ""
    return "hyphened" if text.replace("-", "").isalpha() else "joined"


def _cuts(near: _Surroundings) -> Iterator[tuple[int, int]]:
    """Where pieces begin and end: at words of weight, within one stretch of free words. A quotation stays whole."""
    tokens, classes = near.tokens, near.classes
    quotations = _quotations(near)
    inside = {at for first, last in quotations for at in range(first, last)}
    yield from (pair for pair in quotations if "taken" not in classes[pair[0] : pair[1]])
    for first, kind in enumerate(classes):
        if kind not in _FREE or first in inside:
            continue
        for last in range(first + 1, min(len(tokens), first + _LONGEST) + 1):
            ending = classes[last - 1]
            if ending == "taken" or ending in _ENDS or last - 1 in inside or _is_anothers(tokens, first, last - 1):
                break
            if ending in _FREE:
                yield first, last


def _is_anothers(tokens: tuple[Token, ...], first: int, at: int) -> bool:
    """Whether a word is what somebody with a whole name has, and so begins a piece of its own: "Ann Lee's Notes"."""
    if at < first + 2 or not tokens[at - 1].lower.endswith("'s"):
        return False
    return tokens[at - 1].text[0].isupper() and tokens[at - 2].text[0].isupper() and tokens[at].text[0].isupper()


def _quotations(near: _Surroundings) -> list[tuple[int, int]]:
    """The words of each quotation, from the first to the last."""
    found = []
    for start, end in near.quoted:
        words = [at for at, t in enumerate(near.tokens) if start <= t.start and t.end <= end and t.text[0].isalnum()]
        if words:
            found.append((words[0], words[-1] + 1))
    return found


def _piece(near: _Surroundings, first: int, last: int) -> Piece:
    tokens, classes, size = near.tokens, near.classes, len(near.tokens)
    lead = first - 1
    article = ""
    while lead >= 0 and (classes[lead] == "article" or tokens[lead].lower in _OWNERS):
        article = "own" if tokens[lead].lower in _OWNERS else "the"
        lead -= 1
    weighty = near.weighty
    earlier, later = bisect_left(weighty, first), bisect_left(weighty, last)
    before = weighty[earlier - 1] if earlier else -1
    behind = weighty[later] if later < len(weighty) else -1
    start, end = _start_of(tokens, first), _end_of(tokens, last)
    facts = [
        *_outer_facts(near, first, last, lead, article),
        *_inner_facts(near, first, last),
        *_quote_facts(near, start, end),
    ]
    return Piece(
        first, last, start, end, tuple(facts), (lead, before, last - 1, behind, last if last < size else -1, first)
    )


def _start_of(tokens: tuple[Token, ...], first: int) -> int:
    """Where a piece starts: a sign that is written with its first word belongs to it, as in /etc/hosts and #team."""
    before = tokens[first - 1] if first else None
    joined = before is not None and before.text in _JOINED and before.end == tokens[first].start
    return before.start if before and joined else tokens[first].start


def _end_of(tokens: tuple[Token, ...], last: int) -> int:
    """Where a piece ends: of "Ann's keys" the piece is Ann; what is at Ann's is at Ann's."""
    end = tokens[last - 1].end
    owner = tokens[last - 1].lower.endswith("'s") and last < len(tokens) and tokens[last].text[0].isalnum()
    return end - 2 if owner else end


def _outer_facts(near: _Surroundings, first: int, last: int, lead: int, article: str) -> Iterator[str]:
    tokens, classes = near.tokens, near.classes
    leading = tokens[lead].lower if lead >= 0 else "^"
    farther = tokens[lead - 1].lower if lead > 0 else "^"
    previous, following = classes[first - 1] if first else "^", classes[last] if last < len(tokens) else "$"
    size = last - first
    yield f"lead {leading}"
    yield f"led {classes[lead] if lead >= 0 else '^'} {article}"
    yield f"far {farther}"
    yield f"led by {farther} {leading}"
    yield f"after {previous}"
    yield f"after {tokens[first - 1].lower if first else '^'}"
    yield f"before {following}"
    yield f"before {tokens[last].lower if last < len(tokens) else '$'}"
    yield f"between {previous} {following}"
    yield f"size {min(size, 6)}"
    yield f"size {min(size, 3)} before {following}"
    longer = (previous in _FREE, following in _FREE)
    yield f"cut {longer} {near.shapes[first]} {near.shapes[last - 1]}"
    if longer[0]:
        yield "cut before"
    if longer[1]:
        yield "cut behind"
    if first > 1 and tokens[first - 1].text[0].isupper():
        yield "titled before"
    if last < len(tokens) and tokens[last].text[0].isupper():
        yield "titled behind"
    if first and tokens[first - 1].lower.rstrip(".") in HONORIFICS:
        yield "honoured"
    if first and tokens[first - 1].lower in KINSHIP:
        yield "relative"


def _inner_facts(near: _Surroundings, first: int, last: int) -> Iterator[str]:
    tokens, classes = near.tokens, near.classes
    shapes = "-".join(dict.fromkeys(shape for shape in near.shapes[first:last] if shape))
    opener, closer = tokens[first], tokens[last - 1]
    opens = first == 0 or classes[first - 1] in _ENDS
    yield f"shape {shapes} {near.cased}"
    yield f"known {is_known(opener.lower)} {is_known(closer.lower)} {shapes}"
    yield f"first {opener.lower}"
    yield f"last {closer.lower}"
    yield f"ends {closer.lower[-2:] if closer.text.isalpha() else '#'}"
    yield f"verb {classes[first] == 'verb'} {opens}"
    inner = classes[first + 1 : last - 1]
    for kind in ("preposition", "joint", "sign,", "pronoun", "auxiliary"):
        if kind in inner:
            yield f"holds {kind}"
    if "verb" in classes[first + 1 : last]:
        yield "holds verb"
    if classes[last - 1] == "verb":
        yield "ends in verb"
    if opens:
        yield "opens"
    words = " ".join(token.lower for token in tokens[first:last])
    for name, known in (("city", CITIES), ("country", COUNTRIES)):
        if words in known:
            yield name
    if opener.lower in FIRST_NAMES:
        yield "first name"
    if opener.lower.rstrip(".") in HONORIFICS:
        yield "with title"


def _quote_facts(near: _Surroundings, start: int, end: int) -> Iterator[str]:
    for opening, closing in near.quoted:
        if opening <= start and end <= closing:
            yield "quoted"
            if start - opening <= 1 and closing - end <= 1:
                yield "whole quotation"
