"""The samples in a range before each evaluation time, found for all times at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from signalbox.worlds.metrics.labels import Labels
from signalbox.worlds.metrics.promql.values import BoolArray
from signalbox.worlds.noise import FloatArray, IntArray

__all__ = ["Windows", "by_window", "count_before", "windows_over"]

_CELLS = 2_000_000
"""How many samples a function that needs whole windows looks at together."""


@dataclass(frozen=True)
class Windows:
    """The samples of one series, and for every evaluation time which of them ([first, beyond)) are in its window."""

    labels: Labels
    stamps: IntArray
    values: FloatArray
    first: IntArray
    beyond: IntArray
    starts: IntArray
    ends: IntArray
    times: IntArray

    @property
    def count(self) -> IntArray:
        """How many samples each window holds."""
        return self.beyond - self.first

    @property
    def seconds(self) -> float:
        """The width of the windows."""
        return float(self.ends[0] - self.starts[0]) / 1000


def count_before(moments: IntArray, stamps: IntArray, step: int | None = None) -> IntArray:
    """How many stamps are before each moment. If all are multiples of `step` apart and none is missing, this is
    computed, which is far faster than searching."""
    if step and stamps[-1] - stamps[0] == (len(stamps) - 1) * step:
        counts: IntArray = np.clip(-((stamps[0] - moments) // step), 0, len(stamps))
        return counts
    return np.searchsorted(stamps, moments, side="left").astype(np.int64)


def windows_over(
    labels: Labels,
    stamps: IntArray,
    values: FloatArray,
    ends: IntArray,
    width: int,
    times: IntArray,
    step: int | None = None,
) -> Windows:
    """Windows [end - width, end], both ends included, as Prometheus 2 has them. `step` as in `count_before`."""
    starts = ends - width
    first = count_before(starts, stamps, step)
    beyond = count_before(ends + 1, stamps, step)
    return Windows(labels, stamps, values, first, np.maximum(beyond, first), starts, ends, times)


def by_window(
    windows: Windows, compute: Callable[[FloatArray, FloatArray, BoolArray, slice], FloatArray]
) -> FloatArray:
    """The result of `compute` for every window, a part of the windows at a time.

    It gets the values, their seconds after the evaluation time, which cells count, and which part it is.
    """
    result = np.full(windows.first.shape, np.nan)
    for part in _parts(windows):
        first, beyond = windows.first[part], windows.beyond[part]
        index = first[:, None] + np.arange(int((beyond - first).max(initial=1)) or 1)
        valid = index < beyond[:, None]
        index = np.minimum(index, max(len(windows.stamps) - 1, 0))
        age = (windows.stamps[index] - windows.times[part][:, None]) / 1000.0
        result[part] = compute(windows.values[index], age, valid, part)
    return result


def _parts(windows: Windows) -> Iterator[slice]:
    if not len(windows.stamps):
        return
    widest = max(int(windows.count.max(initial=1)), 1)
    stride = max(_CELLS // widest, 1)
    for start in range(0, len(windows.first), stride):
        yield slice(start, start + stride)
