"""How often something happens, told without a number: "every minute", "once an hour", "daily"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.units import dimension_of, factor_of
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_intervals"]

_ASKED = re.compile(
    r"\b(?:interval|every|how often|frequency|between (?:two|runs|calls|checks|polls)|cadence|period)\b"
)
_EVERY = re.compile(
    r"\b(?:every|once (?:an?|per|every|each)|each)\s+(?P<unit>second|minute|hour|day|week|month)\b|"
    r"\b(?P<adverb>hourly|daily|weekly|monthly)\b",
    re.IGNORECASE,
)
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}


def find_intervals(reading: Reading, field: Field) -> Iterator[Proposal]:
    """One unit of time for a field that holds how much time lies between two of something."""
    dimension, unit = unit_of_field(field.about, field.maximum)
    if dimension != "time" or not unit or not _ASKED.search(field.about):
        return
    for found in _EVERY.finditer(reading.text):
        said = (found["unit"] or _ADVERBS[found["adverb"].lower()]).lower()
        value = dimension_of(said)[0][2] / factor_of(dimension, unit)
        if value >= 1 or field.kind == "number":
            yield Proposal(field, int(value) if field.kind == "integer" else value, *found.span(), 0.85)
