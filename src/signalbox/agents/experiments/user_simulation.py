"""`user_simulation_node`: one user: what it would get and why, its groups, its way through an experiment.

What would enrol the user is done on a disposable copy of the experiment, unless the live one was asked for and the
person has said yes to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import named_params, said_params
from signalbox.agents.experiments.asking import Ask, Calls, Fault
from signalbox.agents.experiments.candidates import Server, choose_experiment
from signalbox.agents.experiments.errors import RETRYABLE
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.outcome import refuse_writes
from signalbox.agents.experiments.predict import explain_assignment
from signalbox.agents.experiments.questions import again, ask_yes, done_once
from signalbox.agents.experiments.shape import same_text
from signalbox.agents.experiments.tools import (
    initialize_user,
    mark_decision_point_visit,
    simulate_user_journey,
)
from signalbox.contract import blocks
from signalbox.language.names import did_you_mean
from signalbox.upgrade.states import ASSIGNING

__all__ = [
    "auser_simulation_node",
    "confirmed_visit",
    "do_confirmed",
    "given_groups",
    "told_assignment",
    "told_assignments",
    "told_journey",
    "user_simulation_node",
    "with_groups",
]

_MOST_EXPLAINED = 8
_NOT_DONE = "Nothing was done."
_OWN = "user_simulation"
Update = dict[str, Any]


@capability_node(_OWN)
async def auser_simulation_node(state: dict[str, Any], calls: Calls) -> Update:
    """Say what a user would get, make it known with its groups, or let it come to decision points."""
    pending = state["pending"] or {}
    if pending.get("decision") == "no":
        return {"bot_response": _NOT_DONE, "told": _NOT_DONE, "previous": state["previous"]}
    if pending.get("decision") == "yes":
        refuse_writes()
        return await done_once(pending, "it was done", lambda: do_confirmed(pending, calls))
    fields = dict(state["fields"])
    if fields.get("is_unclear"):
        raise again(pending)
    calls.said = said_params(fields)
    user = str(fields.get("user_id") or state["current_user_id"] or "").strip()
    if not user:
        raise Ask("Which user?", "user_id", fields)
    groups = fields.get("groups") or (dict(state["user_groups"]) if user == state["current_user_id"] else {})
    if loose := fields.get("loose_groups"):
        types = calls.server.group_types(fields.get("context"))
        raise Ask(f"Of which kind is the group {', '.join(loose)}?", "group_type", fields, types)
    task = str(fields.get("task") or "predict")
    known = {**fields, "user_id": user, "task": task}
    calls.said |= named_params(known, groups=fields.get("groups"))
    if task == "initialise":
        raise _confirm_user(known, user, groups)
    work = _visit if task in ("visit", "journey") else _predict
    update = await work(known, user, groups, state, calls)
    kept = {key: value for key, value in known.items() if key != "taken_for"} | update.pop("which", {})
    return {
        **update,
        "current_user_id": user,
        "user_groups": groups,
        "operation_type": "simulate",
        "previous": {"capability": _OWN, "fields": kept},
    }


user_simulation_node = at_once(auser_simulation_node)


def _confirm_user(fields: Mapping[str, Any], user: str, groups: Mapping[str, list[str]]) -> Ask:
    """The question whether a user is to be made known. Raises Fault where nothing may be written."""
    refuse_writes()
    args = {"user_id": user, **given_groups(groups)}
    message = f"Initialise user {user} {with_groups(groups)}? The server keeps it, and these as all its groups."
    operation = {"tool": "initialize_user", "args": args}
    return ask_yes(message, fields, operation)


def given_groups(groups: Mapping[str, list[str]]) -> dict[str, Any]:
    """The arguments of the contract's tools; a user works in the first group of each type."""
    working = {kind: ids[0] for kind, ids in groups.items() if ids}
    return {"groups": dict(groups), "working_groups": working} if groups else {}


def with_groups(groups: Mapping[str, list[str]]) -> str:
    """The groups of a user in words."""
    listed = ", ".join(f"{kind} {one}" for kind, ids in groups.items() for one in ids)
    return f"with {listed}" if listed else "without groups"


