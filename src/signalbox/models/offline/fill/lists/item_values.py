"""Values that an item of a list may have beside those that single fields find: bare numbers, letters, articles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from signalbox.language.units import dimension_of
from signalbox.models.offline.fill.figures.counted import counted_nouns
from signalbox.models.offline.fill.figures.measures import convert, counts, find_units, holds_units, is_year
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.lists.anchors import LEAST
from signalbox.models.offline.fill.lists.things import PIECES
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State

__all__ = ["ItemValues"]

# An article that opens a part of a list counts one: "2 cups and a plate".
_A = re.compile(r"(?:^|[,;:+&]\s*|\b(?:and|plus|get|want|need|order|have|buy)\s+)(an?)\s(?=[^\W\d_]{2})", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]|[A-Z]{0,2}\d{1,5}[A-Za-z]?")
_SURE = 0.8
_LIKELY = 0.5


@dataclass(frozen=True)
class ItemValues:
    """What the fields of one list's items may mean in a sentence."""

    state: State
    leaf: Field
    children: list[Field]
    thing: Field | None

    def telling(self, inner: Iterable[Proposal]) -> Iterable[Proposal]:
        """Without the number that only says how many items follow: "two rooms: ..."."""
        counts = {
            q.start
            for q in self.state.reading.quantities
            if any(noun.stem in self.leaf.name_stems for noun in counted_nouns(self.state.reading, q)[:1])
            and not any(
                noun.stem in child.name_stems
                for child in self.children
                for noun in counted_nouns(self.state.reading, q)[:1]
            )
        }
        alone = {q.start for q in self.state.reading.quantities if self._points(q)}
        return [p for p in inner if p.start not in counts | alone and not self._counts_pieces(p)]

    def _points(self, quantity: Quantity) -> bool:
        """Whether "one" stands for a thing rather than a number: "one for two people"."""
        said = self.state.reading.text[quantity.start : quantity.end].lower()
        return said == "one" and not counted_nouns(self.state.reading, quantity)

    def bare(self) -> Iterable[Proposal]:
        """Any number may be one that each item must have; where something tells more of it, that weighs more."""
        numbers = [child for child in self.children if child.kind in ("integer", "number")]
        for quantity in self.state.reading.quantities:
            for child in numbers:
                value = convert(child, quantity)
                if is_year(quantity):
                    score = _SURE if "year" in child.about else 0.0
                else:
                    score = self._least(child) if self._may_mean(child, quantity) else 0.0
                if value is not None and score:
                    yield Proposal(child, value, quantity.start, quantity.end, score)
        for child in numbers:
            if child.required and counts(child) and not unit_of_field(child.about, child.maximum)[0]:
                yield from (Proposal(child, 1, *found.span(1), LEAST) for found in _A.finditer(self.state.reading.text))

    def _least(self, child: Field) -> float:
        """What any number is worth for a field: something if items must have it, or are a thing and how many of it."""
        if child.required:
            return LEAST
        alone = sum(c.kind in ("integer", "number") for c in self.children) == 1
        counted = child.kind == "integer" and not unit_of_field(child.about, child.maximum)[0]
        return _LIKELY if alone and counted and self.thing is not None else 0.0

    def parted(self, proposals: Iterable[Proposal]) -> Iterable[Proposal]:
        """Numbers without the units that another field of the item takes."""
        units = [child for child in self.children if child.kind == "enum" and holds_units(child)]
        starts = [p.start for child in units for p in find_units(self.state.reading, child)]
        for proposal in proposals:
            inside = [start for start in starts if proposal.start < start < proposal.end]
            yield replace(proposal, end=inside[0]) if inside and proposal.field not in units else proposal

    def labelled(self) -> Iterable[Proposal]:
        """What the item is, when its field is named before a mere letter or number: "lift B", "lane 4"."""
        counted = any(child.kind in ("integer", "number") for child in self.children)
        for label, token in pairwise(self.state.reading.sentence.tokens):
            named = self.thing is not None and label.stem in self.thing.name_stems and _CODE.fullmatch(token.text)
            if named and self.thing is not None and not (counted and token.text.isdigit()):
                yield Proposal(self.thing, token.text, token.start, token.end, _SURE)

    def _may_mean(self, child: Field, quantity: Quantity) -> bool:
        """Whether no other field of the item asks for the unit that a number has."""
        others = [c for c in self.children if c is not child and c.kind in ("integer", "number")]
        asked = {unit_of_field(c.about, c.maximum)[0] for c in others}
        return not quantity.dimension or not any(d in asked for d, *_ in dimension_of(quantity.unit))

    def _counts_pieces(self, proposal: Proposal) -> bool:
        """Whether a number for a price or a measure rather says how many pieces: the 6 of "6 units at 40"."""
        if not unit_of_field(proposal.field.about, proposal.field.maximum)[0]:
            return False
        number = next((q for q in self.state.reading.quantities if q.start == proposal.start), None)
        if number is None or number.dimension not in ("", "count"):
            return False
        nouns = counted_nouns(self.state.reading, number)[:1]
        return number.dimension == "count" or any(noun.lower in PIECES for noun in nouns)
