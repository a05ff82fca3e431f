"""What a model is shown of a server before a request: the metrics and measures that may fit it, one line each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from signalbox.agents.metrics.errors import MetricNotFoundError
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.offers import Offer, is_plain
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import TimeRange
from signalbox.language.mentions import find_mentions
from signalbox.language.names import nearest
from signalbox.language.search import Hit
from signalbox.language.shortlist import shortlist
from signalbox.settings import now
from signalbox.toolbox.loop import LoopState, start_loop

__all__ = ["begin_loop", "describe_offers", "recent", "search_offers"]

_RECENT = timedelta(hours=6)
_MOST, _AT_ONCE = 40, 5
_MOST_NEAR, _FEWEST_COMPARED, _MOST_COMPARED = 4, 100, 5_000
_FIRST, _LONG_LINE, _SHORT_LINE, _MORE_ROOM = 8, 500, 160, 40
"""The first lines have more room than the others; labels without values get a bit more."""
_VALUES, _MOST_VALUES = {_LONG_LINE: 8, _SHORT_LINE: 2}, 20
_LONGEST_HELP, _LONGEST_VALUE = 120, 40
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def recent() -> TimeRange:
    """Return the last six hours, for what is there now."""
    return TimeRange(start_time=now() - _RECENT, end_time=now())


async def begin_loop(request: str, live: Live, conversation: Sequence[Mapping[str, str]] = ()) -> LoopState:
    """Return the state that the loop begins with: the request, the conversation, and the excerpt for them.

    Without a client (a dry run) nothing is read, and the lines have no labels.
    """
    before = str(conversation[-1].get("answer", "")) if conversation else ""
    listed = await describe_offers(await _candidates(request, live, before), live)
    told = [f"{len(listed)} of {len(live.offers):,} metrics and measures of this server, the likeliest first:"]
    told += [f"- {name} {about}" for name, about in listed.items()]
    mentions = find_mentions(request, await live.values(recent()))
    named = [one for one in mentions if one.value.casefold() in request.casefold() and not one.value.isdigit()]
    if spelt := dict.fromkeys(f"{one.label}={one.value!r}" for one in named):
        told.append(f"Label values in the request: {', '.join(spelt)}")
    return start_loop(request, conversation, data="\n".join(told))


async def _candidates(request: str, live: Live, before: str) -> list[Offer]:
    """What a request may ask for, the best first; also what it, or the answer before it, names exactly."""
    hits = [hit.thing for hit in await _search(request, live, _MOST)]
    near = await asyncio.to_thread(_nearest, request, list(live.offers))
    every = [*live.offers.values()] if len(live.offers) <= _MOST else []
    first = [*_named(request, live), *hits[:_MOST_NEAR], *(live.offers[one] for one in near), *_named(before, live)]
    labelled = await _labelled(request, live)
    return _each_once([*first, *labelled, *hits, *every])[:_MOST]


async def search_offers(words: str, live: Live, most: int) -> list[Offer]:
    """Return what these words name, or a part of a name, the best first; nothing if they name nothing."""
    hits = [hit for hit in await _search(words, live, most) if hit.explained]
    part = "_".join(words.lower().split()) or " "
    named = [one for one in live.offers.values() if any(part in name.lower() for name in (one.key, *one.metrics))]
    if not named and "_" in part:
        named = [find_offer(one, live) for one in await asyncio.to_thread(nearest, part, live.names)]
    found = [hit.thing for hit in hits if hit.score >= hits[0].score / 2]
    return _each_once([*named[:most], *found, *await _labelled(words, live)])[:most]


def _each_once(offers: Sequence[Offer]) -> list[Offer]:
    keys = [one.key for one in offers]
    return [one for place, one in enumerate(offers) if one.key not in keys[:place]]


async def _search(text: str, live: Live, most: int) -> list[Hit[Offer]]:
    values = await live.values(recent())
    return await live.rank(await asyncio.to_thread(live.index.search, text, most, values), recent(), most)


async def describe_offers(offers: Sequence[Offer], live: Live, room: int = _LONG_LINE) -> dict[str, str]:
    """Return each offer that this server can compute, by name: type, unit, help, and labels with sample values.

    An offer that is nothing but a metric has the metric's name.
    """
    rooms = [room if place < _FIRST else _SHORT_LINE for place in range(len(offers))]
    if live.client is None:
        return {one.key: one.in_words for one in offers}
    await live.series([metric for one in offers for metric in (one.bounds[0] if one.bounds else one).metrics], recent())
    limit = asyncio.Semaphore(_AT_ONCE)

    async def described(offer: Offer, room: int) -> tuple[str, str]:
        async with limit:
            try:
                measure, series = await measure_for(offer, live, recent())
            except MetricNotFoundError:
                return "", ""
        metric = measure.metrics[0]
        family = live.families.get(live.names[metric].family) or live.families.get(metric)
        if family is None or not all(is_plain(one) for one in offer.bounds if one.metrics == measure.metrics):
            return offer.key, _described(offer, measure, series, "", room)
        kind = measure.type if family.is_guessed else family.type
        return family.name, _described(offer, measure, series, kind, room)

    known: dict[str, str] = {}
    for name, about in await asyncio.gather(*map(described, offers, rooms)):
        # Two offers may be the same metric: the better one comes first.
        known.setdefault(name, about)
    return {name: about for name, about in known.items() if name}


def _label_texts(measure: Measure, series: Series, most: int) -> Iterator[str]:
    """Yield each label that filters or groups the measure, with sample values; of a summary its quantiles, too."""
    for label in sorted(measure.labels | {"quantile"} & series.values.keys()):
        values = series.values.get(label, ())
        more = f", +{len(values) - most}" if len(values) > most else ""
        yield f"{label} ({', '.join(map(_cut, values[:most]))}{more})"


def _described(offer: Offer, measure: Measure, series: Series, kind: str, room: int) -> str:
    """What an offer is. `kind` is the type of a metric, and empty for a measure that is computed."""
    unit = f"rate in {measure.unit}" if measure.unit.endswith("/s") else measure.unit
    of = "" if kind else f"computed from {', '.join(measure.metrics)}"
    about = " ".join((offer.family.help if kind and offer.family else "").split()) or offer.recipe or offer.title
    facts = ", ".join(dict.fromkeys(filter(None, (kind or measure.type, unit, of))))
    short = about if len(about) <= _LONGEST_HELP else f"{about[:_LONGEST_HELP].rpartition(' ')[0]}…"
    told = f"({facts}): {short.rstrip('.')}"
    for count, label in enumerate(_label_texts(measure, series, _VALUES.get(room, _MOST_VALUES))):
        start = "; " if count else ". Labels: "
        if len(told) + len(label) > room:
            return f"{told}{start}{', '.join(sorted(measure.labels)[count:])}"[: room + _MORE_ROOM]
        told += f"{start}{label}"
    return told


async def _labelled(text: str, live: Live) -> list[Offer]:
    """The metrics with a label that a text names, if only few have it: "which version is live?"."""
    said = {word.lower() for word in _NAME.findall(text)}
    labels = [label for label in await live.labels_of(recent()) if label.lower() in said] if live.client else []
    having = [await live.metrics_with([Matcher(label, ("",), negated=True)], recent()) for label in labels]
    few = [metric for metrics in having if len(metrics) <= _MOST_NEAR for metric in metrics if metric in live.names]
    return [find_offer(one, live) for one in few]


def _named(text: str, live: Live) -> list[Offer]:
    """The metrics and measures that a text names exactly."""
    words = dict.fromkeys(word for word in _NAME.findall(text) if "_" in word)
    return [find_offer(one, live) for one in words if one in live.offers or one in live.names or one in live.families]


def _nearest(request: str, names: Sequence[str]) -> list[str]:
    """The names on a large server that are most like a request with numbers in it, which search passes over."""
    if not _FEWEST_COMPARED < len(names) <= _MOST_COMPARED or not re.search(r"\d", request):
        return []
    return [names[one] for one in shortlist(request, [(name,) for name in names], _MOST_NEAR)]


def _cut(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
