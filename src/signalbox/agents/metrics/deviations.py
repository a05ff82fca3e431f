"""Where a curve leaves its usual course: a robust baseline, a robust scale, and the stretches far outside both.

`find_deviations` judges a curve by itself: its baseline is the median of the same time of day over several days, a
rolling median, or the median of all, by how long the curve is. `learn_usual` learns from the history before a window,
so that an incident in the window cannot become its own baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = ["FEWEST_POINTS", "THRESHOLD", "Deviation", "Usual", "find_deviations", "learn_usual"]

Floats = npt.NDArray[np.float64]

FEWEST_POINTS = 12
THRESHOLD = 5.0
"""How many robust standard deviations a value must be away."""
_EDGE = THRESHOLD / 2
_ALONE = 8.0
_ENOUGH = 3
_EDGE_POINTS = 7
_HOUR, _DAY, _ROLLING = 3600.0, 86_400.0, 3 * 3600.0
_MERGED = 300.0
_NORMAL = 1.4826
"""Times the median absolute deviation, this is the standard deviation of a normal distribution."""
# In a curve that hardly varies, a change of less than a tenth is no anomaly, however steady it was.
_SMALLEST = 0.1 / THRESHOLD
_FEWEST_DAYS = 5
_QUANTILES = np.array([0.01, 0.1, 0.5, 0.9, 0.99])


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
class Usual:
    """What history says is usual at each point of a window: the middle, and the least and most that is still usual."""

    middle: Floats
    low: Floats
    high: Floats
    scale: float
    basis: str
    """Where it comes from: "at this time of day, 7 days" or "in the 6 h before"."""


def learn_usual(stamps: Floats, past_stamps: Floats, past: Floats, least_seconds: float) -> Usual | None:
    """Return what is usual at `stamps` by the values of the past; None if the past is too short to tell.

    With most of a week before, a point is compared with the same time of day of the earlier days, else with all.
    """
    span = float(stamps[0] - past_stamps[0]) if len(past) and len(stamps) else 0.0
    if len(past) < FEWEST_POINTS or span < least_seconds:
        return None
    hours, past_hours = (((one % _DAY) // _HOUR).astype(int) for one in (stamps, past_stamps))
    days = (stamps[0] - past_stamps) // _DAY
    alike = [(past_hours - hour + 1) % 24 <= 2 for hour in range(24)]
    is_daily = all(len(np.unique(days[alike[hour]])) >= _FEWEST_DAYS for hour in np.unique(hours))
    groups = [past[one] if one.any() else past for one in alike] if is_daily else [past]
    bands = np.array([_bands(one) for one in groups])
    low, lower, middle, higher, high = (bands if is_daily else np.repeat(bands, 24, axis=0)).T
    # Of what is nearly always the same, such as no errors, the rare exceptions of any time are usual.
    is_flat = lower == higher
    low, high = np.where(is_flat, past.min(), low), np.where(is_flat, past.max(), high)
    scale = _NORMAL * float(np.median(np.abs(past - middle[past_hours]))) or 0.02 * float(np.median(np.abs(past)))
    basis = f"at this time of day, {round(span / _DAY)} days" if is_daily else f"in the {_length(span)} before"
    return Usual(middle[hours], low[hours], high[hours], max(scale, 1e-9), basis)


def _bands(values: Floats) -> Floats:
    """The quantiles of a few hundred values, in a tenth of the time of numpy.quantile."""
    ordered, places = np.sort(values), _QUANTILES * (len(values) - 1)
    below = places.astype(int)
    above = np.minimum(below + 1, len(values) - 1)
    found: Floats = ordered[below] + (places - below) * (ordered[above] - ordered[below])
    return found


def find_deviations(stamps: Floats, values: Floats) -> tuple[str, list[Deviation]]:
    """Return how the baseline was found, and the deviations in order of time; none if there are too few points."""
    if len(values) < FEWEST_POINTS:
        return "none: too few points", []
    method, baseline = _baseline(stamps, values)
    scores = _scores(values, baseline)
    found = [_describe(first, last, scores, baseline) for first, last in _stretches(stamps, scores)]
    return method, [one for one in found if _counts(one, scores)]


def _baseline(stamps: Floats, values: Floats) -> tuple[str, Floats]:
    step = float(np.median(np.diff(stamps)))
    span = float(stamps[-1] - stamps[0])
    if span >= 3 * _DAY and step <= _DAY / 12:
        return "median of the same time of day", _by_time_of_day(stamps, values, step)
    window = max(round(_ROLLING / step), len(values) // 6) | 1
    if window >= 0.75 * len(values):
        return "median of the whole range", np.full(len(values), np.median(values))
    return f"rolling median over {_length(window * step)}", _rolling_median(values, window)


def _by_time_of_day(stamps: Floats, values: Floats, step: float) -> Floats:
    slots = np.floor((stamps % _DAY) / max(step, 300.0)).astype(int)
    middles = {slot: float(np.median(values[slots == slot])) for slot in np.unique(slots)}
    return np.array([middles[slot] for slot in slots])


def _rolling_median(values: Floats, window: int) -> Floats:
    half = window // 2
    # Beyond its ends the curve is mirrored about them, so that a slope is not bent there.
    first, last = np.median(values[:_EDGE_POINTS]), np.median(values[-_EDGE_POINTS:])
    padded = np.concatenate([2 * first - values[half:0:-1], values, 2 * last - values[-2 : -half - 2 : -1]])
    # At most a few hundred windows are computed; between them the baseline is a straight line.
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), 400)).astype(int))
    middles: Floats = np.median(np.lib.stride_tricks.sliding_window_view(padded, window)[places], axis=1)
    return np.interp(np.arange(len(values)), places, middles)


def _scores(values: Floats, baseline: Floats) -> Floats:
    """How far each value is from the baseline, in robust standard deviations, with its sign."""
    away = values - baseline
    middle = float(np.median(np.abs(baseline)))
    everyday = _NORMAL * float(np.median(np.abs(away))) or 1.2533 * float(np.mean(np.abs(away)))
    level = np.maximum(1.0, np.abs(baseline) / middle) if middle else np.ones(len(values))
    scores = np.zeros(len(values))
    for side in (away > 0, away < 0):
        if side.any():
            own = _NORMAL * float(np.median(np.abs(away[side])))
            # A long anomaly is most of its own side, and must not become its own scale.
            scale = max(min(own, 2 * everyday), everyday, _SMALLEST * middle)
            scores[side] = away[side] / (scale * level[side]) if scale else 0.0
    return scores


def _stretches(stamps: Floats, scores: Floats) -> list[tuple[int, int]]:
    """Points beyond the threshold with those around them that are half as far; neighbours are joined."""
    step = float(np.median(np.diff(stamps)))
    found: list[tuple[int, int]] = []
    for place in np.flatnonzero(np.abs(scores) >= THRESHOLD):
        first = last = int(place)
        sign = np.sign(scores[place])
        while first > 0 and scores[first - 1] * sign >= _EDGE:
            first -= 1
        while last + 1 < len(scores) and scores[last + 1] * sign >= _EDGE:
            last += 1
        is_same_side = bool(found) and np.sign(scores[found[-1][1]]) == sign
        if is_same_side and stamps[first] - stamps[found[-1][1]] <= max(_MERGED, 2 * step) + step / 2:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _describe(first: int, last: int, scores: Floats, baseline: Floats) -> Deviation:
    peak = first + int(np.abs(scores[first : last + 1]).argmax())
    score = float(scores[peak])
    return Deviation(first, last, peak, "above" if score > 0 else "below", float(baseline[peak]), abs(score))


def _counts(one: Deviation, scores: Floats) -> bool:
    """True for more than a stray point: several points beyond the threshold, or one far beyond."""
    beyond = int(np.count_nonzero(np.abs(scores[one.first : one.last + 1]) >= THRESHOLD))
    return beyond >= _ENOUGH or one.score >= _ALONE


def _length(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h" if seconds >= 7200 else f"{seconds / 60:.3g} min"
