"""What was learned, as the files that the offline model reads: an int8 ONNX encoder, and the heads beside it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from training.base import NAMES

__all__ = ["export"]


def export(base: Path, learned: dict[str, np.ndarray], folder: Path) -> None:
    """Write `reader.onnx` and `heads.npz` into the folder."""
    model = onnx.load(str(base))
    for one in model.graph.initializer:
        if one.name in NAMES:
            theirs, turned = NAMES[one.name]
            value = learned[f"encoder.{theirs}"].astype(np.float32)
            one.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value.T if turned else value), one.name))
    with tempfile.TemporaryDirectory() as place:
        whole = Path(place) / "whole.onnx"
        onnx.save(model, str(whole))
        # Weights of seven bits: with and without VNNI the products then are the same.
        quantize_dynamic(
            whole, folder / "reader.onnx", weight_type=QuantType.QInt8, reduce_range=True, per_channel=True
        )
    heads = {name: value.astype(np.float32) for name, value in learned.items() if not name.startswith("encoder.")}
    np.savez_compressed(folder / "heads.npz", **heads)
