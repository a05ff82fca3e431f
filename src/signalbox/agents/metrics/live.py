"""What a server has, as far as questions need it: what it offers to measure, and the labels of its series."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.glossary import Words, meanings_of
from signalbox.agents.metrics.offers import Family, families_of, list_offers
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.question import Matcher
from signalbox.agents.metrics.recipes import Recipes, load_recipes
from signalbox.agents.metrics.search import Hit, Index
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.agents.metrics.vocabulary import FILLERS, base, runs, text_words
from signalbox.language.words import stem

__all__ = ["Live", "Series", "open_live"]

_KEPT = timedelta(minutes=5)
_AT_ONCE = 5
_MOST_NAMES = 50_000
"""So many metrics are searched; any other can be asked for by its name."""
_MOST_SERIES = 2_000
_MOST_LABELS = 60
_MOST_VALUES = 5_000
_MOST_MENTIONS = 3
_MENTIONED, _ALONE = 0.35, 0.4
"""What is added to the score of an offer that has the thing that a text names, and what more where no other has it."""
_LACKING = 0.6
"""What remains of the score of an offer that has not the thing that a text names."""
_NO_LABELS = frozenset({"__name__", "le", "quantile"})
_SHORTEST = 3
_FORM = "~"
"""Before what stands for a value in whatever form its words have."""


@dataclass(frozen=True, slots=True)
class Series:
    """The values of each label on a metric's series."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    meanings: Mapping[str, Mapping[str, Words]] = field(default_factory=dict)
    """What the metric's help text says of the values of a label."""

    def names(self) -> frozenset[str]:
        """The labels that can filter and split."""
        return frozenset(self.values) - _NO_LABELS


class _Mention(NamedTuple):
    """A label value in a text, and where it stands."""

    label: str
    value: str
    start: int
    end: int


