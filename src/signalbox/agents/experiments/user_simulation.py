"""`user_simulation_node`: one user: what it would get and why, its groups, its way through an experiment.

What would enrol the user is done on a disposable copy of the experiment, unless the live one was asked for and the
person has said yes to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments.asked import fields_of, named_params
from signalbox.agents.experiments.guard import refuse_writes
from signalbox.agents.experiments.names import grounded, groups_in, mentioned, shortlist
from signalbox.agents.experiments.node import Ask, Calls, Fault, at_once, capability_node
from signalbox.agents.experiments.plan import simulation_schema
from signalbox.agents.experiments.predict import explain_assignment
from signalbox.agents.experiments.replies import with_reply
from signalbox.agents.experiments.server_names import Server, look_around
from signalbox.agents.experiments.tools import initialize_user, mark_decision_point_visit, simulate_user_journey
from signalbox.contract import blocks
from signalbox.language.names import did_you_mean
from signalbox.language.words import tokens
from signalbox.upgrade.states import ASSIGNING

__all__ = ["auser_simulation_node", "user_simulation_node"]

_MOST_EXPLAINED = 8
_NOT_DONE = "Nothing was done."
Update = dict[str, Any]


@capability_node("user_simulation")
async def auser_simulation_node(state: dict[str, Any], calls: Calls) -> Update:
    """Say what a user would get, make it known with its groups, or let it come to decision points."""
    pending = state["pending"] or {}
    if pending.get("decision") in ("no", "change", "unclear"):
        return {"bot_response": _NOT_DONE, "told": _NOT_DONE, "previous": state["previous"]}
    if pending.get("decision") == "yes":
        return await _on_live(pending, calls)
    server = await look_around(calls)
    text = state["user_input"]
    fields = await fields_of(state, simulation_schema(shortlist(text, server.names), server.contexts))
    fields = await with_reply(fields, state, server)
    text = str(pending.get("text") or text)
    user = _user(fields, state)
    groups = _groups(fields, state, server, user)
    known = {**fields, "user_id": user}
    task = _task(fields, state)
    if task == "initialise":
        update = await _initialise(user, groups, calls)
    elif task in ("visit", "journey"):
        update = await _visit(known, task, user, groups, state, server, text, calls)
    else:
        update = await _predict(known, user, groups, state, server, text, calls)
    params = named_params(known, groups=groups if fields.get("groups") else {}, context=fields.get("context"))
    kept = {key: value for key, value in known.items() if key != "sure" and value is not None}
    return {
        **update,
        "current_user_id": user,
        "user_groups": groups,
        "operation_type": "simulate",
        "params": {**params, **update.pop("params", {})},
        "previous": {"capability": "user_simulation", "fields": {**kept, **update.pop("which", {})}},
    }


user_simulation_node = at_once(auser_simulation_node)


def _task(fields: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """What is to be done; a request that goes on with another never becomes a write by itself."""
    task = str(fields.get("task") or "predict")
    last = state["previous"] or {}
    before = str((last.get("fields") or {}).get("task") or "predict")
    goes_on = state["params"].get("follows") or last.get("capability") == "user_simulation"
    is_said = any(word.startswith(("init", "regist")) for word in tokens(state["user_input"]))
    return before if task == "initialise" and goes_on and not is_said and not fields.get("groups") else task


def _user(fields: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    user = str(fields.get("user_id") or state["current_user_id"] or "").strip()
    if not user:
        raise Ask("Which user?", "user_id", fields)
    return user


def _groups(fields: Mapping[str, Any], state: Mapping[str, Any], server: Server, user: str) -> dict[str, list[str]]:
    """The groups that are said now; of the user spoken of before, those said then."""
    before = state["user_groups"] if user == state["current_user_id"] else {}
    if not fields.get("groups"):
        return dict(before)
    types = server.group_types(server.context(fields.get("context"), ""))
    found = groups_in(_with_kind(str(fields["groups"]), state["user_input"]), types)
    if "" in found:
        # "what about group 7d?": of the kind that was spoken of, where there was one.
        kinds = list(before) if len(before) == 1 else types
        found[""] = [one for one in found[""] if one in str(fields["groups"])] or found[""]
        if len(kinds) != 1:
            raise Ask(f"Of which kind is the group {', '.join(found[''])}?", "group_type", fields, kinds)
        found = {kinds[0]: found[""]}
    return found


def _with_kind(words: str, text: str) -> str:
    """The words with the one before them, which may say of which kind the groups are."""
    at = text.casefold().find(words.casefold())
    before = text[:at].split()[-1:] if at > 0 else []
    return " ".join([*before, words])


def _working(groups: Mapping[str, list[str]]) -> dict[str, str]:
    """The group of each kind that a user works in: the first that was said."""
    return {kind: ids[0] for kind, ids in groups.items() if ids}


async def _initialise(user: str, groups: dict[str, list[str]], calls: Calls) -> Update:
    refuse_writes()
    given = {"groups": groups, "working_groups": _working(groups)} if groups else {}
    await calls(initialize_user, user_id=user, **given)
    listed = ", ".join(f"{kind} {one}" for kind, ids in groups.items() for one in ids)
    told = f"User {user} is initialised" + (f": {listed}." if listed else ", without groups.")
    working = ", ".join(f"{kind} {one}" for kind, one in _working(groups).items())
    more = f" The working group is {working}." if working else ""
    return {"bot_response": f"{told}{more}", "told": told}


async def _predict(
    fields: Mapping[str, Any],
    user: str,
    groups: dict[str, list[str]],
    state: Mapping[str, Any],
    server: Server,
    text: str,
    calls: Calls,
) -> Update:
    """What the user would get of one experiment, or of all that could give something where it is."""
    args = {"user_id": user, **({"groups": groups, "working_groups": _working(groups)} if groups else {})}
    chosen = _affecting(fields, server, text)
    if chosen is None:
        one = server.experiment(fields, state, text)
        found = await calls(explain_assignment, experiment=one["id"], **args)
        return {
            "bot_response": _explained(found, one["name"]),
            "told": f"User {user} gets {found['condition'] or 'the default'} in {one['name']}.",
            "blocks": [_steps(found)],
            "current_experiment_id": one["id"],
            "shown": [{"id": one["id"], "name": one["name"]}],
            "params": {"experiment_name": one["name"]},
            "which": {"experiment_id": one["id"]},
        }
    if not chosen:
        return {"bot_response": f"No experiment there could give user {user} anything: it gets the default."}
    rows, lines = [], []
    for one in chosen[:_MOST_EXPLAINED]:
        found = await calls(explain_assignment, experiment=one["id"], **args)
        rows.append([one["name"], found["condition"] or "default", found["decided_by"].replace("_", " ")])
        lines.append(f"- {one['name']}: {found['condition'] or 'the default'} (decided by {rows[-1][2]})")
    return {
        "bot_response": f"User {user} would get:\n\n" + "\n".join(lines),
        "told": f"User {user} in {len(rows)} experiments.",
        "blocks": [blocks.table(["experiment", "condition", "decided by"], rows)],
    }


def _affecting(fields: Mapping[str, Any], server: Server, text: str) -> list[dict[str, Any]] | None:
    """The experiments of a context or decision point that is named instead of an experiment; None where one is."""
    if any(fields.get(key) for key in ("experiment", "experiment_id", "named", "reference")):
        return None
    if mentioned(text, server.names):
        return None
    context = server.context(fields.get("context"), text)
    site, target = fields.get("site"), fields.get("target")
    if not (context or site):
        return None
    found = [one for one in server.experiments if one["state"] in ASSIGNING]
    if context:
        found = [one for one in found if one["context"] == context]
    return _at_point(found, site, target) if site else found


def _at_point(found: list[dict[str, Any]], site: Any, target: Any) -> list[dict[str, Any]]:
    """Those with that decision point. Raises Fault, with the nearest, where none has it."""
    points = {point for one in found for point in one["decision_points"]}
    wanted = [point for point in points if _is_point(point, site, target)]
    if not wanted:
        said = f"{site} / {target}" if target else str(site)
        raise Fault(f"No experiment has the decision point {said}.", "not_found", did_you_mean(said, sorted(points)))
    return [one for one in found if set(one["decision_points"]) & set(wanted)]


def _is_point(point: str, site: Any, target: Any) -> bool:
    own_site, _, own_target = point.partition(" / ")
    if grounded(str(site), [own_site]) is None:
        return False
    return not target or grounded(str(target), [own_target]) is not None


async def _visit(
    fields: dict[str, Any],
    task: str,
    user: str,
    groups: dict[str, list[str]],
    state: Mapping[str, Any],
    server: Server,
    text: str,
    calls: Calls,
) -> Update:
    """Let the user come: on a copy; on the live experiment only once that was confirmed."""
    refuse_writes()
    chosen = _affecting(fields, server, text) if task == "visit" else None
    if task == "visit" and fields.get("site") and chosen is None and not mentioned(text, server.names):
        chosen = _at_point(server.experiments, fields["site"], fields.get("target"))
    if chosen and len(chosen) > 1:
        raise Ask("Which experiment?", "experiment", fields, [one["name"] for one in chosen])
    one = chosen[0] if chosen else server.experiment(fields, state, text)
    if fields.get("on_live"):
        raise _confirm_live(fields, user, groups, one)
    given = {"groups": groups, "working_groups": _working(groups)} if groups else {}
    found = await calls(simulate_user_journey, experiment=one["id"], user_id=user, **given)
    return {
        **_journey(found, one["name"], user),
        "current_experiment_id": one["id"],
        "shown": [{"id": one["id"], "name": one["name"]}],
        "params": {"experiment_name": one["name"]},
        "which": {"experiment_id": one["id"]},
    }


def _confirm_live(
    fields: Mapping[str, Any], user: str, groups: Mapping[str, list[str]], experiment: Mapping[str, Any]
) -> Ask:
    message = f"Enrol user {user} in the live experiment '{experiment['name']}'? This counts in its data."
    args: dict[str, Any] = {"experiment": experiment["id"], "user_id": user, "on_live": True}
    if groups:
        args |= {"groups": dict(groups), "working_groups": _working(groups)}
    operation: dict[str, Any] = {"tool": "simulate_user_journey", "args": args, "name": experiment["name"]}
    if fields.get("site") and fields.get("target"):
        visit = {"user_id": user, "context": experiment["context"]}
        point = next((p for p in experiment["decision_points"] if _is_point(p, fields["site"], fields["target"])), "")
        site, _, target = point.partition(" / ")
        operation = {
            "tool": "mark_decision_point_visit",
            "args": {**visit, "site": site, "target": target},
            "groups": dict(groups),
            "name": experiment["name"],
        }
    return Ask(message, "confirm", fields, ["yes", "no"], key=f"live-{uuid4()}", operation=operation)


async def _on_live(pending: Mapping[str, Any], calls: Calls) -> Update:
    refuse_writes()
    operation = pending["operation"]
    args, name = dict(operation["args"]), str(operation["name"])
    user = str(args["user_id"])
    if operation["tool"] == "simulate_user_journey":
        found = await calls(simulate_user_journey, **args)
        return {**_journey(found, name, user), "current_user_id": user}
    groups = operation.get("groups") or {}
    given = {"groups": groups, "working_groups": _working(groups)} if groups else {}
    await calls(initialize_user, user_id=user, **given)
    found = await calls(mark_decision_point_visit, **args)
    told = f"User {user} was marked at {found['site']} / {found['target']} with {found['condition'] or 'the default'}."
    return {"bot_response": told, "told": told, "current_user_id": user}


def _explained(found: Mapping[str, Any], name: str) -> str:
    """The decision in words: what it is, which step decided, and every step."""
    condition = f"**{found['condition']}**" if found["condition"] else "the default (no condition)"
    decided = str(found["decided_by"]).replace("_", " ")
    lines = [f"User {found['user_id']} would get {condition} in {name}; decided by: {decided}."]
    lines.append("\n".join(f"{at}. {one['step'].replace('_', ' ')}: {one['detail']}" for at, one in _numbered(found)))
    if found.get("note"):
        lines.append(str(found["note"]))
    if found.get("agrees") is False:
        lines.append(f"The server itself says {found['server_says'] or 'the default'}.")
    return "\n\n".join(lines)


def _numbered(found: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    return list(enumerate(found["steps"], start=1))


def _steps(found: Mapping[str, Any]) -> dict[str, Any]:
    rows = [[one["step"].replace("_", " "), "yes" if one["passed"] else "no", one["detail"]] for one in found["steps"]]
    return blocks.table(["step", "passed", "why"], rows, f"How {found['user_id']} is assigned")


def _journey(found: Mapping[str, Any], name: str, user: str) -> Update:
    where = "the live experiment" if found.get("on_live") else "a disposable copy, which is gone again"
    lines = [
        f"- visit {one['visit']} at {one['site']} / {one['target']}: assigned {one['assigned'] or 'default'}, "
        f"{'enrolled' if one.get('enrolled') else 'not enrolled'}"
        for one in found["visits"]
    ]
    told = f"User {user} in {name}, on {where}:"
    rows = [[one["visit"], one["site"], one["target"], one["assigned"], one["recorded"]] for one in found["visits"]]
    return {
        "bot_response": f"{told}\n\n" + "\n".join(lines),
        "told": told,
        "blocks": [blocks.table(["visit", "site", "target", "assigned", "recorded"], rows)],
    }
