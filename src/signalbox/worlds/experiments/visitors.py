"""What an application does for its users: makes them known, asks for conditions, and says that they came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from signalbox.upgrade.arrival import arrive, switch_group
from signalbox.upgrade.decision import Decision, decide, globally_excluded
from signalbox.upgrade.model import Members, User
from signalbox.upgrade.seedrandom import first
from signalbox.worlds.experiments import views
from signalbox.worlds.experiments.admin import resolved, user_of
from signalbox.worlds.experiments.checks import check_groups, check_mark, is_text
from signalbox.worlds.experiments.errors import QUERY_FAILED, WRONG_FORMAT, Refusal, bad_body, missing_user
from signalbox.worlds.experiments.rows import moment, stamped
from signalbox.worlds.experiments.store import Store

__all__ = ["assign", "batch_assign", "init", "known", "mark", "set_aliases", "set_groups"]


def init(store: Store, user_id: str, body: Any) -> dict[str, Any]:
    """POST /v6/init: what is not said stays as it was."""
    check_groups(body, ("group", "workingGroup"))
    before = store.users.get(user_id)
    said = {key: body[key] for key in ("group", "workingGroup") if body.get(key) is not None}
    kept = (before or {}) | said
    _switch(store, user_id, before or {}, kept)
    store.users[user_id] = kept
    shown = said if before is None else {"group": kept.get("group"), "workingGroup": kept.get("workingGroup")}
    return {"id": user_id} | shown


def set_groups(store: Store, user_id: str, body: Any, which: str) -> dict[str, Any]:
    """PATCH /v6/groupmembership and workinggroup."""
    own, kept = known(store, user_id)
    check_groups(body, (which,))
    if which not in body:
        raise bad_body()
    _switch(store, own, kept, kept | {which: body[which]})
    store.users[own] = kept | {which: body[which]}
    return {"id": own, which: body[which]}


def set_aliases(store: Store, user_id: str, body: Any) -> dict[str, Any]:
    """PATCH /v6/useraliases: other ids of one user."""
    own, _ = known(store, user_id)
    aliases = body.get("aliases") if isinstance(body, Mapping) else None
    if not isinstance(aliases, list) or not all(is_text(one) for one in aliases):
        raise bad_body()
    for alias in aliases:
        store.aliases[alias] = own
    return {"userId": own, "aliases": aliases}


def assign(store: Store, user_id: str, body: Any) -> list[dict[str, Any]]:
    """POST /v6/assign: stores nothing."""
    own, kept = known(store, user_id)
    context = body.get("context") if isinstance(body, Mapping) else None
    if not is_text(context):
        raise bad_body()
    if context not in store.metadata:
        raise Refusal(400, f"Invalid app context: {context}", WRONG_FORMAT)
    found = []
    for one in _decisions(store, str(context), user_of(own, kept)):
        if one.condition:
            raw = store.experiments[one.experiment.id]
            found += [views.assignment(raw, point, one.condition.id) for point in raw["partitions"]]
    return found


def batch_assign(store: Store, body: Any) -> dict[str, Any]:
    """POST /batch-assign: what many get at one decision point; stores nothing."""
    said = body if isinstance(body, Mapping) else {}
    context, site, target, users = (said.get(key) for key in ("context", "site", "target", "userIds"))
    if not is_text(context) or not is_text(site) or not isinstance(users, list):
        raise bad_body()
    if context not in store.metadata:
        raise Refusal(400, f"Invalid app context: {context}", WRONG_FORMAT)
    found: dict[str, Any] = {}
    for user_id in map(str, users):
        kept = store.users.get(store.aliases.get(user_id, user_id))
        found[user_id] = (
            "NOT_FOUND"
            if kept is None
            else _at(store, str(context), user_of(user_id, kept), str(site), str(target or ""))
        )
    return found


def mark(store: Store, user_id: str, body: Any) -> dict[str, Any]:
    """POST /v6/mark: who comes is enrolled or excluded, as the rules say."""
    own, kept = known(store, user_id)
    check_mark(body)
    data = body["data"]
    site, target, given = data["site"], data.get("target") or "", data.get("assignedCondition") or {}
    code, user = given.get("conditionCode"), user_of(own, kept)
    raw = _visited(store, own, site, target, given.get("experimentId"))
    if raw is not None:
        _record(store, raw, user, code, body.get("status"))
    visit = store.visits.get((own, site, target)) or stamped() | {"id": str(uuid4())}
    # A visit without a condition leaves the one of the visit before.
    code = code or visit.get("condition")
    store.visits[own, site, target] = visit | {"updatedAt": moment(), "condition": code}
    where = {"condition": code, "userId": own, "site": site, "target": target}
    return where | {"experimentId": raw["id"] if raw else None, "id": visit["id"]}


def known(store: Store, user_id: str) -> tuple[str, dict[str, Any]]:
    """The id under which a user is kept, whichever alias is said, and what is kept; raises the server's refusal."""
    own = store.aliases.get(user_id, user_id)
    kept = store.users.get(own)
    if kept is None:
        raise missing_user(user_id)
    return own, kept


