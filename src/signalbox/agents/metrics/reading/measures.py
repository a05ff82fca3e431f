"""Measures: what a metric by its own name, or a recipe's variant, gives on this server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from string import Template

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.question import Measure
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.choose import window_of
from signalbox.agents.metrics.reading.live import Family, Live, Series
from signalbox.agents.metrics.reading.rates import is_rate
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.reading.types import with_type
from signalbox.agents.metrics.recipes import Bound, Recipes
from signalbox.agents.metrics.state import Aggregation
from signalbox.agents.metrics.vocabulary import base

__all__ = ["measure_of_bound", "measure_of_family", "measure_of_reading", "ratio_of"]

_RATE = "sum by ($by) (rate(%s{$match}[$window]))"
_INCREASE = "sum by ($by) (increase(%s{$match}[$window]))"
_QUANTILE = "histogram_quantile($quantile, sum by (le, $by) (rate(%s{$match}[$window])))"
_GAUGE = "$agg by ($by) (%s{$match})"
_MEAN_UNITS = {"ratio", "percent", "celsius", "seconds", "milliseconds", "hertz", "volts", "amperes", "meters"}
_MEAN_WORDS = frozenset(
    map(base, "temperature humidity ratio percent utilization load speed pressure voltage level score age lag price "
        "latency duration delay status state health efficiency frequency ph fill temp temperature progress".split())
)  # fmt: skip
_MIDDLE = ("status", "state")
_COUNTING = re.compile(
    r"\b(?:how\s+many|how\s+often|number\s+of|count|rate|per\s+(?:second|minute|hour)|throughput|volume)\b", re.I
)


async def measure_of_reading(
    chosen: Reading, asked: Asked, live: Live, recipes: Recipes, *, has_groups: bool = False
) -> Measure:
    """The measure of what was chosen."""
    candidate = chosen.fit.candidate
    if candidate.bound is not None:
        series = await live.series(candidate.metrics, window_of(asked))
        title = recipes.recipes[candidate.recipe].title or candidate.recipe
        family = live.families.get(candidate.metrics[0].removesuffix("_bucket"))
        if (
            candidate.bound.variant.type == "histogram"
            and family
            and asked.aggregation == "avg"
            and asked.quantile is None
        ):
            return replace(_of_mean(family, dict.fromkeys(family.names, chosen.series)), title=f"average {title}")
        return measure_of_bound(candidate.bound, title, chosen.conditions, series, is_mean=not _is_of_series(asked))
    assert candidate.family is not None
    family = await with_type(candidate.family, live, asked.time_range.end_time)
    is_named = family.name in asked.text and not has_groups
    return measure_of_family(family, asked, dict.fromkeys(family.names, chosen.series), is_named=is_named)


def measure_of_family(family: Family, asked: Asked, series: Mapping[str, Series], *, is_named: bool) -> Measure:
    """The measure that a metric gives by its type: counters a rate, histograms a quantile, gauges neither."""
    if family.type == "histogram" and f"{family.name}_bucket" in family.names:
        return _of_histogram(family, asked, series)
    if family.type == "summary" and len(family.names) > 1:
        return _of_summary(family, asked, series)
    if family.type == "counter":
        return _of_counter(family.name, family.name, family, series)
    return _of_gauge(family, asked, series, is_named=is_named)


def _is_of_series(asked: Asked) -> bool:
    """Whether the highest, lowest or sum of several series is asked for, rather than of one through time."""
    speaks_of_series = asked.kind == "series" or (asked.kind == "value" and asked.is_current)
    return asked.aggregation in ("max", "min", "sum") and speaks_of_series


def measure_of_bound(
    bound: Bound,
    title: str,
    conditions: Mapping[str, str],
    series: Mapping[str, Series],
    *,
    is_mean: bool = True,
) -> Measure:
    """The measure that a recipe's variant gives with the server's metrics; `conditions` are those of its template."""
    names = {f"metric{at}": name for at, name in enumerate(bound.metrics, start=1) if at > 1}
    names |= {"metric": bound.metrics[0], **conditions}
    variant = bound.variant
    unit = _unit_of(bound.metrics[0]) if variant.unit == "auto" else variant.unit
    if variant.unit == "auto" and variant.type == "counter":
        unit = _per_second(unit)
    return Measure(
        name=bound.metrics[0],
        title=title,
        promql=Template((is_mean and variant.mean) or variant.promql).safe_substitute(names),
        type=variant.type,
        unit=unit,
        total=Template(variant.total).safe_substitute(names),
        total_unit=variant.total_unit,
        agg=variant.agg,
        metrics=bound.metrics,
        labels=_shared_labels(bound.metrics, series) - set(variant.hides),
    )


def ratio_of(part: Measure, whole: Measure) -> Measure:
    """The share that one counter or gauge is of another."""
    return Measure(
        name=part.name,
        title=f"{part.title} of {whole.title}",
        promql=f"({part.promql}) / ({whole.promql})",
        type="ratio",
        unit="ratio",
        agg="avg",
        metrics=(*part.metrics, *whole.metrics),
        labels=part.labels & whole.labels,
    )


def _of_histogram(family: Family, asked: Asked, series: Mapping[str, Series]) -> Measure:
    if asked.quantile is None and (asked.is_total or (_COUNTING.search(asked.body) and asked.aggregation is None)):
        return _of_counter(f"{family.name}_count", family.name, family, series)
    if asked.quantile is None and asked.aggregation == "avg":
        return _of_mean(family, series)
    name = f"{family.name}_bucket"
    labels = _shared_labels((name,), series) - {"le"}
    return Measure(
        name, _title(family), _QUANTILE % name, "histogram", _unit_of(family.name), metrics=(name,), labels=labels
    )


def _of_summary(family: Family, asked: Asked, series: Mapping[str, Series]) -> Measure:
    has_quantiles = family.name in family.names
    if asked.quantile is not None and has_quantiles:
        promql = f'max by ($by) ({family.name}{{quantile="{asked.quantile:g}",$match}})'
        labels = _shared_labels((family.name,), series) - {"quantile"}
        return Measure(
            family.name, _title(family), promql, "summary", _unit_of(family.name), metrics=(family.name,), labels=labels
        )
    counts = asked.is_total and re.search(r"\bhow\s+many|number|count\b", asked.body, re.I)
    is_flow = asked.quantile is None and asked.aggregation is None and is_rate(asked.body)
    if counts or is_flow:
        return _of_counter(f"{family.name}_count", family.name, family, series)
    if asked.is_total or asked.aggregation == "sum":
        return _of_counter(f"{family.name}_sum", family.name, family, series)
    return _of_mean(family, series)


def _of_mean(family: Family, series: Mapping[str, Series]) -> Measure:
    total, count = f"{family.name}_sum", f"{family.name}_count"
    promql = f"{_RATE % total} / {_RATE % count}"
    return Measure(
        name=total,
        title=f"average {_title(family)}",
        promql=promql,
        type="summary",
        unit=_unit_of(family.name),
        agg="avg",
        metrics=(total, count),
        labels=_shared_labels((total, count), series),
    )


def _of_counter(name: str, family_name: str, family: Family, series: Mapping[str, Series]) -> Measure:
    unit = _unit_of(name) if not name.endswith("_count") else ""
    return Measure(
        name=name,
        title=_title(family),
        promql=_RATE % name,
        type="counter",
        unit=_per_second(unit),
        total=_INCREASE % name,
        total_unit=unit,
        metrics=(name,),
        labels=_shared_labels((name,), series),
    )


def _of_gauge(family: Family, asked: Asked, series: Mapping[str, Series], *, is_named: bool) -> Measure:
    plain = is_named and asked.kind == "series" and asked.aggregation is None
    name = family.names[0] if family.name not in family.names else family.name
    return Measure(
        name=name,
        title=_title(family),
        promql=f"{name}{{$match}}" if plain else _GAUGE % name,
        type="gauge",
        unit=_unit_of(name),
        agg=_asked_agg(_gauge_agg(family), asked),
        metrics=(name,),
        labels=_shared_labels((name,), series),
    )


def _asked_agg(usual: Aggregation, asked: Asked) -> Aggregation:
    """The highest temperature of a day is that of the hottest place, rather than of the mean of places."""
    is_extreme = asked.kind == "value" and asked.aggregation in ("max", "min")
    return asked.aggregation if is_extreme and usual == "avg" and asked.aggregation else usual


def _gauge_agg(family: Family) -> Aggregation:
    """Levels, shares and degrees are averaged where nobody says; what can be counted is added."""
    # What only stands in the middle of a name, as in kube_deployment_status_replicas, says nothing of the value.
    words = {base(word) for at, word in enumerate(family.words, 1) if at == len(family.words) or word not in _MIDDLE}
    return "avg" if _unit_of(family.name) in _MEAN_UNITS or words & _MEAN_WORDS else "sum"


def _title(family: Family) -> str:
    return " ".join(family.words)


def _unit_of(name: str) -> str:
    for suffix in ("_bucket", "_sum", "_count"):
        if name.endswith(suffix):
            return base_unit(MetricInfo(name.removesuffix(suffix), family=name.removesuffix(suffix)))
    return base_unit(MetricInfo(name, family=name))


def _per_second(unit: str) -> str:
    """Seconds a second are a bare number: cores, or a share of time."""
    return "" if unit == "seconds" else f"{unit}/s" if unit else "1/s"


def _shared_labels(metrics: tuple[str, ...], series: Mapping[str, Series]) -> frozenset[str]:
    known = [series[name].label_names() for name in metrics if name in series]
    return frozenset.intersection(*known) if known else frozenset()
