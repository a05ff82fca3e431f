"""Teaching by examples: a small head on the frozen encoder, learned in seconds from requests with their readings.

It moves the odds between options and between tools; which words are meant stays with the encoder. What was learned is
kept by its content.
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
_WEIGHT = 1.5


@dataclass(frozen=True)
class Taught:
    """What examples taught: for each block's key the labels' places, and a row of weights for each label."""

    heads: Mapping[str, tuple[tuple[str, ...], Rows]]

    def adjust(self, blocks: Sequence[Block], judged: dict[str, Judged], text: str) -> dict[str, Judged]:
        """What was judged, with what the examples say of the request."""
        mine = [block for block in blocks if block.key in self.heads]
        if not mine:
            return judged
        features = _features(text)
        for block in mine:
            names, weights = self.heads[block.key]
            if names == block.labels and len(judged[block.key].holds) == len(names):
                judged[block.key] = _moved(judged[block.key], weights @ features, block.kind)
        return judged


def teach_fields(fields: Sequence[Field], examples: Sequence[Example]) -> Taught:
    """What examples teach of the options of a schema's fields."""
    blocks = field_blocks(fields)
    by_key = {".".join(field.path): field for field in fields}
    golds = [
        (one.text, {b.key: _held(by_key[b.key], one.expected) for b in blocks if b.kind in ("group", "several")})
        for one in examples
        if isinstance(one.expected, Mapping)
    ]
    return _teach(blocks, golds)


def teach_tools(tools: Sequence[Mapping[str, Any]], examples: Sequence[Example]) -> Taught:
    """What examples teach of which tools are meant."""
    golds = []
    for one in examples:
        if isinstance(one.expected, list):
            called = {call["name"] for call in one.expected}
            golds.append((one.text, {"tools": [float(tool["name"] in called) for tool in tools]}))
    return _teach([tool_block(tools)], golds)


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


def _teach(blocks: Sequence[Block], examples: Sequence[tuple[str, Mapping[str, Sequence[float]]]]) -> Taught:
    told = json.dumps([[(b.key, b.labels) for b in blocks], [(t, dict(g)) for t, g in examples]], sort_keys=True)
    digest = hashlib.sha256(told.encode()).hexdigest()[:32]
    kept = home_folder() / "taught" / f"{digest}.npz"
    usable = {block.key: block for block in blocks if block.kind in ("group", "several")}
    if kept.is_file():
        with np.load(kept) as held:
            return Taught({name: (usable[name].labels, held[name]) for name in held.files if name in usable})
    heads = {name: _learn(block, examples) for name, block in usable.items()}
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    np.savez(kept, allow_pickle=False, **dict(heads))
    return Taught({name: (usable[name].labels, weights) for name, weights in heads.items()})


def _learn(block: Block, examples: Sequence[tuple[str, Mapping[str, Sequence[float]]]]) -> Rows:
    """Weights for each label, by descending the usual loss: softmax for a group, one against all for several."""
    chosen = [(text, gold[block.key]) for text, gold in examples if block.key in gold]
    if not chosen:
        return np.zeros((len(block.labels), len(_features("")) if block.labels else 1), dtype=np.float32)
    rows = np.stack([_features(text) for text, _ in chosen])
    aims = np.array([list(gold) for _, gold in chosen], dtype=np.float32)
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


def _moved(before: Judged, scores: Rows, kind: str) -> Judged:
    odds = np.log(np.clip(np.array(before.holds), 1e-6, 1 - 1e-6))
    if kind == "group":
        moved = np.exp(odds + _WEIGHT * (scores - scores.max()))
        return Judged(tuple(float(one) for one in moved / moved.sum()))
    logits = odds - np.log(1 - np.clip(np.array(before.holds), 1e-6, 1 - 1e-6)) + _WEIGHT * scores
    return Judged(tuple(float(one) for one in 1 / (1 + np.exp(-logits))))


@lru_cache(maxsize=4096)
def _features(text: str) -> Rows:
    """The request as numbers: what the encoder makes of it, the meanings of its words, and a constant."""
    result: Rows = np.concatenate([load_encoder().embed(text) * 3, embed([text])[0] * 3, [1]]).astype(np.float32)
    return result
