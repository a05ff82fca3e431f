"""Measures: what an offer gives on this server, by what is wanted of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import Template

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.live import Series
from signalbox.agents.metrics.offers import Family, Offer
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.promql import match_text
from signalbox.agents.metrics.question import Matcher, Measure
from signalbox.agents.metrics.recipes import Bound, Recipes
from signalbox.agents.metrics.state import Aggregation
from signalbox.agents.metrics.vocabulary import base, name_words

__all__ = [
    "Wanted",
    "conditions_of",
    "converted",
    "fraction_of",
    "less",
    "measure_of",
    "narrowed",
    "per",
    "selector_template",
    "time_beyond",
]

_RATE = "sum by ($by) (rate(%s[$window]))"
_INCREASE = "sum by ($by) (increase(%s[$window]))"
_QUANTILE = "histogram_quantile($quantile, sum by (le, $by) (rate(%s[$window])))"
_GAUGE = "$agg by ($by) (%s)"
_MEAN_UNITS = {"ratio", "percent", "celsius", "seconds", "milliseconds", "hertz", "volts", "amperes", "meters"}
_ADDED_UNITS = {"watts", "joules"}
_MEAN_WORDS = frozenset(
    map(base, "temperature humidity ratio percent utilization load speed pressure voltage level score age lag price "
        "latency duration delay status state health efficiency frequency ph fill temp moisture progress up stars "
        "rating fps ppm lux dbm".split())
)  # fmt: skip
_MIDDLE = ("status", "state")
_AHEAD = frozenset(map(base, ("expiry", "expires", "expiration")))
_MOMENTS = _AHEAD | {base("timestamp")}
"""Of gauges that hold a moment as the seconds since 1970, which by themselves say nothing to anybody."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a plan decides how a measure is computed."""

    how: str | None = None
    has_quantile: bool = False
    quantile: float = 0.95
    counts: bool = False
    """How many there were is asked for, rather than how long they took."""
    extreme_of_things: Aggregation | None = None


def measure_of(
    offer: Offer, bound: Bound | None, series: Mapping[str, Series], recipes: Recipes, wanted: Wanted
) -> Measure:
    """The measure of an offer, computed in the way of `bound` if it is a recipe."""
    if bound is not None and not (_is_histogram(bound) and _wants_other(wanted)):
        return _of_bound(bound, offer, series, recipes, wanted)
    family = offer.family
    if family is None and bound is not None:
        name = re.sub(r"_(?:bucket|count|sum)$", "", bound.metrics[0])
        family = Family(name, bound.variant.type, "", (f"{name}_bucket", f"{name}_count", f"{name}_sum"))
    assert family is not None
    return _of_family(family, offer.title, series, wanted)


def _is_histogram(bound: Bound) -> bool:
    return bound.variant.type == "histogram" and bound.metrics[0].endswith("_bucket")


def _wants_other(wanted: Wanted) -> bool:
    return not wanted.has_quantile and (wanted.counts or wanted.how in ("average", "total", "rate"))


def _of_bound(bound: Bound, offer: Offer, series: Mapping[str, Series], recipes: Recipes, wanted: Wanted) -> Measure:
    conditions = conditions_of(bound, series.get(bound.metrics[0], Series()), recipes) or {}
    names = {f"metric{at}": _template(name) for at, name in enumerate(bound.metrics, start=1) if at > 1}
    names |= {"metric": _template(bound.metrics[0]), **conditions}
    variant = bound.variant
    unit = _unit_of(bound.metrics[0]) if variant.unit == "auto" else variant.unit
    if variant.unit == "auto" and variant.type == "counter":
        unit = _per_second(unit)
    promql = variant.promql if wanted.extreme_of_things else variant.mean or variant.promql
    return Measure(
        name=bound.metrics[0],
        title=offer.title,
        promql=_filled(promql, names),
        type=variant.type,
        unit=unit,
        total=_filled(variant.total, names),
        total_unit=variant.total_unit,
        agg=variant.agg,
        metrics=bound.metrics,
        labels=_shared_labels(bound.metrics, series) - set(variant.hides) - _judged_by(bound, series, recipes),
    )


