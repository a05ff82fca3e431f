"""Numbers that are told as a rank or as so many out of the most: "3rd floor", "4/5"."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from signalbox.models.offline.fill.figures.measures import typed
from signalbox.models.offline.fill.figures.numbers import ORDINALS
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_ranks"]

_OUT_OF = re.compile(
    r"(?<![\d./])(\d{1,3}(?:\.\d)?)\s*(?:/|out of|of)\s*(5|10|100|6|7|20)(?![\d/%]|\.\d)", re.IGNORECASE
)
_DATED = re.compile(r"\b(?:on|by|until|till|from|since|before|after|due)\s+(?:the\s+)?\Z", re.IGNORECASE)
_RANKS = ("st", "nd", "rd", "th")
_RANK = re.compile(r"(?<![\w.])(\d{1,3})(?:st|nd|rd|th)[\s-]*\Z")


def find_ranks(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for a number that an ordinal says, or that is told of the most that the field can hold."""
    if field.kind != "enum":
        return [*_by_ordinal(reading, field), *_of_most(reading, field)]
    options = {float(one): one for one in field.options if isinstance(one, int) and not isinstance(one, bool)}
    if len(options) < len(field.options):
        return []
    found = _by_ordinal(reading, replace(field, kind="number", options=()))
    return [replace(p, field=field, value=options[p.value]) for p in found if p.value in options]


def _by_ordinal(reading: Reading, field: Field) -> list[Proposal]:
    """What an ordinal says of the field's own noun: the third row, 2nd row."""
    found = []
    for word, noun in pairwise(reading.words):
        if noun.stem in field.name_stems and (rank := _rank(reading, word, noun)) is not None:
            value = typed(field, rank)
            start = word.start - len(str(rank)) * (word.lower in _RANKS)
            found += [] if value is None else [Proposal(field, value, start, noun.end, 0.9)]
    return found


def _rank(reading: Reading, word: Word, noun: Word) -> int | None:
    digits = _RANK.search(reading.text, max(0, word.start - 4), noun.start)
    return ORDINALS.get(word.lower, int(digits[1]) if digits else None)


def _of_most(reading: Reading, field: Field) -> list[Proposal]:
    """What is told of the most that the field can hold: 4/5, "8 out of 10"."""
    if field.maximum is None or ("/" not in reading.text and " of " not in reading.text):
        return []
    found = [said for said in _OUT_OF.finditer(reading.text) if float(said[2]) == field.maximum]
    found = [said for said in found if not _DATED.search(reading.text, 0, said.start())]
    values = ((said, typed(field, float(said[1]))) for said in found)
    return [Proposal(field, value, *said.span(), 0.9) for said, value in values if value is not None]
