"""What a researcher does with experiments: makes, reads, changes, moves and removes them, and counts who is in."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from datetime import UTC
from typing import Any
from uuid import uuid4

from signalbox.settings import now
from signalbox.upgrade.arrival import start_enrolling
from signalbox.upgrade.model import Experiment, Members, User, experiment_of
from signalbox.upgrade.states import stored_state
from signalbox.worlds.experiments import views
from signalbox.worlds.experiments.checks import check_experiment, check_id, state_of
from signalbox.worlds.experiments.errors import QUERY_FAILED, Refusal, bad_body, crashed
from signalbox.worlds.experiments.store import Store

__all__ = ["VERSION", "create", "delete", "detail", "known", "move", "page", "resolved", "single", "update", "user_of"]

VERSION = "6.5.0"
_SYMBOLS = string.ascii_uppercase + string.digits
_PAGE_KEYS = ("all", "name", "status", "tag", "context", "id")


def moment() -> str:
    """The present moment as the server writes it."""
    return now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamped(at: str | None = None, version: int = 1) -> dict[str, Any]:
    """The times and the version of a new row."""
    at = at or moment()
    return {"createdAt": at, "updatedAt": at, "versionNumber": version}


def create(store: Store, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST /experiments. The rule for afterwards is `continue` whatever the body says: so the real server does it."""
    check_experiment(body, store.metadata)
    at = moment()
    own = str(body.get("id") or uuid4())
    if own in store.experiments:
        own = str(uuid4())
    one: dict[str, Any] = stamped(at) | {
        "id": own,
        "name": body["name"],
        "description": body.get("description") or "",
        "context": list(body["context"]),
        "state": stored_state(body["state"]),
        "startOn": body.get("startOn"),
        "consistencyRule": body["consistencyRule"],
        "assignmentUnit": body["assignmentUnit"],
        "postExperimentRule": "continue",
        "enrollmentCompleteCondition": body.get("enrollmentCompleteCondition"),
        "endOn": body.get("endOn"),
        "revertTo": None,
        "tags": list(body["tags"]),
        "group": body.get("group"),
        "conditionOrder": body.get("conditionOrder"),
        "assignmentAlgorithm": body.get("assignmentAlgorithm") or "random",
        "filterMode": body["filterMode"],
        "backendVersion": VERSION,
        "type": body["type"],
        "conditions": [_condition(said, at, {}) for said in body["conditions"]],
        "partitions": [_point(said, at, {}) for said in body["partitions"]],
        "conditionPayloads": [],
        "logs": [],
        "include": _lists(body.get("experimentSegmentInclusion"), own, at),
        "exclude": _lists(body.get("experimentSegmentExclusion"), own, at),
    }
    renamed = dict(
        zip((said["id"] for said in body["conditions"]), (kept["id"] for kept in one["conditions"]), strict=True)
    )
    renamed |= dict(
        zip((said["id"] for said in body["partitions"]), (kept["id"] for kept in one["partitions"]), strict=True)
    )
    one["conditionPayloads"] = _payloads(body.get("conditionPayloads") or [], at, renamed)
    store.experiments[own] = one
    for point in one["partitions"]:
        store.points[point["site"], point["target"]] = own
    return views.as_created(one)


def known(store: Store, experiment_id: str) -> dict[str, Any]:
    """The experiment of that id; raises as GET /experiments/single does."""
    one = store.experiments.get(check_id(experiment_id))
    if one is None:
        raise Refusal(404, "Experiment not found!", QUERY_FAILED)
    return one


def single(store: Store, experiment_id: str) -> dict[str, Any]:
    """GET /experiments/single/:id."""
    return views.as_single(known(store, experiment_id))


