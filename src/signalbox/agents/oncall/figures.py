"""Which figures of a text do not stand in the data that it is about."""

from __future__ import annotations

import re

__all__ = ["invented_words"]

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")


def invented_words(text: str, data: str) -> list[str]:
    """The figures and addresses of a text that do not stand in the data."""
    known = set(_FIGURE.findall(data))
    return [figure for figure in _FIGURE.findall(text) if figure not in known]
