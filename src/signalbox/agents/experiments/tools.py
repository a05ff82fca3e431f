# ruff: noqa: PT028 - two tools of the contract are called test_…, and are no tests
"""The eighteen tools of the contract. Each is an async function that gives a `ToolResult` and never raises for what
the server or the arguments do: `{success, data, raw_response, error, error_type, endpoint}`.

They ask the client of the run (`clients.current_client`). An experiment may be named by its id or by its name; a name
that fits none gives `error_type` not_found with the nearest in `data["options"]`, one that fits several `ambiguous`.
A tool that writes takes `expected_revision` (where the experiment has changed since, nothing is done: `conflict`) and
`key`: a write of the same key is done once, however often it is asked for. One that stopped midway is `partial`, and
`data["written"]` says what is stored and what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments import balance, consistency, drafts, finding, journeys, users, writing
from signalbox.agents.experiments.clients import current_client, source_of
from signalbox.agents.experiments.glossary import all_concepts, find_concept
from signalbox.agents.experiments.narrowing import Window, moment_of_call, narrowed
from signalbox.agents.experiments.outcome import (
    CHECK_SECONDS,
    TRIAL_SECONDS,
    Done,
    ToolResult,
    in_time,
    tool,
    writing_tool,
)
from signalbox.agents.experiments.shape import brief, read_experiment

__all__ = [
    "DESTRUCTIVE",
    "TOOLS",
    "ToolResult",
    "check_upgrade_health",
    "create_experiment",
    "delete_experiment",
    "explain_upgrade_concept",
    "generate_test_users",
    "get_all_experiments",
    "get_context_metadata",
    "get_experiment_details",
    "get_experiment_names",
    "get_user_assignments",
    "initialize_user",
    "list_upgrade_concepts",
    "mark_decision_point_visit",
    "simulate_user_journey",
    "test_condition_balance",
    "test_consistency_rules",
    "update_experiment",
    "update_experiment_status",
]

Progress = Callable[[int, int], None]
Groups = Mapping[str, Sequence[str]]


# Terms


@tool
async def explain_upgrade_concept(concept: str) -> Done:
    """Explain a term of UpGrade: `{name, aliases, definition, example, related, values}`."""
    found = find_concept(concept)
    return Done(found, summary=str(found["name"]))


@tool
async def list_upgrade_concepts() -> Done:
    """The terms that can be explained: `[{name, aliases}]`."""
    found = [{"name": one["name"], "aliases": one.get("aliases") or []} for one in all_concepts()]
    return Done(found, summary=f"{len(found)} concepts")


# The server


@tool
async def check_upgrade_health() -> Done:
    """Whether the server answers, and its release: `{status, name, version, description, address}`."""
    client = current_client()
    raw = await in_time(client.health(), CHECK_SECONDS, "The health check")
    return Done(
        {"status": "up", **raw, "address": source_of(client)["address"]}, raw, "GET /", f"UpGrade {raw.get('version')}"
    )


@tool
async def get_context_metadata(context: str | None = None) -> Done:
    """What each context offers: `{context: {conditions, group_types, sites, targets}}`; of one, or of all."""
    raw = await current_client().context_metadata()
    found = finding.metadata_of(raw, context)
    return Done(found, raw, "GET /experiments/contextMetaData", f"{len(found)} contexts")


# Reading experiments


@tool
async def get_experiment_names() -> Done:
    """The names of all experiments: `[{id, name}]`."""
    raw = await current_client().names()
    found = [{"id": one["id"], "name": one["name"]} for one in raw]
    return Done(found, raw, "GET /experiments/names", f"{len(found)} names")


@tool
async def get_all_experiments(
    context: str | None = None,
    status: str | None = None,
    name_contains: str | None = None,
    tag: str | None = None,
    created_after: str | None = None,
    created_before: str | None = None,
) -> Done:
    """The experiments, in short, that fit all that is said; times are ISO 8601.

    `[{id, name, context, state, state_shown, assignment_unit, tags, created_at, updated_at, conditions: [code],
    decision_points: ["site / target"]}]`
    """
    raw = await current_client().experiments()
    found = [brief(read_experiment(one)) for one in raw if not finding.is_clone(one)]
    created = Window(moment_of_call(created_after), moment_of_call(created_before))
    state = finding.known_state(status) if status else None
    filters = {"context": context, "state": state, "name": name_contains, "tag": tag, "created": created}
    found, _ = narrowed(found, filters)
    return Done(found, raw, "GET /experiments", f"{len(found)} experiments")


@tool
async def get_experiment_details(experiment: str) -> Done:
    """One experiment, whole, by id or name: see `shape.read_experiment`, and with it `enrollment`
    (`{users, groups, users_excluded, groups_excluded, conditions: {code: {users, groups}}}`)
    and `warnings`: what about it is likely to surprise."""
    client = current_client()
    raw = await finding.find(client, experiment)
    found = read_experiment(raw)
    found["enrollment"] = await finding.enrollment_of(client, found)
    found["warnings"] = await drafts.warnings_about(client, found)
    return Done(found, raw, f"GET /experiments/single/{found['id']}", f"{found['name']}: {found['state']}")


# Writing experiments


@writing_tool
async def create_experiment(
    name: str,
    context: str,
    conditions: Sequence[Mapping[str, Any]],
    decision_points: Sequence[Mapping[str, Any]],
    assignment_unit: str = "individual",
    consistency_rule: str | None = None,
    group: str | None = None,
    post_rule: str = "continue",
    revert_to: str | None = None,
    filter_mode: str = "includeAll",
    description: str = "",
    tags: Sequence[str] = (),
    include_users: Sequence[str] = (),
    include_groups: Groups | None = None,
    exclude_users: Sequence[str] = (),
    exclude_groups: Groups | None = None,
    status: str = "inactive",
    key: str | None = None,
) -> Done:
    """Make an experiment and read it back: `{experiment, asked, stored, differences}`.

    conditions: `[{code, weight, payload?}]` in percent; decision_points: `[{site, target, exclude_if_reached?}]`;
    include_groups and exclude_groups: `{type: [ids]}`; revert_to: a condition's code, where post_rule is assign.
    Everything that the server would take in silence is checked first (`drafts.check_draft`): `validation`.
    """
    said = {name: value for name, value in locals().items() if value and name != "key"}
    said.setdefault("consistency_rule", "group" if assignment_unit == "group" else "individual")
    draft = drafts.Draft(**said)
    return await writing.create(current_client(), draft, key)


@writing_tool
async def update_experiment(
    experiment: str,
    changes: Mapping[str, Any],
    key: str | None = None,
    expected_revision: str | None = None,
) -> Done:
    """Change an experiment and read it back: `{experiment, before, changed, differences, warnings}`.

    `changes` has the fields of create_experiment that are to be other than they are; conditions and decision points
    are given whole, but keep their ids where code, or site and target, stay. A condition without a payload keeps the
    payloads that it has.
    """
    return await writing.update(current_client(), experiment, changes, expected_revision, key)


@writing_tool
async def update_experiment_status(
    experiment: str,
    status: str,
    key: str | None = None,
    schedule: str | None = None,
    expected_revision: str | None = None,
) -> Done:
    """Move an experiment to a state, of either spelling: `{experiment, before, after, changed}`.

    `schedule` is the moment, ISO 8601, at which one that is moved to scheduled starts.
    """
    return await writing.move(current_client(), experiment, status, expected_revision, key, schedule)


@writing_tool
async def delete_experiment(
    experiment: str,
    key: str | None = None,
    expected_revision: str | None = None,
    expected_users: int | None = None,
) -> Done:
    """Remove an experiment and everything that was enrolled in it: `{id, name, users, groups}` that were lost.

    `expected_users`: how many were enrolled when it was decided.
    """
    return await writing.delete(current_client(), experiment, expected_revision, key, expected_users)


# Users


@writing_tool
async def initialize_user(
    user_id: str, groups: Groups | None = None, working_groups: Mapping[str, str] | None = None
) -> Done:
    """Make a user known to the server, with groups `{type: [ids]}` and working groups `{type: id}`."""
    raw = await users.initialize(current_client(), user_id, groups, working_groups)
    found = {"id": raw.get("id"), "groups": raw.get("group"), "working_groups": raw.get("workingGroup")}
    return Done(found, raw, "POST /v6/init", f"{user_id} is known")


@tool
async def get_user_assignments(user_id: str, context: str) -> Done:
    """What a known user is given in a context: `[{site, target, condition, condition_id, experiment_id, payload}]`.
    A decision point that is not there means the default. Enrols nobody."""
    raw = await current_client().assign(user_id, context)
    found = users.assignments(raw)
    return Done(found, raw, "POST /v6/assign", f"{len(found)} decision points")


@writing_tool
async def mark_decision_point_visit(
    user_id: str,
    site: str,
    target: str,
    context: str | None = None,
    condition: str | None = None,
    experiment_id: str | None = None,
    status: str = "condition applied",
) -> Done:
    """Say that a user was at a decision point, which enrols or excludes it: `{user_id, site, target, condition,
    experiment_id}`. With a context, the condition is the one that the server assigns there; status is
    condition applied, condition not applied or no condition assigned."""
    client = current_client()
    given = await users.given_at(client, user_id, context, site, target) if context and not condition else None
    if condition:
        given = {"conditionCode": condition, "experimentId": experiment_id}
    raw = await client.mark(user_id, site, target, given, status if given else "no condition assigned")
    kept = {"user_id": raw.get("userId"), "site": raw.get("site"), "target": raw.get("target")}
    found = kept | {"condition": raw.get("condition"), "experiment_id": raw.get("experimentId")}
    return Done(found, raw, "POST /v6/mark", f"{user_id} at {site} / {target}: {raw.get('condition') or 'default'}")


# Trying out


@writing_tool
async def simulate_user_journey(
    experiment: str,
    user_id: str,
    groups: Groups | None = None,
    working_groups: Mapping[str, str] | None = None,
    visits: int = 1,
    on_live: bool = False,
) -> Done:
    """Let one user come to every decision point of an experiment, so many times, on a disposable clone of it:
    `{experiment, user_id, on_live, clone, visits: [{visit, site, target, assigned, recorded, enrolled}], expected,
    explanation}`. With `on_live` the real experiment is visited, which enrols the user in it."""
    client = current_client()
    raw = await finding.find(client, experiment)
    return await journeys.simulate(client, raw, user_id, groups, working_groups, visits, on_live)


@writing_tool
async def test_condition_balance(
    experiment: str,
    num_users: int = 1000,
    num_groups: int | None = None,
    on_live: bool = False,
    groups: list[str] | None = None,
    progress: Progress | None = None,
) -> Done:
    """Let so many made-up users come to an experiment, on a disposable clone of it, and judge how they were divided.

    Where it assigns by group, the groups are the units: `num_groups` made-up ones, or on a clone the named `groups`.

    `{experiment, on_live, unit: individual|group, users, units, arms: [{code, weight, observed, expected, share, low,
    high, users}], enrolled, default, p_value, test: chi-square|exact, balanced, mismatches,
    notes: [text]}`. All are asked for; on a clone the first 500 are also enrolled, on the live one
    everybody. Who had not come when the time was over is left out, and `notes` says so.
    `progress(done, total)` is called as they come.
    """
    client = current_client()

    async def work() -> Done:
        raw = await finding.find(client, experiment)
        return await balance.try_balance(client, raw, num_users, num_groups, on_live, progress, groups or ())

    await in_time(client.health(), CHECK_SECONDS, "The balance test")
    return await in_time(work(), TRIAL_SECONDS, "The balance test")


@writing_tool
async def test_consistency_rules(experiment: str, on_live: bool = False, progress: Progress | None = None) -> Done:
    """Take five users through the phases of an experiment (before, while enrolling, after), on a disposable clone, and
    compare what each was given with what its unit, rule, post rule and excludeIfReached promise.

    `{experiment, unit, consistency_rule, post_rule, exclude_if_reached, phases: [name], rows: [{user, group, before,
    enrolling, complete, expected: {…}}], violations: [text], consistent, enrollment}`
    """
    client = current_client()

    async def work() -> Done:
        raw = await finding.find(client, experiment)
        return await consistency.try_consistency(client, raw, on_live, progress)

    await in_time(client.health(), CHECK_SECONDS, "The consistency test")
    return await in_time(work(), TRIAL_SECONDS, "The consistency test")


@tool
async def generate_test_users(count: int, group_type: str | None = None, num_groups: int | None = None) -> Done:
    """Make up users, the same each time: `[{id, groups, working_groups}]`; nothing is sent to the server."""
    found = users.made_up(count, group_type, num_groups)
    return Done(found, summary=f"{count} users")


TOOLS: tuple[Callable[..., Any], ...] = (
    explain_upgrade_concept,
    list_upgrade_concepts,
    check_upgrade_health,
    get_context_metadata,
    get_experiment_names,
    get_all_experiments,
    get_experiment_details,
    create_experiment,
    update_experiment,
    update_experiment_status,
    delete_experiment,
    initialize_user,
    get_user_assignments,
    mark_decision_point_visit,
    simulate_user_journey,
    test_condition_balance,
    test_consistency_rules,
    generate_test_users,
)
"""All eighteen, in the contract's order."""

DESTRUCTIVE = frozenset({"update_experiment", "update_experiment_status", "delete_experiment"})
"""The names of those that may take away what was there."""

# These two are tools, not tests, whatever a collector of tests makes of their names.
test_condition_balance.__test__ = False  # type: ignore[attr-defined]
test_consistency_rules.__test__ = False  # type: ignore[attr-defined]
