"""Pairs of gauges: how much there is of something, and how much there may or should be of it at most."""

from __future__ import annotations

from dataclasses import dataclass, replace

from signalbox.agents.metrics.choosing import measure_for
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import selector_template
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import SIDES, MetricsPlan
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import ResultKind, TimeRange
from signalbox.agents.metrics.vocabulary import GOALS, LEFT, PORTIONS, RESTS, STORES, base, name_words, text_words

__all__ = [
    "Pair",
    "asks_for_rest",
    "beyond_goal",
    "is_goal",
    "is_whole_of",
    "pair_of",
    "pair_of_goal",
    "rests_in",
    "side_of_goal",
]

_NO_THINGS = frozenset({"job", "instance"})
_NEAR = 3
_SIDES = {side: {base(word) for word, *_ in text_words(told)} for side, told in SIDES.items()}
"""The words by which the plan's own schema tells the two sides apart."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What there is, and what there may or should be."""

    part: Offer
    whole: Offer


def is_goal(name: str) -> bool:
    """Whether a measure says by its name how much there may or should be."""
    return bool(GOALS & _words(name))


async def pair_of(offer: Offer, live: Live, within: TimeRange) -> Pair | None:
    """The pair that a gauge is one half of: the other has the same name but for the words that make it a half."""
    mine, _ = await measure_for(offer, live, within)
    if mine.type != "gauge" or len(mine.metrics) > 1:
        return None
    near = [one for one in live.index.offers if one.family and not one.recipe and one.family.type == "gauge"]
    found = [(shared, one) for one in near if (shared := _kinship(_words(mine.name), _words(one.key)))]
    for shared, other in sorted(found, key=lambda one: -one[0]):
        pair = Pair(other, offer) if is_whole_of(mine.name, other.key) else Pair(offer, other)
        (part, _), (whole, _) = [await measure_for(one, live, within) for one in (pair.part, pair.whole)]
        # One word in common says little: then it must be of the very same things.
        things = part.labels - _NO_THINGS, whole.labels - _NO_THINGS
        if things[0] == things[1] or (shared >= 2 and things[1] <= things[0]):
            return pair
    return None


async def pair_of_goal(offer: Offer, live: Live, within: TimeRange) -> Pair | None:
    """The pair of a goal that a question names: as `pair_of` has it, or with the one other gauge of the very same
    things whose name begins like it, as stock stands beside a reorder point."""
    pair = await pair_of(offer, live, within)
    if pair is not None or not is_goal(offer.key):
        return pair
    mine, _ = await measure_for(offer, live, within)
    found = []
    for one in live.index.offers:
        is_like = one.family and not one.recipe and name_words(one.key)[:1] == name_words(mine.name)[:1]
        if not is_like or one.key == offer.key or is_goal(one.key):
            continue
        other, _ = await measure_for(one, live, within)
        if other.type == "gauge" and other.labels - _NO_THINGS == mine.labels - _NO_THINGS:
            found.append(one)
    return Pair(found[0], offer) if len(found) == 1 else None


def _words(name: str) -> set[str]:
    return {base(word) for word in name_words(name)}


def _kinship(own: set[str], theirs: set[str]) -> float:
    """How many words two names share, if the others make them halves of a pair; 0 where they do not."""
    mine, other = own - theirs, theirs - own
    is_goal = any(more and more <= GOALS for more in (mine, other))
    # Spaces taken are a part of the spaces: the same name with a word less.
    is_portion = (not other and len(mine) == 1) or (not mine and other <= PORTIONS)
    is_pair = (is_goal or is_portion) and bool(own & theirs) and own != theirs
    return len(own & theirs) - 0.1 * len(mine | other) if is_pair else 0.0


def is_whole_of(name: str, other: str) -> bool:
    """Whether of two measures the first says by its name how much there may be of the second."""
    own, theirs = _words(name), _words(other)
    return bool(GOALS & (own - theirs)) or (not GOALS & (theirs - own) and bool(PORTIONS & (theirs - own)))


def asks_for_rest(plan: MetricsPlan, text: str, pair: Pair, chosen: Offer) -> bool:
    """Whether what is lacking is asked for, and neither half is by itself what is left; or what is left of the half
    that there may be: of a stock, what is left is the stock."""
    if (
        pair.part.recipe
        or plan.also
        or plan.percentiles
        or plan.bound
        or plan.kind not in ("figure", "ranking", "curve", None)
    ):
        return False
    told = " ".join(one.family.help for one in (pair.part, pair.whole) if one.family)
    known = {base(word) for word, *_ in text_words(told)} | _words(pair.part.key) | _words(pair.whole.key)
    is_stock = chosen == pair.part and bool(STORES & _words(pair.whole.key))
    said = [word for word in rests_in(text) if not is_stock or word not in LEFT]
    return any(base(word) not in known for word in said)


def rests_in(text: str) -> list[str]:
    """The words of a text for what is lacking, or left; more than is none."""
    said = [word for word, *_ in text_words(text)]
    return [word for word, after in zip(said, [*said[1:], ""], strict=True) if word in RESTS and after != "than"]


def side_of_goal(plan: MetricsPlan, text: str) -> str:
    """The side of a goal that is asked for, where a question names the goal itself as its bound: under their limit."""
    if plan.bound or plan.per or plan.less or plan.kind not in ("threshold", "ranking", "figure", None):
        return ""
    said = [base(word) for word, *_ in text_words(text)]
    for side, words in _SIDES.items():
        for at, word in enumerate(said):
            if word in words and GOALS & {*said[at + 1 : at + 2 + _NEAR]}:
                return side
    return ""


async def beyond_goal(question: Question, pair: Pair, side: str, live: Live, *, lasting: float) -> Question:
    """The question for what is beyond its own goal, thing by thing; with the seconds of a range, how long it was."""
    (part, _), (whole, _) = [await measure_for(one, live, question.time_range) for one in (pair.part, pair.whole)]
    on = ", ".join(sorted(whole.labels & part.labels))
    sign = "<" if side == "below" else ">"
    title = f"{part.title} {side} {whole.title}"
    beside = f"on ({on}) group_left () {selector_template(whole.name)}"
    kept = tuple(one for one in question.matchers if one.label in whole.labels & part.labels)
    group_by = question.group_by or tuple(sorted(part.labels - {one.label for one in kept if len(one.values) == 1}))
    measure = replace(
        part, title=title, metrics=(part.name, whole.name),
        promql=f"$agg by ($by) ({selector_template(part.name)} {sign} {beside})",
    )  # fmt: skip
    if lasting:
        promql = f"max by ($by) ({selector_template(part.name)} {sign} bool {beside}) * {lasting:.10g}"
        measure = replace(measure, title=f"time of {title}", promql=promql, unit="seconds", agg="avg")
    kind: ResultKind = "value" if lasting and not question.group_by else "ranking"
    return replace(
        question, measure=measure, matchers=kept, kind=kind, is_total=False, aggregation=None,
        group_by=question.group_by if lasting else group_by, is_current=not lasting and question.is_current,
    )  # fmt: skip
