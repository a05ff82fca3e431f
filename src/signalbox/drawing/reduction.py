"""Fewer points that look the same: each stretch keeps its lowest and highest point, so no peak is lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["keep_extremes", "split_at_gaps"]

_GAP = 2.5


def keep_extremes(values: Sequence[float], most: int) -> list[int]:
    """The indices of at most `most` values: the first, the last, and the extremes of equal stretches between them."""
    count = len(values)
    if count <= most:
        return list(range(count))
    width = -(-count // max(1, (most - 2) // 2))
    # The last stretch is filled up with its own last value, which changes neither of its extremes.
    filled = np.pad(np.asarray(values, dtype=float), (0, -count % width), mode="edge").reshape(-1, width)
    starts = np.arange(len(filled)) * width
    extremes = np.concatenate([starts + filled.argmin(axis=1), starts + filled.argmax(axis=1), [0, count - 1]])
    return [int(place) for place in np.unique(np.minimum(extremes, count - 1))]


def split_at_gaps(stamps: Sequence[float]) -> list[tuple[int, int]]:
    """The stretches [from, to) without a gap of more than two steps; a curve is not joined across gaps."""
    if len(stamps) < 3:
        return [(0, len(stamps))] if len(stamps) else []
    steps: npt.NDArray[np.float64] = np.diff(np.asarray(stamps, dtype=float))
    holes = [int(i) + 1 for i in np.flatnonzero(steps > _GAP * np.median(steps))]
    return list(zip([0, *holes], [*holes, len(stamps)], strict=True))
