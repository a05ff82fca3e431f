"""Words that a numeric field's description gives a number: "0 is off and 10 is full", "5 = best"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.options.denials import denied
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_worded"]

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_MEANS = r"\s*(?:is|=|means|stands for|:)\s*(?:the )?"
_WORD_FIRST = re.compile(rf"\b([a-z]{{3,}}){_MEANS}{_NUMBER}(?![\w%])", re.IGNORECASE)
_NUMBER_FIRST = re.compile(rf"(?<![\w.]){_NUMBER}{_MEANS}([a-z]{{3,}})\b", re.IGNORECASE)
# What bounds or presets a number names no value.
_BOUNDS = word_set(
    """default defaults maximum minimum max min limit range from between least most highest lowest usual normal
    typical example number value unit per percent allowed possible scale"""
)
_NO_THINGS = STOP | _BOUNDS


def find_worded(reading: Reading, field: Field) -> Iterator[Proposal]:
    """Proposals for the words of the sentence that the field's description gives a number."""
    for word, number in _worded(field.description):
        for at in reading.places.get(stem(word), ()):
            place = reading.words[at]
            if not denied(reading, place.start, place.end):
                value = int(number) if field.kind == "integer" or number == int(number) else number
                yield Proposal(field, value, place.start, place.end, 0.7)


@lru_cache(maxsize=2_000)
def _worded(description: str) -> tuple[tuple[str, float], ...]:
    pairs = [(found[1], found[2]) for found in _WORD_FIRST.finditer(description)]
    pairs += [(found[2], found[1]) for found in _NUMBER_FIRST.finditer(description)]
    return tuple((word.lower(), float(number)) for word, number in pairs if word.lower() not in _NO_THINGS)
