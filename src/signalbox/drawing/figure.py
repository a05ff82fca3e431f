"""Blocks as Plotly figures in plain JSON: lines for a series, bars for a ranking or for two values compared."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from signalbox.drawing.curves import Curve, can_be_drawn, read_curves
from signalbox.drawing.moments import read_moment, show_moment, show_span, wall_clock, zone_name
from signalbox.drawing.reduction import keep_extremes, split_at_gaps
from signalbox.drawing.values import format_value
from signalbox.settings import person_zone

__all__ = ["chart_of", "make_figure"]

_MOST_POINTS = 2_000
_MOST_CURVES = 30
_COLOURS = (
    "#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#666666", "#0aa6c2", "#b2182b",
)  # fmt: skip

_AS_READ = re.compile(r"(-?\d[\d,]*\.?\d*)\s*(\D*)")
_FACTORS = (
    *(10.0**power for power in (-15, -12, -9, -6, -3, 0, 2, 3, 6, 9)),
    *(1024.0**-power for power in (1, 2, 3, 4, 5)),
    *(1 / seconds for seconds in (60, 3600, 86400, 604800)),
)
_TOLERANCE = math.log(1.04)

_GRID = {"gridcolor": "#e6e6e6", "zerolinecolor": "#cccccc"}

Figure = dict[str, Any]


def chart_of(blocks: Iterable[Mapping[str, Any]]) -> Figure | None:
    """The figure for an answer: the first series that can be drawn, or else the first ranking or comparison."""
    drawable = sorted(
        (block for block in blocks if block.get("type") in _DRAWN), key=lambda block: list(_DRAWN).index(block["type"])
    )
    return next((figure for figure in map(make_figure, drawable) if figure is not None), None)


def make_figure(block: Mapping[str, Any]) -> Figure | None:
    """The figure of a block; None if there is nothing to draw, or if it is malformed."""
    draw = _DRAWN.get(str(block.get("type")))
    try:
        return draw(block) if draw else None
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        return None


def _series(block: Mapping[str, Any]) -> Figure | None:
    curves = read_curves(block)
    values = [value for one in curves for value in one.values]
    if not any(len(one.values) > 1 for one in curves) or not can_be_drawn(values):
        return None
    drawn = curves[:_MOST_CURVES]
    factor, unit = _axis_scale(block.get("unit", ""), max(map(abs, values)))
    lines = [_line(one, factor, number) for number, one in enumerate(drawn)]
    if block.get("overlaid"):
        for line in lines[1:]:
            line["line"]["dash"] = "dot"
    title = _title(block) + (f" (first {len(drawn)} of {len(curves)} series)" if len(curves) > len(drawn) else "")
    layout = _layout(title, unit, from_zero=_from_zero(curves[0].values), legend=len(lines) > 1)
    ends = block.get("range") or [datetime.fromtimestamp(curves[0].stamps[at], UTC).isoformat() for at in (0, -1)]
    layout["xaxis"]["title"] = {"text": "/".join(dict.fromkeys(zone_name(read_moment(end)) for end in ends))}
    if block.get("marks"):
        layout["annotations"] = [_mark(mark, factor, block.get("unit", "")) for mark in block["marks"]]
    layout["shapes"] = [_shade(band) for band in block.get("bands") or ()]
    if block.get("threshold") is not None:
        layout["shapes"].append(_across(float(block["threshold"]) * factor))
    return {"data": lines, "layout": layout}


def _across(height: float) -> dict[str, Any]:
    """A line for the threshold that was asked about."""
    line = {"color": "#c0392b", "dash": "dash", "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": height, "y1": height, "line": line}


def _ranking(block: Mapping[str, Any]) -> Figure | None:
    names, values = [row["name"] for row in block["rows"]], [float(row["value"]) for row in block["rows"]]
    return _bars(block, names, values, lying=True) if values else None


def _compared(block: Mapping[str, Any]) -> Figure | None:
    other = block.get("compared")
    if not other:
        return None
    return _bars(block, [block["title"], other["title"]], [float(block["value"]), float(other["value"])])


_DRAWN = {"series": _series, "ranking": _ranking, "value": _compared}


def _bars(block: Mapping[str, Any], names: list[str], values: list[float], *, lying: bool = False) -> Figure | None:
    if not can_be_drawn(values):
        return None
    factor, unit = _axis_scale(block.get("unit", ""), max(map(abs, values)))
    named_things, sizes = [_escaped(name) for name in names], [value * factor for value in values]
    shown = [format_value(value, block.get("unit", "")) for value in values]
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h" if lying else "v",
        **({"x": sizes, "y": named_things} if lying else {"x": named_things, "y": sizes}),
        "text": shown,
        "hovertext": shown,
        "hoverinfo": "text",
        "marker": {"color": _COLOURS[0] if lying else [_COLOURS[i % len(_COLOURS)] for i in range(len(values))]},
    }
    layout = _layout(_title(block), unit, from_zero=True, legend=False)
    sized, named = {"title": {"text": unit}, **_GRID}, {"type": "category", "automargin": True}
    layout["xaxis"], layout["yaxis"] = (sized, {**named, "autorange": "reversed"}) if lying else (named, sized)
    layout["hovermode"] = "closest"
    return {"data": [trace], "layout": layout}


def _line(curve: Curve, factor: float, number: int) -> dict[str, Any]:
    zone = person_zone()
    xs: list[str | None] = []
    ys: list[float | None] = []
    for begin, stop in split_at_gaps(curve.stamps):
        if xs:
            xs.append(None)
            ys.append(None)
        for i in keep_extremes(curve.values[begin:stop], max(4, _MOST_POINTS * (stop - begin) // len(curve.stamps))):
            xs.append(wall_clock(datetime.fromtimestamp(curve.stamps[begin + i], UTC), zone))
            ys.append(curve.values[begin + i] * factor)
    return {
        "type": "scatter",
        "mode": "lines" if len(curve.values) > 1 else "markers",
        "name": _escaped(curve.name),
        "x": xs,
        "y": ys,
        "line": {"color": _COLOURS[number % len(_COLOURS)], "width": 1.6},
    }


def _layout(title: str, unit: str, *, from_zero: bool, legend: bool) -> dict[str, Any]:
    return {
        "title": {"text": title},
        "xaxis": {"type": "date", **_GRID},
        "yaxis": {"title": {"text": unit}, "rangemode": "tozero" if from_zero else "normal", **_GRID},
        "showlegend": legend,
        "legend": {"orientation": "h", "y": -0.25},
        "margin": {"l": 70, "r": 30, "t": 60, "b": 60},
        "hovermode": "x unified",
        "plot_bgcolor": "#ffffff",
        "paper_bgcolor": "#ffffff",
    }


def _mark(mark: Mapping[str, Any], factor: float, unit: str) -> dict[str, Any]:
    return {
        "x": wall_clock(read_moment(mark["at"])),
        "y": mark["value"] * factor,
        "text": _escaped(mark.get("text") or f"{format_value(mark['value'], unit)} at {show_moment(mark['at'])}"),
        "showarrow": True,
        "arrowhead": 2,
    }


def _shade(band: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": wall_clock(read_moment(band["start"])),
        "x1": wall_clock(read_moment(band["end"])),
        "y0": 0,
        "y1": 1,
        "fillcolor": _COLOURS[1],
        "opacity": 0.15,
        "line": {"width": 0},
        "layer": "below",
    }


def _title(block: Mapping[str, Any]) -> str:
    title = _escaped(str(block.get("title") or ""))
    if "range" not in block:
        return title
    span = show_span(*map(read_moment, block["range"]))
    return f"{title}, {span}" if title else span


def _escaped(text: str) -> str:
    """The text escaped for Plotly, which reads texts as HTML: names and labels come from servers."""
    return escape(text, quote=False)


def _from_zero(values: Sequence[float]) -> bool:
    return 0 <= min(values) < 0.6 * max(values)


def _axis_scale(unit: str, highest: float) -> tuple[float, str]:
    """The factor for values on the axis, and the resulting unit; (1, unit) if there is no simple factor."""
    read = _AS_READ.fullmatch(format_value(abs(highest), unit).strip())
    if read is None or not highest:
        return 1.0, unit
    number = float(read[1].replace(",", ""))
    if not number:
        return 1.0, unit
    ratio = math.log(number / abs(highest))
    factor = min(_FACTORS, key=lambda one: abs(math.log(one) - ratio))
    return (factor, read[2].strip()) if abs(math.log(factor) - ratio) < _TOLERANCE else (1.0, unit)
