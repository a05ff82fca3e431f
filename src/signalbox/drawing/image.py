"""A figure as a PNG, drawn with Pillow: without a browser, the network or system fonts."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

from signalbox.drawing.sheet import HEIGHT, INK, WIDTH, Place, draw_figure
from signalbox.errors import MissingExtraError

__all__ = ["figure_png"]

_SCALE = 2
"""Drawn at twice the size and made smaller, which smooths the lines."""


def figure_png(figure: Mapping[str, Any]) -> bytes:
    """The figure of `make_figure` as a PNG. Raises MissingExtraError without Pillow."""
    pen = _Pen()
    draw_figure(figure, pen)
    return pen.png()


class _Pen:
    def __init__(self) -> None:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise MissingExtraError("A chart as PNG", "charts") from None
        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), "white")
        self._draw = ImageDraw.Draw(self._image)
        self._fonts = {size: ImageFont.load_default(size * _SCALE) for size in (15, 20)}

    def text(self, place: Place, text: str, anchor: str, size: int = 15) -> None:
        shown, font = unescape(text), self._fonts[size]
        while font.getlength(shown) > (WIDTH - 60) * _SCALE:
            shown = shown[: int(len(shown) * 0.9)].rstrip("…") + "…"
        self._draw.text(_scaled(place), shown, fill=INK, font=font, anchor=f"{anchor}m")

    def width_of(self, text: str) -> float:
        return float(self._fonts[15].getlength(unescape(text)) / _SCALE)

    def line(self, places: Sequence[Place], colour: str, width: float = 1.0) -> None:
        wide = max(1, round(width * _SCALE))
        self._draw.line([_scaled(place) for place in places], fill=colour, width=wide, joint="curve")

    def box(self, low: Place, high: Place, colour: str) -> None:
        (x0, y0), (x1, y1) = _scaled(low), _scaled(high)
        self._draw.rectangle((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), fill=colour)

    def png(self) -> bytes:
        from PIL import Image

        out = io.BytesIO()
        self._image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
        return out.getvalue()


def _scaled(place: Place) -> Place:
    return place[0] * _SCALE, place[1] * _SCALE
