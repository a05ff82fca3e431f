"""Shares: which part of the whole is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.candidates import Meant, Values
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.measures import fraction_of, time_beyond
from signalbox.agents.metrics.offline.figures import bound_in, read_bound
from signalbox.agents.metrics.offline.thresholds import is_above
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Slots
from signalbox.agents.metrics.vocabulary import LABEL_WORDS

__all__ = ["share_of"]

_OUTCOMES = frozenset({*LABEL_WORDS["status"], *LABEL_WORDS["result"], *LABEL_WORDS["reason"]})
# In "what share of the checkout requests failed with 502" the part stands after the verb.
_WHOLE = re.compile(
    r"\b(?:share|percentage|percent|%|fraction|part|portion|proportion|much|many) of\b(?P<whole>.*?)"
    r"\b(?:is|are|was|were|be|been|came?|comes|go|goes|went|did|do|does|have|has|had|ends?|ended|fail(?:s|ed)?|get|gets|got"
    r"|took|takes?|used?|uses|made|makes|needed|needs?|that|which|who)\b(?P<part>.*)",
    re.IGNORECASE,
)
# The share of A in all of B.
_OF_IN = re.compile(
    r"\b(?:share|percentage|percent|%|fraction|part|portion|proportion) of\b(?P<part>.*?)"
    r"\b(?:in|of|among|amongst|within)\s+(?:all|every\w*|(?:the\s+)?(?:total|whole)|whatever|what)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:on|at|in|from|for)\s+(?:the\s+|our\s+|an?\s+)?$", re.IGNORECASE)


def share_of(
    slots: Slots, plan: MetricsPlan, said: Sequence[Meant], values: Values, buckets: Sequence[str], text: str
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
    parts = [one for one in said if any(not m.negated and m.label == one.label for m in slots.matchers)]
    excluded = tuple(one for one in slots.matchers if one.negated)
    if excluded and not slots.by:
        return replace(slots, matchers=tuple(one for one in slots.matchers if not one.negated), part=excluded)
    if slots.by and (not parts or {one.label for one in parts} <= {*slots.by}):
        return slots
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


def _part(parts: Sequence[Meant], text: str) -> str:
    """The label of the part, among all that is named."""
    placed = sorted(parts, key=lambda one: text.casefold().find(one.said.casefold()))
    if (told := _OF_IN.search(text)) and (own := [one for one in placed if _stands_in(one, told["part"])]):
        return own[-1].label
    placed = _behind(placed, text) or placed
    placed = [one for one in placed if one.label in _OUTCOMES] or placed
    inner = [one for one in placed if not _is_place(one, text)]
    return (inner or placed)[-1].label


def _behind(parts: Sequence[Meant], text: str) -> list[Meant]:
    """The parts behind the verb that do not say where: of the crates were glass, and not went to the cellar."""
    found = _WHOLE.search(text)
    told = found["part"] if found else ""
    return [one for one in parts if _stands_in(one, told) and not _is_place(one, text)]


def _stands_in(one: Meant, words: str) -> bool:
    return one.said.casefold() in words.casefold()


def _is_place(one: Meant, text: str) -> bool:
    return bool(_WHERE.search(text[: max(text.casefold().find(one.said.casefold()), 0)]))
