"""What a request to change an experiment comes to: the changes of the tools, or what has to be asked first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.groups import find_groups, groups_in, kinds_named
from signalbox.agents.experiments.names import as_written, grounded, listed, mentioned, without
from signalbox.agents.experiments.node import Ask, Fault
from signalbox.agents.experiments.plan import CONSISTENCY, POST_RULES
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.weights import SHARED, Split, even, read_split, said_split
from signalbox.language.names import did_you_mean
from signalbox.language.time import parse_instant
from signalbox.language.words import stem, tokens
from signalbox.settings import now, person_zone

__all__ = ["after_rule", "changes_for", "conditions_of", "group_kind", "moment_of"]

_NEAR = 2.0
"""How far shares that are said in whole numbers may be from the whole: 33 each."""
Fields = Mapping[str, Any]
Experiment = Mapping[str, Any]


def changes_for(action: str, fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    """The fields of the experiment that are to be other than they are. Raises Ask and Fault."""
    return _CHANGES[action](fields, experiment, server, text)


def conditions_of(words: str, fields: Fields, known: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The conditions with their weights that a stretch of the request lists. Raises Ask where weights are missing."""
    split = read_split(words, known)
    if len(split.weights) == 1 and not split.names and abs(split.weights[0] * len(known) - 100) < _NEAR:
        split = Split((), (), is_even=True)
    if known and len(split.names) != len(split.weights) and not split.is_even:
        loose = read_split(words)
        split = loose if len(loose.names) == len(loose.weights) else split
    if known:
        split = Split(tuple(_one_of(name, known, fields) for name in split.names), split.weights, split.is_even)
    names = list(split.names) or (list(known) if split.is_even or len(split.weights) == len(known) else [])
    if known and split.is_even:
        names = list(known)
    weights = even(len(names)) if split.is_even else list(split.weights)
    if names and not weights:
        asked = f"Which weights for {', '.join(names)}? Say them in percent, or: equal."
        raise Ask(asked, "weights", {**fields, "conditions": words}, ["equal"])
    if not names or len(names) != len(weights):
        raise Ask(
            "Which conditions, with which weights? Say them as in: control 50, treatment 50.",
            "conditions",
            fields,
            list(known),
        )
    return [{"code": name, "weight": weight} for name, weight in zip(names, weights, strict=True)]


def _one_of(name: str, known: Sequence[str], fields: Fields) -> str:
    """The condition that a name means. Raises Ask, with what there is, where it means none."""
    found = grounded(name, known)
    if found is None:
        asked = f"'{name}' is none of the conditions: they are {', '.join(known)}. Which weights for these?"
        raise Ask(asked, "conditions", {key: value for key, value in fields.items() if key != "weights"}, ["equal"])
    return found


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


