"""A figure as SVG: text and lines, which stay sharp and can be edited. Every text in it is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape, unescape
from typing import Any

from signalbox.drawing.sheet import HEIGHT, INK, WIDTH, Place, draw_figure

__all__ = ["figure_svg"]

_ANCHORS = {"l": "start", "m": "middle", "r": "end"}
_LETTER = 0.55
"""How wide a letter is on average, in its height."""


def figure_svg(figure: Mapping[str, Any]) -> str:
    """The figure of `make_figure` as an SVG document."""
    pen = _Pen()
    draw_figure(figure, pen)
    style = 'font-family="system-ui, sans-serif" dominant-baseline="central"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', *pen.parts, "</svg>\n"])


class _Pen:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, place: Place, text: str, anchor: str, size: int = 15) -> None:
        shown, most = unescape(text), int((WIDTH - 60) / size / _LETTER)
        shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
        where = f'x="{place[0]:.1f}" y="{place[1]:.1f}" font-size="{size}" text-anchor="{_ANCHORS[anchor]}"'
        self.parts.append(f'<text {where} fill="{INK}">{escape(shown)}</text>')

    def width_of(self, text: str) -> float:
        return len(unescape(text)) * 15 * _LETTER

    def line(self, places: Sequence[Place], colour: str, width: float = 1.0) -> None:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def box(self, low: Place, high: Place, colour: str) -> None:
        (left, right), (top, bottom) = sorted((low[0], high[0])), sorted((low[1], high[1]))
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        self.parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{colour}"/>')
