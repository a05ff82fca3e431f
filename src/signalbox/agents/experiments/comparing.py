"""What is asked of an experiment against what is stored of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.bodies import payload_of
from signalbox.agents.experiments.drafts import Draft, draft_of
from signalbox.agents.experiments.finding import known_state

__all__ = ["differences", "lost_payloads", "plain", "written"]

_WEIGHT_DIGITS = 4
"""The server keeps weights in single precision."""


def differences(draft: Draft, experiment: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a draft says and an experiment has otherwise: `{field: {asked, stored}}`.

    A condition for which the draft says no payload may have any.
    """
    stored = draft_of(experiment)
    found = {}
    for name in Draft.__dataclass_fields__:
        asked, there = plain(name, getattr(draft, name)), plain(name, getattr(stored, name))
        if name == "conditions":
            there = _where_said(asked, there)
        if asked != there:
            found[name] = {"asked": asked, "stored": there}
    return found


def lost_payloads(draft: Draft, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The payloads that were there, that nobody asked to be changed, and that are not there any more."""
    conditions = {one["code"]: payload_of(one.get("payload")) for one in draft.conditions}
    places = {(one["site"], one["target"]) for one in draft.decision_points}
    there = {_payload_key(one): (one["type"], one["value"]) for one in after["payloads"]}
    lost = []
    for one in before["payloads"]:
        is_to_go = one["condition"] not in conditions or (one["site"], one["target"]) not in places
        asked = conditions.get(one["condition"])
        is_changed = asked is not None and (asked["type"], asked["value"]) != (one["type"], one["value"])
        if not is_to_go and not is_changed and there.get(_payload_key(one)) != (one["type"], one["value"]):
            lost.append(one)
    return lost


def written(draft: Draft, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, Any]:
    """What a write that stopped midway has done, by reading: the fields that are as asked, those that are as they
    were, those that are neither, and the payloads that it lost. `before` is None for a new experiment."""
    open_ends = differences(draft, after)
    asked = differences(draft, before) if before is not None else {name: {} for name in _said(draft)}
    is_new = before is None
    unchanged = {} if before is None else differences(draft_of(before), after)
    return {
        "experiment": {"id": after["id"], "name": after["name"]},
        "created": is_new,
        "changed": [name for name in asked if name not in open_ends],
        "not_changed": [name for name in asked if name in open_ends and (is_new or name not in unchanged)],
        "otherwise": [name for name in asked if name in open_ends and not is_new and name in unchanged],
        "differences": open_ends,
        "lost_payloads": lost_payloads(draft, before, after) if before is not None else [],
    }


def plain(name: str, value: Any) -> Any:
    """A field's value so that what means the same is the same."""
    if name == "status":
        return known_state(value)
    if name == "context":
        return str(value).casefold()
    if name == "conditions":
        return [_condition(one) for one in value]
    if name == "decision_points":
        kept = ("site", "target", "exclude_if_reached")
        return [{key: one.get(key) or False if key == kept[2] else one.get(key) for key in kept} for one in value]
    if name == "tags":
        return sorted(value)
    if name in ("include_users", "exclude_users"):
        return sorted({one.strip() for one in value})
    if name in ("include_groups", "exclude_groups"):
        return {kind: sorted({one.strip() for one in ids}) for kind, ids in sorted(value.items()) if ids}
    return value or None


def _condition(one: Mapping[str, Any]) -> dict[str, Any]:
    weight = round(float(one.get("weight") or 0), _WEIGHT_DIGITS)
    return {"code": one.get("code"), "weight": weight, "payload": payload_of(one.get("payload"))}


def _where_said(asked: list[dict[str, Any]], there: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is there, without the payloads of conditions for which none is asked."""
    silent = {one["code"] for one in asked if one["payload"] is None}
    return [{**one, "payload": None} if one["code"] in silent else one for one in there]


def _said(draft: Draft) -> list[str]:
    """The fields of a new experiment that are other than those of an empty one."""
    empty = Draft()
    return [name for name in Draft.__dataclass_fields__ if getattr(draft, name) != getattr(empty, name)]


def _payload_key(one: Mapping[str, Any]) -> tuple[str, str, str]:
    return one["condition"], one["site"], one["target"]
