"""What the answers to queries come to, before it is put into the contract's shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import fsum
from sys import float_info

from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.slots import Shown, Threshold
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tell import Told
from signalbox.agents.metrics.windows import LOOKED_BACK

__all__ = [
    "MOST_SERIES",
    "Figure",
    "Found",
    "Spell",
    "by_mean",
    "figures_of",
    "gaps_of",
    "label_key",
    "mean_of",
    "moment_of",
    "moments_of",
    "spells_beyond",
    "sum_of",
]

MOST_SERIES = 50
"""The most series that an answer holds."""
_SHORTEST_GAP = 900.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SMALL = 2.0**-64

Figure = tuple[dict[str, str], float]
"""The labels of a series, and its figure."""


@dataclass(frozen=True, slots=True)
class Spell:
    """One time in which a series was beyond the threshold; `extreme` is its furthest value there."""

    labels: dict[str, str]
    start: datetime
    end: datetime
    extreme: float

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return (self.end - self.start).total_seconds()


@dataclass(frozen=True, slots=True)
class Found:
    """The figures for slots. `curves` has the one that is meant first, and 50 of them at most."""

    told: Told
    promql: str
    curves: Sequence[Curve] = ()
    value: float | None = None
    at: datetime | None = None
    ranking: Sequence[Figure] = ()
    figures: Sequence[Figure] = ()
    """Of curves of a quantile: the quantile over the whole range, for each of them."""
    pairs: Sequence[tuple[dict[str, str], float, float]] = ()
    """Of a comparison: both figures of each group."""
    missing: str = ""
    """Of a comparison: which side has no data, `a` or `b`."""
    series_count: int = 0
    dropped: int = 0
    warnings: Sequence[str] = ()
    """What the server says is wrong with its own answer."""
    has_holes: bool = False
    """Whether the curve lacks points where its figures are no numbers, such as a share of nothing."""
    doubt: str = ""
    """What is said of values that cannot be, which are left out."""
    last_seen: datetime | None = None
    judged: int = 0
    """How many things were held against a threshold."""
    nearest: Figure | None = None
    """Of a threshold: what came nearest to it, or furthest beyond it."""
    spells: Sequence[Spell] = ()
    shown: Shown | None = None
    other: Found | None = field(default=None, repr=False)
    """Of a comparison: what was found for the second side."""

    @property
    def is_empty(self) -> bool:
        """True if nothing came back."""
        return not self.curves

    def with_curves(self, curves: Sequence[Curve]) -> Found:
        """Return the same with these curves, cut to as many as an answer holds."""
        return replace(self, curves=curves[:MOST_SERIES], series_count=len(curves))


def spells_beyond(curves: Sequence[Curve], threshold: Threshold, step: float, until: float) -> list[Spell]:
    """Return every spell of curves that hold only points beyond the threshold, so many seconds apart."""
    found = []
    for curve in curves:
        breaks = [at for at, (a, b) in enumerate(pairwise(curve.stamps), 1) if b - a > 1.5 * step]
        for first, last in pairwise([0, *breaks, len(curve.stamps)]):
            values = curve.values[first:last]
            extreme = max(values) if threshold.above else min(values)
            end = min(curve.stamps[last - 1] + step, until)
            found.append(Spell(curve.labels, moment_of(curve.stamps[first]), moment_of(end), extreme))
    return found


def gaps_of(curve: Curve, window: TimeRange) -> list[tuple[datetime, datetime]]:
    """Return the stretches of a window in which a curve has no points, to a step of it. A point may stand for a sample
    that is as old as a server looks back."""
    step = min((b - a for a, b in pairwise(curve.stamps)), default=0.0)
    if not step:
        return []
    edges = [window.start_time.timestamp() - step, *curve.stamps, window.end_time.timestamp() + step]
    found = []
    for at, (before, after) in enumerate(pairwise(edges)):
        if after - before > max(3 * step, _SHORTEST_GAP):
            start = before + step if not at else max(before - max(LOOKED_BACK - step, 0.0), curve.stamps[0])
            found.append((moment_of(start), moment_of(after - step if at == len(edges) - 2 else after)))
    return found


def label_key(labels: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return what tells one series of an answer from another."""
    return tuple(sorted((name, value) for name, value in labels.items() if name != "__name__"))


def figures_of(answer: QueryAnswer, lowest: bool = False) -> list[Figure]:
    """Return the figures of an answer at one moment, the best first."""
    found = [(curve.labels, curve.values[-1]) for curve in answer.curves]
    return sorted(found, key=lambda figure: figure[1], reverse=not lowest)


def by_mean(curves: Sequence[Curve], lowest: bool = False) -> list[Curve]:
    """Return the curves by their mean, the highest first."""
    return sorted(curves, key=lambda curve: mean_of(curve.values), reverse=not lowest)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean of at least one value."""
    try:
        return fsum(values) / len(values)
    except OverflowError:
        return _small_sum(values) / len(values) / _SMALL


def sum_of(values: Sequence[float]) -> float:
    """Return the sum of the values; the largest number there is if it would be larger."""
    try:
        return fsum(values)
    except OverflowError:
        largest = float_info.max * _SMALL
        return min(max(_small_sum(values), -largest), largest) / _SMALL


def _small_sum(values: Sequence[float]) -> float:
    return fsum(value * _SMALL for value in values)


def moment_of(stamp: float) -> datetime:
    """Return the moment of a point."""
    return datetime.fromtimestamp(stamp, UTC)


def moments_of(stamps: Sequence[float]) -> Iterator[datetime]:
    """Yield the moments of many points. Adding the gap between two is cheaper than converting each."""
    moment, before, gaps = _EPOCH, 0, dict[int, timedelta]()
    for stamp in stamps:
        at = round(stamp * 1e6)
        gap = gaps.get(at - before)
        if gap is None:
            gap = gaps[at - before] = timedelta(microseconds=at - before)
        moment, before = moment + gap, at
        yield moment
