"""Where the parts of the shop enter their series, and what they need to know of the time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from signalbox.worlds.grid import Grid, seconds_of
from signalbox.worlds.incident import Incident, Span, incident_before
from signalbox.worlds.metrics.labels import NAME, labels_from
from signalbox.worlds.metrics.series import Series, Target
from signalbox.worlds.metrics.store import Metadata
from signalbox.worlds.noise import FloatArray
from signalbox.worlds.shapes import Counter, Flow, Level, Pulse, Shape

__all__ = ["Catalogue", "Described", "lognormal_shares", "seconds_span"]

Described = Mapping[str, tuple[str, str]]
"""Type and help of each metric, by name."""


@dataclass(frozen=True, eq=False)
class _Heard:
    """What is so at every scrape that is answered; 0 at the others."""

    target: Target
    answered: float = 1.0

    def at(self, grid: Grid) -> FloatArray:
        """The value at each scrape."""
        return np.where(self.target.heard(grid.stamps()), self.answered, 0.0)


class Catalogue:
    """Collects series and metadata for a store opened at one moment."""

    def __init__(self, opened: datetime) -> None:
        self.midnight = opened.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.incident: Incident = incident_before(opened)
        self.hurt = Pulse(*seconds_span(self.incident.shop_hurt), ramp=90.0)
        self.series: list[Series] = []
        self.metadata: dict[str, Metadata] = {}

    def before(self, days: float) -> float:
        """The moment so many days before the midnight at which the present day began, as shapes count it."""
        return seconds_of(self.moment(days))

    def moment(self, days: float) -> datetime:
        """The same as a datetime."""
        return self.midnight - timedelta(days=days)

    def describe(self, described: Described) -> None:
        """Enter the type and help of metrics."""
        self.metadata |= {name: Metadata(*words) for name, words in described.items()}

    def add(self, name: str, shape: Shape, target: Target, **labels: str) -> None:
        """Enter one series of a target."""
        own = {NAME: name, "job": target.job, "instance": target.instance, **labels}
        self.series.append(Series(labels_from(own), shape, target))

    def add_target(self, target: Target, scraped: int, **labels: str) -> None:
        """Enter what Prometheus records about a target."""
        key = f"{target.job}/{target.instance}"
        shapes: dict[str, Shape] = {
            "up": _Heard(target),
            "scrape_duration_seconds": Level(key + "/scrape", 0.012 + scraped * 4e-5, noise=0.3, quantum=1e-6),
            "scrape_samples_scraped": _Heard(target, float(scraped)),
        }
        for name, shape in shapes.items():
            own = {NAME: name, "job": target.job, "instance": target.instance, **labels}
            self.series.append(Series(labels_from(own), shape, target, watches_target=True))

    def add_histogram(
        self, name: str, parts: tuple[tuple[Flow, float, float], ...], bounds: tuple[float, ...],
        births: tuple[float, ...], target: Target, **labels: str,
    ) -> None:  # fmt: skip
        """Enter buckets, sum and count of observations in flows, each lognormal with a median and a spread."""
        for bound in (*bounds, math.inf):
            weighted = tuple((flow, lognormal_shares(bound, median, spread)) for flow, median, spread in parts)
            le = "+Inf" if math.isinf(bound) else f"{bound:g}"
            self.add(f"{name}_bucket", Counter(weighted, births), target, le=le, **labels)
        means = tuple((flow, median * math.exp(spread**2 / 2)) for flow, median, spread in parts)
        self.add(f"{name}_sum", Counter(means, births, per_unit=1e6), target, **labels)
        self.add(f"{name}_count", Counter(tuple((flow, 1.0) for flow, *_ in parts), births), target, **labels)


def lognormal_shares(bound: float, median: float, spread: float) -> float:
    """The share of lognormal observations up to a bound."""
    if math.isinf(bound):
        return 1.0
    return 0.5 * (1 + math.erf(math.log(bound / median) / (spread * math.sqrt(2))))


def seconds_span(span: Span) -> tuple[float, float]:
    """A span as shapes count it."""
    return seconds_of(span[0]), seconds_of(span[1])
