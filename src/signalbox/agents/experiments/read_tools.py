"""The tools that only read: terms, the server, its contexts and its experiments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from signalbox.agents.experiments import experiment_listing, metric_results
from signalbox.agents.experiments import tools as upgrade
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.clients import current_client, server_name
from signalbox.agents.experiments.exact_names import all_experiments, check_known, find_exactly, metadata_of_context
from signalbox.agents.experiments.experiment_details import told_details
from signalbox.agents.experiments.experiment_listing import told_contexts, told_experiments
from signalbox.agents.experiments.narrowing import Window, narrowed, values_of
from signalbox.agents.experiments.result_texts import told_results
from signalbox.agents.experiments.terminology import told_concepts, told_terms
from signalbox.agents.experiments.tool_results import Experiment, Raw, as_result
from signalbox.language.names import did_you_mean
from signalbox.toolbox import Result, Tool, tool

__all__ = ["READ_TOOLS", "Status"]

Status = Literal[
    "inactive", "scheduled", "preview", "enrolling", "enrollmentComplete", "cancelled", "archived", "draft"
]
Aspect = Literal["conditions", "state", "decision_points", "rules", "segments", "enrolment", "dates"]
_MOST_TERMS, _MOST_SHOWN = 4, 6


@tool(effect="read")
async def explain_upgrade_concept(
    concepts: Annotated[list[str], Field(min_length=1, max_length=_MOST_TERMS)],
) -> Result:
    """Explain terms of UpGrade; of two, also what they have to do with each other."""

    async def work(calls: Calls) -> dict[str, Any]:
        found = [await calls(upgrade.explain_upgrade_concept, concept=one) for one in dict.fromkeys(concepts)]
        return {**told_concepts(found), "params": {"concept": found[0]["name"]}}

    return await as_result(work, has_system=False)


@tool(effect="read")
async def list_upgrade_concepts() -> Result:
    """The terms of UpGrade that can be explained."""

    async def work(calls: Calls) -> dict[str, Any]:
        return told_terms(await calls(upgrade.list_upgrade_concepts))

    return await as_result(work, has_system=False)


@tool(effect="read")
async def check_upgrade_health(raw: Raw = False) -> Result:
    """Whether the server answers, where it is, and its version."""

    async def work(calls: Calls) -> dict[str, Any]:
        health = await calls(upgrade.check_upgrade_health)
        # The address of the embedded one is another in every process.
        told = f"UpGrade {health.get('version') or '(version unknown)'} is up: {server_name(current_client())}."
        return {"bot_response": told, "params": {}}

    return await as_result(work, is_raw=raw)


@tool(effect="read")
async def get_all_experiments(
    context: str = "",
    status: Annotated[
        Status | None, Field(description="enrolling is running, enrollmentComplete is stopped (paused)")
    ] = None,
    not_status: Annotated[Status | None, Field(description="all but those in this state")] = None,
    name_contains: str = "",
    tag: str = "",
    condition: Annotated[str, Field(description="the code of a condition that they have")] = "",
    site: str = "",
    target: str = "",
    assignment_unit: Literal["individual", "group"] | None = None,
    created_after: AwareDatetime | None = None,
    created_before: AwareDatetime | None = None,
    changed_after: AwareDatetime | None = None,
    changed_before: AwareDatetime | None = None,
    raw: Raw = False,
) -> Result:
    """List the experiments that fit all that is given; all of them if nothing is. Values are exact."""
    filters = {
        "context": context,
        "state": status,
        "not_state": not_status,
        "name": name_contains,
        "tag": tag,
        "condition": condition,
        "site": site,
        "target": target,
        "unit": assignment_unit,
        "created": _window(created_after, created_before),
        "changed": _window(changed_after, changed_before),
    }
    exact = {"tag": tag, "condition": condition, "site": site, "target": target}

    async def work(calls: Calls) -> dict[str, Any]:
        every = await calls(upgrade.get_all_experiments)
        if context:
            check_known("context", context, [*await metadata_of_context(), *(one["context"] for one in every)])
        for what, value in exact.items():
            check_known(what, value, [known for one in every for known in values_of(one, what)])
        found, words = narrowed(every, filters)
        told = told_experiments(found, words, len(every))
        if not found and not any(name_contains.casefold() in one["name"].casefold() for one in every):
            near = did_you_mean(name_contains, [one["name"] for one in every])
            told["bot_response"] = f"{told['bot_response']} {near}".strip()
        params = {"context": context, "status": status, "experiment_name": name_contains, "site": site}
        return {**told, "params": {key: value for key, value in params.items() if value}}

    return await as_result(work, is_raw=raw)


def _window(after: datetime | None, before: datetime | None) -> Window:
    words = [f"from {after.isoformat(' ', 'minutes')} on"] if after else []
    words += [f"before {before.isoformat(' ', 'minutes')}"] if before else []
    return Window(after, before, " and ".join(words))


@tool(effect="read")
async def get_context_metadata(
    context: Annotated[str, Field(description="of one context only")] = "", raw: Raw = False
) -> Result:
    """The contexts (apps) of the server, and the conditions, group types, sites and targets that each offers."""

    async def work(calls: Calls) -> dict[str, Any]:
        await metadata_of_context(context)
        found = await calls(upgrade.get_context_metadata, **({"context": context} if context else {}))
        return {**told_contexts(found), "params": {"context": context} if context else {}}

    return await as_result(work, is_raw=raw)


@tool(effect="read")
async def get_experiment_details(
    experiments: Annotated[list[Experiment], Field(min_length=1, max_length=_MOST_SHOWN)],
    aspects: Annotated[list[Aspect] | None, Field(description="only these sides of it; by default everything")] = None,
    raw: Raw = False,
) -> Result:
    """Show experiments: conditions with weights, state, decision points, rules, lists, tags, how many are enrolled."""

    async def work(calls: Calls) -> dict[str, Any]:
        every = await all_experiments()
        chosen = list({one["id"]: one for one in (find_exactly(name, every) for name in experiments)}.values())
        found = [await calls(upgrade.get_experiment_details, experiment=one["id"]) for one in chosen]
        return told_details(found, aspects or ())

    return await as_result(work, is_raw=raw)


@tool(effect="read")
async def get_experiment_results(
    experiment: Experiment,
    metric: Annotated[str, Field(description="of this metric only, by its exact name")] = "",
    raw: Raw = False,
) -> Result:
    """Did an experiment work? What its metrics show for each condition: effect sizes, 95% intervals, users."""

    async def work(calls: Calls) -> dict[str, Any]:
        one = find_exactly(experiment, await all_experiments())
        found = await calls(metric_results.get_experiment_results, experiment=one["id"])
        check_known("metric", metric, [kept["metric"] for kept in found["metrics"]], f"of '{one['name']}'")
        return told_results(found, metric)

    return await as_result(work, is_raw=raw)


@tool(effect="read")
async def get_feature_flags(
    context: Annotated[str, Field(description="of one context only, by its exact name")] = "",
) -> Result:
    """The feature flags of the server: name, key, context, and whether each is on. They cannot be changed here."""

    async def work(calls: Calls) -> dict[str, Any]:
        await metadata_of_context(context)
        found = await calls(experiment_listing.get_feature_flags, context=context or None)
        return experiment_listing.told_flags(found, context or None)

    return await as_result(work)


READ_TOOLS: dict[str, tuple[Tool, ...]] = {
    "terminology": (explain_upgrade_concept, list_upgrade_concepts),
    "version_check": (check_upgrade_health,),
    "list_experiments": (get_all_experiments, get_context_metadata, get_feature_flags),
    "experiment_details": (get_experiment_details, get_experiment_results),
}
"""By the capability that they belong to."""
