"""How far the reader can be trusted: a temperature for each kind of block, fitted on what was kept out of learning.

The weights that ship are asked, integers and all. A temperature above one makes what is said less sure. Stretches of
words have none: there it is rarely in doubt whether something is said, but how much of it, which no temperature tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from signalbox.models.offline.encoder import Encoder
from signalbox.models.offline.labels import Block

__all__ = ["calibrate", "observed"]

_TRIED = np.exp(np.linspace(np.log(0.5), np.log(4.0), 61))
_MOST = 1500


def calibrate(items: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, float]:
    """Fit a temperature for each kind of block and write them to the heads in the folder."""
    with np.load(folder / "heads.npz") as held:
        heads = {name: held[name] for name in held.files if not name.startswith("temperature.")}
    np.savez_compressed(folder / "heads.npz", **heads)
    kept = [item for item in items if item.get("kept")]
    # Of every file as many as its share: they stand one after the other.
    kept = kept[:: -(-len(kept) // _MOST)]
    seen = observed(Encoder(folder), kept)
    fitted = {kind: _fitted(rows) for kind, rows in seen.items() if len(rows) >= 50}
    for kind, rows in seen.items():
        print(f"{kind}: {len(rows)} blocks, temperature {fitted.get(kind, 1.0):.2f}")
    told: dict[str, np.ndarray] = {f"temperature.{kind}": np.array(value) for kind, value in fitted.items()}
    np.savez_compressed(folder / "heads.npz", **(heads | told))
    return fitted


def observed(encoder: Encoder, items: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[np.ndarray, int]]]:
    """What was judged of blocks: the logarithms of the chances of all that may hold, and the place of what does."""
    seen: dict[str, list[tuple[np.ndarray, int]]] = {}
    for item in items:
        blocks = [
            Block(str(place), block["kind"], tuple(block["labels"])) for place, block in enumerate(item["blocks"])
        ]
        judged = encoder.judge(blocks, item["text"], item["context"])
        for block, asked in zip(blocks, item["blocks"], strict=True):
            if block.kind in _READ:
                seen.setdefault(block.kind, []).extend(_READ[block.kind](judged[block.key], asked["gold"]))
    return seen


def _group(judged: Any, gold: Sequence[int]) -> list[tuple[np.ndarray, int]]:
    return [(np.log(np.maximum(judged.holds, 1e-9)), gold[0])] if len(gold) == 1 else []


def _each(judged: Any, gold: Sequence[float]) -> list[tuple[np.ndarray, int]]:
    chances = np.clip(judged.holds, 1e-9, 1 - 1e-9)
    return [(np.log([1 - chance, chance]), int(held > 0.5)) for chance, held in zip(chances, gold, strict=True)]


def _flag(judged: Any, gold: float) -> list[tuple[np.ndarray, int]]:
    return _each(judged, [gold])


_READ: dict[str, Callable[[Any, Any], list[tuple[np.ndarray, int]]]] = {
    "group": _group,
    "several": _each,
    "flag": _flag,
}


def _fitted(rows: Sequence[tuple[np.ndarray, int]]) -> float:
    """The temperature under which what happened was likeliest."""

    def cost(heat: float) -> float:
        return -sum(float((row / heat)[gold] - np.logaddexp.reduce(row / heat)) for row, gold in rows)

    return float(min(_TRIED, key=cost))
