"""Learning the reader: `python -m training.learn FOLDER`. Needs PyTorch and transformers, and a GPU to be quick.

The folder holds `base.npz` (the encoder's first weights), `tokenizer.json` and `items.json.gz`; `reader.npz` is written
to the folder that OUT names. The same seed and data give the same weights on the same machine.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn
from transformers import BertConfig, BertModel

LONGEST, LONGEST_TEXT, LONGEST_CONTEXT = 480, 160, 80
EPOCHS = int(os.environ.get("EPOCHS", "14"))
BATCH = 48
SEED = 7


class Reader(nn.Module):
    """The encoder, and what is asked of its states: does a label hold, where do its words begin and end."""

    def __init__(self, base: dict[str, np.ndarray]) -> None:
        super().__init__()
        shape = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
        self.encoder = BertModel(BertConfig(vocab_size=30522, **shape), add_pooling_layer=False)
        weights = {name: torch.tensor(value.astype(np.float32)) for name, value in base.items()}
        told = self.encoder.load_state_dict(weights, strict=False)
        if told.unexpected_keys or [name for name in told.missing_keys if "position_ids" not in name]:
            raise ValueError(f"The base weights do not fit: {told}")
        self.holds = nn.Sequential(nn.Linear(384, 384), nn.GELU(), nn.Dropout(0.1), nn.Linear(384, 1))
        self.begins = nn.Linear(384, 384)
        self.ends = nn.Linear(384, 384)


class Encoder:
    """Items as tensors."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.cls, self.sep, self.mark = (tokenizer.token_to_id(t) for t in ("[CLS]", "[SEP]", "[unused1]"))
        self.kept: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        if text not in self.kept:
            self.kept[text] = self.tokenizer.encode(text, add_special_tokens=False).ids[:40]
        return self.kept[text]

    def encode(self, item: dict[str, Any], rng: random.Random | None) -> dict[str, Any] | None:
        text = item["text"]
        if rng:
            text = disturbed(text, rng)
        words = self.tokenizer.encode(text, add_special_tokens=False)
        tokens, offsets = words.ids[:LONGEST_TEXT], words.offsets[:LONGEST_TEXT]
        context = self.tokenizer.encode(item["context"], add_special_tokens=False).ids[:LONGEST_CONTEXT]
        blocks = list(item["blocks"])
        if rng:
            rng.shuffle(blocks)
            if len(blocks) > 3 and rng.random() < 0.3:
                blocks = blocks[: rng.randint(2, len(blocks))]
        room = LONGEST - len(tokens) - len(context) - 4
        count = sum(len(block["labels"]) for block in blocks)
        each = max(8, min(32, room // max(1, count) - 1))
        sequence, marks, targets = [self.cls], [], []
        for block in blocks:
            labels, gold = list(block["labels"]), block["gold"]
            if rng and block["kind"] in ("span", "spans") and rng.random() < 0.1:
                labels = [label.partition(":")[0] for label in labels]
            if block["kind"] in ("group", "several") and rng:
                order = list(range(1 if block["kind"] == "group" else 0, len(labels)))
                rng.shuffle(order)
                order = [0, *order] if block["kind"] == "group" else order
                labels = [labels[place] for place in order]
                gold = [order.index(g) for g in gold] if block["kind"] == "group" else [gold[place] for place in order]
            needed = sum(1 + min(each, len(self.ids(label))) for label in labels)
            if len(sequence) + needed > LONGEST - len(tokens) - len(context) - 3:
                continue
            first = len(marks)
            for label in labels:
                marks.append(len(sequence))
                sequence += [self.mark, *self.ids(label)[:each]]
            targets.append((block["kind"], first, len(marks), gold))
        if not targets:
            return None
        sequence.append(self.sep)
        start = len(sequence)
        sequence += [*tokens, self.sep]
        types = [0] * start + [1] * (len(tokens) + 1)
        if context:
            sequence += [*context, self.sep]
            types += [0] * (len(context) + 1)
        return {"ids": sequence, "types": types, "marks": marks, "targets": targets, "start": start, "offsets": offsets}


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
    inside = [place for place, (a, b) in enumerate(offsets) if a < span[1] and b > span[0]]
    return (inside[0], inside[-1]) if inside else None


def collate(batch: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """A batch as tensors: the sequences, the places of all labels, and what holds of each block."""
    longest = max(len(one["ids"]) for one in batch)
    ids = np.zeros((len(batch), longest), dtype=np.int64)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    rows, places, base = [], [], 0
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
    for at, (_, row, found) in enumerate(spans):
        start, count = batch[row]["start"], len(batch[row]["offsets"])
        allowed[at, 0] = True
        allowed[at, start : start + count] = True
        for a, b in found or [(-1, -1)]:
            aims[0, at, start + a if a >= 0 else 0] += 1 / max(1, len(found))
            aims[1, at, start + b if b >= 0 else 0] += 1 / max(1, len(found))
    group_at, group_in, group_gold = _padded(groups, lambda n, gold: [float(i in gold) for i in range(n)])
    several_at, several_in, several_gold = _padded(several, lambda n, gold: gold)
    held = {
        "ids": ids, "types": types, "mask": mask, "rows": rows, "places": places, "group_at": group_at,
        "group_in": group_in, "group_gold": group_gold, "several_at": several_at, "several_in": several_in,
        "several_gold": several_gold, "flag_at": [at for at, _ in flags], "flag_gold": [gold for _, gold in flags],
        "span_at": [at for at, _, _ in spans], "span_row": [row for _, row, _ in spans], "allowed": allowed,
        "aims": aims,
    }  # fmt: skip
    whole = {"rows", "places", "flag_at", "span_at", "span_row"}
    return {name: torch.as_tensor(np.asarray(v, dtype=np.int64 if name in whole else None)) for name, v in held.items()}


def _padded(blocks: list[Any], gold_of: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    widest = max((len(members) for members, _ in blocks), default=1)
    at = np.zeros((len(blocks), widest), dtype=np.int64)
    inside, gold = np.zeros((len(blocks), widest), dtype=bool), np.zeros((len(blocks), widest), dtype=np.float32)
    for place, (members, told) in enumerate(blocks):
        at[place, : len(members)], inside[place, : len(members)] = members, True
        gold[place, : len(members)] = gold_of(len(members), told)
    return at, inside, gold


def batch_loss(model: Reader, b: dict[str, torch.Tensor]) -> torch.Tensor:
    """The loss of a batch: every block of every item counts by itself."""
    states = model.encoder(input_ids=b["ids"], token_type_ids=b["types"], attention_mask=b["mask"]).last_hidden_state
    labels = states[b["rows"], b["places"]]
    holds = model.holds(labels).squeeze(-1).float()
    total = holds.sum() * 0
    if len(b["group_at"]):
        likely = F.log_softmax(holds[b["group_at"]].masked_fill(~b["group_in"], float("-inf")), 1)
        right = likely.masked_fill(b["group_gold"] < 0.5, float("-inf"))
        total = total - 0.7 * torch.logsumexp(right, 1).sum()
    if len(b["several_at"]):
        each = F.binary_cross_entropy_with_logits(holds[b["several_at"]], b["several_gold"], reduction="none")
        each = (each * b["several_in"]).sum(1) / b["several_in"].sum(1)
        total = total + 3 * each.sum()
    if len(b["flag_at"]):
        gold = b["flag_gold"].float()
        total = total + 0.5 * F.binary_cross_entropy_with_logits(holds[b["flag_at"]], gold, reduction="sum")
    if len(b["span_at"]):
        keys = states[b["span_row"]]
        for head, aim in ((model.begins, b["aims"][0]), (model.ends, b["aims"][1])):
            scores = torch.einsum("sd,std->st", head(labels[b["span_at"]]), keys).float() / 19.6
            likely = F.log_softmax(scores.masked_fill(~b["allowed"], float("-inf")), 1)
            total = total - (torch.where(aim > 0, likely, torch.zeros_like(likely)) * aim).sum()
    return total / len(b["ids"])


def _length(item: dict[str, Any]) -> int:
    words = sum(min(160, len(label)) for block in item["blocks"] for label in block["labels"])
    return words + len(item["text"]) + len(item["context"])


class Epoch(torch.utils.data.Dataset):
    """The batches of one epoch, encoded by workers, each the same for the same seed."""

    def __init__(self, items: list[dict[str, Any]], encoder: Encoder, epoch: int) -> None:
        order = [item for item in items for _ in range(item.get("weight", 1))]
        rng = random.Random(SEED * 1000 + epoch)
        rng.shuffle(order)
        # Items of like length go together, so that little is spent on padding.
        wide = 40 * BATCH
        order = [item for at in range(0, len(order), wide) for item in sorted(order[at : at + wide], key=_length)]
        self.batches = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
        rng.shuffle(self.batches)
        self.encoder, self.epoch = encoder, epoch

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, at: int) -> dict[str, torch.Tensor]:
        rng = random.Random((SEED, self.epoch, at).__hash__())
        return collate([one for item in self.batches[at] if (one := self.encoder.encode(item, rng))])


def main() -> None:
    """Learn, and write the weights."""
    folder, device = Path(sys.argv[1]), "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        print("There is no GPU here: this takes hours.", file=sys.stderr)
    random.seed(SEED), np.random.seed(SEED), torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    items = json.loads(gzip.decompress((folder / "items.json.gz").read_bytes()))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation(), tokenizer.no_padding()
    encoder, model = Encoder(tokenizer), Reader(dict(np.load(folder / "base.npz"))).to(device)
    heads = [value for name, value in model.named_parameters() if not name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": model.encoder.parameters(), "lr": 1e-4}, {"params": heads, "lr": 5e-4}], weight_decay=0.01
    )
    steps = EPOCHS * len(Epoch(items, encoder, 0))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, s / 300) * max(0.0, 1 - s / steps))
    began = time.time()
    model.train()
    workers = min(14, os.cpu_count() or 1)
    for epoch in range(EPOCHS):
        batches = torch.utils.data.DataLoader(Epoch(items, encoder, epoch), batch_size=None, num_workers=workers)
        losses = []
        for batch in batches:
            held = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = batch_loss(model, held)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        print(f"epoch {epoch} loss {torch.stack(losses).mean():.3f} {time.time() - began:.0f} s", flush=True)
        if epoch >= EPOCHS - 1 or epoch % 4 == 3:
            save(model, Path(os.environ.get("OUT", str(folder))))


def save(model: Reader, out: Path) -> None:
    """Write the weights, in parts that travel."""
    state = {name: value.half().cpu().numpy() for name, value in model.state_dict().items()}
    np.savez(out / "all.npz", **state)
    raw = (out / "all.npz").read_bytes()
    (out / "all.npz").unlink()
    for part, at in enumerate(range(0, len(raw), 15 << 20)):
        (out / f"reader.npz.{part}").write_bytes(raw[at : at + (15 << 20)])


if __name__ == "__main__":
    main()
