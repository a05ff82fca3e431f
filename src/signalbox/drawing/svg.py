"""Charts as SVG inside a page: curves and rankings, in the page's own colours, light and dark, and readable on a phone.

Colours are the page's custom properties (`--ink`, `--grid`, `--shade`, `--bad`, `--c0` … `--c7`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from html import escape
from math import isfinite
from statistics import fmean, median
from typing import Any

from signalbox.drawing.curves import Curve, can_be_drawn, read_curves
from signalbox.drawing.moments import read_moment, show_tick
from signalbox.drawing.reduction import keep_extremes, split_at_gaps
from signalbox.drawing.scales import axis_scale
from signalbox.drawing.ticks import time_ticks, value_bounds, value_ticks
from signalbox.drawing.values import format_value

__all__ = ["chart_html"]

Block = Mapping[str, Any]
_WIDE, _NARROW = 860, 380
_MOST_CURVES = 24
_MOST_BARS = 50


def chart_html(block: Block) -> str:
    """The chart of a `series` or `ranking` block, with its legend below it; empty where nothing can be drawn."""
    if block.get("type") == "ranking":
        return _ranking(block)
    if block.get("type") != "series":
        return ""
    curves = read_curves(block)[:_MOST_CURVES]
    if not curves or not can_be_drawn(value for curve in curves for value in curve.values):
        return ""
    wide, narrow = _Sheet(block, curves, _WIDE, 300), _Sheet(block, curves, _NARROW, 230)
    both = f'<div class="wide">{wide.svg()}</div><div class="narrow">{narrow.svg()}</div>'
    return f'<div class="chart">{both}{_legend(block, curves)}</div>'


class _Sheet:
    """One chart at one size; places are in its own pixels."""

    def __init__(self, block: Block, curves: Sequence[Curve], width: int, height: int) -> None:
        self.block, self.curves, self.width, self.height = block, curves, width, height
        self.left, self.top, self.right, self.bottom = 64, 14, width - 14, height - 30
        self.bound = _threshold(block)
        values = [value for curve in curves for value in curve.values] + ([self.bound[0]] if self.bound else [])
        self.start, self.end = _span(block, curves)
        self.low, self.high = value_bounds(min(values), max(values), str(block.get("unit") or ""))

    def svg(self) -> str:
        """The whole chart."""
        parts = [*self._bands(), *self._grid(), *self._lines(), *self._bound(), *self._marks()]
        label = escape(str(self.block.get("title") or "chart"), quote=True)
        return (
            f'<svg viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{label}" '
            f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
        )

    def x(self, stamp: float) -> float:
        return self.left + (stamp - self.start) / ((self.end - self.start) or 1.0) * (self.right - self.left)

    def y(self, value: float) -> float:
        return self.bottom - (value - self.low) / ((self.high - self.low) or 1.0) * (self.bottom - self.top)

    def _grid(self) -> list[str]:
        unit = str(self.block.get("unit") or "")
        factor, shown = axis_scale(unit, max(abs(self.low), abs(self.high)))
        parts = []
        for value in value_ticks(self.low, self.high, 6, unit):
            y = self.y(value)
            parts.append(f'<path class="grid" d="M{self.left} {y:.1f}H{self.right}"/>')
            text = f"{value * factor:,.4g}{f' {shown}' if shown not in ('', '%') else shown}"
            parts.append(
                f'<text class="tick" x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'
            )
        most = 9 if self.width > _NARROW else 4
        span = timedelta(seconds=self.end - self.start)
        for tick in time_ticks(self.start, self.end, most):
            x = min(self.x(tick.timestamp()), self.right - 8)
            place = f'x="{x:.1f}" y="{self.bottom + 18}" text-anchor="middle"'
            parts.append(f'<text class="tick" {place}>{show_tick(tick, span)}</text>')
        return parts

    def _bands(self) -> list[str]:
        parts = []
        for band in self.block.get("bands") or ():
            start, end = (self._inside(read_moment(band[key]).timestamp()) for key in ("start", "end"))
            width = max(2.0, self.x(end) - self.x(start))
            parts.append(
                f'<rect class="band" x="{self.x(start):.1f}" y="{self.top}" width="{width:.1f}" '
                f'height="{self.bottom - self.top}"><title>{escape(str(band["text"]))}</title></rect>'
            )
        return parts

    def _lines(self) -> list[str]:
        parts = []
        for number, curve in enumerate(self.curves):
            path = []
            for first, last in split_at_gaps(curve.stamps):
                kept = keep_extremes(curve.values[first:last], self.width)
                places = [(self.x(curve.stamps[first + i]), self.y(curve.values[first + i])) for i in kept]
                path.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places))
                if len(places) == 1:
                    path.append("h0.01")
            title = escape(curve.name)
            parts.append(f'<path class="curve c{number % 8}" d="{"".join(path)}"><title>{title}</title></path>')
        return parts

    def _bound(self) -> list[str]:
        if self.bound is None:
            return []
        value, text = self.bound
        y = self.y(value)
        return [
            f'<path class="bound" d="M{self.left} {y:.1f}H{self.right}"/>'
            f'<text class="tick bound-text" x="{self.right}" y="{y - 5:.1f}" text-anchor="end">{escape(text)}</text>'
        ]

    def _marks(self) -> list[str]:
        parts = []
        for mark in self.block.get("marks") or ():
            x, y = self.x(self._inside(read_moment(mark["at"]).timestamp())), self.y(float(mark["value"]))
            anchor = "end" if x > (self.left + self.right) / 2 else "start"
            away = -8 if anchor == "end" else 8
            place = f'x="{x + away:.1f}" y="{max(self.top + 8, y - 6):.1f}" text-anchor="{anchor}"'
            parts.append(f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
            parts.append(f'<text class="tick mark-text" {place}>{escape(str(mark["text"]))}</text>')
        return parts

    def _inside(self, stamp: float) -> float:
        return min(max(stamp, self.start), self.end)


def _span(block: Block, curves: Sequence[Curve]) -> tuple[float, float]:
    stamps = [stamp for curve in curves for stamp in (curve.stamps[0], curve.stamps[-1])]
    if block.get("range") and not block.get("overlaid"):
        stamps += [read_moment(moment).timestamp() for moment in block["range"]]
    return min(stamps), max(stamps)


def _threshold(block: Block) -> tuple[float, str] | None:
    """The bound that the question names, in the unit of the curves, and what is written at it."""
    told = block.get("threshold")
    if isinstance(told, Mapping):
        value, text = told.get("value"), str(told.get("text") or "")
    else:
        value, text = told, ""
    if not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value), text or format_value(float(value), str(block.get("unit") or ""))


def _legend(block: Block, curves: Sequence[Curve]) -> str:
    """A row for each curve, below the plot: its colour, its name and its figures. A single curve has the title's."""
    unit, only = str(block.get("unit") or ""), str(block.get("title") or "") if len(curves) == 1 else ""
    head = "".join(f"<th>{name}</th>" for name in ("", "min", "mean", "median", "max", "last", "points"))
    rows = []
    for number, curve in enumerate(curves):
        values = curve.values
        figures = (min(values), fmean(values), median(values), max(values), values[-1])
        cells = "".join(f"<td>{escape(format_value(one, unit))}</td>" for one in figures)
        name = escape(only or curve.name, quote=True)
        key = f'<td class="key" title="{name}"><i class="c{number % 8}"></i>{name}</td>'
        rows.append(f"<tr>{key}{cells}<td>{len(values):,}</td></tr>")
    return f'<div class="legend"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _ranking(block: Block) -> str:
    rows = list(block["rows"])[:_MOST_BARS]
    numbers = [float(row["value"]) for row in rows]
    if not rows or not can_be_drawn(numbers):
        return ""
    unit = str(block.get("unit") or "")
    reach = [float(row[name]) for row in rows for name in ("expected", "high") if name in row]
    top = max(map(abs, [*numbers, *reach])) or 1.0
    bars = []
    for row, number in zip(rows, numbers, strict=True):
        name = escape(str(row["name"]), quote=True)
        bars.append(
            f'<div class="bar-row"><span class="bar-name" title="{name}">{name}</span><span class="bar-track">'
            f'<i class="bar" style="width:{abs(number) / top * 100:.1f}%"></i>{_expected(row, top, unit)}</span>'
            f'<span class="bar-value">{escape(format_value(number, unit))}</span></div>'
        )
    more = len(block["rows"]) - len(rows)
    key = '<p class="bar-key"><i></i>expected<b></b>where it may lie (95%)</p>' if reach else ""
    return f'<div class="ranking">{"".join(bars)}{key}{f"<p>… and {more} more</p>" if more else ""}</div>'


def _expected(row: Mapping[str, Any], top: float, unit: str) -> str:
    """What was expected as a mark on the bar, and between which figures the true one lies as a whisker."""
    parts = ""
    if "low" in row and "high" in row:
        low, high = (float(row[name]) / top * 100 for name in ("low", "high"))
        parts += f'<i class="whisker" style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
    if "expected" in row:
        told = escape(f"expected {format_value(float(row['expected']), unit)}", quote=True)
        parts += f'<i class="expected" title="{told}" style="left:{float(row["expected"]) / top * 100:.1f}%"></i>'
    return parts
