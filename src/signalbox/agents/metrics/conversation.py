"""The state that a run begins with, and how a question that leans on the one before takes over what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.times import Moment, earlier, read_times

__all__ = ["Before", "continued", "question_before", "start_state"]

_OF_KIND = ("how", "order", "side", "scope", "bound", "lasting", "top", "against", "per", "less", "also")
_OF_MEASURE = ("percentiles", "unit")


class Before:
    """The question before in a thread: its words, its plan, and what it was about."""

    def __init__(self, text: str, plan: MetricsPlan, title: str) -> None:
        self.text, self.plan, self.title = text, plan, title


def start_state(request: str, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The state that the contract starts with, and what was asked before in this thread."""
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
    """The question that `asked` held, if it can still be read; what cannot is left out."""
    if not isinstance(said, Mapping) or not isinstance(said.get("plan"), Mapping):
        return None
    try:
        plan = MetricsPlan.model_validate(said["plan"])
    except (ValidationError, InvalidTimeRangeError):
        return None
    return Before(str(said.get("text", "")), plan, str(said.get("title", "")))


def continued(plan: MetricsPlan, before: Before, moment: Moment) -> MetricsPlan:
    """The plan with what it leaves out taken from the one before: its measure, conditions, grouping, range and kind."""
    old = before.plan
    is_new = bool(plan.measure or plan.named)
    taken: dict[str, Any] = {} if is_new else {"measure": old.measure, "named": old.named}
    taken["carried"] = [*old.filters, *old.carried]
    taken["carried_out"] = [*old.excluded, *old.carried_out]
    taken["carried_split"] = [*old.split_by, *old.carried_split]
    taken["time"] = _moved(plan.time, old.time, moment) if plan.time else old.time
    if plan.kind is None:
        taken["kind"] = old.kind if old.kind not in ("health", "changes", "metrics", "things", "why") else None
        for name in _OF_KIND:
            taken[name] = getattr(plan, name) or getattr(old, name)
    for name in _OF_MEASURE if not is_new else ():
        taken[name] = getattr(plan, name) or getattr(old, name)
    return plan.model_copy(update=taken)


def _moved(phrase: str, before: str, moment: Moment) -> str:
    """A time that is said by its distance from the one before, as a range; any other as it is."""
    if not before:
        return phrase
    try:
        main = read_times(before, "", moment.now, moment.zone).main
    except InvalidTimeRangeError:
        return phrase
    moved = earlier(phrase, main) if main is not None else None
    return f"{moved.start.isoformat()}/{moved.end.isoformat()}" if moved is not None else phrase
