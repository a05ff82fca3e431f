"""An answer as a Plotly figure in plain JSON: lines, bars for a ranking or a comparison, a mark at an extreme."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Any

from signalbox.agents.metrics.charts.moments import show_span, wall_clock, zone_name
from signalbox.agents.metrics.charts.names import compared_names, curves_of, series_names
from signalbox.agents.metrics.charts.reduction import keep_extremes, split_at_gaps
from signalbox.agents.metrics.charts.scales import axis_scale, can_be_drawn
from signalbox.agents.metrics.state import DataPoint, MetricSeries, MetricsQueryResult
from signalbox.agents.metrics.units import format_moment, format_value
from signalbox.settings import person_zone

__all__ = ["make_figure"]

_MOST_POINTS = 2_000
_MOST_CURVES = 30
_COLOURS = (
    "#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#666666", "#0aa6c2", "#b2182b",
)  # fmt: skip

_GRID = {"gridcolor": "#e6e6e6", "zerolinecolor": "#cccccc"}

Figure = dict[str, Any]


def make_figure(result: MetricsQueryResult) -> Figure | None:
    """The figure of an answer; None where there is nothing to draw."""
    if not can_be_drawn(result):
        return None
    if result.ranking:
        names = _escaped(series_names([place.labels for place in result.ranking], result.metric_name))
        return _bars(result, names, [place.value for place in result.ranking], lying=True)
    if result.comparison is not None:
        curves = [one for one in result.series if len(one.datapoints) > 1]
        if len(curves) == 2:
            return _compared_curves(result, curves)
        return _bars(result, _escaped(compared_names(result)), [result.comparison.a, result.comparison.b])
    curves = curves_of(result)
    return _curves(result, curves) if any(len(one.datapoints) > 1 for one in curves) else None


def _escaped(names: Sequence[str]) -> list[str]:
    """The names as Plotly must get them: it reads texts as HTML, and labels are a server's data."""
    return [escape(name, quote=False) for name in names]


def _curves(result: MetricsQueryResult, curves: Sequence[MetricSeries]) -> Figure:
    drawn = curves[:_MOST_CURVES]
    factor, unit = axis_scale(result.unit, _highest(drawn))
    names = _escaped(series_names([one.labels for one in drawn], result.metric_name))
    lines = [
        _line(one.datapoints, name, factor, number) for number, (one, name) in enumerate(zip(drawn, names, strict=True))
    ]
    title = _title(result) + (f" (first {len(drawn)} of {len(curves)} series)" if len(curves) > len(drawn) else "")
    layout = _layout(result, title, unit, legend=len(lines) > 1)
    layout["xaxis"]["title"] = {"text": _zones(result)}
    if result.kind == "extreme" and result.at is not None and result.value is not None:
        layout["annotations"] = [_mark(result.at, result.value, factor, result.unit)]
    return {"data": lines, "layout": layout}


def _compared_curves(result: MetricsQueryResult, curves: Sequence[MetricSeries]) -> Figure:
    """Two curves laid over each other: the second is moved to where the first starts."""
    factor, unit = axis_scale(result.unit, _highest(curves))
    first = curves[0].datapoints[0].timestamp
    shift = first - curves[1].datapoints[0].timestamp
    moved = [p.model_copy(update={"timestamp": p.timestamp + shift}) for p in curves[1].datapoints]
    names = _escaped(compared_names(result))
    lines = [_line(curves[0].datapoints, names[0], factor, 0), _line(moved, names[1], factor, 1)]
    lines[1]["line"]["dash"] = "dot"
    layout = _layout(result, _title(result), unit, legend=True)
    layout["xaxis"]["title"] = {"text": _zones(result)}
    return {"data": lines, "layout": layout}


def _bars(result: MetricsQueryResult, names: list[str], values: list[float], *, lying: bool = False) -> Figure:
    factor, unit = axis_scale(result.unit, max(map(abs, values), default=0.0))
    sizes = [value * factor for value in values]
    shown = [format_value(value, result.unit) for value in values]
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h" if lying else "v",
        **({"x": sizes, "y": names} if lying else {"x": names, "y": sizes}),
        "text": shown,
        "hovertext": shown,
        "hoverinfo": "text",
        "marker": {"color": _COLOURS[0] if lying else [_COLOURS[i % len(_COLOURS)] for i in range(len(values))]},
    }
    layout = _layout(result, _title(result), unit, legend=False)
    sized, named = {"title": {"text": unit}, **_GRID}, {"type": "category", "automargin": True}
    layout["xaxis"], layout["yaxis"] = (sized, {**named, "autorange": "reversed"}) if lying else (named, sized)
    layout["hovermode"] = "closest"
    return {"data": [trace], "layout": layout}


def _line(points: Sequence[DataPoint], name: str, factor: float, number: int) -> dict[str, Any]:
    values, zone = [point.value for point in points], person_zone()
    xs: list[str | None] = []
    ys: list[float | None] = []
    for begin, stop in split_at_gaps([point.timestamp.timestamp() for point in points]):
        if xs:
            xs.append(None)
            ys.append(None)
        for i in keep_extremes(values[begin:stop], max(4, _MOST_POINTS * (stop - begin) // len(points))):
            point = points[begin + i]
            xs.append(wall_clock(point.timestamp, zone))
            ys.append(point.value * factor)
    return {
        "type": "scatter",
        "mode": "lines" if len(points) > 1 else "markers",
        "name": name,
        "x": xs,
        "y": ys,
        "line": {"color": _COLOURS[number % len(_COLOURS)], "width": 1.6},
    }


def _layout(result: MetricsQueryResult, title: str, unit: str, *, legend: bool) -> dict[str, Any]:
    return {
        "title": {"text": title},
        "xaxis": {"type": "date", **_GRID},
        "yaxis": {"title": {"text": unit}, "rangemode": "tozero" if _from_zero(result) else "normal", **_GRID},
        "showlegend": legend,
        "legend": {"orientation": "h", "y": -0.25},
        "margin": {"l": 70, "r": 30, "t": 60, "b": 60},
        "hovermode": "x unified",
        "plot_bgcolor": "#ffffff",
        "paper_bgcolor": "#ffffff",
    }


def _mark(at: datetime, value: float, factor: float, unit: str) -> dict[str, Any]:
    return {
        "x": wall_clock(at),
        "y": value * factor,
        "text": f"{format_value(value, unit)} at {format_moment(at)}",
        "showarrow": True,
        "arrowhead": 2,
    }


def _title(result: MetricsQueryResult) -> str:
    return f"{result.metric_name}, {show_span(result.time_range.start_time, result.time_range.end_time)}"


def _zones(result: MetricsQueryResult) -> str:
    ends = (result.time_range.start_time, result.time_range.end_time)
    return "/".join(dict.fromkeys(map(zone_name, ends)))


def _highest(curves: Sequence[MetricSeries]) -> float:
    return max((abs(point.value) for one in curves for point in one.datapoints), default=0.0)


def _from_zero(result: MetricsQueryResult) -> bool:
    stats = result.statistics
    return stats is None or (stats.min >= 0 and stats.min < 0.6 * stats.max)
