"""A figure as a PNG, drawn with Pillow: no browser, no network, no fonts of the system's."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from html import unescape
from typing import Any

from signalbox.drawing.moments import show_tick
from signalbox.drawing.ticks import time_ticks, value_bounds, value_ticks
from signalbox.errors import MissingExtraError
from signalbox.settings import person_zone

__all__ = ["figure_png"]

WIDTH, HEIGHT = 1200, 630
# Drawn at twice the size and made smaller, which smooths the lines.
_SCALE = 2
_INK, _GRID, _SHADE = "#333333", "#e2e2e2", "#f9e4d3"
_TOP, _RIGHT, _BOTTOM, _LEFT = 70, 40, 90, 110


def figure_png(figure: Mapping[str, Any]) -> bytes:
    """The figure of `make_figure` as a PNG of 1200 by 630. Raises MissingExtraError without Pillow."""
    sheet = _Sheet(figure["layout"])
    sheet.title()
    if figure["data"][0]["type"] == "bar":
        _draw_bars(sheet, figure["data"][0])
    else:
        _draw_curves(sheet, figure)
    return sheet.png()


class _Sheet:
    """The image while it is drawn; places are in pixels of the finished image."""

    def __init__(self, layout: Mapping[str, Any]) -> None:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise MissingExtraError("A chart as PNG", "charts") from None
        self.layout = layout
        self.left, self.top, self.right, self.bottom = _LEFT, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM
        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), "white")
        self._draw = ImageDraw.Draw(self._image)
        self._fonts = {size: ImageFont.load_default(size * _SCALE) for size in (15, 20)}

    def title(self) -> None:
        """The title at the top, and the units at their axes."""
        self.text((self.left, 28), self._said(self.layout), "lm", size=20)
        self.text((self.left - 10, self.top - 26), self._said(self.layout["yaxis"]), "rm")
        self.text((self.right, HEIGHT - 12), self._said(self.layout["xaxis"]), "rm")

    def _said(self, part: Mapping[str, Any]) -> str:
        return str(part.get("title", {}).get("text", ""))

    def text(self, place: tuple[float, float], text: str, anchor: str, *, size: int = 15, colour: str = _INK) -> None:
        """A text at its anchor, cut to the width of the image."""
        shown = unescape(text)
        font = self._fonts[size]
        while font.getlength(shown) > (WIDTH - 60) * _SCALE:
            shown = shown[: int(len(shown) * 0.9)].rstrip("…") + "…"
        self._draw.text(self._at(place), shown, fill=colour, font=font, anchor=anchor)

    def width_of(self, text: str) -> float:
        """How wide a text will be."""
        return float(self._fonts[15].getlength(unescape(text)) / _SCALE)

    def line(self, places: Sequence[tuple[float, float]], colour: str, width: float = 1.0) -> None:
        """A line through the places."""
        wide = max(1, round(width * _SCALE))
        self._draw.line([self._at(place) for place in places], fill=colour, width=wide, joint="curve")

    def box(self, low: tuple[float, float], high: tuple[float, float], colour: str) -> None:
        """A filled rectangle between two corners."""
        (x0, y0), (x1, y1) = self._at(low), self._at(high)
        self._draw.rectangle((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), fill=colour)

    def _at(self, place: tuple[float, float]) -> tuple[float, float]:
        return place[0] * _SCALE, place[1] * _SCALE

    def png(self) -> bytes:
        """The finished image."""
        from PIL import Image

        out = io.BytesIO()
        self._image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
        return out.getvalue()


def _draw_curves(sheet: _Sheet, figure: Mapping[str, Any]) -> None:
    zone = person_zone()
    traces = [(trace, [_stamp(text, zone) for text in trace["x"]]) for trace in figure["data"]]
    stamps = [stamp for _, all_of in traces for stamp in all_of if stamp is not None]
    values = [value for trace, _ in traces for value in trace["y"] if value is not None]
    start, end = min(stamps), max(stamps)
    low, high = value_bounds(min(values), max(values))

    def place(stamp: float, value: float) -> tuple[float, float]:
        across = (stamp - start) / ((end - start) or 1.0)
        up = (value - low) / ((high - low) or 1.0)
        return sheet.left + across * (sheet.right - sheet.left), sheet.bottom - up * (sheet.bottom - sheet.top)

    for shape in figure["layout"].get("shapes", ()):
        sheet.box(
            (place(_stamp(shape["x0"]) or start, low)[0], sheet.top), place(_stamp(shape["x1"]) or end, low), _SHADE
        )
    _draw_grid(sheet, place, (start, end), (low, high))
    for trace, stamps_of in traces:
        for stretch in _stretches(stamps_of, trace["y"]):
            sheet.line([place(*pair) for pair in stretch], trace["line"]["color"], 1.6)
    for mark in figure["layout"].get("annotations", ()):
        _draw_mark(sheet, place(_stamp(mark["x"]) or start, mark["y"]), mark["text"])
    if figure["layout"].get("showlegend"):
        _draw_legend(sheet, [(trace["name"], trace["line"]["color"]) for trace, _ in traces])


def _draw_grid(sheet: _Sheet, place: Any, times: tuple[float, float], values: tuple[float, float]) -> None:
    for value in value_ticks(*values, 7):
        _, y = place(times[0], value)
        sheet.line([(sheet.left, y), (sheet.right, y)], _GRID)
        sheet.text((sheet.left - 10, y), f"{value:,.10g}", "rm")
    span = timedelta(seconds=times[1] - times[0])
    for tick in time_ticks(*times, 9):
        x, _ = place(tick.timestamp(), values[0])
        sheet.line([(x, sheet.top), (x, sheet.bottom)], _GRID)
        sheet.text((x, sheet.bottom + 16), show_tick(tick, span), "mm")
    sheet.line([(sheet.left, sheet.bottom), (sheet.right, sheet.bottom)], _INK)


def _draw_mark(sheet: _Sheet, place: tuple[float, float], text: str) -> None:
    x, y = place
    sheet.box((x - 4, y - 4), (x + 4, y + 4), _INK)
    room = sheet.width_of(text) / 2
    sheet.text((min(max(x, sheet.left + room), sheet.right - room), max(y - 16, sheet.top - 8)), text, "mm")


def _draw_legend(sheet: _Sheet, entries: Sequence[tuple[str, str]]) -> None:
    x, y = float(sheet.left), sheet.bottom + 44.0
    for name, colour in entries:
        wide = sheet.width_of(name) + 44
        if x + wide > sheet.right:
            x, y = float(sheet.left), y + 20
            if y > HEIGHT - 24:
                return
        sheet.line([(x, y), (x + 22, y)], colour, 3)
        sheet.text((x + 28, y), name, "lm")
        x += wide


def _draw_bars(sheet: _Sheet, trace: Mapping[str, Any]) -> None:
    """Bars lie, whatever the figure says: long names then have their room."""
    names, sizes = (trace["y"], trace["x"]) if trace["orientation"] == "h" else (trace["x"], trace["y"])
    colours = trace["marker"]["color"]
    sheet.left = int(min(max(map(sheet.width_of, names)) + 40, WIDTH / 2))
    longest = max(map(sheet.width_of, trace["text"]))
    top = max(map(abs, sizes)) or 1.0
    pitch = (sheet.bottom - sheet.top) / len(sizes)
    for number, (name, size, text) in enumerate(zip(names, sizes, trace["text"], strict=True)):
        middle = sheet.top + (number + 0.5) * pitch
        reach = sheet.left + abs(size) / top * (sheet.right - sheet.left - longest - 20)
        colour = colours if isinstance(colours, str) else colours[number]
        thick = min(0.36 * pitch, 26)
        sheet.box((sheet.left, middle - thick), (reach, middle + thick), colour)
        sheet.text((sheet.left - 12, middle), name, "rm")
        sheet.text((reach + 8, middle), text, "lm")


def _stretches(stamps: Sequence[float | None], values: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """The pieces of a curve between its holes."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for stamp, value in zip(stamps, values, strict=True):
        if stamp is None or value is None:
            pieces.append([])
        else:
            pieces[-1].append((stamp, value))
    return [piece for piece in pieces if len(piece) > 1]


def _stamp(text: str | None, zone: tzinfo | None = None) -> float | None:
    """The moment that a wall clock of the person's zone shows."""
    if text is None:
        return None
    return datetime.fromisoformat(text).replace(tzinfo=zone or person_zone()).timestamp()
