"""The answer in the contract's shape: points, figures, and a summary of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from pydantic import BaseModel

from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.found import Found, mean_of, moments_of, sum_of
from signalbox.agents.metrics.querying.spells import find_spells
from signalbox.agents.metrics.querying.summary import summarize, title_of
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import (
    AggregationStats,
    BeyondThreshold,
    Comparison,
    DataPoint,
    MetricSeries,
    MetricsQueryResult,
    RankedSeries,
    ResultKind,
)

__all__ = ["calculate_stats", "format_result", "points_of"]

_MOST_SPELLS = 500
_VALUES, _FIELDS, _EXTRA, _PRIVATE = (
    BaseModel.__dict__[name]
    for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


def format_result(question: Question, found: Found) -> MetricsQueryResult:
    """The contract's result for what was found."""
    series = [MetricSeries(labels=curve.labels, datapoints=points_of(curve)) for curve in found.curves]
    points = series[0].datapoints if series else []
    return MetricsQueryResult(
        metric_name=question.measure.name,
        unit="" if _counts(question) else found.unit,
        time_range=question.time_range,
        datapoints=points,
        aggregation_applied=question.aggregation,
        statistics=calculate_stats(found.curves[0].values) if series else None,
        datapoint_count=len(points),
        is_empty=not points,
        summary=summarize(question, found),
        kind=_kind(question, found),
        series=series,
        value=_value(question, found),
        at=found.at,
        ranking=[RankedSeries(labels=labels, value=value) for labels, value in found.ranking],
        comparison=_comparison(found),
        threshold=question.threshold.value if question.threshold else None,
        beyond=_beyond(question, found),
        title=title_of(question),
        shown_unit=question.shown.unit if question.shown else "",
        shown_factor=question.shown.factor if question.shown else 1.0,
        not_covered=list(question.not_covered),
        promql=found.promql,
        dropped=found.dropped,
    )


def _kind(question: Question, found: Found) -> ResultKind:
    """The kind of the answer; a judgement ranks those beyond the bound, or gives the figure that says yes or no."""
    if not question.judges or found.is_empty:
        return question.kind
    if _counts(question):
        return "value"
    return "ranking" if found.ranking and found.judged > 1 else "value"


def _counts(question: Question) -> bool:
    """Whether it is asked how many things are beyond the bound."""
    return question.judges and question.threshold is not None and question.threshold.scope == "count"


def _value(question: Question, found: Found) -> float | None:
    return float(len(found.ranking)) if _counts(question) and not found.is_empty else found.value


def points_of(curve: Curve) -> list[DataPoint]:
    """The points of a curve. Their values are finite and their moments aware already: nothing is checked again.

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
    """The figures of the values; None where there are none."""
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


def _beyond(question: Question, found: Found) -> list[BeyondThreshold]:
    if question.threshold is None or (question.kind not in ("series", "extreme") and not question.judges):
        return []
    spells = found.spells if question.judges else find_spells(found.curves, question.threshold)
    return [
        BeyondThreshold(labels=one.labels, start=one.start, end=one.end, extreme=one.extreme)
        for one in spells[:_MOST_SPELLS]
    ]


def _comparison(found: Found) -> Comparison | None:
    if found.pair is None:
        return None
    a, b = found.pair
    change = (a - b) / b if b else None
    return Comparison(a=a, b=b, change=change if change is not None and isfinite(change) else None)
