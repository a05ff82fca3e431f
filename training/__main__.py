"""`python -m training`: learn the weights anew from the sets in this folder, and store them in the package."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from signalbox.evals.load import read_sets
from signalbox.models.offline.fill.learned import weights as stored
from signalbox.models.offline.fill.learned.deciding import RULED, Option, options_for, value_of
from signalbox.models.offline.fill.slots import Proposal
from training.cases import Example, read_examples
from training.fitting import Learned, fit_pieces, fit_rows, score_pieces

_SETS = Path(__file__).with_name("filling.jsonl")
_FOLDS = 3
_LEAST_WEIGHT = 0.02
# What the rules chose counts a little more than was learned: schemas to come differ from those learned from.
_TRUST = 0.4


def main() -> None:
    sets = read_sets([_SETS])
    dense, plain = (read_examples(one for one in sets if one.name.startswith(kind)) for kind in ("texts/", "requests/"))
    lost = sum(not example.right for example in dense + plain)
    print(f"{len(dense) + len(plain)} fields of free text, {lost} without a right piece")
    with ProcessPoolExecutor(2, get_context("fork"), initializer=_share, initargs=(dense, plain)) as workers:
        whole, *parts = workers.map(_learn, range(-1, _FOLDS), chunksize=1)
    scores = [parts[_fold_of(example)][example.number] for example in plain]
    _report("pieces alone, unseen", plain, [_best(e, row) for e, row in zip(plain, scores, strict=True)])
    _report("rules alone", plain, [example.ruled for example in plain])
    options = [_options(e, row) for e, row in zip(plain, scores, strict=True)]
    final = _fit_final(plain, options)
    final[RULED] += _TRUST
    _report("both", plain, [max(row, key=lambda o: float(np.dot(o.features, final))).proposal for row in options])
    _store(whole, final)


_shared: tuple[list[Example], list[Example]] = ([], [])


def _share(dense: list[Example], plain: list[Example]) -> None:
    global _shared
    _shared = dense, plain


def _learn(fold: int) -> Any:
    """What is learned from everything, for -1; else what those of a fold score by what is learned from the others."""
    dense, plain = _shared
    learned = fit_pieces([*dense, *(example for example in plain if _fold_of(example) != fold)])
    if fold < 0:
        return learned
    held = [example for example in plain if _fold_of(example) == fold]
    return {e.number: row for e, row in zip(held, score_pieces(learned, held), strict=True)}


def _fold_of(example: Example) -> int:
    """Sets of one schema stay together, in the folds that the shipped weights were learned with."""
    return crc32(f"{example.set_name.partition('/')[2]}.yaml".encode()) % _FOLDS


def _options(example: Example, scores: list[float]) -> list[Option]:
    return options_for(example.undecided, example.field, example.pieces, scores, example.ruled)


def _best(example: Example, scores: list[float]) -> Proposal | None:
    if not scores or max(scores) <= 0:
        return None
    piece = example.pieces[int(np.argmax(scores))]
    value = value_of(example.field, example.undecided.bounds.reading.text[piece.start : piece.end])
    return Proposal(example.field, value, piece.start, piece.end, 0.5)


def _fit_final(examples: list[Example], options: list[list[Option]]) -> np.ndarray:
    rows, right = [], []
    for example, row in zip(examples, options, strict=True):
        if good := frozenset(at for at, option in enumerate(row) if example.is_right(option.proposal)):
            rows.append(np.array([option.features for option in row]))
            right.append(good)
    return fit_rows(rows, right)


def _report(title: str, examples: list[Example], chosen: Sequence[Proposal | None]) -> None:
    right = sum(example.is_right(one) for example, one in zip(examples, chosen, strict=True))
    print(f"{title}: {right} of {len(examples)} right, {right / len(examples):.1%}")


def _store(learned: Learned, final: np.ndarray) -> None:
    kept = {name: at for name, at in learned.names.items() if abs(learned.weights[at]) >= _LEAST_WEIGHT}
    names = np.frombuffer("\n".join(kept).encode(), dtype=np.uint8)
    values = learned.weights[list(kept.values())].astype(np.float16)
    forms = learned.forms.astype(np.float16)
    np.savez_compressed(stored.STORED, names=names, values=values, forms=forms, final=final)
    print(f"{len(kept)} weights, {stored.STORED.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
