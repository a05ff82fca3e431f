"""What a request to create or change an experiment comes to: the arguments of the tools, or what has to be asked first.

A plan's fields become the arguments that a capable model would give, and these become the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from signalbox.agents.experiments.asking import Ask, Fault
from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.drafts import Problem, draft_of
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.exact_names import check_known, groups_by_type
from signalbox.agents.experiments.shares import Split, even, split_of
from signalbox.language.names import did_you_mean
from signalbox.language.time import parse_instant
from signalbox.settings import now, person_zone

__all__ = [
    "after_rule",
    "ask_for",
    "changes_for",
    "changes_of",
    "conditions_of",
    "moment_of",
    "new_experiment",
    "plain_values",
]

_NEAR = 2.0
"""How far shares that are said in whole numbers may be from the whole: 33 each."""
_SAME = (
    "conditions", "decision_points", "assignment_unit", "consistency_rule", "post_rule", "revert_to", "filter_mode",
    "description", "tags", "include_users", "exclude_users",
)  # fmt: skip
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
_WHICH = "Which conditions, with which weights? Say them as in: control 50, treatment 50."
Fields = Mapping[str, Any]
Experiment = Mapping[str, Any]


def changes_for(action: str, fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    """The fields of the experiment that are to be other than they are. Raises Ask and Fault."""
    given = _GIVEN[action](fields, experiment, server)
    return changes_of(experiment, given, server.group_types(experiment["context"]))


def plain_values(given: Fields) -> dict[str, Any]:
    """What is given under names that the contract's tools have too; not what is empty."""
    return {name: given[name] for name in _SAME if given.get(name)}


def changes_of(experiment: Experiment, given: Fields, types: Sequence[str]) -> dict[str, Any]:
    """The changes of the contract's update_experiment, from the arguments of the loop's; lists are added to.

    Raises UpgradeError for what there is not.
    """
    there = draft_of(experiment)
    check_known("group type", given.get("group_type") or "", types)
    changes = plain_values(given)
    if weights := given.get("weights"):
        asked = {one["code"]: one["weight"] for one in weights}
        for code in asked:
            check_known("condition", code, [one["code"] for one in there.conditions])
        kept = [{"code": one["code"], "weight": asked.get(one["code"], one["weight"])} for one in there.conditions]
        changes.setdefault("conditions", kept)
    if name := (given.get("new_name") or "").strip():
        changes["name"] = name
    if given.get("group_type"):
        changes["group"] = given["group_type"]
    for kind in ("include", "exclude"):
        if f"{kind}_users" in changes:
            added = [*getattr(there, f"{kind}_users"), *changes[f"{kind}_users"]]
            changes[f"{kind}_users"] = list(dict.fromkeys(added))
        if more := groups_by_type(given.get(f"{kind}_groups"), types):
            held = getattr(there, f"{kind}_groups")
            changes[f"{kind}_groups"] = {
                one: list(dict.fromkeys([*held.get(one, ()), *more.get(one, ())])) for one in {**held, **more}
            }
    if changes.get("assignment_unit") == "individual" and experiment["group"]:
        changes["group"] = None
    if changes.get("post_rule") in ("continue", "revert") and experiment["revert_to"]:
        changes["revert_to"] = None
    if not changes:
        told = "Nothing was given that is to be other than it is."
        raise UpgradeError(told, "validation", suggestion="Give what is to change.")
    return changes


