"""How finely a range of time is looked at: the step of a curve, the window of a rate, the grain of an extreme."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC

from signalbox.agents.metrics.state import TimeRange

__all__ = ["DEFAULT_SCRAPE", "LOOKED_BACK", "Resolution", "choose_resolution", "seconds_of"]

DEFAULT_SCRAPE = 60.0
"""Seconds between two samples where nobody knows."""
LOOKED_BACK = 300.0
"""Seconds that a server looks back for the last sample by itself."""

_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400)
_CHART_POINTS = 360
_MOST_GRAINS = 20_000
_USUAL_WINDOW = 300.0
_SCRAPES_A_WINDOW = 4


@dataclass(frozen=True, slots=True)
class Resolution:
    """Seconds: `step` between the points of a curve and `window` of a rate in it; `grain` between the moments that are
    looked at for a highest or lowest value, and `close_window` of a rate there; `scrape` between samples; `reach` back
    to the last sample, where the server's own five minutes are too short, else 0."""

    step: float
    window: float
    grain: float
    close_window: float
    scrape: float = DEFAULT_SCRAPE
    reach: float = 0.0


def seconds_of(window: TimeRange) -> float:
    """The length of a range of time."""
    return (window.end_time.astimezone(UTC) - window.start_time.astimezone(UTC)).total_seconds()


def choose_resolution(window: TimeRange, scrape: float = DEFAULT_SCRAPE) -> Resolution:
    """A few hundred points, no finer than the samples; a rate over at least four samples, and over all since the last
    point, so that none is passed over."""
    length = seconds_of(window)
    step = _next_step(max(min(scrape, length), length / _CHART_POINTS))
    grain = _next_step(max(scrape, length / _MOST_GRAINS))
    least = max(_SCRAPES_A_WINDOW * scrape, min(_USUAL_WINDOW, length))
    return Resolution(
        step=step,
        window=max(least, step),
        grain=grain,
        close_window=max(least, grain),
        scrape=scrape,
        reach=2 * scrape if scrape > LOOKED_BACK else 0.0,
    )


def _next_step(seconds: float) -> float:
    day = _STEPS[-1]
    return float(next((step for step in _STEPS if step >= seconds), math.ceil(seconds / day) * day))
