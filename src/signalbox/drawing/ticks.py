"""Round positions on an axis: for values, and for times in the person's zone."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from signalbox.settings import person_zone

__all__ = ["time_ticks", "value_bounds", "value_ticks"]

_BINARY = ("bytes", "bytes/s", "bytes_per_second")
_STEPS = (
    *(timedelta(seconds=s) for s in (1, 5, 10, 15, 30)),
    *(timedelta(minutes=m) for m in (1, 2, 5, 10, 15, 30)),
    *(timedelta(hours=h) for h in (1, 2, 3, 6, 12)),
    *(timedelta(days=d) for d in (1, 2, 7, 14, 28)),
)


def value_ticks(low: float, high: float, most: int, unit: str = "") -> list[float]:
    """At most `most` round values in [low, high]; bytes use powers of two."""
    if not high > low:
        return [low]
    step = _round_step((high - low) / max(1, most - 1), 1024.0 if unit in _BINARY else 1000.0)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)] or [low]


def value_bounds(low: float, high: float, unit: str = "") -> tuple[float, float]:
    """The ends of an axis for values between `low` and `high`: from 0 if that costs little space, and never equal."""
    if low == high:
        width = abs(low) * 0.1 or 1.0
        return (0.0, high + width) if low >= 0 else (low - width, 0.0)
    if 0 < low < 0.6 * high:
        low = 0.0
    step = _round_step((high - low) / 4, 1024.0 if unit in _BINARY else 1000.0)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def time_ticks(start: float, end: float, most: int) -> list[datetime]:
    """At most `most` round moments between two stamps, at full minutes, hours or days of the person's zone."""
    span = timedelta(seconds=end - start)
    step = next((s for s in _STEPS if span / s <= most - 1), _STEPS[-1] * math.ceil(span / _STEPS[-1] / max(1, most)))
    zone = person_zone()
    begin = datetime.fromtimestamp(start, UTC).astimezone(zone)
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    # By the wall clock, so that a day on which the clocks change still has its ticks at full hours.
    ticks: list[datetime] = []
    number = math.ceil((begin.replace(tzinfo=None) - midnight) / step)
    while True:
        tick = (midnight + number * step).replace(tzinfo=zone)
        if tick.timestamp() > end:
            return ticks
        if tick.timestamp() >= start:
            ticks.append(tick)
        number += 1


def _round_step(rough: float, base: float) -> float:
    """The next larger of 1, 2, 5, 10, … (for base 1024: 1, 2, 4, …, 512) times a power of the base."""
    scale = base ** math.floor(math.log(abs(rough), base) + 1e-12)
    if base == 1024.0:
        return float(scale * 2 ** math.ceil(math.log2(rough / scale) - 1e-9))
    decade = 10 ** math.floor(math.log10(rough) + 1e-12)
    return float(next(m * decade for m in (1, 2, 2.5, 5, 10, 20) if m * decade >= rough * (1 - 1e-9)))
