"""Corrections: what is meant and what is not (7c, not 7b), and "the other way round"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.shares import Split, even, split_of

__all__ = ["exchanged", "swapped", "wants_exchange"]

_NOT = re.compile(r",?\s+(?:and\s+)?(?:not|instead of|rather than|in place of)\s+", re.IGNORECASE)
_EDGES = " \t\n\"'“”‘’`.,;:!?"
_EXCHANGE = re.compile(
    r"\b(?:other way (?:a?round)|vice versa|swap (?:them|it|these|those|the (?:weights|shares|two))|reversed?"
    r"|wrong way (?:a?round))\b",
    re.IGNORECASE,
)
_LONGEST_EXCHANGE = 60


def wants_exchange(text: str) -> bool:
    """Whether a reply wants the shares exchanged: no, the other way round."""
    return len(text) <= _LONGEST_EXCHANGE and bool(_EXCHANGE.search(text))


def exchanged(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The shares of a request in the opposite order; nothing where it has none."""
    split = split_of(fields)
    if not split.names and not split.weights:
        return {}
    weights = tuple(even(len(split.names))) if split.is_even else split.weights
    return {"split": Split(split.names, tuple(reversed(weights))).as_field()}


def swapped(text: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields with one for the other, where the text says so of something that stands in them."""
    for cut in _NOT.finditer(text):
        new, old = text[: cut.start()].split(), text[cut.end() :].split()
        for count in range(len(old), 0, -1):
            wrong, right = (" ".join(part).strip(_EDGES) for part in (old[:count], new[-count:]))
            whole = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", re.IGNORECASE)
            known = {key: _with(whole, right, value) for key, value in fields.items()}
            if wrong and right and known != dict(fields):
                return known
    return None


def _with(whole: re.Pattern[str], right: str, value: Any) -> Any:
    """A value with the right words for the wrong ones, in whatever it holds: class 7b among the groups of a user."""
    if isinstance(value, Mapping):
        return {key: _with(whole, right, one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with(whole, right, one) for one in value]
    return whole.sub(lambda _: right, value) if isinstance(value, str) else value
