"""What a change, or a new experiment, is to be made of: the words of a request as values of the server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import find_groups, groups_in, kinds_named
from signalbox.agents.experiments.offline.names import (
    as_written,
    grounded,
    listed,
    mentioned,
    same_name,
    whole_words,
    without,
    written_name,
)
from signalbox.agents.experiments.offline.weights import SHARED, find_point, read_split, said_split
from signalbox.agents.experiments.plan import CONSISTENCY, POST_RULES, create_schema, params_schema, rules_schema
from signalbox.agents.experiments.shares import Split
from signalbox.language.words import split_name, stem, tokens

__all__ = ["OWN", "context_in", "kind_of_group", "new_values", "point_in", "read_values", "split_in", "whole"]

OWN = "experiment_management"
_POINT = ("site", "target")
_WHOLE = ("site", "target", "user_id", "named", "condition", "users", "groups", "conditions")
_BY = re.compile(r"\b(?:by|per) (?:the |whole )?(\w+)", re.IGNORECASE)
_AFTERWARDS = re.compile(r"\b(?:afterwards?|after (?:that|it|the))\b", re.IGNORECASE)
_QUOTES = " \"'“”"
Said = Mapping[str, Any]
Experiment = Mapping[str, Any]


async def read_values(action: str, text: str, server: Server, one: Experiment | None) -> Fields:
    """What an action needs besides the experiment, as far as the text says it. `one` is the experiment, in short."""
    schema = params_schema(action)
    if action == "create":
        schema = create_schema(server.contexts, server.group_types())
    elif action == "change_rules":
        schema = rules_schema(server.group_types())
    said = whole(await read(schema, text, OWN), text) if schema else {}
    if action == "create":
        if said.get("post_rule") == "assign" or (not said.get("post_rule") and _AFTERWARDS.search(text)):
            after = await read(rules_schema(server.group_types()), text[_later(text) :], OWN)
            said |= {key: after[key] for key in ("post_rule", "condition") if after.get(key)}
        return new_values(text, said, server)
    known = one or {"name": "", "context": "", "conditions": []}
    return _VALUES[action](text, said, server, known) if action in _VALUES else {}


def _later(text: str) -> int:
    """Where a text begins to speak of the time after the experiment; its beginning where it does not."""
    found = _AFTERWARDS.search(text)
    return found.start() if found else 0


def whole(said: Said, text: str) -> dict[str, Any]:
    """What was read, with every name as whole words of the text, and a site with its target as two values."""
    found = {
        key: whole_words(text, value) if key in _WHOLE and isinstance(value, str) else value
        for key, value in said.items()
    }
    points = [str(found[key]) for key in _POINT if found.get(key)]
    parts = [part.strip() for part in points[0].split("/")] if len(points) == 1 else []
    return {**found, **({"site": parts[0], "target": parts[1]} if len(parts) == 2 and all(parts) else {})}


def context_in(text: str, said: str, contexts: Sequence[str]) -> str | None:
    """The context that a text names: whole, or the one that was read where the text has a word of it."""
    named = mentioned(text, contexts)
    if len(named) == 1:
        return named[0]
    if said in named:
        return said
    read_as = said if said in contexts else grounded(said, contexts) if said else None
    spoken = {stem(word) for word in split_name(text)}
    is_said = read_as is not None and any(stem(part) in spoken for part in split_name(read_as))
    return read_as if is_said else None


def point_in(text: str, said: Said, offered: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Site and target: as the server writes them where it knows them, otherwise as the text does."""
    found = {key: same_name(str(said[key]), offered[f"{key}s"]) or str(said[key]) for key in _POINT if said.get(key)}
    written = find_point(text)
    if written and {*map(str.casefold, written)} & set(tokens(str(said.get("conditions") or ""))):
        written = None
    if written and not all(found.get(key) in offered[f"{key}s"] for key in _POINT):
        found = {key: same_name(part, offered[f"{key}s"]) or part for key, part in zip(_POINT, written, strict=True)}
    for key in _POINT:
        named = mentioned(text, offered[f"{key}s"])
        if found.get(key) not in offered[f"{key}s"] and len(named) == 1 and not written:
            found[key] = named[0]
    return found


