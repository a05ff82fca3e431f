"""Splits a text into pieces of bounded length at the best positions."""

from __future__ import annotations

from signalbox.errors import RequestError

__all__ = ["split"]

_BREAKS = ("\n\n", "\n", ". ", " ")


def split(text: str, size: int, overlap: int) -> list[str]:
    """Pieces of at most `size` characters; each begins with the last `overlap` characters of the one before.

    A piece ends behind a paragraph, line, sentence or word where its second half has such an end.
    """
    if overlap >= size:
        raise RequestError(f"chunk_overlap ({overlap}) must be less than chunk_size ({size}).")
    pieces, start = [], 0
    while start + size < len(text):
        end = _end(text, start + max(overlap + 1, size // 2), start + size)
        pieces.append(text[start:end])
        start = end - overlap
    if text[start:]:
        pieces.append(text[start:])
    return pieces


def _end(text: str, least: int, most: int) -> int:
    for mark in _BREAKS:
        found = text.rfind(mark, least - len(mark), most)
        if found >= 0 and found + len(mark) >= least:
            return found + len(mark)
    return most
