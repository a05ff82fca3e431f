"""The state that a run begins with: the request, and what the turn before left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.state import DEFAULTS, NodeStatus, complete

__all__ = ["REMEMBERED", "start_state"]

REMEMBERED = (
    "conversation_history",
    "current_experiment_id",
    "current_user_id",
    "active_context",
    "user_groups",
    "shown",
    "previous",
    "told",
    "raw_api_responses",
)
"""What the next turn of a conversation is given."""


def start_state(request: str, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A complete state for the request, with what is remembered of the turn before."""
    kept = {key: value for key, value in (before or {}).items() if key in REMEMBERED and value is not None}
    fitting = {key: value for key, value in kept.items() if _fits(DEFAULTS[key], value)}
    return complete({**fitting, "user_input": request, "node_status": NodeStatus.SUCCESS})


def _fits(default: Any, value: Any) -> bool:
    return default is None or isinstance(value, type(default))
