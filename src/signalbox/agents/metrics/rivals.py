"""Other measures than the one that a model chose: one that fits as well, that is a share, or that has what is named."""

from __future__ import annotations

from collections.abc import Sequence

from signalbox.agents.metrics.bounds import has_unit, is_percent, measures_other, read_bound, shown_in
from signalbox.agents.metrics.choosing import measure_for
from signalbox.agents.metrics.errors import MetricNotFoundError, OtherUnitError, UnknownNameError
from signalbox.agents.metrics.forgotten import own_words
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import is_goal, rests_in
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Measure
from signalbox.agents.metrics.read import Reading
from signalbox.agents.metrics.search import Hit
from signalbox.agents.metrics.times import read_times
from signalbox.agents.metrics.values import find_label, find_value
from signalbox.agents.metrics.vocabulary import base, name_words, text_words
from signalbox.errors import SignalboxError

__all__ = ["able_to_serve", "as_counted", "as_distributed", "as_share", "elsewhere", "is_ratio", "rival_of", "words_of"]

_EQUAL = 0.03
_LESS = 0.8
_UNSURE = 0.7
_CERTAIN = 0.9
_MOST = 6
_FEW = 3
_SPREAD = ("histogram", "summary")


def words_of(plan: MetricsPlan, reading: Reading) -> frozenset[str]:
    """The words that are the chosen measure's own."""
    hit = reading.hits.get(plan.measure or "")
    return frozenset() if hit is None else own_words(hit.offer)


def rival_of(plan: MetricsPlan, reading: Reading) -> str | None:
    """Another measure that fits as well as the chosen one: the same words say both, and no more of either. Where the
    model is not sure, also one that fits better, and that says more of the question."""
    chosen = plan.measure or ""
    mine = reading.hits.get(chosen)
    if plan.named or plan.less or mine is None:
        return None  # Of two measures that are named the question has the words of both.
    best = next(iter(reading.hits.values()))
    is_of_both = plan.kind == "share" or bool(rests_in(reading.text))
    if is_of_both and is_goal(best.offer.key) != is_goal(chosen):
        return None  # A part and what there may be at most make one share, and one rest.
    if plan.confidence < _UNSURE and best.score > mine.score and not plan.continues and _says_more(best, mine, reading):
        return best.offer.key
    if mine.offer.recipe or plan.confidence >= _CERTAIN or not mine.explained:
        return None
    alike = [one for one in list(reading.hits.values())[:_MOST] if one.explained == mine.explained]
    if len(alike) > _FEW and plan.confidence >= _UNSURE:
        return None  # What so many have in common says nothing of any.
    for other in alike:
        is_equal = abs(other.score - mine.score) <= _EQUAL * mine.score
        if (
            other.offer.key != chosen
            and is_equal
            and not other.offer.recipe
            and _differs(other.offer.key, chosen, reading.text)
        ):
            return other.offer.key
    return None


def _says_more(other: Hit, mine: Hit, reading: Reading) -> bool:
    """Whether more telling words of the question speak of the other measure alone than of mine alone."""
    said = reading.live.index.telling(reading.text, ()).keys()
    return len(said & (other.explained - mine.explained)) > len(said & (mine.explained - other.explained))


def _differs(one: str, other: str, text: str) -> bool:
    """Whether nothing in the question speaks for one of two names: the words that only one has are not said."""
    said = text.lower()
    mine, theirs = set(one.lower().split("_")), set(other.lower().split("_"))
    return not any(word in said for word in mine ^ theirs if len(word) > 2)


async def as_share(plan: MetricsPlan, reading: Reading) -> MetricsPlan:
    """The plan of a share for the measure that is one, where the same words say both: the memory used, in percent."""
    mine = reading.hits.get(plan.measure or "")
    is_asked = plan.kind == "share" or is_percent(plan.unit)
    if not is_asked or plan.named or plan.less or mine is None or is_ratio(mine.offer):
        return plan
    if plan.per and not {base(word) for word, *_ in text_words(plan.per)} <= own_words(mine.offer):
        return plan
    for other in list(reading.hits.values())[:_MOST]:
        fits = other.explained >= mine.explained and other.score >= _LESS * mine.score
        # A share of what failed cannot be narrowed to one way of failing: that is a part of the measure itself.
        if is_ratio(other.offer) and fits and await able_to_serve(plan, [other.offer], reading):
            return plan.model_copy(update={"measure": other.offer.key, "per": ""})
    return plan


