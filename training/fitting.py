"""Log-linear models over groups of rows, one group for each field of a case, fitted by maximum likelihood."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from signalbox.language.vectors import embed
from signalbox.models.offline.fill.learned.meanings import read_meanings
from signalbox.models.offline.fill.learned.weights import field_text, keys_of
from training.cases import Example

__all__ = ["Learned", "fit_pieces", "fit_rows", "score_pieces"]

Rows = NDArray[np.float64]
_LEAST_OFTEN = 4
_PENALTY = 3.0
_SCALE = 4.0
_STEPS = 70
_AROUND = 6


class Learned(NamedTuple):
    """Weights of pairs of fact and key, and one matrix of meanings for each place around a piece."""

    names: dict[str, int]
    weights: Rows
    forms: Rows


class _Groups:
    """Where the rows of each group stand, and which rows are right."""

    def __init__(self, sizes: list[int], right: list[frozenset[int]]) -> None:
        self.starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self.of_row = np.repeat(np.arange(len(sizes)), sizes)
        self.right = np.zeros(sum(sizes))
        for start, places in zip(self.starts, right, strict=True):
            self.right[[int(start) + place for place in places]] = 1.0

    def loss(self, scores: Rows) -> tuple[float, Rows]:
        """The negative log likelihood of the right rows, and its slope by score."""
        highest = np.maximum.reduceat(scores, self.starts)
        raised = np.exp(scores - highest[self.of_row])
        total = np.add.reduceat(raised, self.starts)
        wanted = raised * self.right
        share = np.maximum(np.add.reduceat(wanted, self.starts), 1e-300)
        slope = raised / total[self.of_row] - wanted / share[self.of_row]
        return float((np.log(total) - np.log(share)).sum()), slope


def fit_rows(rows: list[Rows], right: list[frozenset[int]]) -> Rows:
    """Weights for rows of a few numbers."""
    groups, table = _Groups([len(one) for one in rows], right), np.concatenate(rows)

    def climb(weights: Rows) -> tuple[float, Rows]:
        loss, slope = groups.loss(table @ weights)
        return loss + 0.5 * float(weights @ weights), table.T @ slope + weights

    return _minimum(climb, table.shape[1], 200)


def fit_pieces(examples: list[Example]) -> Learned:
    """Weights of facts by keys of the field, and of meanings by what the field speaks of."""
    examples = [example for example in examples if example.right]
    counted = Counter(name for example in examples for row in _names(example) for name in row)
    names = {name: at for at, name in enumerate(sorted(name for name, n in counted.items() if n >= _LEAST_OFTEN))}
    table = _table(examples, names)
    fields, meanings = _meanings(examples)
    groups = _Groups([len(example.pieces) + 1 for example in examples], [example.right for example in examples])
    size, depth = len(names), fields.shape[1]

    def climb(weights: Rows) -> tuple[float, Rows]:
        forms = weights[size:].reshape(_AROUND + 1, depth, depth)
        scores = (table @ weights[:size].astype(np.float32)).astype(np.float64)
        for form, meaning in zip(forms.astype(np.float32), meanings, strict=True):
            scores = scores + _SCALE * np.einsum("nd,nd->n", fields @ form, meaning)
        loss, slope = groups.loss(scores)
        pull = slope.astype(np.float32)[:, None]
        turns = [_SCALE * (fields.T @ (meaning * pull)).ravel() for meaning in meanings]
        slopes = np.concatenate([table.T @ slope.astype(np.float32), *turns]) + _PENALTY * weights
        return loss + 0.5 * _PENALTY * float(weights @ weights), slopes

    found = _minimum(climb, size + (_AROUND + 1) * depth * depth, _STEPS)
    return Learned(names, found[:size], _SCALE * found[size:].reshape(_AROUND + 1, depth, depth))


def score_pieces(learned: Learned, examples: list[Example]) -> list[list[float]]:
    """For each example what its pieces score against nothing."""
    scores = _table(examples, learned.names) @ learned.weights
    fields, meanings = _meanings(examples)
    for form, meaning in zip(learned.forms.astype(np.float32), meanings, strict=True):
        scores = scores + np.einsum("nd,nd->n", fields @ form, meaning)
    ends = np.cumsum([len(example.pieces) + 1 for example in examples])
    return [(part[:-1] - part[-1]).tolist() for part in np.split(scores, ends[:-1])]


def _minimum(climb: Callable[[Rows], tuple[float, Rows]], size: int, steps: int) -> Rows:
    return np.asarray(
        minimize(climb, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": steps}).x, dtype=np.float64
    )


def _names(example: Example) -> list[list[str]]:
    keys = keys_of(example.field)
    return [[f"{fact}\t{key}" for fact in row for key in keys] for row in example.facts]


def _table(examples: list[Example], names: dict[str, int]) -> csr_matrix:
    places = array("i")
    ends = [0]
    for example in examples:
        for row in _names(example):
            places.extend(names[name] for name in row if name in names)
            ends.append(len(places))
    columns = np.frombuffer(places, dtype=np.int32)
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_matrix((ones, columns, np.array(ends)), shape=(len(ends) - 1, len(names)))


def _meanings(examples: list[Example]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The meaning of each row's field, and of the words around each piece; rows for nothing are all zeros."""
    rows, depth = sum(len(example.pieces) + 1 for example in examples), embed(["a"]).shape[1]
    fields = np.zeros((rows, depth), dtype=np.float32)
    meanings = np.zeros((_AROUND + 1, rows, depth), dtype=np.float32)
    at = 0
    for example in examples:
        if count := len(example.pieces):
            words, around, whole = read_meanings(example.undecided.bounds.tokens, example.pieces)
            meanings[:_AROUND, at : at + count] = words[around.T]
            meanings[_AROUND, at : at + count] = whole
            fields[at : at + count] = embed([field_text(example.field)])[0]
        at += count + 1
    return fields, meanings
