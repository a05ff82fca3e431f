"""What a conversation about metrics keeps: the state that a run begins with, and the question before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.plan import MetricsPlan, Request
from signalbox.agents.metrics.state import MetricsQueryResult
from signalbox.agents.metrics.states import STATE_LABELS

__all__ = ["Before", "kept_plan", "named_things", "question_before", "start_state"]


@dataclass(frozen=True, slots=True)
class Before:
    """The question before in a thread: its words, its plan, and what it was about."""

    text: str
    plan: MetricsPlan
    title: str
    things: tuple[str, ...] = ()
    """What the answer named, as label=value."""


def start_state(request: str, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the state that the contract starts with, and what was asked before in this thread."""
    state: dict[str, Any] = {
        "user_query": request,
        "parsed_query": None,
        "result": None,
        "error": None,
        "processing_time_ms": 0.0,
    }
    asked = (before or {}).get("asked")
    return {**state, "previous": asked} if asked is not None else state


def question_before(said: Any) -> Before | None:
    """Return the question that `asked` of the turn before held; None if there was none or it cannot be read."""
    if not isinstance(said, Mapping) or not isinstance(said.get("plan"), Mapping):
        return None
    try:
        plan = MetricsPlan.model_validate(said["plan"])
    except (ValidationError, InvalidTimeRangeError):
        return None
    things = said.get("things")
    named = tuple(map(str, things)) if isinstance(things, list | tuple) else ()
    return Before(str(said.get("text", "")), plan, str(said.get("title", "")), named)


def named_things(request: Request, result: MetricsQueryResult) -> list[str]:
    """Return what an answer named, as label=value: the first of a ranking, or all in a state or beyond a bound."""
    if len(request.slots) != 1 or not result.ranking:
        return []
    slots = request.slots[0]
    is_judged = slots.threshold is not None or slots.shape == "state"
    named = [one.labels for one in result.ranking[: None if is_judged else slots.top or 1]]
    labels = [one for one in named[0] if one not in ("__name__", "job", *STATE_LABELS)]
    if len(named) > 1 and len(labels) > 1:
        return []
    return [f"{label}={'|'.join(one.get(label, '') for one in named)}" for label in labels]


def kept_plan(request: Request) -> MetricsPlan:
    """Return the plan as the next question takes it over: with exact names, and what was carried as its own."""
    plan = request.plan
    if not request.slots or request.slots[0].part:
        return plan
    first, is_carried = request.slots[0], bool(plan.carried or plan.carried_out or plan.carried_split)
    if first.against is not None and first.against.matchers is None:
        return plan
    states = [one for one in plan.filters if "=" in one] if first.shape == "state" else []
    sides = (*first.matchers, *(first.other_side().matchers if first.against else ()))
    filters = [f"{one.label}={'|'.join(one.values)}" for one in sides if not one.negated]
    excluded = [f"{one.label}={'|'.join(one.values)}" for one in first.matchers if one.negated]
    split = list(first.by) if is_carried and first.threshold is None else plan.split_by
    narrowed = [*dict.fromkeys((*filters, *states))] or plan.filters
    kept = {"filters": narrowed, "excluded": excluded or plan.excluded, "split_by": split}
    also = "" if first.against is not None else plan.also  # The other side may have been taken for a measure.
    return plan.model_copy(update={**kept, "also": also, "carried": [], "carried_out": [], "carried_split": []})
