"""Thresholds: who was beyond a bound, how many were, for how long; and states, which are 1 or 0."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.agents.metrics.bounds import bound_in, measures_time, read_bound, read_duration
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import time_beyond
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.querying.asking import ask_at
from signalbox.agents.metrics.question import Question, Threshold
from signalbox.agents.metrics.state import ResultKind
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.vocabulary import FILLERS, NEGATES, base, text_words
from signalbox.agents.metrics.windows import seconds_of

__all__ = ["check_state", "of_state", "with_threshold"]

_ZERO = re.compile(r"\b(?:0|zero)\s+(?:if|while|when|means)\b", re.IGNORECASE)
_STATE = re.compile(r"\s*(?:1|one)\s+(?:if|while|when|means)\b", re.IGNORECASE)


def of_state(plan: MetricsPlan, text: str, offer: Offer) -> MetricsPlan:
    """The plan; of what is 1 or 0 it is asked which are in that state or are not, how many, or for how long."""
    told = offer.family.help if offer.family is not None else ""
    is_other = (
        plan.order or plan.top or plan.per or plan.less or plan.bound or plan.how not in (None, "total", "latest")
    )
    if is_other or not _STATE.match(told):
        return plan
    is_zero = _is_zero(text, told)
    is_figure = plan.kind in ("figure", None)
    counts_or_lasts = plan.scope == "count" or measures_time(plan.unit)
    # Of several that are not in the state so many are asked for: their sum says how many are in it.
    counts_zero = is_figure and is_zero and not plan.filters
    if not ((plan.kind == "ranking" and not plan.how) or (is_figure and counts_or_lasts) or counts_zero):
        return plan
    scope = plan.scope or ("count" if counts_zero and not counts_or_lasts else None)
    return plan.model_copy(update={"kind": "threshold", "side": "below" if is_zero else "above", "scope": scope})


def _is_zero(text: str, told: str) -> bool:
    """Whether a question speaks of what a state is while it is 0, by what its help text says of both."""
    one, *zero = _ZERO.split(told, maxsplit=1)
    only = {base(word) for part in zero for word, *_ in text_words(part)} - {base(word) for word, *_ in text_words(one)}
    # What the help text itself says of 1 turns nothing round: 1 while it is out of order.
    negates = NEGATES - {word for word, *_ in text_words(one)}
    return any(word in negates or (base(word) in only and word not in FILLERS) for word, *_ in text_words(text))


async def check_state(question: Question, live: Live) -> None:
    """Raise InvalidQueryError where no bound is named for what has more values than 0 and 1."""
    measure = question.measure
    if measure.type != "gauge" or len(measure.metrics) != 1:
        return
    selector = selector_text(measure.metrics[0], question.matchers)
    other = await ask_at(live.client, f"count(({selector} > 1) or ({selector} < 0))", question.time_range.end_time)
    if other.curves:
        raise InvalidQueryError(
            f"The question does not say which bound of {measure.title} is meant.",
            suggestion="Name the bound with its unit: below 20%, more than 5.",
        )


def with_threshold(question: Question, plan: MetricsPlan) -> Question:
    """The question with its bound; who was beyond it is judged thing by thing. Raises InvalidQueryError."""
    if plan.kind == "share" or not (plan.bound or plan.kind == "threshold"):
        return question
    bound = read_bound(plan.bound) if plan.bound else None
    if plan.bound and bound is None:
        raise InvalidQueryError(
            f'The bound "{plan.bound}" is no figure.', suggestion="Name it with its unit: 90%, 500 ms."
        )
    above = plan.side != "below"
    usual = 0.0 if question.measure.is_difference else 0.5
    value = bound_in(bound, unit_of_question(question), question.measure.title) if bound else usual
    if bound is None and not question.measure.unit and plan.side is None:
        # Of what is up those are beyond that are not; of targets down those that are.
        above = question.measure.title.lower().split()[-1:] not in (["up"], ["status"])
    if _asks_how_long(question, plan):
        return _lasting(question, value, above=above)
    threshold = Threshold(above, value, read_duration(plan.lasting) if plan.lasting else 0.0, plan.scope or "")
    if plan.kind != "threshold":
        return replace(question, threshold=threshold)
    things = question.group_by or tuple(sorted(_differing(question)))
    is_level = question.measure.type in ("gauge", "ratio") and question.measure.agg == "avg"
    if is_level and "rate(" not in question.measure.promql:
        # A mean of several would hide the one that is beyond: one disk of one host.
        things = tuple(dict.fromkeys((*things, *sorted(_differing(question)))))
    how = plan.how if plan.how in ("latest",) else None
    return replace(
        question, threshold=threshold, judges=True, group_by=things, aggregation=None, is_total=False,
        is_current=how == "latest" or question.is_current or _is_of_now(plan),
    )  # fmt: skip


def _asks_how_long(question: Question, plan: MetricsPlan) -> bool:
    """Whether a time is asked of what measures none: for how many minutes it was above the bound."""
    is_state = question.measure.type in ("gauge", "ratio") and not measures_time(unit_of_question(question))
    return plan.kind == "threshold" and is_state and measures_time(plan.unit)


def _lasting(question: Question, bound: float, *, above: bool) -> Question:
    """How long in all the measure was beyond the bound."""
    side = f"{'above' if above else 'below'} {bound:g}"
    title = f"time that {question.measure.title} was {side}"
    measure = time_beyond(question.measure, bound, title=title, above=above, seconds=seconds_of(question.time_range))
    kind: ResultKind = "ranking" if question.group_by else "value"
    return replace(question, measure=measure, kind=kind, aggregation=None, is_current=False, is_total=False)


def _is_of_now(plan: MetricsPlan) -> bool:
    return not plan.time and plan.scope != "any"


def _differing(question: Question) -> frozenset[str]:
    """The labels that tell the judged things apart: all that the measure has, but for those that one value pins."""
    pinned = {one.label for one in question.matchers if len(one.values) == 1 and not one.negated}
    return question.measure.labels - pinned
