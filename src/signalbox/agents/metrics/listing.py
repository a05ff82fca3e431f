"""What there is: the measures of a server, the things that report them, and what info metrics say about things."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.compile import compile_slots
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import measure_for
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.prompts import EXAMPLES
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.run import ask, last_seen
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, TimeRange
from signalbox.drawing.values import format_moment
from signalbox.language.names import did_you_mean
from signalbox.settings import now

__all__ = ["list_metrics", "list_things", "suggest", "tell_info"]

_MOST, _MOST_THINGS, _MOST_NAMED, _MOST_SUGGESTED, _RECENT = 15, 40, 5, 3, timedelta(hours=1)
_THINGS = ("pod", "instance", "host", "hostname", "node", "device", "service", "container", "deployment", "job")
"""Labels that name a thing, the most particular first."""
_AROUND = frozenset({"job", "instance", "namespace", "cluster", "endpoint", "prometheus"})
"""Labels that say where a series comes from, and nothing about the thing."""


async def suggest() -> list[str]:
    """Questions about the first things that can be measured there. Raises what the client raises."""
    live = await open_live(await asyncio.to_thread(current_client), now())
    recipes = [offer for offer in live.offers.values() if offer.recipe and not offer.is_health]
    titles = [offer.title for offer in recipes or live.offers.values()]
    return [f"{title[:1].upper()}{title[1:]} in the last hour" for title in dict.fromkeys(titles)][:_MOST_SUGGESTED]


async def list_metrics(offers: Sequence[Offer], live: Live, window: TimeRange) -> MetricsQueryResult:
    """List the measures that were found, or some of what the server has if none were."""
    every = list(live.offers.values())
    near = list(offers or [one for one in every if one.recipe] or every)[:_MOST]
    told = ", ".join(one.key for one in near)
    if offers:
        return _report(f"{len(near)} {'measure fits' if len(near) == 1 else 'measures fit'}: {told}.", near, window)
    told = f"This server has {len(live.families):,} metrics. Among what can be asked for: {told}."
    return _report(f"{told} Ask like this: {'; '.join(EXAMPLES)}.", near, window)


async def list_things(
    offer: Offer | None, label: str, matchers: Sequence[Matcher], live: Live, window: TimeRange
) -> MetricsQueryResult:
    """List the values of a label on a measure, or on the whole server; without a label, of the one that names things.

    Raises InvalidQueryError if there is no such label.
    """
    metric = offer.metrics[0] if offer else ""
    values = dict((await live.series([metric], window))[metric].values) if offer else await live.labels_of(window)
    label = label or _thing_label(values)
    of = f" of {offer.title}" if offer else ""
    if label not in values:
        raise InvalidQueryError(f'There is no label "{label}"{of}.', suggestion=did_you_mean(label, list(values)))
    known = list(values[label])
    if matchers:
        known = await live.client.label_values(label, selector_text(metric, matchers), window)
        of += f" with {', '.join(value for one in matchers for value in one.values)}"
    things = [one for one in known if one]
    many = f"{len(things)} {'value' if len(things) == 1 else 'values'} of {label}{of}"
    result = _report(f"{many}{': ' if things else ''}{_listed(things, _MOST_THINGS)}.", [offer], window)
    found = [Finding(text=one, labels={label: one}) for one in things[:_MOST_THINGS]]
    return result.model_copy(update={"value": float(len(things)), "findings": found})


async def tell_info(
    offer: Offer, label: str, matchers: Sequence[Matcher], live: Live, at: datetime
) -> MetricsQueryResult:
    """Say what an info metric says at a moment: each value of the label (without one, each set of labels that differs
    between things) and the things that have it."""
    window = TimeRange(start_time=at - _RECENT, end_time=at)
    measure, series = await measure_for(offer, live, window)
    by = tuple(sorted(measure.labels))
    slots = Slots(measure, "ranking", window, at, is_current=True, matchers=tuple(matchers), by=by)
    query = compile_slots(slots).figure
    assert query is not None
    curves = [one for one in (await ask(query, live)).curves if one.values[-1]]
    if label and label not in by:
        raise InvalidQueryError(f'{measure.name} has no label "{label}".', suggestion=did_you_mean(label, list(by)))
    if not curves:
        seen = await last_seen(measure.name, matchers, live, at)
        last = f" There last was some at {format_moment(seen)}." if seen else " There was none in the last 90 days."
        return _report(f"{measure.name} has no data at {format_moment(at)}.{last}", [offer], window)
    thing = _thing_label({one: series.values.get(one, ()) for one in by if one != label})
    told_by = [label] if label else [one for one in by if one != thing and one not in _AROUND] or [thing]
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in curves:
        groups.setdefault(tuple(one.labels.get(key, "") for key in told_by), []).append(one.labels.get(thing, ""))
    total = len({one.labels.get(thing, "") for one in curves})
    parts = [(values, sorted({*names})) for values, names in sorted(groups.items(), key=lambda one: -len(one[1]))]
    told = [_told(told_by, values, names, total, thing) for values, names in parts]
    more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
    result = _report(f"{'; '.join(told[:_MOST])}{more} ({measure.name}, {format_moment(at)}).", [offer], window)
    sets = [dict(zip(told_by, values, strict=True)) for values, _ in parts]
    found = [Finding(text=text, labels=labels) for text, labels in zip(told, sets, strict=True)][:_MOST_THINGS]
    return result.model_copy(update={"value": float(len(told)), "findings": found, "promql": query.promql})


def _told(labels: Sequence[str], values: Sequence[str], names: Sequence[str], total: int, thing: str) -> str:
    what = ", ".join(f"{label} {value or 'empty'}" for label, value in zip(labels, values, strict=True))
    if len(names) == 1:
        return f"{what} on {names[0]}" if names[0] else what
    many = f"all {total}" if len(names) == total else f"{len(names)} of {total}"
    return f"{what} on {many} {thing}s: {_listed(names, _MOST_NAMED)}"


def _listed(names: Sequence[str], most: int) -> str:
    return f"{', '.join(names[:most])}{f', and {len(names) - most:,} more' if len(names) > most else ''}"


def _thing_label(values: Mapping[str, Sequence[str]]) -> str:
    """The label that names things: a usual one that tells them apart, else the one with the most values."""
    usual = [one for one in _THINGS if len(values.get(one, ())) > 1]
    usual = usual or [one for one in _THINGS if one in values and one not in _AROUND]
    return usual[0] if usual else max(sorted(values), key=lambda one: len(values[one]), default="instance")


def _report(told: str, offers: Sequence[Offer | None], window: TimeRange) -> MetricsQueryResult:
    known = [one for one in offers if one is not None]
    return MetricsQueryResult(
        metric_name=known[0].metrics[0] if known else "metrics", time_range=window, datapoint_count=0, is_empty=False,
        summary=told, kind="report", title="What there is", looked_at=[f"{one.key}: {one.about}" for one in known],
    )  # fmt: skip
