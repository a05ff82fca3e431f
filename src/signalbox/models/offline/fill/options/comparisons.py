"""Fields that say on which side of a number something lies: above or below, more or less, at least or at most."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import split_name
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["compares", "find_comparisons"]

_HIGHER = word_set("above over more greater gt gte ge higher exceeds exceed larger longer > >=")
_LOWER = word_set("below under less lt lte le lower fewer smaller shorter < <=")
_EQUAL = word_set("equal equals eq ne same exactly not = == !=")


@lru_cache(maxsize=5_000)
def compares(field: Field) -> bool:
    """Whether the options of a field are sides of a number."""
    higher, lower = _side(field, _HIGHER), _side(field, _LOWER)
    return bool(higher and lower) and len(higher) + len(lower) + len(_side(field, _EQUAL)) >= len(field.options)


def find_comparisons(reading: Reading, field: Field) -> Iterator[Proposal]:
    """Proposals from the words that bound a number, whatever they are: "longer than 20", "> 90"."""
    if not compares(field):
        return
    for quantity in reading.quantities:
        options = _side(field, _HIGHER if quantity.bound == "min" else _LOWER) if quantity.bound else []
        if len(options) == 1:
            yield Proposal(field, options[0], *quantity.reach, 0.9, shared=True)


def _side(field: Field, words: frozenset[str]) -> list[object]:
    return [one for one in field.options if str(one) in words or words & set(split_name(str(one)))]
