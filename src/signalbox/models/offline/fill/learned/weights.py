"""The weights that were learned, read once, and what they say of one field."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from signalbox.language.vectors import Rows, embed
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.roles import style_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["STORED", "FieldWeights", "Weights", "field_text", "keys_of", "load_weights", "weights_for"]

STORED = Path(__file__).parents[2] / "data" / "texts.npz"
_MOST_REMEMBERED = 20_000


class Weights(NamedTuple):
    """`facts` has for each fact a weight by the key of a field; `forms` weighs words by what a field speaks of;
    `final` weighs what both ways of choosing say."""

    facts: dict[str, dict[str, float]]
    forms: Rows
    final: tuple[float, ...]


@cache
def load_weights() -> Weights:
    with np.load(STORED) as stored:
        rows = stored["names"].tobytes().decode().split("\n")
        values = stored["values"].astype(np.float64)
        forms, final = stored["forms"].astype(np.float32), tuple(map(float, stored["final"]))
    facts: dict[str, dict[str, float]] = {}
    for row, value in zip(rows, values.tolist(), strict=True):
        fact, _, key = row.partition("\t")
        facts.setdefault(fact, {})[key] = value
    return Weights(facts, forms, final)


def keys_of(field: Field) -> tuple[str, ...]:
    """What a fact is weighed by: nothing, the sort of the field, whether it is needed, and the words of its name."""
    sort, needed = sort_of(field) + "[]" * (field.kind == "array"), "!" if field.must else "?"
    words = dict.fromkeys(field.name_stems)
    head = (f"-{field.name_stems[-1]}",) if field.name_stems else ()
    return ("", sort, sort + needed, needed, f"~{field.kind}", f"~{style_of(field)}", *words, *head)


def field_text(field: Field) -> str:
    return " ".join((*field.name_words, *field.described[:8]))


class FieldWeights:
    """What the weights say of one field: of facts, and of words by their meaning."""

    def __init__(self, keys: tuple[str, ...], text: str) -> None:
        self._facts, self._keys, self._known = load_weights().facts, keys, dict[str, float]()
        self.directions: Rows = np.einsum("d,cde->ce", embed([text])[0], load_weights().forms)

    def of_facts(self, facts: Iterable[str]) -> float:
        known, total = self._known, 0.0
        for fact in facts:
            weight = known.get(fact)
            total += self._look_up(fact) if weight is None else weight
        return total

    def _look_up(self, fact: str) -> float:
        row = self._facts.get(fact)
        weight = sum(row.get(key, 0.0) for key in self._keys) if row else 0.0
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        self._known[fact] = weight
        return weight


def weights_for(field: Field) -> FieldWeights:
    return _weights_for(keys_of(field), field_text(field))


@lru_cache(maxsize=1_000)
def _weights_for(keys: tuple[str, ...], text: str) -> FieldWeights:
    return FieldWeights(keys, text)
