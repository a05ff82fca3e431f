"""Schemas that a header names: what a room asks today, for things of the header's own, and candidates as options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments import plan as experiments
from signalbox.agents.investigate.symptom import SYMPTOM
from signalbox.agents.oncall.plan import plan_schema
from signalbox.agents.oncall.plans import load_plans

__all__ = [
    "plan_of_experiments",
    "plan_of_oncall",
    "subjects_among",
    "symptom",
    "symptom_and_suspect",
]

Schema = dict[str, Any]


def plan_of_oncall(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[Schema]:
    """Return the schema of what is asked about a network, with the plans that there are."""
    return [plan_schema({intent: plan.description for intent, plan in load_plans().items()})]


def plan_of_experiments(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[Schema]:
    """Return the schema that the header `asks` for, as the room makes it: `kind`, `list`, or an action such as
    `rename`. `experiments`, `contexts` and `group_types` of the header are those of an invented server."""
    asks, without = header["asks"], header.get("without", ())
    names, contexts, groups = (header.get(name, ()) for name in ("experiments", "contexts", "group_types"))
    made = {
        "kind": lambda: experiments.kind_schema(has_history=header.get("has_history", False)),
        "terms": experiments.terminology_schema,
        "list": lambda: experiments.list_schema(contexts),
        "details": lambda: experiments.details_schema(names),
        "change": lambda: experiments.management_schema(names),
        "create": lambda: experiments.create_schema(contexts, groups),
        "rules": lambda: experiments.rules_schema(groups),
        "simulation": lambda: experiments.simulation_schema(names, contexts),
        "testing": lambda: experiments.testing_schema(names, contexts),
        "unsupported": experiments.unsupported_schema,
        "reply": experiments.reply_schema,
        "confirm": experiments.confirm_schema,
    }
    schema = made[asks]() if asks in made else experiments.params_schema(asks)
    if schema is None:
        raise ValueError(f"{header['set']}: '{asks}' is nothing that the room asks.")
    return [{**schema, "properties": {key: one for key, one in schema["properties"].items() if key not in without}}]


def symptom(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[Schema]:
    """Return the schema of a trouble whose cause is looked for."""
    return [SYMPTOM]


def symptom_and_suspect(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[Schema]:
    """Return the schema of a trouble with what the person names as its cause."""
    suspect = {"type": "string", "description": "what the person suspects or names as a possible cause"}
    return [{**SYMPTOM, "properties": {**SYMPTOM["properties"], "suspect": suspect}}]


def subjects_among(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[Schema]:
    """Return the schema of what has a trouble, of the header's `candidates`: `{name: what it is}`."""
    candidates: Mapping[str, str] = header["candidates"]
    chosen = {"type": "string", "enum": list(candidates), "enumDescriptions": dict(candidates)}
    about = {**SYMPTOM["properties"]["about"], "type": "array", "items": chosen}
    return [{**SYMPTOM, "properties": {"about": about}}]
