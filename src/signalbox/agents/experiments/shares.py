"""Shares of conditions: names, their weights in percent, or "evenly"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Split", "even", "split_of"]


@dataclass(frozen=True)
class Split:
    """Names in their order, weights for them (or in their order, without names), or evenly."""

    names: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    is_even: bool = False

    @property
    def is_complete(self) -> bool:
        """True if every name has its weight, and all is shared out; weights without names are for names in order."""
        if self.is_even:
            return len(self.names) > 1
        return abs(sum(self.weights) - 100) < 1 and len(self.names) in (0, len(self.weights))

    def as_field(self) -> dict[str, Any]:
        """The field of a request that carries it: `{names, weights, is_even}`; `split_of` reads it."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def split_of(fields: Mapping[str, Any]) -> Split:
    """The shares that a request carries."""
    held = fields.get("split") or {}
    return Split(tuple(held.get("names") or ()), tuple(held.get("weights") or ()), bool(held.get("is_even")))


def even(count: int) -> list[float]:
    """So many weights that are equal and add up to 100."""
    if not count:
        return []
    each = round(100 / count, 2)
    return [round(100 - each * (count - 1), 2), *([each] * (count - 1))]
