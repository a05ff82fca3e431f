"""Shares: the part that a name is of the whole, what lies within a bound, one of a pair by the other."""

from __future__ import annotations

from dataclasses import replace

from signalbox.agents.metrics.bounds import bound_in, read_bound
from signalbox.agents.metrics.choosing import Chosen, measure_for
from signalbox.agents.metrics.conditions import upper
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import (
    fraction_of,
    narrowed,
    per,
    time_beyond,
)
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import is_whole_of, pair_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import ResultKind
from signalbox.agents.metrics.times import Moment
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.values import Meant
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, name_words, text_words

__all__ = ["as_ratio", "shared"]

_WHERE = frozenset({"on", "at", "from"})
_OUTCOMES = frozenset(LABEL_WORDS["status"])
_ARTICLES = frozenset({"the", "our", "a", "an"})


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
            whole = _sibling(chosen.offer, live)
            if whole is not None:
                return await _of(question, whole, live)
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


def _sibling(offer: Offer, live: Live) -> Offer | None:
    """The one other counter whose name is like an offer's but for its last word: texts failed, of the texts sent."""
    if offer.family is None or offer.family.type != "counter":
        return None
    counted = [one for one in live.index.offers if one.family and one.family.type == "counter" and one.key != offer.key]
    alike = [one for one in counted if one.family and one.family.words[:-1] == offer.family.words[:-1]]
    return alike[0] if len(alike) == 1 and len(offer.family.words) > 1 else None


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
