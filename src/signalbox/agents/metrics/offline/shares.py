"""Shares: which part of the whole is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.candidates import Meant, Values
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import count_beyond, fraction_of, measure_for, narrowed, per, time_beyond
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.figures import bound_in, read_bound
from signalbox.agents.metrics.offline.second_measure import pair_of
from signalbox.agents.metrics.offline.thresholds import is_above
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Measure, Slots
from signalbox.agents.metrics.vocabulary import LABEL_WORDS
from signalbox.language.synonyms import base

__all__ = ["counted_beyond", "share_of", "whole_of"]

_OUTCOMES = frozenset({*LABEL_WORDS["status"], *LABEL_WORDS["result"], *LABEL_WORDS["reason"]})
# In "what share of the checkout requests failed with 502" the part stands after the verb.
_WHOLE = re.compile(
    r"\b(?:share|percentage|percent|%|fraction|part|portion|proportion|much|many) of\b(?P<whole>.*?)"
    r"\b(?:is|are|was|were|be|been|came?|comes|go|goes|went|did|do|does|have|has|had|ends?|ended|fail(?:s|ed)?|get|gets|got"
    r"|took|takes?|used?|uses|made|makes|needed|needs?|that|which|who)\b(?P<part>.*)",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:on|at|in|from|for)\s+(?:the\s+|our\s+|an?\s+)?$", re.IGNORECASE)


async def share_of(
    slots: Slots, plan: MetricsPlan, said: Sequence[Meant], offer: Offer, values: Values, buckets: Sequence[str],
    text: str, live: Live,
) -> Slots:  # fmt: skip
    """Return the slots of a share: of what lies beyond a bound, of the part that is named, or of each group.

    Raises InvalidQueryError if nothing says which part is meant.
    """
    measure = slots.measure
    bound = read_bound(plan.bound) if plan.bound else None
    if bound is not None and measure.type in ("histogram", "gauge", "ratio"):
        value, usual = bound_in(bound, measure), "below" if measure.type == "histogram" else "above"
        above = is_above(plan if plan.side else plan.model_copy(update={"side": usual}), text, bound, slots)
        side = "above" if above else "below"
        if measure.type == "histogram":
            made = fraction_of(measure, value, buckets, above=above)
            made = replace(made, title=f"share of {measure.title} {side} {bound.said}")
        else:
            title = f"share of the time that {measure.title} was {side} {bound.said}"
            made = time_beyond(measure, value, title=title, above=above)
        return replace(slots, measure=made, shape="ranking" if slots.by else "value", is_current=False)
    if measure.type == "ratio" or slots.shape != "share":
        return slots
    if measure.type == "gauge" and (pair := await pair_of(offer, live, slots.time_range)):
        part, whole = [(await measure_for(one, live, slots.time_range))[0] for one in pair]
        return _of(slots, part, whole)
    parts = [one for one in said if any(not m.negated and m.label == one.label for m in slots.matchers)]
    excluded = tuple(one for one in slots.matchers if one.negated)
    if excluded and not slots.by:
        return replace(slots, matchers=tuple(one for one in slots.matchers if not one.negated), part=excluded)
    if slots.by and (not parts or {one.label for one in parts} <= {*slots.by}):
        return slots
    is_named = any(one.label in _OUTCOMES for one in parts) or bool(_behind(parts, text))
    if not is_named and (all_ := whole_of(offer, live)):
        return _of(slots, measure, (await measure_for(all_, live, slots.time_range))[0])
    if not parts or (measure.agg == "avg" and measure.type == "gauge"):
        raise InvalidQueryError(
            f"The question does not say which part of {measure.title} is meant.",
            suggestion="Name the part and the whole: what share of the requests failed.",
        )
    label = _part(parts, text)
    named = tuple(one for one in slots.matchers if one.label == label and not one.negated)
    if len(named[0].values) > 1 and {*named[0].values} >= {*values.values.get(label, ())}:
        raise InvalidQueryError(
            f"{' and '.join(named[0].values)} together are all of {measure.title}.",
            suggestion="Name one of them as the part.",
        )
    return replace(slots, matchers=tuple(one for one in slots.matchers if one not in named), part=named)


def counted_beyond(slots: Slots, plan: MetricsPlan, buckets: Sequence[str], text: str) -> Slots:
    """Return the slots of how many of what a histogram counts lie beyond a bound. Raises InvalidQueryError."""
    bound = read_bound(plan.bound) if plan.bound else None
    if bound is None:
        raise InvalidQueryError("The question does not say beyond which bound.", suggestion="Name it with its unit.")
    value = bound_in(bound, slots.measure)
    measure = count_beyond(slots.measure, value, buckets, above=is_above(plan, text, bound, slots))
    return replace(
        slots, measure=measure, shape="ranking" if slots.by else "value", how=None,
        is_total=not slots.is_current, is_rate=slots.is_current,
    )  # fmt: skip


def whole_of(offer: Offer, live: Live) -> Offer | None:
    """Return the one counter that a counter is a part of by its name: loads failed, of the loads."""
    words = {
        one.key: tuple(map(base, one.family.words))
        for one in (offer, *live.offers.values())
        if one.family and one.family.type == "counter"
    }
    own = words.pop(offer.key, ())
    found = [key for key, theirs in words.items() if {*theirs} < {*own}]
    found = found or [key for key, theirs in words.items() if theirs[:-1] == own[:-1]]
    return live.offers[found[0]] if len(found) == 1 and len(own) > 1 else None


def _part(parts: Sequence[Meant], text: str) -> str:
    """The label of the part, among all that is named."""
    placed = sorted(parts, key=lambda one: text.casefold().find(one.said.casefold()))
    placed = _behind(placed, text) or placed
    placed = [one for one in placed if one.label in _OUTCOMES] or placed
    inner = [one for one in placed if not _is_place(one, text)]
    return (inner or placed)[-1].label


def _behind(parts: Sequence[Meant], text: str) -> list[Meant]:
    """The parts behind the verb that do not say where: of the crates were glass, and not went to the cellar."""
    found = _WHOLE.search(text)
    told = found["part"].casefold() if found else ""
    return [one for one in parts if one.said.casefold() in told and not _is_place(one, text)]


def _is_place(one: Meant, text: str) -> bool:
    return bool(_WHERE.search(text[: max(text.casefold().find(one.said.casefold()), 0)]))


def _of(slots: Slots, part: Measure, whole: Measure) -> Slots:
    """One measure as a share of another; conditions that only one of them has narrow that one."""
    shared = tuple(one for one in slots.matchers if one.label in part.labels & whole.labels)
    rest = [one for one in slots.matchers if one not in shared]
    own = narrowed(part, [one for one in rest if one.label in part.labels])
    measure = per(own, whole, is_share=True)
    return replace(slots, measure=measure, matchers=shared, shape="ranking" if slots.by else "value", is_total=False)
