"""What a change is to be made of: the words of a request as values of the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import find_groups, kinds_named
from signalbox.agents.experiments.offline.names import as_written, grounded, listed, mentioned, same_name, whole_words
from signalbox.agents.experiments.offline.names import without as bare_of
from signalbox.agents.experiments.offline.weights import SHARED, find_point, read_split, said_split
from signalbox.agents.experiments.plan import params_schema, rules_schema
from signalbox.agents.experiments.shares import Split
from signalbox.language.words import split_name, stem, tokens

__all__ = ["OWN", "context_in", "kind_of_group", "named_condition", "point_in", "read_values", "whole"]

OWN = "experiment_management"
_POINT = ("site", "target")
_WHOLE = ("site", "target", "user_id", "named", "condition", "users", "groups", "conditions")
_QUOTES = " \"'“”"
_NOBODY: Mapping[str, Any] = {"name": "", "context": "", "conditions": [], "decision_points": []}
Said = Mapping[str, Any]
Experiment = Mapping[str, Any]


async def read_values(action: str, text: str, server: Server, one: Experiment | None) -> Fields:
    """What a change needs besides the experiment, as far as the text says it. `one` is the experiment, in short."""
    schema = rules_schema(server.group_types()) if action == "change_rules" else params_schema(action)
    if schema is None or action not in _VALUES:
        return {}
    said = whole(await read(schema, text, OWN), text)
    found = _VALUES[action](text, said, server, one or _NOBODY)
    return {key: value for key, value in found.items() if value}


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
    read_as = said if said in contexts else grounded(said, contexts) if said else None
    spoken = {stem(word) for word in split_name(text)}
    is_said = read_as is not None and any(stem(part) in spoken for part in split_name(read_as))
    return read_as if is_said else None


def point_in(text: str, said: Said, offered: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Site and target: as the server writes them where it knows them, otherwise as the text does."""
    found = {key: same_name(str(said[key]), offered[f"{key}s"]) or str(said[key]) for key in _POINT if said.get(key)}
    if all(found.get(key) in offered[f"{key}s"] for key in _POINT):
        return found
    if written := find_point(text):
        return {key: same_name(part, offered[f"{key}s"]) or part for key, part in zip(_POINT, written, strict=True)}
    named = {key: mentioned(text, offered[f"{key}s"]) for key in _POINT if found.get(key) not in offered[f"{key}s"]}
    return {**found, **{key: names[0] for key, names in named.items() if len(names) == 1}}


def kind_of_group(text: str, said: Said, types: Sequence[str]) -> str | None:
    """The kind of group that is meant: as it was read, else the only one that the text names."""
    read_as = grounded(str(said.get("group_type") or ""), types) if said.get("group_type") else None
    named = kinds_named(text, types)
    return read_as or (named[0] if len(named) == 1 else None)


def named_condition(text: str, said: Said, codes: Sequence[str]) -> str | None:
    """The condition that is meant: as it was read, else the only one that the text names."""
    read_as = grounded(str(said.get("condition") or ""), codes) if said.get("condition") else None
    named = mentioned(text, codes)
    return read_as or (named[0] if len(named) == 1 else None)


def _renamed(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    return {"new_name": as_written(text, str(said["new_name"]))} if said.get("new_name") else {}


def _weighted(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    codes = one["conditions"]
    words = said_split(bare_of(str(said.get("conditions") or ""), [one["name"]]), text, codes, [one["name"]])
    if not words:
        return {}
    split = read_split(words, codes)
    if len(split.names) != len(split.weights) and not split.is_even:
        loose = read_split(words)
        split = loose if len(loose.names) == len(loose.weights) else split
    names = tuple(grounded(name, codes) or name for name in split.names)
    return {"split": Split(names, split.weights, split.is_even).as_field()}


def _reconditioned(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    is_removal = said.get("change") == "remove"
    offered = one["conditions"] if is_removal else server.offered(one["context"])["conditions"]
    words = bare_of(str(said.get("conditions") or ""), [one["name"]]).strip(" ,")
    names = mentioned(bare_of(text, [one["name"]]), offered) or list(read_split(words).names)
    codes = [grounded(name, one["conditions"]) or name for name in names]
    found: Fields = {"change": said.get("change"), "codes": codes}
    if shared := " ".join(word for word in tokens(text) if word in SHARED):
        found["split"] = read_split(shared, [*one["conditions"], *codes]).as_field()
    return found


def _ruled(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    found: Fields = {key: said.get(key) for key in ("unit", "post_rule", "consistency_rule")}
    bare = bare_of(text, [one["name"]])
    if said.get("unit") == "group" or (said.get("group_type") and said.get("unit") != "individual"):
        found |= {"unit": "group", "group_type": kind_of_group(bare, said, server.group_types(one["context"]))}
    if found["post_rule"] == "assign":
        found["condition"] = named_condition(bare, said, one["conditions"])
    return found


def _repointed(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    offered = server.offered(one["context"])
    if said.get("change") == "remove":
        own = [point.split(" / ") for point in one["decision_points"]]
        offered = {"sites": [point[0] for point in own], "targets": [point[-1] for point in own]}
    return {**point_in(bare_of(text, [one["name"]]), said, offered), "change": said.get("change")}


def _members(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    groups = find_groups(text, server.group_types(one["context"]), server.names)
    of_groups = [member for ids in groups.values() for member in ids]
    users = [user for user in listed(str(said.get("users") or "")) if user not in (*of_groups, one["name"])]
    users = [user for user in users if stem(user.casefold()) not in ("it", "them")]
    return {"users": users, "loose_groups": groups.pop("", []), "groups": groups}


def _described(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    description = as_written(text, str(said.get("description") or "")).strip(_QUOTES)
    return {"description": description if said.get("description") else "", "tags": listed(str(said.get("tags") or ""))}


def _scheduled(text: str, said: Said, server: Server, one: Experiment) -> Fields:
    return {"when": said.get("when")}


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
