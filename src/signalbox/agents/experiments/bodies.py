"""Drafts as the bodies that UpGrade's REST API takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments.drafts import Draft
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.upgrade.states import stored_state

__all__ = ["created_body", "lists_of", "missing_members", "updated_body"]


def created_body(draft: Draft) -> dict[str, Any]:
    """The body of POST /experiments. The state is the first one: the server is moved to another afterwards, so that
    everything which a move does is done."""
    return {
        "name": draft.name,
        "description": draft.description,
        "context": [draft.context],
        "state": "inactive",
        "type": "Simple",
        "assignmentUnit": draft.assignment_unit,
        "consistencyRule": draft.consistency_rule,
        "assignmentAlgorithm": "random",
        "postExperimentRule": draft.post_rule,
        "filterMode": draft.filter_mode,
        "tags": list(draft.tags),
        "group": draft.group,
        "conditions": [_condition(one, order) for order, one in enumerate(draft.conditions, 1)],
        "partitions": [_partition(one, order) for order, one in enumerate(draft.decision_points, 1)],
        "experimentSegmentInclusion": lists_of(draft.context, draft.include_users, draft.include_groups),
        "experimentSegmentExclusion": lists_of(draft.context, draft.exclude_users, draft.exclude_groups),
        "queries": [],
        "conditionPayloads": [],
        "factors": [],
    }


def updated_body(raw: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """The body of PUT /experiments/:id: the whole experiment as it was read, with what the draft says otherwise."""
    conditions = {str(one.get("conditionCode")): one for one in raw.get("conditions") or []}
    points = {(one.get("site"), one.get("target")): one for one in raw.get("partitions") or []}
    body = dict(raw) | {
        "name": draft.name,
        "description": draft.description,
        "context": [draft.context],
        "state": stored_state(str(raw.get("state") or "inactive")),
        "assignmentUnit": draft.assignment_unit,
        "consistencyRule": draft.consistency_rule,
        "postExperimentRule": draft.post_rule,
        "filterMode": draft.filter_mode,
        "tags": list(draft.tags),
        "group": draft.group,
        "conditions": [
            {**conditions.get(str(one.get("code")), {}), **_condition(one, order, conditions.get(str(one.get("code"))))}
            for order, one in enumerate(draft.conditions, 1)
        ],
        "partitions": [
            {
                **points.get((one.get("site"), one.get("target")), {}),
                **_partition(one, order, points.get((one.get("site"), one.get("target")))),
            }
            for order, one in enumerate(draft.decision_points, 1)
        ],
    }
    chosen = next((one["id"] for one in body["conditions"] if one["conditionCode"] == draft.revert_to), None)
    body["revertTo"] = chosen if draft.post_rule == "assign" else None
    body["conditionPayloads"] = _payloads(draft, body) or list(raw.get("conditionPayloads") or [])
    for key in ("factors", "queries"):
        body.setdefault(key, [])
    return body


def lists_of(context: str, users: list[str], groups: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """One list a type of members: a list that mixes them is kept by the server, and hidden from who reads it."""
    found = [_segment(context, [{"userId": user} for user in users], [])] if users else []
    for kind, ids in groups.items():
        if ids:
            found.append(_segment(context, [], [{"groupId": one, "type": kind} for one in ids]))
    return found


def missing_members(draft: Draft, before: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What is to be added to the lists: `[(inclusion|exclusion, list)]`; raises where somebody is to be taken off."""
    found: list[tuple[str, dict[str, Any]]] = []
    for kind, users, groups in (
        ("inclusion", draft.include_users, draft.include_groups),
        ("exclusion", draft.exclude_users, draft.exclude_groups),
    ):
        there = before["include" if kind == "inclusion" else "exclude"]
        had = {
            one["type"]: [two["id"] for two in there["groups"] if two["type"] == one["type"]] for one in there["groups"]
        }
        gone = set(there["users"]) - set(users) | {
            one for type_, ids in had.items() for one in set(ids) - set(groups.get(type_, []))
        }
        if gone:
            raise UpgradeError(
                f"Members cannot be taken off the {kind} list here: {', '.join(sorted(gone))}.",
                "validation",
                suggestion="Take them off in UpGrade's own page.",
            )
        new = [user for user in users if user not in there["users"]]
        if new:
            found.append((kind, _list(draft.context, kind, "individual", new, [])))
        for type_, ids in groups.items():
            added = [{"groupId": one, "type": type_} for one in ids if one not in had.get(type_, [])]
            if added:
                found.append((kind, _list(draft.context, kind, type_, [], added)))
    return found


def _condition(one: Mapping[str, Any], order: int, there: Mapping[str, Any] | None = None) -> dict[str, Any]:
    own = str(there["id"]) if there else str(uuid4())
    return {"id": own, "conditionCode": one["code"], "assignmentWeight": one["weight"], "order": order}


def _partition(one: Mapping[str, Any], order: int, there: Mapping[str, Any] | None = None) -> dict[str, Any]:
    own = str(there["id"]) if there else str(uuid4())
    reached = bool(one.get("exclude_if_reached"))
    return {"id": own, "site": one["site"], "target": one["target"], "order": order, "excludeIfReached": reached}


def _segment(context: str, users: list[dict[str, str]], groups: list[dict[str, str]]) -> dict[str, Any]:
    held = {"individualForSegment": users, "groupForSegment": groups, "subSegments": []}
    return {"segment": {"type": "private", "name": "list", "description": "", "context": context, **held}}


def _list(context: str, kind: str, type_: str, users: list[str], groups: list[dict[str, str]]) -> dict[str, Any]:
    named = {"name": f"{kind} of {type_}", "description": "", "context": context, "type": "private"}
    return named | {"userIds": users, "groups": groups, "subSegmentIds": [], "listType": type_}


def _payloads(draft: Draft, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = {str(one.get("code")): _value(one["payload"]) for one in draft.conditions if one.get("payload")}
    return [
        {
            "id": str(uuid4()),
            "parentCondition": condition["id"],
            "decisionPoint": point["id"],
            "payload": {"type": "string", "value": said[condition["conditionCode"]]},
        }
        for condition in body["conditions"]
        if condition["conditionCode"] in said
        for point in body["partitions"]
    ]


def _value(payload: Any) -> str:
    return str(payload.get("value") if isinstance(payload, Mapping) else payload)
