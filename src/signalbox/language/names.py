"""Similar names: which known name a mistyped one was meant to be. rapidfuzz is only imported when a suggestion is
needed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache, partial

from signalbox.language.words import fold

__all__ = ["close", "did_you_mean", "extends", "key_of", "nearest"]

_RUN = re.compile(r"[^\W\d_]+|\d+")


def key_of(name: str) -> str:
    """A key shared by all spellings of a name: PE 1, pe-1 and pe_01 have the same key, xrd-1-1 and xrd-11 do not."""
    runs = _RUN.findall(fold(name))
    return "".join(f"|{one.lstrip('0') or '0'}|" if one.isdigit() else one for one in runs)


def nearest(word: str, candidates: Iterable[str], how_many: int = 3) -> list[str]:
    """The candidates most similar to the word, best first."""
    from rapidfuzz import fuzz, process, utils

    names = list(candidates)
    extract = partial(process.extract, word, processor=utils.default_process, limit=how_many)
    found = extract(names, scorer=fuzz.ratio, score_cutoff=60)
    if not found and len(word) > 3:
        found = extract([name for name in names if len(name) > 3], scorer=fuzz.WRatio, score_cutoff=75)
    return [candidate for candidate, _score, _index in found]


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A sentence with the closest valid values, or with what is available."""
    names = list(dict.fromkeys(candidates))
    near = nearest(word, names)
    if near:
        return "Did you mean " + " or ".join(f"'{name}'" for name in near) + "?"
    if names:
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        return f"There is: {shown}."
    return ""


@lru_cache(maxsize=65536)
def close(word: str, other: str) -> bool:
    """True if `word` is `other` mistyped: with one error from four letters on, two from eight on.

    Words of fewer than six letters must begin with the same one.
    """
    length = min(len(word), len(other))
    if length < 4 or abs(len(word) - len(other)) > 2 or not (word.isalpha() and other.isalpha()):
        return False
    if word[0] != other[0] and length < 6:
        return False
    from rapidfuzz.distance import OSA

    allowed = 1 if length < 8 else 2
    return OSA.distance(word, other, score_cutoff=allowed) <= allowed


def extends(word: str, other: str) -> bool:
    """True if the longer of two words is the shorter one with an ending, or with a second word if that is long."""
    shorter, longer = sorted((word, other), key=len)
    most = len(longer) if len(shorter) > 6 else 3 if len(shorter) > 4 else 1
    return longer.startswith(shorter) and len(longer) - len(shorter) <= most