async def _predict(
    fields: Mapping[str, Any],
    user: str,
    groups: dict[str, list[str]],
    state: Mapping[str, Any],
    calls: Calls,
) -> Update:
    """What the user would get of one experiment, or of all that could give something where it is."""
    args = {"user_id": user, **given_groups(groups)}
    chosen = _affecting(fields, calls.server)
    if chosen is None:
        one = choose_experiment(fields, calls.server, state["shown"])
        found = await calls(explain_assignment, experiment=one["id"], **args)
        return {
            **told_assignment(found, one["name"]),
            "current_experiment_id": one["id"],
            "shown": [{"id": one["id"], "name": one["name"]}],
            "params": {"experiment_name": one["name"]},
            "which": {"experiment_id": one["id"], "experiment_name": one["name"]},
        }
    explained = [
        (one["name"], await calls(explain_assignment, experiment=one["id"], **args)) for one in chosen[:_MOST_EXPLAINED]
    ]
    return told_assignments(user, explained)


def told_assignment(found: Mapping[str, Any], name: str) -> Update:
    """What a user would get of an experiment, and why."""
    return {
        "bot_response": _explained(found, name),
        "told": f"User {found['user_id']} gets {found['condition'] or 'the default'} in {name}.",
        "blocks": [_steps(found)],
    }


def told_assignments(user: str, explained: Sequence[tuple[str, Mapping[str, Any]]]) -> Update:
    """What a user would get of several experiments, by their names."""
    if not explained:
        return {"bot_response": f"No experiment there could give user {user} anything: it gets the default."}
    rows, lines = [], []
    for name, found in explained:
        rows.append([name, found["condition"] or "default", found["decided_by"].replace("_", " ")])
        lines.append(f"- {name}: {found['condition'] or 'the default'} (decided by {rows[-1][2]})")
    return {
        "bot_response": f"User {user} would get:\n\n" + "\n".join(lines),
        "told": f"User {user} in {len(rows)} experiments.",
        "blocks": [blocks.table(["experiment", "condition", "decided by"], rows)],
    }


def _affecting(fields: Mapping[str, Any], server: Server) -> list[dict[str, Any]] | None:
    """The experiments of a context or decision point that is named instead of an experiment; None where one is."""
    if fields.get("experiment_id") or fields.get("which"):
        return None
    context, site = fields.get("context"), fields.get("site")
    if not (context or site):
        return None
    found = [one for one in server.experiments if one["state"] in ASSIGNING]
    if context:
        found = [one for one in found if one["context"] == context]
    return _at_point(found, site, fields.get("target")) if site else found


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
    return same_text(str(site), own_site) and (not target or same_text(str(target), own_target))


async def _visit(
    fields: Mapping[str, Any],
    user: str,
    groups: dict[str, list[str]],
    state: Mapping[str, Any],
    calls: Calls,
) -> Update:
    """Let the user come: on a copy; on the live experiment only once that was confirmed."""
    refuse_writes()
    chosen = _affecting(fields, calls.server) if fields["task"] == "visit" else None
    if chosen and len(chosen) > 1:
        fields = {**fields, "which": {"ids": [one["id"] for one in chosen]}}
    one = chosen[0] if chosen and len(chosen) == 1 else choose_experiment(fields, calls.server, state["shown"])
    # Who says to mark a visit wants it marked; a way that is only tried out is gone on a copy.
    if fields.get("on_live") or fields.get("is_marked"):
        raise _confirm_live(fields, user, groups, one)
    found = await calls(simulate_user_journey, experiment=one["id"], user_id=user, **given_groups(groups))
    return {
        **told_journey(found, one["name"], user),
        "current_experiment_id": one["id"],
        "shown": [{"id": one["id"], "name": one["name"]}],
        "params": {"experiment_name": one["name"]},
        "which": {"experiment_id": one["id"], "experiment_name": one["name"]},
    }


def _confirm_live(
    fields: Mapping[str, Any], user: str, groups: Mapping[str, list[str]], experiment: Mapping[str, Any]
) -> Ask:
    message = f"Enrol user {user} in the live experiment '{experiment['name']}'? This counts in its data."
    site, target, point = fields.get("site"), fields.get("target"), None
    if site and target:
        _at_point([dict(experiment)], site, target)
        own = next(one for one in experiment["decision_points"] if _is_point(one, site, target)).partition(" / ")
        point = (own[0], own[2])
    return ask_yes(message, fields, confirmed_visit(experiment, user, groups, point))


def confirmed_visit(
    experiment: Mapping[str, Any], user: str, groups: Mapping[str, list[str]], point: tuple[str, str] | None
) -> dict[str, Any]:
    """What `do_confirmed` does for a visit of the live experiment: at one decision point, or at all of them."""
    if point is None:
        args = {"experiment": experiment["id"], "user_id": user, "on_live": True, **given_groups(groups)}
        return {"tool": "simulate_user_journey", "args": args, "name": experiment["name"]}
    visit = {"user_id": user, "context": experiment["context"], "site": point[0], "target": point[1]}
    return {"tool": "mark_decision_point_visit", "args": visit, "groups": dict(groups), "name": experiment["name"]}