@dataclass
class Live:
    """A server while questions are grounded on it; what was asked is kept for five minutes."""

    client: GrafanaMetricsClient
    families: dict[str, Family]
    index: Index
    recipes: Recipes
    read_at: datetime
    names: Mapping[str, MetricInfo]
    rising: dict[str, bool] = field(default_factory=dict)
    """Whether a metric whose type the server does not say only ever rises."""
    _series: dict[tuple[str, datetime, datetime], Series] = field(default_factory=dict)
    _values: dict[str, list[tuple[str, str]]] | None = None
    _labels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    async def search(self, text: str, within: TimeRange, most: int) -> list[Hit]:
        """The offers that a text may mean, the best first; what has the names in the text comes before what has not."""
        mentions = await self._mentions(text, within)
        # The words of a name that is no word, as in core-rtr-1, say nothing of what is measured.
        bare = _without(text, [(one.start, one.end) for one in mentions if _is_name(one.value)])
        things = {piece for one in mentions for piece, *_ in runs(one.value)}
        hits = await asyncio.to_thread(self.index.search, bare, most + 20, things)
        hits = [hit for hit in hits if await self._is_asked_for(hit, bare, within)]
        having = await self._having(mentions, within)
        carried = _of_all(having.values())
        if carried:
            least = _LACKING if any(_is_name(one.value) for one in mentions) else 1.0
            known = {hit.offer.key for hit in hits}
            having_it = [one for one in self.index.offers if carried & set(one.metrics)]
            hits += [Hit(one, 0.0, frozenset()) for one in having_it if one.key not in known][:most]
            is_telling = any(_is_name(one.value) or not self.index.knows(one.value) for one in mentions)
            bonus = _MENTIONED + (_ALONE / len(having_it) if is_telling and having_it else 0.0)
            ranked = []
            for hit in hits:
                own = {metric for metrics in _ways(hit) for metric in metrics}
                # What names a thing of the measure speaks of it as much as its own words do.
                named = {one for one in mentions if own & having.get(one.value, frozenset())}
                told = {word for one in named for word, *_ in text_words(text[one.start : one.end])}
                score = hit.score + bonus if own & carried else hit.score * least
                ranked.append(Hit(hit.offer, score, hit.explained | told))
            hits = sorted(ranked, key=lambda hit: -hit.score)
        return hits[:most]

    async def _is_asked_for(self, hit: Hit, text: str, within: TimeRange) -> bool:
        """Whether the text names what the offer needs: one of the labels by which it is told apart, or their values."""
        needed = [bound.variant.needs for bound in hit.offer.bounds]
        if not needed or not all(needed):
            return True
        said = {base(word) for word, *_ in runs(text)}
        own = {base(word) for word in hit.offer.title.split()}
        for bound, labels in zip(hit.offer.bounds, needed, strict=True):
            series = (
                Series() if self.client is None else (await self.series(bound.metrics[:1], within))[bound.metrics[0]]
            )
            values = (value for label in labels for value in series.values.get(label, ()) if value.isalpha())
            if said & ({base(word) for word in (*labels, *values)} - own):
                return True
        return False

    async def series(self, metrics: Iterable[str], within: TimeRange) -> dict[str, Series]:
        """The labels and values of each metric, in the range, else in all the time that is answered."""
        wanted = list(dict.fromkeys(metrics))
        limit = asyncio.Semaphore(_AT_ONCE)

        async def read(metric: str) -> Series:
            async with limit:
                return await self._read(metric, within)

        return dict(zip(wanted, await asyncio.gather(*map(read, wanted)), strict=True))

    async def metrics_with(self, matchers: Iterable[Matcher], within: TimeRange) -> list[str]:
        """The metrics that have a series with these label values."""
        selector = selector_text("", matchers)
        return await self.client.label_values("__name__", selector, within)

    async def labels_of(self, within: TimeRange) -> dict[str, tuple[str, ...]]:
        """The values of every label on the server, as far as there are not too many."""
        if not self._labels:
            names = [name for name in await self.client.label_names(within=within) if name not in _NO_LABELS]
            limit = asyncio.Semaphore(_AT_ONCE)

            async def read(name: str) -> list[str]:
                async with limit:
                    return await self.client.label_values(name, within=within)

            found = await asyncio.gather(*map(read, names[:_MOST_LABELS]))
            self._labels = {name: tuple(values[:_MOST_VALUES]) for name, values in zip(names, found, strict=False)}
        return self._labels

    async def mentioned(self, text: str, within: TimeRange) -> list[tuple[str, str]]:
        """The label values that stand in a text as they are, each with its label; plain words last."""
        return list(dict.fromkeys((one.label, one.value) for one in await self._mentions(text, within)))

    async def _mentions(self, text: str, within: TimeRange) -> list[_Mention]:
        """The label values in a text, as they are or in another form, and where they stand; plain words last."""
        if self._values is None:
            labels = await self.labels_of(within)
            self._values = await asyncio.to_thread(_by_spelling, labels, self.index)
        pieces = runs(text)[:400]
        found: list[_Mention] = []
        for first in range(len(pieces)):
            joined = told = ""
            for last in range(first, min(first + 6, len(pieces))):
                word = pieces[last][0]
                joined += word
                told += "" if word in FILLERS and last > first else stem(word)
                for key in (joined, _FORM + told) if len(joined) >= _SHORTEST and word not in FILLERS else ():
                    for label, value in self._values.get(key, []):
                        found.append(_Mention(label, value, pieces[first][1], pieces[last][2]))
        # A name within a longer one is none: the tap of the Brewery Tap.
        whole = [one for one in dict.fromkeys(found) if not any(_is_within(one, other) for other in found)]
        return sorted(whole, key=lambda one: one.value.isalpha())[:20]

    def forget_values(self) -> None:
        """Look for no label values: those of a server that is not asked are not known."""
        self._values = {}

    async def _having(self, mentions: Iterable[_Mention], within: TimeRange) -> dict[str, frozenset[str]]:
        """For each of the first values in a text the metrics that have it."""
        by_value: dict[str, list[str]] = {}
        for one in dict.fromkeys((one.label, one.value) for one in mentions):
            by_value.setdefault(one[1], []).append(one[0])
        having = {}
        for value, labels in islice(by_value.items(), _MOST_MENTIONS):
            asked = [self.metrics_with([Matcher(label, (value,))], within) for label in labels[:_MOST_MENTIONS]]
            having[value] = frozenset(name for names in await asyncio.gather(*asked) for name in names)
        return having

    async def _read(self, metric: str, within: TimeRange) -> Series:
        key = (metric, _rounded(within.start_time), _rounded(within.end_time))
        if key not in self._series:
            found = await self._labelled(metric, within)
            if not found.values:
                end = within.end_time.astimezone(UTC)
                longest = TimeRange(start_time=end - timedelta(days=MOST_DAYS), end_time=end)
                found = await self._labelled(metric, longest)
            if len(self._series) > _MOST_SERIES:
                self._series.clear()
            told = self.names[metric].help if metric in self.names else ""
            self._series[key] = replace(found, meanings=meanings_of(told, found.values))
        return self._series[key]

    async def _labelled(self, metric: str, within: TimeRange) -> Series:
        match = selector_of(metric)
        try:
            sets = await self.client.series(match, within)
        except TooLargeError:
            names = [name for name in await self.client.label_names(match, within) if name != "__name__"]
            found = [await self.client.label_values(name, match, within) for name in names[:_MOST_LABELS]]
            return Series({name: tuple(values) for name, values in zip(names, found, strict=False)})
        values: dict[str, dict[str, None]] = {}
        for one in sets:
            for label, value in one.items():
                if label != "__name__":
                    values.setdefault(label, {})[value] = None
        return Series({label: tuple(sorted(found)) for label, found in values.items()})


