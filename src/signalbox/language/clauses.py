"""Where a text may be cut: into clauses that each ask for something, and a list of things into its members."""

from __future__ import annotations

import re

__all__ = ["clauses_of", "cut_between", "cut_points", "list_members"]

_CUT = re.compile(r"[.;!?]\s+|,?\s+(?:and|then|plus)\s+(?:then\s+|also\s+)?|,\s+(?:also\s+)?", re.IGNORECASE)
_MEMBERS = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*[+&;]\s*)", re.IGNORECASE)


def cut_points(text: str) -> list[tuple[int, int]]:
    """The places between two clauses, each as where the first ends and where the second begins."""
    found = [(match.start(), match.end()) for match in _CUT.finditer(text)]
    return [(end, start) for end, start in found if text[:end].strip() and text[start:].strip()]


def clauses_of(text: str) -> list[str]:
    """The clauses of a text, in their order."""
    edges = [0, *(place for cut in cut_points(text) for place in cut), len(text)]
    return [text[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]


def cut_between(text: str, end: int, start: int) -> int:
    """Where two stretches of a text part: where a clause ends between them, else where the second begins."""
    between = [cut for cut, _ in cut_points(text) if end <= cut < start]
    return between[-1] if between else start


def list_members(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The members of a list of things that stands between two places: `a, b and c` are three."""
    members: list[tuple[int, int]] = []
    at = start
    for match in _MEMBERS.finditer(text, start, end):
        members.append((at, match.start()))
        at = match.end()
    members.append((at, end))
    return [(a, b) for a, b in members if text[a:b].strip()]
