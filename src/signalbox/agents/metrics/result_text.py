"""What a query gave, in words: in a sentence, and for a model to read, with the figures of every series."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from signalbox.agents.metrics.state import DataPoint, MetricsQueryResult
from signalbox.agents.metrics.tell import Told
from signalbox.agents.metrics.units import format_range
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value

__all__ = ["query_words", "result_text"]

_MOST, _FEW_POINTS, _PLACES = 40, 12, 5


def result_text(result: MetricsQueryResult, where: str, moment: datetime | None = None) -> str:
    """Return what was found, complete on its own: in words, figure by figure, then the query, its time and the server.

    `moment` is set if the query was run for one moment.
    """
    lines = [] if result.is_empty else list(_figures(result))
    left = [f"- and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    when = f"At: {format_moment(moment)}" if moment else f"Range: {format_range(result.time_range)}"
    read = [f"Query: {result.promql}", when] if result.promql else []
    return "\n".join([result.summary, *lines[:_MOST], *left, *read, f"Server: {where}"])


def _figures(result: MetricsQueryResult) -> Iterator[str]:
    """A line for each series: its figure, both of its figures, or its curve; then when it was beyond a bound."""
    unit, curves = result.unit, [one for one in result.series if one.datapoints]
    if result.comparison is not None:
        yield f"- {_exactly(result.comparison.a, unit)}, compared with {_exactly(result.comparison.b, unit)}"
    elif result.compared:
        rows = [f"{_exactly(one.a, unit)}, compared with {_exactly(one.b, unit)}" for one in result.compared]
        yield from _named([one.labels for one in result.compared], rows)
    elif result.ranking:
        yield from _named([one.labels for one in result.ranking], [_exactly(one.value, unit) for one in result.ranking])
    elif result.value is not None and result.kind != "report":
        yield from _named([curves[0].labels if len(curves) == 1 else {}], [_exactly(result.value, unit)])
    else:
        yield from _named([one.labels for one in curves], [_curve(one.datapoints, unit) for one in curves])
    spans = [f"beyond from {format_moment(one.start)} to {format_moment(one.end)}" for one in result.beyond]
    yield from _named([one.labels for one in result.beyond], spans)
    yield from (f"- {one.text}" for one in result.findings)


def _named(labels: Sequence[Mapping[str, str]], figures: Sequence[str]) -> Iterator[str]:
    """Each figure after the labels of its series; the metric's name only if there are several."""
    is_mixed = len({one.get("__name__") for one in labels}) > 1
    for one, figure in zip(labels, figures, strict=True):
        told = [f'{label}="{value}"' for label, value in sorted(one.items()) if is_mixed or label != "__name__"]
        yield f"- {', '.join(told)}: {figure}" if told else f"- {figure}"


def _exactly(value: float, unit: str) -> str:
    """A figure as people read it, and with six digits for whoever computes with it."""
    told, exact = format_value(value, unit), f"{value:.0f}" if unit == "timestamp" else f"{value:.6g}"
    return f"{told} (exactly {exact})" if exact != told and math.isfinite(value) else told


def _curve(points: Sequence[DataPoint], unit: str) -> str:
    if len(points) > _FEW_POINTS:
        return f"{_course(points, unit)} ({len(points)} points)"
    return ", ".join(f"{format_value(one.value, unit)} at {format_moment(one.timestamp)}" for one in points)


def query_words(result: MetricsQueryResult, told: Told, moment: datetime | None) -> str:
    """Return the figures of the first series in a sentence. `moment` is when the query was run, if at one moment."""
    when = format_moment(moment) if moment else format_range(result.time_range)
    subject = told.subject(f"at {when}" if moment else when)
    if result.is_empty:
        return f"There is no data for {subject[:1].lower()}{subject[1:]}."
    names = series_names([one.labels for one in result.series[:_PLACES]], "")
    lines = []
    for name, one in zip(names, result.series, strict=False):
        figures = (
            format_value(one.datapoints[-1].value, result.unit) if moment else _course(one.datapoints, result.unit)
        )
        lines.append(f"{name} {figures}".strip())
    more = f", and {len(result.series) - _PLACES} more" if len(result.series) > _PLACES else ""
    dropped = f" {result.dropped} values that are no finite numbers are left out." if result.dropped else ""
    return f"{subject}: {'; '.join(lines)}{more}.{dropped}"


def _course(points: Sequence[DataPoint], unit: str) -> str:
    """Return mean, lowest, highest and last of a curve, with their moments."""
    if len(points) == 1:
        return f"{format_value(points[0].value, unit)} at {format_moment(points[0].timestamp)}"
    low, high = min(points, key=lambda one: one.value), max(points, key=lambda one: one.value)
    mean = sum(one.value / len(points) for one in points)
    at = [f"{format_value(one.value, unit)} at {format_moment(one.timestamp)}" for one in (low, high, points[-1])]
    return f"mean {format_value(mean, unit)}, min {at[0]}, max {at[1]}, last {at[2]}"
