"""Measures: what an offer gives on this server, as templates of PromQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from string import Template

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Family, Offer, families_of, is_plain, list_offers
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.promql import match_text, selector_text
from signalbox.agents.metrics.recipes import Bound, Recipes
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import Aggregation, TimeRange
from signalbox.language.names import did_you_mean
from signalbox.language.synonyms import base
from signalbox.language.units import dimension_of
from signalbox.language.words import split_name

__all__ = [
    "Wanted",
    "conditions_of",
    "find_offer",
    "fraction_of",
    "joined",
    "less",
    "measure_for",
    "narrowed",
    "per",
    "selector_template",
    "template_of",
    "time_beyond",
    "usual_measures",
]

_RATE = "sum by ($by) (rate(%s[$window]))"
_INCREASE = "sum by ($by) (increase(%s[$window]))"
_QUANTILE = "histogram_quantile($quantile, sum by (le, $by) (rate(%s[$window])))"
_GAUGE = "$agg by ($by) (%s)"
_PARTS = ("_bucket", "_count", "_sum")
_RATES = re.compile(r"(?:rate|increase)\([^()]*\[\$window\]\)")
_SELECTOR = re.compile(r"[a-zA-Z_:][\w:]*\{[^{}]*\}(?!\s*\[)")
# Dimensions whose figures do not add up: two rooms of 20 degrees are not 40 degrees warm.
_LEVELS = frozenset({"temperature", "pressure", "voltage", "frequency", "percent", "time", "length", "speed"})
_LEVEL_UNITS = frozenset({"ratio", "percent", "celsius", "hertz", "volts", "amperes", "meters"})
_LEVEL_WORDS = frozenset(
    map(base, "temperature humidity ratio percent utilization load speed pressure voltage level score age lag price "
        "latency duration delay status state health efficiency frequency ph fill temp moisture progress up stars "
        "rating fps ppm lux db dbm noise loudness rpm".split())
)  # fmt: skip
_AHEAD = frozenset(map(base, ("expiry", "expires", "expiration")))
_MOMENTS = _AHEAD | {base("timestamp")}
"""Words in the names of gauges that hold a moment, as seconds since 1970."""
# What is there at a moment, or is a moment itself, may grow for days and is no counter.
_NO_COUNTERS = frozenset(
    map(base, """used free available size capacity depth length age uptime time timestamp boot offset level limit max
        min current active open pending version usage ratio percent celsius speed temperature humidity pressure voltage
        price latency duration per score state status""".split())
)  # fmt: skip
_MIDDLE = ("status", "state")
_FEWEST_CHANGES, _MOST_FALLS = 30, 0.005


@dataclass(frozen=True, slots=True)
class Wanted:
    """What decides how a measure is computed."""

    how: str | None = None
    has_quantile: bool = False
    quantile: float = 0.95
    counts: bool = False
    """How many there were, not how long they took."""
    extreme_of_things: Aggregation | None = None


def find_offer(name: str, live: Live) -> Offer:
    """Return the offer of this name: a measure's key, a metric or a family. Raises MetricNotFoundError."""
    known = live.offers.get(name)
    if known is not None and (known.recipe or name not in live.names):
        return known
    if name in live.names or name in live.families:
        return _own_offer(name, live)
    known = known or live.offers.get(name.replace(" ", "_").lower()) or live.offer_named(name)
    if known is None:
        raise MetricNotFoundError(
            f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, list(live.offers)[:20_000])
        )
    return known


def _own_offer(name: str, live: Live) -> Offer:
    """The metric as it is, also one that only recipes offer or that is not searched because the server has too many."""
    name = live.families[name].names[0] if name in live.families else name
    for offer in live.offers.values():
        plain = [bound for bound in offer.bounds if bound.metrics == (name,) and is_plain(bound)]
        if plain:
            return replace(offer, bounds=(plain[0],), metrics=(name,))
    stems = [name, *(name.removesuffix(end) for end in _PARTS if name.endswith(end))]
    family = next((one for one in stems if one in live.families), name)
    known = live.offers.get(family)
    if known is not None and known.family is not None:
        return known
    return list_offers(families_of({name: live.names[name]}), Recipes())[0]


