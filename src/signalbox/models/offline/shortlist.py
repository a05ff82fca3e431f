"""A shortlist of candidates: those whose words are nearest to a request, where there are too many to ask about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from signalbox.language.names import close
from signalbox.language.vectors import Rows, embed
from signalbox.language.words import stem

__all__ = ["is_named", "shortlist"]


def shortlist(text: str, candidates: Sequence[str], most: int) -> list[int]:
    """The places of the candidates that a request may mean, in their order; all of them where they are few."""
    if len(candidates) <= most:
        return list(range(len(candidates)))
    spoken = _stems(text)
    near = _rows(tuple(candidates)) @ embed([text[:600]])[0]
    scores = [float(near[place]) + _shared(spoken, _stems(one)) for place, one in enumerate(candidates)]
    best = np.argsort(scores)[::-1][:most]
    return sorted(int(place) for place in best)


def is_named(text: str, candidate: str) -> bool:
    """True if every word of a candidate was said."""
    own = _stems(candidate)
    return bool(own) and own <= _stems(text)


@lru_cache(maxsize=32)
def _rows(candidates: tuple[str, ...]) -> Rows:
    return embed(list(candidates))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", text.casefold()) if len(word) > 2)


def _shared(spoken: frozenset[str], own: frozenset[str]) -> float:
    """How many words of a candidate were said, or nearly; rarer in long descriptions, so they count by their share."""
    if not own:
        return 0.0
    said = sum(1.0 for word in own if word in spoken)
    said += sum(0.7 for word in own - spoken if len(word) > 4 and any(close(word, one) for one in spoken))
    return float(said / len(own) ** 0.5)
