"""An experiment as this room speaks of it: one shape, whatever the server's release and whichever call gave it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from signalbox.settings import person_zone
from signalbox.upgrade.states import shown_state, stored_state

__all__ = ["brief", "id_of", "local_moment", "members_of", "read_experiment", "same_text"]


def read_experiment(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The experiment with names of ours; `state` is the stored spelling, `state_shown` the server's own.

    `{id, name, description, context, state, state_shown, version, created_at, updated_at, starts_at, assignment_unit,
    consistency_rule, group, post_rule, revert_to, filter_mode, type, algorithm, condition_order,
    factors: [{name, levels}], stratified_by, tags,
    conditions: [{id, code, weight, order, payload}], decision_points: [{id, site, target, exclude_if_reached, order}],
    payloads: [{id, condition, site, target, type, value}], include: {users, groups: [{type, id}], segments},
    exclude: {…}, revision}`; `revert_to` is a condition's code. A condition's `payload` is the one that it has at every
    decision point, None where it has none or several. `revision` changes with anything that was read.
    """
    state = _state(str(raw.get("state") or "inactive"))
    conditions = _conditions(raw)
    by_id = {condition["id"]: condition["code"] for condition in conditions}
    points = _points(raw)
    payloads = _payloads(raw, conditions, points)
    for condition in conditions:
        condition["payload"] = _payload_everywhere(condition, payloads, len(points))
    found = {
        "id": str(raw.get("id") or ""),
        "name": str(raw.get("name") or ""),
        "description": raw.get("description") or "",
        "context": _first(raw.get("context")),
        "state": state,
        "state_shown": shown_state(state),
        "version": raw.get("versionNumber"),
        "created_at": raw.get("createdAt"),
        "updated_at": raw.get("updatedAt"),
        "starts_at": raw.get("startOn"),
        "assignment_unit": raw.get("assignmentUnit"),
        "consistency_rule": raw.get("consistencyRule"),
        "group": raw.get("group"),
        "post_rule": raw.get("postExperimentRule"),
        "revert_to": by_id.get(str(raw.get("revertTo")), raw.get("revertTo")),
        "filter_mode": raw.get("filterMode"),
        "type": raw.get("type") or "Simple",
        "algorithm": raw.get("assignmentAlgorithm") or "random",
        "condition_order": raw.get("conditionOrder"),
        "factors": [
            {"name": one.get("name"), "levels": [str(level.get("name")) for level in one.get("levels") or []]}
            for one in raw.get("factors") or []
        ],
        "stratified_by": (raw.get("stratificationFactor") or {}).get("stratificationFactorName"),
        "tags": list(raw.get("tags") or []),
        "conditions": conditions,
        "decision_points": points,
        "payloads": payloads,
        "include": members_of(raw.get("experimentSegmentInclusion")),
        "exclude": members_of(raw.get("experimentSegmentExclusion")),
    }
    return {**found, "revision": _revision(found)}


def brief(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """What a list of experiments shows of one."""
    kept = (
        "id", "name", "context", "state", "state_shown", "type", "algorithm", "assignment_unit", "tags", "created_at",
        "updated_at",
    )  # fmt: skip
    return {key: experiment[key] for key in kept} | {
        "conditions": [condition["code"] for condition in experiment["conditions"]],
        "decision_points": [f"{point['site']} / {point['target']}" for point in experiment["decision_points"]],
    }


def members_of(lists: Any) -> dict[str, Any]:
    """Who stands in the lists of an experiment, in any of the shapes that releases have had for them."""
    users: list[str] = []
    groups: list[dict[str, str]] = []
    segments: list[str] = []
    for entry in lists if isinstance(lists, list) else [lists] if lists else []:
        held = entry.get("segment") or entry
        users += [str(one.get("userId")) for one in held.get("individualForSegment") or []]
        users += [str(one) for one in held.get("userIds") or []]
        for one in [*(held.get("groupForSegment") or []), *(held.get("groups") or [])]:
            groups.append({"type": str(one.get("type")), "id": str(one.get("groupId"))})
        segments += [str(one.get("id") or one.get("name")) for one in held.get("subSegments") or []]
        segments += [str(one) for one in held.get("subSegmentIds") or []]
    # The server gives them in no order of its own.
    groups.sort(key=lambda one: (one["type"], one["id"]))
    return {"users": sorted(users), "groups": groups, "segments": sorted(segments)}


def local_moment(told: Any) -> str:
    """A moment of the server in the person's zone: 2026-11-16 10:30."""
    try:
        return f"{datetime.fromisoformat(str(told)).astimezone(person_zone()):%Y-%m-%d %H:%M}"
    except ValueError:
        return "at an unknown time"


def same_text(one: str, other: str) -> bool:
    """True if two names are one but for case, plural, hyphens and spaces."""
    return _letters(one) == _letters(other)


def _letters(text: str) -> str:
    words = re.findall(r"[^\W_]+", text.casefold())
    return "".join(word.removesuffix("s") if len(word) > 3 else word for word in words).removesuffix("s")


def _state(name: str) -> str:
    try:
        return stored_state(name)
    except ValueError:
        return name


def _first(context: Any) -> str:
    return str(context[0]) if isinstance(context, list) and context else str(context or "")


def _conditions(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = [
        {
            "id": str(one.get("id") or ""),
            "code": str(one.get("conditionCode") or ""),
            "weight": one.get("assignmentWeight"),
            "order": one.get("order"),
        }
        for one in raw.get("conditions") or []
    ]
    return _in_order(found)


def _payloads(
    raw: Mapping[str, Any], conditions: Iterable[Mapping[str, Any]], points: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """What each condition gives at each decision point; only what belongs to both."""
    codes = {one["id"]: one["code"] for one in conditions}
    places = {one["id"]: (one["site"], one["target"]) for one in points}
    found = []
    for one in raw.get("conditionPayloads") or []:
        code = codes.get(str(id_of(one.get("parentCondition"))))
        place = places.get(str(id_of(one.get("decisionPoint"))))
        held = one.get("payload") or {}
        if code is not None and place is not None:
            named = {"id": str(one.get("id") or ""), "condition": code, "site": place[0], "target": place[1]}
            found.append({**named, "type": str(held.get("type") or "string"), "value": held.get("value")})
    return sorted(found, key=lambda one: (one["condition"], one["site"], one["target"], one["id"]))


def _payload_everywhere(
    condition: Mapping[str, Any], payloads: Iterable[Mapping[str, Any]], points: int
) -> dict[str, Any] | None:
    own = [one for one in payloads if one["condition"] == condition["code"]]
    kinds = {(one["type"], one["value"]) for one in own}
    if len(kinds) != 1 or len(own) < points:
        return None
    return {"type": own[0]["type"], "value": own[0]["value"]}


def _revision(experiment: Mapping[str, Any]) -> str:
    """A digest of everything that was read: the server's own version stays as it is when a list is added."""
    whole = json.dumps(experiment, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _points(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = [
        {
            "id": str(one.get("id") or ""),
            "site": str(one.get("site") or ""),
            "target": str(one.get("target") or ""),
            "exclude_if_reached": bool(one.get("excludeIfReached")),
            "order": one.get("order"),
        }
        for one in raw.get("partitions") or []
    ]
    return _in_order(found)


def _in_order(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda one: (one["order"] is None, one["order"] or 0))


def id_of(value: Any) -> Any:
    """The id of what an answer holds whole or names by its id."""
    return value.get("id") if isinstance(value, dict) else value
