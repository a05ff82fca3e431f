"""The measure of a plan: which offer it names, and the way to compute it that has what is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from signalbox.agents.metrics.conditions import conditions_said
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.forgotten import (
    forgotten_values,
)
from signalbox.agents.metrics.infos import split_by_info
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import (
    Wanted,
    conditions_of,
    measure_of,
)
from signalbox.agents.metrics.offers import Offer, is_plain, is_slip
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Matcher, Measure
from signalbox.agents.metrics.recipes import Bound
from signalbox.agents.metrics.splits import groups_of
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, TimeRange
from signalbox.agents.metrics.times import Moment, Times
from signalbox.agents.metrics.types import with_type
from signalbox.agents.metrics.unplaced import placed_values
from signalbox.agents.metrics.values import Meant
from signalbox.agents.metrics.vocabulary import SUMS, base, text_words
from signalbox.language.names import did_you_mean, nearest

__all__ = [
    "AGGREGATIONS",
    "Chosen",
    "choose",
    "in_ways_asked",
    "measure_for",
    "offer_of",
    "own_offer",
    "says_sum",
    "wanted_of",
    "window_of",
]

_LONGEST = timedelta(days=MOST_DAYS)
AGGREGATIONS: dict[str, Aggregation] = {"average": "avg", "highest": "max", "lowest": "min", "total": "sum"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """An offer in the way that fits what the plan says: its measure, the series behind it, and the conditions."""

    offer: Offer
    measure: Measure
    series: Series
    matchers: tuple[Matcher, ...]
    said: tuple[Meant, ...]
    group_by: tuple[str, ...]


def offer_of(plan: MetricsPlan, live: Live) -> Offer:
    """The offer that a plan names: among the options, or by the name of a metric, exactly or nearly."""
    # A metric that only recipes offer may be named beside the options: it is meant as it is.
    is_metric = plan.measure in live.names or plan.measure in live.families
    for name in (plan.named, plan.measure if is_metric and plan.measure not in live.index.by_key else None):
        found = own_offer(name, live) if name else None
        if found is not None:
            return found
    is_written = "_" in plan.named
    for name in (plan.named,) if is_written else (plan.named, plan.measure):
        found = live.index.by_key.get(name or "") or live.index.named(name or "")
        if found is not None:
            return found
    said = plan.named or plan.measure
    if not said:
        raise MetricNotFoundError("The question does not say what is to be measured.", suggestion="Name the measure.")
    raise MetricNotFoundError(
        f'There is no measure "{said}" on this server.', suggestion=did_you_mean(said, list(live.index.by_key)[:20_000])
    )


def own_offer(said: str, live: Live) -> Offer | None:
    """The metric of this very name, or of one that is a slip of the pen away: as it is, and in no recipe."""
    if said in live.families:
        said = live.families[said].names[0]
    name = said if said in live.names else next(iter(nearest(said, [*live.names][:60_000], 1)), "")
    if name != said and not is_slip(said, name):
        return None
    for offer in live.index.offers:
        plain = [bound for bound in offer.bounds if bound.metrics == (name,) and is_plain(bound)]
        if plain:
            return replace(offer, bounds=(plain[0],), metrics=(name,))
    family = next((one for one in (name, *_stems(name)) if one in live.families), name)
    known = live.index.by_key.get(family)
    return known if known is not None and known.family is not None else _by_name(name, live)


def _stems(name: str) -> list[str]:
    """The histogram or summary that a metric is a part of."""
    return [name.removesuffix(end) for end in ("_bucket", "_count", "_sum") if name.endswith(end)]


def _by_name(name: str, live: Live) -> Offer:
    """A metric as it is, which only recipes offer, or which is not searched since the server has too many."""
    from signalbox.agents.metrics.offers import families_of, list_offers
    from signalbox.agents.metrics.recipes import Recipes

    offers = list_offers(families_of({name: live.names[name]}), Recipes())
    if not offers:
        raise MetricNotFoundError(f"{name} says what something is, and measures nothing.", suggestion="Name a measure.")
    return offers[0]


async def measure_for(
    offer: Offer, live: Live, within: TimeRange, wanted: Wanted | None = None
) -> tuple[Measure, Series]:
    """The measure of an offer in the first way that this server can serve, with the labels of its series."""
    for bound in offer.bounds or (None,):
        metrics = bound.metrics if bound else offer.metrics
        series = await live.series(metrics, within)
        if bound is not None and conditions_of(bound, series[metrics[0]], live.recipes) is None:
            continue
        measure = await _measure(offer, bound, series, live, within, wanted or Wanted())
        return measure, series.get(measure.metrics[0], series[metrics[0]])
    raise MetricNotFoundError(
        f"{offer.title} cannot be computed here: no label of {', '.join(offer.metrics[:2])} says what failed."
    )


async def _measure(
    offer: Offer, bound: Bound | None, series: dict[str, Series], live: Live, within: TimeRange, wanted: Wanted
) -> Measure:
    if bound is None and offer.family is not None:
        offer = replace(offer, family=await with_type(offer.family, live, within.end_time))
    known = {**series, **{name: next(iter(series.values())) for name in _parts(offer)}}
    return measure_of(offer, bound, {**known, **series}, live.recipes, wanted)


def _parts(offer: Offer) -> list[str]:
    """The other metrics of a histogram have the labels that the first has."""
    stems = {
        metric.removesuffix(end)
        for metric in offer.metrics
        for end in ("_bucket", "_count", "_sum")
        if metric.endswith(end)
    }
    return [f"{stem}{end}" for stem in stems for end in ("_bucket", "_count", "_sum")]


async def choose(
    offer: Offer, plan: MetricsPlan, text: str, live: Live, times: Times, moment: Moment, percentiles: Sequence[float]
) -> Chosen:
    """The way to compute an offer that has most of what is named, the earlier ways first; raises for what none has."""
    within = window_of(times, moment)
    wanted = wanted_of(plan, percentiles, text)
    failed: Exception | None = None
    able: list[Chosen] = []
    for bound in in_ways_asked(offer, text).bounds or (None,):
        metrics = bound.metrics if bound else offer.metrics[:1]
        series = await live.series(metrics, within)
        if bound is not None and conditions_of(bound, series[metrics[0]], live.recipes) is None:
            continue
        measure = await _measure(offer, bound, series, live, within, wanted)
        own = series[metrics[0]]
        try:
            forgotten = forgotten_values(plan, text, offer, own, measure.labels)
            # What is split, or ranked, is not narrowed by a word that is only a part of some of its names.
            wide = await split_by_info(measure, plan, live, within)
            taken = {*groups_of(plan, text, wide, own, offer, ()), *(one.label for one in forgotten)}
            placed = placed_values(plan, text, offer, own, measure.labels)
            forgotten += [one for one in placed if one.label not in taken]
            said, matchers = conditions_said(plan, text, measure, own, offer, live, forgotten)
            able.append(Chosen(offer, wide, own, matchers, said, groups_of(plan, text, wide, own, offer, said)))
        except InvalidQueryError as error:
            failed = failed or error
    if able:
        return max(able, key=lambda one: len(one.said))
    if failed is not None:
        raise failed
    raise MetricNotFoundError(
        f"{offer.title} cannot be computed here: no label of {', '.join(offer.metrics[:2])} says what failed.",
        suggestion=did_you_mean(offer.title, [one.title for one in live.index.offers if one.key != offer.key][:2_000]),
    )


def in_ways_asked(offer: Offer, text: str) -> Offer:
    """The offer, with those ways to compute it first that words of the question ask for."""
    return replace(offer, bounds=tuple(sorted(offer.bounds, key=lambda one: _asks_for(one, text))))


def _asks_for(bound: Bound, text: str) -> bool:
    """False, which sorts first, for a way that words of the question ask for: the CPU of containers, of a process."""
    said = {base(word) for word, *_ in text_words(text)}
    return not any(base(word) in said for word in bound.variant.words)


def window_of(times: Times, moment: Moment) -> TimeRange:
    """All the time that a plan is about."""
    main = times.main or TimeRange(start_time=moment.now - timedelta(hours=1), end_time=moment.now)
    if times.against is None:
        return main
    start, end = min(main.start_time, times.against.start_time), max(main.end_time, times.against.end_time)
    return main if end - start > _LONGEST else TimeRange(start_time=start, end_time=end)


def says_sum(text: str) -> bool:
    """Whether a question has a word for what is a sum by its meaning, such as revenue, and asks for no average."""
    said = {word for word, *_ in text_words(text)}
    return bool(said & SUMS) and not said & {"average", "avg", "mean"}


def wanted_of(plan: MetricsPlan, percentiles: Sequence[float], text: str = "") -> Wanted:
    judges_or_shares = plan.kind in ("threshold", "share") and bool(plan.bound)
    extreme = (
        AGGREGATIONS.get(plan.how or "")
        if plan.kind in ("figure", None) and plan.how in ("highest", "lowest")
        else None
    )
    counts = plan.kind == "figure" and plan.how == "total" and not plan.unit and not says_sum(text)
    return Wanted(
        how=None if judges_or_shares and plan.how != "average" else plan.how,
        has_quantile=bool(percentiles) or (plan.kind == "share" and bool(plan.bound)),
        quantile=percentiles[0] if percentiles else 0.95,
        counts=counts,
        extreme_of_things=extreme,
    )
