"""Charts drawn with characters: a curve, several curves as small ones, bars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from signalbox.drawing.canvas import Canvas, bar, sparkline
from signalbox.drawing.curves import Curve, can_be_drawn
from signalbox.drawing.moments import show_tick, zone_name
from signalbox.drawing.reduction import keep_extremes, split_at_gaps
from signalbox.drawing.ticks import time_ticks, value_bounds, value_ticks
from signalbox.drawing.values import format_value

__all__ = ["cut", "draw_bars", "draw_curves"]

_HEIGHT = 8
_MOST_CURVES = 12


def draw_curves(curves: Sequence[Curve], unit: str, width: int, *, unicode: bool = True) -> str:
    """A chart of one curve, or a line for each of several; empty if there is nothing to draw."""
    if not can_be_drawn(value for one in curves for value in one.values):
        return ""
    if len(curves) > 1:
        return _small_curves(curves, unit, width, unicode)
    return _curve(curves[0], unit, width, unicode) if curves and len(curves[0].values) > 1 else ""


def draw_bars(names: Sequence[str], values: Sequence[float], unit: str, width: int, *, unicode: bool = True) -> str:
    """One line per bar, with its name and value; the longest bar fills the remaining width."""
    if not values or not can_be_drawn(values):
        return ""
    shown = [format_value(value, unit) for value in values]
    longest_value = max(map(len, shown))
    room = min(max(map(len, names)), max(12, width - longest_value - 14))
    space = max(8, width - room - longest_value - 4)
    top = max(map(abs, values)) or 1.0
    return "\n".join(
        f"{cut(name, room):<{room}}  {text:>{longest_value}}  {bar(abs(value) / top, space, unicode=unicode)}".rstrip()
        for name, value, text in zip(names, values, shown, strict=True)
    )


def _small_curves(curves: Sequence[Curve], unit: str, width: int, unicode: bool) -> str:
    """Every curve on its own line, all on one scale."""
    drawn = curves[:_MOST_CURVES]
    names = [one.name for one in drawn]
    values = [value for one in drawn for value in one.values]
    low, high = value_bounds(min(values), max(values), unit)
    latest = [format_value(one.values[-1], unit) for one in drawn]
    room = min(max(map(len, names)), width // 3)
    space = max(8, width - room - max(map(len, latest)) - 4)
    start, end = min(one.stamps[0] for one in drawn), max(one.stamps[-1] for one in drawn)
    lines = []
    for one, name, text in zip(drawn, names, latest, strict=True):
        line = sparkline(_cells(one, start, end, space), low, high, unicode=unicode)
        lines.append(f"{cut(name, room):<{room}}  {line:<{space}}  {text}")
    if len(curves) > len(drawn):
        lines.append(f"… and {len(curves) - len(drawn)} more series")
    scale = f"scale {format_value(low, unit)} to {format_value(high, unit)}, latest value at the right"
    axis = [_axis(start, end, space, room + 2), scale if len(scale) <= width else ""]
    return "\n".join([*lines, *axis]).rstrip()


def _curve(curve: Curve, unit: str, width: int, unicode: bool) -> str:
    low, high = value_bounds(min(curve.values), max(curve.values), unit)
    labels = _value_labels(low, high, unit)
    margin = max(map(len, labels.values()))
    space = width - margin - 2
    canvas = Canvas(space, _HEIGHT, unicode=unicode)
    start, end = curve.stamps[0], curve.stamps[-1]
    _trace(canvas, curve, (start, end), (low, high))
    edge = "┤" if unicode else "|"
    side = "│" if unicode else "|"
    rows = [
        f"{labels.get(number, ''):>{margin}} {edge if number in labels else side}{row}".rstrip()
        for number, row in enumerate(canvas.rows())
    ]
    corner = "└" + "─" * space if unicode else "+" + "-" * space
    return "\n".join([*rows, " " * (margin + 1) + corner, _axis(start, end, space, margin + 2)])


def _trace(canvas: Canvas, curve: Curve, times: tuple[float, float], values: tuple[float, float]) -> None:
    across = (canvas.wide - 1) / ((times[1] - times[0]) or 1.0)
    up = (canvas.high - 1) / ((values[1] - values[0]) or 1.0)
    places = [
        (round((stamp - times[0]) * across), round((value - values[0]) * up))
        for stamp, value in zip(curve.stamps, curve.values, strict=True)
    ]
    for begin, stop in split_at_gaps(curve.stamps):
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


def _cells(curve: Curve, start: float, end: float, space: int) -> list[float | None]:
    """One value for every character: among the points that fall there, the one furthest from the curve's mean."""
    mean = sum(curve.values) / len(curve.values)
    cells: list[float | None] = [None] * space
    for stamp, value in zip(curve.stamps, curve.values, strict=True):
        place = round((stamp - start) / ((end - start) or 1.0) * (space - 1))
        kept = cells[place]
        if kept is None or abs(value - mean) > abs(kept - mean):
            cells[place] = value
    return _joined(cells, len(curve.values))


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
    """The times below a chart, with the zone at the end if there is room for it."""
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


def cut(text: str, width: int) -> str:
    """The text, shortened in the middle if it is too long: names often differ at their ends."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"
