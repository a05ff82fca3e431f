"""What a piece of a sentence has to do with the words of the schema: the field's own, and those of the other fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import Token, stem
from signalbox.models.offline.fill.learned.pieces import Piece
from signalbox.models.offline.fill.schema import Field

__all__ = ["Naming"]


class Naming:
    """Which tokens of a sentence are words of each field's name or description, or of the schema's own (`schema`)."""

    def __init__(self, tokens: tuple[Token, ...], fields: list[Field], schema: frozenset[str]) -> None:
        self._size = len(tokens)
        stems = [token.stem for token in tokens]
        self._named = [[one in _name_of(field) for one in stems] for field in fields]
        self._told = [[one in _description_of(field) for one in stems] for field in fields]
        self._schema = [one in schema for one in stems]
        self._shapes = [frozenset(map(_build_of, map(str, field.examples))) for field in fields]

    def facts(self, at: int, piece: Piece, value: str) -> Iterator[str]:
        """The facts of a piece for the field at this place."""
        own, told = self._named[at], self._told[at]
        lead = piece.around[0]
        for words, title in ((own, "name"), (told, "description"), (self._schema, "schema")):
            if words[piece.first]:
                yield f"{title} first"
            if words[piece.last - 1]:
                yield f"{title} last"
            if lead >= 0 and words[lead]:
                yield f"{title} leads"
            elif lead > 0 and words[lead - 1]:
                yield f"{title} leads far"
            if piece.last < self._size and words[piece.last]:
                yield f"{title} follows"
        if any(words[piece.last - 1] for other, words in enumerate(self._named) if other != at):
            yield "name of another last"
        if any(words[piece.first] for other, words in enumerate(self._named) if other != at):
            yield "name of another first"
        if lead >= 0 and any(words[lead] for other, words in enumerate(self._named) if other != at):
            yield "name of another leads"
        if self._shapes[at]:
            yield f"like an example {_build_of(value) in self._shapes[at]}"


@lru_cache(maxsize=1_000)
def _name_of(field: Field) -> frozenset[str]:
    return frozenset((*field.name_stems, *field.nicknames))


@lru_cache(maxsize=1_000)
def _description_of(field: Field) -> frozenset[str]:
    return frozenset(stem(word) for word in field.described) - _name_of(field)


@lru_cache(maxsize=4_000)
def _build_of(text: str) -> str:
    """How a text is built, runs of one kind as one sign: Aa for a name, 9 for a number, A-9 for a code."""
    found: list[str] = []
    for c in text:
        sign = "9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c
        if found[-1:] != [sign]:
            found.append(sign)
    return "".join(found)