async def do_confirmed(pending: Mapping[str, Any], calls: Calls) -> Update:
    """Do what the person has said yes to."""
    operation = pending["operation"]
    args = dict(operation["args"])
    user = str(args["user_id"])
    groups = args.get("groups") or operation.get("groups") or {}
    kept: Update = {"current_user_id": user, "user_groups": groups}
    if operation["tool"] == "simulate_user_journey":
        found = await calls(simulate_user_journey, **args)
        return {**told_journey(found, str(operation["name"]), user), **kept}
    if operation["tool"] == "initialize_user":
        return {**await _initialised(args, groups, calls), **kept}
    await calls(initialize_user, user_id=user, **given_groups(groups))
    try:
        found = await calls(mark_decision_point_visit, **args)
    except Fault as fault:
        raise _not_marked(fault, user, groups, args, str(pending["server"])) from None
    told = f"User {user} was marked at {found['site']} / {found['target']} with {found['condition'] or 'the default'}."
    return {"bot_response": told, "told": told, **kept}


def _not_marked(
    fault: Fault, user: str, groups: Mapping[str, list[str]], visit: Mapping[str, Any], server: str
) -> Fault:
    """What is told where a user was made known and its visit failed."""
    is_known = fault.kind not in RETRYABLE
    marked = "was not recorded" if is_known else "may have been recorded or not"
    point = f"{visit['site']} / {visit['target']}"
    told = f"User {user} is initialised on {server}, {with_groups(groups)}; its visit at {point} {marked}."
    done = {"server": server, "initialised": user, "groups": dict(groups), "visit": "none" if is_known else "unknown"}
    return Fault(f"{fault.message} {told}", "partial", fault.suggestion, done)


async def _initialised(args: Mapping[str, Any], groups: Mapping[str, list[str]], calls: Calls) -> Update:
    await calls(initialize_user, **args)
    told = f"User {args['user_id']} is initialised, {with_groups(groups)}."
    working = ", ".join(f"{kind} {ids[0]}" for kind, ids in groups.items() if ids)
    more = f" The working group is {working}." if working else ""
    params = named_params({"user_id": args["user_id"]}, groups=groups)
    previous = {"capability": _OWN, "fields": {"task": "initialise", "user_id": args["user_id"]}}
    return {"bot_response": f"{told}{more}", "told": told, "params": params, "previous": previous}


def _explained(found: Mapping[str, Any], name: str) -> str:
    """The decision in words: what it is, which step decided, and every step."""
    condition = f"**{found['condition']}**" if found["condition"] else "the default (no condition)"
    decided = str(found["decided_by"]).replace("_", " ")
    lines = [f"User {found['user_id']} would get {condition} in {name}; decided by: {decided}."]
    steps = enumerate(found["steps"], start=1)
    lines.append("\n".join(f"{at}. {one['step'].replace('_', ' ')}: {one['detail']}" for at, one in steps))
    if found.get("note"):
        lines.append(str(found["note"]))
    return "\n\n".join(lines)


def _steps(found: Mapping[str, Any]) -> dict[str, Any]:
    rows = [[one["step"].replace("_", " "), "yes" if one["passed"] else "no", one["detail"]] for one in found["steps"]]
    return blocks.table(["step", "passed", "why"], rows, f"How {found['user_id']} is assigned")


def told_journey(found: Mapping[str, Any], name: str, user: str) -> Update:
    """A user's way through an experiment."""
    where = "the live experiment" if found.get("on_live") else "a disposable copy, which is gone again"
    lines = [
        f"- visit {one['visit']} at {one['site']} / {one['target']}: assigned {one['assigned'] or 'the default'}, "
        f"{'recorded as ' + one['recorded'] if one['recorded'] else 'recorded without a condition'}"
        for one in found["visits"]
    ]
    told = f"User {user} in {name}, on {where}:"
    if not found.get("on_live"):
        lines.append(
            f"\nA copy draws anew: in {name} itself user {user} would get {found['expected'] or 'the default'}."
        )
    rows = [[one["visit"], one["site"], one["target"], one["assigned"], one["recorded"]] for one in found["visits"]]
    return {
        "bot_response": f"{told}\n\n" + "\n".join(lines),
        "told": told,
        "blocks": [blocks.table(["visit", "site", "target", "assigned", "recorded"], rows)],
    }