def update(store: Store, experiment_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """PUT /experiments/:id: the whole body, but for the lists, which have calls of their own."""
    check_id(experiment_id)
    check_experiment(body, store.metadata)
    before = store.experiments.get(experiment_id)
    if before is None:
        raise crashed("undefined", "state")
    if "conditionPayloads" not in body:
        raise crashed("undefined", "reduce")
    at = moment()
    conditions = {one["id"]: one for one in before["conditions"]}
    points = {one["id"]: one for one in before["partitions"]}
    one = before | {key: body[key] for key in views.BASE if key in body and key not in ("id", "backendVersion")}
    one |= _versions(before, body, at)
    one["state"] = stored_state(body["state"])
    one["description"] = body.get("description") or ""
    one["conditions"] = [_condition(said, at, conditions) for said in body["conditions"]]
    one["partitions"] = [_point(said, at, points) for said in body["partitions"]]
    said = {(_id(one.get("parentCondition")), _id(one.get("decisionPoint"))): one for one in body["conditionPayloads"]}
    one["conditionPayloads"] = _payloads(
        [
            said.get((condition["id"], point["id"]))
            or {
                "parentCondition": condition["id"],
                "decisionPoint": point["id"],
                "payload": {"type": "string", "value": condition["conditionCode"]},
            }
            for condition in one["conditions"]
            for point in one["partitions"]
        ],
        at,
    )
    store.experiments[experiment_id] = one
    if one["state"] == "enrolling" and before["state"] != "enrolling":
        _begin(store, one)
    return views.as_updated(one)


def move(store: Store, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST /experiments/state: no move is refused."""
    state = state_of(body.get("state"))
    if not isinstance(body.get("experimentId"), str):
        raise bad_body()
    before = store.experiments.get(body["experimentId"])
    if before is None:
        raise crashed("null", "context")
    at = moment()
    log = stamped(at) | {"id": str(uuid4()), "fromState": before["state"], "toState": state, "timeLog": at}
    one = before | {"state": state, "updatedAt": at, "versionNumber": before["versionNumber"] + 1}
    one["logs"] = [*before["logs"], log]
    if state == "scheduled" and body.get("scheduleDate"):
        one["startOn"] = body["scheduleDate"]
    store.experiments[one["id"]] = one
    if state == "enrolling":
        _begin(store, one)
    return views.as_moved(before, log, state)


def delete(store: Store, experiment_id: str) -> list[dict[str, Any]]:
    """DELETE /experiments/:id, with everybody who was enrolled or excluded."""
    one = store.experiments.get(check_id(experiment_id))
    if one is None:
        raise Refusal(404, "Experiment not found.", None, "NotFoundException")
    del store.experiments[experiment_id]
    for table in vars(store.records).values():
        for key in [key for key in table if key[0] == experiment_id]:
            del table[key]
    return views.as_deleted(one)


def page(store: Store, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST /experiments/paginated."""
    skip, take = body.get("skip"), body.get("take")
    search, sort = body.get("searchParams"), body.get("sortParams")
    if not isinstance(skip, int) or not isinstance(take, int):
        raise bad_body()
    found = list(store.experiments.values())
    if search:
        found = [one for one in found if _fits(one, str(search.get("key")), str(search.get("string", "")))]
    if sort:
        key = {"state": "state", "updatedAt": "updatedAt", "postExperimentRule": "postExperimentRule"}.get(
            str(sort.get("key")), "name"
        )
        found.sort(key=lambda one: str(one[key]).lower(), reverse=sort.get("sortAs") == "DESC")
    answer = {"total": len(found), "nodes": [views.as_paged(one) for one in found[skip : skip + take]]}
    told = {"skip": skip, "take": take, "searchParams": search, "sortParams": sort}
    return answer | {key: value for key, value in told.items() if value is not None}


def detail(store: Store, experiment_id: Any) -> dict[str, Any]:
    """POST /stats/enrollment/detail."""
    one = store.experiments.get(str(experiment_id))
    if one is None:
        raise crashed("null", "conditions")
    own = {key[1]: value for key, value in store.records.users.items() if key[0] == one["id"]}
    grouped = one["assignmentUnit"] == "group"
    shared = {key[1]: value for key, value in store.records.groups.items() if key[0] == one["id"] and grouped}
    out = sum(key[0] == one["id"] for key in store.records.users_excluded)
    groups_out = sum(key[0] == one["id"] for key in store.records.groups_excluded) if grouped else 0
    return {
        "id": one["id"],
        "users": len(own),
        "groups": len(shared),
        "usersExcluded": out,
        "groupsExcluded": groups_out,
        "conditions": [_arm(store, one, condition["id"], own, shared) for condition in one["conditions"]],
    }


def counts(store: Store, experiment_ids: Any) -> list[dict[str, Any]]:
    """POST /stats/enrollment."""
    if not isinstance(experiment_ids, list):
        raise bad_body()
    known_ids = [own for own in experiment_ids if own in store.experiments]
    return [{key: detail(store, own)[key] for key in ("id", "users", "groups")} for own in known_ids]


def add_list(store: Store, body: Mapping[str, Any], which: str) -> dict[str, Any]:
    """POST /experiments/inclusionList and exclusionList."""
    said = body.get("list")
    if not isinstance(said, Mapping) or not isinstance(body.get("experimentId"), str):
        raise bad_body()
    one = known(store, body["experimentId"])
    at = moment()
    held = {
        "individualForSegment": [{"userId": user} for user in said.get("userIds") or []],
        "groupForSegment": list(said.get("groups") or []),
        "subSegments": [],
    }
    (entry,) = _lists([{"segment": dict(said) | held}], one["id"], at, said.get("listType"))
    store.experiments[one["id"]] = one | {which: [*one[which], entry]}
    return entry


def resolved(one: Mapping[str, Any]) -> Experiment:
    """The experiment as decisions are made of it, with all its lists, those too that are shown to nobody."""
    return experiment_of(one, _members(one["include"]), _members(one["exclude"]))


def user_of(user_id: str, kept: Mapping[str, Any]) -> User:
    """The user as decisions are made of it."""
    return User(user_id, kept.get("group"), kept.get("workingGroup"))


def _begin(store: Store, one: Mapping[str, Any]) -> None:
    """Exclude those who have been there before, where a decision point says so."""
    strict = {(point["site"], point["target"]) for point in one["partitions"] if point["excludeIfReached"]}
    users = sorted({key[0] for key in store.visits if (key[1], key[2]) in strict})
    start_enrolling(resolved(one), [user_of(user, store.users.get(user) or {}) for user in users], store.records)


def _arm(
    store: Store, one: Mapping[str, Any], condition_id: str, own: Mapping[str, str], shared: Mapping[str, str]
) -> dict[str, Any]:
    users = [user for user, chosen in own.items() if chosen == condition_id]
    groups = [group for group, chosen in shared.items() if chosen == condition_id]
    points = []
    for point in one["partitions"]:
        here = [user for user in users if (user, point["site"], point["target"]) in store.visits]
        own_groups = {user_of(user, store.users.get(user) or {}).working_group(one["group"]) for user in here}
        points.append({"id": point["id"], "users": len(here), "groups": len(own_groups & set(groups))})
    return {"id": condition_id, "users": len(users), "groups": len(groups), "partitions": points}


def _versions(before: Mapping[str, Any], body: Mapping[str, Any], at: str) -> dict[str, Any]:
    """A body that has the stored version makes the next one; one that has another version puts that one back."""
    said = body.get("versionNumber", before["versionNumber"])
    if said == before["versionNumber"]:
        return {"createdAt": before["createdAt"], "updatedAt": at, "versionNumber": said + 1}
    return {
        "createdAt": before["createdAt"],
        "updatedAt": body.get("updatedAt") or at,
        "versionNumber": said if isinstance(said, int) else 1,
    }


def _condition(said: Mapping[str, Any], at: str, known_ones: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    there = known_ones.get(said["id"])
    return _row(there, at) | {
        "twoCharacterId": there["twoCharacterId"] if there else _two(),
        "name": said.get("name"),
        "description": said.get("description"),
        "conditionCode": said["conditionCode"],
        "assignmentWeight": said["assignmentWeight"],
        "order": said["order"],
    }


def _point(said: Mapping[str, Any], at: str, known_ones: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    there = known_ones.get(said["id"])
    return _row(there, at) | {
        "twoCharacterId": there["twoCharacterId"] if there else _two(),
        "site": said["site"],
        "target": said.get("target") or "",
        "description": said.get("description") or "",
        "order": said["order"],
        "excludeIfReached": said["excludeIfReached"],
    }


def _row(there: Mapping[str, Any] | None, at: str) -> dict[str, Any]:
    if there is None:
        return stamped(at) | {"id": str(uuid4())}
    return {"createdAt": there["createdAt"], "updatedAt": at, "versionNumber": 1, "id": there["id"]}


def _payloads(said: list[Any], at: str, renamed: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    names = renamed or {}
    return [
        stamped(at)
        | {
            "id": str(one.get("id") or uuid4()),
            "parentCondition": names.get(_id(one.get("parentCondition")), _id(one.get("parentCondition"))),
            "decisionPoint": names.get(_id(one.get("decisionPoint")), _id(one.get("decisionPoint"))),
            "payload": dict(one.get("payload") or {"type": "string", "value": ""}),
        }
        for one in said
    ]


def _lists(said: Any, own: str, at: str, list_type: str | None = None) -> list[dict[str, Any]]:
    found = []
    for entry in said or []:
        held, segment_id = entry["segment"], str(uuid4())
        row = stamped(at) | {"segmentId": segment_id}
        users = [row | {"userId": str(one["userId"])} for one in held.get("individualForSegment") or []]
        groups = [
            row | {"groupId": str(one["groupId"]), "type": str(one["type"])}
            for one in held.get("groupForSegment") or []
        ]
        segment = stamped(at) | {
            "id": segment_id,
            "name": held.get("name") or "",
            "description": held.get("description") or "",
            "listType": list_type or entry.get("listType") or _type_of(users, groups),
            "context": held.get("context") or "",
            "type": held.get("type") or "private",
            "tags": None,
            "individualForSegment": users,
            "groupForSegment": groups,
            "subSegments": [],
        }
        found.append(row | {"experimentId": own, "segment": segment})
    return found


def _type_of(users: list[dict[str, Any]], groups: list[dict[str, Any]]) -> str | None:
    """The type of a list that does not say it: that of its members, where they have one in common."""
    kinds = {"individual"} if users else set()
    kinds |= {str(one["type"]) for one in groups}
    return kinds.pop() if len(kinds) == 1 else None


def _members(lists: list[dict[str, Any]]) -> Members:
    users = {one["userId"] for entry in lists for one in entry["segment"]["individualForSegment"]}
    groups = {(one["type"], one["groupId"]) for entry in lists for one in entry["segment"]["groupForSegment"]}
    return Members(frozenset(users), frozenset(groups))


def _fits(one: Mapping[str, Any], key: str, text: str) -> bool:
    from signalbox.upgrade.states import shown_state

    held = {
        "name": [one["name"]],
        "status": [one["state"], shown_state(one["state"])],
        "tag": one["tags"],
        "context": one["context"],
        "id": [one["id"]],
    }
    searched = [value for values in held.values() for value in values] if key == "all" else held.get(key, [])
    return any(text.lower() in str(value).lower() for value in searched)


def _id(value: Any) -> str:
    return str(value.get("id") if isinstance(value, Mapping) else value)


def _two() -> str:
    return "".join(random.choice(_SYMBOLS) for _ in range(2))
