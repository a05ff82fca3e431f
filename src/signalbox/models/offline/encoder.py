"""The encoder at work: labels and a request in, what holds and which words are meant out.

The sequence is `[CLS] [L] label 1 [L] label 2 … [SEP] request [SEP] what was said before [SEP]`. The state at each
`[L]` has seen the request. Labels that do not fit into one pass are asked in several.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

from signalbox.errors import MissingExtraError
from signalbox.models.offline.labels import Block, BlockKind

__all__ = ["Encoder", "Judged", "Span", "load_encoder"]

Rows = np.ndarray[Any, np.dtype[np.float32]]
_MOST_JUDGED = 64
_LONGEST, _LONGEST_TEXT, _LONGEST_CONTEXT = 480, 160, 80
_LABEL, _SHORTEST_LABEL = 32, 12
_MOST_WORDS = 24
_FINALISTS = 12
_SCALE = 19.6
_LIKELY = -1.5
"""How much less likely, as a logarithm, an end and a beginning inside a stretch may be to part it in two."""
_DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class Span:
    """Words of the request, from `start` to `end`, and how surely they are meant."""

    start: int
    end: int
    sure: float


@dataclass(frozen=True, slots=True)
class Judged:
    """What was found of a block: how surely each label holds; for spans the words, the surest first, and none."""

    holds: tuple[float, ...] = ()
    spans: tuple[Span, ...] = ()
    nothing: float = 0.0


@lru_cache(maxsize=1)
def load_encoder() -> Encoder:
    """The encoder, loaded once for the process. Raises MissingExtraError without its packages."""
    return Encoder(_DATA)


class Encoder:
    """The weights, the tokenizer and the heads. `version` tells them from those learned at another time."""

    def __init__(self, folder: Path) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtraError("The offline model", "offline") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "reader.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        special = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]", "[unused1]"))
        self._cls, self._sep, self._mark = (int(place or 0) for place in special)
        self.version = hashlib.sha256((folder / "heads.npz").read_bytes()).hexdigest()[:16]
        with np.load(folder / "heads.npz") as heads:
            self._heads = {name: heads[name] for name in heads.files}
        self._heat = {kind: float(self._heads.get(f"temperature.{kind}", 1.0)) for kind in get_args(BlockKind)}
        self._labels: dict[str, list[int]] = {}
        self._judged = lru_cache(maxsize=_MOST_JUDGED)(self._judge)

    def embed(self, text: str) -> Rows:
        """A vector for a text by itself, of length one."""
        tokens = self._tokenizer.encode(text[: _LONGEST_TEXT * 12], add_special_tokens=False).ids[:_LONGEST_TEXT]
        states = self._run([self._cls, *tokens, self._sep], [0] * (len(tokens) + 2))
        middle = states.mean(axis=0)
        result: Rows = middle / max(float(np.linalg.norm(middle)), 1e-9)
        return result

    def judge(self, blocks: Sequence[Block], text: str, context: str = "") -> dict[str, Judged]:
        """What holds of every block, by its key. One message is often read several times: what was found is kept."""
        return dict(self._judged(tuple(blocks), text, context))

    def _judge(self, blocks: tuple[Block, ...], text: str, context: str) -> dict[str, Judged]:
        words = self._tokenizer.encode(text[: _LONGEST_TEXT * 12], add_special_tokens=False)
        tokens, offsets = words.ids[:_LONGEST_TEXT], words.offsets[:_LONGEST_TEXT]
        if not tokens:
            return {block.key: Judged(tuple(0.0 for _ in block.labels), (), 1.0) for block in blocks}
        before = self._tokenizer.encode(context[:2000], add_special_tokens=False).ids[:_LONGEST_CONTEXT]
        room = _LONGEST - len(tokens) - len(before) - 4

        def ask(asked: Iterable[Block]) -> dict[str, list[tuple[Block, Judged]]]:
            found: dict[str, list[tuple[Block, Judged]]] = {}
            for batch in self._passes(asked, room):
                for block, judged in self._one_pass(batch, tokens, offsets, before, room):
                    found.setdefault(block.key, []).append((block, judged))
            return found

        asked = ask(blocks)
        finals = ask(_final(parts) for parts in asked.values() if len(parts) > 1 and parts[0][0].kind == "group")
        return {block.key: _together(block, asked[block.key], finals.get(block.key)) for block in blocks}

    def _passes(self, blocks: Iterable[Block], room: int) -> Iterable[list[Block]]:
        """The blocks in groups that fit into one pass; a block that fits into none is cut."""
        most = max(2, room // (_SHORTEST_LABEL + 1))
        batch: list[Block] = []
        used = 0
        for block in blocks:
            for part in _cut(block, most):
                count = len(part.labels)
                if batch and used + count > most:
                    yield batch
                    batch, used = [], 0
                batch.append(part)
                used += count
        if batch:
            yield batch

    def _one_pass(
        self, blocks: Sequence[Block], tokens: list[int], offsets: list[Any], before: list[int], room: int
    ) -> Iterable[tuple[Block, Judged]]:
        count = sum(len(block.labels) for block in blocks)
        each = max(8, min(_LABEL, room // max(1, count) - 1))
        sequence, marks = [self._cls], list[int]()
        for block in blocks:
            for label in block.labels:
                marks.append(len(sequence))
                sequence += [self._mark, *self._ids(label)[:each]]
        sequence.append(self._sep)
        start = len(sequence)
        sequence += [*tokens, self._sep]
        types = [0] * start + [1] * (len(tokens) + 1)
        if before:
            sequence += [*before, self._sep]
            types += [0] * (len(before) + 1)
        states = self._run(sequence, types)
        labels = states[np.array(marks)]
        keys = np.concatenate([states[:1], states[start : start + len(tokens)]])
        holds = self._holds(labels)
        first = 0
        for block in blocks:
            last = first + len(block.labels)
            if block.kind in ("span", "spans"):
                yield block, self._spans(labels[first], keys, offsets, block.kind)
            else:
                yield block, Judged(tuple(_shares(holds[first:last] / self._heat[block.kind], block.kind)))
            first = last

    def _ids(self, label: str) -> list[int]:
        found = self._labels.get(label)
        if found is None:
            if len(self._labels) > 20_000:
                self._labels.clear()
            found = self._labels[label] = self._tokenizer.encode(label, add_special_tokens=False).ids[:_LABEL]
        return found

    def _run(self, sequence: list[int], types: list[int]) -> Rows:
        feed = {
            "input_ids": np.array([sequence], dtype=np.int64),
            "attention_mask": np.ones((1, len(sequence)), dtype=np.int64),
            "token_type_ids": np.array([types], dtype=np.int64),
        }
        (states,) = self._session.run(["last_hidden_state"], feed)
        rows: Rows = states[0]
        return rows

    def _linear(self, name: str, rows: Rows) -> Rows:
        result: Rows = rows @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]
        return result

    def _holds(self, labels: Rows) -> Rows:
        inner = self._linear("holds.0", labels)
        # GELU, with the error function by its usual approximation in float32.
        inner = 0.5 * inner * (1 + _erf(inner / np.sqrt(2)))
        return self._linear("holds.3", inner)[:, 0]

    def _spans(self, label: Rows, keys: Rows, offsets: list[Any], kind: BlockKind) -> Judged:
        scale = _SCALE * self._heat[kind]
        begins = _log_softmax(keys @ self._linear("begins", label[None])[0] / scale)
        ends = _log_softmax(keys @ self._linear("ends", label[None])[0] / scale)
        nothing = float(np.exp(begins[0] + ends[0]))
        scores = begins[1:, None] + ends[None, 1:]
        length = np.subtract.outer(np.arange(len(offsets)), np.arange(len(offsets))).T
        scores = np.where((length >= 0) & (length < _MOST_WORDS), scores, -np.inf)
        total = float(np.exp(scores[np.isfinite(scores)]).sum()) + nothing
        spans: list[Span] = []
        for place in np.argsort(scores, axis=None)[::-1][: 60 if kind == "spans" else 12]:
            a, b = divmod(int(place), len(offsets))
            sure = float(np.exp(scores[a, b])) / max(total, 1e-9)
            if sure < 0.02 or not np.isfinite(scores[a, b]):
                break
            if kind == "spans" and _runs_over(begins[1:], ends[1:], a, b):
                continue
            one = Span(int(offsets[a][0]), int(offsets[b][1]), sure)
            if all(one.end <= other.start or one.start >= other.end for other in spans):
                spans.append(one)
        return Judged((), tuple(spans), nothing / max(total, 1e-9))


def _runs_over(begins: Rows, ends: Rows, a: int, b: int) -> bool:
    """True if a stretch runs from the beginning of one to the end of another: inside it one likely ends, and then
    another likely begins."""
    if a == b:
        return False
    inside = np.maximum.accumulate(ends[a:b]) + begins[a + 1 : b + 1]
    return bool(inside.max() > begins[a] + ends[b] + _LIKELY)


def _cut(block: Block, most: int) -> Iterable[Block]:
    """A block in parts of at most so many labels; every part of a group has the label that nothing is said."""
    if len(block.labels) <= most:
        yield block
        return
    head = block.labels[:1] if block.kind == "group" else ()
    rest = block.labels[len(head) :]
    step = most - len(head)
    for at in range(0, len(rest), step):
        yield Block(block.key, block.kind, (*head, *rest[at : at + step]))


def _final(parts: Sequence[tuple[Block, Judged]]) -> Block:
    """The likeliest of every part of a group that was cut, to be judged against one another."""
    likely: list[str] = []
    for block, judged in parts:
        ranked = sorted(zip(judged.holds[1:], block.labels[1:], strict=True), reverse=True)
        likely += [label for _, label in ranked[: max(2, _FINALISTS // len(parts))]]
    first = parts[0][0]
    return Block(first.key, first.kind, (first.labels[0], *likely))


def _together(
    block: Block, parts: Sequence[tuple[Block, Judged]], final: Sequence[tuple[Block, Judged]] | None
) -> Judged:
    """What was found of a block, its parts put together; of a group, what the final judgement says."""
    if final:
        decided, judged = final[0]
        sure = dict(zip(decided.labels, judged.holds, strict=True))
        return Judged(tuple(sure.get(label, 0.0) for label in block.labels))
    if len(parts) == 1:
        return parts[0][1]
    return Judged(tuple(one for _, judged in parts for one in judged.holds))


def _shares(scores: Rows, kind: str) -> list[float]:
    if kind == "group":
        return [float(one) for one in np.exp(_log_softmax(scores))]
    return [float(one) for one in 1 / (1 + np.exp(-scores))]


def _log_softmax(scores: Rows) -> Rows:
    shifted = scores - scores.max()
    result: Rows = shifted - np.log(np.exp(shifted).sum())
    return result


def _erf(x: Rows) -> Rows:
    """Abramowitz and Stegun 7.1.26."""
    sign, x = np.sign(x), np.abs(x)
    t = 1 / (1 + 0.3275911 * x)
    poly = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    result: Rows = sign * (1 - poly * np.exp(-x * x))
    return result
