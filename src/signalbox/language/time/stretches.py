"""Words of time: those that stretches of time are made of, and how far such a stretch reaches."""

from __future__ import annotations

import re

from signalbox.language.time.lexicon import HOLIDAYS, MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS
from signalbox.language.words import word_set

__all__ = ["is_time_word", "whole_stretch"]

_WORDS = frozenset(word for table in (HOLIDAYS, MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS) for word in table) | word_set(
    """today tomorrow yesterday tonight now noon midnight midday next last this coming end start beginning half quarter
    first second third eod eow eom weekend fortnight past am pm a.m p.m o'clock oclock ago since until till tmrw tomorow
    xmas nye mid"""
)
_LINKS = word_set("the in at on by of to a an from")


def is_time_word(word: str) -> bool:
    """True if a stretch of time may begin or end with the word."""
    bare = word.strip(".,;:!?()'\"").casefold().removesuffix("'s")
    has_digit = any(char.isdigit() for char in bare)
    return has_digit or bare in _WORDS or bare.removesuffix("s") in _WORDS or bare in _LINKS


def whole_stretch(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch with the words of time that stand right beside it, links between them included."""
    words = [(found.start(), found.end(), found[0]) for found in re.finditer(r"\S+", text)]
    first = next((place for place, (_, b, _) in enumerate(words) if b > start), 0)
    last = next((place for place in range(len(words) - 1, -1, -1) if words[place][0] < end), first)
    first, last = _reach(words, first, -1), _reach(words, last, 1)
    return min(start, words[first][0]), max(end, words[last][1])


def _reach(words: list[tuple[int, int, str]], place: int, step: int) -> int:
    reached, at = place, place + step
    while 0 <= at < len(words) and abs(at - reached) <= 2 and is_time_word(words[at][2]):
        edge = words[min(at, at - step)][2] if step > 0 else words[at][2]
        if edge.endswith((";", ".")) and not edge.casefold().endswith(("a.m.", "p.m.")):
            break
        if words[at][2].strip(".,;:!?()").casefold() not in _LINKS:
            reached = at
        at += step
    return reached