def _renamed(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    said = str(fields.get("new_name") or "")
    name = as_written(text, said) if said else ""
    if not name:
        raise Ask(f"What is {experiment['name']} to be called?", "new_name", fields)
    if name == experiment["name"]:
        raise Fault(f"It is called '{name}' already.", "validation")
    return {"name": name}


def _weighted(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    codes = [one["code"] for one in experiment["conditions"]]
    said = without(str(fields.get("weights") or fields.get("conditions") or ""), [experiment["name"]])
    words = said_split(said, text, codes, [experiment["name"]])
    if not words:
        raise Ask(f"Which weights for {', '.join(codes)}?", "conditions", fields)
    asked = {one["code"]: one["weight"] for one in conditions_of(words, fields, codes)}
    if len(asked) == len(codes) - 1 and 0 < sum(asked.values()) < 100:
        # One is left: it gets the rest, and the person sees so before anything is done.
        rest = next(code for code in codes if code not in asked)
        asked[rest] = round(100 - sum(asked.values()), 2)
    if len(asked) == 1 and len(codes) == 2 and 100 in asked.values():
        asked |= {code: 0 for code in codes if code not in asked}
    missing = [code for code in codes if code not in asked]
    if missing:
        raise Ask(f"Which weights for {', '.join(codes)}? They add up to 100.", "conditions", fields)
    return {"conditions": [{**_kept(one), "weight": asked[one["code"]]} for one in experiment["conditions"]]}


def _reconditioned(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    own = [_kept(one) for one in experiment["conditions"]]
    codes = [one["code"] for one in own]
    words = without(str(fields.get("conditions") or ""), [experiment["name"]]).strip(" ,")
    if not words:
        raise Ask("Which condition?", "conditions", fields, codes if fields.get("change") == "remove" else ())
    if fields.get("change") == "remove":
        gone = grounded(words, codes) or next(iter(read_split(words, codes).names), "")
        named = mentioned(without(text, [experiment["name"]]), codes)
        if gone not in codes and len(named) == 1:
            gone = named[0]
        if gone not in codes:
            raise Fault(f"'{words}' is none of the conditions.", "validation", did_you_mean(words, codes))
        left = [one for one in own if one["code"] != gone]
    else:
        offered = server.metadata.get(experiment["context"], {}).get("conditions", [])
        names = read_split(words).names or mentioned(without(text, [experiment["name"]]), offered)
        new = [name for name in names if grounded(name, codes) is None]
        if not new and names:
            raise Fault(f"The condition {words} is there already.", "validation")
        if not new:
            raise Ask("Which condition?", "conditions", fields, [one for one in offered if one not in codes])
        left = [*own, *({"code": name, "weight": 0.0} for name in new)]
    weights = fields.get("weights") or " ".join(word for word in tokens(text) if word in SHARED)
    if not weights:
        asked = ", ".join(one["code"] for one in left)
        raise Ask(f"With which weights then? {asked}. Say them in percent, or: equal.", "weights", fields, ["equal"])
    found = {one["code"]: one["weight"] for one in conditions_of(str(weights), fields, [one["code"] for one in left])}
    return {"conditions": [{**one, "weight": found.get(one["code"], one["weight"])} for one in left]}


def _ruled(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    unit, rule = fields.get("unit"), fields.get("consistency_rule") or _consistency(text)
    if unit == "group" or (fields.get("group_type") and unit != "individual"):
        types = server.group_types(experiment["context"])
        kind = group_kind(fields, types, text)
        if kind is None and unit == "group":
            if len(types) != 1:
                raise Ask("By which kind of group?", "group_type", fields, types)
            kind = types[0]
        found |= {"assignment_unit": "group", "group": kind}
    elif unit == "individual":
        found |= {"assignment_unit": "individual", "group": None}
        if experiment["consistency_rule"] == "group" and not rule:
            found["consistency_rule"] = "individual"
    if rule:
        found["consistency_rule"] = rule
    after = fields.get("post_rule") or (not found and _called(text, POST_RULES))
    if after:
        fields = {**fields, "post_rule": after}
        found |= after_rule(fields, [one["code"] for one in experiment["conditions"]], text)
    if not found:
        raise Ask("Which rule is to be what?", "rules", fields, ["consistency rule", "unit of assignment", "post rule"])
    return found


def _consistency(text: str) -> str:
    """The consistency rule that a request sets by its name; empty where it speaks of none."""
    after = re.split(r"\bconsistency\b", text, maxsplit=1, flags=re.IGNORECASE)[1:]
    named = re.findall(rf"(?:\b(?:to|be|as)|[=:])\s+({'|'.join(CONSISTENCY)})\b", " ".join(after), re.IGNORECASE)
    return str(named[-1]).casefold() if named else ""


def _called(text: str, values: Iterable[str]) -> str:
    """The only one of the values that the request calls by its name; empty where it is none or several."""
    spoken = set(map(stem, tokens(text)))
    found = [one for one in values if stem(one) in spoken]
    return found[0] if len(found) == 1 else ""


def group_kind(fields: Fields, types: Sequence[str], text: str) -> str | None:
    """The kind of group that is meant: as it was read, else the only one that the request names."""
    read = grounded(str(fields.get("group_type") or ""), types) if fields.get("group_type") else None
    named = kinds_named(without(text, [str(fields.get("new_name") or "")]), types)
    return read or (named[0] if len(named) == 1 else None)


def after_rule(fields: Fields, codes: Sequence[str], text: str) -> dict[str, Any]:
    """The rule for the time after, with its condition: as it was read, else the only one that the request names."""
    if fields["post_rule"] != "assign":
        return {"post_rule": fields["post_rule"], "revert_to": None}
    code = grounded(str(fields.get("condition") or ""), codes) if fields.get("condition") else None
    named = mentioned(text, codes) if code is None else []
    code = code or (named[0] if len(named) == 1 else None)
    if code is None:
        raise Ask("Which condition is everybody to get afterwards?", "condition", fields, codes)
    return {"post_rule": "assign", "revert_to": code}


def _repointed(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    own = [{key: one[key] for key in ("site", "target", "exclude_if_reached")} for one in experiment["decision_points"]]
    site, target = fields.get("site"), fields.get("target")
    if fields.get("change") == "remove":
        left = [one for one in own if not (_same(site, one["site"]) and (not target or _same(target, one["target"])))]
        if len(left) == len(own):
            there = [f"{one['site']} / {one['target']}" for one in own]
            raise Ask("Which decision point?", "point", fields, there)
        return {"decision_points": left}
    if not site or not target:
        offered = server.metadata.get(experiment["context"], {})
        raise Ask("At which decision point? Say site / target.", "point", fields, list(offered.get("sites", ()))[:8])
    point = _known_point(str(site), str(target), experiment["context"], server)
    return {"decision_points": [*own, {**point, "exclude_if_reached": False}]}


def _known_point(site: str, target: str, context: str, server: Server) -> dict[str, str]:
    offered = server.metadata.get(context, {"sites": [], "targets": []})
    return {
        "site": grounded(site, offered["sites"]) or site,
        "target": grounded(target, offered["targets"]) or target,
    }


def _members(fields: Fields, experiment: Experiment, server: Server, text: str, kind: str) -> dict[str, Any]:
    users = listed(str(fields.get("users") or ""))
    types = server.group_types(experiment["context"])
    groups = find_groups(text, types, server.names) or groups_in(str(fields.get("groups") or ""), types)
    users = [one for one in users if not any(one in ids for ids in groups.values())]
    if "" in groups:
        raise Ask(f"Of which kind is {', '.join(groups[''])}?", "group_type", fields, types)
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


def _included(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    return _members(fields, experiment, server, text, "include")


def _excluded(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    return _members(fields, experiment, server, text, "exclude")


def _described(fields: Fields, experiment: Experiment, server: Server, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if fields.get("description"):
        found["description"] = str(fields["description"]).strip(" \"'“”")
    if fields.get("tags"):
        tags = listed(str(fields["tags"]))
        found["tags"] = [*experiment["tags"], *(tag for tag in tags if tag not in experiment["tags"])]
    if not found:
        raise Ask("What is the description to be?", "description", fields)
    return found


def _kept(condition: Mapping[str, Any]) -> dict[str, Any]:
    return {key: condition[key] for key in ("code", "weight", "payload") if condition.get(key) is not None}


def _same(said: Any, name: str) -> bool:
    return bool(said) and grounded(str(said), [name]) is not None


_CHANGES: dict[str, Callable[[Fields, Experiment, Server, str], dict[str, Any]]] = {
    "rename": _renamed,
    "change_weights": _weighted,
    "change_conditions": _reconditioned,
    "change_rules": _ruled,
    "change_points": _repointed,
    "include": _included,
    "exclude": _excluded,
    "describe": _described,
}
