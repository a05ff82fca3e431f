"""What the words in and around a piece mean, as rows of the word vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signalbox.language.vectors import Rows, word_rows
from signalbox.models.offline.fill.english.sentence import Token
from signalbox.models.offline.fill.learned.pieces import Piece

__all__ = ["Meanings", "read_meanings"]


class Meanings(NamedTuple):
    """`words` has a row for each word of the sentence and, last, one of zeros; `around` says which of them stand around
    each piece; `whole` has the meaning of each piece in all."""

    words: Rows
    around: NDArray[np.int64]
    whole: Rows


def read_meanings(tokens: tuple[Token, ...], pieces: list[Piece]) -> Meanings:
    """The meanings for some pieces, at least one, of a sentence."""
    words = word_rows([token.lower for token in tokens])
    nothing = np.zeros((1, words.shape[1]), dtype=np.float32)
    sums = np.vstack([nothing, np.cumsum(words, axis=0)])
    whole = sums[[piece.last for piece in pieces]] - sums[[piece.first for piece in pieces]]
    whole /= np.maximum(np.linalg.norm(whole, axis=1, keepdims=True), 1e-6)
    return Meanings(np.vstack([words, nothing]), np.array([piece.around for piece in pieces]), whole)
