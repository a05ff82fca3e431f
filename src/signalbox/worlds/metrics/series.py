"""One series of the embedded store: labels, a shape, and the target that is scraped for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from signalbox.worlds.grid import INTERVAL_MS, Grid, grid_between
from signalbox.worlds.metrics.labels import Labels
from signalbox.worlds.noise import FloatArray, IntArray, fraction
from signalbox.worlds.shapes import Shape

__all__ = ["Series", "Target"]

_EMPTY = (np.empty(0, dtype=np.int64), np.empty(0))


@dataclass(frozen=True)
class Target:
    """What is scraped: it has a moment within the interval, may be silent for spans, and may end (milliseconds)."""

    job: str
    instance: str
    silent: tuple[tuple[int, int], ...] = ()
    ends: int | None = None

    def gaps(self) -> tuple[tuple[int, int], ...]:
        """The spans in which it is silent, as they are known now."""
        return self.silent

    def heard(self, stamps: IntArray) -> npt.NDArray[np.bool_]:
        """Which of these moments are in no gap."""
        return _outside(self.gaps(), stamps)

    @cached_property
    def phase(self) -> int:
        """Milliseconds into the interval; a whole second for some, as in real life."""
        offset = int(fraction(f"{self.job}/{self.instance}") * INTERVAL_MS)
        return offset - offset % 1000 if offset % 2 else offset


@dataclass(frozen=True, eq=False)
class Series:
    """Samples on demand."""

    labels: Labels
    shape: Shape
    target: Target
    watches_target: bool = False
    """True for what Prometheus itself records about a target: it goes on while the target is silent."""

    def samples(self, low_ms: int, high_ms: int) -> tuple[IntArray, FloatArray]:
        """Timestamps and values in [low, high]."""
        grid = self._grid(low_ms, high_ms)
        if grid.last < grid.first:
            return _EMPTY
        stamps, values = grid.stamps(), self.shape.at(grid)
        gaps = self._gaps()
        if not gaps:
            return stamps, values
        heard = _outside(gaps, stamps)
        return stamps[heard], values[heard]

    def has_samples(self, low_ms: int, high_ms: int) -> bool:
        """Whether there is any sample in [low, high], without computing it."""
        gaps, grid = self._gaps(), self._grid(low_ms, high_ms)
        while grid.first <= grid.last:
            stamp = grid.first * INTERVAL_MS + grid.phase
            beyond = next((end for start, end in gaps if start <= stamp < end), None)
            if beyond is None:
                return True
            grid = self._grid(beyond, high_ms)
        return False

    def _gaps(self) -> tuple[tuple[int, int], ...]:
        return () if self.watches_target else self.target.gaps()

    def _grid(self, low_ms: int, high_ms: int) -> Grid:
        last = high_ms if self.target.ends is None else min(high_ms, self.target.ends)
        return grid_between(low_ms, last, self.target.phase)


def _outside(gaps: tuple[tuple[int, int], ...], stamps: IntArray) -> npt.NDArray[np.bool_]:
    outside = np.ones(stamps.shape, dtype=np.bool_)
    for start, end in gaps:
        outside &= (stamps < start) | (stamps >= end)
    return outside
