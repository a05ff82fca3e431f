"""Streams the text of an answer as a model writes it, or otherwise by paragraph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from signalbox.maps.writing import Piece, use_writing
from signalbox.settings import get_settings

__all__ = ["Draft", "paragraphs"]

_PACE = 0.1
"""Seconds for which text is collected, because models write in very small pieces."""
_MOST = 40


class Draft:
    """The text being written in a run: `tell` receives `{"id": message, "text": new text}`, with `node` if a model
    writes it.

    A model may write several messages; usually the last one is the answer or its beginning.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._message, self._node = "", ""
        self._told, self._kept = "", ""
        self._at = 0.0

    @contextmanager
    def heard(self, *, always: bool = False) -> Iterator[None]:
        """Take what models write in this block; with the offline model, which does not stream, only if `always`."""
        if get_settings().model == "offline" and not always:
            yield
            return
        with use_writing(self.take):
            yield

    def take(self, piece: Piece) -> None:
        """A model has written something."""
        if piece.message != self._message:
            self._flush()
            self._message, self._node, self._told, self._at = piece.message, piece.node, "", 0.0
        self._kept += piece.text
        if monotonic() - self._at >= _PACE:
            self._flush()

    def _flush(self) -> None:
        # What begins an answer with space is taken off it in the end, and data in braces is for no person.
        new = self._kept if self._told else self._kept.lstrip()
        if not new or (self._told + new)[0] in "{[":
            return
        self._told, self._kept, self._at = self._told + new, "", monotonic()
        self._tell({"id": self._message, "text": new, "node": self._node})

    def become(self, text: str, message: str) -> str:
        """Report the rest of the finished answer; returns the id of its message, the model's or the given one."""
        if self._told and text.startswith(self._told):
            message, text = self._message, text[len(self._told) :]
        for part in paragraphs(text):
            self._tell({"id": message, "text": part})
        return message


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, without losing a character; the last one holds everything beyond a limit."""
    if not text:
        return []
    parts = text.split("\n\n", _MOST - 1)
    return [f"{part}\n\n" for part in parts[:-1]] + parts[-1:]
