"""What the server's answers come to, before it is put into the contract's shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import fsum
from sys import float_info
from typing import TYPE_CHECKING

from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.question import Shown

if TYPE_CHECKING:
    from signalbox.agents.metrics.querying.spells import Spell

__all__ = ["MOST_SERIES", "Figure", "Found", "by_mean", "mean_of", "moment_of", "moments_of", "numbers_of", "sum_of"]

MOST_SERIES = 50
"""The most series that an answer holds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SMALL = 2.0**-64

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
    warnings: Sequence[str] = ()
    """What the server says is wrong with its own answer."""
    last_seen: datetime | None = None
    judged: int = 0
    """How many things were judged against a threshold."""
    spells: Sequence[Spell] = ()
    """When things were beyond it."""
    shown: Shown | None = None
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
    return sorted(curves, key=lambda curve: mean_of(curve.values), reverse=not lowest)


def mean_of(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    try:
        return fsum(values) / len(values)
    except OverflowError:
        return _small_sum(values) / len(values) / _SMALL


def sum_of(values: Sequence[float]) -> float:
    """The sum of the values; the largest number there is, where it would be larger."""
    try:
        return fsum(values)
    except OverflowError:
        largest = float_info.max * _SMALL
        return min(max(_small_sum(values), -largest), largest) / _SMALL


def _small_sum(values: Sequence[float]) -> float:
    return fsum(value * _SMALL for value in values)


def numbers_of(answer: QueryAnswer, lowest: bool = False) -> list[Figure]:
    """The figures of an answer at one moment, the best first."""
    found = [(curve.labels, curve.values[-1]) for curve in answer.curves]
    return sorted(found, key=lambda figure: figure[1], reverse=not lowest)


def moment_of(stamp: float) -> datetime:
    """The moment of a point."""
    return datetime.fromtimestamp(stamp, UTC)


def moments_of(stamps: Sequence[float]) -> Iterator[datetime]:
    """The moments of many points: to add the gap between two, mostly the same, is cheaper than to convert each."""
    moment, before, gaps = _EPOCH, 0, dict[int, timedelta]()
    for stamp in stamps:
        at = round(stamp * 1e6)
        gap = gaps.get(at - before)
        if gap is None:
            gap = gaps[at - before] = timedelta(microseconds=at - before)
        moment, before = moment + gap, at
        yield moment