def _judged_by(bound: Bound, series: Mapping[str, Series], recipes: Recipes) -> set[str]:
    """The labels by which a ratio tells what failed: split by them, each part would be all or nothing."""
    if bound.variant.type != "ratio":
        return set()
    own = series.get(bound.metrics[0], Series())
    named = [recipes.conditions.get(name, {}) for name in bound.variant.conditions]
    return {next((label for label in labels if label in own.values), "") for labels in named}


def _template(name: str) -> str:
    return name.replace("$", "$$")


def _filled(template: str, names: Mapping[str, str]) -> str:
    """The recipe's template with the server's names; one that PromQL does not take bare stands inside the braces."""
    for key, name in names.items():
        selector = selector_of(name.replace("$$", "$"))
        if key.startswith("metric") and selector.endswith("}"):
            quoted = selector[1:-1].replace("$", "$$")
            template = re.sub(rf"\${key}\b\{{", f"{{{quoted},".replace("\\", r"\\"), template)
    return Template(template).safe_substitute(names)


def conditions_of(bound: Bound, series: Series, recipes: Recipes) -> dict[str, str] | None:
    """The conditions of a recipe's template on the labels that the metric has; None where it has none of them."""
    found: dict[str, str] = {}
    for name in bound.variant.conditions:
        for label, pattern in recipes.conditions.get(name, {}).items():
            fitting = tuple(value for value in series.values.get(label, ()) if re.fullmatch(pattern, value, re.I))
            if fitting or (label in series.values and not any(map(str.isalpha, series.values[label]))):
                values = fitting or ("no such value",)
                found[name] = match_text([Matcher(label, values)]).replace("$", "$$")
                break
        else:
            return None
    return found


def _of_family(family: Family, title: str, series: Mapping[str, Series], wanted: Wanted) -> Measure:
    """The measure that a metric gives by its type: counters a rate, histograms a quantile, gauges neither."""
    if family.type == "histogram" and f"{family.name}_bucket" in family.names:
        return _of_histogram(family, title, series, wanted)
    if family.type == "summary" and len(family.names) > 1:
        return _of_summary(family, title, series, wanted)
    if family.type == "counter":
        return _of_counter(family.name, title, series)
    return _of_gauge(family, title, series, wanted)


def _of_histogram(family: Family, title: str, series: Mapping[str, Series], wanted: Wanted) -> Measure:
    if not wanted.has_quantile and (wanted.counts or wanted.how == "rate"):
        return _of_counter(f"{family.name}_count", f"count of {title}", series)
    if not wanted.has_quantile and wanted.how == "total":
        return _of_counter(f"{family.name}_sum", title, series)
    if not wanted.has_quantile and wanted.how == "average":
        return _of_mean(family, title, series)
    name = f"{family.name}_bucket"
    return Measure(
        name,
        title,
        _QUANTILE % selector_template(name),
        "histogram",
        _unit_of(family.name),
        metrics=(name,),
        labels=_shared_labels((name,), series) - {"le"},
    )


def _of_summary(family: Family, title: str, series: Mapping[str, Series], wanted: Wanted) -> Measure:
    name = family.name
    if wanted.has_quantile and name in family.names:
        selector = selector_template(name, f'quantile="{wanted.quantile:g}"')
        labels = _shared_labels((name,), series) - {"quantile"}
        return Measure(
            name, title, f"max by ($by) ({selector})", "summary", _unit_of(name), metrics=(name,), labels=labels
        )
    if wanted.counts or wanted.how == "rate":
        return _of_counter(f"{name}_count", f"count of {title}", series)
    if wanted.how == "total":
        return _of_counter(f"{name}_sum", title, series)
    return _of_mean(family, title, series)


def _of_mean(family: Family, title: str, series: Mapping[str, Series]) -> Measure:
    total, count = f"{family.name}_sum", f"{family.name}_count"
    return Measure(
        name=total,
        title=f"average {title}",
        promql=f"{_RATE % selector_template(total)} / {_RATE % selector_template(count)}",
        type="summary",
        unit=_unit_of(family.name),
        agg="avg",
        metrics=(total, count),
        labels=_shared_labels((total, count), series),
    )


