"""What a server has, in its own terms: what it offers to measure, and the labels of its series.

Nothing here takes the text of a request. Whoever may read it (the reader, an excerpt, `find_metrics`) searches with it:

    values = await live.values(within)
    found = await asyncio.to_thread(live.index.search, text, 40, values)
    hits = await live.rank(found, within)

`live.index` and `values` belong to `signalbox.language`; `rank` only sees what was found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.offers import Family, Offer, families_of, list_offers
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.recipes import Recipes, load_recipes
from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.language.mentions import Values
from signalbox.language.search import Entry, Found, Hit, Index
from signalbox.language.synonyms import FILLERS
from signalbox.language.words import split_name

__all__ = ["Live", "Series", "index_of", "open_live"]

_KEPT = timedelta(minutes=5)
_MOST_NAMES = 50_000
"""So many metrics are searched; any other can be asked for by its name."""
_MOST_SERIES, _MOST_LABELS, _MOST_VALUES, _MOST_MENTIONS = 2_000, 60, 5_000, 3
_HAS_IT = 0.25
"""What is added to the score of an offer whose metrics carry what a text names."""
_LACKS_IT = 0.6
"""What remains of the score of an offer without the host, device or the like that a text names."""
_NO_LABELS = frozenset({"__name__", "le", "quantile"})


@dataclass(frozen=True, slots=True)
class Series:
    """The values of each label on a metric's series."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> frozenset[str]:
        """Return the labels that can filter and split."""
        return frozenset(self.values) - _NO_LABELS


@dataclass
class Live:
    """A server while questions are answered; what was read of it is kept for five minutes.

    Without a client (in a dry run) nothing is read, and no label is known.
    """

    client: GrafanaMetricsClient
    families: dict[str, Family]
    index: Index[Offer]
    offers: dict[str, Offer]
    """What can be measured, by key: recipes first, then metrics."""
    recipes: Recipes
    read_at: datetime
    names: Mapping[str, MetricInfo]
    rising: dict[str, bool] = field(default_factory=dict)
    """Whether a metric whose type the server does not say only ever rises."""
    states: dict[str, Any] = field(default_factory=dict)
    """How each metric is a state that is on or off (see `states.py`); None for one that is none."""
    _series: dict[tuple[str, datetime, datetime], Series] = field(default_factory=dict)
    _having: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    _labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _values: Values | None = None

    def offer_named(self, name: str) -> Offer | None:
        """Return the offer with exactly this key, or that reads the metric of this name; case does not count."""
        return self.offers.get(name) or self.index.named(name)

    async def rank(self, found: Found[Offer], within: TimeRange, most: int = 40) -> list[Hit[Offer]]:
        """Return what was found, with the offers first whose metrics carry the label values that were mentioned."""
        values = list(dict.fromkeys(one.value for one in found.mentions))[:_MOST_MENTIONS]
        named = [one for one in found.mentions if one.value in values and self.client is not None]
        having = await asyncio.gather(*(self._metrics_having(one.label, one.value, within) for one in named))
        carried: frozenset[str] = frozenset()
        for value in values:
            metrics = frozenset().union(*(some for one, some in zip(named, having, strict=True) if one.value == value))
            # Where no metric has both of two values, those that have one of them are as good.
            carried = carried & metrics or carried or metrics
        if not carried:
            return found.hits[:most]
        least = _LACKS_IT if any(one.is_name for one in found.mentions) else 1.0
        scored = [
            replace(hit, score=hit.score + _HAS_IT if carried & set(hit.thing.metrics) else hit.score * least)
            for hit in found.hits
        ]
        return sorted(scored, key=lambda hit: -hit.score)[:most]

    async def series(self, metrics: Iterable[str], within: TimeRange) -> dict[str, Series]:
        """Return the labels and values of each metric in the range, or else in all the time that can be asked for."""
        wanted = list(dict.fromkeys(metrics))
        found = await asyncio.gather(*(self._series_of(metric, within) for metric in wanted))
        return dict(zip(wanted, found, strict=True))

    async def metrics_with(self, matchers: Iterable[Matcher], within: TimeRange) -> list[str]:
        """Return the metrics that have a series with these label values."""
        return await self.client.label_values("__name__", selector_text("", matchers), within)

    async def labels_of(self, within: TimeRange) -> dict[str, tuple[str, ...]]:
        """Return the values of every label on the server, as far as there are not too many."""
        if not self._labels and self.client is not None:
            names = [name for name in await self.client.label_names(within=within) if name not in _NO_LABELS]
            self._labels = await self._label_values(names, None, within)
        return self._labels

    async def values(self, within: TimeRange) -> Values:
        """Return the values of all labels, ready to be looked for in texts."""
        if self._values is None:
            self._values = await asyncio.to_thread(Values, await self.labels_of(within))
        return self._values

    async def _metrics_having(self, label: str, value: str, within: TimeRange) -> frozenset[str]:
        key = (label, value)
        if key not in self._having:
            self._having[key] = frozenset(await self.metrics_with([Matcher(label, (value,))], within))
        return self._having[key]

    async def _series_of(self, metric: str, within: TimeRange) -> Series:
        if self.client is None:
            return Series()
        key = (metric, _rounded(within.start_time), _rounded(within.end_time))
        if key not in self._series:
            found = await self._read(metric, within)
            if not found.values:
                end = within.end_time.astimezone(UTC)
                found = await self._read(metric, TimeRange(start_time=end - timedelta(days=MOST_DAYS), end_time=end))
            if len(self._series) > _MOST_SERIES:
                self._series.clear()
            self._series[key] = found
        return self._series[key]

    async def _read(self, metric: str, within: TimeRange) -> Series:
        match = selector_of(metric)
        try:
            return await asyncio.to_thread(_series, await self.client.series(match, within))
        except TooLargeError:
            names = [name for name in await self.client.label_names(match, within) if name != "__name__"]
            return Series(await self._label_values(names, match, within))

    async def _label_values(
        self, names: Sequence[str], match: str | None, within: TimeRange
    ) -> dict[str, tuple[str, ...]]:
        kept = names[:_MOST_LABELS]
        found = await asyncio.gather(*(self.client.label_values(name, match, within) for name in kept))
        return {name: tuple(values[:_MOST_VALUES]) for name, values in zip(kept, found, strict=True)}


