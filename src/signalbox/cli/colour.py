"""Colours for answers on a terminal: problems stand out, routine lines are dimmed."""

from __future__ import annotations

import os
import re
from typing import TextIO

__all__ = ["coloured", "has_colour"]

_RED, _YELLOW, _GREEN, _DIM = "31", "33", "32", "2"
# The marks used in drawn blocks (`signalbox.drawing.terminal`), and the lines below an answer.
_LINES = (
    (re.compile(r"(- |\S.*\d  )?!! "), _RED),
    (re.compile(r"(- |\S.*\d  )?! "), _YELLOW),
    (re.compile(r"Error: "), _RED),
    (re.compile(r"\+ \S+.*: "), _GREEN),
    (re.compile(r"(Source|Query|Range): "), _DIM),
)


def has_colour(stream: TextIO | None) -> bool:
    """True if the stream is a terminal with colours and NO_COLOR is not set."""
    if stream is None or stream.closed or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def coloured(text: str, stream: TextIO | None) -> str:
    """The text with its lines in colour, or unchanged if the stream has no colours or is closed."""
    if not has_colour(stream):
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    code = next((code for mark, code in _LINES if mark.match(line)), "")
    return f"\x1b[{code}m{line}\x1b[0m" if code else line
