"""Make the `vectors.npz` of `signalbox.language` from the token table of the package `wordllama` (MIT), installed.

    python -m training.vectors

The table was trained so that its first dimensions are a table of their own: reducing it is cutting it.
Lower-case tokens stand for their capitalised twins; a token is kept when it is letters only.
"""

from __future__ import annotations

import json
import re
import struct
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 64
MADE = Path(__file__).parents[1] / "src" / "signalbox" / "language" / "data" / "vectors.npz"
LETTERS = re.compile(r"▁?[A-Za-z]+")


def read_table() -> tuple[dict[str, int], NDArray[np.float32]]:
    """The tokens with their ranks, and their vectors."""
    package = files("wordllama")
    raw = package.joinpath("weights/l2_supercat_256.safetensors").read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    shape = json.loads(raw[8 : 8 + size])["embedding.weight"]["shape"]
    table = np.frombuffer(raw[8 + size :], dtype=np.float16).reshape(shape).astype(np.float32)
    vocabulary = json.loads(package.joinpath("tokenizers/l2_supercat_tokenizer_config.json").read_text())
    return vocabulary["model"]["vocab"], table


def choose_tokens(vocabulary: dict[str, int]) -> dict[str, int]:
    """Each lower-case spelling with the rank of its best token."""
    chosen: dict[str, int] = {}
    for token, rank in sorted(vocabulary.items(), key=lambda item: (item[0] != item[0].lower(), item[1])):
        if LETTERS.fullmatch(token) and token.isascii() | token.startswith("▁"):
            chosen.setdefault(token.lower(), rank)
    return dict(sorted(chosen.items(), key=lambda item: item[1]))


if __name__ == "__main__":
    vocabulary, table = read_table()
    chosen = choose_tokens(vocabulary)
    vectors = table[list(chosen.values()), :DIMENSIONS]
    scale = float(np.percentile(np.abs(vectors), 99.9)) / 127
    rows = np.clip(np.rint(vectors / scale), -127, 127).astype(np.int8)
    tokens = np.frombuffer("\n".join(chosen).encode(), dtype=np.uint8)
    np.savez(MADE, tokens=tokens, rows=rows)
