"""What a series looks like: closed forms of time, so that a history of any length takes no room.

A gauge is a `Level` or a `Switch`; a counter is a `Counter` over one or more `Flow`s, and `Steps` counts rare events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from signalbox.worlds.grid import DAY, INTERVAL_MS, Grid
from signalbox.worlds.noise import FloatArray, drift, jitter, seed_of

__all__ = ["Constant", "Counter", "Flow", "Level", "Pulse", "Shape", "Span", "Steps", "Switch"]

Span = tuple[float, float]
_DRIFT_PERIOD = 600.0
_WEEK_PEAK_DAY = 2.5


class Shape(Protocol):
    """Anything that has a value at every scrape of a grid."""

    def at(self, grid: Grid) -> FloatArray:
        """The values, one a scrape."""
        ...


@dataclass(frozen=True, eq=False)
class Pulse:
    """Something extra from `start` until `end`, growing and fading within `ramp` seconds."""

    start: float
    end: float
    ramp: float = 120.0

    def height(self, t: FloatArray) -> FloatArray:
        """Between 0 and 1."""
        knots = [self.start, self.start + self.ramp, self.end, self.end + self.ramp]
        return np.interp(t, knots, [0.0, 1.0, 1.0, 0.0])

    def area(self, t: FloatArray) -> FloatArray:
        """The integral of the height up to t."""
        return self._risen(t - self.start) - self._risen(t - self.end)

    def _risen(self, x: FloatArray) -> FloatArray:
        return np.clip(x, 0.0, self.ramp) ** 2 / (2 * self.ramp) + np.maximum(x - self.ramp, 0.0)


@dataclass(frozen=True, eq=False)
class Flow:
    """Something that happens `rate` times a second, with a rhythm of days and weeks.

    `pulses` pairs a pulse with what it adds, as a multiple of `rate`. The parts of the rhythm stay below 1 in sum, so
    that the flow never runs backwards.
    """

    key: str
    rate: float
    day: float = 0.4
    peak: float = 14.0
    week: float = 0.1
    wander: float = 0.15
    noise: float = 0.2
    pulses: tuple[tuple[Pulse, float], ...] = ()

    def total(self, grid: Grid) -> FloatArray:
        """How often it has happened up to each scrape, from an arbitrary origin."""
        return _flow_total(self, grid)

    def total_at(self, moments: tuple[float, ...]) -> FloatArray:
        """The same for any moments."""
        return _flow_total_at(self, moments)

    def _sum(self, t: FloatArray, day: FloatArray, week: FloatArray) -> FloatArray:
        seed = seed_of(self.key)
        total = t + self.day * day + self.week * week
        total += self.wander * _DRIFT_PERIOD * drift(seed, t, _DRIFT_PERIOD)
        total += self.noise * INTERVAL_MS / 1000 * jitter(seed + 1, t, INTERVAL_MS / 1000)
        for pulse, extra in self.pulses:
            total += extra * pulse.area(t)
        total *= self.rate
        return total


@lru_cache(maxsize=48)
def _flow_total(flow: Flow, grid: Grid) -> FloatArray:
    week = _grid_swing_area(grid, 7 * DAY, _WEEK_PEAK_DAY * DAY)
    return flow._sum(grid.seconds(), _grid_swing_area(grid, DAY, flow.peak * 3600), week)


@lru_cache(maxsize=4096)
def _flow_total_at(flow: Flow, moments: tuple[float, ...]) -> FloatArray:
    t = np.asarray(moments)
    week = _swing_area(t, 7 * DAY, _WEEK_PEAK_DAY * DAY)
    return flow._sum(t, _swing_area(t, DAY, flow.peak * 3600), week)


@dataclass(frozen=True)
class Counter:
    """The sum of flows, each with a weight, counted from the latest of `births` (when its process started)."""

    parts: tuple[tuple[Flow, float], ...]
    births: tuple[float, ...]
    per_unit: float = 1.0
    """How finely it counts: 1 for whole things, 100 for hundredths."""
    halts: tuple[Span, ...] = ()
    """When nothing flowed."""

    def at(self, grid: Grid) -> FloatArray:
        """What the process has counted."""
        t = grid.seconds()
        life = np.maximum(np.searchsorted(np.asarray(self.births), t, side="right") - 1, 0) if self.births[1:] else 0
        total = np.zeros_like(t)
        for flow, weight in self.parts:
            began = flow.total_at(self.births)
            flowed = flow.total(grid) - began[life]
            if self.halts:
                flowed -= self._unflowed(flow, flow.total(grid)) - self._unflowed(flow, began)[life]
            flowed *= weight
            total += flowed
        np.maximum(total, 0.0, out=total)
        total *= self.per_unit
        np.floor(total, out=total)
        total /= self.per_unit
        return total

    def _unflowed(self, flow: Flow, totals: FloatArray) -> FloatArray:
        """What would have flowed during the halts, up to where the flow had reached these totals."""
        unflowed = np.zeros_like(totals)
        for halt in self.halts:
            start, end = flow.total_at(halt)
            unflowed += np.clip(totals, start, end) - start
        return unflowed


@dataclass(frozen=True)
class Level:
    """A gauge around `base`: rhythm, pulses, noise and a slow `slope` (units a day since `since`), kept in bounds."""

    key: str
    base: float
    day: float = 0.0
    peak: float = 14.0
    week: float = 0.0
    wander: float = 0.0
    noise: float = 0.02
    slope: float = 0.0
    since: float = 0.0
    pulses: tuple[tuple[Pulse, float], ...] = ()
    low: float = 0.0
    high: float = float("inf")
    quantum: float = 0.0

    def at(self, grid: Grid) -> FloatArray:
        """The level at each scrape."""
        t = grid.seconds()
        seed = seed_of(self.key)
        level = 1.0 + self.noise * (2 * jitter(seed, t, INTERVAL_MS / 1000) - 1)
        if self.day or self.week:
            week = _grid_swing(grid, 7 * DAY, _WEEK_PEAK_DAY * DAY)
            level += self.day * _grid_swing(grid, DAY, self.peak * 3600) + self.week * week
        if self.wander:
            level += self.wander * (2 * drift(seed + 1, t, 3 * _DRIFT_PERIOD) - 1)
        for pulse, extra in self.pulses:
            level += extra * pulse.height(t)
        value = np.clip(self.base * level + self.slope * (t - self.since) / DAY, self.low, self.high)
        return np.round(value / self.quantum) * self.quantum if self.quantum else value


@dataclass(frozen=True)
class Switch:
    """`on`, but `off` during the spans."""

    off_during: tuple[Span, ...] = ()
    on: float = 1.0
    off: float = 0.0

    def at(self, grid: Grid) -> FloatArray:
        """One of the two values at each scrape."""
        return np.where(_within(self.off_during, grid.seconds()), self.off, self.on)


@dataclass(frozen=True)
class Steps:
    """How many of `moments` have passed, from `initial` on."""

    moments: tuple[float, ...]
    initial: float = 0.0

    def at(self, grid: Grid) -> FloatArray:
        """The count at each scrape."""
        passed = np.searchsorted(np.sort(np.asarray(self.moments)), grid.seconds(), side="right")
        return self.initial + passed.astype(np.float64)


@dataclass(frozen=True)
class Constant:
    """The same value always, or from each of `moments` on the value beside it."""

    value: float
    changes: tuple[tuple[float, float], ...] = field(default=())

    def at(self, grid: Grid) -> FloatArray:
        """The value at each scrape."""
        t = grid.seconds()
        values = np.full_like(t, self.value)
        for moment, value in self.changes:
            values[t >= moment] = value
        return values


def _within(spans: tuple[Span, ...], t: FloatArray) -> npt.NDArray[np.bool_]:
    inside: npt.NDArray[np.bool_] = np.zeros(t.shape, dtype=np.bool_)
    for start, end in spans:
        inside |= (t >= start) & (t < end)
    return inside


@lru_cache(maxsize=16)
def _grid_swing(grid: Grid, period: float, peak: float) -> FloatArray:
    return np.cos((grid.seconds() - peak) * (2 * np.pi / period))


def _swing_area(t: FloatArray, period: float, peak: float) -> FloatArray:
    speed = 2 * np.pi / period
    return np.sin((t - peak) * speed) / speed


@lru_cache(maxsize=16)
def _grid_swing_area(grid: Grid, period: float, peak: float) -> FloatArray:
    return _swing_area(grid.seconds(), period, peak)
