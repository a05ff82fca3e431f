"""Operations of several steps: how far they are, what is kept of the server, and what is tried again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.errors import RETRYABLE
from signalbox.agents.experiments.state import AgentState

__all__ = ["advance_step", "init_multi_step_operation", "should_retry_error", "update_experiment_cache"]

_MOST_RETRIES = 3


def init_multi_step_operation(state: AgentState, total_steps: int) -> AgentState:
    """Begin to count the steps of an operation."""
    state["step_counter"] = 0
    state["total_steps"] = total_steps
    state["step_results"] = []
    return state


def advance_step(state: AgentState, step_result: dict[str, Any]) -> AgentState:
    """Count a step, and keep what it gave."""
    state["step_counter"] = (state.get("step_counter") or 0) + 1
    state["step_results"] = [*(state.get("step_results") or []), step_result]
    return state


def update_experiment_cache(state: AgentState, experiment_data: Mapping[str, Any]) -> AgentState:
    """Keep what was read of an experiment: in place of what was known of it, or beside the others."""
    known = list(state.get("all_experiments") or [])
    places = {one["id"]: place for place, one in enumerate(known)}
    if experiment_data["id"] in places:
        known[places[experiment_data["id"]]] = dict(experiment_data)
    else:
        known.append(dict(experiment_data))
    state["all_experiments"] = known
    return state


def should_retry_error(error_type: str, retry_count: int) -> bool:
    """True if an error of this kind may pass, and was not met too often yet."""
    return retry_count < _MOST_RETRIES and error_type in RETRYABLE
