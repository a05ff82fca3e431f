"""A correction that names both what is meant and what is not: 7c, not 7b."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["swapped"]

_NOT = re.compile(r",?\s+(?:and\s+)?(?:not|instead of|rather than|in place of)\s+", re.IGNORECASE)
_EDGES = " \t\n\"'“”‘’`.,;:!?"


def swapped(text: str, fields: Mapping[str, Any], request: str) -> tuple[dict[str, Any], str] | None:
    """The fields and the request with one for the other, where the text says so of something that stands in them."""
    for cut in _NOT.finditer(text):
        new, old = text[: cut.start()].split(), text[cut.end() :].split()
        for count in range(len(old), 0, -1):
            wrong, right = (" ".join(part).strip(_EDGES) for part in (old[:count], new[-count:]))
            whole = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
            known = {key: _with(whole, right, value) for key, value in fields.items()}
            if wrong and right and known != dict(fields):
                return known, _with(whole, right, request)
    return None


def _with(whole: re.Pattern[str], right: str, value: Any) -> Any:
    """A value with the right words for the wrong ones, in whatever it holds: class 7b among the groups of a user."""
    if isinstance(value, Mapping):
        return {key: _with(whole, right, one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with(whole, right, one) for one in value]
    return whole.sub(lambda _: right, value) if isinstance(value, str) else value
