"""Words of time as the text that a schema asks for, by way of `signalbox.models.time`."""

from __future__ import annotations

from signalbox.models.offline.fill.reading import Reading

__all__ = ["as_text"]


def as_text(reading: Reading, words: str, kind: str, side: str) -> str | None:
    """The words as a date, a time or a moment in ISO form; as they are when the field wants words."""
    if kind.endswith("-words"):
        return words.removeprefix("the ").removeprefix("on ")
    return None