async def measure_for(
    offer: Offer, live: Live, within: TimeRange, wanted: Wanted | None = None
) -> tuple[Measure, Series]:
    """Return the measure of an offer by the first variant that this server can serve, and its series' labels."""
    for bound in offer.bounds or (None,):
        metrics = bound.metrics if bound else offer.metrics
        series = await live.series(metrics, within)
        if bound is not None and conditions_of(bound, series[metrics[0]], live.recipes) is None:
            continue
        if bound is None and offer.family is not None:
            offer = replace(offer, family=await _with_type(offer.family, live, within.end_time))
        if (summary := _summary_of(metrics[0], series[metrics[0]], live)) is not None:
            bound, offer = None, replace(offer, family=summary)
        parts = {f"{stem}{end}": series[metrics[0]] for stem in _stems(metrics) for end in _PARTS}
        measure = _measure(offer, bound, {**parts, **series}, live.recipes, wanted or Wanted())
        return measure, series.get(measure.metrics[0], series[metrics[0]])
    raise MetricNotFoundError(
        f"{offer.title} cannot be computed here: no label of {', '.join(offer.metrics[:2])} says what failed.",
        suggestion=did_you_mean(
            offer.title, [one.title for one in live.offers.values() if one.key != offer.key][:2_000]
        ),
    )


def usual_measures(offer: Offer, series: Mapping[str, Series], recipes: Recipes) -> list[Measure]:
    """Return the measures of an offer by its first variants, for a server that is not asked."""
    return [_measure(offer, bound, series, recipes, Wanted()) for bound in offer.bounds[:3] or (None,)]


def _summary_of(metric: str, series: Series, live: Live) -> Family | None:
    """The summary that a metric is by its quantiles, its sum and its count, whatever is said of it: quantiles have no
    average."""
    names = (metric, f"{metric}_sum", f"{metric}_count")
    if "quantile" not in series.values or not all(one in live.names for one in names):
        return None
    return Family(metric, "summary", live.names[metric].help, names)


def _stems(metrics: Sequence[str]) -> set[str]:
    """The histograms and summaries whose parts these metrics are, and the metrics themselves."""
    return {*metrics} | {metric.removesuffix(end) for metric in metrics for end in _PARTS if metric.endswith(end)}


async def _with_type(family: Family, live: Live, at: datetime) -> Family:
    """The family, as a counter if its type was a guess and its samples only ever rise."""
    if not family.is_guessed or family.type != "gauge" or _NO_COUNTERS & set(map(base, family.words)):
        return family
    if family.name not in live.rising:
        live.rising[family.name] = await _rises(family.name, live, at)
    return replace(family, type="counter") if live.rising[family.name] else family


async def _rises(name: str, live: Live, at: datetime) -> bool:
    """True if the samples of a day hardly ever fall: a counter falls only when its process starts anew."""
    selector = selector_text(name)
    falls = f"sum(resets({selector}[1d])) / (sum(changes({selector}[1d])) >= {_FEWEST_CHANGES})"
    try:
        found = await live.client.query(falls, at)
    except InvalidQueryError:
        return False
    return bool(found.curves) and found.curves[0].values[-1] <= _MOST_FALLS


