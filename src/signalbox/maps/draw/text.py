"""How wide a text will be, near enough, without a font at hand; and how to make it shorter."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

__all__ = ["one_line", "shortened", "text_width"]

_NARROW = frozenset("iIjlt.,:;'|!()[]{}`fr/\\ -\"")
_BROAD = frozenset("mwMW@%—…")


def text_width(text: str, size: float) -> float:
    """The width of a line in a common sans-serif of that size; rather too much than too little."""
    return sum(_em(char) for char in text) * size


def shortened(text: str, size: float, width: float) -> str:
    """The text on one line, cut with an ellipsis where it is wider than that."""
    text = one_line(text)
    if text_width(text, size) <= width:
        return text
    room = width - text_width("…", size)
    kept = ""
    for char in text:
        room -= _em(char) * size
        if room < 0:
            break
        kept += char
    return kept.rstrip() + "…"


def one_line(text: str) -> str:
    """The text without line breaks, tabs and characters that cannot be shown."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable() or char == "\u200d")


def _em(char: str) -> float:
    if combining(char) or char == "\u200d":
        return 0.0
    if east_asian_width(char) in "WF":
        return 1.05
    if char in _NARROW:
        return 0.37
    if char in _BROAD:
        return 0.92
    return 0.63 if char.islower() or char.isdigit() or char == "_" else 0.76
