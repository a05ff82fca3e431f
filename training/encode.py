"""Items as what the encoder reads: tokens, where each label stands, and what holds of it. Every time a bit different.

Labels are shuffled and some left out, letters swapped or made small, so that no order and no spelling is learned. Of
many candidates some are drawn; where none of these holds, that nothing is said is right: so that what a long list is
judged to be in parts can be compared.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

__all__ = ["Coder", "collate"]

LONGEST_TEXT, LONGEST_CONTEXT = 160, 80
_LABEL = 32
_STEP = 32
"""Lengths are multiples of this: for a length not met before, attention is prepared anew, which costs ten steps."""


class Coder:
    """Items as sequences of at most so many tokens."""

    def __init__(self, tokenizer: Tokenizer, longest: int) -> None:
        tokenizer.no_truncation(), tokenizer.no_padding()
        self.tokenizer, self.longest = tokenizer, longest
        self.cls, self.sep, self.mark = (tokenizer.token_to_id(t) for t in ("[CLS]", "[SEP]", "[unused1]"))
        self.kept: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """The tokens of a label or of what was said before; kept, since most come again."""
        if text not in self.kept:
            self.kept[text] = self.tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST_CONTEXT]
        return self.kept[text]

    def length(self, item: dict[str, Any]) -> int:
        """About how long an item is."""
        words = sum(min(_LABEL, len(self.ids(label))) for block in item["blocks"] for label in block["labels"])
        return min(self.longest, words + len(item["text"]) // 4 + len(self.ids(item["context"])))

    def encode(self, item: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
        """An item as a sequence with what is to be learned of it; None where nothing is."""
        words = self.tokenizer.encode(disturbed(item["text"], rng), add_special_tokens=False)
        tokens, offsets = words.ids[:LONGEST_TEXT], words.offsets[:LONGEST_TEXT]
        context = self.ids(item["context"])
        room = self.longest - len(tokens) - len(context) - 4
        blocks = [_varied(block, rng) for block in self._some(item["blocks"], room, rng)]
        count = sum(len(labels) for _, labels, _ in blocks)
        each = max(8, min(_LABEL, room // max(1, count) - 1))
        sequence, marks, targets = [self.cls], list[int](), []
        for kind, labels, gold in blocks:
            needed = sum(1 + min(each, len(self.ids(label))) for label in labels)
            if len(sequence) + needed > room and targets:
                continue
            first = len(marks)
            for label in labels:
                marks.append(len(sequence))
                sequence += [self.mark, *self.ids(label)[:each]]
            targets.append((kind, first, len(marks), gold))
        if not targets or len(sequence) > 500 - len(tokens) - len(context):
            return None
        sequence.append(self.sep)
        start = len(sequence)
        sequence += [*tokens, self.sep]
        types = [0] * start + [1] * (len(tokens) + 1)
        if context:
            sequence += [*context, self.sep]
            types += [0] * (len(context) + 1)
        return {"ids": sequence, "types": types, "marks": marks, "targets": targets, "start": start, "offsets": offsets}

    def _some(self, blocks: list[dict[str, Any]], room: int, rng: random.Random) -> list[dict[str, Any]]:
        """The blocks in another order, sometimes a few; where all do not fit, those that say something come first."""
        chosen = list(blocks)
        rng.shuffle(chosen)
        if len(chosen) > 3 and rng.random() < 0.3:
            return chosen[: rng.randint(2, len(chosen))]
        if sum(len(block["labels"]) for block in chosen) * 12 > room:
            chosen.sort(key=lambda block: rng.random() - 0.5 * (block["gold"] not in ([], [0], 0.0)))
        return chosen


def _varied(block: dict[str, Any], rng: random.Random) -> tuple[str, list[str], Any]:
    """A block with its labels in another order, or only some of them."""
    kind, labels, gold = block["kind"], list(block["labels"]), block["gold"]
    if kind in ("span", "spans"):
        return kind, [label.partition(":")[0] for label in labels] if rng.random() < 0.1 else labels, gold
    if kind == "flag":
        return kind, labels, gold
    first = 1 if kind == "group" else 0
    order = list(range(first, len(labels)))
    rng.shuffle(order)
    if len(order) > 4 and rng.random() < (0.5 if len(order) < 16 else 0.8):
        order = _drawn(order, kind, gold, rng)
    if kind == "group":
        right = [order.index(g) + 1 for g in gold if g in order] + ([0] if 0 in gold else [])
        return kind, [labels[0], *(labels[place] for place in order)], right or [0]
    return kind, [labels[place] for place in order], [gold[place] for place in order]


def _drawn(order: list[int], kind: str, gold: Any, rng: random.Random) -> list[int]:
    """Some of the candidates; those that hold are most often among them."""
    right = [place for place in order if (place in gold if kind == "group" else gold[place] > 0.5)]
    others = [place for place in order if place not in right]
    drawn = others[: rng.randint(3, min(20, len(order)))]
    if rng.random() < 0.88 or not drawn:
        drawn += right
    rng.shuffle(drawn)
    return drawn


def disturbed(text: str, rng: random.Random) -> str:
    """The text as somebody in a hurry types it: small letters, two letters swapped. Its length stays the same."""
    if rng.random() < 0.15 and len(text.lower()) == len(text):
        text = text.lower()
    if rng.random() < 0.2:
        places = [at for at in range(2, len(text) - 2) if text[at - 1 : at + 3].isalpha()]
        if places:
            at = rng.choice(places)
            text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def token_span(offsets: list[Any], span: list[int]) -> tuple[int, int] | None:
    """The tokens of a stretch of the text."""
    inside = [place for place, (a, b) in enumerate(offsets) if a < span[1] and b > span[0]]
    return (inside[0], inside[-1]) if inside else None


def collate(batch: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """A batch as tensors: the sequences, the places of all labels, and what holds of each block."""
    longest = -(-max(len(one["ids"]) for one in batch) // _STEP) * _STEP
    ids = np.zeros((len(batch), longest), dtype=np.int64)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    rows, places, base = list[int](), list[int](), 0
    groups: list[tuple[list[int], set[int]]] = []
    several: list[tuple[list[int], list[float]]] = []
    flags: list[tuple[int, float]] = []
    spans: list[tuple[int, int, list[tuple[int, int]]]] = []
    for row, one in enumerate(batch):
        size = len(one["ids"])
        ids[row, :size], types[row, :size], mask[row, :size] = one["ids"], one["types"], 1
        for kind, first, last, gold in one["targets"]:
            members = list(range(base + first, base + last))
            if kind == "group":
                groups.append((members, set(gold)))
            elif kind == "several":
                several.append((members, gold))
            elif kind == "flag":
                flags.append((members[0], float(gold)))
            else:
                found = [token_span(one["offsets"], span) for span in gold]
                if all(found):
                    spans.append((members[0], row, [pair for pair in found if pair]))
        rows += [row] * len(one["marks"])
        places += one["marks"]
        base += len(one["marks"])
    allowed = np.zeros((len(spans), longest), dtype=bool)
    aims = np.zeros((2, len(spans), longest), dtype=np.float32)
    for at, (_, row, pairs) in enumerate(spans):
        start, count = batch[row]["start"], len(batch[row]["offsets"])
        allowed[at, 0] = True
        allowed[at, start : start + count] = True
        for a, b in pairs or [(-1, -1)]:
            aims[0, at, start + a if a >= 0 else 0] += 1 / max(1, len(pairs))
            aims[1, at, start + b if b >= 0 else 0] += 1 / max(1, len(pairs))
    group_at, group_in, group_gold = _padded(groups, lambda n, gold: [float(i in gold) for i in range(n)])
    several_at, several_in, several_gold = _padded(several, lambda n, gold: gold)
    table, slots = _side_by_side([row for _, row, _ in spans], len(batch))
    held = {
        "ids": ids, "types": types, "mask": mask, "rows": rows, "places": places, "group_at": group_at,
        "group_in": group_in, "group_gold": group_gold, "several_at": several_at, "several_in": several_in,
        "several_gold": several_gold, "flag_at": [at for at, _ in flags], "flag_gold": [gold for _, gold in flags],
        "span_at": [at for at, _, _ in spans], "span_row": [row for _, row, _ in spans],
        "span_table": table, "span_slot": slots, "allowed": allowed, "aims": aims,
    }  # fmt: skip
    whole = {"rows", "places", "flag_at", "span_at", "span_row", "span_slot"}
    return {name: torch.as_tensor(np.asarray(v, dtype=np.int64 if name in whole else None)) for name, v in held.items()}


def _side_by_side(rows: list[int], count: int) -> tuple[np.ndarray, list[int]]:
    """For every row the spans that are asked of it, side by side, and for every span its place there."""
    met: list[list[int]] = [[] for _ in range(count)]
    slots = []
    for span, row in enumerate(rows):
        slots.append(len(met[row]))
        met[row].append(span)
    table = np.zeros((count, max(map(len, met))), dtype=np.int64)
    for row, held in enumerate(met):
        table[row, : len(held)] = held
    return table, slots


def _padded(blocks: list[Any], gold_of: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    widest = max((len(members) for members, _ in blocks), default=1)
    at = np.zeros((len(blocks), widest), dtype=np.int64)
    inside, gold = np.zeros((len(blocks), widest), dtype=bool), np.zeros((len(blocks), widest), dtype=np.float32)
    for place, (members, told) in enumerate(blocks):
        at[place, : len(members)], inside[place, : len(members)] = members, True
        gold[place, : len(members)] = gold_of(len(members), told)
    return at, inside, gold
