"""A size said side by side: the width and height of "60 by 80 cm", in the order in which the schema asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.units import dimension_of, factor_of
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_sizes"]

_SIDES = word_set("width length height depth breadth thickness wide long high deep")
_ONE = r"(\d+(?:[.,]\d+)?)\s*((?!(?:x|by)\b)[a-z]{1,11}\b|)"
_BY = r"\s*(?:x|×|by)\s*"
_SIZE = re.compile(rf"(?<![\w.,]){_ONE}{_BY}{_ONE}(?:{_BY}{_ONE})?", re.IGNORECASE)


def find_sizes(reading: Reading, leaves: list[Field]) -> Iterator[Proposal]:
    """The numbers of the first size, one for each field that measures a side."""
    sides = [leaf for leaf in leaves if leaf.kind in ("integer", "number") and _SIDES & set(leaf.name_words)]
    found = _SIZE.search(reading.text) if len(sides) > 1 else None
    if found is None:
        return
    groups = [group for group in (1, 3, 5) if found[group]]
    behind = (found[groups[-1] + 1] or "").lower()
    if behind and behind not in STOP and not _length(behind):
        # "3 x 10 pieces" is no size.
        return
    said = next((found[group + 1] for group in reversed(groups) if _length(found[group + 1] or "")), "")
    for leaf, group in zip(sides, groups, strict=False) if len(groups) <= len(sides) else ():
        value = _in_unit(leaf, float(found[group].replace(",", ".")), found[group + 1] or said)
        yield Proposal(leaf, int(value) if leaf.kind == "integer" else value, *found.span(group), 0.97)


def _length(word: str) -> float | None:
    """How many metres a unit is long; nothing when it is no unit of length."""
    return next((factor for dimension, _, factor in dimension_of(word) if dimension == "length"), None)


def _in_unit(leaf: Field, value: float, said: str) -> float:
    dimension, unit = unit_of_field(leaf.about, leaf.maximum)
    factor = _length(said)
    return round(value * factor / factor_of(dimension, unit), 6) if factor and dimension == "length" and unit else value
