"""Teaching by examples: a small head on the frozen encoder, learned in seconds from requests with their readings.

It moves the odds between options and between tools; which words are meant stays with the encoder. How far it may move
them is found out on examples that were kept from it, and it moves less where a request is like none of them: so it
should not make worse what the encoder reads by itself. What was learned is kept by its content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from signalbox.language.vectors import embed
from signalbox.models.examples import Example
from signalbox.models.offline.encoder import Judged, Rows, load_encoder
from signalbox.models.offline.fields import Field
from signalbox.models.offline.labels import Block, field_blocks, tool_block
from signalbox.settings import home_folder

__all__ = ["Taught", "teach_fields", "teach_tools"]

_ROUNDS, _RATE, _DECAY = 300, 0.5, 1e-3
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
_USUAL = 1.5
"""The weight of a head where there are too few examples to find out which is best."""
_FEW, _FOLDS = 40, 3
_NEAR, _FAR = 0.5, 0.3
"""So near to an example is near enough; so much farther than they are among themselves, and it is like none."""
_MOST_KEPT = 64

Lesson = tuple[str, Mapping[str, Sequence[float]]]


@dataclass(frozen=True)
class Taught:
    """What examples taught: for each block's key a row of weights for each label, and how far they count.

    `seen` has the examples themselves as rows, and `alike` how near the nearest other one is to a usual example.
    """

    heads: Mapping[str, Mapping[str, Rows]]
    weights: Mapping[str, float]
    seen: Rows
    alike: float

    def adjust(self, blocks: Sequence[Block], judged: dict[str, Judged], text: str) -> dict[str, Judged]:
        """What was judged, with what the examples say of the request."""
        mine = [block for block in blocks if self.weights.get(block.key)]
        if not mine:
            return judged
        features = _features(text)
        near = self._near(features)
        for block in mine:
            rows = self.heads[block.key]
            if near and all(label in rows for label in block.labels):
                scores: Rows = np.stack([rows[label] for label in block.labels]) @ features
                moved = _moved(judged[block.key].holds, scores * (near * self.weights[block.key]), block.kind)
                judged[block.key] = Judged(moved)
        return judged

    def _near(self, features: Rows) -> float:
        """How far the examples speak for a request: one where it is as like them as they are, down to nothing."""
        nearest = float((self.seen @ _unit(features)).max(initial=-1.0))
        return float(np.clip((nearest - self.alike + _FAR) / _FAR, 0, 1))


def teach_fields(fields: Sequence[Field], examples: Sequence[Example]) -> Taught:
    """What examples teach of the options of a schema's fields."""
    blocks = [block for block in field_blocks(fields) if block.kind in ("group", "several")]
    by_key = {".".join(field.path): field for field in fields}
    lessons = [
        (one.text, {block.key: _held(by_key[block.key], one.expected) for block in blocks})
        for one in examples
        if isinstance(one.expected, Mapping)
    ]
    return _teach(blocks, lessons)


def teach_tools(tools: Sequence[Mapping[str, Any]], examples: Sequence[Example]) -> Taught:
    """What examples teach of which tools are meant."""
    lessons = []
    for one in examples:
        if isinstance(one.expected, list):
            called = {call["name"] for call in one.expected}
            lessons.append((one.text, {"tools": [float(tool["name"] in called) for tool in tools]}))
    return _teach([tool_block(tools)], lessons)


def _held(field: Field, expected: Mapping[str, Any]) -> list[float]:
    """Which labels of a field hold: of an option or a yes and no the first is that nothing is said."""
    value: Any = expected
    for part in field.path:
        value = value.get(part) if isinstance(value, Mapping) else None
    if field.many:
        listed = {str(one) for one in value or ()}
        return [float(str(option) in listed) for option, _ in field.options]
    options = [str(option) for option, _ in field.options] if field.kind == "option" else ["True", "False"]
    return [float(value is None), *(float(str(value) == option) for option in options)]


_KEPT: dict[str, Taught] = {}


def _teach(blocks: Sequence[Block], lessons: Sequence[Lesson]) -> Taught:
    told = json.dumps([[(b.key, b.labels) for b in blocks], [(t, dict(g)) for t, g in lessons]], sort_keys=True)
    digest = hashlib.sha256(f"{load_encoder().version} {told}".encode()).hexdigest()[:32]
    if digest not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[digest] = _kept(digest, blocks, lessons)
    return _KEPT[digest]


