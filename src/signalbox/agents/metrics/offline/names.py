"""A second reading by the model: which names of the server the words of a question stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signalbox.language.synonyms import FILLERS, alike
from signalbox.language.words import read_words

__all__ = ["is_code", "named_by"]

_LEAST, _ALIKE = 4, 0.6


def named_by(
    given: Mapping[str, Sequence[str]], labels: Mapping[str, Sequence[str]], things: list[str], kinds: list[str]
) -> dict[str, list[str]] | None:
    """Return the names that words for things and kinds stand for; None if the model found none that is like them."""
    new = [value for value in given.get("things", ()) if _is_like(" ".join(things), value)]
    names = [f"{label}={value}" for value in new for label in labels if value in labels[label]][: len(new)]
    split = [label for label in given.get("split_by", ()) if label in labels]
    if (things and not names) or (kinds and not split):
        return None
    # All that is found stands for the first of the words; the others add nothing to it.
    meant: dict[str, list[str]] = {words: [] for words in (*things, *kinds)}
    return meant | dict(zip(things[:1], [names], strict=False)) | dict(zip(kinds[:1], [split], strict=False))


def is_code(words: str) -> bool:
    """True if words are a name as machines have it, which nothing else stands for: node-12, fridge-c."""
    is_capital = any(word.isupper() and len(word) > 1 for word in words.split())
    return is_capital or any(letter.isdigit() or letter in "-_/:." for letter in words)


def _is_like(words: str, value: str) -> bool:
    """True if a name has something of the words that are to stand for it: a model that must choose finds any name."""
    pieces = [piece for piece, *_ in read_words(value) if len(piece) >= _LEAST]
    said = [word for word, *_ in read_words(words) if len(word) >= _LEAST and word not in FILLERS]
    return any(alike(word, piece) >= _ALIKE or piece in word or word in piece for word in said for piece in pieces)
