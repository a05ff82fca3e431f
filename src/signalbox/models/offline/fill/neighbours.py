"""Several numbers of one unit: the noun beside each tells whose it is, as in "6 kg of flour, sugar 2 kg"."""

from __future__ import annotations

from dataclasses import replace

from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.units import dimension_of, unit_of_field
from signalbox.models.offline.fill.wordings import phrases_of
from signalbox.models.offline.fill.words import STOP, stem

__all__ = ["weigh_neighbours"]

_SIGNS = ",;:.!?()"
_NUMBERS = ("integer", "number")


def weigh_neighbours(reading: Reading, leaves: list[Field], proposal: Proposal) -> Proposal:
    """More for a number beside a noun of its own field, less beside one that only another field of its unit has."""
    field = proposal.field
    if field.kind not in _NUMBERS:
        return proposal
    others = [leaf for leaf in leaves if leaf is not field and leaf.kind in _NUMBERS and _unit(leaf) == _unit(field)]
    if not others:
        return proposal
    own = _nouns(field, leaves)
    foreign = frozenset[str]().union(*(_nouns(leaf, leaves) for leaf in others))
    beside = _behind(reading, proposal.end) or _ahead(reading, proposal.start)
    if beside & (own - foreign):
        return replace(proposal, score=proposal.score + 0.3)
    return replace(proposal, score=proposal.score - 0.4) if beside & (foreign - own) else proposal


def _unit(field: Field) -> str:
    return unit_of_field(field.about, field.maximum)[0]


def _nouns(field: Field, leaves: list[Field]) -> frozenset[str]:
    """Stems that name a field: of its name, of what its description adds in brackets, of its sibling's options."""
    own = frozenset(s for w, s in zip(field.name_words, field.name_stems, strict=True) if not dimension_of(w))
    siblings = [leaf for leaf in leaves if leaf.kind == "enum" and leaf.name_stems[:1] == field.name_stems[:1]]
    options = {phrase.stems[-1] for leaf in siblings for phrase in phrases_of(leaf) if len(phrase.stems) == 1}
    return own | field.aliases | options


def _behind(reading: Reading, end: int) -> frozenset[str]:
    """The stems of up to two words behind a number and its unit, in the same part of the sentence."""
    found: list[str] = []
    place = end
    for word in reading.after(end, 4):
        if any(sign in reading.text[place : word.start] for sign in _SIGNS) or word.lower in _SIGNS:
            break
        if word.lower in STOP and (found or word.lower not in ("of", "for", "the")):
            break
        found += [word.stem] if word.lower not in STOP else []
        place = word.end
    return frozenset(found[:2])


def _ahead(reading: Reading, start: int) -> frozenset[str]:
    found: list[str] = []
    place = start
    for word in reading.before(start, 3):
        if any(sign in reading.text[word.end : place] for sign in ",;.!?") or word.lower in (",", ";"):
            break
        found.append(stem(word.lower))
        place = word.start
    return frozenset(found)
