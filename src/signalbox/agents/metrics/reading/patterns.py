"""Regular expressions for words, written as lists of words."""

from __future__ import annotations

import re

__all__ = ["any_of", "words_of"]


def any_of(*parts: str) -> re.Pattern[str]:
    """Any of the parts, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(parts)})", re.IGNORECASE | re.DOTALL)


def words_of(words: str) -> str:
    """One of the words, which are written with blanks between them."""
    return rf"(?:{'|'.join(words.split())})\b"