_OPEN: WeakKeyDictionary[GrafanaMetricsClient, Live] = WeakKeyDictionary()


async def open_live(client: GrafanaMetricsClient, now: datetime, recipes: Recipes | None = None) -> Live:
    """The server behind the client; what is known of it is used for five minutes."""
    chosen = recipes or load_recipes()
    known = _OPEN.get(client)
    if known is not None and known.recipes is chosen and timedelta(0) <= now - known.read_at < _KEPT:
        return known
    described = await client.describe_metrics()
    if known is not None and known.recipes is chosen and known.names == described:
        live = Live(client, known.families, known.index, chosen, now, described)
    else:
        families, index = await asyncio.to_thread(_indexed, described, chosen)
        live = Live(client, families, index, chosen, now, described)
    _OPEN[client] = live
    return live


def _indexed(described: Mapping[str, MetricInfo], recipes: Recipes) -> tuple[dict[str, Family], Index]:
    searched = dict(islice(described.items(), _MOST_NAMES))
    families = families_of(searched)
    return families, Index(list_offers(families, recipes))


def _by_spelling(labels: Mapping[str, tuple[str, ...]], index: Index) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    kinds = {stem(label.lower()) for label in labels}
    for label, values in labels.items():
        for value in values:
            pieces = [piece for piece, *_ in runs(value)]
            keys = {"".join(pieces)}
            # In another form: nobody was home. A word that measures are called by, or labels, is no thing in it.
            is_plain = "".join(pieces).isalpha() and value[0].isalpha() and stem(value) not in kinds
            if is_plain and (len(pieces) > 1 or not index.knows(value)):
                keys.add(_FORM + "".join(map(stem, pieces)))
            for key in filter(None, keys):
                found.setdefault(key, []).append((label, value))
    return found


def _is_within(one: _Mention, other: _Mention) -> bool:
    return other.start <= one.start and one.end <= other.end and one.end - one.start < other.end - other.start


def _of_all(having: Iterable[frozenset[str]]) -> frozenset[str]:
    """The metrics that have all the values; where none has one beside the others, those that have it."""
    carried: frozenset[str] | None = None
    for both in having:
        carried = both if carried is None or not carried & both else carried & both
    return carried or frozenset()


def _is_name(value: str) -> bool:
    """Whether a value is no plain word."""
    return len(runs(value)) > 1 or any(map(str.isdigit, value))


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, end in places:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _ways(hit: Hit) -> list[tuple[str, ...]]:
    return [bound.metrics for bound in hit.offer.bounds] or [hit.offer.metrics]


def _rounded(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)
