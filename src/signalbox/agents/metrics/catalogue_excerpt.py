"""What of a server's catalogue a model is shown before a request: the metrics that fit it, with labels and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import Wanted, measure_of
from signalbox.agents.metrics.offers import Family, Offer
from signalbox.agents.metrics.promql import fill_template
from signalbox.agents.metrics.search import Hit
from signalbox.agents.metrics.state import TimeRange
from signalbox.settings import now

__all__ = ["catalogue_excerpt", "describe_families", "labels_text", "recent"]

_RECENT = timedelta(hours=6)
_MOST_FITTING, _MOST_LABELLED, _MOST_RECIPES, _MOST_NAMES = 8, 4, 3, 100
_MOST_VALUES, _MOST_LABELS, _LONGEST_VALUE, _LONGEST_HELP = 6, 12, 40, 120
_LONGEST = 8_000
_USUAL_WINDOW = 300


def recent() -> TimeRange:
    """The last six hours, for what is there now."""
    return TimeRange(start_time=now() - _RECENT, end_time=now())


async def catalogue_excerpt(request: str, live: Live, *, reads_labels: bool = True) -> str:
    """The part of the catalogue that fits a request, in bounds: metrics with labels, usual queries, names in the
    request that are values of labels, and the names of other metrics. Without labels, nothing is read."""
    within = recent()
    hits = await live.search(request, within, _MOST_FITTING)
    families = _families(hits, live)
    told = [f"Metrics of this server that may fit the request ({len(live.names):,} in all):"]
    told.append(await describe_families(families, live, within, reads_labels=reads_labels))
    if usual := await _usual_queries(hits, live, within, reads_labels=reads_labels):
        told += ["Usual queries:", *usual]
    if reads_labels and (mentioned := await _mentioned(request, live, within)):
        told.append(f"Label values in the request: {mentioned}")
    others = [name for name in live.families if name not in families] if len(live.families) <= _MOST_NAMES else []
    if others:
        told.append(f"Other metrics: {', '.join(others)}")
    text = "\n".join(told)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


async def _mentioned(request: str, live: Live, within: TimeRange) -> str:
    """The label values that stand in the request as the server writes them; a bare number is none."""
    said = request.casefold()
    found = await live.mentioned(request, within)
    named = [(label, value) for label, value in found if value.casefold() in said and not value.isdigit()]
    return ", ".join(f"{label}={value!r}" for label, value in named)


async def describe_families(names: Sequence[str], live: Live, within: TimeRange, *, reads_labels: bool = True) -> str:
    """A line for each metric: its name, type, unit and help; of the first ones the labels with sample values."""
    labelled = [live.families[name].names[0] for name in names[:_MOST_LABELLED]] if reads_labels else []
    series = await live.series(labelled, within) if labelled else {}
    lines = []
    for name in names:
        family = live.families[name]
        lines.append(_described(family))
        own = series.get(family.names[0])
        if own is not None and own.values:
            lines.append(labels_text({label: own.values[label] for label in sorted(own.names())}, indent="  "))
    return "\n".join(lines)


def labels_text(values: Mapping[str, Sequence[str]], most: int = 0, indent: str = "") -> str:
    """Labels, each with some of its values."""
    shown = most or _MOST_VALUES
    return "\n".join(
        f"{indent}{label}: {', '.join(map(_cut, known[:shown]))}"
        + (f", and {len(known) - shown} more" if len(known) > shown else "")
        for label, known in list(values.items())[:_MOST_LABELS]
    )


def _described(family: Family) -> str:
    unit = base_unit(MetricInfo(family.name, family.type, family=family.name))
    kind = ", ".join(filter(None, (family.type, unit)))
    suffixes = [one.removeprefix(family.name) for one in family.names if one != family.name]
    parts = f" with {', '.join(suffixes)}" if suffixes else ""
    about = f": {family.help[:_LONGEST_HELP]}" if family.help else ""
    return f"- {family.name} ({kind}){parts}{about}"


def _families(hits: Sequence[Hit], live: Live) -> list[str]:
    """The metrics of what was found, in its order."""
    found = []
    for hit in hits:
        for metric in hit.offer.metrics[:3]:
            found += [name for name in (metric, metric.rpartition("_")[0]) if name in live.families][:1]
    return list(dict.fromkeys(found))[:_MOST_FITTING]


async def _usual_queries(hits: Sequence[Hit], live: Live, within: TimeRange, *, reads_labels: bool) -> list[str]:
    """How the best of what was found is usually computed."""
    recipes = [hit.offer for hit in hits if hit.offer.recipe and hit.offer.bounds][:_MOST_RECIPES]
    metrics = [metric for offer in recipes for metric in offer.bounds[0].metrics]
    series: Mapping[str, Series] = await live.series(metrics, within) if reads_labels and metrics else {}
    return [f"- {offer.title}: {_query(offer, series, live)}" for offer in recipes]


def _query(offer: Offer, series: Mapping[str, Series], live: Live) -> str:
    measure = measure_of(offer, offer.bounds[0], series, live.recipes, Wanted())
    return fill_template(measure.promql, window=_USUAL_WINDOW, agg=measure.agg)


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
