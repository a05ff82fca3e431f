"""Regular expressions for words, written as lists of words."""

from __future__ import annotations

import re

__all__ = ["any_of", "words_of"]


# A word that a name goes on from, such as the "sort" of sort-01 or the "max" of max-api, says nothing of the question.
_NO_NAME = r"(?!-(?:\w*\d|(?:api|svc|service|server|worker|queue|job|app|db|gateway|proxy|cache|prod|node|host)s?\b))"


def any_of(*parts: str) -> re.Pattern[str]:
    """Any of the parts, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(parts)}){_NO_NAME}", re.IGNORECASE | re.DOTALL)


def words_of(words: str) -> str:
    """One of the words, which are written with blanks between them."""
    return rf"(?:{'|'.join(words.split())})\b"
