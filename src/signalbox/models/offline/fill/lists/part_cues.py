"""What tells apart the parts of a schema that are alike: an old and a new address, a sender and a recipient."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.roles import direction_of

__all__ = ["part_cues"]

# The words that lead to a part, and the stems that name it and no other.
Cues = tuple[frozenset[str], frozenset[str]]


def part_cues(leaves: Iterable[Field]) -> dict[str, Cues]:
    """By path, the words for each part that goes some way, or that another part of the same fields mirrors."""
    shapes: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for leaf in leaves:
        shapes.setdefault((leaf.path.rpartition(".")[0], leaf.within), []).append(leaf.name)
    return _cues(tuple((path, within, tuple(names)) for (path, within), names in shapes.items()))


@lru_cache(maxsize=256)
def _cues(parts: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]) -> dict[str, Cues]:
    found: dict[str, Cues] = {}
    for path, within, names in parts:
        mirrors = [other for other_path, other, others in parts if other_path != path and others == names]
        shared = {stem(word) for other in mirrors for word in other}
        named = frozenset(stem(word) for word in within) - shared if mirrors else frozenset()
        said = frozenset(direction_of(within))
        if said or named:
            found[path] = said, named
    return found
