"""A small drawing surface of characters: braille dots where the terminal can show them, stars elsewhere."""

from __future__ import annotations

__all__ = ["Canvas", "bar", "sparkline"]

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_LEVELS = "▁▂▃▄▅▆▇█"
_PARTS = " ▏▎▍▌▋▊▉"
_PLAIN_LEVELS = "_.-=+*%#"


class Canvas:
    """`width` by `height` characters; each is 2 by 4 dots in braille, one dot otherwise."""

    def __init__(self, width: int, height: int, *, unicode: bool = True) -> None:
        self.unicode = unicode
        self.wide, self.high = (width * 2, height * 4) if unicode else (width, height)
        self._cells = [[0] * width for _ in range(height)]

    def dot(self, x: int, y: int) -> None:
        """Set a dot; y counts from the bottom. Dots outside the surface are ignored."""
        if not (0 <= x < self.wide and 0 <= y < self.high):
            return
        down = self.high - 1 - y
        if self.unicode:
            self._cells[down // 4][x // 2] |= _DOTS[down % 4][x % 2]
        else:
            self._cells[down][x] = 1

    def line(self, x0: int, y0: int, x1: int, y1: int) -> None:
        """Set the dots on the line between two points."""
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            self.dot(round(x0 + (x1 - x0) * i / steps), round(y0 + (y1 - y0) * i / steps))

    def rows(self) -> list[str]:
        """The lines of text, from the top."""
        if self.unicode:
            return ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in self._cells]
        return ["".join("*" if cell else " " for cell in row) for row in self._cells]


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """A bar that fills the share of the width."""
    share = min(max(share, 0.0), 1.0)
    if not unicode:
        return "#" * round(share * width)
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_PARTS[rest] if rest else "")


def sparkline(values: list[float | None], low: float, high: float, *, unicode: bool = True) -> str:
    """One character per value, by its position between `low` and `high`; a missing value is a space."""
    levels = _LEVELS if unicode else _PLAIN_LEVELS
    span = (high - low) or 1.0
    last = len(levels) - 1
    return "".join(
        " " if value is None else levels[min(last, max(0, round((value - low) / span * last)))] for value in values
    )
