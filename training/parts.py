"""Learned weights in files that travel: an archive of arrays in parts of 15 MB, `reader.npz.0` and on."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

__all__ = ["read_learned", "read_parts", "write_parts"]

_PART = 15 << 20


def write_parts(weights: dict[str, np.ndarray], folder: Path) -> None:
    """Write the weights into the folder."""
    whole = io.BytesIO()
    np.savez(whole, **weights)  # type: ignore[arg-type]
    raw = whole.getvalue()
    for part, at in enumerate(range(0, len(raw), _PART)):
        (folder / f"reader.npz.{part}").write_bytes(raw[at : at + _PART])


def read_learned(folder: Path) -> dict[str, np.ndarray]:
    """The weights that were learned into this folder. Raises FileNotFoundError."""
    parts = sorted(folder.glob("reader.npz.*"), key=lambda part: int(part.suffix[1:]))
    if not parts:
        raise FileNotFoundError(f"There are no weights in {folder}: learn first, python -m training.learn.")
    return read_parts(parts)


def read_parts(parts: Sequence[Path]) -> dict[str, np.ndarray]:
    """The weights in these parts of one archive."""
    with np.load(io.BytesIO(b"".join(part.read_bytes() for part in parts))) as held:
        return {name: held[name] for name in held.files}
