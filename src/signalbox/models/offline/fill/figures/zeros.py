"""Counts of nothing: "none of them damaged", "no rejects", "without losses"."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.figures.measures import LIMITING
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_zeros"]

_NONE = word_set("no none without nothing zero 0")
_BETWEEN = word_set("of them these those it any was were is are has have been got single the")
_FREE = word_set("free exempt exempted exemption")
_REACH = 4


def find_zeros(reading: Reading, field: Field) -> Iterator[Proposal]:
    """Zero for a field that counts what the sentence says there is none of."""
    if field.kind == "enum":
        yield from _free_of(reading, field)
    elif not _counts_things(field):
        return
    for at, word in enumerate(reading.words):
        if word.lower not in _NONE:
            continue
        following = reading.words[at + 1 : at + 1 + _REACH]
        while following and (following[0].lower in _BETWEEN or _tells_which(field, following)):
            following = following[1:]
        if following and following[0].stem in field.name_stems:
            yield Proposal(field, 0.0 if field.kind == "number" else 0, word.start, following[0].end, 0.9)


def _free_of(reading: Reading, field: Field) -> Iterator[Proposal]:
    """Zero where the sentence says that a rate does not apply: "VAT-free", "exempt from duty"."""
    for at, word in enumerate(reading.words):
        if word.stem not in field.name_stems:
            continue
        near = [*reading.words[max(0, at - 2) : at], *reading.words[at + 1 : at + 3]]
        if any(other.lower in _FREE for other in near):
            yield Proposal(field, 0, word.start, word.end, 0.9)


def _counts_things(field: Field) -> bool:
    """Whether a field counts things and may be zero: it holds no measure and no limit."""
    able = field.minimum is None or field.minimum <= 0
    return able and not unit_of_field(field.about, field.maximum)[0] and not LIMITING & set(field.name_words)


def _tells_which(field: Field, words: list[Word]) -> bool:
    """Whether a word only says which ones are counted, before their name: the previous of "no previous owners"."""
    names = set(field.name_stems)
    return len(words) > 1 and words[1].stem in names and words[0].stem in field.words - names
