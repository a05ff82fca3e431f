"""A query as somebody wrote it: checked against the server, run exactly, and put into the contract's shape."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import promql_parser

from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.promql_tree import (
    grouping_labels,
    is_sorted,
    metric_names,
    named_values,
    query_of,
    reach_of,
    required_labels,
    unit_of,
)
from signalbox.agents.metrics.querying.found import MOST_SERIES, by_mean
from signalbox.agents.metrics.result import calculate_stats, points_of
from signalbox.agents.metrics.state import (
    MOST_DAYS,
    MetricSeries,
    MetricsQuery,
    MetricsQueryResult,
    RankedSeries,
    ResultKind,
    TimeRange,
)
from signalbox.agents.metrics.windows import choose_resolution
from signalbox.drawing.values import format_moment
from signalbox.language.names import did_you_mean

__all__ = ["QueryOutcome", "QueryTime", "looked_back", "read_result", "run_query", "syntax_of", "unknown_metric"]

_LONGEST_TITLE, _MOST_NAMES, _MOST_TOLD = 60, 20_000, 5


@dataclass(frozen=True, slots=True)
class QueryTime:
    """When a query is run: at one moment, or over a range with so many seconds between two points."""

    at: datetime | None = None
    window: TimeRange | None = None
    step: float = 0.0


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What a query gave. `moment` is set if it was asked for one; `hint` says what to try where it gave nothing, and
    which names in it are not there."""

    result: MetricsQueryResult
    moment: datetime | None
    hint: str = ""

    def as_data(self) -> dict[str, Any]:
        """The result as plain data, its points as columns."""
        told = self.result.model_dump(mode="json", exclude={"datapoints", "series"}, exclude_defaults=True)
        series = [
            {
                "labels": one.labels,
                "times": [point.timestamp.timestamp() for point in one.datapoints],
                "values": [point.value for point in one.datapoints],
            }
            for one in self.result.series
        ]
        return {"result": told, "series": series}


def read_result(data: Mapping[str, Any]) -> MetricsQueryResult:
    """The result that `as_data` wrote."""
    series = [
        MetricSeries(labels=one["labels"], datapoints=points_of(Curve(one["labels"], one["times"], one["values"])))
        for one in data.get("series", ())
    ]
    points = series[0].datapoints if series else []
    return MetricsQueryResult.model_validate({**data["result"], "series": series, "datapoints": points})


def syntax_of(query: str) -> Any:
    """The syntax tree of a query. Raises InvalidQueryError that says what is wrong with it."""
    try:
        return promql_parser.parse(check_promql(query))
    except InvalidQueryError as error:
        reason = error.details.get("error") if isinstance(error.details, dict) else None
        if not reason:
            raise
        raise InvalidQueryError(f"This is not valid PromQL: {reason}.", suggestion="Correct the query.") from None


async def run_query(query: str, live: Live, asked: QueryTime, now: datetime) -> QueryOutcome:
    """Run a query exactly as it is written.

    Raises InvalidQueryError for what is no PromQL and for labels that are not there, MetricNotFoundError with the
    nearest names, and what the client raises.
    """
    tree = syntax_of(query)
    span = asked.window or looked_back(tree, asked.at or now)
    await _check_names(tree, live, span)
    if asked.window is not None:
        step = asked.step or choose_resolution(span).step
        answer = await live.client.query_range(query, span.start_time, span.end_time, timedelta(seconds=step))
        result = _curves(query_of(tree, span), answer)
    else:
        answer = await live.client.query(query, asked.at or now)
        result = _figures(query_of(tree, span), answer, is_sorted=is_sorted(tree))
    title = " ".join(query.split())
    result = result.model_copy(
        update={
            "unit": unit_of(tree, live.names),
            "title": title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…",
            "promql": query,
            "dropped": answer.dropped,
            "is_models_own": True,
        }
    )
    hint = await _unknown_values(tree, live, span)
    hint = hint or (await _no_samples(tree, live, span, now) if result.is_empty else "")
    warned = [f"The server warns: {one}" for one in answer.warnings[:2]]
    left_out = [f"Of {len(answer.curves)} series {MOST_SERIES} are given."] if len(answer.curves) > MOST_SERIES else []
    moment = None if asked.window is not None else asked.at or now
    return QueryOutcome(result, moment, " ".join([hint, *left_out, *warned]).strip())


