"""What a text says of a new experiment: in one request, or bit by bit in the replies to questions about it.

The draft is the fields of the request. A reply fills or changes it; what is neither known to the server nor whole in
itself changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import kinds_named
from signalbox.agents.experiments.offline.names import (
    as_written,
    grounded,
    listed,
    mentioned,
    same_name,
    without,
    written_name,
)
from signalbox.agents.experiments.offline.values import (
    OWN,
    context_in,
    kind_of_group,
    named_condition,
    point_in,
    whole,
)
from signalbox.agents.experiments.offline.weights import find_point, read_split, said_split
from signalbox.agents.experiments.plan import create_schema, params_schema, rules_schema
from signalbox.agents.experiments.shares import Split, split_of

__all__ = ["edited_draft", "name_in", "new_draft"]

_POINT = ("site", "target")
_AFTERWARDS = re.compile(r"\bafter(?:wards?)?\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|per) (?:the |whole )?(\w+)", re.IGNORECASE)
Offered = Mapping[str, Sequence[str]]


async def new_draft(text: str, server: Server) -> Fields:
    """The draft of a new experiment as far as a text says it, in the terms of `create_experiment`."""
    said = await _read(text, server)
    if (later := _AFTERWARDS.search(text)) and not said.get("post_rule"):
        said |= {"post_rule": (await read(rules_schema([]), text[later.start() :], OWN)).get("post_rule")}
    name = as_written(text, str(said["new_name"])) if said.get("new_name") else _written(text, server)
    bare = without(text, [name])
    context = context_in(bare, str(said.get("context") or ""), server.contexts)
    offered, types = server.offered(context), server.group_types(context)
    point = point_in(bare, said, offered)
    apart = [one for one in (name, *point.values()) if one]
    stretch = said_split(str(said.get("conditions") or ""), text, offered["conditions"], apart)
    split = read_split(stretch, offered["conditions"])
    if stretch != text and not (split.is_complete and len(split.names) > 1):
        # The names of new conditions need not be known to the server.
        split = read_split(stretch)
    found: Fields = {"new_name": name, "context": context, **point, **_rules(said, text, split.names)}
    if split.names or split.weights or split.is_even:
        found["split"] = split.as_field()
    by = _BY.search(bare)
    by_kind = next(iter(kinds_named(by[1], types)), None) if by and not said.get("unit") else None
    if said.get("unit") == "group" or said.get("group_type") or by_kind:
        found |= {"unit": "group", "group_type": by_kind or kind_of_group(bare, said, types)}
    return {key: value for key, value in found.items() if value}


async def edited_draft(
    draft: Mapping[str, Any], reply: str, field: str, options: Sequence[str], server: Server
) -> Fields:
    """The draft with what a reply says of it; `field` is what was asked for, if anything."""
    said = await _read(reply, server)
    name = await _name(reply, field, said, server)
    text = without(reply, [name])
    context = _context(text, draft, field, server)
    found: Fields = {key: value for key, value in (("new_name", name), ("context", context)) if value}
    offered = server.offered(context or draft.get("context"))
    point = _point(said, text, field, offered)
    found, text = {**found, **point}, without(text, list(point.values()))
    if not point or field == "split":
        found |= _split(said, text, field, {**draft, **found}, options, offered["conditions"])
    kinds = kinds_named(text, server.group_types())
    if kinds and (said.get("unit") == "group" or said.get("group_type") or field == "group_type"):
        found |= {"unit": "group", "group_type": kinds[0]}
    if field != "new_name":
        found |= _rules(said, reply, split_of(draft).names)
    if field == "condition":
        found["condition"] = named_condition(reply, {}, split_of(draft).names)
    return {**draft, **found}


async def _read(text: str, server: Server) -> dict[str, Any]:
    return whole(await read(create_schema(server.contexts, server.group_types()), text, OWN), text)


def _rules(said: Mapping[str, Any], text: str, codes: Sequence[str]) -> Fields:
    """The rules that were read; of the one for afterwards also the condition, where the text goes on with one."""
    found: Fields = {key: said[key] for key in ("consistency_rule", "post_rule") if said.get(key)}
    if found.get("post_rule") == "assign":
        later = _AFTERWARDS.search(text)
        found["condition"] = named_condition(text[later.start() if later else 0 :], said, codes)
    return found


def _written(text: str, server: Server) -> str:
    """What the text writes as a name, which is none that the server has for anything else."""
    return written_name(text, [*server.contexts, *_offered(server), *(find_point(text) or ())])


def _offered(server: Server) -> list[str]:
    return [one for own in server.metadata.values() for names in own.values() for one in names]


def name_in(reply: str, said: Mapping[str, Any]) -> str:
    """The name in a reply: all of it, unless it begins with words about the name."""
    name = str(said.get("new_name") or "")
    if name and (reply[:1].islower() or any(mark in reply for mark in '"“:')) and not reply.startswith(name):
        return as_written(reply, name)
    return reply.strip(" .!\"'“”")


async def _name(reply: str, field: str, said: Mapping[str, Any], server: Server) -> str:
    """The name that a reply gives; where another thing was asked for, only one that two readings find in it."""
    name = str(said.get("new_name") or "")
    if field == "new_name":
        is_other = "?" in reply or any(said.get(key) for key in ("context", "conditions", *_POINT))
        return name_in(reply, said) if name or not is_other else ""
    if not name or same_name(reply, [name]) or grounded(name, [*server.contexts, *_offered(server)]) is not None:
        return ""
    again = str((await read(params_schema("rename") or {}, reply, OWN)).get("new_name") or "")
    return as_written(reply, name) if same_name(again, [name]) else ""


def _context(text: str, draft: Mapping[str, Any], field: str, server: Server) -> str | None:
    named = mentioned(text, server.contexts)
    chosen = next((one for one in named if one != draft.get("context")), None) or next(iter(named), None)
    return chosen or (grounded(text.strip(" .!"), server.contexts) if field == "context" else None)


def _point(said: Mapping[str, Any], text: str, field: str, offered: Offered) -> dict[str, str]:
    """The decision point of a reply: what the server knows, what is written as a point, or the answer to a question."""
    known = {key: one for key in _POINT if said.get(key) and (one := same_name(str(said[key]), offered[f"{key}s"]))}
    return point_in(" / ".join(text.split("/")) if field == "point" else text, known, offered)


def _split(
    said: Mapping[str, Any],
    text: str,
    field: str,
    draft: Mapping[str, Any],
    options: Sequence[str],
    offered: Sequence[str],
) -> Fields:
    """The conditions of a reply, or new shares for those that are known."""
    is_asked, own = field in ("split", "weights"), split_of(draft)
    known = list(dict.fromkeys([*own.names, *offered]))
    split = read_split(said_split(str(said.get("conditions") or ""), text, known) or (text if is_asked else ""), known)
    if split.is_complete and split.names:
        return {"split": split.as_field()}
    if (split.weights or split.is_even) and not split.names and (own.names or is_asked):
        return {"split": Split(own.names, split.weights, split.is_even).as_field()}
    if not is_asked or "?" in text:
        return {}
    members = mentioned(text, options) or listed(text)
    if split.names and len(split.names) == len(split.weights) > 1:
        return {"split": split.as_field()}
    is_list = bool(mentioned(text, options)) or (len(members) > 1 and all(len(one.split()) == 1 for one in members))
    return {"split": Split(tuple(members)).as_field()} if is_list else {}
