"""Drafts as the bodies that UpGrade's REST API takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments.drafts import Draft
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.shape import id_of
from signalbox.upgrade.states import stored_state

__all__ = ["created_body", "lists_of", "missing_members", "payload_of", "updated_body"]

_OWN_CALLS = ("stateTimeLogs", "experimentSegmentInclusion", "experimentSegmentExclusion")
_KEPT_OF_ROW = ("twoCharacterId", "name", "description")
_KEPT_OF_QUERY = ("id", "name", "query", "metric", "repeatedMeasure", "order")


def created_body(draft: Draft) -> dict[str, Any]:
    """The body of POST /experiments. The state is the first one: the server is moved to another afterwards, so that
    everything which a move does is done."""
    conditions = [_condition(one, order) for order, one in enumerate(draft.conditions, 1)]
    points = [_partition(one, order) for order, one in enumerate(draft.decision_points, 1)]
    return _said(draft) | {
        "state": "inactive",
        "type": "Simple",
        "assignmentAlgorithm": "random",
        "conditions": conditions,
        "partitions": points,
        "experimentSegmentInclusion": lists_of(draft.context, draft.include_users, draft.include_groups),
        "experimentSegmentExclusion": lists_of(draft.context, draft.exclude_users, draft.exclude_groups),
        "queries": [],
        "conditionPayloads": _payloads(draft, conditions, points, ()),
        "factors": [],
    }


def _said(draft: Draft) -> dict[str, Any]:
    """What a body says of an experiment itself, besides its conditions, points and lists."""
    return {
        "name": draft.name,
        "description": draft.description,
        "context": [draft.context],
        "assignmentUnit": draft.assignment_unit,
        "consistencyRule": draft.consistency_rule,
        "postExperimentRule": draft.post_rule,
        "filterMode": draft.filter_mode,
        "tags": list(draft.tags),
        "group": draft.group,
    }


def updated_body(raw: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """The body of PUT /experiments/:id: the whole experiment as it was read, with what the draft says otherwise.

    A payload keeps its id wherever it can: the server removes those whose ids are not in the body at once, outside the
    transaction of the rest, so that they are lost if that fails. Logs and lists are left out: the server would take
    the logs for all there are, and ignores the lists.
    """
    by_code = {str(one.get("conditionCode")): one for one in raw.get("conditions") or []}
    by_place = {(one.get("site"), one.get("target")): one for one in raw.get("partitions") or []}
    conditions = [
        {**_stored(there), **_condition(one, order, there)}
        for order, one in enumerate(draft.conditions, 1)
        for there in [by_code.get(str(one.get("code")))]
    ]
    points = [
        {**_stored(there), **_partition(one, order, there)}
        for order, one in enumerate(draft.decision_points, 1)
        for there in [by_place.get((one.get("site"), one.get("target")))]
    ]
    chosen = next((one["id"] for one in conditions if one["conditionCode"] == draft.revert_to), None)
    kept = {key: value for key, value in raw.items() if key not in _OWN_CALLS}
    return (
        kept
        | _said(draft)
        | {
            "state": stored_state(str(raw.get("state") or "inactive")),
            "revertTo": chosen if draft.post_rule == "assign" else None,
            "conditions": conditions,
            "partitions": points,
            "conditionPayloads": _payloads(draft, conditions, points, raw.get("conditionPayloads") or ()),
            "factors": raw.get("factors") or [],
            "queries": [_query(one) for one in raw.get("queries") or []],
        }
    )


def payload_of(payload: Any) -> dict[str, str] | None:
    """A payload as the server holds it, of a text or of a type with a value; None where none is said."""
    if payload in (None, "", {}):
        return None
    if isinstance(payload, Mapping):
        return {"type": str(payload.get("type") or "string"), "value": str(payload.get("value") or "")}
    return {"type": "string", "value": str(payload)}


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
    return {
        "id": own,
        "site": one["site"],
        "target": one["target"],
        "description": str((there or {}).get("description") or ""),
        "order": order,
        "excludeIfReached": bool(one.get("exclude_if_reached")),
    }


def _segment(context: str, users: list[dict[str, str]], groups: list[dict[str, str]]) -> dict[str, Any]:
    held = {"individualForSegment": users, "groupForSegment": groups, "subSegments": []}
    return {"segment": {"type": "private", "name": "list", "description": "", "context": context, **held}}


def _list(context: str, kind: str, type_: str, users: list[str], groups: list[dict[str, str]]) -> dict[str, Any]:
    named = {"name": f"{kind} of {type_}", "description": "", "context": context, "type": "private"}
    return named | {"userIds": users, "groups": groups, "subSegmentIds": [], "listType": type_}


def _payloads(
    draft: Draft,
    conditions: Sequence[Mapping[str, Any]],
    points: Sequence[Mapping[str, Any]],
    there: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The payload of each condition at each decision point: as the draft says, else the one that is there.

    The server fills in the condition's code for the rest, and never changes the type under an id.
    """
    said = {str(one.get("code")): payload_of(one.get("payload")) for one in draft.conditions}
    known = {(id_of(one.get("parentCondition")), id_of(one.get("decisionPoint"))): one for one in there}
    found = []
    for condition in conditions:
        for point in points:
            old = known.get((condition["id"], point["id"]))
            payload = said[condition["conditionCode"]] or (dict(old["payload"]) if old else None)
            if payload is None:
                continue
            is_same_type = old is not None and old["payload"].get("type") == payload["type"]
            own = str(old["id"]) if old is not None and is_same_type else str(uuid4())
            found.append(
                {"id": own, "parentCondition": condition["id"], "decisionPoint": point["id"], "payload": payload}
            )
    return found


def _stored(row: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a row keeps that nobody here speaks of; without what other rows hold of it."""
    return {key: value for key, value in (row or {}).items() if key in _KEPT_OF_ROW}


def _query(query: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in query.items() if key in _KEPT_OF_QUERY}
