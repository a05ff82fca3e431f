"""A length beside a time: the 30 minutes before noon, an hour after 9, the 3 hours ending at 15:00."""

from __future__ import annotations

from signalbox.language.time.calendar import Grain
from signalbox.language.time.clocks import read_clock
from signalbox.language.time.lexicon import NUMBERS
from signalbox.language.time.numbers import read_length
from signalbox.language.time.phrases import read_phrase
from signalbox.language.time.reader import Reader
from signalbox.language.time.spans import Beside, Span
from signalbox.language.time.values import Phrase

__all__ = ["read_beside"]

Read = tuple[Span, int] | None

_SIDES = {
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

_REFERENCES = frozenset(("that", "it", "then", "this"))


def read_beside(r: Reader, i: int) -> Read:
    """the 30 minutes before noon, an hour after 9, for 20 minutes from 14:00, within 10 minutes of 3 pm."""
    start = r.skip_all(i, ("for", "in", "over", "during", "within"))
    near = r.word(start - 1) == "within" and start > i
    the = r.word(start) == "the"
    j = r.skip_all(start, ("the", "last", "first", "around", "all", "previous", "past"))
    length = None if _is_clock(r, j) else read_length(r, j)
    if length is None or not (length.counted or the) or length.duration.is_empty():
        return None
    if not length.counted and length.grain is Grain.DAY:
        return None
    at = r.skip(r.skip(length.after, ("or", "roughly")), ("right", "only"))
    side = ("eitherside", at + 1) if near and r.word(at) == "of" else _read_side(r, at)
    if side is None:
        return None
    phrase = read_phrase(r, side[1], expected=True) or _read_reference(r, side[1], i)
    if phrase is None or phrase[0].atoms[-1].is_now:
        return None
    return Beside(length.duration, side[0], phrase[0]), phrase[1]


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


def _is_clock(r: Reader, i: int) -> bool:
    """Whether figures with an h are a time of day: '9h30 to 11h' is no length before eleven."""
    return r.kind(i) == "quantity" and read_clock(r, i, expected=False) is not None


def _read_side(r: Reader, i: int) -> tuple[str, int] | None:
    """On which side of a time a length lies."""
    word = r.word(i)
    if word == "from" and r.word(i + 1) == "now":
        return None
    if {word, r.word(i + 2)} == {"before", "after"} and r.word(i + 1) in ("and", "or"):
        return "eitherside", i + 3
    if word == "beginning" and r.word(i + 1) != "of":
        return "starting", i + 1
    if word == "past" and r.kind(i + 1) != "number" and r.word(i + 1) not in NUMBERS:
        return "after", i + 1
    return (_SIDES[word], i + 1) if word in _SIDES else None
