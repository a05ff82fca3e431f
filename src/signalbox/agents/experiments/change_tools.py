"""The tools that create, change, move and delete experiments. Each shows what it would do, and waits for a yes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import AwareDatetime, ConfigDict, Field
from typing_extensions import TypedDict

from signalbox.agents.experiments import drafts
from signalbox.agents.experiments import tools as upgrade
from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.changes import changes_of, plain_values
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.exact_names import (
    check_known,
    group_types,
    groups_by_type,
    metadata_of_context,
)
from signalbox.agents.experiments.experiment_management import move_question, problems_of, report_write
from signalbox.agents.experiments.questions import deletion, what_goes
from signalbox.agents.experiments.reports import change_rows, new_rows, told_notes
from signalbox.agents.experiments.tool_results import (
    Experiment,
    as_result,
    begun_write,
    details_of,
    proposal_source,
    taken_up,
)
from signalbox.settings import now, person_zone
from signalbox.toolbox import Proposal, Result, Tool, tool
from signalbox.upgrade.changing import effects_of_update
from signalbox.upgrade.states import shown_state

__all__ = ["CHANGE_TOOLS", "NO_CHANGE", "Group"]

NO_CHANGE = "no_change"
"""The kind of the error where everything is as it would be after the change."""
_STRICT = ConfigDict(extra="forbid")
_ACTION_OF = {status: action for action, status in STATUS_OF.items()}


class Condition(TypedDict):
    """A condition: its code, and its weight in percent."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]
    code: str
    weight: Annotated[float, Field(ge=0, le=100)]
    payload: NotRequired[str]


class Weight(TypedDict):
    """The weight, in percent, of a condition that there is."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]
    code: str
    weight: Annotated[float, Field(ge=0, le=100)]


class Point(TypedDict):
    """A decision point."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]
    site: str
    target: str
    exclude_if_reached: NotRequired[bool]


class Group(TypedDict):
    """A group of users, such as classId 7a."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]
    type: str
    id: str


Conditions = Annotated[list[Condition], Field(min_length=1, max_length=50)]
Points = Annotated[list[Point], Field(min_length=1, max_length=50)]
Names = Annotated[list[str] | None, Field(max_length=200)]
Groups = Annotated[list[Group] | None, Field(max_length=200)]
Text = Annotated[str, Field(max_length=5000)]
Unit = Literal["individual", "group"]
Rule = Literal["individual", "group", "experiment"]
PostRule = Annotated[
    Literal["continue", "revert", "assign"] | None,
    Field(description="after it ends: continue, revert to the default, or assign the condition `revert_to` to all"),
]
Filter = Literal["includeAll", "excludeAll"]
Moved = Literal["inactive", "scheduled", "preview", "enrolling", "enrollmentComplete", "cancelled", "archived"]


async def _new_args(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the contract's create_experiment. Raises UpgradeError for what there is not."""
    context, group = str(given["context"]), given.get("group_type")
    types = (await metadata_of_context(context))[context]["group_types"]
    check_known("group type", group or "", types)
    unit = given.get("assignment_unit") or ("group" if group else "individual")
    args = {
        "name": given["name"].strip(),
        "context": context,
        "consistency_rule": unit,
        "post_rule": "continue",
        **plain_values(given),
        "assignment_unit": unit,
        "group": group,
        **{f"{kind}_groups": groups_by_type(given.get(f"{kind}_groups"), types) for kind in ("include", "exclude")},
    }
    return {name: value for name, value in args.items() if value not in (None, "", {})}


async def _preview_new(**given: Any) -> Proposal:
    args = await _new_args(given)
    problems = await problems_of(drafts.Draft(**args))
    drafts.raise_for(problems)
    notes = told_notes([one.message for one in problems])
    what = f"Create the experiment '{args['name']}'? It will be inactive.{notes}"
    return Proposal(what, new_rows(args), source=proposal_source())


@tool(preview=_preview_new)
async def create_experiment(
    name: Annotated[str, Field(min_length=1)],
    context: str,
    conditions: Conditions,
    decision_points: Points,
    key: str,
    assignment_unit: Unit | None = None,
    group_type: Annotated[str, Field(description="with the unit group: which kind of group")] = "",
    consistency_rule: Rule | None = None,
    post_rule: PostRule = None,
    revert_to: Annotated[str, Field(description="the code of a condition")] = "",
    filter_mode: Filter = "includeAll",
    description: Text = "",
    tags: Names = None,
    include_users: Names = None,
    include_groups: Groups = None,
    exclude_users: Names = None,
    exclude_groups: Groups = None,
) -> Result:
    """Create an experiment; it is inactive until it is started."""
    given = dict(locals())

    async def work(calls: Calls) -> dict[str, Any]:
        args = await _new_args(given)
        done = await calls(upgrade.create_experiment, **args, key=key)
        weights = {one["code"]: one["weight"] for one in args["conditions"]}
        return report_write("create_experiment", done, args) | {
            "params": {"experiment_name": args["name"], "context": args["context"], "condition_weights": weights}
        }

    return await as_result(work)