def unknown_metric(name: str, live: Live) -> MetricNotFoundError:
    """The error for a metric that is not there, with the nearest names."""
    known = list(live.names)[:_MOST_NAMES]
    return MetricNotFoundError(f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, known))


def looked_back(tree: Any, at: datetime) -> TimeRange:
    """The time that a query for one moment looks at."""
    reach = min(reach_of(tree), timedelta(days=MOST_DAYS))
    return TimeRange(start_time=at.astimezone(UTC) - reach, end_time=at.astimezone(UTC))


async def _check_names(tree: Any, live: Live, span: TimeRange) -> None:
    """Refuse a metric or label that the server does not have, rather than call that no data."""
    names = metric_names(tree)
    for name in names:
        if name not in live.names:
            raise await asyncio.to_thread(unknown_metric, name, live)
    needed, grouped = required_labels(tree), grouping_labels(tree)
    if not names or not (grouped or any(needed.values())):
        return
    series = await live.series(names, span)
    for name, labels in needed.items():
        for label in labels:
            if series[name].values and label not in series[name].values:
                raise _no_label(label, name, list(series[name].values))
    every = list(dict.fromkeys(label for one in series.values() for label in one.values))
    for label in grouped if every else ():
        if label not in every:
            raise _no_label(label, names[0], every)


def _no_label(label: str, metric: str, known: Sequence[str]) -> InvalidQueryError:
    told = [one for one in known if one != "__name__"]
    return InvalidQueryError(
        f'{metric} has no label "{label}".',
        suggestion=f"{did_you_mean(label, told)} Its labels: {', '.join(sorted(told)[:20])}.",
    )


def _curves(asked: MetricsQuery, answer: QueryAnswer) -> MetricsQueryResult:
    return _shaped(asked, by_mean(answer.curves)[:MOST_SERIES], "series")


def _figures(asked: MetricsQuery, answer: QueryAnswer, *, is_sorted: bool) -> MetricsQueryResult:
    """One figure, or several: in the order of the query if it sorts them, else the highest first."""
    curves = answer.curves if is_sorted else sorted(answer.curves, key=lambda one: -one.values[-1])
    curves = curves[:MOST_SERIES]
    if answer.kind == "matrix":
        return _shaped(asked, curves, "series")
    if len(curves) < 2:
        value = curves[0].values[-1] if curves else None
        return _shaped(asked, curves, "value").model_copy(update={"value": value})
    places = [RankedSeries(labels=one.labels, value=one.values[-1]) for one in curves]
    return _shaped(asked, curves, "ranking").model_copy(update={"ranking": places})


def _shaped(asked: MetricsQuery, curves: Sequence[Curve], kind: ResultKind) -> MetricsQueryResult:
    series = [MetricSeries(labels=one.labels, datapoints=points_of(one)) for one in curves]
    points = series[0].datapoints if series else []
    return MetricsQueryResult(
        metric_name=asked.metric_name,
        time_range=asked.time_range,
        datapoints=points,
        aggregation_applied=asked.aggregation,
        statistics=calculate_stats(curves[0].values) if curves else None,
        datapoint_count=len(points),
        is_empty=not points,
        kind=kind,
        series=series,
    )


async def _unknown_values(tree: Any, live: Live, span: TimeRange) -> str:
    """Say which values in a query its labels do not have: figures for the others may look like figures for them."""
    named = list(dict.fromkeys(named_values(tree)))
    if not named:
        return ""
    series = await live.series(metric_names(tree), span)
    told = []
    for name, label, value in named:
        known = series[name].values.get(label, ()) if name in series else ()
        if known and value not in known:
            told.append(f'The label {label} of {name} has no value "{value}". {did_you_mean(value, known)}')
    return " ".join(told[:_MOST_TOLD])


async def _no_samples(tree: Any, live: Live, span: TimeRange, now: datetime) -> str:
    """Why a query may have given nothing, where its names are right: no samples at that time."""
    told = []
    for name in metric_names(tree):
        last = await live.client.last_seen(name, now)
        if last is None:
            told.append(f"{name} had no samples in the last {MOST_DAYS} days.")
        elif not span.start_time <= last <= span.end_time:
            told.append(f"{name} was last seen at {format_moment(last)}: try a range that has it.")
    return " ".join(told) or "There are samples, but none that meets the conditions of the query: try fewer conditions."
