"""What a conversation about metrics keeps: the state that a run begins with, and the question before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.plan import MetricsPlan, Request

__all__ = ["Before", "kept_plan", "question_before", "start_state"]


@dataclass(frozen=True, slots=True)
class Before:
    """The question before in a thread: its words, its plan, and what it was about."""

    text: str
    plan: MetricsPlan
    title: str


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
    return Before(str(said.get("text", "")), plan, str(said.get("title", "")))


def kept_plan(request: Request) -> MetricsPlan:
    """Return the plan as the next question takes it over: with exact names, and what was carried as its own."""
    plan = request.plan
    if not request.slots or request.slots[0].against is not None or request.slots[0].part:
        return plan
    first, is_carried = request.slots[0], bool(plan.carried or plan.carried_out or plan.carried_split)
    states = [one for one in plan.filters if "=" in one] if first.shape == "state" else []
    filters = [f"{one.label}={'|'.join(one.values)}" for one in first.matchers if not one.negated]
    excluded = [f"{one.label}={'|'.join(one.values)}" for one in first.matchers if one.negated]
    split = list(first.by) if is_carried and first.threshold is None else plan.split_by
    narrowed = [*dict.fromkeys((*filters, *states))] or plan.filters
    kept = {"filters": narrowed, "excluded": excluded or plan.excluded, "split_by": split}
    return plan.model_copy(update={**kept, "carried": [], "carried_out": [], "carried_split": []})
