"""A second measure: found by its words, narrowed like the first, and put together with it, one by or less the other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.bounds import has_unit
from signalbox.agents.metrics.choosing import Chosen, measure_for, own_offer, wanted_of, window_of
from signalbox.agents.metrics.conditions import in_names, matchers_of, upper
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.forgotten import is_whole, own_words
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import Wanted, less, narrowed, per
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import is_goal, pair_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Matcher, Measure, Question
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.times import Moment, Times
from signalbox.agents.metrics.values import Meant, find_label, find_value
from signalbox.agents.metrics.vocabulary import FILLERS, GOALS, base, name_words, runs, text_words

__all__ = ["beside", "combined", "part_and_whole", "second_measure", "taken_away"]

_MOST_NAMED = 6
_NEAR = 0.85
_SURE = 0.9
_SHARES = ("ratio", "percent")
_SO_MANY = re.compile(r"(?:every |each )?(\d[\d,]*)\b(?![.:])")
_UNIT_NAME = 4
"""So long at least is the name of a unit; what is shorter may be a lowest value, a minimum."""


async def second_measure(words: str, plan: MetricsPlan, live: Live, times: Times, moment: Moment) -> Chosen:
    """The second measure that words name; what narrows the first narrows it too, where it has such labels."""
    offers = await _named_by(words, live)
    return await beside(offers[0], plan, live, times, moment, counts=False)


async def part_and_whole(
    plan: MetricsPlan, offer: Offer, live: Live, times: Times, moment: Moment
) -> tuple[Offer, Chosen | None]:
    """The plan's measure and the one that it is divided by; None for this where it already is what is asked for each.

    Raises MetricNotFoundError for words that name none, InvalidQueryError where they only name the measure itself.
    """
    goal = await pair_of(offer, live, window_of(times, moment)) if plan.kind == "share" else None
    if goal is not None and goal.part == offer and _says_goal(plan.per, goal.whole):
        return offer, await beside(goal.whole, plan, live, times, moment)
    offers = await _named_for(plan.per, plan, offer, live, window_of(times, moment))
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
        raise _of_itself(f"divides {offer.title} by itself")
    return offer, await beside(other, plan, live, times, moment)


async def taken_away(
    plan: MetricsPlan, offer: Offer, live: Live, times: Times, moment: Moment
) -> tuple[MetricsPlan, Offer, Chosen]:
    """The plan, its measure, and what is taken away from it: another measure, or a part of its own, in less out.

    Raises as `part_and_whole`.
    """
    within = window_of(times, moment)
    own, series = await measure_for(offer, live, within)
    is_counted = own.type == "counter"
    part = find_value(plan.less, series, own.labels)
    if part is not None and _is_part(plan.less, part, offer):
        filters = [one for one in plan.filters if one != plan.less]
        others = [
            one for one in filters if (meant := find_value(one, series, own.labels)) and meant.label != part.label
        ]
        narrower = plan.model_copy(update={"filters": others})
        second = await beside(offer, narrower, live, times, moment, counts=is_counted)
        second = replace(second, matchers=(*second.matchers, part.matcher()), said=(*second.said, part))
        return plan.model_copy(update={"filters": filters}), offer, second
    is_name = plan.less in live.index.by_key or live.index.named(plan.less) is not None
    alike = await asyncio.to_thread(_named_like, plan.less, offer, live) if not is_name else None
    offers = [alike] if alike is not None else await _named_for(plan.less, plan, offer, live, within)
    pair = await pair_of(offer, live, within) if offers[0].key == offer.key else None
    if pair is not None:
        return plan, pair.whole, await beside(pair.part, plan, live, times, moment, counts=is_counted)
    named = next((one for one in offers if one.key != offer.key), None)
    if named is None:
        raise _of_itself(f"takes {offer.title} away from itself")
    return plan, offer, await beside(named, plan, live, times, moment, counts=is_counted)


def _is_part(words: str, meant: Meant, offer: Offer) -> bool:
    """Whether words name a thing of a measure and nothing else: out, people out, direction=out."""
    known = own_words(offer) | {base(piece) for piece in name_words(meant.label)} | {*map(base, FILLERS)}
    known |= {base(word) for word, *_ in text_words(offer.family.help if offer.family else "")}
    known |= {base(piece) for value in meant.values for piece, *_ in runs(value)}
    return meant.sure >= _SURE and (is_whole(words, meant) or {base(piece) for piece, *_ in runs(words)} <= known)


def _named_like(words: str, offer: Offer, live: Live) -> Offer | None:
    """The measure of the same type that has all the words, in its name before its help text, and most in common with
    the first one: of jobs that were started, less the failed, those jobs that failed."""
    own = {*map(base, name_words(offer.key))}
    said = {base(word): word in FILLERS for word, *_ in text_words(words)}
    telling = {word for word, is_filler in said.items() if not is_filler}
    found: list[tuple[int, int, Offer]] = []
    for one in live.index.offers:
        # A share that a recipe makes of a metric is called after it, and is another thing.
        if one.family is None or one.key != one.family.name or one.key == offer.key:
            continue
        name = {*map(base, name_words(one.key))}
        told = name | {base(word) for word, *_ in text_words(one.family.help)}
        is_alike = offer.family is not None and one.family.type == offer.family.type
        if is_alike and telling <= told and (telling or said.keys() & name):
            found.append((len(said.keys() & name), len(own & name), one))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _of_itself(told: str) -> InvalidQueryError:
    return InvalidQueryError(f"The question {told}.", suggestion="Name the part, or the whole, in other words.")


async def _named_for(words: str, plan: MetricsPlan, offer: Offer, live: Live, within: TimeRange) -> list[Offer]:
    """The measures that words name; where they name what the measure is split by, those of its kind that have it too,
    and the measure itself where there is none: of what each partner sent."""
    kinds = {base(word) for one in plan.split_by for word, *_ in text_words(one)}
    said = [word for word, *_ in text_words(words) if word not in FILLERS]
    rest = [word for word in said if base(word) not in kinds]
    if len(rest) == len(said):
        return await _named_by(words, live)
    try:
        named = await _named_by(" ".join(rest), live) if rest else [offer]
    except MetricNotFoundError:
        return [offer]
    (own, _), *others = [await measure_for(one, live, within) for one in (offer, *named)]
    split = {label for one in plan.split_by if (label := find_label(one, own.labels))}
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
    offer: Offer, plan: MetricsPlan, live: Live, times: Times, moment: Moment, *, counts: bool = True
) -> Chosen:
    """A second measure, narrowed by what of the plan it has labels for; what divides is counted, whatever is measured
    of each: so much for each operation, and not for the time that one takes."""
    within = window_of(times, moment)
    wanted = Wanted(counts=True) if counts else wanted_of(plan, ())
    measure, series = await measure_for(offer, live, within, wanted)
    said = [meant for one in in_names(plan.filters, plan) if (meant := find_value(one, series, measure.labels))]
    out = [meant for one in in_names(plan.excluded, plan) if (meant := find_value(one, series, measure.labels))]
    return Chosen(offer, measure, series, matchers_of(said, out), tuple(said), ())


def combined(question: Question, plan: MetricsPlan, chosen: Chosen, second: Chosen, *, is_share: bool) -> Question:
    """One measure by another, or less another, each narrowed by what it has labels for."""
    if plan.less:
        _check_units(chosen.measure, second.measure)
        # A condition on a label that both have holds for both, also where the second just now has no such value.
        second = replace(second, matchers=(*second.matchers, *_lacking(question.matchers, second)))
        is_share = is_share and chosen.measure.unit not in _SHARES
    shared = [one for one in question.matchers if one in second.matchers]
    first = _narrowed_to(chosen.measure, [one for one in question.matchers if one not in shared])
    other = _narrowed_to(second.measure, [one for one in second.matchers if one not in shared])
    if first.promql == other.promql:
        raise _of_itself(f"takes {first.title} away from itself" if plan.less else f"divides {first.title} by itself")
    labels = _labels_of_both(chosen, second)
    put = less if plan.less else per
    measure = put(replace(first, labels=labels), replace(other, labels=labels), is_share=is_share)
    measure = _for_so_many(measure, plan.per) if not is_share else measure
    if plan.less:
        _check_split(question.group_by, measure, second)
    kind = question.kind if question.kind in ("series", "ranking", "comparison", "extreme") else "value"
    return replace(
        question, measure=measure, kind=kind, matchers=tuple(shared), part=(),
        is_total=question.is_total and bool(measure.total),
        aggregation=None if question.aggregation == "sum" and not measure.total else question.aggregation,
        group_by=tuple(label for label in question.group_by if label in measure.labels),
    )  # fmt: skip


def _for_so_many(measure: Measure, words: str) -> Measure:
    """The measure for as many as the question says: rejects per 1,000 pieces."""
    said = _SO_MANY.match(words)
    count = int(said[1].replace(",", "")) if said else 1
    if count <= 1:
        return measure
    title = measure.title.replace(" per ", f" per {count:,} ", 1)
    return replace(measure, promql=f"({measure.promql}) * {count}", title=title)


def _lacking(matchers: Sequence[Matcher], second: Chosen) -> list[Matcher]:
    """The conditions on labels that a second measure has too, where it has none of its own on them."""
    own = {(one.label, one.negated) for one in second.matchers}
    return [one for one in matchers if one.label in second.measure.labels and (one.label, one.negated) not in own]


def _narrowed_to(measure: Measure, matchers: Sequence[Matcher]) -> Measure:
    """The measure with conditions that the other side has not, and says so."""
    told = ", ".join(f"{'not ' if one.negated else ''}{' or '.join(one.values)}" for one in matchers)
    return replace(narrowed(measure, matchers), title=f"{measure.title} ({told})") if told else measure


def _labels_of_both(first: Chosen, second: Chosen) -> frozenset[str]:
    """The labels by which two measures can be told apart alike; the hosts of one may be none of the other's."""
    found = set()
    for label in first.measure.labels & second.measure.labels:
        mine, theirs = (one.series.values.get(label, ()) for one in (first, second))
        if not (mine and theirs) or {*mine} & {*theirs}:
            found.add(label)
    return frozenset(found)


