"""The answer in the contract's shape: points, figures, and a summary of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from pydantic import BaseModel

from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.found import (
    MOST_SERIES,
    Found,
    by_mean,
    label_key,
    mean_of,
    moments_of,
    sum_of,
)
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.result_text import query_words
from signalbox.agents.metrics.sanity import impossible
from signalbox.agents.metrics.sentences import summarize
from signalbox.agents.metrics.slots import Slots
from signalbox.agents.metrics.state import (
    AggregationStats,
    BeyondThreshold,
    ComparedSeries,
    DataPoint,
    MetricSeries,
    MetricsQueryResult,
    RankedSeries,
    ResultKind,
    TimeRange,
)
from signalbox.agents.metrics.tell import Told, shortened
from signalbox.agents.metrics.tree import is_sorted, query_of
from signalbox.agents.metrics.windows import seconds_of
from signalbox.drawing.moments import short_span
from signalbox.drawing.values import format_moment

__all__ = ["calculate_stats", "points_of", "read_result", "result_of", "result_of_query", "written_result"]

_KINDS: dict[str, ResultKind] = {
    "curve": "series", "value": "value", "ranking": "ranking", "comparison": "comparison", "extreme": "extreme",
    "share": "share", "threshold": "value", "forecast": "series",
}  # fmt: skip
_MOMENT = 60.0
_MOST_SPELLS, _MOST_PLACES = 500, 200
_VALUES, _FIELDS, _EXTRA, _PRIVATE = (
    BaseModel.__dict__[name]
    for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


def result_of(slots: Slots, found: Found) -> MetricsQueryResult:
    """Return the contract's result for what was found."""
    is_count = slots.shape == "threshold" and slots.threshold is not None and slots.threshold.scope == "count"
    unit = "" if is_count else found.told.unit
    return _filled(slots.measure.name, slots.time_range, found.curves).model_copy(
        update={
            "unit": unit,
            "aggregation_applied": slots.how,
            "summary": summarize(slots, found),
            "kind": _kind(slots, found, is_count=is_count),
            "value": float(len(found.ranking)) if is_count and not found.is_empty else found.value,
            "at": found.at,
            "ranking": [RankedSeries(labels=labels, value=value) for labels, value in found.ranking[:_MOST_PLACES]],
            "comparison": _compared(*found.pairs[0]) if len(found.pairs) == 1 and not slots.by else None,
            "compared": [_compared(*one) for one in found.pairs] if slots.by else [],
            "sides": _sides(slots),
            "threshold": slots.threshold.value if slots.threshold else None,
            "beyond": [
                BeyondThreshold(labels=one.labels, start=one.start, end=one.end, extreme=one.extreme)
                for one in found.spells[:_MOST_SPELLS]
            ],
            "title": shortened(found.told.title),
            "shown_unit": slots.shown.unit if slots.shown else "",
            "shown_factor": slots.shown.factor if slots.shown else 1.0,
            "not_covered": list(slots.not_covered),
            "promql": found.promql,
            "dropped": found.dropped,
            "is_current": slots.is_current,
        }
    )


def _sides(slots: Slots) -> list[str]:
    """What tells the two sides of a comparison apart, as briefly as a bar's name must be: their times, or things."""
    if slots.against is None:
        return []
    both = (slots, slots.other_side())
    if both[0].time_range != both[1].time_range or both[0].is_current != both[1].is_current:
        return [
            "now" if one.is_current
            else short_span(one.time_range.start_time, one.time_range.end_time) if seconds_of(one.time_range) > _MOMENT
            else format_moment(one.time_range.end_time)
            for one in both
        ]  # fmt: skip
    things = [[m for m in one.matchers if m not in other.matchers] for one, other in (both, both[::-1])]
    named = [", ".join(" or ".join(m.values) for m in one) for one in things]
    return named if all(named) else [one.measure.title for one in both]


def _kind(slots: Slots, found: Found, *, is_count: bool) -> ResultKind:
    """The kind of the answer; a threshold gives those beyond the bound, or the figure that says yes or no."""
    if slots.shape == "threshold" and found.ranking and found.judged > 1 and not is_count:
        return "ranking"
    if slots.shape == "value" and slots.by and len(found.ranking) > 1:
        return "ranking"
    return _KINDS[slots.shape]


