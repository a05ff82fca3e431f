"""The state of the experiment agent: the contract's keys, and below them the ones that this room adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Any, get_origin, get_type_hints

from typing_extensions import TypedDict

__all__ = ["DEFAULTS", "REMEMBERED", "AgentState", "NodeStatus", "closed_turn", "complete", "start_state"]


class NodeStatus(Enum):
    """How a node ended."""

    SUCCESS = "success"
    ERROR = "error"
    RETRY = "retry"
    INCOMPLETE = "incomplete"


class AgentState(TypedDict, total=False):
    """What a conversation about experiments holds."""

    # The person and the agent
    user_input: str
    bot_response: str
    conversation_history: list[dict[str, str]]
    # Where it goes
    detected_capability: str | None
    routing_confidence: float | None
    needs_clarification: bool
    clarification_options: list[str] | None
    # What is spoken of
    current_experiment_id: str | None
    current_user_id: str | None
    active_context: str | None
    operation_type: str | None
    # What was read of the server
    context_metadata: dict[str, Any] | None
    all_experiments: list[dict[str, Any]] | None
    experiment_details: dict[str, Any] | None
    # Operations of several steps
    step_counter: int
    total_steps: int | None
    step_results: list[dict[str, Any]]
    pending_confirmations: list[str]
    # Errors
    last_error: str | None
    error_type: str | None
    retry_count: int
    max_retries: int
    node_status: NodeStatus
    # What the tools gave
    tool_results: list[dict[str, Any]]
    raw_api_responses: list[dict[str, Any]]

    # Added by this room
    fields: dict[str, Any]
    """What the request says, in the terms of the server: see `reader.py`."""
    params: dict[str, Any]
    """What was read of the request, under the names that facts and evaluations use."""
    previous: dict[str, Any] | None
    """The request before: its capability and parameters, for one that goes on with it."""
    shown: list[dict[str, str]]
    """The experiments that were shown last, in their order: id and name."""
    user_groups: dict[str, list[str]]
    """The groups of the user that is spoken of, as they were said."""
    pending: dict[str, Any] | None
    """A request that waits for the person: its capability, what is known of it, and what was asked."""
    question: dict[str, Any] | None
    """What the person is asked next."""
    wants_raw: bool
    told: str
    """The answer in few words, for the reading of what is said next."""
    blocks: list[dict[str, Any]]
    source: dict[str, str] | None
    not_covered: list[str]
    error: dict[str, str] | None
    written: dict[str, Any] | None
    """What a write that stopped midway has stored and what not: see `comparing.written`."""
    notice: str
    """What is told before the answer: of a question that was dropped, and of a name that was taken for another."""
    loop: dict[str, Any] | None
    """What a capable model was asked and has replied, with which the node of the capability goes on: see
    `experiment_loop`."""
    model_error: dict[str, str] | None
    """The fault of a capable model after something had been found or changed."""


def _empty(hint: Any) -> Any:
    """What a key holds before anything is said: nothing, where its type allows that, else an empty one."""
    return None if get_origin(hint) is UnionType else (get_origin(hint) or hint)()


_TYPES = {key: hint for key, hint in get_type_hints(AgentState).items() if hint is not NodeStatus}
DEFAULTS: Mapping[str, Any] = {
    **{key: _empty(hint) for key, hint in _TYPES.items()},
    "node_status": NodeStatus.SUCCESS,
    "max_retries": 3,
}
"""A value for every key, so that no node meets a state that lacks one."""


def complete(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state with a value for every key; containers are the state's own or fresh ones."""
    fresh = {key: value.copy() if isinstance(value, list | dict) else value for key, value in DEFAULTS.items()}
    return {**fresh, **{key: value for key, value in state.items() if value is not None or DEFAULTS.get(key) is None}}


def closed_turn(history: Sequence[Mapping[str, str]], answer: str) -> list[dict[str, str]]:
    """The conversation with an answer to what was said last."""
    if not history or history[-1].get("bot"):
        return [*map(dict, history), {"user": "", "bot": answer}]
    return [*map(dict, history[:-1]), {**history[-1], "bot": answer}]


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