def conditions_of(fields: Fields, known: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The conditions with the weights that a request gives them. Raises Ask where weights are missing."""
    split = split_of(fields)
    if len(split.weights) == 1 and abs(split.weights[0] * len(split.names or known) - 100) < _NEAR:
        split = Split(split.names, (), is_even=True)
    unknown = [name for name in split.names if name not in known] if known else []
    if unknown:
        asked = f"'{unknown[0]}' is none of the conditions: they are {', '.join(known)}. Which weights for these?"
        raise Ask(asked, "split", {key: value for key, value in fields.items() if key != "split"}, ["equal"])
    names = list(split.names) or (list(known) if split.is_even or len(split.weights) == len(known) else [])
    if known and split.is_even:
        names = list(known)
    weights = even(len(names)) if split.is_even else list(split.weights)
    if names and not weights:
        asked = f"Which weights for {', '.join(names)}? Say them in percent, or: equal."
        raise Ask(asked, "weights", fields, ["equal"])
    if not names or len(names) != len(weights):
        raise Ask(_WHICH, "split", fields, list(known))
    return [{"code": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]


def moment_of(fields: Fields) -> str:
    """The moment that a start is scheduled for, ISO 8601. Raises Ask where it is not said, or past."""
    words = str(fields.get("when") or "")
    if not words:
        raise Ask("When is it to start?", "when", fields)
    moment = parse_instant(words, now(), person_zone())
    if moment is None:
        raise Ask(f"'{words}' is no moment that I understand. When is it to start?", "when", fields)
    if moment <= now():
        raise Ask(f"'{words}' lies in the past. When is it to start?", "when", fields)
    return moment.isoformat()


def _renamed(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    name = fields.get("new_name")
    if not name:
        raise Ask(f"What is {experiment['name']} to be called?", "new_name", fields)
    if name == experiment["name"]:
        raise Fault(f"It is called '{name}' already.", "validation")
    return {"new_name": name}


def _weighted(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    codes = [one["code"] for one in experiment["conditions"]]
    if not fields.get("split"):
        raise Ask(f"Which weights for {', '.join(codes)}?", "split", fields)
    asked = {one["code"]: one["weight"] for one in conditions_of(fields, codes)}
    if len(asked) == len(codes) - 1 and 0 < sum(asked.values()) < 100:
        # One is left: it gets the rest, and the person sees so before anything is done.
        rest = next(code for code in codes if code not in asked)
        asked[rest] = round(100 - sum(asked.values()), 2)
    if len(asked) == 1 and len(codes) == 2 and 100 in asked.values():
        asked |= {code: 0 for code in codes if code not in asked}
    if any(code not in asked for code in codes):
        raise Ask(f"Which weights for {', '.join(codes)}? They add up to 100.", "split", fields)
    return {"weights": [{"code": code, "weight": asked[code]} for code in codes]}


def _reconditioned(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    own = [{"code": one["code"], "weight": one["weight"]} for one in experiment["conditions"]]
    codes, named = [one["code"] for one in own], list(fields.get("codes") or ())
    is_removal = fields.get("change") == "remove"
    if not named:
        offered = server.offered(experiment["context"])["conditions"]
        raise Ask("Which condition?", "codes", fields, codes if is_removal else [o for o in offered if o not in codes])
    if is_removal:
        if unknown := [one for one in named if one not in codes]:
            raise Fault(f"'{unknown[0]}' is none of the conditions.", "validation", did_you_mean(unknown[0], codes))
        left = [one for one in own if one["code"] not in named]
    else:
        new = [one for one in named if one not in codes]
        if not new:
            raise Fault(f"The condition {', '.join(named)} is there already.", "validation")
        left = [*own, *({"code": one, "weight": 0.0} for one in new)]
    if not fields.get("split"):
        asked = ", ".join(one["code"] for one in left)
        raise Ask(f"With which weights then? {asked}. Say them in percent, or: equal.", "weights", fields, ["equal"])
    found = {one["code"]: one["weight"] for one in conditions_of(fields, [one["code"] for one in left])}
    return {"conditions": [{**one, "weight": found.get(one["code"], one["weight"])} for one in left]}


def _ruled(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    found: dict[str, Any] = {}
    unit, rule = fields.get("unit"), fields.get("consistency_rule")
    if unit == "group":
        types = server.group_types(experiment["context"])
        kind = fields.get("group_type") or (types[0] if len(types) == 1 else None)
        if kind is None:
            raise Ask("By which kind of group?", "group_type", fields, types)
        found |= {"assignment_unit": "group", "group_type": kind}
    elif unit == "individual":
        found["assignment_unit"] = "individual"
        if experiment["consistency_rule"] == "group" and not rule:
            found["consistency_rule"] = "individual"
    if rule:
        found["consistency_rule"] = rule
    if fields.get("post_rule"):
        found |= after_rule(fields, [one["code"] for one in experiment["conditions"]])
    if not found:
        raise Ask("Which rule is to be what?", "rules", fields, ["consistency rule", "unit of assignment", "post rule"])
    return found


def after_rule(fields: Fields, codes: Sequence[str]) -> dict[str, Any]:
    """The rule for the time after, with its condition. Raises Ask where that is not said."""
    if fields["post_rule"] != "assign":
        return {"post_rule": fields["post_rule"], "revert_to": None}
    if fields.get("condition") not in codes:
        raise Ask("Which condition is everybody to get afterwards?", "condition", fields, codes)
    return {"post_rule": "assign", "revert_to": fields["condition"]}


def _repointed(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    own = [{key: one[key] for key in ("site", "target", "exclude_if_reached")} for one in experiment["decision_points"]]
    site, target = fields.get("site"), fields.get("target")
    if fields.get("change") == "remove":
        left = [one for one in own if site != one["site"] or target not in (None, one["target"])]
        if len(left) == len(own):
            there = [f"{one['site']} / {one['target']}" for one in own]
            raise Ask("Which decision point?", "point", fields, there)
        return {"decision_points": left}
    if not site or not target:
        sites = server.offered(experiment["context"])["sites"][:8]
        raise Ask("At which decision point? Say site / target.", "point", fields, sites)
    return {"decision_points": [*own, {"site": site, "target": target, "exclude_if_reached": False}]}


def _members(fields: Fields, experiment: Experiment, server: Server, kind: str) -> dict[str, Any]:
    users, groups = list(fields.get("users") or ()), dict(fields.get("groups") or {})
    if fields.get("loose_groups"):
        loose = ", ".join(fields["loose_groups"])
        raise Ask(f"Of which kind is {loose}?", "group_type", fields, server.group_types(experiment["context"]))
    if not users and not groups:
        raise Ask("Which users or groups?", "users", fields)
    listed = [{"type": name, "id": one} for name, ids in groups.items() for one in ids]
    return {f"{kind}_users": users, f"{kind}_groups": listed}


def _described(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    found: dict[str, Any] = {"description": fields["description"]} if fields.get("description") else {}
    if fields.get("tags"):
        found["tags"] = [*experiment["tags"], *(tag for tag in fields["tags"] if tag not in experiment["tags"])]
    if not found:
        raise Ask("What is the description to be?", "description", fields)
    return found


_GIVEN: dict[str, Callable[[Fields, Experiment, Server], dict[str, Any]]] = {
    "rename": _renamed,
    "change_weights": _weighted,
    "change_conditions": _reconditioned,
    "change_rules": _ruled,
    "change_points": _repointed,
    "include": partial(_members, kind="include"),
    "exclude": partial(_members, kind="exclude"),
    "describe": _described,
}


def new_experiment(fields: Fields, server: Server) -> dict[str, Any]:
    """The arguments of create_experiment. Raises Ask for the first thing that is missing, with what there is."""
    if not fields.get("new_name"):
        raise Ask("What is the experiment to be called?", "new_name", fields)
    context = fields.get("context")
    if context not in server.metadata:
        raise Ask("In which context?", "context", fields, server.contexts[:_MOST_OPTIONS])
    offered = server.offered(context)
    if not fields.get("split"):
        raise Ask(_WHICH, "split", fields, offered["conditions"][:_MOST_OPTIONS])
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
