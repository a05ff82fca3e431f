"""When a level reaches a bound: from its trend, with how sure that is, or a refusal that says why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from signalbox.agents.metrics.bounds import bound_in, read_bound
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.asking import ask_over
from signalbox.agents.metrics.querying.expressions import curve_of
from signalbox.agents.metrics.querying.found import Found
from signalbox.agents.metrics.querying.summary import shown_labels
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.units import format_range, unit_of_question
from signalbox.agents.metrics.windows import choose_resolution
from signalbox.drawing.values import format_moment, format_value

__all__ = ["foresee"]

_LEAD = timedelta(days=7)
_FEWEST = 30
_FURTHEST = 365 * 86_400.0
_LEAST_FIT = 0.5
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class _Trend:
    labels: dict[str, str]
    last: float
    earliest: float | None
    likely: float | None
    latest: float | None
    why_not: str = ""


async def foresee(question: Question, plan: MetricsPlan, client: GrafanaMetricsClient) -> MetricsQueryResult:
    """When each thing reaches the bound; raises InvalidQueryError for a measure that has none."""
    window = question.time_range if plan.time else TimeRange(start_time=question.now - _LEAD, end_time=question.now)
    things = question.group_by or tuple(
        sorted(question.measure.labels - {m.label for m in question.matchers if not m.negated})
    )
    asked = replace(question, kind="series", time_range=window, group_by=things, is_total=False, aggregation=None)
    unit = unit_of_question(asked)
    bound, reached = _bound_of(plan, asked, unit)
    resolution = choose_resolution(window)
    promql = curve_of(asked, resolution)
    answer = await ask_over(client, promql, window, resolution.step)
    trends = sorted(
        (_trend(curve, bound, question.now) for curve in answer.curves), key=lambda one: one.likely or _FURTHEST * 9
    )
    found = Found(promql, unit, dropped=answer.dropped).with_curves(sorted(answer.curves, key=lambda c: -c.values[-1]))
    from signalbox.agents.metrics.result import format_result

    result = format_result(asked, found)
    told = [_told(one, asked, unit, reached, question.now) for one in trends[:_MOST_TOLD]]
    summary = (
        " ".join(told) if told else f"There is no data for {question.measure.title} from which a trend could be drawn."
    )
    basis = f"From the trend of {format_range(window)}: a straight line, which knows nothing of what is planned."
    return result.model_copy(
        update={
            "summary": f"{summary} {basis}" if told else summary,
            "threshold": bound,
            "findings": [Finding(text=one, labels=trend.labels) for one, trend in zip(told, trends, strict=False)],
        }
    )


def _bound_of(plan: MetricsPlan, question: Question, unit: str) -> tuple[float, str]:
    said = read_bound(plan.bound) if plan.bound else None
    if said is not None:
        value = bound_in(said, unit, question.measure.title)
        return value, f"reaches {format_value(value, unit)}"
    title = question.measure.title.lower()
    is_used = any(word in title for word in ("usage", "used", "utili", "occup"))
    if question.measure.is_difference:
        return 0.0, "is used up"
    if not is_used and any(
        word in title for word in ("free", "avail", "left", "charge", "stock", "level", "remaining", "expir")
    ):
        return 0.0, "is used up"
    if unit in ("ratio", "percent"):
        return (1.0 if unit == "ratio" else 100.0), "is full"
    raise InvalidQueryError(
        f"{question.measure.title[:1].upper()}{question.measure.title[1:]} has no bound that it could reach.",
        suggestion='Name one: "when will it reach 500 GB?"',
    )


def _trend(curve: Curve, bound: float, now: datetime) -> _Trend:
    """A line through the points, and how far off it may be: twice the error of its slope."""
    stamps, values = np.array(curve.stamps, dtype=float), np.array(curve.values, dtype=float)
    last = float(values[-1])
    if len(values) < _FEWEST:
        return _Trend(curve.labels, last, None, None, None, f"there are only {len(values)} points")
    hours = (stamps - stamps[-1]) / 3600
    slope, level = np.polyfit(hours, values, 1)
    left = values - (slope * hours + level)
    spread = float(np.sum((hours - hours.mean()) ** 2))
    error = float(np.sqrt(np.sum(left**2) / max(len(values) - 2, 1) / spread)) if spread else 0.0
    # Points of one curve lean on each other: the error of a straight line is larger than the formula says.
    error *= 4
    total = float(np.sum((values - values.mean()) ** 2))
    fit = 1 - float(np.sum(left**2)) / total if total > 1e-12 * max(abs(last), 1) else 0.0
    way = bound - last
    if way == 0 or slope == 0 or (way > 0) != (slope > 0):
        return _Trend(curve.labels, last, None, None, None, "it does not move towards it")
    if fit < _LEAST_FIT or abs(slope) <= error:
        return _Trend(curve.labels, last, None, None, None, "it goes up and down too much for a trend")
    likely = way / slope * 3600
    if likely > _FURTHEST:
        return _Trend(curve.labels, last, None, None, None, "at this pace it takes more than a year")
    steep, flat = abs(slope) + error, max(abs(slope) - error, 1e-12)
    return _Trend(curve.labels, last, abs(way) / steep * 3600, likely, min(abs(way) / flat * 3600, 10 * _FURTHEST))


def _told(one: _Trend, question: Question, unit: str, reached: str, now: datetime) -> str:
    name = (
        shown_labels(one.labels)
        or shown_labels({m.label: m.values[0] for m in question.matchers})
        or question.measure.title
    )
    head = f"{name}: {format_value(one.last, unit)} now"
    if one.likely is None or one.earliest is None or one.latest is None:
        return f"{head}; when it {reached} cannot be said: {one.why_not}."
    when = format_moment((now + timedelta(seconds=one.likely)).replace(second=0, microsecond=0))
    low, high = (format_value(seconds, "seconds") for seconds in (one.earliest, one.latest))
    return f"{head}; it {reached} around {when}, in {format_value(one.likely, 'seconds')} (between {low} and {high})."
