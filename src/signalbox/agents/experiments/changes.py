"""What a request to change an experiment comes to: the changes of the tools, or what has to be asked first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asking import Ask, Fault
from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.shares import Split, even, split_of
from signalbox.language.names import did_you_mean
from signalbox.language.time import parse_instant
from signalbox.settings import now, person_zone

__all__ = ["after_rule", "changes_for", "conditions_of", "moment_of"]

_NEAR = 2.0
"""How far shares that are said in whole numbers may be from the whole: 33 each."""
_WHICH = "Which conditions, with which weights? Say them as in: control 50, treatment 50."
Fields = Mapping[str, Any]
Experiment = Mapping[str, Any]


def changes_for(action: str, fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    """The fields of the experiment that are to be other than they are. Raises Ask and Fault."""
    return _CHANGES[action](fields, experiment, server)


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
    return {"name": name}


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
    return {"conditions": [{**_kept(one), "weight": asked[one["code"]]} for one in experiment["conditions"]]}


def _reconditioned(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    own = [_kept(one) for one in experiment["conditions"]]
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
        found |= {"assignment_unit": "group", "group": kind}
    elif unit == "individual":
        found |= {"assignment_unit": "individual", "group": None}
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
    own = experiment[kind]
    there: dict[str, list[str]] = {name: [] for name in groups}
    for one in own["groups"]:
        there.setdefault(one["type"], []).append(one["id"])
    for name, ids in groups.items():
        there[name] += [one for one in ids if one not in there[name]]
    changes: dict[str, Any] = {}
    if users:
        changes[f"{kind}_users"] = [*own["users"], *(one for one in users if one not in own["users"])]
    if groups:
        changes[f"{kind}_groups"] = there
    return changes


def _included(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    return _members(fields, experiment, server, "include")


def _excluded(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    return _members(fields, experiment, server, "exclude")


def _described(fields: Fields, experiment: Experiment, server: Server) -> dict[str, Any]:
    found: dict[str, Any] = {"description": fields["description"]} if fields.get("description") else {}
    if fields.get("tags"):
        found["tags"] = [*experiment["tags"], *(tag for tag in fields["tags"] if tag not in experiment["tags"])]
    if not found:
        raise Ask("What is the description to be?", "description", fields)
    return found


def _kept(condition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: condition[key] for key in ("code", "weight", "payload") if condition.get(key) is not None}


_CHANGES: dict[str, Callable[[Fields, Experiment, Server], dict[str, Any]]] = {
    "rename": _renamed,
    "change_weights": _weighted,
    "change_conditions": _reconditioned,
    "change_rules": _ruled,
    "change_points": _repointed,
    "include": _included,
    "exclude": _excluded,
    "describe": _described,
}