def split_in(text: str, words: str, codes: Sequence[str], apart: Sequence[str] = ()) -> Split:
    """The shares that a text gives to conditions, of which these are known."""
    return read_split(said_split(words, text, codes, apart), codes)


def kind_of_group(text: str, said: Said, types: Sequence[str], apart: Sequence[str] = ()) -> str | None:
    """The kind of group that is meant: as it was read, else the only one that the text names."""
    read_as = grounded(str(said.get("group_type") or ""), types) if said.get("group_type") else None
    named = kinds_named(without(text, [str(one) for one in apart]), types)
    return read_as or (named[0] if len(named) == 1 else None)


def new_values(text: str, said: Said, server: Server) -> Fields:
    """The draft of a new experiment as far as a text says it, in the terms of `create_experiment`."""
    name = as_written(text, str(said["new_name"])) if said.get("new_name") else _written(text, server)
    found: Fields = {"new_name": name} if name else {}
    text_apart = without(text, [name])
    context = context_in(text_apart, str(said.get("context") or ""), server.contexts)
    if context:
        found["context"] = context
    offered = server.offered(context)
    point = point_in(text_apart, said, offered)
    found |= point
    split = _new_split(text, str(said.get("conditions") or ""), offered["conditions"], [name, *point.values()])
    if split.names or split.weights or split.is_even:
        found["split"] = split.as_field()
    types = server.group_types(context)
    by = _BY.search(text_apart)
    kind = kind_of_group(text_apart, said, types)
    by_kind = next(iter(kinds_named(by[1], types)), None) if by and not said.get("unit") else None
    if said.get("unit") == "group" or said.get("group_type") or by_kind:
        found |= {"unit": "group", "group_type": by_kind or kind}
    elif said.get("unit"):
        found["unit"] = said["unit"]
    found |= {key: said[key] for key in ("consistency_rule", "post_rule") if said.get(key)}
    if found.get("post_rule") == "assign":
        code = grounded(str(said.get("condition") or ""), split.names) if said.get("condition") else None
        named = mentioned(text[_later(text) :], split.names)
        found["condition"] = code or (named[0] if len(named) == 1 else None)
    return {key: value for key, value in found.items() if value}


def _new_split(text: str, words: str, codes: Sequence[str], apart: Sequence[str]) -> Split:
    """The shares of new conditions: their names need not be known to the server."""
    stretch = said_split(words, text, codes, [one for one in apart if one])
    split = read_split(stretch, codes)
    if (split.is_complete and len(split.names) > 1) or stretch == text:
        return split
    return read_split(stretch) if stretch else split


def _written(text: str, server: Server) -> str:
    """What the text writes as a name, which is none that the server has for anything else."""
    kinds = ("sites", "targets", "conditions", "group_types")
    offered = [one for own in server.metadata.values() for kind in kinds for one in own[kind]]
    point = find_point(text) or ()
    return written_name(text, [*server.contexts, *offered, *point])


