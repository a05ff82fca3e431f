"""Where a curve leaves its usual course: a robust baseline, a robust scale, and the stretches far outside both.

The baseline is the median of the same time of day over several days, or a rolling median, or the median of all,
by how long the curve is. The scale is the median absolute deviation from it, upwards and downwards apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["FEWEST_POINTS", "THRESHOLD", "Baseline", "Deviation", "find_deviations"]

Floats = npt.NDArray[np.float64]

FEWEST_POINTS = 12
THRESHOLD = 5.0
"""How many robust standard deviations a value must be away."""
_EDGE = THRESHOLD / 2
_ALONE = 8.0
_ENOUGH = 3
_EDGE_POINTS = 7
_DAY, _ROLLING = 86_400.0, 3 * 3600.0
_MERGED = 300.0
# Of a curve that hardly varies, a change of less than a tenth is no anomaly, however steady it was.
_SMALLEST = 0.1 / THRESHOLD


@dataclass(frozen=True)
class Deviation:
    """A stretch of points, from index `first` to `last`; `peak` is the furthest of them."""

    first: int
    last: int
    peak: int
    direction: Literal["above", "below"]
    expected: float
    score: float


@dataclass(frozen=True)
class Baseline:
    """What the values are held against, and in which way it was found."""

    values: Floats
    method: str


def find_deviations(stamps: Floats, values: Floats) -> tuple[Baseline, list[Deviation]]:
    """The baseline of a curve and its deviations in order of time; none where it has too few points."""
    if len(values) < FEWEST_POINTS:
        return Baseline(values, "none: too few points"), []
    baseline = _baseline(stamps, values)
    scores = _scores(values, baseline.values)
    found = [_describe(first, last, scores, baseline.values) for first, last in _stretches(stamps, scores)]
    return baseline, [one for one in found if _counts(one, scores)]


def _baseline(stamps: Floats, values: Floats) -> Baseline:
    step = float(np.median(np.diff(stamps)))
    span = float(stamps[-1] - stamps[0])
    if span >= 3 * _DAY and step <= _DAY / 12:
        return Baseline(_by_time_of_day(stamps, values, step), "median of the same time of day")
    window = max(round(_ROLLING / step), len(values) // 6) | 1
    if window >= 0.75 * len(values):
        return Baseline(np.full(len(values), np.median(values)), "median of the whole range")
    return Baseline(_rolling_median(values, window), f"rolling median over {_minutes(window * step)}")


def _by_time_of_day(stamps: Floats, values: Floats, step: float) -> Floats:
    slots = np.floor((stamps % _DAY) / max(step, 300.0)).astype(int)
    middles = {slot: float(np.median(values[slots == slot])) for slot in np.unique(slots)}
    return np.array([middles[slot] for slot in slots])


def _rolling_median(values: Floats, window: int) -> Floats:
    half = window // 2
    # Beyond its ends the curve is turned about them, so that one which rises or falls is not bent there.
    first, last = np.median(values[:_EDGE_POINTS]), np.median(values[-_EDGE_POINTS:])
    padded = np.concatenate([2 * first - values[half:0:-1], values, 2 * last - values[-2 : -half - 2 : -1]])
    # At most a few hundred windows are worked out; between them the baseline is a straight line.
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), 400)).astype(int))
    middles = np.median(np.lib.stride_tricks.sliding_window_view(padded, window)[places], axis=1)
    return np.interp(np.arange(len(values)), places, middles)


def _scores(values: Floats, baseline: Floats) -> Floats:
    """How far each value is from the baseline, in robust standard deviations, with its sign."""
    away = values - baseline
    middle = float(np.median(np.abs(baseline)))
    everyday = 1.4826 * float(np.median(np.abs(away))) or 1.2533 * float(np.mean(np.abs(away)))
    level = np.maximum(1.0, np.abs(baseline) / middle) if middle else np.ones(len(values))
    scores = np.zeros(len(values))
    for side in (away > 0, away < 0):
        if side.any():
            own = 1.4826 * float(np.median(np.abs(away[side])))
            # A long anomaly is most of its own side, and must not become its measure.
            scale = max(min(own, 2 * everyday), everyday, _SMALLEST * middle)
            scores[side] = away[side] / (scale * level[side]) if scale else 0.0
    return scores


def _stretches(stamps: Floats, scores: Floats) -> list[tuple[int, int]]:
    """Points beyond the threshold with those around them that are half as far; neighbours become one."""
    step = float(np.median(np.diff(stamps)))
    found: list[tuple[int, int]] = []
    for place in np.flatnonzero(np.abs(scores) >= THRESHOLD):
        first = last = int(place)
        sign = np.sign(scores[place])
        while first > 0 and scores[first - 1] * sign >= _EDGE:
            first -= 1
        while last + 1 < len(scores) and scores[last + 1] * sign >= _EDGE:
            last += 1
        same = bool(found) and np.sign(scores[found[-1][1]]) == sign
        if same and stamps[first] - stamps[found[-1][1]] <= max(_MERGED, 2 * step) + step / 2:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _describe(first: int, last: int, scores: Floats, baseline: Floats) -> Deviation:
    peak = first + int(np.abs(scores[first : last + 1]).argmax())
    score = float(scores[peak])
    return Deviation(first, last, peak, "above" if score > 0 else "below", float(baseline[peak]), abs(score))


def _counts(one: Deviation, scores: Floats) -> bool:
    """Whether it is more than a stray point: several points beyond the threshold, or one far beyond."""
    beyond = int(np.count_nonzero(np.abs(scores[one.first : one.last + 1]) >= THRESHOLD))
    return beyond >= _ENOUGH or one.score >= _ALONE


def _minutes(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h" if seconds >= 7200 else f"{seconds / 60:.3g} min"
