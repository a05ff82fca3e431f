"""An experiment that is to be made, and what is wrong with it: also what the server would take in silence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import is_clone, metadata_of, shared_points
from signalbox.language.names import did_you_mean
from signalbox.upgrade.states import STATES, stored_state

__all__ = ["FIELDS", "Draft", "Problem", "apply", "check_draft", "draft_of", "raise_for", "warnings_about"]

UNITS = ("individual", "group")
RULES = ("individual", "group", "experiment")
POST_RULES = ("continue", "revert", "assign")
FILTERS = ("includeAll", "excludeAll")
_LIVE = ("enrolling", "enrollmentComplete")


@dataclass(frozen=True)
class Draft:
    """Everything that a person may say about an experiment."""

    name: str = ""
    context: str = ""
    conditions: list[dict[str, Any]] = field(default_factory=list)
    decision_points: list[dict[str, Any]] = field(default_factory=list)
    assignment_unit: str = "individual"
    consistency_rule: str = "individual"
    group: str | None = None
    post_rule: str = "continue"
    revert_to: str | None = None
    filter_mode: str = "includeAll"
    description: str = ""
    tags: list[str] = field(default_factory=list)
    include_users: list[str] = field(default_factory=list)
    include_groups: dict[str, list[str]] = field(default_factory=dict)
    exclude_users: list[str] = field(default_factory=list)
    exclude_groups: dict[str, list[str]] = field(default_factory=dict)
    status: str = "inactive"


FIELDS = tuple(one.name for one in fields(Draft))
"""What create_experiment takes and update_experiment may change."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong (`error`: it is not sent) or likely to surprise (`warning`), and what would be right."""

    field: str
    message: str
    severity: str = "error"
    options: tuple[str, ...] = ()


def draft_of(experiment: Mapping[str, Any]) -> Draft:
    """The draft that an experiment, as `read_experiment` gives it, would be made from."""
    return Draft(
        name=experiment["name"],
        context=experiment["context"],
        conditions=[{key: one[key] for key in ("code", "weight", "payload")} for one in experiment["conditions"]],
        decision_points=[
            {key: one[key] for key in ("site", "target", "exclude_if_reached")} for one in experiment["decision_points"]
        ],
        assignment_unit=experiment["assignment_unit"],
        consistency_rule=experiment["consistency_rule"],
        group=experiment["group"],
        post_rule=experiment["post_rule"],
        revert_to=experiment["revert_to"],
        filter_mode=experiment["filter_mode"],
        description=experiment["description"],
        tags=experiment["tags"],
        include_users=experiment["include"]["users"],
        include_groups=_by_type(experiment["include"]["groups"]),
        exclude_users=experiment["exclude"]["users"],
        exclude_groups=_by_type(experiment["exclude"]["groups"]),
        status=experiment["state"],
    )


def apply(draft: Draft, changes: Mapping[str, Any]) -> Draft:
    """The draft with the changes made; raises UpgradeError of the kind validation for a field that there is not."""
    unknown = [name for name in changes if name not in FIELDS]
    if unknown:
        raise UpgradeError(
            f"An experiment has no {unknown[0]}.",
            "validation",
            suggestion=did_you_mean(unknown[0], FIELDS),
            options=list(FIELDS),
        )
    return replace(draft, **changes)


def check_draft(
    draft: Draft,
    metadata: Mapping[str, Mapping[str, Sequence[str]]],
    others: Sequence[Mapping[str, Any]] = (),
    own_id: str = "",
) -> list[Problem]:
    """Everything that is wrong with a draft, the errors first.

    metadata: of the contexts, as `metadata_of` gives it. others: the server's experiments, raw. own_id: of the
    experiment that the draft changes.
    """
    found = [*_about_words(draft), *_about_context(draft, metadata), *_about_conditions(draft)]
    found += [*_about_points(draft), *_about_unit(draft), *_about_after(draft), *_about_lists(draft)]
    found += _about_others(draft, others, own_id)
    return sorted(found, key=lambda one: one.severity != "error")


def raise_for(problems: Sequence[Problem]) -> None:
    """Raise UpgradeError of the kind validation where there is an error among the problems."""
    errors = [one for one in problems if one.severity == "error"]
    if errors:
        raise UpgradeError(
            " ".join(one.message for one in errors), "validation", options=[f for one in errors for f in one.options]
        )


async def warnings_about(client: UpgradeClient, experiment: Mapping[str, Any]) -> list[str]:
    """What about an experiment that is there is likely to surprise, in sentences."""
    metadata = metadata_of(await client.context_metadata())
    others = [one for one in await client.experiments() if not is_clone(one)]
    draft = draft_of(experiment)
    if draft.assignment_unit not in UNITS or experiment["type"] != "Simple":
        return ["This kind of experiment (within-subjects, factorial) is not supported here; it is only shown."]
    return [one.message for one in check_draft(draft, metadata, others, experiment["id"])]


def _about_words(draft: Draft) -> list[Problem]:
    found = []
    if not draft.name.strip():
        found.append(Problem("name", "The experiment needs a name."))
    for name, value, known in (
        ("assignment_unit", draft.assignment_unit, UNITS),
        ("consistency_rule", draft.consistency_rule, RULES),
        ("post_rule", draft.post_rule, POST_RULES),
        ("filter_mode", draft.filter_mode, FILTERS),
    ):
        if value not in known:
            words = name.replace("_", " ")
            found.append(Problem(name, f"'{value}' is no {words}; there is {', '.join(known)}.", options=known))
    try:
        stored_state(draft.status)
    except ValueError as error:
        found.append(Problem("status", f"{error}.", options=STATES))
    return found


