"""What of a server's catalogue a model is shown before a request: the metrics that fit it, with labels and values."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import accumulate

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import Wanted, measure_of
from signalbox.agents.metrics.offers import Family, Offer
from signalbox.agents.metrics.promql import fill_template
from signalbox.agents.metrics.search import Hit
from signalbox.agents.metrics.state import TimeRange
from signalbox.language.shortlist import shortlist
from signalbox.settings import now

__all__ = ["catalogue_excerpt", "describe_families", "family_of", "labels_text", "recent"]

_RECENT = timedelta(hours=6)
_MOST_FITTING, _MOST_LABELLED, _MOST_RECIPES, _MOST_NAMES = 8, 4, 3, 100
_MOST_VALUES, _MOST_LABELS, _LONGEST_VALUE, _LONGEST_HELP = 6, 12, 40, 120
_LONGEST, _LONGEST_LABELS, _LONGEST_NAMES = 8_000, 4_000, 200
_USUAL_WINDOW = 300
_MOST_NEAR, _MOST_COMPARED = 3, 5_000
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def recent() -> TimeRange:
    """The last six hours, for what is there now."""
    return TimeRange(start_time=now() - _RECENT, end_time=now())


async def catalogue_excerpt(
    request: str, live: Live, conversation: Sequence[Mapping[str, str]] = (), *, reads_labels: bool = True
) -> str:
    """Return the part of the catalogue that fits a request, in bounds.

    It has metrics with labels and sample values, usual queries, names in the request that are values of labels, and
    the names of other metrics. Without labels, nothing is read.
    """
    within = recent()
    hits = await live.search(request, within, _MOST_FITTING)
    near = await _nearest_names(request, live)
    families = _fitting(request, conversation, [*_found(hits, live)[:_MOST_NEAR], *near, *_found(hits, live)], live)
    described = await describe_families(families, live, within, most_labelled=_MOST_FITTING if reads_labels else 0)
    told = [
        f"{len(families)} of the {len(live.families):,} metrics of this server, those nearest to the request "
        "(find_metrics finds others, get_labels has all values of a label):",
        described,
    ]
    if usual := await _usual_queries(hits, live, within, reads_labels=reads_labels):
        told += ["Usual queries:", *usual]
    if reads_labels and (mentioned := await _mentioned(request, live, within)):
        told.append(f"Label values in the request: {mentioned}")
    others = [name for name in await _other_names(request, live, within) if name not in families]
    room = _LONGEST - sum(len(line) + 1 for line in told)
    if listed := _names_text(others, len(live.families) - len(families), room):
        told.append(f"Other metrics: {listed}")
    return "\n".join(told)


def family_of(metric: str, live: Live) -> str:
    """Return the family that a metric or a family of that name belongs to, or nothing."""
    if metric in live.families:
        return metric
    info = live.names.get(metric)
    return info.family if info is not None and info.family in live.families else ""


def _fitting(request: str, conversation: Sequence[Mapping[str, str]], found: Sequence[str], live: Live) -> list[str]:
    """The metrics that the request names, the best that were found, those of the turn before, and the others found."""
    before = [name for turn in conversation[-1:] for name in _named_in(str(turn.get("answer", "")), live)]
    ordered = [*_named_in(request, live), *found[: 2 * _MOST_NEAR], *before, *found]
    return list(dict.fromkeys(ordered))[:_MOST_FITTING]


async def _nearest_names(request: str, live: Live) -> list[str]:
    """The metrics of a large server whose names are nearest to the request: the search goes by meanings, and passes
    over numbers and parts of names."""
    names = list(live.families)
    if not _MOST_NAMES < len(names) <= _MOST_COMPARED:
        return []
    things = [(name,) for name in names]
    return [names[place] for place in await asyncio.to_thread(shortlist, request, things, _MOST_NEAR)]


def _found(hits: Sequence[Hit], live: Live) -> list[str]:
    """The metrics of what was found, in its order."""
    found = [family_of(metric, live) for hit in hits for metric in hit.offer.metrics[:3]]
    return list(dict.fromkeys(filter(None, found)))


def _named_in(text: str, live: Live) -> list[str]:
    return list(filter(None, (family_of(word, live) for word in _NAME.findall(text) if "_" in word)))


async def _other_names(request: str, live: Live, within: TimeRange) -> list[str]:
    """All metrics of a small server; of a large one, those that were found for the request after the best."""
    if len(live.families) <= _MOST_NAMES:
        return list(live.families)
    return _found(await live.search(request, within, _MOST_NAMES), live)[:_MOST_NAMES]


def _names_text(names: Sequence[str], count: int, room: int) -> str:
    """As many of the names as there is room for, and how many of the `count` there are besides."""
    shown = len(names)
    while shown and len(", ".join(names[:shown])) > room:
        shown -= 1
    rest = [f"and {count - shown:,} more"] if shown < count else []
    return ", ".join([*names[:shown], *rest])


async def _mentioned(request: str, live: Live, within: TimeRange) -> str:
    """The label values that stand in the request as the server writes them; a bare number is none."""
    said = request.casefold()
    found = await live.mentioned(request, within)
    named = [(label, value) for label, value in found if value.casefold() in said and not value.isdigit()]
    return ", ".join(f"{label}={value!r}" for label, value in named)


async def describe_families(
    names: Sequence[str], live: Live, within: TimeRange, *, most_labelled: int = _MOST_LABELLED
) -> str:
    """Return a line for each metric: its name, type, unit and help; of the first ones the labels with sample values,
    as far as there is room for them."""
    labelled = [live.families[name].names[0] for name in names[:most_labelled]]
    series = await live.series(labelled, within) if labelled else {}
    room = _LONGEST_LABELS // max(len(labelled), 1)
    lines = []
    for name in names:
        family = live.families[name]
        lines.append(_described(family))
        own = series.get(family.names[0])
        if own is not None and own.values:
            lines += _labels_within(room, {label: own.values[label] for label in sorted(own.names())})
    return "\n".join(lines)


def _labels_within(room: int, values: Mapping[str, Sequence[str]]) -> list[str]:
    """The labels with sample values as long as there is room, then the names of the other labels."""
    lines = labels_text(values, indent="  ").split("\n")
    ends = accumulate(len(line) for line in lines)
    kept = [line for line, end in zip(lines, ends, strict=True) if end <= room]
    rest = list(values)[len(kept) :]
    named = ", ".join(rest)
    named = named if len(named) <= _LONGEST_NAMES else f"{named[:_LONGEST_NAMES]}…"
    return [*kept, *([f"  and the labels {named}"] if rest else [])]


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
    about = f": {' '.join(family.help.split())[:_LONGEST_HELP]}" if family.help else ""
    return f"- {family.name} ({kind}){parts}{about}"


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
    value = " ".join(value.splitlines())
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"
