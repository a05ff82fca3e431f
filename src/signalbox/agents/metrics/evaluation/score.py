"""Says whether the figures of an answer are those that a case expects.

Figures may be off by the tolerance of the case; one in percent, milliseconds or bits equals its ratio, seconds or
bytes, and one that is told in the unit that was asked for counts as it is told. Labels count as far as they tell the
reference's series apart, and more of them are allowed; places in a ranking whose values are as good as equal may
change. A series must also cover the range that is meant, all but a tenth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from signalbox.agents.metrics.evaluation.expectation import tolerance_of

__all__ = ["metrics_misleads", "metrics_right"]

_ONE_FIGURE = ("value", "share", "extreme")
_MOMENT_SECONDS = 600.0
_SCALES = {
    "percent": 0.01,
    "%": 0.01,
    "milliseconds": 0.001,
    "ms": 0.001,
    "bits": 0.125,
    "bits_per_second": 0.125,
}
_SAME_RANGE = 0.9
# A figure near zero beside large ones is as good as zero.
_SMALL = 0.01


def metrics_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if the outcome is the one that is wanted; `wanted` has its figures already."""
    if "error" in wanted:
        return bool(outcome.get("error") == wanted["error"])
    if "empty" in wanted:
        return bool(outcome.get("empty"))
    if "error" in outcome or "kind" not in outcome:
        return False
    judge = {
        "series": _series_right,
        "ranking": _ranking_right,
        "comparison": _comparison_right,
        "extreme": _extreme_right,
    }.get(wanted["kind"], _figure_right)
    tolerance = tolerance_of(wanted)
    return any(judge(outcome, wanted, tolerance, scale) for scale in _scales(outcome))


def metrics_misleads(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if a wrong outcome has figures and does not say what of the question it leaves out.

    That is the most there can be: an answer in another form, a curve for its highest point, counts as well.
    """
    return "kind" in outcome and not outcome.get("empty") and not outcome.get("not_covered")


def _scales(outcome: Mapping[str, Any]) -> list[float]:
    """By what a figure may be multiplied: as it is kept, in its base unit, and in the unit in which it is told."""
    scale = _SCALES.get(str(outcome.get("unit", "")).casefold())
    return [1.0, *(one for one in (scale, outcome.get("shown_factor")) if one is not None)]


def _close(got: Any, want: float, tolerance: float, largest: float = 0.0) -> bool:
    if not isinstance(got, int | float):
        return False
    return abs(got - want) <= tolerance * max(abs(want), _SMALL * largest) + 1e-9


def _figure_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    if outcome["kind"] not in _ONE_FIGURE or outcome.get("value") is None:
        return False
    return _close(outcome["value"] * scale, wanted["figures"]["value"], tolerance)


def _extreme_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    if not _figure_right(outcome, wanted, tolerance, scale) or not outcome.get("at"):
        return False
    at = datetime.fromisoformat(str(outcome["at"]))
    allowed = timedelta(seconds=max(_MOMENT_SECONDS, wanted["figures"]["step"]))
    spans = [tuple(map(datetime.fromisoformat, span)) for span in wanted["figures"]["at"]]
    return any(start - allowed <= at <= end + allowed for start, end in spans)


def _comparison_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = outcome.get("comparison"), wanted["figures"]
    if not got or not all(_close(got[side] * scale, want[side], tolerance) for side in ("a", "b")):
        return False
    if want["change"] is None or got.get("change") is None:
        return want["change"] is got.get("change")
    return bool(abs(got["change"] - want["change"]) <= 2 * tolerance * (1 + abs(want["change"])))


def _ranking_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = outcome.get("ranking") or [], _told_apart(wanted["figures"]["ranking"])
    places = min(int(wanted.get("top") or len(want)), len(want))
    if len(got) < places or (len(got) > places and not wanted.get("more")):
        return False
    largest = max(abs(place["value"]) for place in want)
    left = list(want)
    for place, best in zip(got[:places], want, strict=False):
        known = _with_labels(place["labels"], want)
        if known is None or known not in left or not _close(place["value"] * scale, known["value"], tolerance, largest):
            return False
        if not _close(known["value"], best["value"], tolerance, largest):
            return False
        left.remove(known)
    return True


def _told_apart(places: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The reference's figures with the labels that tell them apart: one that all share says nothing of an answer."""
    shared = set.intersection(*(set(place["labels"].items()) for place in places)) if places else set()
    return [{**place, "labels": dict(set(place["labels"].items()) - shared)} for place in places]


def _with_labels(labels: Mapping[str, str], places: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The one place that the labels of an answer single out, also by fewer labels than the reference has."""
    shared = [place for place in places if place["labels"].keys() & labels.keys() or not place["labels"]]
    fitting = [place for place in shared if all(labels.get(k, v) == v for k, v in place["labels"].items())]
    return fitting[0] if len(fitting) == 1 else None


def _series_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = list(outcome.get("series") or []), _told_apart(wanted["figures"]["series"])
    if outcome["kind"] != "series" or len(got) != len(want) or not _range_right(outcome, wanted):
        return False
    largest = max(abs(one["mean"]) for one in want)
    for one in want:
        found = next((g for g in got if _same_series(g, one, tolerance, scale, largest)), None)
        if found is None:
            return False
        got.remove(found)
    return True


def _range_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """A mean says little about where a curve begins and ends: nearly the same range must have been asked."""
    said, (start, end) = outcome.get("range"), map(datetime.fromisoformat, wanted["figures"]["range"])
    if not said:
        return False
    first, last = (datetime.fromisoformat(str(said[key])) for key in ("start_time", "end_time"))
    return min(last, end) - max(first, start) >= _SAME_RANGE * (max(last, end) - min(first, start))


def _same_series(
    got: Mapping[str, Any], want: Mapping[str, Any], tolerance: float, scale: float, largest: float
) -> bool:
    return bool(
        want["labels"].items() <= got["labels"].items()
        and _close(got["mean"] * scale, want["mean"], tolerance, largest)
    )