def result_of_query(query: Query, tree: Any, span: TimeRange, answer: QueryAnswer, told: Told) -> MetricsQueryResult:
    """Return the contract's result for a query that somebody wrote: a curve, a figure or a ranking, as it gave them."""
    asked = query_of(tree, span)
    is_curve = query.window is not None or answer.kind == "matrix"
    if is_curve:
        curves = by_mean(answer.curves)
    else:
        curves = sorted(answer.curves, key=lambda one: (-one.values[-1], label_key(one.labels)))
        curves = answer.curves if is_sorted(tree) else curves
    figures = [] if is_curve or len(curves) < 2 else curves
    kind: ResultKind = "series" if is_curve else "ranking" if figures else "value"
    result = _filled(asked.metric_name, span, curves[:MOST_SERIES]).model_copy(
        update={
            "unit": told.unit,
            "aggregation_applied": asked.aggregation,
            "kind": kind,
            "value": curves[0].values[-1] if kind == "value" and curves else None,
            "ranking": [RankedSeries(labels=one.labels, value=one.values[-1]) for one in figures[:_MOST_PLACES]],
            "title": shortened(told.title),
            "promql": query.promql,
            "dropped": answer.dropped,
            "is_models_own": True,
            "is_current": not is_curve,
        }
    )
    doubt = impossible([value for curve in curves for value in curve.values], told.unit, "")
    summary = " ".join(filter(None, (query_words(result, told, query.at if not is_curve else None), doubt)))
    return result.model_copy(update={"summary": summary})


def _filled(metric: str, span: TimeRange, curves: Sequence[Curve]) -> MetricsQueryResult:
    series = [MetricSeries.model_construct(labels=one.labels, datapoints=points_of(one)) for one in curves]
    points = series[0].datapoints if series else []
    return MetricsQueryResult(
        metric_name=metric,
        time_range=span,
        datapoints=points,
        statistics=calculate_stats(curves[0].values) if curves else None,
        datapoint_count=len(points),
        is_empty=not points,
        series=series,
    )


def written_result(result: MetricsQueryResult) -> dict[str, Any]:
    """Return the result as plain data, its points as columns."""
    told = result.model_dump(mode="json", exclude={"datapoints", "series"}, exclude_defaults=True)
    series = [
        {
            "labels": one.labels,
            "times": [point.timestamp.timestamp() for point in one.datapoints],
            "values": [point.value for point in one.datapoints],
        }
        for one in result.series
    ]
    return {"result": told, "series": series}


def read_result(data: Mapping[str, Any]) -> MetricsQueryResult:
    """Return the result that `written_result` wrote."""
    series = [
        MetricSeries(labels=one["labels"], datapoints=points_of(Curve(one["labels"], one["times"], one["values"])))
        for one in data.get("series", ())
    ]
    points = series[0].datapoints if series else []
    return MetricsQueryResult.model_validate({**data["result"], "series": series, "datapoints": points})


def points_of(curve: Curve) -> list[DataPoint]:
    """Return the points of a curve. Their values are finite and their moments aware: nothing is checked again.

    This is what `DataPoint.model_construct` does, at half its price: an answer may have tens of thousands of points.
    """
    new, set_values, fields = object.__new__, _VALUES.__set__, set(DataPoint.model_fields)
    set_fields, set_extra, set_private = _FIELDS.__set__, _EXTRA.__set__, _PRIVATE.__set__
    points = []
    for moment, value in zip(moments_of(curve.stamps), curve.values, strict=True):
        point = new(DataPoint)
        set_values(point, {"timestamp": moment, "value": value})
        set_fields(point, fields)
        set_extra(point, None)
        set_private(point, None)
        points.append(point)
    return points


def calculate_stats(values: Sequence[float]) -> AggregationStats | None:
    """Return the figures of the values; None if there are none."""
    if not values:
        return None
    ordered, count = sorted(values), len(values)
    return AggregationStats(
        min=ordered[0],
        max=ordered[-1],
        mean=mean_of(values),
        median=mean_of((ordered[(count - 1) // 2], ordered[count // 2])),
        sum=sum_of(values),
        count=count,
    )


def _compared(labels: dict[str, str], a: float, b: float) -> ComparedSeries:
    change = (a - b) / b if b else None
    return ComparedSeries(labels=labels, a=a, b=b, change=change if change is not None and isfinite(change) else None)
