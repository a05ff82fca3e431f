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
from pathlib import Path
from typing import Any

import numpy as np

from signalbox.language.vectors import embed
from signalbox.models.examples import Example
from signalbox.models.offline.encoder import Judged, Rows, load_encoder
from signalbox.models.offline.fields import Field
from signalbox.models.offline.labels import Block, field_blocks, tool_block
from signalbox.settings import home_folder

__all__ = ["Head", "Taught", "teach_fields", "teach_tools"]

_ROUNDS, _RATE, _DECAY = 300, 0.5, 1e-3
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
_USUAL = 1.5
"""The weight of a head where there are too few examples to find out which is best."""
_FEW, _FOLDS = 40, 3
_NEAR, _FAR = 0.5, 0.3
"""So near to an example is near enough; so much farther than they are among themselves, and it is like none."""
_MOST_KEPT, _MOST_LESSONS = 64, 500

_SHIPPED = Path(__file__).with_name("data") / "taught"
"""What the examples of the shipped agents taught, so that a fresh machine need not learn it: see `training.taught`."""

Lesson = tuple[str, Sequence[float]]


@dataclass(frozen=True)
class Head:
    """What examples taught of one block: a row of weights for each label that an example has, and how far they count.

    `seen` has examples as rows, and `alike` how near the nearest other one is to a less usual example.
    """

    rows: Mapping[str, Rows]
    weight: float
    seen: Rows
    alike: float

    def adjust(self, block: Block, judged: Judged, text: str) -> Judged:
        """What was judged of the block, with what the examples say of the request."""
        features = _features(text)
        far = self.weight * self._near(features)
        known = [label in self.rows for label in block.labels]
        if not far or not any(known):
            return judged
        told = [float(self.rows[label] @ features) if label in self.rows else 0 for label in block.labels]
        scores: Rows = np.array(told, dtype=np.float32)
        if block.kind == "group" and not all(known):
            # Of an option without examples nothing is known: it stays as likely against the best of the others.
            scores[~np.array(known)] = scores[known].max()
        return Judged(_moved(judged.holds, (scores * far).astype(np.float32), block.kind))

    def _near(self, features: Rows) -> float:
        """How far the examples speak for a request: one where it is as like them as they are, down to nothing."""
        nearest = float((self.seen @ _unit(features)).max(initial=-1.0))
        return float(np.clip((nearest - self.alike + _FAR) / _FAR, 0, 1))


@dataclass(frozen=True)
class Taught:
    """What examples taught, by the keys of blocks."""

    heads: Mapping[str, Head]

    def adjust(self, blocks: Sequence[Block], judged: dict[str, Judged], text: str) -> dict[str, Judged]:
        """What was judged, with what the examples say of the request."""
        for block in blocks:
            if block.key in self.heads:
                judged[block.key] = self.heads[block.key].adjust(block, judged[block.key], text)
        return judged


def teach_fields(fields: Sequence[Field], examples: Sequence[Example]) -> Taught:
    """What examples teach of the options of a schema's fields."""
    heads = {}
    by_key = {".".join(field.path): field for field in fields}
    told = [(one.text, one.expected) for one in examples if isinstance(one.expected, Mapping)]
    for block in field_blocks(fields):
        if block.kind in ("group", "several"):
            lessons = _lessons(by_key[block.key], told)
            # Examples of other names than those asked for now, of another network say, teach nothing of these.
            if 2 * len(lessons) > len(told):
                heads[block.key] = _teach(block, lessons)
    return Taught(heads)


def teach_tools(tools: Sequence[Mapping[str, Any]], examples: Sequence[Example]) -> Taught:
    """What examples teach of which tools are meant."""
    names = [str(tool["name"]) for tool in tools]
    lessons = []
    for one in examples:
        called = {call["name"] for call in one.expected} if isinstance(one.expected, list) else {""}
        if called <= set(names):
            lessons.append((one.text, [float(name in called) for name in names]))
    return Taught({"tools": _teach(tool_block(tools), lessons)} if lessons else {})


def _lessons(field: Field, told: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Lesson]:
    """Which labels of a field hold in each example, of an option or a yes and no the first being that nothing is said.

    Examples with a value that the field does not offer are left out.
    """
    options = [str(option) for option, _ in field.options] if field.kind == "option" else ["True", "False"]
    offered = set(options)
    lessons: list[Lesson] = []
    for text, expected in told:
        value: Any = expected
        for part in field.path:
            value = value.get(part) if isinstance(value, Mapping) else None
        meant = {str(one) for one in (value if isinstance(value, list) else [value]) if one is not None}
        if meant <= offered:
            held = [float(option in meant) for option in options]
            lessons.append((text, held if field.many else [float(not meant), *held]))
    return lessons


_KEPT: dict[str, Head] = {}


def _teach(block: Block, lessons: Sequence[Lesson]) -> Head:
    lessons = lessons[:: -(-len(lessons) // _MOST_LESSONS)]
    told = json.dumps([load_encoder().version, block.kind, block.labels, lessons])
    digest = hashlib.sha256(told.encode()).hexdigest()[:32]
    if digest not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[digest] = _kept(digest, block, lessons)
    return _KEPT[digest]


def _kept(digest: str, block: Block, lessons: Sequence[Lesson]) -> Head:
    """What the lessons teach, out of its file; learned and written there first where there is none."""
    file = home_folder() / "taught" / f"{digest}.npz"
    there = next((one for one in (_SHIPPED / file.name, file) if one.is_file()), None)
    if there is not None:
        with np.load(there) as held:
            learned = {name: held[name] for name in held.files}
    else:
        learned = _learned(block, lessons)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        np.savez_compressed(file, allow_pickle=False, **learned)
    rows = {label: row for label, row, some in zip(block.labels, learned["rows"], learned["some"], strict=True) if some}
    return Head(rows, float(learned["weight"]), learned["seen"], float(learned["alike"]))


def _learned(block: Block, lessons: Sequence[Lesson]) -> dict[str, Any]:
    rows = np.stack([_features(text) for text, _ in lessons])
    aims = np.array([list(gold) for _, gold in lessons], dtype=np.float32)
    seen = np.stack([_unit(row) for row in rows])
    return {
        "rows": _learn(block, rows, aims),
        # That nothing is said is known of also where it never holds.
        "some": (aims.sum(axis=0) > 0) | ((np.arange(aims.shape[1]) == 0) & (block.kind == "group")),
        "weight": _tried(block, rows, aims),
        "seen": seen.astype(np.float16),
        "alike": _alike(seen),
    }


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
