"""An answer drawn with characters: a curve, several curves as small ones, bars for a ranking or a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from signalbox.agents.metrics.charts.canvas import Canvas, bar, sparkline
from signalbox.agents.metrics.charts.moments import show_tick, zone_name
from signalbox.agents.metrics.charts.names import compared_names, series_names
from signalbox.agents.metrics.charts.reduction import keep_extremes, split_at_gaps
from signalbox.agents.metrics.charts.scales import can_be_drawn
from signalbox.agents.metrics.charts.ticks import time_ticks, value_bounds, value_ticks
from signalbox.agents.metrics.state import AggregationStats, DataPoint, MetricsQueryResult
from signalbox.agents.metrics.units import format_value

__all__ = ["draw_result", "statistics_table"]

_HEIGHT = 8
_MOST_CURVES = 12


def draw_result(result: MetricsQueryResult, width: int = 80, *, unicode: bool = True) -> str:
    """The chart of an answer, at most `width` characters wide; empty where there is nothing to draw."""
    drawn = _draw(result, max(width, 40), unicode) if can_be_drawn(result) else ""
    return drawn if unicode else drawn.replace("…", "~")


def _draw(result: MetricsQueryResult, width: int, unicode: bool) -> str:
    if result.ranking:
        names = series_names([place.labels for place in result.ranking], result.metric_name)
        return _bars(names, [place.value for place in result.ranking], result.unit, width, unicode)
    if result.comparison is not None:
        pair = [result.comparison.a, result.comparison.b]
        return _bars(compared_names(result), pair, result.unit, width, unicode)
    if len(result.series) > 1:
        return _small_curves(result, width, unicode)
    return _curve(result, width, unicode) if len(result.datapoints) > 1 else ""


def statistics_table(statistics: AggregationStats, unit: str) -> str:
    """The figures of the series as a table of one row."""
    cells = [
        ("min", format_value(statistics.min, unit)),
        ("mean", format_value(statistics.mean, unit)),
        ("median", format_value(statistics.median, unit)),
        ("max", format_value(statistics.max, unit)),
        ("points", f"{statistics.count:,}"),
    ]
    widths = [max(len(name), len(value)) for name, value in cells]
    head = "  ".join(name.rjust(wide) for (name, _), wide in zip(cells, widths, strict=True))
    row = "  ".join(value.rjust(wide) for (_, value), wide in zip(cells, widths, strict=True))
    return f"{head}\n{row}"


def _bars(names: Sequence[str], values: Sequence[float], unit: str, width: int, unicode: bool) -> str:
    """One bar a line, with its name before and its value behind it; the longest fills what is left."""
    shown = [format_value(value, unit) for value in values]
    longest_value = max(map(len, shown))
    room = min(max(map(len, names)), max(12, width - longest_value - 14))
    space = max(8, width - room - longest_value - 4)
    top = max((abs(value) for value in values), default=0.0) or 1.0
    return "\n".join(
        f"{_cut(name, room):<{room}}  {text:>{longest_value}}  {bar(abs(value) / top, space, unicode=unicode)}".rstrip()
        for name, value, text in zip(names, values, shown, strict=True)
    )


def _small_curves(result: MetricsQueryResult, width: int, unicode: bool) -> str:
    """Every series on a line of its own, all on one scale."""
    drawn = [one for one in result.series if one.datapoints][:_MOST_CURVES]
    if not drawn:
        return ""
    names = series_names([one.labels for one in drawn], result.metric_name)
    values = [point.value for one in drawn for point in one.datapoints]
    low, high = value_bounds(min(values), max(values), result.unit)
    latest = [format_value(one.datapoints[-1].value, result.unit) for one in drawn]
    room = min(max(map(len, names)), width // 3)
    space = max(8, width - room - max(map(len, latest)) - 4)
    start, end = _ends([point for one in drawn for point in one.datapoints])
    lines = []
    for one, name, text in zip(drawn, names, latest, strict=True):
        cells = _cells(one.datapoints, start, end, space)
        line = sparkline(cells, low, high, unicode=unicode)
        lines.append(f"{_cut(name, room):<{room}}  {line:<{space}}  {text}")
    if len(result.series) > len(drawn):
        lines.append(f"… and {len(result.series) - len(drawn)} more series")
    scale = f"scale {format_value(low, result.unit)} to {format_value(high, result.unit)}, latest value at the right"
    axis = [_axis(start, end, space, room + 2), scale if len(scale) <= width else ""]
    return "\n".join([*lines, *axis]).rstrip()


def _curve(result: MetricsQueryResult, width: int, unicode: bool) -> str:
    points = result.datapoints
    low, high = value_bounds(min(p.value for p in points), max(p.value for p in points), result.unit)
    labels = _value_labels(low, high, result.unit)
    margin = max(map(len, labels.values()))
    space = width - margin - 2
    canvas = Canvas(space, _HEIGHT, unicode=unicode)
    start, end = _ends(points)
    _trace(canvas, points, (start, end), (low, high))
    edge = "┤" if unicode else "|"
    side = "│" if unicode else "|"
    rows = [
        f"{labels.get(number, ''):>{margin}} {edge if number in labels else side}{row}".rstrip()
        for number, row in enumerate(canvas.rows())
    ]
    corner = "└" + "─" * space if unicode else "+" + "-" * space
    return "\n".join([*rows, " " * (margin + 1) + corner, _axis(start, end, space, margin + 2)])


def _trace(
    canvas: Canvas, points: Sequence[DataPoint], times: tuple[float, float], values: tuple[float, float]
) -> None:
    stamps = [point.timestamp.timestamp() for point in points]
    across = (canvas.wide - 1) / ((times[1] - times[0]) or 1.0)
    up = (canvas.high - 1) / ((values[1] - values[0]) or 1.0)
    places = [
        (round((stamp - times[0]) * across), round((point.value - values[0]) * up))
        for stamp, point in zip(stamps, points, strict=True)
    ]
    for begin, stop in split_at_gaps(stamps):
        heights = [up for _, up in places[begin:stop]]
        shown = [places[begin + i] for i in keep_extremes(heights, 8 * canvas.wide)]
        canvas.dot(*shown[0])
        for before, after in pairwise(shown):
            canvas.line(*before, *after)


def _value_labels(low: float, high: float, unit: str) -> dict[int, str]:
    """Which row of the chart carries which value."""
    placed: dict[int, str] = {}
    for value in value_ticks(low, high, 5, unit):
        share = (value - low) / ((high - low) or 1.0)
        placed.setdefault(_HEIGHT - 1 - round(share * (_HEIGHT - 1)), format_value(value, unit))
    return placed


def _cells(points: Sequence[DataPoint], start: float, end: float, space: int) -> list[float | None]:
    """One value for every character: of the points that fall there the one furthest from the curve's mean."""
    mean = sum(point.value for point in points) / len(points)
    cells: list[float | None] = [None] * space
    for point in points:
        place = round((point.timestamp.timestamp() - start) / ((end - start) or 1.0) * (space - 1))
        kept = cells[place]
        if kept is None or abs(point.value - mean) > abs(kept - mean):
            cells[place] = point.value
    return _joined(cells, len(points))