_OPEN: WeakKeyDictionary[GrafanaMetricsClient, Live] = WeakKeyDictionary()


async def open_live(client: GrafanaMetricsClient, now: datetime, recipes: Recipes | None = None) -> Live:
    """Return the server behind the client; what is known of it is used for five minutes."""
    chosen = await asyncio.to_thread(load_recipes) if recipes is None else recipes
    known = _OPEN.get(client)
    if known is not None and known.recipes is chosen and timedelta(0) <= now - known.read_at < _KEPT:
        return known
    described = await client.describe_metrics()
    if known is not None and known.recipes is chosen and known.names == described:
        live = Live(client, known.families, known.index, known.offers, chosen, now, described)
    else:
        live = await asyncio.to_thread(_live, client, described, chosen, now)
    _OPEN[client] = live
    return live


def index_of(offers: Iterable[Offer]) -> Index[Offer]:
    """Return the offers, ready to be searched with a text."""
    return Index([_entry(one) for one in offers])


def _live(client: GrafanaMetricsClient, described: Mapping[str, MetricInfo], recipes: Recipes, now: datetime) -> Live:
    families = families_of(dict(islice(described.items(), _MOST_NAMES)))
    offers = {one.key: one for one in list_offers(families, recipes)}
    return Live(client, families, index_of(offers.values()), offers, recipes, now, described)


def _entry(offer: Offer) -> Entry[Offer]:
    """Return what is said of an offer: the words of its name, and all that people call it or that explains it."""
    told = [*offer.wordings, *((offer.family.help,) if offer.family else ())]
    if not offer.recipe:
        told.append(offer.about)
    name = list(split_name(offer.key) if offer.recipe and offer.family is None else offer.title.split())
    if offer.recipe and FILLERS.intersection(name):
        # "in" and "out" are passed over in a text: network in is network receive.
        name += [word for wording in offer.wordings[1:2] for word in wording.split()]
    if offer.recipe and offer.family is not None:
        name += split_name(offer.family.name)
    for bound in offer.bounds:
        told += [*bound.variant.words, *split_name(bound.metrics[0])]
    return Entry(offer, tuple(dict.fromkeys(name)), " ".join(dict.fromkeys(told)), (offer.key, *offer.metrics))


def _series(sets: Iterable[Mapping[str, str]]) -> Series:
    values: dict[str, dict[str, None]] = {}
    for one in sets:
        for label, value in one.items():
            if label != "__name__":
                values.setdefault(label, {})[value] = None
    return Series({label: tuple(sorted(found)) for label, found in values.items()})


def _rounded(moment: datetime) -> datetime:
    utc = moment.astimezone(UTC)
    return utc.replace(minute=utc.minute - utc.minute % 5, second=0, microsecond=0)
