"""Maker and model said in one breath: "a Fender Telecaster" fills the field of the maker and that of the model."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import BRANDS, CITIES
from signalbox.models.offline.fill.english.lexicon import FIRST_NAMES
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.texts.chunks import Chunk, find_chunks
from signalbox.models.offline.fill.texts.sorts import is_common, sort_of

__all__ = ["find_makes"]

_MAKERS = word_set("make maker brand manufacturer")
_MODELS = word_set("model")
# What stands behind these is a place, a person or something that comes along.
_ELSEWHERE = word_set("in at near around from to by of via on and or with plus including")


def find_makes(bounds: Bounds, state: State) -> Iterator[Proposal]:
    """The first word of a product's name for its maker, the rest for its model."""
    maker, model = _asking(state.leaves, _MAKERS), _asking(state.waiting(), _MODELS)
    if maker is None or maker is model:
        return
    if maker.path not in state.filled:
        yield from _known_makers(bounds, maker)
    if model is None:
        return
    made = state.filled.get(maker.path)
    people = any(leaf.kind == "string" and leaf.must and sort_of(leaf) == "person" for leaf in state.waiting())
    for chunk in find_chunks(bounds):
        behind = _end_of_model(bounds, chunk)
        if made is not None:
            if made.end < chunk.start and not bounds.reading.text[made.end : chunk.start].strip():
                yield _take(bounds, model, chunk.first, behind, 0.78)
            continue
        if not _names_product(bounds, chunk) or (people and _names_person(bounds, chunk)):
            continue
        score = 0.78 if behind > chunk.first + 1 else 0.66
        yield _take(bounds, maker, chunk.first, chunk.first + 1, score)
        if behind > chunk.first + 1:
            yield _take(bounds, model, chunk.first + 1, behind, score)


def _known_makers(bounds: Bounds, maker: Field) -> Iterator[Proposal]:
    """Makers that everybody knows, however they are written."""
    for at, token in enumerate(bounds.tokens):
        if token.lower in BRANDS and not bounds.blocked(at) and not bounds.in_quotes(at):
            yield _take(bounds, maker, at, at + 1, 0.76)


def _asking(leaves: list[Field], names: frozenset[str]) -> Field | None:
    """The one field that is named for this, or whose description begins so."""
    found = [leaf for leaf in leaves if leaf.kind == "string" and names & {*leaf.name_words[-1:], *leaf.described[:1]}]
    return found[0] if len(found) == 1 else None


def _names_product(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a chunk may name a product: a name, or a strange word of one who writes no capitals."""
    word = bounds.tokens[chunk.first]
    if chunk.kind not in ("proper", "small", "plain") or word.lower in CITIES or bounds.distant(chunk.first):
        return False
    if chunk.first and bounds.tokens[chunk.first - 1].lower in _ELSEWHERE:
        return False
    return chunk.kind == "proper" or (not bounds.cased and not is_common(word.lower))


def _names_person(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a name is rather that of the person who must be known: a first name opens it, or "for" leads to it."""
    led = chunk.first > 0 and bounds.tokens[chunk.first - 1].lower == "for"
    return led or bounds.tokens[chunk.first].lower in FIRST_NAMES


def _end_of_model(bounds: Bounds, chunk: Chunk) -> int:
    """Where the name ends, with the number or code behind it."""
    last = chunk.last
    if last < len(bounds.tokens) and not bounds.blocked(last) and bounds.tokens[last].text[0].isdigit():
        return last + 1 if bounds.numbered(last) else last
    return last


def _take(bounds: Bounds, field: Field, first: int, last: int, score: float) -> Proposal:
    return Proposal(field, bounds.sentence.slice(first, last), *bounds.sentence.span(first, last), score)
