"""When samples are taken: every 30 seconds, each target at its own moment within them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np

from signalbox.worlds.noise import FloatArray, IntArray

__all__ = ["DAY", "INTERVAL_MS", "Grid", "grid_between", "seconds_of"]

INTERVAL_MS = 30_000
DAY = 86_400.0
_MONDAY_MS = 1_704_067_200_000
"""2024-01-01 00:00 UTC, a Monday: shapes count seconds from here, which keeps their arithmetic exact."""


@dataclass(frozen=True)
class Grid:
    """The scrapes number `first` to `last`, `phase` milliseconds into their interval."""

    first: int
    last: int
    phase: int

    def stamps(self) -> IntArray:
        """Milliseconds since 1970."""
        return _stamps(self)

    def seconds(self) -> FloatArray:
        """Seconds as shapes count them."""
        return _seconds(self)


def grid_between(low_ms: int, high_ms: int, phase: int) -> Grid:
    """The scrapes in [low, high]."""
    return Grid(-((phase - low_ms) // INTERVAL_MS), (high_ms - phase) // INTERVAL_MS, phase)


def seconds_of(moment: datetime) -> float:
    """A moment as shapes count it."""
    return moment.timestamp() - _MONDAY_MS / 1000


@lru_cache(maxsize=32)
def _stamps(grid: Grid) -> IntArray:
    return np.arange(grid.first, grid.last + 1, dtype=np.int64) * INTERVAL_MS + grid.phase


@lru_cache(maxsize=32)
def _seconds(grid: Grid) -> FloatArray:
    return (grid.stamps() - _MONDAY_MS) / 1000.0
