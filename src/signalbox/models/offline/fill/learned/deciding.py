"""Which piece of the sentence each free text field takes in the end: learned weights beside what the rules chose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from typing import NamedTuple

import numpy as np

from signalbox.language.vectors import Rows
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.learned.meanings import read_meanings
from signalbox.models.offline.fill.learned.naming import Naming
from signalbox.models.offline.fill.learned.pieces import Piece, cut_pieces
from signalbox.models.offline.fill.learned.weights import FieldWeights, load_weights, weights_for
from signalbox.models.offline.fill.lists.lists import split_items
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken, best_together
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = [
    "RULED",
    "Option",
    "Undecided",
    "decide",
    "nothing_facts",
    "options_for",
    "plain",
    "value_of",
]

_CHOICES = 6
_LEAST = -12.0
_SURE, _LIKELY = 0.9, 0.75
# The places among the features that say that the rules chose this: some piece, or nothing.
RULED = [2, 3]
_SORTS = ("person", "place", "organisation", "title", "thing", "text", "list")


@dataclass
class Undecided:
    """Free text fields before anything is chosen for them, and what the rules propose meanwhile."""

    fields: list[Field]
    bounds: Bounds
    taken: list[tuple[int, int]]
    proposed: list[Proposal] = attribute(default_factory=list)


class Option(NamedTuple):
    """What a field may take, None for nothing, and what speaks for it, as numbers for the final weights."""

    proposal: Proposal | None
    features: tuple[float, ...]


def decide(undecided: Undecided, filled: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """What is filled once the free texts are decided anew; all other fields stay as they are."""
    open_fields = [field for field in undecided.fields if not _is_quoted(undecided, filled.get(field.path))]
    if not open_fields:
        return dict(filled)
    undecided = replace(undecided, fields=open_fields)
    paths = {field.path for field in open_fields}
    kept = {path: proposal for path, proposal in filled.items() if path not in paths}
    shut = _shut(kept.values())
    final = load_weights().final
    rows = []
    for options in _options_of(undecided, filled):
        worths = [sum(map(float.__mul__, option.features, final)) for option in options]
        nothing = worths[-1]
        row = [
            (option.proposal, worth - nothing)
            for option, worth in zip(options[:-1], worths, strict=False)
            if option.proposal is not None
            and worth > nothing
            and not any(shut.overlaps(*span) for span in option.proposal.spans)
        ]
        rows.append(sorted(row, key=lambda pair: -pair[1])[:_CHOICES])
    return kept | {p.field.path: p for p in best_together([row for row in rows if row])}


def _is_quoted(undecided: Undecided, ruled: Proposal | None) -> bool:
    """Whether the rules chose a quotation, which needs no second opinion."""
    quoted = undecided.bounds.reading.quoted
    return ruled is not None and any(start <= ruled.start and ruled.end <= end for start, end in quoted)


def _shut(kept: Iterable[Proposal]) -> Taken:
    """The text that other fields hold for themselves."""
    shut = Taken()
    for proposal in kept:
        if proposal.field.kind not in ("enum", "boolean") and not proposal.shared:
            for span in proposal.spans:
                shut.add(*span)
    return shut


def _options_of(undecided: Undecided, filled: Mapping[str, Proposal]) -> list[list[Option]]:
    """The options of each field, the last one of each being nothing."""
    pieces, scores = _piece_scores(undecided)
    return [
        options_for(undecided, field, pieces, row, filled.get(field.path))
        for field, row in zip(undecided.fields, scores, strict=True)
    ]


def _piece_scores(undecided: Undecided) -> tuple[list[Piece], list[list[float]]]:
    """The pieces of the sentence, and for each field what they score against taking nothing."""
    pieces, free = cut_pieces(undecided.bounds, undecided.taken)
    weights = [weights_for(field) for field in undecided.fields]
    meant = _meant(undecided.bounds, pieces, weights)
    naming = Naming(undecided.bounds.tokens, undecided.fields, undecided.bounds.frame)
    text = undecided.bounds.reading.text
    scores = []
    for at, (field, weight) in enumerate(zip(undecided.fields, weights, strict=True)):
        nothing = weight.of_facts(nothing_facts(field, undecided.fields, free))
        told = [
            weight.of_facts(piece.facts) + weight.of_facts(naming.facts(at, piece, text[piece.start : piece.end]))
            for piece in pieces
        ]
        scores.append([float(a + b - nothing) for a, b in zip(told, meant[at], strict=True)])
    return pieces, scores


def nothing_facts(field: Field, fields: list[Field], free: int) -> tuple[str, ...]:
    """What speaks for leaving a field empty: how many words are free, and how many fields wait for them."""
    alike = sum(sort_of(other) == sort_of(field) for other in fields)
    return (
        "nothing",
        f"nothing of {min(free, 8)}",
        f"nothing for {min(len(fields), 6)}",
        f"nothing like {min(alike, 3)}",
    )


def _meant(bounds: Bounds, pieces: list[Piece], weights: list[FieldWeights]) -> list[Rows]:
    """For each field how the meanings of each piece and of the words around it fit the field."""
    if not pieces:
        return [np.zeros(0, dtype=np.float32) for _ in weights]
    words, around, whole = read_meanings(bounds.tokens, pieces)
    places = np.arange(around.shape[1])
    return [
        (words @ weight.directions[:-1].T)[around, places].sum(axis=1) + whole @ weight.directions[-1]
        for weight in weights
    ]


def options_for(
    undecided: Undecided, field: Field, pieces: list[Piece], scores: list[float], ruled: Proposal | None
) -> list[Option]:
    text, proposed = undecided.bounds.reading.text, _proposed(undecided, field)
    said = plain(ruled.value) if ruled is not None else None
    options, met = [], False
    best = sorted(range(len(pieces)), key=lambda at: -scores[at])[:_CHOICES]
    for at, piece in enumerate(pieces):
        value = value_of(field, text[piece.start : piece.end])
        name = plain(value)
        chosen = name == said
        if at not in best and not chosen and name not in proposed:
            continue
        met |= chosen
        overlap = said is not None and not chosen and (name in said or said in name)
        proposal = ruled if chosen else Proposal(field, value, piece.start, piece.end, 0.5)
        size = min(piece.last - piece.first, 4)
        sure = max(proposed.get(name, 0.0), ruled.score if chosen and ruled else 0.0)
        options.append(Option(proposal, _features(field, scores[at], chosen, sure, overlap, size)))
    if ruled is not None and not met:
        options.append(Option(ruled, _features(field, None, True, ruled.score, False, 0)))
    options.append(Option(None, _features(field, 0.0, ruled is None, 0.0, False, 0, nothing=True)))
    return options


def _proposed(undecided: Undecided, field: Field) -> dict[str, float]:
    """What the rules proposed for a field, with the highest score of each."""
    found: dict[str, float] = {}
    for proposal in undecided.proposed:
        if proposal.field is field:
            name = plain(proposal.value)
            found[name] = max(found.get(name, 0.0), proposal.score)
    return found


def value_of(field: Field, words: str) -> str | list[str]:
    """What a field takes of some words: a list takes their items."""
    return split_items(words) if field.kind == "array" else words


def plain(value: object) -> str:
    """A value without what does not count when two are compared."""
    if isinstance(value, list):
        return "|".join(sorted(map(plain, value)))
    name = str(value).strip(" \t\r\n\"'`.,;:!?()").lower()
    first, _, rest = name.partition(" ")
    return rest if rest and first in ("the", "a", "an", "my", "our") else name


def _features(
    field: Field, score: float | None, chosen: bool, proposed: float, overlap: bool, size: int, *, nothing: bool = False
) -> tuple[float, ...]:
    learned = max(score, _LEAST) if score is not None else 0.0
    sort, taken = "list" if field.kind == "array" else sort_of(field), chosen and not nothing
    found: list[float] = [learned, max(learned, 0.0), taken, chosen and nothing, proposed, proposed > 0, overlap, size]
    found += [nothing, nothing and field.must, chosen and field.must, score is None]
    found += [taken and proposed >= _SURE, taken and proposed >= _LIKELY]
    for one in _SORTS:
        own = one == sort
        found += [own and taken, own and nothing, learned * own]
    return tuple(map(float, found))