def _check_split(group_by: Sequence[str], measure: Measure, second: Chosen) -> None:
    """Raise InvalidQueryError where the one is split by what the other is not."""
    lacking = [label for label in group_by if label not in measure.labels]
    if lacking:
        listed = ", ".join(sorted(measure.labels)) or "nothing"
        raise InvalidQueryError(
            f"{upper(second.measure.title)} cannot be split by {lacking[0]} like what it is taken away from.",
            suggestion=f"Both can be split by: {listed}.",
        )


def _check_units(first: Measure, second: Measure) -> None:
    """Raise InvalidQueryError where the one cannot be taken from the other."""
    if (first.type == "counter") != (second.type == "counter"):
        level, events = (second, first) if first.type == "counter" else (first, second)
        raise InvalidQueryError(
            f"{upper(level.title)} says how much there is, and {events.title} counts what happens: neither can be "
            "taken away from the other.",
            suggestion="Name two measures of one kind.",
        )
    units = [_unit(one) for one in (first, second)]
    if units[0] != units[1]:
        raise InvalidQueryError(
            f"{upper(first.title)} is measured in {units[0] or 'a number of things'}, and {second.title} in "
            f"{units[1] or 'a number of things'}: neither can be taken away from the other.",
            suggestion="Name two measures of one unit.",
        )


def _unit(measure: Measure) -> str:
    """The unit of a measure, also one that only its name says: litres, euros."""
    unit = measure.unit.partition("/")[0].removeprefix("1")
    last = name_words(measure.name.removesuffix("_total"))[-1]
    return unit or (last if len(last) >= _UNIT_NAME and has_unit(last) else "")
