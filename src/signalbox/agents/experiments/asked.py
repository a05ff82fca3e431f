"""The fields of a request as a node works on them: read now, gone on with from before, or completed by a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.names import listed, whole_words
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.weights import even, read_split, said_split
from signalbox.upgrade.states import stored_state

__all__ = ["STATUS_OF", "fields_of", "named_params", "said_params", "whole"]

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
_WHOLE = ("site", "target", "user_id", "named", "condition", "users", "groups", "conditions")
_WHICH = ("experiment", "named", "reference")
_PARAMS = {"user_id": "user_id", "num_users": "num_users", "site": "site", "target": "target", "concept": "concept"}


async def fields_of(state: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """What the request says, by the schema; of a request that waited, what is known of it with the reply in it."""
    pending = state.get("pending")
    if pending:
        return dict(pending["fields"])
    said = whole(
        await read(schema, state["user_input"], (), str(state["detected_capability"] or "")), state["user_input"]
    )
    before = state.get("previous") or {}
    if not state["params"].get("follows") or before.get("capability") != state["detected_capability"]:
        return said
    kept = dict(before.get("fields") or {})
    if any(key in said for key in _WHICH):
        kept = {key: value for key, value in kept.items() if key not in (*_WHICH, "experiment_id", "sure")}
    return {**kept, **said}


def whole(fields: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The fields with every name as whole words of the text: a reader may stop in the middle of one."""
    found = {
        key: whole_words(text, value) if key in _WHOLE and isinstance(value, str) else value
        for key, value in fields.items()
    }
    return {**found, **_point_of(found)}


def _point_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Site and target, where one of them holds both as they are written: `Checkout / payment`."""
    said = [str(fields[key]) for key in ("site", "target") if fields.get(key)]
    parts = [part.strip() for part in said[0].split("/")] if len(said) == 1 else []
    return {"site": parts[0], "target": parts[1]} if len(parts) == 2 and all(parts) else {}


def named_params(fields: Mapping[str, Any], **known: Any) -> dict[str, Any]:
    """The parameters under the names that the state shows, without those that were not said."""
    found = {name: fields.get(key) for key, name in _PARAMS.items()}
    return {name: value for name, value in {**found, **known}.items() if value not in (None, "", {}, [])}


def said_params(
    fields: Mapping[str, Any], text: str = "", conditions: Sequence[str] = (), **known: Any
) -> dict[str, Any]:
    """The parameters of a request that is not done yet, as far as they were said; it may mean these `conditions`."""
    action = str(fields.get("action") or "")
    name = fields.get("experiment_name") or fields.get("experiment") or fields.get("named")
    if action == "create":
        name = fields.get("new_name")
    status = STATUS_OF.get(action) or fields.get("status")
    users = listed(str(fields.get("users") or ""))
    return named_params(
        fields,
        **{
            "experiment_name": name,
            "context": fields.get("context"),
            "user_id": fields.get("user_id") or (users[0] if len(users) == 1 else None),
            "status": stored_state(str(status)) if status else None,
            "condition_weights": _weights(fields, text, action, conditions, str(name or "")),
            **known,
        },
    )


def _weights(
    fields: Mapping[str, Any], text: str, action: str, conditions: Sequence[str], name: str
) -> dict[str, float]:
    stretch = str(fields.get("weights") or fields.get("conditions") or "")
    if action in ("create", "change_weights"):
        stretch = ": ".join(str(fields[key]) for key in ("conditions", "weights") if fields.get(key))
        stretch = said_split(stretch, text, conditions, [name] if name else [])
    split = read_split(stretch, conditions)
    split = split if split.is_complete else read_split(stretch)
    weights = even(len(split.names)) if split.is_even else split.weights
    return dict(zip(split.names, weights, strict=True)) if len(split.names) == len(weights) else {}
