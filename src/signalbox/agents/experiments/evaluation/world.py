"""The server before and after a conversation, and what is other than it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.finding import is_clone
from signalbox.agents.experiments.shape import read_experiment

__all__ = ["FIELDS", "changes_between", "look"]

FIELDS = (
    "name",
    "context",
    "state",
    "conditions",
    "decision_points",
    "unit",
    "group",
    "consistency_rule",
    "post_rule",
    "revert_to",
    "filter_mode",
    "description",
    "tags",
    "include_users",
    "include_groups",
    "exclude_users",
    "exclude_groups",
    "enrolled",
)
"""What a case may expect of an experiment."""
World = dict[str, dict[str, Any]]


async def look() -> World:
    """Every experiment of the server by its id, in the words of a case; a clone that is left behind is one too many."""
    client = current_client()
    found = await client.experiments()
    enrolled = {one["id"]: int(one.get("users") or 0) for one in await client.enrollment([one["id"] for one in found])}
    return {
        str(raw["id"]): {**_plain(read_experiment(raw)), "enrolled": enrolled.get(raw["id"], 0), "clone": is_clone(raw)}
        for raw in found
    }


def changes_between(before: World, after: World) -> dict[str, Any]:
    """By the name that an experiment had: `deleted`, or the fields that are other now; of a new one all, with `new`."""
    found: dict[str, Any] = {}
    for own, was in before.items():
        if own not in after:
            found[str(was["name"])] = "deleted"
        elif changed := {key: value for key, value in after[own].items() if value != was[key]}:
            found[str(was["name"])] = changed
    for own, now_there in after.items():
        if own not in before:
            found[str(now_there["name"])] = {"new": True, **now_there}
    return found


def _plain(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": one["name"],
        "context": one["context"],
        "state": one["state"],
        "conditions": {arm["code"]: float(arm["weight"] or 0) for arm in one["conditions"]},
        "decision_points": [f"{point['site']} / {point['target']}" for point in one["decision_points"]],
        "unit": one["assignment_unit"],
        "group": one["group"],
        "consistency_rule": one["consistency_rule"],
        "post_rule": one["post_rule"],
        "revert_to": one["revert_to"],
        "filter_mode": one["filter_mode"],
        "description": one["description"],
        "tags": list(one["tags"]),
        **{f"{kind}_users": list(one[kind]["users"]) for kind in ("include", "exclude")},
        **{f"{kind}_groups": _by_type(one[kind]["groups"]) for kind in ("include", "exclude")},
    }


def _by_type(groups: list[dict[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in groups:
        found.setdefault(one["type"], []).append(one["id"])
    return found
