"""An experiment in each of the shapes in which the real server shows it: every call has its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.upgrade.states import shown_state

__all__ = ["as_created", "as_deleted", "as_listed", "as_moved", "as_paged", "as_single", "as_updated", "assignment"]

BASE = (
    "createdAt",
    "updatedAt",
    "versionNumber",
    "id",
    "name",
    "description",
    "context",
    "state",
    "startOn",
    "consistencyRule",
    "assignmentUnit",
    "postExperimentRule",
    "enrollmentCompleteCondition",
    "endOn",
    "revertTo",
    "tags",
    "group",
    "conditionOrder",
    "assignmentAlgorithm",
    "filterMode",
    "backendVersion",
    "type",
)


def as_created(one: Mapping[str, Any]) -> dict[str, Any]:
    """What POST /experiments answers: without logs and lists."""
    return _base(one) | {
        "conditions": [dict(condition) for condition in one["conditions"]],
        "partitions": [dict(point) for point in one["partitions"]],
        "factors": [],
        "conditionPayloads": [_payload(payload) for payload in one["conditionPayloads"]],
        "queries": [dict(query) | {"experiment": _base(one)} for query in one.get("queries") or []],
    }


def as_single(one: Mapping[str, Any]) -> dict[str, Any]:
    """What GET /experiments/single answers."""
    return as_listed(one) | {"stratificationFactor": None}


def as_listed(one: Mapping[str, Any]) -> dict[str, Any]:
    """One of what GET /experiments answers."""
    return _base(one) | {
        "conditions": [
            dict(condition) | {"levelCombinationElements": [], "conditionPayloads": _payloads_of(one, condition["id"])}
            for condition in one["conditions"]
        ],
        "partitions": [dict(point) for point in one["partitions"]],
        "factors": [],
        "queries": [dict(query) for query in one.get("queries") or []],
        "stateTimeLogs": _logs(one),
        "experimentSegmentInclusion": _visible(one["include"]),
        "experimentSegmentExclusion": _visible(one["exclude"]),
        "conditionPayloads": [_payload(payload) for payload in one["conditionPayloads"]],
    }


def as_paged(one: Mapping[str, Any]) -> dict[str, Any]:
    """One of the nodes of POST /experiments/paginated."""
    return _base(one) | {
        "partitions": [dict(point) for point in one["partitions"]],
        "experimentSegmentInclusion": _visible(one["include"]),
        "stateTimeLogs": _logs(one),
    }


def as_updated(one: Mapping[str, Any]) -> dict[str, Any]:
    """What PUT /experiments/:id answers: conditions and points name their experiment."""
    own = {"experimentId": one["id"]}
    return _base(one) | {
        "stateTimeLogs": _logs(one),
        "stratificationFactor": None,
        "conditions": [dict(condition) | own for condition in one["conditions"]],
        "partitions": [dict(point) | own for point in one["partitions"]],
        "factors": [],
        "conditionPayloads": [_payload(payload) for payload in one["conditionPayloads"]],
        "queries": [dict(query) | own for query in one.get("queries") or []],
        "experimentSegmentInclusion": _visible(one["include"]),
        "experimentSegmentExclusion": _visible(one["exclude"]),
    }


def as_moved(before: Mapping[str, Any], log: Mapping[str, Any], state: str) -> dict[str, Any]:
    """What POST /experiments/state answers: the experiment as it was, in the new state, and inside its latest log once
    more as it was, there with the stored names of states."""
    points = [dict(point) for point in before["partitions"]]
    inner = {key: before[key] for key in BASE} | {
        "stateTimeLogs": [dict(one) for one in before["logs"]],
        "partitions": points,
        "queries": [],
    }
    latest = _shown_log(log) | {"experiment": inner}
    return _base(before) | {
        "state": shown_state(state),
        "stateTimeLogs": [*_logs(before), latest],
        "partitions": points,
        "queries": [],
    }


def as_deleted(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What DELETE /experiments/:id answers: an array, with the stored name of the state."""
    return [{key: one[key] for key in BASE} | {"stratificationFactorStratificationFactorName": None}]


def assignment(one: Mapping[str, Any], point: Mapping[str, Any], condition_id: str) -> dict[str, Any]:
    """One decision point of what POST /v6/assign answers."""
    chosen = next(condition for condition in one["conditions"] if condition["id"] == condition_id)
    payload = next(
        (
            payload["payload"]
            for payload in one["conditionPayloads"]
            if payload["parentCondition"] == condition_id and payload["decisionPoint"] == point["id"]
        ),
        None,
    )
    given = {
        "id": condition_id,
        "conditionCode": chosen["conditionCode"],
        "payload": payload if payload and payload.get("value") else None,
        "experimentId": one["id"],
    }
    where = {"target": point["target"], "site": point["site"], "experimentType": one["type"]}
    return where | {"assignedCondition": [given]}


def _base(one: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one[key] for key in BASE} | {"state": shown_state(one["state"])}


def _logs(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_shown_log(log) for log in one["logs"]]


def _shown_log(log: Mapping[str, Any]) -> dict[str, Any]:
    return dict(log) | {"fromState": shown_state(log["fromState"]), "toState": shown_state(log["toState"])}


def _visible(lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A list without a type is kept and obeyed, and shown to nobody."""
    return [one for one in lists if one["segment"]["listType"]]


def _payload(payload: Mapping[str, Any]) -> dict[str, Any]:
    return dict(payload)


def _payloads_of(one: Mapping[str, Any], condition_id: str) -> list[dict[str, Any]]:
    kept = ("createdAt", "updatedAt", "versionNumber", "id")
    return [
        {key: payload[key] for key in kept}
        | {"payloadType": payload["payload"]["type"], "payloadValue": payload["payload"]["value"]}
        for payload in one["conditionPayloads"]
        if payload["parentCondition"] == condition_id
    ]
