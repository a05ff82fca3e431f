"""When a curve was beyond a threshold: from which point to which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.found import moment_of
from signalbox.agents.metrics.question import Threshold

__all__ = ["Spell", "find_spells"]


@dataclass(frozen=True, slots=True)
class Spell:
    """One time in which a series was beyond the threshold; `extreme` is its highest value there, or its lowest."""

    labels: dict[str, str]
    start: datetime
    end: datetime
    extreme: float

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return (self.end - self.start).total_seconds()


def find_spells(curves: Sequence[Curve], threshold: Threshold) -> list[Spell]:
    """Every spell of every curve, in their order. A spell lasts until the next point that is not beyond."""
    return [spell for curve in curves for spell in _of_curve(curve, threshold)]


def _of_curve(curve: Curve, threshold: Threshold) -> Iterator[Spell]:
    step = min((b - a for a, b in pairwise(curve.stamps)), default=0.0)
    points = list(zip(curve.stamps, curve.values, strict=True))
    for is_beyond, run in groupby(points, key=lambda point: threshold.is_beyond(point[1])):
        stretch = list(run)
        if not is_beyond:
            continue
        values = [value for _, value in stretch]
        extreme = max(values) if threshold.above else min(values)
        end = min(stretch[-1][0] + step, curve.stamps[-1])
        yield Spell(curve.labels, moment_of(stretch[0][0]), moment_of(end), extreme)
