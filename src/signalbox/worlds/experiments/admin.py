"""What a researcher does with experiments: makes, reads, changes, moves and removes them, and counts who is in."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from signalbox.upgrade.arrival import start_enrolling
from signalbox.upgrade.model import Experiment, Members, User, experiment_of
from signalbox.upgrade.states import stored_state
from signalbox.worlds.experiments import views
from signalbox.worlds.experiments.checks import (
    check_experiment,
    check_id,
    check_list,
    check_move,
    check_row,
    is_id,
    is_storable,
)
from signalbox.worlds.experiments.errors import QUERY_FAILED, Refusal, bad_body, crashed, query_failed
from signalbox.worlds.experiments.metrics import results
from signalbox.worlds.experiments.rows import moment, stamped
from signalbox.worlds.experiments.store import Store

__all__ = ["VERSION", "create", "delete", "detail", "known", "move", "page", "resolved", "single", "update", "user_of"]

VERSION = "6.5.0"
_SYMBOLS = string.ascii_uppercase + string.digits
_PAGE_KEYS = ("all", "name", "status", "tag", "context", "id")


def create(store: Store, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST /experiments. The rule for afterwards is `continue` whatever the body says: so the real server does it."""
    check_experiment(body, store.metadata, "create")
    body = {**body, "description": body.get("description") or ""}
    check_row(body)
    if not is_storable([_unordered(one) for one in (*body["conditions"], *body["partitions"])]):
        what = "conditions, decision points, conditionPayloads and queries"
        raise query_failed(f'Error in creating {what} "addExperimentInDB"')
    _check_payloads(body)
    if body["type"] == "Factorial" and not body.get("factors"):
        raise crashed("undefined", "map")
    at = moment()
    own = str(body.get("id") or "")
    while not own or own in store.experiments:
        own = store.new_id(at)
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
        "conditions": [_condition({**said, "order": place}, at) for place, said in enumerate(body["conditions"], 1)],
        "partitions": [_point({**said, "order": place}, at) for place, said in enumerate(body["partitions"], 1)],
        "conditionPayloads": [],
        "queries": [one for one in _queries(store, body.get("queries"), at) if one["metric"]],
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
    # A payload of no decision point is kept by the server and shown nowhere.
    said = [payload for payload in body.get("conditionPayloads") or [] if payload.get("decisionPoint")]
    one["conditionPayloads"] = _payloads([payload | {"id": str(uuid4())} for payload in said], at, renamed)
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
    """PUT /experiments/:id: the whole body, but for the lists, which have calls of their own.

    Payloads whose ids are not in the body are removed at once. Where the rest then fails, they stay removed: the real
    server does so, because it removes them outside its transaction.
    """
    check_id(experiment_id)
    check_experiment(body, store.metadata, "update")
    before = store.experiments.get(experiment_id)
    if before is None:
        raise crashed("undefined", "state")
    check_row({**body, "state": stored_state(body["state"])})
    if body.get("conditionPayloads") is None:
        raise crashed("null" if "conditionPayloads" in body else "undefined", "reduce")
    payloads = _wanted_payloads(before, body)
    kept_ids = {one["id"] for one in payloads}
    left = [one for one in before["conditionPayloads"] if one["id"] in kept_ids]
    try:
        _check_rows(body, payloads)
    except Refusal:
        store.experiments[experiment_id] = before | {"conditionPayloads": left}
        raise
    at = moment()
    one = before | {key: body[key] for key in views.BASE if key in body and key not in ("id", "backendVersion")}
    one |= _versions(before, body, at)
    one["state"] = stored_state(body["state"])
    if body.get("stateTimeLogs") is not None:
        # Logs that are not in the body belong to no experiment any more.
        said_logs = {log["id"] for log in body["stateTimeLogs"]}
        one["logs"] = [log for log in before["logs"] if log["id"] in said_logs]
    if one["state"] != before["state"]:
        one["logs"] = [*one["logs"], _log(before["state"], one["state"], at)]
    one["conditions"] = [
        _condition(said, at, {row["id"]: row for row in before["conditions"]}) for said in body["conditions"]
    ]
    one["partitions"] = _points(body["partitions"], before["partitions"], at)
    # Queries that are not in the body are gone, all of them with a change of context.
    is_moved = body["context"][0] != before["context"][0]
    one["queries"] = [] if is_moved else _queries(store, body.get("queries"), at, before)
    there = {payload["id"]: payload for payload in left}
    # What is there keeps its type: the server writes a value over a value.
    one["conditionPayloads"] = _payloads(
        [
            payload
            | ({"payload": payload["payload"] | {"type": there[payload["id"]]["payload"]["type"]}} if held else {})
            for payload in payloads
            for held in [payload["id"] in there]
        ],
        at,
    )
    if one["context"][0] != before["context"][0]:
        one |= {"include": [], "exclude": [], "filterMode": "excludeAll"}
    store.experiments[experiment_id] = one
    if one["state"] == "enrolling" and before["state"] != "enrolling":
        _begin(store, one)
    return views.as_updated(one) | {"stateTimeLogs": list(body.get("stateTimeLogs") or [])}


