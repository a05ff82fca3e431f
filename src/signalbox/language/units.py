"""Units of measure: how each is written, its symbol, and how many of its dimension's base unit it is.

`data/units.json` holds the table: dimension, unit, [how many of the base unit, symbol, words that name it].
"""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["BINARY_PREFIXES", "PREFIXES", "TIME_UNITS", "dimension_of", "factor_of", "symbol_of"]

PREFIXES: dict[str, float] = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY_PREFIXES: dict[str, float] = {f"{prefix.upper()}i": 1024.0**n for n, prefix in enumerate(PREFIXES, start=1)}

_UNITS: dict[str, dict[str, tuple[float, str, str]]] = json.loads(
    (Path(__file__).parent / "data" / "units.json").read_text(encoding="utf-8")
)
TIME_UNITS: dict[str, tuple[str, ...]] = {unit: tuple(words.split()) for unit, (_, _, words) in _UNITS["time"].items()}
"""For each unit of time the words that name it."""

_MEANINGS: dict[str, tuple[tuple[str, str, float], ...]] = {}
for _dimension, _units in _UNITS.items():
    for _unit, (_factor, _, _words) in _units.items():
        for _word in _words.split():
            _MEANINGS[_word] = (*_MEANINGS.get(_word, ()), (_dimension, _unit, _factor))


def dimension_of(word: str) -> tuple[tuple[str, str, float], ...]:
    """What a unit word may mean: (dimension, unit, factor to the base unit), most likely first."""
    return _MEANINGS.get(word.lower(), ())


def factor_of(dimension: str, unit: str) -> float:
    """How many of the dimension's base unit the unit is. Raises KeyError for a unit that the table does not have."""
    return _UNITS[dimension][unit][0]


def symbol_of(word: str) -> str:
    """The symbol of the unit that the word most likely names, or its name if it has no symbol; else the word itself."""
    return next((_UNITS[dimension][unit][1] for dimension, unit, _ in dimension_of(word)), word)
