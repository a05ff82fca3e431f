"""Values that cannot be: negative rates, ratios below 0 or above 1. They are counted, said, and left out of figures.

One measure minus another may be negative: for a `Measure` with `is_difference`, pass "gauge" as its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.promapi import Curve

__all__ = ["beyond_whole", "impossible", "without_impossible"]

# A rate is extrapolated from its samples, so a share may come out a little beyond its bounds.
_SLACK = 0.05
# More seconds in a second than any machine has cores: a counter that was reset and restored.
_MOST_CORES = 1e4
_NEVER_NEGATIVE = ("seconds", "milliseconds", "bytes")


def impossible(values: Sequence[float], unit: str, measure_type: str) -> str:
    """Return a sentence that counts the values a measure of this unit and type cannot have; "" if there are none."""
    low, high = _bounds(unit, measure_type)
    if not values or (min(values) >= low and max(values) <= high):
        return ""
    count = sum(not low <= value <= high for value in values)
    many, are = ("values", "are") if count > 1 else ("value", "is")
    return f"{count} {many} {are} impossible for {_why(unit, measure_type)} and {are} not used."


def beyond_whole(values: Sequence[float], unit: str) -> str:
    """Return a remark on a gauge that is named a ratio and is above 1; "" if it is not. Not every ratio is a share of a
    whole, so nothing is left out."""
    if unit != "ratio" or not values or max(values) <= 1 + _SLACK:
        return ""
    return "That is beyond 100%: impossible if it is a share of a whole."


def without_impossible(curve: Curve, unit: str, measure_type: str) -> Curve:
    """Return the curve without the points that `impossible` counts."""
    low, high = _bounds(unit, measure_type)
    kept = [(s, v) for s, v in zip(curve.stamps, curve.values, strict=True) if low <= v <= high]
    if len(kept) == len(curve.values):
        return curve
    return replace(curve, stamps=[stamp for stamp, _ in kept], values=[value for _, value in kept])


def _bounds(unit: str, measure_type: str) -> tuple[float, float]:
    """The lowest and the highest value that can be."""
    whole = {"ratio": 1.0, "percent": 100.0}.get(unit, 0.0)
    if measure_type == "ratio":
        return -_SLACK * (whole or 1.0), (1 + _SLACK) * (whole or 1.0)
    if measure_type == "counter":
        return 0.0, _MOST_CORES if unit == "ratio" else float("inf")
    if measure_type in ("histogram", "summary") and unit in _NEVER_NEGATIVE:
        return 0.0, float("inf")
    # A gauge may be a change, of which less than -100% cannot be; upwards there is no end.
    return -whole if whole else float("-inf"), float("inf")


def _why(unit: str, measure_type: str) -> str:
    if measure_type == "ratio":
        return "a percentage of a whole (below 0 or above 100)" if unit == "percent" else "a ratio (below 0 or above 1)"
    if measure_type == "counter":
        return f"a counter's rate (below 0{' or above 10,000 cores' if unit == 'ratio' else ''}, as after a reset)"
    return "a share (below -100%)" if unit in ("ratio", "percent") else f"{unit} (below 0)"