def _of_counter(name: str, title: str, series: Mapping[str, Series]) -> Measure:
    unit = _unit_of(name) if not name.endswith("_count") else ""
    selector = selector_template(name)
    return Measure(
        name=name,
        title=title,
        promql=_RATE % selector,
        type="counter",
        unit=_per_second(unit),
        total=_INCREASE % selector,
        total_unit=unit,
        metrics=(name,),
        labels=_shared_labels((name,), series),
    )


def _of_moment(name: str, title: str, series: Mapping[str, Series]) -> Measure:
    """The time since a moment that a gauge holds, or until one that lies ahead; of several the nearest."""
    is_ahead = bool(_AHEAD & {base(word) for word in name_words(name)})
    selector = selector_template(name)
    return Measure(
        name=name,
        title=f"time {'until' if is_ahead else 'since'} {title}",
        promql=_GAUGE % (f"{selector} - time()" if is_ahead else f"time() - {selector}"),
        type="gauge",
        unit="seconds",
        agg="min",
        metrics=(name,),
        labels=_shared_labels((name,), series),
    )


def _of_gauge(family: Family, title: str, series: Mapping[str, Series], wanted: Wanted) -> Measure:
    name = family.names[0] if family.name not in family.names else family.name
    if _MOMENTS & {base(word) for word in name_words(name)}:
        return _of_moment(name, title, series)
    usual = _gauge_agg(family)
    # The highest temperature of a day is that of the hottest place, rather than of the mean of places.
    agg = wanted.extreme_of_things if wanted.extreme_of_things and usual == "avg" else usual
    return Measure(
        name=name,
        title=title,
        promql=_GAUGE % selector_template(name),
        type="gauge",
        unit=_unit_of(name),
        agg=agg,
        metrics=(name,),
        labels=_shared_labels((name,), series),
    )


def selector_template(name: str, *matchers: str) -> str:
    """A selector of the metric as a template, in which `$match` stands for further matchers."""
    plain = selector_of(name).replace("$", "$$")
    inside = ",".join((*matchers, "$match"))
    return f"{plain[:-1]},{inside}}}" if plain.endswith("}") else f"{plain}{{{inside}}}"


def narrowed(measure: Measure, matchers: Sequence[Matcher]) -> Measure:
    """The measure with conditions of its own in all its selectors."""
    if not matchers:
        return measure
    text = match_text(matchers).replace("$", "$$")
    promql, total = (one.replace("$match", f"{text},$match") for one in (measure.promql, measure.total))
    return replace(measure, promql=promql, total=total)


def per(part: Measure, whole: Measure, *, is_share: bool) -> Measure:
    """One measure by another: a share, or so many for each."""
    # What is left of a level is held against the level itself, and both are averaged.
    agg = "avg" if part.is_difference and part.agg != "sum" else "sum"
    promql = f"({part.promql}) / ({whole.promql})".replace("$agg", agg)
    return Measure(
        name=part.name,
        title=f"{part.title} {'as a share of' if is_share else 'per'} {whole.title}",
        promql=promql,
        type="ratio" if is_share else "gauge",
        unit="ratio" if is_share else "",
        agg="avg",
        metrics=(*part.metrics, *whole.metrics),
        labels=part.labels & whole.labels,
    )


def less(first: Measure, second: Measure, *, is_share: bool) -> Measure:
    """One measure less another, and of what adds up also the one total less the other; as a share of the first, what
    is left of it."""
    agg: Aggregation = next((one.agg for one in (first, second) if one.agg != "sum"), "sum")
    # What is averaged does not add up, whatever it is held against: a pressure, and how high it may be.
    each = "sum" if agg == "sum" else "avg"
    promql = _difference(first.promql, second.promql, first.type).replace("$agg", each)
    labels = first.labels & second.labels
    if labels and all("$agg by ($by)" in one.promql for one in (first, second)):
        # Levels are taken from one another thing by thing: the highest of several is no difference of two highest ones.
        promql = f"$agg by ($by) ({promql.replace('$by', ', '.join(sorted(labels)))})"
    measure = replace(
        first,
        title=f"{first.title} less {second.title}",
        promql=promql,
        total=_difference(first.total, second.total, first.type) if first.total and second.total else "",
        agg=agg,
        metrics=(*first.metrics, *second.metrics),
        labels=labels,
        is_difference=True,
    )
    return per(measure, first, is_share=True) if is_share else measure