def _joined(cells: list[float | None], points: int) -> list[float | None]:
    """With fewer points than characters, a character between two points shows the earlier one."""
    reach = 2 * -(-len(cells) // max(points, 1))
    last, age = None, 0
    for i, cell in enumerate(cells):
        last, age = (cell, 0) if cell is not None else (last, age + 1)
        if cell is None and age < reach and any(c is not None for c in cells[i:]):
            cells[i] = last
    return cells


def _axis(start: float, end: float, space: int, margin: int) -> str:
    """The moments under a chart, with the zone at the end where there is room for it."""
    span = timedelta(seconds=end - start)
    sample = len(show_tick(datetime.fromtimestamp(end, UTC), span))
    line = [" "] * (margin + space)
    free = margin - 1
    for tick in time_ticks(start, end, max(2, space // (sample + 4))):
        place = margin + round((tick.timestamp() - start) / ((end - start) or 1.0) * (space - 1))
        text = show_tick(tick, span)
        begin = min(max(place - len(text) // 2, free + 1), margin + space - len(text))
        if begin > free:
            line[begin : begin + len(text)] = text
            free = begin + len(text) + 1
    zone = zone_name(datetime.fromtimestamp(end, UTC))
    if free + len(zone) <= margin + space:
        line[margin + space - len(zone) :] = zone
    return "".join(line).rstrip()


def _ends(points: Sequence[DataPoint]) -> tuple[float, float]:
    stamps = [point.timestamp.timestamp() for point in points]
    return min(stamps), max(stamps)


def _cut(text: str, width: int) -> str:
    """The text with its middle left out where it is too long: names often differ at their ends."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"