def move(store: Store, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST /experiments/state: no move is refused."""
    own, state = check_move(body)
    before = store.experiments.get(own)
    if before is None:
        raise crashed("null", "context")
    at = moment()
    log = _log(before["state"], state, at)
    one = before | {"state": state, "updatedAt": at, "versionNumber": before["versionNumber"] + 1}
    one["logs"] = [*before["logs"], log]
    if body.get("scheduleDate"):
        one["startOn"] = body["scheduleDate"]
    if state == "archived":
        one["archived"] = {query["id"]: results(store, before, query) for query in before.get("queries") or []}
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
    """POST /experiments/inclusionList and exclusionList. Without an experiment's id the server takes the first one."""
    kind = {"include": "inclusion", "exclude": "exclusion"}[which]
    said = check_list(body.get("list"), kind)
    own = body.get("experimentId", next(iter(store.experiments), None))
    if not is_id(own):
        raise Refusal(500, f'invalid input syntax for type uuid: "{own}"', None, "QueryFailedError")
    one = store.experiments.get(own)
    if one is None:
        words = f'null value in column "experimentId" of relation "experiment_segment_{kind}"'
        raise query_failed(
            f"Error in adding segment for experiment {kind} list: QueryFailedError: {words} "
            "violates not-null constraint",
            "Error",
        )
    at = moment()
    held = {
        "individualForSegment": [{"userId": user.strip()} for user in dict.fromkeys(said.get("userIds") or [])],
        "groupForSegment": [group | {"groupId": group["groupId"].strip()} for group in said.get("groups") or []],
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


def _queries(store: Store, said: Any, at: str, before: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """The queries of a body, each with its metric, or None where there is none of that key; those of a new experiment,
    which there was not `before`, get ids of the server's own."""
    known_ones = {row["id"]: row for row in (before or {}).get("queries") or []}
    found = []
    for order, one in enumerate(said or [], 1):
        own = str(one.get("id") or uuid4()) if before else str(uuid4())
        there = known_ones.get(own)
        metric = store.metrics.get(one["metric"]["key"])
        found.append(
            (stamped(at) | ({"createdAt": there["createdAt"]} if there else {}))
            | {key: one[key] for key in ("name", "query", "repeatedMeasure")}
            | {"id": own, "order": order, "metric": dict(metric) if metric else None}
        )
    return found


def _log(before: str, after: str, at: str) -> dict[str, Any]:
    return stamped(at) | {"id": str(uuid4()), "fromState": before, "toState": after, "timeLog": at}


def _unordered(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "order"}


def _check_payloads(body: Mapping[str, Any]) -> None:
    """Raise where a payload of a new experiment belongs to no condition or decision point of it."""
    conditions, points = ({one["id"] for one in body[name]} for name in ("conditions", "partitions"))
    for one in body.get("conditionPayloads") or []:
        if one["parentCondition"] not in conditions:
            raise Refusal(500, f"Parent condition not found for condition payload: {one['id']}")
        if one.get("decisionPoint") and one["decisionPoint"] not in points:
            raise Refusal(500, f"Decision point not found for condition payload: {one['id']}")


def _wanted_payloads(before: Mapping[str, Any], body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A payload for each condition at each decision point: as the body says, else the code of the condition."""
    said = {(_id(one["parentCondition"]), _id(one.get("decisionPoint"))): one for one in body["conditionPayloads"]}
    codes = {one["id"]: one["conditionCode"] for one in before["conditions"]}
    found = []
    for point in body["partitions"]:
        for condition in body["conditions"]:
            code = condition["conditionCode"]
            pair = {"parentCondition": condition["id"], "decisionPoint": point["id"]}
            one = said.get((condition["id"], point["id"]))
            payload = dict(one["payload"]) if one else {"type": "string", "value": code}
            if payload["value"] == codes.get(condition["id"]):
                payload["value"] = code
            found.append({"id": one["id"] if one else str(uuid4()), **pair, "payload": payload})
    return list({one["id"]: one for one in found}.values())


def _check_rows(body: Mapping[str, Any], payloads: list[dict[str, Any]]) -> None:
    """Raise what the database says of the rows of conditions, decision points and payloads."""
    rows = [*body["conditions"], *body["partitions"]]
    described = all(one.get("description") is not None for one in body["partitions"])
    if not described or not all(is_id(one["id"]) for one in rows) or not is_storable(rows):
        raise query_failed('Error in creating conditions, decision points, queries "updateExperimentInDB"')
    if not all(is_id(one["id"]) for one in payloads) or not is_storable(payloads):
        raise query_failed('Error in creating conditionPayloads "updateExperimentInDB"')
    if body["type"] == "Factorial" and not body.get("factors"):
        raise query_failed("Error in creating factors & levels", "InsertValuesMissingError")


def _points(said: list[dict[str, Any]], before: list[dict[str, Any]], at: str) -> list[dict[str, Any]]:
    """The decision points of a body; one whose id another has already is written over that, but for its site."""
    known_ones = {row["id"]: row for row in before}
    found: dict[str, dict[str, Any]] = {}
    for one in said:
        row = _point(one, at, known_ones)
        found[one["id"]] = row | ({"site": found[one["id"]]["site"]} if one["id"] in found else {})
    return list(found.values())


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


def _condition(
    said: Mapping[str, Any], at: str, known_ones: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    there = (known_ones or {}).get(said["id"])
    return _row(there, at, None if known_ones is None else said["id"]) | {
        "twoCharacterId": there["twoCharacterId"] if there else _two(),
        "name": said.get("name"),
        "description": said.get("description"),
        "conditionCode": said["conditionCode"],
        "assignmentWeight": said["assignmentWeight"],
        "order": said["order"],
    }


def _point(
    said: Mapping[str, Any], at: str, known_ones: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    there = (known_ones or {}).get(said["id"])
    return _row(there, at, None if known_ones is None else said["id"]) | {
        "twoCharacterId": there["twoCharacterId"] if there else _two(),
        "site": said["site"],
        "target": said.get("target"),
        "description": said.get("description") or "",
        "order": said["order"],
        "excludeIfReached": said["excludeIfReached"],
    }


def _row(there: Mapping[str, Any] | None, at: str, own: str | None = None) -> dict[str, Any]:
    """The times and the id of a row: a new experiment's rows get ids of the server's own, others keep theirs."""
    if there is None:
        return stamped(at) | {"id": own or str(uuid4())}
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
            "listType": _as_text(list_type or held.get("listType")) or _type_of(users, groups),
            "context": held.get("context") or "",
            "type": held.get("type") or "private",
            "tags": None,
            "individualForSegment": users,
            "groupForSegment": groups,
            "subSegments": [],
        }
        found.append(row | {"experimentId": own, "segment": segment})
    return found


def _as_text(value: Any) -> str | None:
    return None if value is None else str(value)


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
