"""What there is: the measures of a server, by what somebody asks about, and the things that report them."""

from __future__ import annotations

import asyncio

from signalbox.agents.metrics.choosing import measure_for
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.prompts import EXAMPLES
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.values import find_label, find_value
from signalbox.agents.metrics.vocabulary import label_kind, text_words

__all__ = ["list_metrics", "list_things", "names_kind"]

_MOST = 15
_MOST_THINGS = 40
_LEAST = 0.25


async def list_metrics(text: str, live: Live, window: TimeRange) -> MetricsQueryResult:
    """The measures that have to do with the words of the question; of the whole server where they name nothing."""
    hits = await asyncio.to_thread(live.index.search, text, _MOST)
    best = hits[0].score if hits else 0.0
    near = [hit.offer for hit in hits if hit.score >= max(_LEAST, 0.5 * best) and hit.explained]
    if not near:
        recipes = [one for one in live.index.offers if one.recipe]
        near = (recipes or live.index.offers)[:_MOST]
        told = f"This server has {len(live.families)} metrics. Among what can be asked for: {_named(near)}."
        told += f" Ask like this: {'; '.join(EXAMPLES)}."
    else:
        told = f"{len(near)} measures have to do with that: {_named(near)}."
    return _result(told, near, window)


def _named(offers: list[Offer]) -> str:
    return ", ".join(one.key for one in offers)


def names_kind(text: str) -> bool:
    """Whether a question names a kind of things: hosts, services."""
    return any(label_kind(word) for word, *_ in text_words(text))


async def list_things(
    plan: MetricsPlan, text: str, offer: Offer | None, live: Live, window: TimeRange
) -> MetricsQueryResult:
    """The values of the label that the question asks about, on the measure that it names or on the whole server."""
    if offer is not None:
        measure, series = await measure_for(offer, live, window)
        values, labels = dict(series.values), measure.labels
    else:
        values, labels = await live.labels_of(window), frozenset(await live.labels_of(window))
    words = [*plan.split_by, *plan.filters, *(word for word, *_ in text_words(text) if label_kind(word))]
    label = next((found for one in words if (found := find_label(one, labels))), None) or _usual(labels)
    known = [value for value in values.get(label, ()) if value]
    for one in plan.filters:
        meant = find_value(one, Series(values), labels)
        if offer is not None and meant is not None and meant.label != label:
            narrowed = await live.client.label_values(label, _selector(offer, meant.label, meant.values), window)
            known = [value for value in narrowed if value]
    of = f" of {offer.title}" if offer is not None else ""
    shown = ", ".join(known[:_MOST_THINGS])
    more = f", and {len(known) - _MOST_THINGS} more" if len(known) > _MOST_THINGS else ""
    told = f"{len(known)} values of {label}{of}: {shown}{more}." if known else f"There is no label {label}{of}."
    result = _result(told, [offer] if offer else [], window)
    return result.model_copy(
        update={
            "value": float(len(known)),
            "findings": [Finding(text=value, labels={label: value}) for value in known[:_MOST_THINGS]],
        }
    )


def _selector(offer: Offer, label: str, values: tuple[str, ...]) -> str:
    from signalbox.agents.metrics.promql import selector_text
    from signalbox.agents.metrics.question import Matcher

    return selector_text(offer.metrics[0], [Matcher(label, values)])


def _usual(labels: frozenset[str]) -> str:
    usual = ("instance", "host", "node", "service", "pod", "device", "job")
    return next((one for one in usual if one in labels), min(labels, default="instance"))


def _result(told: str, offers: list[Offer], window: TimeRange) -> MetricsQueryResult:
    return MetricsQueryResult(
        metric_name=offers[0].metrics[0] if offers else "metrics",
        time_range=window,
        datapoint_count=0,
        is_empty=False,
        summary=told,
        kind="report",
        title="What there is",
        looked_at=[f"{one.key}: {one.about}" for one in offers],
    )