async def as_counted(plan: MetricsPlan, reading: Reading) -> MetricsPlan:
    """The plan of a total over a range for the counter beside a gauge, which does not add up: parts handed out, and not
    the parts in stock."""
    mine = reading.hits.get(plan.measure or "")
    if plan.how != "total" or not plan.time or plan.named or plan.less:
        return plan
    if mine is None or _type(mine.offer) != "gauge":
        return plan
    try:
        times = read_times(plan.time, "", reading.moment.now, reading.moment.zone)
    except SignalboxError:
        return plan
    if times.main is None or times.is_moment or times.is_current:
        return plan
    first = name_words(mine.offer.key)[:1]
    beside = [hit.offer for hit in reading.hits.values() if _type(hit.offer) == "counter"]
    able = await able_to_serve(plan, [one for one in beside if name_words(one.key)[:1] == first], reading)
    return plan.model_copy(update={"measure": able[0].key}) if len(able) == 1 else plan


async def as_distributed(plan: MetricsPlan, reading: Reading) -> MetricsPlan:
    """The plan of a percentile for a measure that has one, and no counter of events: how long requests take, and not
    how many there are. The model chooses among those that have what is named; its own choice where there is none."""
    mine = reading.hits.get(plan.measure or "")
    if not plan.percentiles or plan.named or mine is None:
        return plan
    try:
        own, _ = await measure_for(mine.offer, reading.live, reading.within)
    except MetricNotFoundError:
        return plan
    if own.type != "counter":
        return plan
    spread = [hit.offer for hit in reading.hits.values() if hit.offer.family and hit.offer.family.type in _SPREAD]
    able = await able_to_serve(plan, spread, reading)
    chosen = able[0].key if len(able) == 1 else await reading.choose(able) if able else None
    return plan.model_copy(update={"measure": chosen}) if chosen else plan


def _type(offer: Offer) -> str:
    return offer.family.type if offer.family is not None and not offer.recipe else ""


def is_ratio(offer: Offer) -> bool:
    """Whether an offer is a share by itself."""
    return bool(offer.bounds) and offer.bounds[0].variant.type == "ratio"


async def elsewhere(plan: MetricsPlan, reading: Reading, error: SignalboxError) -> MetricsPlan | None:
    """The plan for another measure that has what is named, where the chosen one has not, as the model chooses among
    those that have; None where there is none."""
    if not isinstance(error, UnknownNameError | OtherUnitError) or plan.named or not plan.measure:
        return None
    able = await able_to_serve(
        plan, [hit.offer for hit in reading.hits.values() if hit.offer.key != plan.measure], reading
    )
    chosen = await reading.choose(able) if able else None
    if chosen is None and plan.confidence < _UNSURE and able[:1] == reading.offers[:1]:
        chosen = able[0].key  # The search finds first what has what is named.
    return plan.model_copy(update={"measure": chosen}) if chosen else None


async def able_to_serve(plan: MetricsPlan, offers: Sequence[Offer], reading: Reading) -> list[Offer]:
    """Those of the first offers that have all that is named."""
    return [one for one in offers[: 2 * _MOST] if await _has(one, plan, reading)]


async def _has(offer: Offer, plan: MetricsPlan, reading: Reading) -> bool:
    try:
        measure, series = await measure_for(offer, reading.live, reading.within)
    except MetricNotFoundError:
        return False
    if not _has_unit(measure, plan) or (plan.percentiles and measure.type == "counter"):
        return False
    has_things = all(find_value(words, series, measure.labels) for words in (*plan.filters, *plan.excluded))
    return has_things and all(find_label(words, measure.labels) for words in plan.split_by)


def _has_unit(measure: Measure, plan: MetricsPlan) -> bool:
    """Whether a measure has the unit of the answer that is asked for, and that of the bound."""
    words = name_words(measure.name.removesuffix("_total"))
    unit = "percent" if measure.unit == "ratio" else measure.unit.partition("/")[0]
    own = unit if has_unit(unit) else words[-1]
    bound = read_bound(plan.bound) if plan.bound else None
    if bound is not None and measures_other(bound.unit, own):
        return False
    if not has_unit(plan.unit) or plan.unit.lower() in words:
        return True
    return shown_in(plan.unit, own) is not None or (has_unit(own) and not measures_other(plan.unit, own))
