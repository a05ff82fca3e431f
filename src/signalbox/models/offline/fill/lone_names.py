"""Names that nothing announces and nothing else explains: which field may take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from signalbox.models.offline.fill.leftovers import find_leftover, stands_apart
from signalbox.models.offline.fill.phrases import looks_fixed
from signalbox.models.offline.fill.roles import roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.words import split_name, stem

__all__ = ["find_lone_names"]


def find_lone_names(state: State, free: Callable[[Field], bool]) -> Iterator[Proposal]:
    """Words with capitals that nothing explains are a name: the first field for one takes them."""
    yield from _called(state, [leaf for leaf in state.waiting() if leaf.kind == "string" and free(leaf)])
    strings = [leaf for leaf in state.leaves if leaf.kind == "string" and free(leaf) and not looks_fixed(leaf)]
    if any(leaf.path in state.filled for leaf in strings):
        yield from _place_alone(state, [leaf for leaf in strings if leaf.path not in state.filled])
        return
    for leaf in strings:
        if style_of(leaf) in ("name", "object") or leaf.name in ("title", "name", "subject"):
            found = [p for p in find_leftover(state.bounds(), leaf) if str(p.value)[0].isupper() and p.start]
            yield from (replace(p, score=0.5) for p in found[:1] if not _names_field(state, p))
            return


def _names_field(state: State, proposal: Proposal) -> bool:
    """Whether the words only name another field, or what it measures: the RAM of "16 GB of RAM"."""
    said = {stem(word) for word in split_name(str(proposal.value))}
    names = {s for leaf in state.leaves for s in (*leaf.name_stems, *leaf.aliases)}
    return said <= names


def _called(state: State, waiting: list[Field]) -> Iterator[Proposal]:
    """The name right behind an option that it belongs to: in "our dog Rex", for a field dog_name beside the dog."""
    tokens = state.reading.sentence.tokens
    for leaf in waiting:
        owners = set(leaf.name_words[:-1]) | set(leaf.within) if leaf.name_words[-1:] == ("name",) else set()
        for kind in [p for p in state.filled.values() if owners & set(p.field.name_words)]:
            at = state.reading.sentence.index_at(kind.end - 1) + 1
            free = at < len(tokens) and not state.taken.overlaps(tokens[at].start, tokens[at].end)
            if free and tokens[at].text.istitle():
                yield Proposal(leaf, tokens[at].text, tokens[at].start, tokens[at].end, 0.6)


def _place_alone(state: State, waiting: list[Field]) -> Iterator[Proposal]:
    """A name between commas that nothing explains, when one field for a place is left: "cook, evenings, Lyon"."""
    places = [leaf for leaf in waiting if "place" in [role.name for role, _ in roles_of(leaf)[:1]]]
    bounds = state.bounds()
    for leaf in places if len(places) == 1 else ():
        found = [p for p in find_leftover(bounds, leaf) if str(p.value)[0].isupper() and p.start]
        at = bounds.sentence.index_at
        apart = [p for p in found if stands_apart(bounds, at(p.start), at(p.end - 1) + 1)]
        yield from (replace(p, score=0.5) for p in apart if len(apart) == 1)
