"""One of a kind of people that a form counts: the child of "two adults and a child"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from signalbox.language.words import word_set
from signalbox.models.offline.fill.figures.counted import fits_kind
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_ones"]

_JOINS = word_set("and with plus , & + bring bringing")


def find_ones(reading: Reading, field: Field) -> Iterator[Proposal]:
    """One, where an article leads to somebody of the kind that the field counts, beside others."""
    if field.kind != "integer":
        return
    for article, noun in pairwise(reading.words):
        before = reading.before(article.start, 1)
        joined = bool(before) and before[0].lower in _JOINS
        if joined and article.lower in ("a", "an") and fits_kind(field, noun.stem) and not _is_aged(field):
            yield Proposal(field, 1, article.start, noun.end, 0.7)


def _is_aged(field: Field) -> bool:
    return "age" in field.name_words or "old" in field.words
