"""Numbers of a part that is spoken of by the part's own word: "3 retries", "retry twice" for retry.attempts."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.figures.counted import counted_nouns
from signalbox.models.offline.fill.figures.measures import convert
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_by_parent"]

_SCORE = 0.72
# How many words may stand between a part's word and its number: "retry it up to 3 times".
_REACH = 4


def find_by_parent(reading: Reading, field: Field, leaves: list[Field]) -> Iterator[Proposal]:
    """Proposals for a number of a part, when no other number of the part asks for the same unit."""
    if not field.within:
        return
    dimension = unit_of_field(field.about, field.maximum)[0]
    parent = field.path.rpartition(".")[0]
    kin = [leaf for leaf in leaves if leaf.kind in ("integer", "number") and leaf.path.rpartition(".")[0] == parent]
    if any(leaf is not field and unit_of_field(leaf.about, leaf.maximum)[0] == dimension for leaf in kin):
        return
    stems = {stem(word) for word in field.within if word not in STOP}
    for quantity in reading.quantities:
        fits = quantity.dimension == dimension or (not dimension and quantity.dimension == "count")
        value = convert(field, quantity) if fits else None
        if value is None:
            continue
        counted = counted_nouns(reading, quantity)[:2]
        own = [noun for noun in counted if noun.stem in stems]
        if own or ((quantity.dimension or not counted) and _leads(reading, quantity, stems)):
            end = max([quantity.end, *(noun.end for noun in own)])
            yield Proposal(field, value, quantity.start, end, _SCORE)


def _leads(reading: Reading, quantity: Quantity, stems: set[str]) -> bool:
    """Whether the part's word stands shortly before a number in the same clause."""
    for word in reading.before(quantity.start, _REACH):
        if word.stem in stems:
            return True
        if not word.lower[0].isalpha():
            return word.lower in ":=" and any(w.stem in stems for w in reading.before(word.start, 1))
    return False