def _switch(store: Store, user_id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Forget enrolments that a change of working groups ends."""
    had, has = before.get("workingGroup") or {}, after.get("workingGroup") or {}
    changed = {kind for kind, group in had.items() if has.get(kind) != group}
    for one in [raw for raw in store.experiments.values() if raw["group"] in changed]:
        switch_group(resolved(one), user_id, store.records)


def _decisions(store: Store, context: str, user: User) -> list[Decision]:
    # What gives conditions to nobody need not be looked at.
    live = [one for one in store.experiments.values() if one["state"] in ("enrolling", "enrollmentComplete", "preview")]
    here = [resolved(one) for one in live if one["context"][:1] == [context]]
    excluded = _global(store, context)
    return decide(here, context, user, store.records, excluded, user.id in store.previews)


def _at(store: Store, context: str, user: User, site: str, target: str) -> dict[str, Any] | None:
    for one in _decisions(store, context, user):
        raw = store.experiments[one.experiment.id]
        for point in raw["partitions"]:
            if one.condition and (point["site"], point["target"]) == (site, target):
                return views.assignment(raw, point, one.condition.id)
    return None


def _global(store: Store, context: str) -> Members:
    kept = store.segments.get(context) or {}
    groups = frozenset((one["type"], one["groupId"]) for one in kept.get("groups") or [])
    return Members(frozenset(kept.get("userIds") or []), groups)


def _visited(store: Store, user_id: str, site: str, target: str, experiment_id: Any) -> dict[str, Any] | None:
    """The experiment to which a visit counts: the one that is named, else one drawn of those at the decision point."""
    here = [
        one
        for one in store.experiments.values()
        if any((point["site"], point["target"]) == (site, target) for point in one["partitions"])
    ]
    if not here:
        return None
    if not experiment_id:
        return here[int(first(user_id) * len(here))]
    named = next((one for one in here if one["id"] == experiment_id), None)
    if named is None:
        words = f"Experiment ID not provided for shared Decision Point in markExperimentPoint: {user_id}"
        raise Refusal(404, words, QUERY_FAILED)
    return named


def _record(store: Store, raw: Mapping[str, Any], user: User, code: Any, status: str | None) -> None:
    if globally_excluded(user, _global(store, raw["context"][0])):
        return
    codes = {one["conditionCode"] for one in raw["conditions"]}
    codes |= {one["payload"].get("value") for one in raw["conditionPayloads"]}
    if code is not None and code not in codes:
        raise Refusal(500, f"Condition not found: {code}", "Condition not found")
    if user.id not in store.previews and arrive(resolved(raw), user, store.records, status):
        _complete(store, raw)


def _complete(store: Store, raw: Mapping[str, Any]) -> None:
    """End the enrolment where as many have come as its condition says."""
    limit = raw.get("enrollmentCompleteCondition") or {}
    users, groups = limit.get("userCount"), limit.get("groupCount")
    if not users or raw["state"] != "enrolling":
        return
    own = [key[1] for key in store.records.users if key[0] == raw["id"]]
    full = len(own) >= users
    if groups and raw["assignmentUnit"] == "group":
        per_group: dict[str, int] = {}
        for user_id in own:
            group = str(user_of(user_id, store.users[user_id]).working_group(raw["group"]))
            per_group[group] = per_group.get(group, 0) + 1
        full = sum(count >= users for count in per_group.values()) >= groups
    if full:
        at = moment()
        states = {"fromState": "enrolling", "toState": "enrollmentComplete", "timeLog": at}
        log = stamped(at) | {"id": str(uuid4())} | states
        ended = {"state": "enrollmentComplete", "versionNumber": raw["versionNumber"] + 1, "updatedAt": at}
        store.experiments[raw["id"]] = dict(raw) | ended | {"logs": [*raw["logs"], log]}
