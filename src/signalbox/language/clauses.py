"""Splitting a text into clauses, and a list of things into its members."""

from __future__ import annotations

import re

__all__ = ["clauses_of", "cut_between", "cut_points", "list_members"]

_CUT = re.compile(r"[.;!?]\s+|,?\s+(?:and|then|plus)\s+(?:then\s+|also\s+)?|,\s+(?:also\s+)?", re.IGNORECASE)
_MEMBERS = re.compile(r"\s*(?:,\s*(?:and\s+)?|\s+and\s+|\s*[+&;]\s*)", re.IGNORECASE)


def cut_points(text: str) -> list[tuple[int, int]]:
    """The gaps between clauses, each as the end of one and the start of the next."""
    found = [(match.start(), match.end()) for match in _CUT.finditer(text)]
    return [(end, start) for end, start in found if text[:end].strip() and text[start:].strip()]


def clauses_of(text: str) -> list[str]:
    """The clauses of a text, in order."""
    edges = [0, *(place for cut in cut_points(text) for place in cut), len(text)]
    return [text[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]


def cut_between(text: str, end: int, start: int) -> int:
    """The boundary between two stretches of a text: the end of a clause between them, or the start of the second."""
    between = [cut for cut, _ in cut_points(text) if end <= cut < start]
    return between[-1] if between else start


def list_members(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The members of a list between two positions: `a, b and c` are three."""
    members: list[tuple[int, int]] = []
    at = start
    for match in _MEMBERS.finditer(text, start, end):
        members.append((at, match.start()))
        at = match.end()
    members.append((at, end))
    return [(a, b) for a, b in members if text[a:b].strip()]
