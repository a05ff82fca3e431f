"""The agents of the input mapping and multi-output examples."""

from __future__ import annotations

from typing import Any

from signalbox.contract import BaseAgent


def rectangle(width: int, height: int) -> int:
    """The area of a rectangle."""
    return width * height


class PositionalFrameAgent(BaseAgent):
    """The length of a frame; its inputs are bound by position."""

    expected_params = ("a", "b")

    def process(self, inputs: dict[str, Any]) -> Any:
        return 2 * (inputs["a"] + inputs["b"])


def halves(text: str) -> dict[str, Any]:
    """Both halves of a text, and how long it is."""
    middle = len(text) // 2
    return {"front": text[:middle], "back": text[middle:], "size": len(text), "unasked": True}
