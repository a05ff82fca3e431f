"""A second measure: found by its words, narrowed like the first, and put together with it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from signalbox.agents.metrics.choosing import Chosen, measure_for, wanted_of, window_of
from signalbox.agents.metrics.conditions import in_names
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import (
    Wanted,
    narrowed,
    per,
)
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import is_goal, pair_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Matcher, Question
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.times import Moment, Times
from signalbox.agents.metrics.values import find_label, find_value
from signalbox.agents.metrics.vocabulary import FILLERS, GOALS, base, text_words

__all__ = ["beside", "divided", "part_and_whole", "second_measure"]

_MOST_NAMED = 6
_NEAR = 0.85


async def second_measure(words: str, plan: MetricsPlan, live: Live, times: Times, moment: Moment) -> Chosen:
    """The second measure that words name; what narrows the first narrows it too, where it has such labels."""
    offers = await _named_by(words, live)
    return await beside(offers[0], plan, live, times, moment, divides=False)


async def part_and_whole(
    plan: MetricsPlan, offer: Offer, live: Live, times: Times, moment: Moment
) -> tuple[Offer, Chosen | None]:
    """The plan's measure and the one that it is divided by; None for this where it already is what is asked for each.

    Raises MetricNotFoundError for words that name none, InvalidQueryError where they only name the measure itself.
    """
    goal = await pair_of(offer, live, window_of(times, moment)) if plan.kind == "share" else None
    if goal is not None and goal.part == offer and _says_goal(plan.per, goal.whole):
        return offer, await beside(goal.whole, plan, live, times, moment)
    offers = await _named_for(plan, offer, live, window_of(times, moment))
    if _is_head_of(plan.per, offer, offers[0]):
        offers = [offer]
    is_own = offer.key in (one.key for one in offers)
    is_first = is_own and offers[0].key == offer.key
    is_counted = offer.family is not None and offer.family.type == "counter"
    if is_first and is_counted and plan.filters and (plan.kind == "ranking" or plan.split_by):
        # Of what each had in all, the part that is named.
        return offer, await beside(offer, plan.model_copy(update={"filters": plan.filters[:-1]}), live, times, moment)
    if plan.kind == "share" and is_first and (plan.filters or plan.excluded or plan.names or is_counted):
        return offer, None  # Of all calls, those that are named.
    own, _ = await measure_for(offer, live, window_of(times, moment))
    if is_own and offers[0].key == offer.key and own.type in ("histogram", "summary"):
        return offer, None  # The time that each took is a time for each.
    pair = await pair_of(offer, live, window_of(times, moment)) if offers[0].key == offer.key else None
    if pair is not None:
        # The words name what there may be at most, which the model took for the measure: the fuel for a tank's size.
        part, whole = (pair.part, pair.whole) if is_goal(pair.whole.key) or offer == pair.whole else (pair.whole, offer)
        return part, await beside(whole, plan, live, times, moment)
    other = next((one for one in offers if one.key != offer.key), None)
    if other is None:
        raise InvalidQueryError(
            f"The question divides {offer.title} by itself.", suggestion="Name the part, or the whole, in other words."
        )
    return offer, await beside(other, plan, live, times, moment)


async def _named_for(plan: MetricsPlan, offer: Offer, live: Live, within: TimeRange) -> list[Offer]:
    """The measures that words name; where they name what the measure is split by, those of its kind that have it too,
    and the measure itself where there is none: of what each partner sent."""
    kinds = {base(word) for words in plan.split_by for word, *_ in text_words(words)}
    said = [word for word, *_ in text_words(plan.per) if word not in FILLERS]
    rest = [word for word in said if base(word) not in kinds]
    if len(rest) == len(said):
        return await _named_by(plan.per, live)
    try:
        named = await _named_by(" ".join(rest), live) if rest else [offer]
    except MetricNotFoundError:
        return [offer]
    (own, _), *others = [await measure_for(one, live, within) for one in (offer, *named)]
    split = {label for words in plan.split_by if (label := find_label(words, own.labels))}
    able = [
        one
        for one, (measure, _) in zip(named, others, strict=True)
        if split <= measure.labels and measure.type == own.type
    ]
    return able or [offer]


def _says_goal(words: str, goal: Offer) -> bool:
    """Whether words speak of what there may be at most, in general or as the help text of that measure has it."""
    told = {base(word) for word, *_ in text_words(f"{goal.title} {goal.family.help if goal.family else ''}")}
    said = {base(word) for word, *_ in text_words(words) if word not in FILLERS}
    return bool(said & (told | GOALS))


def _is_head_of(words: str, offer: Offer, other: Offer) -> bool:
    """Whether the last of several words, the thing itself, names the measure and not the other: night shift nurse."""
    said = [base(word) for word, *_ in text_words(words) if word not in FILLERS]
    mine, theirs = ({base(word) for word, *_ in text_words(f"{one.title} {one.about}")} for one in (offer, other))
    return len(said) > 1 and said[-1] in mine - theirs


async def _named_by(words: str, live: Live) -> list[Offer]:
    """The measures that words name about equally well."""
    named = live.index.by_key.get(words) or live.index.named(words)
    if named is not None:
        return [named]
    hits = [hit for hit in await asyncio.to_thread(live.index.search, words, _MOST_NAMED) if hit.explained]
    if not hits:
        raise MetricNotFoundError(
            f'No metric for "{words}" was found on this server.', suggestion="Name the metric itself."
        )
    return [hit.offer for hit in hits if hit.score >= _NEAR * hits[0].score and hit.explained >= hits[0].explained]


async def beside(
    offer: Offer, plan: MetricsPlan, live: Live, times: Times, moment: Moment, *, divides: bool = True
) -> Chosen:
    """A second measure, narrowed by what of the plan it has labels for; what divides is counted, whatever is measured
    of each: so much for each operation, and not for the time that one takes."""
    within = window_of(times, moment)
    wanted = Wanted(counts=True) if divides else wanted_of(plan, ())
    measure, series = await measure_for(offer, live, within, wanted)
    said = [meant for one in in_names(plan.filters, plan) if (meant := find_value(one, series, measure.labels))]
    matchers = tuple(Matcher(one.label, one.values) for one in said)
    excluded = tuple(
        Matcher(one.label, one.values, True) for w in plan.excluded if (one := find_value(w, series, measure.labels))
    )
    return Chosen(offer, measure, series, (*matchers, *excluded), tuple(said), ())


def divided(question: Question, chosen: Chosen, whole: Chosen, *, is_share: bool) -> Question:
    """One measure by another, each narrowed by what it has labels for."""
    shared = [one for one in question.matchers if one in whole.matchers]
    part = narrowed(chosen.measure, [one for one in question.matchers if one not in shared])
    rest = narrowed(whole.measure, [one for one in whole.matchers if one not in shared])
    if part.promql == rest.promql:
        raise InvalidQueryError(
            f"The question divides {part.title} by itself.", suggestion="Name the part, or the whole, in other words."
        )
    measure = per(part, rest, is_share=is_share)
    kind = question.kind if question.kind in ("series", "ranking", "comparison", "extreme") else "value"
    return replace(
        question, measure=measure, kind=kind, matchers=tuple(shared), is_total=False, part=(),
        aggregation=None if question.aggregation == "sum" else question.aggregation,
        group_by=tuple(label for label in question.group_by if label in measure.labels),
    )  # fmt: skip
