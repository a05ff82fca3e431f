"""Functions of a range: rates as Prometheus extrapolates them, and the *_over_time family."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from signalbox.worlds.metrics.promql.values import BoolArray
from signalbox.worlds.metrics.promql.windows import Windows, by_window
from signalbox.worlds.noise import FloatArray

__all__ = ["RANGE_FUNCTIONS", "quantile_of_columns"]

Result = tuple[FloatArray, BoolArray]
_EXTRAPOLATE_WITHIN = 1.1


def _extrapolated(windows: Windows, is_counter: bool, is_rate: bool) -> Result:
    """What changed within the window, stretched to its edges where the samples come near enough to them."""
    enough = windows.count >= 2
    if not enough.any():
        return np.full(enough.shape, np.nan), enough
    head, tail = _edges(windows)
    stamps, values = windows.stamps, windows.values
    change = values[tail] - values[head]
    if is_counter:
        lost = _lost_to_resets(values)
        change = change + (lost[tail] - lost[head])
    covered = (stamps[tail] - stamps[head]) / 1000.0
    to_start = (stamps[head] - windows.starts) / 1000.0
    to_end = (windows.ends - stamps[tail]) / 1000.0
    mean_gap = covered / np.maximum(windows.count - 1, 1)
    if is_counter:
        to_zero = covered * (values[head] / change)
        nearer = (change > 0) & (values[head] >= 0) & (to_zero < to_start)
        to_start = np.where(nearer, to_zero, to_start)
    reach = mean_gap * _EXTRAPOLATE_WITHIN
    stretched = covered + np.where(to_start < reach, to_start, mean_gap / 2)
    stretched = stretched + np.where(to_end < reach, to_end, mean_gap / 2)
    factor = stretched / covered
    return change * (factor / windows.seconds if is_rate else factor), enough


def _instant(windows: Windows, is_rate: bool) -> Result:
    """The change between the last two samples."""
    enough = windows.count >= 2
    if not enough.any():
        return np.full(enough.shape, np.nan), enough
    _, tail = _edges(windows)
    before = np.maximum(tail - 1, 0)
    last, previous = windows.values[tail], windows.values[before]
    change = np.where(last < previous, last, last - previous) if is_rate else last - previous
    gap = (windows.stamps[tail] - windows.stamps[before]) / 1000.0
    return (change / gap if is_rate else change), enough & (gap > 0)


def _edges(windows: Windows) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]:
    """The indices of the first and last sample of each window, in bounds also for empty ones."""
    top = max(len(windows.stamps) - 1, 0)
    return np.minimum(windows.first, top), np.clip(windows.beyond - 1, 0, top)


def _lost_to_resets(values: FloatArray) -> FloatArray:
    """What a counter had reached before each of its resets, summed up to each sample."""
    lost = np.zeros_like(values)
    lost[1:] = np.cumsum(np.where(values[1:] < values[:-1], values[:-1], 0.0))
    return lost


def _events(windows: Windows, happened: BoolArray) -> Result:
    """How many of the events between neighbouring samples fall within each window."""
    some = windows.count >= 1
    if not some.any():
        return np.full(some.shape, np.nan), some
    passed = np.concatenate([[0], np.cumsum(happened)]).astype(np.float64)
    head, tail = _edges(windows)
    return passed[tail] - passed[head], some


def _changes(windows: Windows) -> Result:
    left, right = windows.values[:-1], windows.values[1:]
    return _events(windows, (left != right) & ~(np.isnan(left) & np.isnan(right)))


def _resets(windows: Windows) -> Result:
    return _events(windows, windows.values[1:] < windows.values[:-1])


def _reduced(ufunc: np.ufunc) -> Callable[[Windows], Result]:
    """A reduction over each window, such as a sum."""

    def function(windows: Windows) -> Result:
        some = windows.count >= 1
        pairs = np.column_stack([windows.first, windows.beyond]).ravel()
        padded = np.append(windows.values, 0.0)
        return np.asarray(ufunc.reduceat(padded, pairs)[::2], dtype=np.float64), some

    return function


_sum = _reduced(np.add)


def _average(windows: Windows) -> Result:
    total, some = _sum(windows)
    return total / windows.count, some


def _count(windows: Windows) -> Result:
    return windows.count.astype(np.float64), windows.count >= 1


def _present(windows: Windows) -> Result:
    return np.ones(windows.first.shape), windows.count >= 1


def _last(windows: Windows) -> Result:
    some = windows.count >= 1
    if not some.any():
        return np.full(some.shape, np.nan), some
    return windows.values[_edges(windows)[1]], some


def _variance(windows: Windows) -> Result:
    def compute(values: FloatArray, _: FloatArray, valid: BoolArray, part: slice) -> FloatArray:
        count = valid.sum(axis=1)
        mean = np.where(valid, values, 0.0).sum(axis=1) / count
        squares = np.where(valid, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
        return np.asarray(squares / count)

    return by_window(windows, compute), windows.count >= 1


def _deviation(windows: Windows) -> Result:
    variance, some = _variance(windows)
    return np.sqrt(variance), some


def _quantile(windows: Windows, q: FloatArray) -> Result:
    def compute(values: FloatArray, _: FloatArray, valid: BoolArray, part: slice) -> FloatArray:
        return quantile_of_columns(q[part], values.T, valid.T)

    return by_window(windows, compute), windows.count >= 1


def quantile_of_columns(q: FloatArray, values: FloatArray, valid: BoolArray) -> FloatArray:
    """The quantile of the valid cells of each column, interpolated; NaN counts as the smallest value."""
    count = valid.sum(axis=0)
    inside = (q >= 0) & (q <= 1)
    nans = (valid & np.isnan(values)).sum(axis=0)
    ordered = np.sort(np.where(valid & ~np.isnan(values), values, np.inf), axis=0)
    rank = np.where(inside, q, 0.0) * (count - 1)
    low = np.floor(np.maximum(rank, 0)).astype(np.int64)
    high = np.minimum(low + 1, np.maximum(count - 1, 0))
    columns = np.arange(len(count))
    weight = rank - low

    def pick(index: np.ndarray[tuple[int], np.dtype[np.int64]]) -> FloatArray:
        place = np.clip(index - nans, 0, len(ordered) - 1)
        return np.where(index < nans, np.nan, ordered[place, columns])

    outside = np.where(np.isnan(q), np.nan, np.copysign(np.inf, q - 0.5))
    return np.where(inside, pick(low) * (1 - weight) + pick(high) * weight, outside)


def _slope_and_level(windows: Windows) -> tuple[FloatArray, FloatArray]:
    """The least-squares line through each window: its slope, and its level at the evaluation time."""
    level = np.full(windows.first.shape, np.nan)

    def compute(values: FloatArray, age: FloatArray, valid: BoolArray, part: slice) -> FloatArray:
        count = valid.sum(axis=1)
        mean_age = np.where(valid, age, 0.0).sum(axis=1) / count
        mean = np.where(valid, values, 0.0).sum(axis=1) / count
        away = np.where(valid, age - mean_age[:, None], 0.0)
        rise = np.where(valid, values - mean[:, None], 0.0)
        slope: FloatArray = (away * rise).sum(axis=1) / (away**2).sum(axis=1)
        level[part] = mean - slope * mean_age
        return slope

    return by_window(windows, compute), level


def _derivative(windows: Windows) -> Result:
    return _slope_and_level(windows)[0], windows.count >= 2


def _predicted(windows: Windows, ahead: FloatArray) -> Result:
    slope, level = _slope_and_level(windows)
    return slope * ahead + level, windows.count >= 2


RANGE_FUNCTIONS: dict[str, Callable[..., Result]] = {
    "rate": lambda windows: _extrapolated(windows, is_counter=True, is_rate=True),
    "increase": lambda windows: _extrapolated(windows, is_counter=True, is_rate=False),
    "delta": lambda windows: _extrapolated(windows, is_counter=False, is_rate=False),
    "irate": lambda windows: _instant(windows, is_rate=True),
    "idelta": lambda windows: _instant(windows, is_rate=False),
    "deriv": _derivative,
    "predict_linear": _predicted,
    "changes": _changes,
    "resets": _resets,
    "sum_over_time": _sum,
    "min_over_time": _reduced(np.fmin),
    "max_over_time": _reduced(np.fmax),
    "avg_over_time": _average,
    "count_over_time": _count,
    "last_over_time": _last,
    "present_over_time": _present,
    "stddev_over_time": _deviation,
    "stdvar_over_time": _variance,
    "quantile_over_time": _quantile,
}
"""By name: what a function makes of the windows of one series, and of its scalar arguments."""
