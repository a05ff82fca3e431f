"""What a reply says of a new experiment: in any order, more than was asked for, or otherwise than it was said before.

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
)
from signalbox.agents.experiments.offline.swaps import exchanged, wants_exchange
from signalbox.agents.experiments.offline.values import OWN, point_in, whole
from signalbox.agents.experiments.offline.weights import find_point, read_split, said_split
from signalbox.agents.experiments.plan import create_schema, params_schema
from signalbox.agents.experiments.shares import Split, split_of
from signalbox.language.numbers import NUMBERS
from signalbox.language.words import tokens

__all__ = ["begins_anew", "edit_draft", "name_in", "point_of_reply"]

_POINT = ("site", "target")
_FIRST = re.compile(r"\bfirst (\w+)\b", re.IGNORECASE)
_LEAD = re.compile(r"^(?:(?:at|on|the|site|target|decision|point|is|it'?s|use|take|:)\s+)+", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[a-z][A-Z]|\w[_-]\w|\w\d|\d\w")
_ANEW = (
    ("start", "over"), ("start", "again"), ("start", "afresh"), ("begin", "again"), ("from", "scratch"),
    ("from", "the", "beginning"), ("start", "from", "zero"), ("restart",),
)  # fmt: skip
_LONGEST_ANEW = 8


def begins_anew(reply: str) -> bool:
    """Whether a reply wants to say a new experiment once more from the beginning."""
    words = tokens(reply)
    return len(words) <= _LONGEST_ANEW and any(
        tuple(words[at : at + len(one)]) == one for one in _ANEW for at in range(len(words))
    )


async def edit_draft(
    draft: Mapping[str, Any], reply: str, field: str, options: Sequence[str], server: Server
) -> Fields:
    """The draft with what a reply says of it; `field` is what was asked for, if anything."""
    if wants_exchange(reply):
        return {**draft, **exchanged(draft)}
    said = whole(await read(create_schema(server.contexts, server.group_types()), reply, OWN), reply)
    name = await _name(reply, field, said, server)
    text = without(reply, [name])
    found: Fields = {"new_name": name} if name else {}
    context = _context(text, draft, field, options, server)
    if context:
        found |= {"context": context, **_not_there(draft, context, server)}
    offered = server.offered(context or draft.get("context"))
    point = _point(said, text, field, draft, offered)
    found, text = {**found, **point}, without(text, list(point.values()))
    if not point or field == "split":
        found |= _split(said, text, field, {**draft, **found}, options, offered["conditions"])
    kinds = kinds_named(text, server.group_types())
    if kinds and (said.get("unit") == "group" or said.get("group_type") or field == "group_type"):
        found |= {"unit": "group", "group_type": kinds[0]}
    elif said.get("unit") == "individual" and draft.get("unit") == "group":
        found |= {"unit": "individual", "group_type": None}
    if field != "new_name":
        found |= {key: said[key] for key in ("consistency_rule", "post_rule") if said.get(key)}
    if found.get("post_rule") == "assign" or field == "condition":
        found["condition"] = next(iter(mentioned(reply, split_of(draft).names)), None)
    return {**draft, **found}


def name_in(reply: str, said: Mapping[str, Any]) -> str:
    """The name in a reply: all of it, unless it begins with words about the name."""
    name = str(said.get("new_name") or "")
    if name and (reply[:1].islower() or any(mark in reply for mark in '"“:')) and not reply.startswith(name):
        return as_written(reply, name)
    return reply.strip(" .!\"'“”")


def point_of_reply(text: str, site: Any, offered: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Site and target of a reply that was asked for them: both, or the one that is missing.

    A word that the server does not know counts where it is written as only identifiers are, or beside a slash.
    """
    if "?" in text:
        return {}
    bare = _LEAD.sub("", text.strip(" .!"))
    sites, targets = offered["sites"], offered["targets"]
    parts = [_LEAD.sub("", part.strip(" .!\"'")) for part in re.split(r"\s*(?:/|,|\||→|->|;)\s*|\s+target\s+", bare)]
    if len(parts) == 1 and len(bare.split()) == 2 and same_name(bare, [*sites, *targets]) is None:
        parts = bare.split() if any(_is_place(one, [*sites, *targets]) for one in bare.split()) else []
    known = [same_name(one, sites) or same_name(one, targets) or one for one in parts if one]
    if len(known) == 2 and all(" " not in one or one in (*sites, *targets) for one in known):
        return {"site": same_name(parts[0], sites) or parts[0], "target": same_name(parts[1], targets) or parts[1]}
    if len(known) == 1 and _is_place(parts[0], [*sites, *targets]):
        if site:
            return {"target": same_name(parts[0], targets) or parts[0]}
        is_target = same_name(parts[0], sites) is None and same_name(parts[0], targets) is not None
        return {"target" if is_target else "site": known[0]}
    return {}


