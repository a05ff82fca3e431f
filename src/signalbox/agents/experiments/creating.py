"""A new experiment: its draft, and what has to be known of it, asked for one thing at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.asking import Ask
from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.changes import after_rule, conditions_of
from signalbox.agents.experiments.drafts import Problem
from signalbox.agents.experiments.shares import Split, split_of

__all__ = ["ask_for", "new_experiment"]

_MOST_OPTIONS = 8
_FIELDS = {
    "name": "new_name",
    "decision_points": "point",
    "group": "group_type",
    "revert_to": "condition",
    "assignment_unit": "unit",
    "conditions": "split",
}
"""Which field of the request a problem of the draft is about, where it has another name."""
Fields = Mapping[str, Any]


def new_experiment(fields: Fields, server: Server) -> dict[str, Any]:
    """The arguments of create_experiment. Raises Ask for the first thing that is missing, with what there is."""
    if not fields.get("new_name"):
        raise Ask("What is the experiment to be called?", "new_name", fields)
    context = fields.get("context")
    if context not in server.metadata:
        raise Ask("In which context?", "context", fields, server.contexts[:_MOST_OPTIONS])
    offered = server.offered(context)
    if not fields.get("split"):
        asked = "Which conditions, with which weights? Say them as in: control 50, treatment 50."
        raise Ask(asked, "split", fields, offered["conditions"][:_MOST_OPTIONS])
    conditions = conditions_of(fields)
    unit: dict[str, Any] = {"assignment_unit": "individual"}
    if fields.get("unit") == "group":
        types = server.group_types(context)
        if fields.get("group_type") not in types:
            raise Ask("By which kind of group?", "group_type", fields, types)
        unit = {"assignment_unit": "group", "group": fields["group_type"]}
    point = {**_point(fields, offered), "exclude_if_reached": False}
    after: dict[str, Any] = {"post_rule": "continue"}
    if fields.get("post_rule"):
        after = after_rule(fields, [one["code"] for one in conditions])
    return {
        "name": fields["new_name"],
        "context": context,
        "conditions": conditions,
        "decision_points": [point],
        **unit,
        "consistency_rule": fields.get("consistency_rule") or unit["assignment_unit"],
        **after,
    }


def ask_for(problem: Problem, fields: Fields) -> Ask:
    """The question that mends what is wrong with a draft."""
    field = _FIELDS.get(problem.field, problem.field)
    gone = ("site", "target") if field == "point" else (field,)
    kept = {key: value for key, value in fields.items() if key not in gone}
    if field == "split":
        # What they are called stays: a reply may say no more than their shares.
        kept["split"] = Split(split_of(fields).names).as_field()
    return Ask(f"{problem.message} What is it to be?", field, kept, list(problem.options)[:_MOST_OPTIONS])


def _point(fields: Fields, offered: Mapping[str, list[str]]) -> dict[str, str]:
    site, target = fields.get("site"), fields.get("target")
    if not site:
        raise Ask("At which decision point? Say site / target.", "point", fields, offered["sites"][:_MOST_OPTIONS])
    if not target:
        raise Ask(f"Which target at {site}?", "point", fields, offered["targets"][:_MOST_OPTIONS])
    return {"site": site, "target": target}