async def _changes_of(experiment: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    if experiment["type"] != "Simple" or experiment["assignment_unit"] not in drafts.UNITS:
        told = "This kind of experiment is only shown here."
        raise UpgradeError(told, "unsupported", suggestion="Change it on UpGrade's page.")
    return changes_of(experiment, given, await group_types(experiment["context"]))


async def _preview_update(experiment: str, **given: Any) -> Proposal:
    there = await details_of(experiment)
    changes = await _changes_of(there, given)
    rows = change_rows(there, changes)
    if not rows:
        raise UpgradeError(f"'{there['name']}' is so already. Nothing was changed.", NO_CHANGE)
    draft = drafts.apply(drafts.draft_of(there), changes)
    problems = await problems_of(draft, there["id"])
    drafts.raise_for(problems)
    notes = [one.message for one in problems if one.field in changes]
    notes += effects_of_update(there, vars(draft))
    what = f"Change '{there['name']}'?{told_notes(notes)}"
    return Proposal(what, rows, source=proposal_source(), version=there["revision"])


@tool(preview=_preview_update)
async def update_experiment(
    experiment: Experiment,
    key: str,
    new_name: str = "",
    description: Text = "",
    tags: Annotated[Names, Field(description="all of its tags")] = None,
    weights: Annotated[list[Weight] | None, Field(description="new weights of conditions that it has")] = None,
    conditions: Annotated[
        Conditions | None, Field(description="all of its conditions, to add or to remove some; otherwise `weights`")
    ] = None,
    decision_points: Annotated[Points | None, Field(description="all of its decision points")] = None,
    assignment_unit: Unit | None = None,
    group_type: str = "",
    consistency_rule: Rule | None = None,
    post_rule: PostRule = None,
    revert_to: str = "",
    filter_mode: Filter | None = None,
    include_users: Annotated[Names, Field(description="users to add to its inclusion list")] = None,
    include_groups: Groups = None,
    exclude_users: Annotated[Names, Field(description="users to add to its exclusion list")] = None,
    exclude_groups: Groups = None,
) -> Result:
    """Change an experiment: only what is given becomes other than it is."""
    given = dict(locals())

    async def work(calls: Calls) -> dict[str, Any]:
        if begun := begun_write(key):
            own, changes = begun["id"], begun["update"]
        else:
            there = await details_of(experiment)
            own, changes = there["id"], await _changes_of(there, given)
        done = await calls(upgrade.update_experiment, experiment=own, changes=changes, key=key)
        return report_write("update_experiment", done, {"changes": changes})

    return await as_result(work)


def _starts(status: str, start_at: Any) -> str:
    """The moment that a start is scheduled for, ISO 8601; empty for other states. Raises UpgradeError."""
    if status != "scheduled":
        return ""
    if start_at is None:
        raise UpgradeError("It is not said when it is to start.", "validation", suggestion="Give `start_at`.")
    if start_at <= now():
        raise UpgradeError(f"{start_at.isoformat()} lies in the past.", "validation")
    return str(start_at.astimezone(person_zone()).isoformat())


async def _preview_status(experiment: str, status: Moved, start_at: AwareDatetime | None = None) -> Proposal:
    there, schedule = await details_of(experiment), _starts(status, start_at)
    if there["state"] == status and not schedule:
        raise UpgradeError(f"'{there['name']}' is {there['state_shown']} already. Nothing was changed.", NO_CHANGE)
    notes = there["warnings"] if status in ("enrolling", "scheduled") else []
    what = f"{move_question(_ACTION_OF[status], there, status, schedule)}{told_notes(notes)}"
    rows = [("state", there["state_shown"], shown_state(status))]
    return Proposal(what, rows, source=proposal_source(), version=there["revision"])


@tool(preview=_preview_status)
async def update_experiment_status(
    experiment: Experiment,
    status: Annotated[Moved, Field(description="enrolling starts it, enrollmentComplete stops it")],
    key: str,
    start_at: Annotated[AwareDatetime | None, Field(description="with scheduled: when it starts")] = None,
) -> Result:
    """Start, stop, schedule, preview, cancel, archive or deactivate an experiment."""

    async def work(calls: Calls) -> dict[str, Any]:
        begun = begun_write(key)
        own = begun["id"] if begun else (await details_of(experiment))["id"]
        args = {"experiment": own, "status": status, "schedule": _starts(status, start_at) or None}
        done = await calls(upgrade.update_experiment_status, **args, key=key)
        return report_write("update_experiment_status", done, {}) | {"params": {"status": status}}

    return await as_result(work)


async def _preview_deletion(experiment: str) -> Proposal:
    there = await details_of(experiment)
    version = f"{there['revision']} {there['enrollment']['users']}"
    return Proposal(deletion(there), what_goes(there), source=proposal_source(), version=version)


@tool(preview=_preview_deletion)
async def delete_experiment(experiment: Experiment, key: str) -> Result:
    """Delete an experiment, with everything that was enrolled in it."""

    async def work(calls: Calls) -> dict[str, Any]:
        begun = begun_write(key)
        own = begun["delete"]["id"] if begun else (await details_of(experiment))["id"]
        done = await calls(upgrade.delete_experiment, experiment=own, key=key)
        return report_write("delete_experiment", done, {})

    return await as_result(work)


CHANGE_TOOLS: dict[str, tuple[Tool, ...]] = {
    "experiment_management": tuple(
        map(taken_up, (create_experiment, update_experiment, update_experiment_status, delete_experiment))
    ),
}
"""By the capability that they belong to."""
