"""A question that continues the one before takes over what it leaves out."""

from __future__ import annotations

import re
from typing import Any

from signalbox.agents.metrics.conversation import Before
from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.offline.times import earlier, read_times
from signalbox.agents.metrics.plan import ORDERS, MetricsPlan, Moment
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, label_kind
from signalbox.language.synonyms import base

__all__ = ["continue_plan", "refers_back"]

_WHEN = re.compile(r"\W*(?:and\s+)?when\b", re.I)
_ONE = re.compile(r"\b(?:its|(?:that|this|the same) one|it(?!\s+takes?\b))\b", re.I)
_MANY = re.compile(r"\b(?:theirs?|them|they|those|these)\b", re.I)
_OF_KIND = ("how", "order", "side", "scope", "bound", "lasting", "top", "against", "per", "less", "also")
_OF_MEASURE = ("percentiles", "unit")
_NOT_CARRIED = ("health", "changes", "metrics", "things", "why")
_EVERY = re.compile(r"\b(?:all|every|each|any|whole|entire)\s+(?:of\s+)?(?:the\s+|our\s+)?(?P<kind>\w+)", re.I)
_OVERALL = re.compile(
    r"\b(?:overall|altogether|in total|everything|everywhere|whole|entire|all of (?:it|them))\b", re.I
)
_NO_SPLIT = re.compile(
    r"\b(?:not split|without (?:the )?(?:split|breakdown)|in total|altogether|summed|together|overall)\b", re.I
)


def continue_plan(plan: MetricsPlan, before: Before, text: str, moment: Moment) -> MetricsPlan:
    """Return the plan with the measure, conditions, split, time and kind of the one before, as far as it says nothing
    else. "For all services" drops a condition on a service, and "overall" drops every one."""
    old = before.plan
    is_new = bool(plan.measure or plan.named)
    taken: dict[str, Any] = {} if is_new else {"measure": old.measure, "named": old.named}
    taken["continues"] = True
    things = [] if plan.filters else _things_meant(before, text)
    if things:
        taken["filters"] = things
        if plan.kind is None and old.kind == "ranking":
            plan, old = plan.model_copy(update={"kind": "figure"}), old.model_copy(update={"top": None, "order": None})
    taken["carried"] = _still_meant([*old.filters, *old.carried], text)
    taken["carried_out"] = _still_meant([*old.excluded, *old.carried_out], text)
    taken["carried_split"] = [] if _NO_SPLIT.search(text) else [*old.split_by, *old.carried_split]
    taken["time"] = _moved(plan.time, old.time, moment) if plan.time else old.time
    if plan.kind is None and not is_new and _WHEN.match(text) and {old.how, old.order} & {*ORDERS}:
        return plan.model_copy(update={**taken, "kind": "extreme", "order": old.order or old.how})
    if is_new and old.bound:
        old = old.model_copy(update={"kind": None, "bound": "", "lasting": "", "side": None})  # It is of another unit.
    if plan.kind is None:
        taken["kind"] = old.kind if old.kind not in _NOT_CARRIED else None
        taken |= {name: getattr(plan, name) or getattr(old, name) for name in _OF_KIND}
    if not is_new:
        taken |= {name: getattr(plan, name) or getattr(old, name) for name in _OF_MEASURE}
    return plan.model_copy(update=taken)


def refers_back(plan: MetricsPlan, text: str) -> bool:
    """Return True if a question speaks of "it" or "them" and names no thing itself."""
    is_of_measure = bool(plan.measure) and plan.kind not in _NOT_CARRIED
    return is_of_measure and not (plan.filters or plan.excluded) and bool(_ONE.search(text) or _MANY.search(text))


def _things_meant(before: Before, text: str) -> list[str]:
    """What the answer before named, if the question speaks of it: one thing as it, several as they."""
    are_several = any("|" in one for one in before.things)
    return [*before.things] if (_MANY if are_several else _ONE).search(text) else []


def _still_meant(carried: list[str], text: str) -> list[str]:
    """The conditions that the question does not take back. Carried ones are written as label=value."""
    if _OVERALL.search(text):
        return []
    kinds = {one["kind"].lower() for one in _EVERY.finditer(text)}
    labels = {label for one in kinds if (kind := label_kind(one)) for label in LABEL_WORDS[kind]}
    names = {base(one) for one in kinds}
    return [one for one in carried if (label := one.partition("=")[0]) not in labels and base(label) not in names]


def _moved(phrase: str, before: str, moment: Moment) -> str:
    """A time that is said by its distance from the one before, as a range; any other as it is."""
    try:
        main = read_times(before, "", moment).main if before else None
    except InvalidTimeRangeError:
        return phrase
    moved = earlier(phrase, main) if main is not None else None
    return f"{moved.start.isoformat()}/{moved.end.isoformat()}" if moved is not None else phrase
