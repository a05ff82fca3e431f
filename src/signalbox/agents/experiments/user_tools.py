"""The tools for one user: what it would get and why, what it is given, and its way through an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments import tools as upgrade
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.change_tools import Group
from signalbox.agents.experiments.clients import current_client, server_name
from signalbox.agents.experiments.exact_names import (
    all_experiments,
    check_known,
    find_exactly,
    group_types,
    groups_by_type,
    metadata_of_context,
)
from signalbox.agents.experiments.predict import explain_assignment as explain
from signalbox.agents.experiments.questions import done_once
from signalbox.agents.experiments.tool_results import Experiment, as_result, details_of, proposal_source, taken_up
from signalbox.agents.experiments.user_simulation import (
    confirmed_visit,
    do_confirmed,
    given_groups,
    told_assignment,
    told_assignments,
    told_journey,
    with_groups,
)
from signalbox.contract import blocks
from signalbox.toolbox import Proposal, Result, Tool, tool
from signalbox.upgrade.states import ASSIGNING

__all__ = ["USER_TOOLS", "known_groups"]

User = Annotated[str, Field(min_length=1, description="the user's id, as it was said")]
Groups = Annotated[list[Group] | None, Field(max_length=50, description="the groups that the user is in")]
_MOST_EXPLAINED = 8


async def known_groups(groups: Sequence[Group] | None, context: str = "") -> dict[str, list[str]]:
    """The groups by type. Raises UpgradeError for a type that the context, or any context, does not have."""
    held: Any = groups
    return groups_by_type(held, await group_types(context))


def _spoken(user_id: str, groups: Mapping[str, list[str]], one: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the state keeps of the user and the experiment."""
    params: dict[str, Any] = {"user_id": user_id, **({"groups": dict(groups)} if groups else {})}
    kept: dict[str, Any] = {"current_user_id": user_id, "user_groups": dict(groups), "operation_type": "simulate"}
    if one:
        params["experiment_name"] = one["name"]
        kept |= {"current_experiment_id": one["id"], "shown": [{"id": one["id"], "name": one["name"]}]}
    return {**kept, "params": params}


@tool(effect="read")
async def explain_assignment(
    user_id: User,
    experiment: Annotated[str, Field(description="its id, or its exact name; or else a context")] = "",
    context: Annotated[str, Field(description="all running experiments of this context instead")] = "",
    site: Annotated[str, Field(description="of these, those at this decision point")] = "",
    target: str = "",
    groups: Groups = None,
) -> Result:
    """What condition a user would get of an experiment, and why, step by step by UpGrade's rules. Enrols nobody."""

    async def work(calls: Calls) -> dict[str, Any]:
        every = await all_experiments()
        if experiment:
            one = find_exactly(experiment, every)
            where = f"for the experiment '{one['name']}'"
            check_known("context", context, [one["context"]], where)
            _at_point([one], site, target, where)
            held = await known_groups(groups, one["context"])
            found = await calls(explain, experiment=one["id"], user_id=user_id, **given_groups(held))
            return {**told_assignment(found, one["name"]), **_spoken(user_id, held, one)}
        await metadata_of_context(context)
        held = await known_groups(groups, context)
        chosen = _at_point([one for one in every if not context or one["context"] == context], site, target)
        could = [one for one in chosen if one["state"] in ASSIGNING]
        explained = [
            (one["name"], await calls(explain, experiment=one["id"], user_id=user_id, **given_groups(held)))
            for one in could[:_MOST_EXPLAINED]
        ]
        left = [f"{one['name']}: only {_MOST_EXPLAINED} are explained at once" for one in could[_MOST_EXPLAINED:]]
        return {**told_assignments(user_id, explained), **_spoken(user_id, held), "not_covered": left}

    return await as_result(work)


def _at_point(
    experiments: Sequence[Mapping[str, Any]], site: str, target: str, where: str = ""
) -> list[Mapping[str, Any]]:
    """Those that have a decision point with this site and target. Raises UpgradeError for one that none has."""
    points = {one["id"]: [point.split(" / ", 1) for point in one["decision_points"]] for one in experiments}
    every = [point for own in points.values() for point in own]
    check_known("site", site, [point[0] for point in every], where)
    check_known("target", target, [point[1] for point in every if site in ("", point[0])], where)
    return [
        one
        for one in experiments
        if not (site or target)
        or any(site in ("", point[0]) and target in ("", point[1]) for point in points[one["id"]])
    ]


