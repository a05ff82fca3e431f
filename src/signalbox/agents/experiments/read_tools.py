"""The tools that only read: terms, the server, its contexts and its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from signalbox.agents.experiments import tools as upgrade
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.clients import current_client, server_name
from signalbox.agents.experiments.exact_names import all_experiments, check_known, find_exactly, metadata_of_context
from signalbox.agents.experiments.experiment_details import aspect_text, details_blocks, details_text, short_text
from signalbox.agents.experiments.experiment_listing import told_contexts, told_experiments
from signalbox.agents.experiments.reports import told_notes
from signalbox.agents.experiments.terminology import told_concepts, told_terms
from signalbox.agents.experiments.tool_results import Experiment, Raw, as_result
from signalbox.language.names import did_you_mean
from signalbox.toolbox import Result, Tool, tool
from signalbox.upgrade.states import shown_state

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
    filters: dict[str, Any] = {
        "context": context, "state": status, "not": not_status, "name": name_contains, "tag": tag,
        "condition": condition, "site": site, "target": target, "unit": assignment_unit,
    }  # fmt: skip
    times = {"created": (created_after, created_before), "changed": (changed_after, changed_before)}

    async def work(calls: Calls) -> dict[str, Any]:
        every = await calls(upgrade.get_all_experiments)
        if context:
            check_known("context", context, [*await metadata_of_context(), *(one["context"] for one in every)])
        for what in ("tag", "condition", "site", "target"):
            check_known(what, filters[what], [value for one in every for value in _values(one, what)])
        found = [one for one in every if _fits(one, filters) and all(_is_in(one, *when) for when in times.items())]
        told = told_experiments(found, _sought(filters, times), len(every))
        if not found and not any(name_contains.casefold() in one["name"].casefold() for one in every):
            near = did_you_mean(name_contains, [one["name"] for one in every])
            told["bot_response"] = f"{told['bot_response']} {near}".strip()
        params = {"context": context, "status": status, "experiment_name": name_contains, "site": site}
        return {**told, "params": {key: value for key, value in params.items() if value}}

    return await as_result(work, is_raw=raw)


def _values(one: Mapping[str, Any], what: str) -> list[str]:
    """What an experiment has of a kind that a list can be narrowed by."""
    points = [point.partition(" / ") for point in one["decision_points"]]
    held = {
        "tag": one["tags"],
        "condition": one["conditions"],
        "site": [point[0] for point in points],
        "target": [point[2] for point in points],
    }
    return [str(value) for value in held[what]]


def _fits(one: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    exact = {"context": one["context"], "state": one["state"], "unit": one["assignment_unit"]}
    is_in = all(not filters[key] or filters[key] == own for key, own in exact.items())
    has = all(not filters[key] or filters[key] in _values(one, key) for key in ("tag", "condition", "site", "target"))
    is_named = str(filters["name"]).casefold() in one["name"].casefold()
    return is_in and has and is_named and one["state"] != filters["not"]


def _is_in(one: Mapping[str, Any], event: str, between: tuple[datetime | None, datetime | None]) -> bool:
    """Whether an experiment was created, or last changed, from the one moment on and before the other."""
    after, before = between
    if after is None and before is None:
        return True
    told = one["created_at" if event == "created" else "updated_at"]
    try:
        moment = datetime.fromisoformat(str(told))
    except ValueError:
        return False
    return (after is None or moment >= after) and (before is None or moment < before)


def _sought(filters: Mapping[str, Any], times: Mapping[str, tuple[datetime | None, datetime | None]]) -> str:
    """The filters in words."""
    words = [shown_state(filters["state"])] if filters["state"] else []
    words += [f"not {shown_state(filters['not'])}"] if filters["not"] else []
    words += [f"in {filters['context']}"] if filters["context"] else []
    words += [f"with '{filters['name']}' in the name"] if filters["name"] else []
    words += [f"with the {what} {filters[what]}" for what in ("tag", "condition", "site", "target") if filters[what]]
    words += [f"assigned by {filters['unit']}"] if filters["unit"] else []
    for event, (after, before) in times.items():
        words += [f"{event} from {after.isoformat(' ', 'minutes')} on"] if after else []
        words += [f"{event} before {before.isoformat(' ', 'minutes')}"] if before else []
    return " ".join(words)


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


def told_details(found: Sequence[dict[str, Any]], aspects: Sequence[str]) -> dict[str, Any]:
    """Experiments in words and as tables, with what about them may surprise."""
    texts, blocks = [], []
    for one in found:
        told = "\n\n".join(aspect_text(aspect, one) for aspect in aspects) or details_text(one)
        texts.append(told + told_notes(one["warnings"]))
        named = f"{one['name']}: " if len(found) > 1 else ""
        blocks += [{**block, "title": f"{named}{block.get('title', '')}"} for block in details_blocks(one, aspects)]
    only = found[0] if len(found) == 1 else None
    return {
        "bot_response": "\n\n".join(texts),
        "told": " ".join(map(short_text, found)),
        "blocks": blocks,
        "shown": [{"id": one["id"], "name": one["name"]} for one in found],
        "current_experiment_id": only["id"] if only else None,
        "experiment_details": found[-1],
        "params": {"experiment_name": only["name"]} if only else {},
        **({"active_context": only["context"]} if only else {}),
    }


READ_TOOLS: dict[str, tuple[Tool, ...]] = {
    "terminology": (explain_upgrade_concept, list_upgrade_concepts),
    "version_check": (check_upgrade_health,),
    "list_experiments": (get_all_experiments, get_context_metadata),
    "experiment_details": (get_experiment_details,),
}
"""By the capability that they belong to."""
