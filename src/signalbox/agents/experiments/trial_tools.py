"""The tools that put an experiment to the test with made-up users, on a disposable copy; on itself only after a yes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments import tools as upgrade
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.clients import current_client, server_name
from signalbox.agents.experiments.exact_names import all_experiments, check_known, find_exactly, group_types
from signalbox.agents.experiments.questions import done_once
from signalbox.agents.experiments.testing import run_test, told_users
from signalbox.agents.experiments.tool_results import Experiment, as_result, details_of, proposal_source, taken_up
from signalbox.agents.experiments.users import MOST_USERS
from signalbox.toolbox import Proposal, Result, Tool, tool

__all__ = ["TRIAL_TOOLS"]

Users = Annotated[int, Field(ge=1, le=MOST_USERS, description="how many users are made up")]
_NAMED = 20


@tool(effect="read", name="test_condition_balance")
async def balance_tool(
    experiment: Experiment,
    num_users: Users = 1000,
    num_groups: Annotated[int | None, Field(ge=1, description="in how many groups, if it assigns by group")] = None,
    groups: Annotated[list[str] | None, Field(max_length=50, description="the ids of these groups instead")] = None,
) -> Result:
    """Test whether made-up users are divided among the conditions by their weights, on a disposable copy; the server
    keeps the users themselves, in no experiment."""

    async def work(calls: Calls) -> dict[str, Any]:
        one = find_exactly(experiment, await all_experiments())
        args = {"experiment": one["id"], "num_users": num_users, "num_groups": num_groups, "groups": groups}
        given = {name: value for name, value in args.items() if value is not None}
        params = {"experiment_name": one["name"], "num_users": num_users}
        return {**await run_test("balance", given, one, calls), "params": params}

    return await as_result(work)


@tool(effect="read", name="test_consistency_rules")
async def consistency_tool(experiment: Experiment) -> Result:
    """Test whether unit, consistency rule and post-experiment rule hold, on a disposable copy."""

    async def work(calls: Calls) -> dict[str, Any]:
        one = find_exactly(experiment, await all_experiments())
        told = await run_test("consistency", {"experiment": one["id"]}, one, calls)
        return {**told, "params": {"experiment_name": one["name"]}}

    return await as_result(work)


@tool(effect="read")
async def generate_test_users(
    count: Users = 10,
    group_type: str = "",
    num_groups: Annotated[int | None, Field(ge=1)] = None,
) -> Result:
    """Make up users, without sending anything to the server."""

    async def work(calls: Calls) -> dict[str, Any]:
        check_known("group type", group_type, await group_types() if group_type else ())
        args = {"count": count, "group_type": group_type or None, "num_groups": num_groups}
        found = await calls(upgrade.generate_test_users, **args)
        told = told_users(found)
        first = ", ".join(one["id"] for one in found[:_NAMED])
        return {**told, "bot_response": f"{told['bot_response']} The first: {first}.", "params": {"num_users": count}}

    return await as_result(work)


async def _preview_enrolment(experiment: str, num_users: int = 100) -> Proposal:
    there = await details_of(experiment)
    what = (
        f"Enrol {num_users:,} made-up users in the live experiment '{there['name']}'? "
        "They would count in its data, and stay there."
    )
    return Proposal(what, [("made-up users", None, num_users)], source=proposal_source())


@tool(preview=_preview_enrolment)
async def enroll_test_users(experiment: Experiment, key: str, num_users: Users = 100) -> Result:
    """Enrol made-up users in the live experiment itself; tests take place on a copy with the other tools."""

    async def work(calls: Calls) -> dict[str, Any]:
        there = await details_of(experiment)
        args = {"experiment": there["id"], "num_users": num_users, "on_live": True}
        pending = {"operation": {"args": args}, "key": key, "server": server_name(current_client())}
        done = await done_once(pending, "everybody was enrolled", lambda: run_test("balance", args, there, calls))
        return {**done, "params": {"experiment_name": there["name"], "num_users": num_users}}

    return await as_result(work)


TRIAL_TOOLS: dict[str, tuple[Tool, ...]] = {
    "testing": (
        balance_tool,
        consistency_tool,
        generate_test_users,
        taken_up(enroll_test_users),
    ),
}
"""By the capability that they belong to."""