@tool(effect="read")
async def get_user_assignments(user_id: User, context: str) -> Result:
    """What the server gives a user whom it knows at every decision point of a context. Enrols nobody."""

    async def work(calls: Calls) -> dict[str, Any]:
        await metadata_of_context(context)
        found = await calls(upgrade.get_user_assignments, user_id=user_id, context=context)
        lines = [f"- {one['site']} / {one['target']}: {one['condition']}" for one in found]
        rows = [[one["site"], one["target"], one["condition"]] for one in found]
        told = f"User {user_id} is given in {context}, and the default everywhere else:\n\n" + "\n".join(lines)
        return {
            "bot_response": told if found else f"User {user_id} is given the default everywhere in {context}.",
            "blocks": [blocks.table(["site", "target", "condition"], rows)] if rows else [],
            "active_context": context,
            "current_user_id": user_id,
            "operation_type": "simulate",
            "params": {"user_id": user_id, "context": context},
        }

    return await as_result(work)


@tool(effect="read")
async def simulate_user_journey(
    experiment: Experiment,
    user_id: User,
    groups: Groups = None,
    visits: Annotated[int, Field(ge=1, le=100)] = 1,
) -> Result:
    """Let a user come to every decision point of a disposable copy of an experiment, and tell what was recorded."""

    async def work(calls: Calls) -> dict[str, Any]:
        one = find_exactly(experiment, await all_experiments())
        held = await known_groups(groups, one["context"])
        args = {"experiment": one["id"], "user_id": user_id, "visits": visits, **given_groups(held)}
        found = await calls(upgrade.simulate_user_journey, **args)
        return {**told_journey(found, one["name"], user_id), **_spoken(user_id, held, one)}

    return await as_result(work)


async def _preview_user(user_id: str, groups: Groups = None) -> Proposal:
    held = await known_groups(groups)
    what = f"Initialise user {user_id}? The server keeps it, and these as all its groups."
    return Proposal(what, [("groups", None, with_groups(held))], source=proposal_source())


@tool(preview=_preview_user)
async def initialize_user(user_id: User, key: str, groups: Groups = None) -> Result:
    """Make a user known to the server, with these as all of its groups."""

    async def work(calls: Calls) -> dict[str, Any]:
        held = await known_groups(groups)
        operation = {"tool": "initialize_user", "args": {"user_id": user_id, **given_groups(held)}}
        return await once(operation, key, calls) | _spoken(user_id, held)

    return await as_result(work)


async def _point_of(experiment: str, site: str, target: str) -> dict[str, Any]:
    """The experiment. Raises UpgradeError where it has no such decision point."""
    there = await details_of(experiment)
    points = [f"{one['site']} / {one['target']}" for one in there["decision_points"]]
    if site or target:
        check_known("decision point", f"{site} / {target}", points)
    return there


async def _preview_visit(
    experiment: str, user_id: str, site: str = "", target: str = "", groups: Groups = None
) -> Proposal:
    there = await _point_of(experiment, site, target)
    held = await known_groups(groups, there["context"])
    points = [f"{one['site']} / {one['target']}" for one in there["decision_points"]]
    what = f"Enrol user {user_id} in the live experiment '{there['name']}'? This counts in its data."
    rows = [("visits", None, f"{site} / {target}" if site else ", ".join(points)), ("groups", None, with_groups(held))]
    return Proposal(what, rows, source=proposal_source())


@tool(preview=_preview_visit)
async def mark_decision_point_visit(
    experiment: Experiment,
    user_id: User,
    key: str,
    site: Annotated[str, Field(description="by default, every decision point of the experiment")] = "",
    target: str = "",
    groups: Groups = None,
) -> Result:
    """Mark a user's visit on the live experiment, which enrols the user in it; not for trying something out."""

    async def work(calls: Calls) -> dict[str, Any]:
        there = await _point_of(experiment, site, target)
        held = await known_groups(groups, there["context"])
        operation = confirmed_visit(there, user_id, held, (site, target) if site else None)
        return await once(operation, key, calls) | _spoken(user_id, held, there)

    return await as_result(work)


async def once(operation: Mapping[str, Any], key: str, calls: Calls) -> dict[str, Any]:
    """Do what the person has said yes to, once for a key. Raises Fault."""
    pending = {"operation": operation, "key": key, "server": server_name(current_client())}
    return dict(await done_once(pending, "it was done", lambda: do_confirmed(pending, calls)))


USER_TOOLS: dict[str, tuple[Tool, ...]] = {
    "user_simulation": (
        explain_assignment,
        get_user_assignments,
        simulate_user_journey,
        taken_up(initialize_user),
        taken_up(mark_decision_point_visit),
    ),
}
"""By the capability that they belong to."""
