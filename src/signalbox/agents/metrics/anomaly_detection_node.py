"""`anomaly_detection_node`: adds `anomalies` to the state of the metrics agent, and changes nothing else in it.

`anomaly_question_node` stands before the agent in the same map: it takes the wish for anomalies out of the
sentence, since the agent itself answers that it does not do that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from signalbox.agents.metrics.deviations import FEWEST_POINTS, THRESHOLD, Deviation, find_deviations
from signalbox.agents.metrics.present import curves_of
from signalbox.agents.metrics.state import DataPoint, MetricSeries, MetricsQueryResult
from signalbox.drawing.moments import show_span
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value
from signalbox.errors import TimeRangeError
from signalbox.language.time import find_range
from signalbox.settings import now, person_zone

__all__ = ["anomaly_detection_node", "anomaly_question_node"]

_MOST_INTERVALS = 20
# The hour that the agent takes where no time is named is too short to tell what is usual.
_LONG_ENOUGH = "over the last 2 days"
_ODD = (
    r"(?:anomal(?:y|ies|ous)(?:\s+(?:values?|points?|behaviou?r|periods?|patterns?))?|anomaly\s+detection|outliers?"
    r"|(?:unusual|abnormal|strange|odd|weird|suspicious|unexpected)"
    r"(?:\s+(?:values?|points?|behaviou?r|periods?|patterns?|things?|spikes?|changes?))?"
    r"|irregularit(?:y|ies)|deviations?)"
)
_VERB = r"(?:show|find|detect|spot|list|identify|look\s+for|search\s+for|check(?:\s+for)?|give|tell|run|do|perform)"
_OPENING = re.compile(
    rf"^\s*(?:(?:please|can\s+you|could\s+you)\s+)*(?:{_VERB}\s+(?:me\s+)?|(?:are|is|was|were)\s+there\s+|"
    rf"did\s+you\s+see\s+|any\b\s*)?(?:any(?:thing)?\s+|all\s+|some\s+|the\s+)?{_ODD}\s+"
    rf"(?:in|on|of|for|with|about|within)\s+(?:the\s+)?",
    re.IGNORECASE,
)
_COPULA = re.compile(
    rf"\b(?:is|are|was|were|look(?:s|ed)?|behav(?:es?|ed|ing))\s+(?=(?:\w+\s+)?{_ODD}\b)", re.IGNORECASE
)
_WORD = re.compile(rf"\b(?:(?:for|with|and)\s+)?(?:any(?:thing)?\s+)?{_ODD}\b", re.IGNORECASE)
_ASKING = re.compile(
    r"^\s*(?:is|are|was|were|has|have|did|does|do|check|whether|when)\b\s*(?:there\s+)?", re.IGNORECASE
)


def anomaly_question_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """The same question for the curve itself, as the agent answers it; the person's own stays as `original_query`."""
    original = str(state.get("user_query") or "")
    asked = _without_anomalies(original)
    if state.get("previous") is None and not _names_a_time(asked):
        asked = f"{asked} {_LONG_ENOUGH}"
    return {"user_query": asked, "original_query": original}


def _names_a_time(text: str) -> bool:
    try:
        return find_range(text, now(), person_zone()) is not None
    except TimeRangeError:
        return True


def _without_anomalies(text: str) -> str:
    bare, opened = _OPENING.subn("", text, count=1)
    if not opened:
        bare, found = _WORD.subn(" ", _COPULA.sub("", text))
        if not found:
            return text
        bare = _ASKING.sub("", bare)
        bare = re.sub(rf"^\s*{_VERB}\s+", "", bare, flags=re.IGNORECASE)
    bare = re.sub(r"\s+", " ", bare).strip(" ?!.,:;")
    return f"show {bare}" if bare else text


def anomaly_detection_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """What deviates in the curves of the result: method, threshold, and the intervals in order of time.

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
    return {
        "anomalies": {
            "method": _method(list(methods)),
            "threshold": THRESHOLD,
            "count": len(intervals),
            "summary": _summary(result, curves, intervals),
            "intervals": kept,
        }
    }


def _examine(curve: MetricSeries, name: str, unit: str) -> tuple[str, list[dict[str, Any]]]:
    stamps = np.array([point.timestamp.timestamp() for point in curve.datapoints])
    values = np.array([point.value for point in curve.datapoints])
    baseline, found = find_deviations(stamps, values)
    return baseline.method, [_interval(one, curve, name, unit) for one in found]


def _interval(one: Deviation, curve: MetricSeries, name: str, unit: str) -> dict[str, Any]:
    points = curve.datapoints
    start, end, peak = points[one.first], points[one.last], points[one.peak]
    return {
        "start": _iso(start),
        "end": _iso(end),
        "direction": one.direction,
        "peak": {"at": _iso(peak), "value": peak.value},
        "expected": one.expected,
        "score": round(one.score, 1),
        "points": one.last - one.first + 1,
        "labels": dict(curve.labels),
        "text": _told(one, start.timestamp, end.timestamp, peak, name, unit),
    }


def _told(one: Deviation, start: datetime, end: datetime, peak: DataPoint, name: str, unit: str) -> str:
    figures = f"{format_value(peak.value, unit)} against {format_value(one.expected, unit)} expected"
    span = show_span(start, end)
    told = f"{span}: {one.direction} normal, peak {figures} at {format_moment(peak.timestamp)} (score {one.score:.1f})"
    return f"{name}, {told}" if name else told


def _method(methods: list[str]) -> str:
    return (
        f"Baseline: {', '.join(methods)}; scale: median absolute deviation; threshold {THRESHOLD:g}." if methods else ""
    )


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
