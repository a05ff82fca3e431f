"""`anomaly_detection_node`: adds `anomalies` to the state of the metrics agent, and changes nothing else in it.

`anomaly_question_node` stands before the agent in the same map and asks for a curve: by itself, the agent answers that
it does not detect anomalies.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

import numpy as np

from signalbox.agents.metrics.deviations import FEWEST_POINTS, THRESHOLD, Deviation, find_deviations
from signalbox.agents.metrics.present import curves_of
from signalbox.agents.metrics.state import DataPoint, MetricSeries, MetricsQueryResult
from signalbox.drawing.moments import show_span
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value

__all__ = ["anomaly_detection_node", "anomaly_question_node"]

_MOST_INTERVALS = 20


def anomaly_question_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Ask the agent for a curve that is long enough to show what is usual."""
    return {"seeks": "anomalies"}


def anomaly_detection_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what deviates in the curves of the result: method, threshold, and the intervals in order of time.

    A state with an error passes unchanged.
    """
    result = state.get("result")
    if result is None or state.get("error") is not None:
        return {}
    curves = curves_of(result)
    names = series_names([one.labels for one in curves], "")
    methods: dict[str, None] = {}
    intervals: list[dict[str, Any]] = []
    for curve, name in zip(curves, names, strict=True):
        method, found = _examine(curve, name if len(curves) > 1 else "", result.unit)
        methods[method] = None
        intervals += found
    kept = sorted(sorted(intervals, key=lambda one: -one["score"])[:_MOST_INTERVALS], key=lambda one: one["start"])
    scale = f"scale: median absolute deviation; threshold {THRESHOLD:g}."
    return {
        "anomalies": {
            "method": f"Baseline: {', '.join(methods)}; {scale}" if methods else "",
            "threshold": THRESHOLD,
            "count": len(intervals),
            "summary": _summary(result, curves, intervals),
            "intervals": kept,
        }
    }


def _examine(curve: MetricSeries, name: str, unit: str) -> tuple[str, list[dict[str, Any]]]:
    stamps = np.array([point.timestamp.timestamp() for point in curve.datapoints])
    method, found = find_deviations(stamps, np.array([point.value for point in curve.datapoints]))
    return method, [_interval(one, curve, name, unit) for one in found]


def _interval(one: Deviation, curve: MetricSeries, name: str, unit: str) -> dict[str, Any]:
    start, end, peak = (curve.datapoints[at] for at in (one.first, one.last, one.peak))
    figures = f"{format_value(peak.value, unit)} against {format_value(one.expected, unit)} expected"
    at = f"{format_moment(peak.timestamp)} (score {one.score:.1f})"
    told = f"{show_span(start.timestamp, end.timestamp)}: {one.direction} normal, peak {figures} at {at}"
    return {
        "start": _iso(start),
        "end": _iso(end),
        "direction": one.direction,
        "peak": {"at": _iso(peak), "value": peak.value},
        "expected": one.expected,
        "score": round(one.score, 1),
        "points": one.last - one.first + 1,
        "labels": dict(curve.labels),
        "text": f"{name}, {told}" if name else told,
    }


def _summary(result: MetricsQueryResult, curves: list[MetricSeries], intervals: list[dict[str, Any]]) -> str:
    if max((len(one.datapoints) for one in curves), default=0) < FEWEST_POINTS:
        return f"Too few points to tell what is usual: at least {FEWEST_POINTS} are needed, so ask for a longer curve."
    where = f" in {len(curves)} series" if len(curves) > 1 else ""
    if not intervals:
        return f"No anomalies in {result.metric_name}{where}."
    many = "anomaly" if len(intervals) == 1 else "anomalies"
    shown = f", the {_MOST_INTERVALS} strongest of them" if len(intervals) > _MOST_INTERVALS else ""
    return f"{len(intervals)} {many} in {result.metric_name}{where}{shown}:"


def _iso(point: DataPoint) -> str:
    return point.timestamp.astimezone(UTC).isoformat()
