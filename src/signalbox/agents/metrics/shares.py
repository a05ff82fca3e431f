"""Shares and ratios: one measure by another, the part that a name is of the whole, what lies within a bound."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from signalbox.agents.metrics.bounds import bound_in, read_bound
from signalbox.agents.metrics.choosing import Chosen, measure_for, own_offer, wanted_of, window_of
from signalbox.agents.metrics.conditions import in_names, upper
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import (
    Wanted,
    fraction_of,
    narrowed,
    per,
    time_beyond,
)
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import is_goal, is_whole_of, pair_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Matcher, Question
from signalbox.agents.metrics.state import ResultKind, TimeRange
from signalbox.agents.metrics.times import Moment, Times
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.values import Meant, find_label, find_value
from signalbox.agents.metrics.vocabulary import FILLERS, GOALS, LABEL_WORDS, base, name_words, text_words

__all__ = ["as_ratio", "beside", "divided", "part_and_whole", "second_measure", "shared"]

_MOST_NAMED = 6
_NEAR = 0.85
_WHERE = frozenset({"on", "at", "from"})
_OUTCOMES = frozenset(LABEL_WORDS["status"])
_ARTICLES = frozenset({"the", "our", "a", "an"})


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
    named = live.index.by_key.get(words) or ("_" in words and own_offer(words, live)) or live.index.named(words)
    if named:
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


async def shared(question: Question, plan: MetricsPlan, chosen: Chosen, live: Live, moment: Moment) -> Question:
    """A share: of what a histogram counted below a bound, of the part that a name is of the whole, of each group."""
    bound = read_bound(plan.bound) if plan.bound else None
    measure = chosen.measure
    if bound is not None and measure.type == "histogram":
        value = bound_in(bound, unit_of_question(replace(question, kind="value")), measure.title)
        ratio = fraction_of(measure, value, chosen.series.values.get("le", ()), above=plan.side == "above")
        told = replace(ratio, title=f"share of {measure.title} {plan.side or 'below'} {bound.said}")
        return replace(question, measure=told, kind="value" if question.kind == "share" else question.kind)
    if bound is not None and measure.type in ("gauge", "ratio"):
        value = bound_in(bound, unit_of_question(replace(question, kind="value")), measure.title)
        side = plan.side or "above"
        title = f"share of the time that {measure.title} was {side} {bound.said}"
        beyond = time_beyond(measure, value, title=title, above=side == "above")
        return replace(question, measure=beyond, kind="value" if question.kind == "share" else question.kind)
    if bound is None and "$quantile" in measure.promql:
        raise InvalidQueryError(
            f"The question does not say of which {measure.title} the share is asked.",
            suggestion="Name the bound: what share took less than 2 seconds.",
        )
    if measure.type == "gauge":
        pair = await pair_of(chosen.offer, live, question.time_range)
        if pair is not None:
            return await _of(question, pair.whole if pair.part == chosen.offer else pair.part, live)
    # What all of it has is no part of it.
    parts = [one for one in chosen.said if len(chosen.series.values.get(one.label, ())) > 1]
    excluded = tuple(one for one in question.matchers if one.negated)
    if excluded and not parts and measure.type != "ratio" and not question.group_by:
        return replace(question, matchers=tuple(one for one in question.matchers if not one.negated), part=excluded)
    if measure.type == "ratio" or question.group_by or not parts:
        if question.kind == "share" and not (measure.type == "ratio" or question.group_by):
            raise InvalidQueryError(
                f"The question does not say of what {measure.title} is a share.",
                suggestion="Name the whole, or the part.",
            )
        return question
    if measure.type == "gauge" and name_words(measure.name)[-1:] == ("up",):
        up = replace(measure, type="ratio", unit="ratio", title=f"share of the time with {measure.title}")
        return replace(question, measure=up, kind="value")
    if measure.type == "gauge" and measure.agg == "avg":
        raise InvalidQueryError(
            f"{upper(measure.title)} does not add up, so no part of it is a share.",
            suggestion="Ask for the share of the time that it was above or below a bound.",
        )
    # What the help text explains says of what kind it is; a name mostly says where. Of two such the later is asked of:
    # of what the north depot sent, which part was express.
    parts = sorted((_as_said(one, plan) for one in parts), key=lambda one: _place(one, question.text))
    parts = [one for one in parts if not _says_where(one, question.text)] or parts
    parts = [one for one in parts if one.label in _OUTCOMES] or parts
    label = next((one for one in reversed(parts) if one.is_told), parts[-1]).label
    part = tuple(one for one in question.matchers if one.label == label and not one.negated)
    return replace(question, matchers=tuple(one for one in question.matchers if one not in part), part=part)


def _as_said(meant: Meant, plan: MetricsPlan) -> Meant:
    """What is meant, with the words of the question for it where a name of the server was put in their place."""
    return next((replace(meant, said=words) for words, names in plan.names.items() if meant.said in names), meant)


def _place(meant: Meant, text: str) -> int:
    return text.casefold().find(meant.said.casefold())


def _says_where(meant: Meant, text: str) -> bool:
    """Whether a name stands after a word that says where or when: of the late rides on the north line, the line."""
    before = [word for word, *_ in text_words(text[: max(_place(meant, text), 0)])]
    while before and before[-1] in _ARTICLES:
        before.pop()
    return bool(before) and before[-1] in _WHERE


def as_ratio(question: Question) -> Question:
    """A share as one figure of its own, which can stand beside another."""
    if not question.part:
        return question
    told = " and ".join(f"{one.label} {'|'.join(one.values)}" for one in question.part)
    ratio = per(narrowed(question.measure, question.part), question.measure, is_share=True)
    return replace(question, measure=replace(ratio, title=f"share of {told} in {question.measure.title}"), part=())


async def _of(question: Question, other: Offer, live: Live) -> Question:
    """One measure as a share of another; of what there may be at most, the other is the share."""
    second, _ = await measure_for(other, live, question.time_range)
    shared = tuple(one for one in question.matchers if one.label in second.labels)
    own = narrowed(question.measure, [one for one in question.matchers if one not in shared])
    part, whole = (second, own) if is_whole_of(own.name, second.name) else (own, second)
    kind: ResultKind = "ranking" if question.group_by else "value"
    return replace(question, measure=per(part, whole, is_share=True), matchers=shared, kind=kind, is_total=False)