def _difference(first: str, second: str, kind: str) -> str:
    plain = f"({first}) - ({second})"
    # What was never counted is none; a level that is not there is not known.
    return f"{plain} or ({first}) or -({second})" if kind == "counter" else plain


def fraction_of(measure: Measure, bound: float, buckets: Sequence[str], *, above: bool) -> Measure:
    """The share of what a histogram counted that lies below a bound, or above it; between two buckets in proportion."""
    edges = sorted((float(one), one) for one in buckets if re.fullmatch(r"[\d.eE+-]+", one))
    lower = [one for one in edges if one[0] <= bound]
    upper = [one for one in edges if one[0] >= bound]
    selector, name = measure.promql, measure.metrics[0]

    def counted(edge: str) -> str:
        return f"sum by ($by) (rate({selector_template(name, f'le={chr(34)}{edge}{chr(34)}')}[$window]))"

    del selector
    whole = counted("+Inf")
    if lower and upper and lower[-1][0] < upper[0][0]:
        share = (bound - lower[-1][0]) / (upper[0][0] - lower[-1][0])
        below = f"({counted(lower[-1][1])} + {share:.6g} * ({counted(upper[0][1])} - {counted(lower[-1][1])}))"
    elif upper:
        below = counted(upper[0][1]) if upper[0][0] == bound else f"{bound / upper[0][0]:.6g} * {counted(upper[0][1])}"
    else:
        below = counted(lower[-1][1]) if lower else whole
    ratio = f"{below} / {whole}"
    return replace(measure, promql=f"1 - {ratio}" if above else ratio, type="ratio", unit="ratio", agg="avg")


def time_beyond(measure: Measure, bound: float, *, title: str, above: bool, seconds: float = 0.0) -> Measure:
    """The share of the time for which a gauge or a ratio was above a bound, or below it; with the `seconds` of that
    time, how long it was there."""
    # A rate is one of five minutes here: over the whole range it would be above the bound, or not, once.
    value = measure.promql.replace("$agg", measure.agg).replace("$window", "5m")
    promql = f"({value}) {'>' if above else '<'} bool {bound:.10g}"
    if seconds:
        promql = f"({promql}) * {seconds:.10g}"
        return replace(measure, title=title, promql=promql, type="gauge", unit="seconds", agg="avg", total="")
    return replace(measure, title=title, promql=promql, type="ratio", unit="ratio", agg="avg", total="")


def converted(measure: Measure, unit: str, factor: float) -> Measure:
    """The measure in another unit, by what its figures are multiplied."""
    promql, total = (one and f"({one}) * {factor:.10g}" for one in (measure.promql, measure.total))
    return replace(measure, promql=promql, total=total, unit=unit, total_unit=unit)


def _gauge_agg(family: Family) -> Aggregation:
    """Levels, shares and degrees are averaged where nobody says; what can be counted is added."""
    # What only stands in the middle of a name, as in kube_deployment_status_replicas, says nothing of the value.
    words = {base(word) for at, word in enumerate(family.words, 1) if at == len(family.words) or word not in _MIDDLE}
    unit = _unit_of(family.name)
    return "avg" if unit in _MEAN_UNITS or (words & _MEAN_WORDS and unit not in _ADDED_UNITS) else "sum"


def _unit_of(name: str) -> str:
    for suffix in ("_bucket", "_sum", "_count"):
        if name.endswith(suffix):
            return base_unit(MetricInfo(name.removesuffix(suffix), family=name.removesuffix(suffix)))
    return base_unit(MetricInfo(name, family=name))


def _per_second(unit: str) -> str:
    """Seconds a second are a bare number: cores, or a share of time."""
    return "" if unit == "seconds" else f"{unit}/s" if unit else "1/s"


def _shared_labels(metrics: Sequence[str], series: Mapping[str, Series]) -> frozenset[str]:
    known = [series[name].names() for name in metrics if name in series]
    return frozenset.intersection(*known) if known else frozenset()
