"""What a request says under the names that the state and evaluations show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.shares import even, split_of
from signalbox.upgrade.states import stored_state

__all__ = ["STATUS_OF", "named_params", "said_params"]

STATUS_OF = {
    "start": "enrolling",
    "stop": "enrollmentComplete",
    "preview": "preview",
    "schedule": "scheduled",
    "cancel": "cancelled",
    "archive": "archived",
    "deactivate": "inactive",
}
"""The state that an action means."""
_SAME = ("user_id", "num_users", "site", "target", "concept", "groups", "context")


def named_params(fields: Mapping[str, Any], **known: Any) -> dict[str, Any]:
    """The parameters under the names that the state shows, without those that were not said."""
    found = {name: fields.get(name) for name in _SAME}
    return {name: value for name, value in {**found, **known}.items() if value not in (None, "", {}, [])}


def said_params(fields: Mapping[str, Any], **known: Any) -> dict[str, Any]:
    """The parameters of a request that is not done yet, as far as they were said."""
    action = str(fields.get("action") or "")
    name = fields.get("experiment_name") or (fields.get("which") or {}).get("words")
    status = STATUS_OF.get(action) or fields.get("status")
    users = list(fields.get("users") or [])
    return named_params(
        fields,
        **{
            "experiment_name": fields.get("new_name") if action == "create" else name,
            "user_id": fields.get("user_id") or (users[0] if len(users) == 1 else None),
            "status": stored_state(str(status)) if status else None,
            "condition_weights": _weights(fields),
            **known,
        },
    )


def _weights(fields: Mapping[str, Any]) -> dict[str, float]:
    split = split_of(fields)
    weights = even(len(split.names)) if split.is_even else split.weights
    return dict(zip(split.names, weights, strict=True)) if len(split.names) == len(weights) else {}