def _is_place(word: str, known: Sequence[str]) -> bool:
    return same_name(word, known) is not None or (" " not in word and bool(_IDENTIFIER.search(word)))


async def _name(reply: str, field: str, said: Mapping[str, Any], server: Server) -> str:
    """The name that a reply gives; where another thing was asked for, only one that two readings find in it."""
    name = str(said.get("new_name") or "")
    if field == "new_name":
        is_other = "?" in reply or any(said.get(key) for key in ("context", "conditions", *_POINT))
        return name_in(reply, said) if name or not is_other else ""
    known = [*server.contexts, *(one for own in server.metadata.values() for names in own.values() for one in names)]
    if not name or same_name(reply, [name]) or grounded(name, known) is not None:
        return ""
    again = str((await read(params_schema("rename") or {}, reply, OWN)).get("new_name") or "")
    return as_written(reply, name) if same_name(again, [name]) else ""


def _context(text: str, draft: Mapping[str, Any], field: str, options: Sequence[str], server: Server) -> str | None:
    if field == "context" and text.strip(" .").isdigit() and 0 < int(text.strip(" .")) <= len(options):
        return options[int(text.strip(" .")) - 1]
    named = mentioned(text, server.contexts)
    chosen = next((one for one in named if one != draft.get("context")), None) or next(iter(named), None)
    return chosen or (grounded(text.strip(" .!"), server.contexts) if field == "context" else None)


def _not_there(draft: Mapping[str, Any], context: str, server: Server) -> dict[str, None]:
    """What was said for another context, and is not known in this one: it has to be said anew."""
    if not draft.get("context") or context == draft["context"]:
        return {}
    offered, before = server.offered(context), server.offered(draft["context"])
    gone = [key for key in _POINT if draft.get(key) in before[f"{key}s"] and draft[key] not in offered[f"{key}s"]]
    names = split_of(draft).names
    if any(one in before["conditions"] and one not in offered["conditions"] for one in names):
        gone.append("split")
    return dict.fromkeys(gone)


def _point(
    said: Mapping[str, Any], text: str, field: str, draft: Mapping[str, Any], offered: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The decision point of a reply: what the server knows, what is written as a point, or the answer to a question."""
    known = {key: one for key in _POINT if said.get(key) and (one := same_name(str(said[key]), offered[f"{key}s"]))}
    found = point_in(text, known, offered) if known or find_point(text) else {}
    found |= {
        key: named[0] for key in _POINT if key not in found and len(named := mentioned(text, offered[f"{key}s"])) == 1
    }
    if field == "point" and len(found) < 2:
        found = {**found, **point_of_reply(text, draft.get("site"), offered)}
    return found


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
    stretch = said_split(str(said.get("conditions") or ""), text, known) or (text if is_asked else "")
    split = read_split(stretch, known)
    if split.is_complete and split.names:
        return {"split": split.as_field()}
    if (split.weights or split.is_even) and not split.names and (own.names or is_asked):
        return {"split": Split(own.names, split.weights, split.is_even).as_field()}
    if not is_asked or "?" in text:
        return {}
    if chosen := _chosen(text, options):
        return {"split": Split(tuple(chosen)).as_field()}
    members = [one for one in listed(text) if one]
    is_list = len(members) > 1 and all(len(one.split()) == 1 for one in members)
    if split.names and len(split.names) == len(split.weights) > 1:
        return {"split": split.as_field()}
    return {"split": Split(tuple(members)).as_field()} if is_list else {}


def _chosen(text: str, options: Sequence[str]) -> list[str]:
    """Those of the options that a reply takes: by their names, or the first so many."""
    if named := mentioned(text, options):
        return named
    found = _FIRST.search(text)
    count = NUMBERS.get(found[1].casefold()) or (int(found[1]) if found[1].isdigit() else 0) if found else 0
    return list(options[: int(count)]) if count else []
