"""`python -m training`: learn the weights anew from `training/filling` and store them in the package."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from signalbox.models.offline.fill.learned import weights as stored
from signalbox.models.offline.fill.learned.deciding import Option, options_for
from signalbox.models.offline.fill.slots import Proposal
from training.cases import Example, read_examples
from training.fitting import Learned, fit_pieces, fit_rows, score_pieces

_FOLDS = 3
_LEAST_WEIGHT = 0.02


def main(folder: Path) -> None:
    examples = read_examples(folder)
    print(f"{len(examples)} fields of free text, {sum(not e.right for e in examples)} without a right piece")
    scores = _scores_unseen(examples)
    _report("unseen, pieces alone", examples, [_best(e, row) for e, row in zip(examples, scores, strict=True)])
    options = [_options(e, row) for e, row in zip(examples, scores, strict=True)]
    _report("rules alone", examples, [e.ruled for e in examples])
    final = _fit_final(examples, options)
    _report("both", examples, [max(row, key=lambda o: float(np.dot(o.features, final))).proposal for row in options])
    _store(fit_pieces(examples), final)


def _scores_unseen(examples: list[Example]) -> list[list[float]]:
    """What each example's pieces score by weights that were learned from other sets."""
    names = sorted({example.set_name for example in examples})
    random.Random(1).shuffle(names)
    scores: dict[int, list[float]] = {}
    for fold in range(_FOLDS):
        held = set(names[fold::_FOLDS])
        learned = fit_pieces([example for example in examples if example.set_name not in held])
        asked = [example for example in examples if example.set_name in held]
        scores |= {id(e): row for e, row in zip(asked, score_pieces(learned, asked), strict=True)}
    return [scores[id(example)] for example in examples]


def _options(example: Example, scores: list[float]) -> list[Option]:
    return options_for(example.undecided, example.field, example.pieces, scores, example.ruled)


def _best(example: Example, scores: list[float]) -> Proposal | None:
    if not scores or max(scores) <= 0:
        return None
    piece = example.pieces[int(np.argmax(scores))]
    value = example.undecided.bounds.reading.text[piece.start : piece.end]
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
    np.savez_compressed(stored._STORED, names=names, values=values, forms=forms, final=final)
    print(f"{len(kept)} weights, {stored._STORED.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "filling")
