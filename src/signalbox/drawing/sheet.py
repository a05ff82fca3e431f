"""The layout of a figure on a sheet of 1200 by 630. A pen draws its lines, boxes and texts into a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, Protocol

from signalbox.drawing.moments import show_tick
from signalbox.drawing.ticks import time_ticks, value_bounds, value_ticks
from signalbox.settings import person_zone

__all__ = ["HEIGHT", "INK", "WIDTH", "Pen", "Place", "draw_figure"]

WIDTH, HEIGHT = 1200, 630
INK, _GRID, _SHADE, _BOUND = "#333333", "#e2e2e2", "#f9e4d3", "#c0392b"
_TOP, _RIGHT, _BOTTOM, _LEFT = 70, 40, 90, 110

Place = tuple[float, float]


class Pen(Protocol):
    """What draws; places are in pixels from the top left."""

    def text(self, place: Place, text: str, anchor: str, size: int = 15) -> None:
        """A text at its anchor: l, m or r across, in the middle of its height."""

    def width_of(self, text: str) -> float:
        """How wide a text will be."""

    def line(self, places: Sequence[Place], colour: str, width: float = 1.0) -> None:
        """A line through the places."""

    def box(self, low: Place, high: Place, colour: str) -> None:
        """A filled rectangle between two corners."""


class Sheet:
    """The place for the curves or bars between the margins."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen
        self.left, self.top, self.right, self.bottom = _LEFT, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM


def draw_figure(figure: Mapping[str, Any], pen: Pen) -> None:
    """Draw a figure of `make_figure`, with its title at the top and the units at their axes."""
    sheet, layout = Sheet(pen), figure["layout"]
    pen.text((sheet.left, 28), _said(layout), "l", size=20)
    pen.text((sheet.left - 10, sheet.top - 26), _said(layout["yaxis"]), "r")
    pen.text((sheet.right, HEIGHT - 12), _said(layout["xaxis"]), "r")
    if figure["data"][0]["type"] == "bar":
        _draw_bars(sheet, figure["data"][0])
    else:
        _draw_curves(sheet, figure)


def _said(part: Mapping[str, Any]) -> str:
    return str(part.get("title", {}).get("text", ""))


def _draw_curves(sheet: Sheet, figure: Mapping[str, Any]) -> None:
    zone = person_zone()
    traces = [(trace, [_stamp(text, zone) for text in trace["x"]]) for trace in figure["data"]]
    stamps = [stamp for _, all_of in traces for stamp in all_of if stamp is not None]
    values = [value for trace, _ in traces for value in trace["y"] if value is not None]
    start, end = min(stamps), max(stamps)
    values += [one["y0"] for one in figure["layout"].get("shapes", ()) if one["type"] == "line"]
    low, high = value_bounds(min(values), max(values))

    def place(stamp: float, value: float) -> tuple[float, float]:
        across = (stamp - start) / ((end - start) or 1.0)
        up = (value - low) / ((high - low) or 1.0)
        return sheet.left + across * (sheet.right - sheet.left), sheet.bottom - up * (sheet.bottom - sheet.top)

    shapes = figure["layout"].get("shapes", ())
    for band in (one for one in shapes if one["type"] == "rect"):
        first, last = (min(max(_stamp(band[name]) or start, start), end) for name in ("x0", "x1"))
        sheet.pen.box((place(first, low)[0], sheet.top), place(last, low), _SHADE)
    _draw_grid(sheet, place, (start, end), (low, high))
    for bound in (one["y0"] for one in shapes if one["type"] == "line"):
        sheet.pen.line([place(start, bound), place(end, bound)], _BOUND, 1.5)
    for trace, stamps_of in traces:
        for stretch in _stretches(stamps_of, trace["y"]):
            sheet.pen.line([place(*pair) for pair in stretch], trace["line"]["color"], 1.6)
    for mark in figure["layout"].get("annotations", ()):
        _draw_mark(sheet, place(_stamp(mark["x"]) or start, mark["y"]), mark["text"])
    if figure["layout"].get("showlegend"):
        _draw_legend(sheet, [(trace["name"], trace["line"]["color"]) for trace, _ in traces])


def _draw_grid(sheet: Sheet, place: Any, times: tuple[float, float], values: tuple[float, float]) -> None:
    for value in value_ticks(*values, 7):
        _, y = place(times[0], value)
        sheet.pen.line([(sheet.left, y), (sheet.right, y)], _GRID)
        sheet.pen.text((sheet.left - 10, y), f"{value:,.10g}", "r")
    span = timedelta(seconds=times[1] - times[0])
    for tick in time_ticks(*times, 9):
        x, _ = place(tick.timestamp(), values[0])
        sheet.pen.line([(x, sheet.top), (x, sheet.bottom)], _GRID)
        sheet.pen.text((x, sheet.bottom + 16), show_tick(tick, span), "m")
    sheet.pen.line([(sheet.left, sheet.bottom), (sheet.right, sheet.bottom)], INK)


def _draw_mark(sheet: Sheet, place: tuple[float, float], text: str) -> None:
    x, y = place
    sheet.pen.box((x - 4, y - 4), (x + 4, y + 4), INK)
    room = sheet.pen.width_of(text) / 2
    sheet.pen.text((min(max(x, sheet.left + room), sheet.right - room), max(y - 16, sheet.top - 8)), text, "m")


def _draw_legend(sheet: Sheet, entries: Sequence[tuple[str, str]]) -> None:
    x, y = float(sheet.left), sheet.bottom + 44.0
    for name, colour in entries:
        wide = sheet.pen.width_of(name) + 44
        if x + wide > sheet.right:
            x, y = float(sheet.left), y + 20
            if y > HEIGHT - 24:
                return
        sheet.pen.line([(x, y), (x + 22, y)], colour, 3)
        sheet.pen.text((x + 28, y), name, "l")
        x += wide


def _draw_bars(sheet: Sheet, trace: Mapping[str, Any]) -> None:
    """Bars are always horizontal, which leaves room for long names."""
    names, sizes = (trace["y"], trace["x"]) if trace["orientation"] == "h" else (trace["x"], trace["y"])
    colours = trace["marker"]["color"]
    sheet.left = int(min(max(map(sheet.pen.width_of, names)) + 40, WIDTH / 2))
    longest = max(map(sheet.pen.width_of, trace["text"]))
    top = max(map(abs, sizes)) or 1.0
    pitch = (sheet.bottom - sheet.top) / len(sizes)
    for number, (name, size, text) in enumerate(zip(names, sizes, trace["text"], strict=True)):
        middle = sheet.top + (number + 0.5) * pitch
        reach = sheet.left + abs(size) / top * (sheet.right - sheet.left - longest - 20)
        colour = colours if isinstance(colours, str) else colours[number]
        thick = min(0.36 * pitch, 26)
        sheet.pen.box((sheet.left, middle - thick), (reach, middle + thick), colour)
        sheet.pen.text((sheet.left - 12, middle), name, "r")
        sheet.pen.text((reach + 8, middle), text, "l")


def _stretches(stamps: Sequence[float | None], values: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """The pieces of a curve between its gaps."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for stamp, value in zip(stamps, values, strict=True):
        if stamp is None or value is None:
            pieces.append([])
        else:
            pieces[-1].append((stamp, value))
    return [piece for piece in pieces if len(piece) > 1]


def _stamp(text: str | None, zone: tzinfo | None = None) -> float | None:
    """The timestamp of a local time in the person's zone."""
    if text is None:
        return None
    return datetime.fromisoformat(text).replace(tzinfo=zone or person_zone()).timestamp()