def _renamed(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    name = str(said.get("new_name") or "")
    return {"new_name": as_written(text, name)} if name else {}


def _weighted(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    codes = one["conditions"]
    words = without(str(said.get("conditions") or ""), [one["name"]])
    words = said_split(words, text, codes, [one["name"]])
    if not words:
        return {}
    split = read_split(words, codes)
    if codes and len(split.names) != len(split.weights) and not split.is_even:
        loose = read_split(words)
        split = loose if len(loose.names) == len(loose.weights) else split
    named = {name: grounded(name, codes) for name in split.names} if codes else {}
    found = Split(tuple(named.get(name) or name for name in split.names), split.weights, split.is_even)
    return {"split": found.as_field()}


def _reconditioned(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    codes = one["conditions"]
    bare = without(text, [one["name"]])
    words = without(str(said.get("conditions") or ""), [one["name"]]).strip(" ,")
    found: Fields = {"change": said["change"]} if said.get("change") else {}
    if said.get("change") == "remove":
        gone = (grounded(words, codes) or next(iter(read_split(words, codes).names), "")) if words else ""
        named = mentioned(bare, codes)
        found["codes"] = named if gone not in codes and len(named) == 1 else [gone or words] if words else []
    else:
        names = list(read_split(words).names) or mentioned(bare, server.offered(one["context"])["conditions"])
        found["codes"] = [grounded(name, codes) or name for name in names]
    shared = " ".join(word for word in tokens(text) if word in SHARED)
    if shared:
        found["split"] = read_split(shared, [*codes, *found["codes"]]).as_field()
    return found


def _ruled(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    found = {key: said[key] for key in ("unit", "post_rule") if said.get(key)}
    rule = said.get("consistency_rule") or _consistency(text)
    if rule:
        found["consistency_rule"] = rule
    types = server.group_types(one["context"])
    kind = kind_of_group(text, said, types, [one["name"]])
    if said.get("unit") == "group" or (said.get("group_type") and said.get("unit") != "individual"):
        found |= {"unit": "group", "group_type": kind}
    after = found.get("post_rule") or (not found and _called(text, POST_RULES))
    if after:
        found["post_rule"] = after
    if after == "assign":
        code = grounded(str(said.get("condition") or ""), one["conditions"]) if said.get("condition") else None
        named = mentioned(without(text, [one["name"]]), one["conditions"]) if code is None else []
        found["condition"] = code or (named[0] if len(named) == 1 else None)
    return {key: value for key, value in found.items() if value}


def _consistency(text: str) -> str:
    """The consistency rule that a request sets by its name; empty where it speaks of none."""
    after = re.split(r"\bconsistency\b", text, maxsplit=1, flags=re.IGNORECASE)[1:]
    named = re.findall(rf"(?:\b(?:to|be|as)|[=:])\s+({'|'.join(CONSISTENCY)})\b", " ".join(after), re.IGNORECASE)
    return str(named[-1]).casefold() if named else ""


def _called(text: str, values: Mapping[str, str]) -> str:
    """The only one of the values that the request calls by its name; empty where it is none or several."""
    spoken = set(map(stem, tokens(text)))
    found = [one for one in values if stem(one) in spoken]
    return found[0] if len(found) == 1 else ""


def _repointed(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    offered = server.offered(one["context"])
    if said.get("change") == "remove":
        own = [point.split(" / ") for point in one["decision_points"]] if one.get("decision_points") else []
        offered = {"sites": [point[0] for point in own], "targets": [point[-1] for point in own]}
    return {
        **point_in(without(text, [one["name"]]), said, offered),
        **({"change": said["change"]} if said.get("change") else {}),
    }


def _members(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    types = server.group_types(one["context"])
    groups = find_groups(text, types, server.names) or groups_in(str(said.get("groups") or ""), types)
    users = [user for user in listed(str(said.get("users") or "")) if not any(user in ids for ids in groups.values())]
    users = [user for user in users if user != one["name"] and stem(user.casefold()) not in ("it", "them")]
    loose = groups.pop("", [])
    found: Fields = {"users": users, "groups": groups, "loose_groups": loose}
    return {key: value for key, value in found.items() if value}


def _described(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    found: Fields = {}
    if said.get("description"):
        found["description"] = as_written(text, str(said["description"])).strip(_QUOTES)
    if said.get("tags"):
        found["tags"] = listed(str(said["tags"]))
    return found


def _scheduled(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    return {"when": said["when"]} if said.get("when") else {}


_VALUES: Mapping[str, Callable[[str, Said, Server, Experiment], Fields]] = {
    "rename": _renamed,
    "change_weights": _weighted,
    "change_conditions": _reconditioned,
    "change_rules": _ruled,
    "change_points": _repointed,
    "include": _members,
    "exclude": _members,
    "describe": _described,
    "schedule": _scheduled,
}
