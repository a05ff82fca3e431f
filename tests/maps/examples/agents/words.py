"""The agents of the map-reduce example."""

from __future__ import annotations


def split_words(text: str) -> dict[str, str]:
    """The text in three parts."""
    left, middle, right = text.split("/")
    return {"left": left, "middle": middle, "right": right}


def count_words(part: str) -> int:
    """How many words a part has."""
    return len(part.split())


def sum_up(n1: int, n2: int, n3: int) -> int:
    """All of them."""
    return n1 + n2 + n3
