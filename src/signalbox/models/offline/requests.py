"""A message that asks for several things, in parts: one for each stretch of it that the reader marks as a request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from signalbox.language.clauses import cut_between
from signalbox.models.offline.encoder import Judged

__all__ = ["after", "parts_of", "requests_in"]

_MOST = 8
_DOUBT = 0.2
_SHARE = 0.2
"""How likely a stretch must be, measured by the likeliest, to be a request of its own."""


def requests_in(judged: Judged) -> list[tuple[int, int]]:
    """The stretches of a message that each ask for something, in its order; none where that is in doubt."""
    if not judged.spans or judged.nothing > _DOUBT:
        return []
    least = judged.spans[0].sure * _SHARE
    return sorted((span.start, span.end) for span in judged.spans[:_MOST] if span.sure > least)


def parts_of(text: str, stretches: Sequence[Sequence[int]]) -> list[tuple[str, str]]:
    """The parts of a text around these stretches, each with what stands before it."""
    cuts = [0, *(cut_between(text, one[1], other[0]) for one, other in pairwise(stretches)), len(text)]
    return [(text[start:end], text[:start]) for start, end in pairwise(cuts)]


def after(before: str, context: str) -> str:
    """What a part is read with: what the message says before it, and what was said before the message."""
    return " | ".join(one for one in (before.strip(), context) if one)
