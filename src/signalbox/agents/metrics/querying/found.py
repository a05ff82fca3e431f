"""What the server's answers come to, before it is put into the contract's shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import fsum

from signalbox.agents.metrics.promapi import Curve, QueryAnswer

__all__ = ["MOST_SERIES", "Figure", "Found", "by_mean", "mean_of", "moment_of", "numbers_of"]

MOST_SERIES = 50
"""The most series that an answer holds."""

Figure = tuple[dict[str, str], float]
"""The labels of a series, and its figure."""


@dataclass(frozen=True, slots=True)
class Found:
    """The figures for a question. `curves` has the one that the question means first, and 50 of them at most."""

    promql: str
    unit: str = ""
    curves: Sequence[Curve] = ()
    value: float | None = None
    at: datetime | None = None
    ranking: Sequence[Figure] = ()
    pair: tuple[float, float] | None = None
    missing: str = ""
    """Of a comparison: which of the two has no data, `a` or `b`."""
    series_count: int = 0
    dropped: int = 0
    last_seen: datetime | None = None
    other: Found | None = field(default=None, repr=False)
    """Of a comparison: what was found for the second figure."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing came back."""
        return not self.curves

    def with_curves(self, curves: Sequence[Curve]) -> Found:
        """The same with these curves, cut to as many as an answer holds."""
        return replace(self, curves=curves[:MOST_SERIES], series_count=len(curves))


def by_mean(curves: Sequence[Curve], lowest: bool = False) -> list[Curve]:
    """The curves by their mean, the highest first."""
    return sorted(curves, key=mean_of, reverse=not lowest)


def mean_of(curve: Curve) -> float:
    """The mean of a curve that has points."""
    return fsum(curve.values) / len(curve.values)


def numbers_of(answer: QueryAnswer, lowest: bool = False) -> list[Figure]:
    """The figures of an answer at one moment, the best first."""
    found = [(curve.labels, curve.values[-1]) for curve in answer.curves]
    return sorted(found, key=lambda figure: figure[1], reverse=not lowest)


def moment_of(stamp: float) -> datetime:
    """The moment of a point."""
    return datetime.fromtimestamp(stamp, UTC)
