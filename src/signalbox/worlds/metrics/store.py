"""The embedded store: an index of series that compute their samples when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signalbox.settings import now
from signalbox.worlds.metrics.labels import NAME, Labels, Matcher, label_of
from signalbox.worlds.metrics.series import Series
from signalbox.worlds.noise import FloatArray, IntArray

__all__ = ["HISTORY", "Metadata", "Store"]

HISTORY = timedelta(days=14)


@dataclass(frozen=True)
class Metadata:
    """What a metric is: counter, gauge, histogram, and one line of help."""

    type: str
    help: str


class Store:
    """Series with 14 days of history before `opened`, that go on until the present moment."""

    def __init__(
        self,
        series: Iterable[Series],
        metadata: dict[str, Metadata],
        opened: datetime,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.metadata = metadata
        self.starts = _milliseconds(opened - HISTORY)
        self._clock = clock
        self._by_name: dict[str, list[Series]] = {}
        for one in sorted(series, key=lambda item: item.labels):
            self._by_name.setdefault(label_of(one.labels, NAME), []).append(one)

    @property
    def ends(self) -> int:
        """The present moment in milliseconds: no sample is later."""
        return _milliseconds(self._clock())

    def names(self) -> list[str]:
        """Every metric."""
        return sorted(self._by_name)

    def select(self, matchers: Sequence[Matcher]) -> list[Series]:
        """The series that satisfy every matcher, in the order of their labels."""
        tests = [(matcher.name, matcher.accepts()) for matcher in matchers]
        name_tests = [test for name, test in tests if name == NAME]
        other_tests = [(name, test) for name, test in tests if name != NAME]
        return [
            one
            for name, group in self._by_name.items()
            if all(test(name) for test in name_tests)
            for one in group
            if _satisfies(one.labels, other_tests)
        ]

    def samples(self, series: Series, low_ms: int, high_ms: int) -> tuple[IntArray, FloatArray]:
        """The samples of one series in [low, high], within the history of the store."""
        return series.samples(max(low_ms, self.starts), min(high_ms, self.ends))

    def with_samples(self, some: Iterable[Series], low_ms: int, high_ms: int) -> list[Series]:
        """Those of the series that have any sample in [low, high]."""
        low, high = max(low_ms, self.starts), min(high_ms, self.ends)
        return [one for one in some if one.has_samples(low, high)]


def _satisfies(labels: Labels, tests: list[tuple[str, Callable[[str], bool]]]) -> bool:
    return all(test(label_of(labels, name)) for name, test in tests)


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