def _measure(
    offer: Offer, bound: Bound | None, series: Mapping[str, Series], recipes: Recipes, wanted: Wanted
) -> Measure:
    """The measure of an offer, by a variant of its recipe if it has one."""
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
    variant = bound.variant
    unit = _unit_of(bound.metrics[0]) if variant.unit == "auto" else variant.unit
    if variant.unit == "auto" and variant.type == "counter":
        unit = _per_second(unit)
    promql = variant.promql if wanted.extreme_of_things else variant.mean or variant.promql
    return Measure(
        name=bound.metrics[0],
        title=offer.title,
        promql=template_of(promql, bound.metrics, conditions),
        type=variant.type,
        unit=unit,
        total=template_of(variant.total, bound.metrics, conditions),
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


def template_of(template: str, metrics: Sequence[str], conditions: Mapping[str, str] | None = None) -> str:
    """Return a recipe's template with the server's names; one that PromQL does not take bare stands in the braces."""
    names = {"metric" + (str(at) if at > 1 else ""): name for at, name in enumerate(metrics, start=1)}
    for key, name in names.items():
        selector = selector_of(name)
        if selector.endswith("}"):
            quoted = selector[1:-1].replace("$", "$$")
            template = re.sub(rf"\${key}\b\{{", f"{{{quoted},".replace("\\", r"\\"), template)
    escaped = {key: name.replace("$", "$$") for key, name in names.items()}
    return Template(template).safe_substitute(escaped | dict(conditions or {}))


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
    name = family.name if family.name in family.names else family.names[0]
    if "quantile" in series.get(name, Series()).values:
        return _of_quantile(name, title, series, wanted)
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
        return _of_quantile(name, title, series, wanted)
    if wanted.counts or wanted.how == "rate":
        return _of_counter(f"{name}_count", f"count of {title}", series)
    if wanted.how == "total":
        return _of_counter(f"{name}_sum", title, series)
    return _of_mean(family, title, series)


def _of_quantile(name: str, title: str, series: Mapping[str, Series], wanted: Wanted) -> Measure:
    """A quantile that the server keeps; the highest one if none is asked for. Raises InvalidQueryError for another."""
    known = sorted(series[name].values.get("quantile", ()), key=float)
    kept = next((one for one in known if float(one) == wanted.quantile), None)
    if kept is None and wanted.has_quantile:
        raise InvalidQueryError(
            f"{title} is a summary, which keeps only the quantiles {', '.join(known)}.",
            suggestion="Ask for one of these, or for the average.",
        )
    # Quantiles of several series cannot be combined: the highest of them is told.
    selector = selector_template(name, f'quantile="{kept or known[-1]}"')
    labels = _shared_labels((name,), series) - {"quantile"}
    promql = f"max by ($by) ({selector})"
    return Measure(name, title, promql, "summary", _unit_of(name), agg="max", metrics=(name,), labels=labels)


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
    is_ahead = bool(_AHEAD & {base(word) for word in split_name(name)})
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
    if _MOMENTS & {base(word) for word in split_name(name)}:
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


def joined(measure: Measure, info: str, on: Sequence[str], label: str) -> Measure:
    """The measure with a label that an info metric has for its things, by the labels that both have."""
    group = f"group by ({', '.join((*on, label))}) ({selector_template(info).replace('$match', '$info')})"
    join = f" * on ({', '.join(on)}) group_left ({label}) {group}"

    def on_series(template: str) -> str:
        series = _RATES if "[$window]" in template else _SELECTOR
        return series.sub(lambda found: f"({found[0]}{join})", template)

    return replace(
        measure, promql=on_series(measure.promql), total=on_series(measure.total),
        metrics=(*measure.metrics, info), labels=measure.labels | {label}, joined=measure.joined | {label},
    )  # fmt: skip


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
    name = measure.metrics[0]

    def counted(edge: str) -> str:
        return f"sum by ($by) (rate({selector_template(name, f'le={chr(34)}{edge}{chr(34)}')}[$window]))"

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


def time_beyond(measure: Measure, bound: float, *, title: str, above: bool) -> Measure:
    """The share of the time for which a gauge or a ratio was above a bound, or below it."""
    # A rate is one of five minutes here: over the whole range it would be above the bound, or not, once.
    value = measure.promql.replace("$agg", measure.agg).replace("$window", "5m")
    promql = f"({value}) {'>' if above else '<'} bool {bound:.10g}"
    return replace(measure, title=title, promql=promql, type="ratio", unit="ratio", agg="avg", total="")


def _gauge_agg(family: Family) -> Aggregation:
    """Levels, shares and degrees are averaged if nobody says how; what can be counted is added up."""
    unit = _unit_of(family.name)
    first, _, per = unit.partition("/")
    # Metres by the second are a speed, and milligrams in a litre a density: neither adds up.
    is_density = bool(per) and not any(one[0] == "time" for one in dimension_of(per))
    kinds = {one[0] for one in dimension_of(first)}
    if is_density or {unit, first} & _LEVEL_UNITS or kinds & _LEVELS or base("price") in map(base, family.words):
        return "avg"
    if unit:
        return "sum"
    # In the middle of a name, as in kube_deployment_status_replicas, these words say nothing of the value.
    words = {base(word) for at, word in enumerate(family.words, 1) if at == len(family.words) or word not in _MIDDLE}
    return "avg" if words & _LEVEL_WORDS else "sum"


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
