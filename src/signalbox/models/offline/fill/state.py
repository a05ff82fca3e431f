"""What one filling knows at a time: the sentence, the fields, what is taken and what is filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, NamedTuple

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.sentence import split_name, stem
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken

__all__ = ["Frame", "State", "build_values", "leaves_of"]

# Fields whose options say what to do.
_DEEDS = word_set("action operation command activity intent verb")


class Frame(NamedTuple):
    """Stems that speak of the schema itself, and so are no value; those of its title more so."""

    words: frozenset[str]
    title: frozenset[str]


@dataclass
class State:
    """One filling under way."""

    reading: Reading
    leaves: list[Field]
    frame: Frame
    taken: Taken = attribute(default_factory=Taken)
    filled: dict[str, Proposal] = attribute(default_factory=dict)
    widened: set[str] = attribute(default_factory=set)
    _known: tuple[int, int, int] | None = None
    _bounds: Bounds | None = None

    def waiting(self) -> list[Field]:
        return [leaf for leaf in self.leaves if leaf.path not in self.filled]

    def texts(self) -> list[Field]:
        """The fields that hold words."""
        return [leaf for leaf in self.leaves if leaf.kind in ("string", "any", "array")]

    def rivals(self, leaf: Field) -> frozenset[str]:
        """Stems that the schema or other fields speak of."""
        own = set(leaf.name_stems) - self.frame.title
        others = [other for other in self.leaves if other is not leaf]
        options = [stem(word) for other in others for option in other.options for word in split_name(str(option))]
        return (self.frame.words - own).union(options, *(other.words for other in others))

    def bounds(self) -> Bounds:
        """The sentence as it stands now: the same one until something more is taken or filled."""
        known = (len(self.taken.spans), len(self.taken.firm), len(self.filled))
        if self._known != known:
            self._known, self._bounds = known, self._bound()
        assert self._bounds is not None
        return self._bounds

    def _bound(self) -> Bounds:
        filled = self.filled.values()
        options = [span for p in filled if p.field.kind in ("enum", "boolean") for span in p.spans]
        deeds = [span for p in filled if set(p.field.name_words) & _DEEDS for span in p.spans]
        return Bounds(self.reading, self.taken, self.texts(), self.frame.words, options, deeds, self.leaves)


def leaves_of(fields: Iterable[Field]) -> Iterator[Field]:
    """The fields that hold values themselves, in order."""
    for field in fields:
        if field.children:
            yield from leaves_of(field.children)
        else:
            yield field


def build_values(fields: Iterable[Field], filled: Mapping[str, Proposal]) -> dict[str, Any]:
    """The values that were found, nested as the schema is."""
    values: dict[str, Any] = {}
    for field in fields:
        if field.children:
            if inner := build_values(field.children, filled):
                values[field.name] = inner
        elif field.path in filled:
            values[field.name] = filled[field.path].value
    return values