def _kept(digest: str, blocks: Sequence[Block], lessons: Sequence[Lesson]) -> Taught:
    """What the lessons teach, out of its file; learned and written there first where there is none."""
    file = home_folder() / "taught" / f"{digest}.npz"
    if file.is_file():
        with np.load(file) as held:
            learned = {name: held[name] for name in held.files}
    else:
        learned = _learn_all(blocks, lessons)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        np.savez(file, allow_pickle=False, **learned)
    heads = {block.key: dict(zip(block.labels, learned[f"head {block.key}"], strict=True)) for block in blocks}
    weights = {block.key: float(learned[f"weight {block.key}"]) for block in blocks}
    return Taught(heads, weights, learned["seen"], float(learned["alike"]))


def _learn_all(blocks: Sequence[Block], lessons: Sequence[Lesson]) -> dict[str, Any]:
    rows = np.stack([_features(text) for text, _ in lessons]) if lessons else np.zeros((0, len(_features("a"))))
    seen = np.stack([_unit(row) for row in rows]) if len(rows) else rows
    learned: dict[str, Any] = {"seen": seen.astype(np.float32), "alike": _alike(seen)}
    for block in blocks:
        aims = np.array([list(gold[block.key]) for _, gold in lessons], dtype=np.float32)
        learned[f"head {block.key}"] = _learn(block, rows, aims)
        learned[f"weight {block.key}"] = _tried(block, rows, aims)
    return learned


def _alike(seen: Rows) -> float:
    """How near the nearest other example is to one of the less usual ones."""
    if len(seen) < 2:
        return 1.0
    near = seen @ seen.T
    np.fill_diagonal(near, -1)
    return min(_NEAR, float(np.quantile(near.max(axis=1), 0.2)))


def _tried(block: Block, rows: Rows, aims: Rows) -> float:
    """The weight under which a head says best what examples mean that it has not seen, by itself.

    The encoder is not asked: it may have learned these very examples, and would seem to need no head.
    """
    if len(rows) < _FEW:
        return _USUAL
    scores, fold = np.zeros_like(aims), np.arange(len(rows)) % _FOLDS
    for one in range(_FOLDS):
        scores[fold == one] = rows[fold == one] @ _learn(block, rows[fold != one], aims[fold != one]).T

    def cost(weight: float) -> float:
        chances = np.stack([_moved([0.5] * len(score), score * weight, block.kind) for score in scores])
        sure = np.clip(chances, 1e-4, 1 - 1e-4)
        return -float((aims * np.log(sure) + (1 - aims) * np.log(1 - sure)).sum())

    return min(_WEIGHTS, key=cost)


def _learn(block: Block, rows: Rows, aims: Rows) -> Rows:
    """Weights for each label, by descending the usual loss: softmax for a group, one against all for several."""
    if not len(rows):
        return np.zeros((len(block.labels), rows.shape[1]), dtype=np.float32)
    weights = np.zeros((aims.shape[1], rows.shape[1]), dtype=np.float32)
    for _ in range(_ROUNDS):
        scores = rows @ weights.T
        if block.kind == "group":
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            guesses = scores / scores.sum(axis=1, keepdims=True)
        else:
            guesses = 1 / (1 + np.exp(-scores))
        weights -= _RATE * ((guesses - aims).T @ rows / len(rows) * 8 + _DECAY * weights)
    return weights


def _moved(holds: Sequence[float], scores: Rows, kind: str) -> tuple[float, ...]:
    """The chances, moved by scores."""
    chances = np.clip(np.array(holds), 1e-6, 1 - 1e-6)
    if kind == "group":
        moved = np.log(chances) + scores
        moved = np.exp(moved - moved.max())
        return tuple(float(one) for one in moved / moved.sum())
    moved = np.log(chances) - np.log(1 - chances) + scores
    return tuple(float(one) for one in 1 / (1 + np.exp(-moved)))


def _unit(row: Rows) -> Rows:
    """The features without the constant, of length one."""
    result: Rows = row[:-1] / max(float(np.linalg.norm(row[:-1])), 1e-9)
    return result


@lru_cache(maxsize=4096)
def _features(text: str) -> Rows:
    """The request as numbers: what the encoder makes of it, the meanings of its words, and a constant."""
    result: Rows = np.concatenate([load_encoder().embed(text) * 3, embed([text])[0] * 3, [1]]).astype(np.float32)
    return result
