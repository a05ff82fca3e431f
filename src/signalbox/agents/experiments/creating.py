"""A new experiment: what has to be known of it, asked for one thing at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.changes import after_rule, conditions_of, group_kind
from signalbox.agents.experiments.drafts import Problem
from signalbox.agents.experiments.groups import kinds_named
from signalbox.agents.experiments.names import as_written, grounded, mentioned, without, written_name
from signalbox.agents.experiments.node import Ask
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.weights import read_split, said_split

__all__ = ["ask_for", "known_point", "new_experiment"]

_MOST_OPTIONS = 8
_BY = re.compile(r"\b(?:by|per) (?:the |whole )?(\w+)", re.IGNORECASE)
_FIELDS = {
    "name": "new_name",
    "decision_points": "point",
    "group": "group_type",
    "revert_to": "condition",
    "assignment_unit": "unit",
}
"""Which field of the request a problem of the draft is about, where it has another name."""
Fields = Mapping[str, Any]


def new_experiment(fields: Fields, server: Server, text: str) -> dict[str, Any]:
    """The arguments of create_experiment. Raises Ask for the first thing that is missing, with what there is."""
    name = as_written(text, str(fields["new_name"])) if fields.get("new_name") else _written(text, server)
    if not name:
        raise Ask("What is the experiment to be called?", "new_name", fields)
    context = server.context(fields.get("context"), text)
    if context is None:
        said = f"There is no context '{fields['context']}'. " if fields.get("context") else ""
        raise Ask(f"{said}In which context?", "context", fields, server.contexts[:_MOST_OPTIONS])
    offered = server.metadata[context]
    stretch = said_split(str(fields.get("conditions") or ""), text, offered["conditions"], [name])
    conditions = _conditions({**fields, "conditions": stretch}, offered["conditions"])
    unit = _unit(fields, server, context, text)
    site, target = _point({**fields, **known_point(fields, offered, without(text, [name]))}, offered)
    rule = fields.get("consistency_rule") or ("group" if unit["assignment_unit"] == "group" else "individual")
    after: dict[str, Any] = {"post_rule": "continue"}
    if fields.get("post_rule"):
        after = after_rule(fields, [one["code"] for one in conditions], "")
    point = {"site": site, "target": target, "exclude_if_reached": False}
    return {
        "name": name,
        "context": context,
        "conditions": conditions,
        "decision_points": [point],
        **unit,
        "consistency_rule": rule,
        **after,
    }


def ask_for(problem: Problem, fields: Fields) -> Ask:
    """The question that mends what is wrong with a draft."""
    field = _FIELDS.get(problem.field, problem.field)
    kept = {key: value for key, value in fields.items() if key != field}
    if field == "point":
        kept = {key: value for key, value in kept.items() if key not in ("site", "target")}
    if field == "conditions":
        # What they are called stays: a reply may say no more than their shares.
        names = read_split(str(fields.get("conditions") or "")).names
        kept = {**kept, "weights": None, "conditions": ", ".join(f"'{name}'" for name in names)}
    return Ask(f"{problem.message} What is it to be?", field, kept, list(problem.options)[:_MOST_OPTIONS])


def _conditions(fields: Fields, offered: list[str]) -> list[dict[str, Any]]:
    words = str(fields.get("conditions") or "")
    if not words:
        asked = "Which conditions, with which weights? Say them as in: control 50, treatment 50."
        raise Ask(asked, "conditions", fields, offered[:_MOST_OPTIONS])
    if fields.get("weights"):
        return conditions_of(str(fields["weights"]), fields, read_split(words).names)
    split = read_split(words, offered)
    return conditions_of(words, fields, split.names if len(split.names) > 1 and split.is_complete else ())


def _unit(fields: Fields, server: Server, context: str, text: str) -> dict[str, Any]:
    types = server.group_types(context)
    said = dict(fields)
    if not fields.get("unit") and (by := _BY.search(without(text, [str(fields.get("new_name") or "")]))):
        # "by class" is whole classes, where the context has classes.
        said["group_type"] = fields.get("group_type") or next(iter(kinds_named(by[1], types)), None)
    if said.get("unit") != "group" and not said.get("group_type"):
        return {"assignment_unit": "individual"}
    fields = said
    kind = group_kind(fields, types, text)
    if kind is None:
        raise Ask("By which kind of group?", "group_type", {**fields, "unit": "group"}, types)
    return {"assignment_unit": "group", "group": kind}


def _written(text: str, server: Server) -> str:
    """What the request writes as a name, which is none that the server has for anything else."""
    kinds = ("sites", "targets", "conditions", "group_types")
    offered = [one for own in server.metadata.values() for kind in kinds for one in own[kind]]
    return written_name(text, [*server.contexts, *offered])


def known_point(fields: Fields, offered: Mapping[str, list[str]], text: str) -> dict[str, str]:
    """The site and the target that the words name, of those that the context offers, where they were not read."""
    found = {}
    for key in ("site", "target"):
        is_read = bool(fields.get(key)) and grounded(str(fields[key]), offered[f"{key}s"]) is not None
        named = mentioned(text, offered[f"{key}s"])
        if not is_read and len(named) == 1:
            found[key] = named[0]
    return found


def _point(fields: Fields, offered: Mapping[str, list[str]]) -> tuple[str, str]:
    site, target = fields.get("site"), fields.get("target")
    if not site:
        sites = offered["sites"][:_MOST_OPTIONS]
        raise Ask("At which decision point? Say site / target.", "point", fields, sites)
    known = grounded(str(site), offered["sites"]) or str(site)
    if not target:
        raise Ask(f"Which target at {known}?", "point", {**fields, "site": known}, offered["targets"][:_MOST_OPTIONS])
    return known, grounded(str(target), offered["targets"]) or str(target)
