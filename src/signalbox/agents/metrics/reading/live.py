"""What the server has, as far as a question needs it: metrics by family, and the labels and values of their series."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.agents.metrics.vocabulary import base, name_words, text_words

__all__ = ["Family", "Live", "Series", "open_live"]

_TYPES = frozenset({"counter", "gauge", "histogram", "summary"})
_KEPT = timedelta(minutes=5)
_AT_ONCE = 5
_MOST_SERIES = 20_000
_MOST_LABELS = 80
_NO_LABELS = frozenset({"__name__", "le", "quantile"})
# Name parts that say how a metric is stored, not what it measures.
_ENDINGS = frozenset("total bucket sum count info created".split())


@dataclass(frozen=True, slots=True)
class Family:
    """A metric, or a histogram or summary with its parts; `names` are the metrics that carry it."""

    name: str
    type: str
    help: str
    names: tuple[str, ...]
    words: tuple[str, ...]
    """The telling words of its name, in order."""
    told: frozenset[str]
    """The words of its help, as `base` has them."""
    is_guessed: bool = False
    """The server does not say its type."""


@dataclass(frozen=True, slots=True)
class Series:
    """The label sets of a metric's series, as the values of each label."""

    values: Mapping[str, tuple[str, ...]]

    def label_names(self) -> frozenset[str]:
        return frozenset(self.values)


@dataclass
class Live:
    """A server while questions are grounded on it; what was asked is kept for five minutes."""

    client: GrafanaMetricsClient
    families: dict[str, Family]
    weights: dict[str, float]
    read_at: datetime
    kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """What was worked out from the families, by name, each with what else it was worked out from."""
    _series: dict[tuple[str, datetime, datetime], Series] = field(default_factory=dict)
    _values_of_all: Series | None = None

    @property
    def named(self) -> frozenset[str]:
        """The words of all names, as `base` has them."""
        return frozenset(self.weights)

    def weight(self, word: str) -> float:
        """How telling a word is among the server's names, from 0 to 1."""
        return self.weights.get(base(word), 1.0)

    async def series(self, metrics: Iterable[str], within: TimeRange) -> dict[str, Series]:
        """The labels and values of each metric, in the range, else in all the time that is answered."""
        wanted = list(dict.fromkeys(metrics))
        limit = asyncio.Semaphore(_AT_ONCE)

        async def read(metric: str) -> Series:
            async with limit:
                return await self._read(metric, within)

        return dict(zip(wanted, await asyncio.gather(*map(read, wanted)), strict=True))

    async def metrics_with(self, matchers: Mapping[str, str], within: TimeRange) -> list[str]:
        """The metrics that have a series with these label values."""
        said = ",".join(f"{label}={json.dumps(value, ensure_ascii=False)}" for label, value in matchers.items())
        return await self.client.label_values("__name__", f"{{{said}}}", within)

    async def all_values(self, within: TimeRange) -> Series:
        """The values of every label on the server; asked only where no metric is named."""
        if self._values_of_all is None:
            names = [name for name in await self.client.label_names(within=within) if name not in _NO_LABELS]
            limit = asyncio.Semaphore(_AT_ONCE)

            async def read(name: str) -> list[str]:
                async with limit:
                    return await self.client.label_values(name, within=within)

            found = await asyncio.gather(*map(read, names[:_MOST_LABELS]))
            self._values_of_all = Series({name: tuple(values) for name, values in zip(names, found, strict=False)})
        return self._values_of_all

    async def _read(self, metric: str, within: TimeRange) -> Series:
        key = (metric, _rounded(within.start_time), _rounded(within.end_time))
        if key not in self._series:
            found = await self._values(metric, within)
            if not found.values:
                end = within.end_time.astimezone(UTC)
                found = await self._values(metric, TimeRange(start_time=end - timedelta(days=MOST_DAYS), end_time=end))
            if len(self._series) > _MOST_SERIES:
                self._series.clear()
            self._series[key] = found
        return self._series[key]

    async def _values(self, metric: str, within: TimeRange) -> Series:
        match = selector_of(metric)
        try:
            sets = await self.client.series(match, within)
        except TooLargeError:
            return await self._values_by_label(match, within)
        values: dict[str, dict[str, None]] = {}
        for one in sets:
            for label, value in one.items():
                if label != "__name__":
                    values.setdefault(label, {})[value] = None
        return Series({label: tuple(sorted(found)) for label, found in values.items()})

    async def _values_by_label(self, match: str, within: TimeRange) -> Series:
        names = [name for name in await self.client.label_names(match, within) if name != "__name__"]
        found = [await self.client.label_values(name, match, within) for name in names]
        return Series({name: tuple(values) for name, values in zip(names, found, strict=True)})


def _rounded(moment: datetime) -> datetime:
    """The moment to the five minutes for which things are kept, so that a moving clock asks once."""
    return datetime.fromtimestamp(moment.timestamp() // _KEPT.total_seconds() * _KEPT.total_seconds(), UTC)


_OPEN: WeakKeyDictionary[GrafanaMetricsClient, Live] = WeakKeyDictionary()


async def open_live(client: GrafanaMetricsClient, now: datetime) -> Live:
    """The server behind the client; what is known of it is used for five minutes."""
    known = _OPEN.get(client)
    if known is not None and timedelta(0) <= now - known.read_at < _KEPT:
        return known
    described = await client.describe_metrics()
    families = _families(described)
    live = Live(client, families, _weights(families.values()), now)
    _OPEN[client] = live
    return live


def _families(described: Mapping[str, MetricInfo]) -> dict[str, Family]:
    names: dict[str, list[str]] = {}
    for name, info in described.items():
        is_part = info.type in ("histogram", "summary") and name != info.family
        names.setdefault(info.family if is_part else name, []).append(name)
    return {family: _family(family, members, described) for family, members in names.items()}


def _family(name: str, members: list[str], described: Mapping[str, MetricInfo]) -> Family:
    info = described[members[0]]
    words = name_words(name)
    while len(words) > 1 and words[-1] in _ENDINGS:
        words = words[:-1]
    told = frozenset(base(word) for word, *_ in text_words(info.help))
    is_guessed = info.type not in _TYPES and not name.endswith("_total")
    return Family(name, _type_of(name, info.type), info.help, tuple(members), words, told, is_guessed)


def _type_of(name: str, said: str) -> str:
    if said in _TYPES:
        return said
    return "counter" if name.endswith("_total") else "gauge"


def _weights(families: Iterable[Family]) -> dict[str, float]:
    """How rare each word is among the families' names."""
    counted: Counter[str] = Counter()
    for family in families:
        counted.update({base(word) for word in family.words})
    most = math.log(1 + max(len(counted), 2))
    return {word: max(0.3, min(1.0, math.log(1 + len(counted) / count) / most)) for word, count in counted.items()}
