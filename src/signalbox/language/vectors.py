"""Word vectors included in the package: the meaning of a word as a row of numbers.

The table contains frequent words and pieces of words. Other words are assembled from pieces, in the order of the
table's tokenizer; text without letters gets a row from its characters. The same text always gives the same row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signalbox.language.words import word_set

__all__ = ["Rows", "embed", "is_known", "word_rows"]

Rows = NDArray[np.float32]

_TABLE = Path(__file__).parent / "data" / "vectors.npz"
_START = "▁"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_LONGEST_WORD = 40
_LONGEST_TEXT = 20_000
# Words that carry no meaning of their own weigh little in a sentence.
_LIGHT = word_set(
    "a an and are as at be by can could do does for from has have i in is it its me my of on or our please so some "
    "than that the their them then there these they this those to up us was we what when where which who will with "
    "would you your"
)


class _Table(NamedTuple):
    rank: dict[str, int]
    rows: Rows


@cache
def _table() -> _Table:
    with np.load(_TABLE) as stored:
        tokens = stored["tokens"].tobytes().decode().split("\n")
        rows = stored["rows"].astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1).mean()
    return _Table({token: place for place, token in enumerate(tokens)}, rows)


def embed(texts: Sequence[str]) -> Rows:
    """One unit vector per text; that of a text without words is all zeros."""
    return _stacked([_text_row(text[:_LONGEST_TEXT]) for text in texts])


def word_rows(words: Sequence[str]) -> Rows:
    """One unit vector per word."""
    return _stacked([_unit_row(word[:_LONGEST_WORD].lower()) for word in words])


def _stacked(rows: list[Rows]) -> Rows:
    return np.array(rows, dtype=np.float32).reshape(-1, _table().rows.shape[1])


def is_known(word: str) -> bool:
    """True if the table contains the whole word, so that it is not a typing error."""
    return _START + word.lower() in _table().rank


def _text_row(text: str) -> Rows:
    words = [word.lower() for word in _WORDS.findall(text)]
    heavy = [word for word in words if word not in _LIGHT] or words
    if not heavy:
        return np.zeros(_table().rows.shape[1], dtype=np.float32)
    return _unit(np.add.reduce([_word_row(word[:_LONGEST_WORD]) for word in heavy]))


@lru_cache(maxsize=20_000)
def _word_row(word: str) -> Rows:
    table = _table()
    places = [table.rank[piece] for piece in _pieces(word) if piece in table.rank]
    if not places:
        return _row_of_characters(word)
    row: Rows = table.rows[places].sum(axis=0)
    return row


@lru_cache(maxsize=20_000)
def _unit_row(word: str) -> Rows:
    return _unit(_word_row(word))


def _pieces(word: str) -> list[str]:
    """The pieces of a word: pairs are joined in the order of the table's ranks."""
    rank = _table().rank
    if _START + word in rank:
        return [_START + word]
    pieces = [_START + word[:1], *word[1:]]
    joined = [rank.get(a + b, len(rank)) for a, b in pairwise(pieces)]
    while joined and (best := min(joined)) < len(rank):
        at = joined.index(best)
        pieces[at : at + 2] = [pieces[at] + pieces[at + 1]]
        del joined[at]
        # Only the pairs that the new piece is part of are others now.
        for place in range(max(at - 1, 0), min(at + 1, len(joined))):
            joined[place] = rank.get(pieces[place] + pieces[place + 1], len(rank))
    return pieces


def _row_of_characters(word: str) -> Rows:
    """A vector for text outside the table (digits, other scripts): equal for equal text, otherwise unrelated."""
    size = _table().rows.shape[1]
    made = np.frombuffer(hashlib.shake_128(word.encode("utf-8", "replace")).digest(size), dtype=np.int8)
    return _unit(made.astype(np.float32))


def _unit(row: Rows) -> Rows:
    length = float(np.sqrt(row.dot(row)))
    return row / length if length else row
