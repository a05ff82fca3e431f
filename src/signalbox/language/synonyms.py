"""Synonyms, and words that carry no meaning, from `data/synonyms.yaml`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from signalbox.language.names import close
from signalbox.language.vectors import is_known, word_rows
from signalbox.language.words import stem, word_set

__all__ = ["ASKED", "FILLERS", "LIGHT", "alike", "base", "kin_of"]

# The loader in C, where there is one, is ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TABLES: dict[str, Any] = yaml.load((Path(__file__).parent / "data" / "synonyms.yaml").read_text("utf-8"), _LOADER)
_SAME = {stem(word): stem(line.split()[0]) for line in _TABLES["same"] for word in line.split()}
_ROOT, _LEAST_NEAR = 4, 0.42


@lru_cache(maxsize=50_000)
def base(word: str) -> str:
    """Return the representative of a word: the first of its synonyms, without its ending."""
    cut = stem(word.lower())
    return _SAME.get(cut, cut)


FILLERS = word_set(_TABLES["fillers"])
"""Words that carry no meaning."""
LIGHT = frozenset(map(base, _TABLES["light"].split()))
"""Words (see `base`) that fit nearly everything."""
ASKED: dict[str, str] = {word: meant for meant, words in _TABLES["asked"].items() for word in words.split()}
"""What words such as "longest" refer to implicitly."""
_KIN = tuple(frozenset(map(base, line.split())) for line in _TABLES["kin"])


@lru_cache(maxsize=20_000)
def kin_of(term: str) -> frozenset[str]:
    """Return the terms (see `base`) similar in meaning to a term."""
    return frozenset().union(*(kin for kin in _KIN if term in kin)) - {term}


@lru_cache(maxsize=100_000)
def alike(word: str, other: str) -> float:
    """Return how certainly two words mean the same: 1 for the same word, less for its forms, typing errors and
    relatives."""
    if word.lower() == other.lower():
        return 1.0
    first, second = base(word), base(other)
    if first == second:
        return 0.97
    shorter, longer = sorted((first, second), key=len)
    is_form = len(shorter) >= _ROOT and len(longer) - len(shorter) <= 4 and longer.startswith(shorter)
    if is_form or (not is_known(word) and close(word, other)):
        return 0.85
    near = float(word_rows([word])[0] @ word_rows([other])[0]) if len(shorter) > 2 else 0.0
    if near > _LEAST_NEAR and len(shorter) >= _ROOT and shorter[:_ROOT] == longer[:_ROOT]:
        # Admissions and admitted: one root, and near in meaning.
        return 0.9
    kin = 0.65 if second in kin_of(first) else 0.0
    return max(kin, 0.7 * near if near > _LEAST_NEAR and is_known(word) and is_known(other) else 0.0)
