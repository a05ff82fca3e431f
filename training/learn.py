"""Learning the reader: `python -m training.learn FOLDER`. Needs PyTorch and transformers; a GPU makes it quick.

The folder holds `start.npz` (the first weights, as half floats), `tokenizer.json` and `items.json.gz`; the weights are
written in parts that travel, `reader.npz.0` and on, to the folder that OUT names, else to `FOLDER/out`. The seed is
fixed: the same data give the same weights on the same machine, unless the clock (`--minutes`) cuts it short.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn
from transformers import BertConfig, BertModel

from training.encode import Coder, collate
from training.parts import read_learned, read_parts, write_parts

SEED = 7


class Reader(nn.Module):
    """The encoder, and what is asked of its states: does a label hold, where do its words begin and end."""

    def __init__(self, start: dict[str, np.ndarray], dropout: float) -> None:
        super().__init__()
        shape = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
        drops = {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
        self.encoder = BertModel(BertConfig(vocab_size=30522, **shape, **drops), add_pooling_layer=False)
        self.holds = nn.Sequential(nn.Linear(384, 384), nn.GELU(), nn.Dropout(0.1), nn.Linear(384, 1))
        self.begins = nn.Linear(384, 384)
        self.ends = nn.Linear(384, 384)
        weights = {name: torch.tensor(value.astype(np.float32)) for name, value in start.items()}
        told = self.load_state_dict(weights, strict=False)
        missing = [name for name in told.missing_keys if name.startswith("encoder.") and "position_ids" not in name]
        if told.unexpected_keys or missing:
            raise ValueError(f"The first weights do not fit: {told}")

    def freeze(self, layers: int) -> None:
        """Leave the embeddings and the first layers as they are: learning on is then a third cheaper."""
        frozen = ["encoder.embeddings.", *(f"encoder.encoder.layer.{layer}." for layer in range(layers))]
        for name, value in self.named_parameters():
            value.requires_grad_(not name.startswith(tuple(frozen)))


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
        # Side by side in their rows: taking each row's states once for every span costs many times as much.
        asked = labels[b["span_at"]][b["span_table"]]
        for head, aim in ((model.begins, b["aims"][0]), (model.ends, b["aims"][1])):
            scores = torch.bmm(head(asked), states.transpose(1, 2))[b["span_row"], b["span_slot"]].float() / 19.6
            likely = F.log_softmax(scores.masked_fill(~b["allowed"], float("-inf")), 1)
            total = total - (torch.where(aim > 0, likely, torch.zeros_like(likely)) * aim).sum()
    return total / len(b["ids"])


class Epoch(torch.utils.data.Dataset):
    """The batches of one epoch, each the same for the same seed."""

    def __init__(self, items: list[dict[str, Any]], coder: Coder, size: int, epoch: int, seed: int = SEED) -> None:
        rng = random.Random(seed * 1000 + epoch)
        # A weight of 0.3 is seen in about every third epoch.
        order = [item for item in items for _ in range(_times(item["weight"], rng))]
        rng.shuffle(order)
        # Items of like length go together, so that little is spent on padding.
        wide = 40 * size
        order = [item for at in range(0, len(order), wide) for item in sorted(order[at : at + wide], key=coder.length)]
        self.batches = [order[at : at + size] for at in range(0, len(order), size)]
        rng.shuffle(self.batches)
        self.coder, self.epoch, self.seed = coder, epoch, seed

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, at: int) -> dict[str, torch.Tensor]:
        rng = random.Random(f"{self.seed} {self.epoch} {at}")
        return collate([one for item in self.batches[at] if (one := self.coder.encode(item, rng))])


def _times(weight: float, rng: random.Random) -> int:
    return int(weight) + (rng.random() < weight - int(weight))


def main() -> None:
    """Learn, and write the weights."""
    cuda = torch.cuda.is_available()
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--again", action="store_true", help="start from the weights that the last run left in OUT")
    asked.add_argument("--seed", type=int, default=SEED, help="another one disturbs the sentences in other ways")
    asked.add_argument("--epochs", type=int, default=20)
    asked.add_argument("--batch", type=int, default=192 if cuda else 16)
    asked.add_argument("--rate", type=float, default=1.8e-4, help="of the encoder; heads: four times")
    asked.add_argument("--warm", type=int, default=400 if cuda else 30, help="steps until the rate is reached")
    asked.add_argument("--minutes", type=float, default=0, help="end by then, the rate falling with the clock")
    asked.add_argument("--frozen", type=int, default=-1, help="so many layers stay as they are, and the embeddings")
    asked.add_argument("--longest", type=int, default=480, help="tokens in a sequence")
    asked.add_argument("--keep", type=float, default=0.0, help="so much of the first weights stays in the last ones")
    asked.add_argument("--dropout", type=float, default=0.1)
    told = asked.parse_args()
    if not cuda:
        print("There is no GPU here: all of it takes a day.", flush=True)
        torch.set_num_threads(int(os.environ.get("THREADS", "1")))
    learn(told, "cuda" if cuda else "cpu")


def learn(told: argparse.Namespace, device: str) -> None:
    """The whole of it."""
    random.seed(told.seed), np.random.seed(told.seed), torch.manual_seed(told.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    items = json.loads(gzip.decompress((told.folder / "items.json.gz").read_bytes()))
    items = [item for item in items if not item.get("kept")]
    tokenizer = Tokenizer.from_file(str(told.folder / "tokenizer.json"))
    coder = Coder(tokenizer, told.longest)
    out = Path(os.environ.get("OUT", str(told.folder / "out")))
    out.mkdir(exist_ok=True)
    first = read_learned(out) if told.again else read_parts([told.folder / "start.npz"])
    model = Reader(first, told.dropout).to(device)
    if told.frozen >= 0:
        model.freeze(told.frozen)
    heads = [value for name, value in model.named_parameters() if not name.startswith("encoder.")]
    body = [value for value in model.encoder.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": told.rate}, {"params": heads, "lr": 4 * told.rate}], weight_decay=0.01, fused=True
    )
    steps = told.epochs * len(Epoch(items, coder, told.batch, 0))
    print(f"{len(items)} items, {steps} steps", flush=True)
    began = saved = time.time()
    model.train()
    done = 0
    for epoch in range(told.epochs):
        batches = torch.utils.data.DataLoader(
            Epoch(items, coder, told.batch, epoch, told.seed),
            batch_size=None,
            num_workers=min(14, os.cpu_count() or 1) if device == "cuda" else 0,
            pin_memory=device == "cuda",
            prefetch_factor=8 if device == "cuda" else None,
        )
        losses: list[torch.Tensor] = []
        for batch in batches:
            passed = (time.time() - began) / 60
            through = max(done / steps, passed / told.minutes if told.minutes else 0)
            if through >= 1:
                break
            for group, rate in zip(optimizer.param_groups, (told.rate, 4 * told.rate), strict=True):
                group["lr"] = rate * min(1, (done + 1) / told.warm) * (1 - through)
            held = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                loss = batch_loss(model, held)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*body, *heads], 1.0)
            optimizer.step()
            losses.append(loss.detach())
            done += 1
            if device == "cpu" and done % 50 == 0:
                recent = torch.stack(losses[-50:]).mean()
                print(f"step {done} loss {recent:.3f} {passed:.1f} min", flush=True)
            if time.time() - saved > 480:
                save(model, out)
                saved = time.time()
        if losses:
            print(f"epoch {epoch} loss {torch.stack(losses).mean():.3f} {time.time() - began:.0f} s", flush=True)
        if told.minutes and (time.time() - began) / 60 >= told.minutes:
            break
    if told.keep:
        # A little of what was is forgotten less, and what is new stays.
        mixed = {name: torch.tensor(value.astype(np.float32)).to(device) for name, value in first.items()}
        model.load_state_dict(
            {name: torch.lerp(value, mixed.get(name, value), told.keep) for name, value in model.state_dict().items()}
        )
    save(model, out)


def save(model: Reader, out: Path) -> None:
    """Write the weights, in parts that travel."""
    write_parts({name: value.half().cpu().numpy() for name, value in model.state_dict().items()}, out)


if __name__ == "__main__":
    main()
