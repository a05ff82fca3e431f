"""What a query gave, in words: every series with its figures and their times, and what was read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signalbox.agents.metrics.promql_run import QueryOutcome
from signalbox.agents.metrics.state import DataPoint, MetricSeries, MetricsQueryResult
from signalbox.agents.metrics.units import format_range
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_value
from signalbox.settings import person_zone

__all__ = ["query_text", "with_summary"]

_FOR_A_MODEL, _FOR_A_PERSON = 40, 10
_FEW_POINTS = 12
_LONGEST_NAME = 100


def query_text(ran: QueryOutcome, where: str) -> str:
    """What a query gave, complete on its own: the figures, then the query, the time and the server."""
    series = ran.result.series
    is_mixed = len({one.labels.get("__name__") for one in series}) > 1
    names = [_matchers(one, is_mixed) or ran.result.title for one in series]
    when = f"At: {_moment(ran.moment)}" if ran.moment else f"Range: {format_range(ran.result.time_range)}"
    read = [f"Query: {ran.result.promql}", when, f"Server: {where}"]
    return "\n".join([_figures_text(ran, names[:_FOR_A_MODEL], is_exact=True), *read])


def with_summary(ran: QueryOutcome) -> QueryOutcome:
    """The same with the figures in words, as a person reads them beside the chart."""
    names = series_names([one.labels for one in ran.result.series], ran.result.title)
    told = _figures_text(ran, list(map(_short, names[:_FOR_A_PERSON])))
    return replace(ran, result=ran.result.model_copy(update={"summary": told}))


def _figures_text(ran: QueryOutcome, names: Sequence[str], *, is_exact: bool = False) -> str:
    """The figures of the series that have a name here; why there may be none. The query itself, which is told beside
    them, is no name."""
    result = ran.result
    if result.is_empty:
        return f"There is no data. {ran.hint}".strip()
    is_moment = ran.moment is not None and result.kind != "series"
    lines = []
    for name, one in zip(names, result.series, strict=False):
        told = _figure(one, result, is_exact) if is_moment else _course(one.datapoints, result)
        lines.append(told if name == result.title else f"{name}: {told}")
    count, left = len(result.series), len(result.series) - len(names)
    if count > 1:
        order = "" if is_moment else ", the highest mean first"
        more = [f"and {left} more."] if left else []
        lines = [f"{count} series{order}:", *(f"- {line}" for line in lines), *more]
    dropped = [f"{result.dropped} values that are no finite numbers are left out."] if result.dropped else []
    return "\n".join([*lines, *dropped, *([ran.hint] if ran.hint else [])])


def _matchers(one: MetricSeries, is_mixed: bool) -> str:
    """The labels of a series; where series of several metrics are beside each other, its metric as well."""
    told = [f'{label}="{value}"' for label, value in sorted(one.labels.items()) if label != "__name__"]
    return ", ".join([*([one.labels.get("__name__", "no name")] if is_mixed else []), *told])


def _figure(one: MetricSeries, result: MetricsQueryResult, is_exact: bool) -> str:
    """A figure as people read it; for who computes with it, with six digits as well."""
    value = one.datapoints[-1].value
    told = format_value(value, result.unit)
    exact = f"{value:.6g}"
    return f"{told} (exactly {exact})" if is_exact and exact != told and math.isfinite(value) else told


def _course(points: Sequence[DataPoint], result: MetricsQueryResult) -> str:
    """Mean, lowest, highest and last; where there are few points, each of them as well."""
    unit = result.unit
    if len(points) == 1:
        return f"{format_value(points[0].value, unit)} at {_moment(points[0].timestamp)}, the only value"
    low, high = min(points, key=lambda one: one.value), max(points, key=lambda one: one.value)
    mean = sum(one.value / len(points) for one in points)
    told = (
        f"mean {format_value(mean, unit)}, min {_at(low, unit)}, max {_at(high, unit)}, "
        f"last {_at(points[-1], unit)} ({len(points)} points)"
    )
    if len(points) <= _FEW_POINTS:
        told += f": {', '.join(f'{_moment(one.timestamp)} {format_value(one.value, unit)}' for one in points)}"
    return told


def _at(point: DataPoint, unit: str) -> str:
    return f"{format_value(point.value, unit)} at {_moment(point.timestamp)}"


def _moment(moment: datetime) -> str:
    local = moment.astimezone(person_zone())
    return f"{local:%Y-%m-%d %H:%M:%S}" if local.second else f"{local:%Y-%m-%d %H:%M}"


def _short(name: str) -> str:
    said = " ".join(name.split())
    return said if len(said) <= _LONGEST_NAME else f"{said[: _LONGEST_NAME - 1]}…"