def _about_context(draft: Draft, metadata: Mapping[str, Mapping[str, Sequence[str]]]) -> list[Problem]:
    if draft.context not in metadata:
        hint = did_you_mean(draft.context, metadata) if draft.context else f"There is: {', '.join(metadata)}."
        return [Problem("context", f"'{draft.context}' is no context of this server. {hint}", options=tuple(metadata))]
    offered = metadata[draft.context]
    used = (
        ("conditions", "condition", [one.get("code") for one in draft.conditions], offered["conditions"]),
        ("decision_points", "site", [one.get("site") for one in draft.decision_points], offered["sites"]),
        ("decision_points", "target", [one.get("target") for one in draft.decision_points], offered["targets"]),
        ("group", "group type", [draft.group] if draft.group else [], offered["group_types"]),
        ("include_groups", "group type", list(draft.include_groups), offered["group_types"]),
        ("exclude_groups", "group type", list(draft.exclude_groups), offered["group_types"]),
    )
    return [
        Problem(
            name,
            f"The {what} '{value}' is not in the metadata of {draft.context}: an application may never ask for it.",
            "warning",
            tuple(known),
        )
        for name, what, values, known in used
        for value in dict.fromkeys(values)
        if value and value not in known
    ]


def _about_conditions(draft: Draft) -> list[Problem]:
    if not draft.conditions:
        return [Problem("conditions", "The experiment needs at least one condition.")]
    found = []
    codes = [str(one.get("code") or "").strip() for one in draft.conditions]
    if not all(codes):
        found.append(Problem("conditions", "Every condition needs a code."))
    if any(code.lower() == "default" for code in codes):
        found.append(Problem("conditions", "No condition may be called 'default': that is what everybody else gets."))
    for code, times in Counter(codes).items():
        if code and times > 1:
            found.append(Problem("conditions", f"The condition '{code}' is there {times} times."))
    weights = [one.get("weight") for one in draft.conditions]
    numbers = [float(one) for one in weights if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < len(weights) or not all(map(math.isfinite, numbers)):
        found.append(Problem("conditions", "Every condition needs a weight in percent."))
    elif min(numbers) < 0:
        found.append(Problem("conditions", "No weight may be negative."))
    elif not math.isclose(sum(numbers), 100, abs_tol=0.011):
        found.append(Problem("conditions", f"The weights add up to {sum(numbers):g}, not to 100."))
    return found


def _about_points(draft: Draft) -> list[Problem]:
    if not draft.decision_points:
        return [Problem("decision_points", "The experiment needs at least one decision point: a site and a target.")]
    found = []
    if not all(one.get("site") and one.get("target") for one in draft.decision_points):
        found.append(Problem("decision_points", "Every decision point needs a site and a target."))
    for (site, target), times in Counter((one.get("site"), one.get("target")) for one in draft.decision_points).items():
        if times > 1:
            found.append(Problem("decision_points", f"The decision point {site} / {target} is there {times} times."))
    return found


def _about_unit(draft: Draft) -> list[Problem]:
    found = []
    if draft.assignment_unit == "group" and not draft.group:
        found.append(Problem("group", "An experiment on groups needs a group type."))
    if draft.assignment_unit == "individual" and draft.group:
        found.append(Problem("group", "Only an experiment on groups has a group type."))
    if draft.assignment_unit == "individual" and draft.consistency_rule == "group":
        words = "The group rule needs groups as the unit."
        found.append(Problem("consistency_rule", words, options=("individual", "experiment")))
    if draft.assignment_unit == "group" and draft.group:
        words = f"Users without a working group of the type {draft.group} get no condition."
        found.append(Problem("group", words, "warning"))
    return found


def _about_after(draft: Draft) -> list[Problem]:
    codes = [one.get("code") for one in draft.conditions]
    if draft.post_rule == "assign" and draft.revert_to and draft.revert_to not in codes:
        return [Problem("revert_to", f"'{draft.revert_to}' is none of the conditions.", options=tuple(map(str, codes)))]
    if draft.post_rule == "assign" and not draft.revert_to:
        words = "The rule assign needs the condition that everybody is to get."
        return [Problem("revert_to", words, options=tuple(map(str, codes)))]
    if draft.post_rule != "assign" and draft.revert_to:
        return [Problem("revert_to", "Only the post-experiment rule assign names a condition.")]
    return []


def _about_lists(draft: Draft) -> list[Problem]:
    found = []
    if draft.filter_mode == "excludeAll" and not draft.include_users and not draft.include_groups:
        words = "With excludeAll and nobody on the inclusion list, nobody gets a condition."
        found.append(Problem("filter_mode", words, "warning"))
    for user in sorted(set(draft.include_users) & set(draft.exclude_users)):
        words = f"The user {user} is on both lists: exclusion wins."
        found.append(Problem("exclude_users", words, "warning"))
    return found


def _about_others(draft: Draft, others: Sequence[Mapping[str, Any]], own_id: str) -> list[Problem]:
    found = []
    same = [one for one in others if one.get("name") == draft.name and one.get("id") != own_id]
    if draft.name and same:
        words = f"There is already an experiment called '{draft.name}'."
        found.append(Problem("name", words, "warning"))
    own = {"id": own_id, "context": draft.context, "decision_points": draft.decision_points}
    for point, other in shared_points(own, [one for one in others if not is_clone(one)]):
        words = f"The decision point {point} is shared with '{other}': a user gets only one of them there."
        found.append(Problem("decision_points", words, "warning"))
    return found


def _by_type(groups: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in groups:
        found.setdefault(one["type"], []).append(one["id"])
    return found
