"""Names that nothing announces and nothing else explains: which field may take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from signalbox.models.offline.fill.everyday import CITIES
from signalbox.models.offline.fill.leftovers import find_leftover, stands_apart
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.phrases import looks_fixed
from signalbox.models.offline.fill.roles import roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.words import DEGREES, STOP, split_name, stem, word_set
from signalbox.models.offline.vectors import is_known

__all__ = ["find_lone_names"]

_TOWNS = word_set("city town location place village")
# What people add between commas without naming anything.
_ALONE = word_set("asap anytime whenever tonight tomorrow today cheers regards ciao hello haha hmmm dunno wherever")
_ENDINGS = tuple("ly ing ed er ers ent ant able ible ile ful ous ic al ive ish less y ist ism tion ment ness".split())


def find_lone_names(state: State, free: Callable[[Field], bool]) -> Iterator[Proposal]:
    """Words with capitals that nothing explains are a name: the first field for one takes them."""
    yield from _small_place(state, free)
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
    """Whether the words only name another field, or what it measures: the width of "90 cm of width"."""
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


def _small_place(state: State, free: Callable[[Field], bool]) -> Iterator[Proposal]:
    """A word in small letters alone between commas, when a field for a town waits: "waiter, weekends, ghent"."""
    waiting = [leaf for leaf in state.waiting() if free(leaf)]
    towns = [leaf for leaf in waiting if leaf.kind == "string" and set(leaf.name_words) & _TOWNS]
    towns = [leaf for leaf in towns if not leaf.within] or towns
    listed = any(leaf.kind == "array" for leaf in waiting) or any(leaf.must for leaf in waiting if leaf not in towns)
    tokens, spoken = state.reading.sentence.tokens, state.frame.words.union(*(leaf.words for leaf in state.leaves))
    if len(towns) != 1:
        return
    for at in range(1, len(tokens)):
        token = tokens[at]
        closed = at + 1 == len(tokens) or tokens[at + 1].text in ",;."
        if tokens[at - 1].text not in ",;" or not closed or state.taken.overlaps(token.start, token.end):
            continue
        if token.lower in CITIES or (not listed and token.stem not in spoken and _may_be_town(token.text)):
            yield Proposal(towns[0], token.text, token.start, token.end, 0.5)


def _may_be_town(word: str) -> bool:
    """Whether a word may be the name of a town: it is no common word and does not end as adjectives and doers do."""
    common = is_known(word) or word in STOP | DEGREES | _ALONE or any(word in group for group in POS.values())
    return word.isalpha() and word.islower() and len(word) > 3 and not common and not word[3:].endswith(_ENDINGS)


def _place_alone(state: State, waiting: list[Field]) -> Iterator[Proposal]:
    """A name between commas that nothing explains, when one field for a place is left: "cook, evenings, Lyon"."""
    places = [leaf for leaf in waiting if "place" in [role.name for role, _ in roles_of(leaf)[:1]]]
    bounds = state.bounds()
    for leaf in places if len(places) == 1 else ():
        found = [p for p in find_leftover(bounds, leaf) if str(p.value)[0].isupper() and p.start]
        at = bounds.sentence.index_at
        apart = [p for p in found if stands_apart(bounds, at(p.start), at(p.end - 1) + 1)]
        yield from (replace(p, score=0.5) for p in apart if len(apart) == 1)
