"""What a reply says of a new experiment: in any order, more than was asked for, or otherwise than it was said before.

Only what the server knows by its name counts, or what is whole in itself: the rest is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import whole
from signalbox.agents.experiments.creating import known_point
from signalbox.agents.experiments.groups import kinds_named
from signalbox.agents.experiments.names import as_written, grounded, listed, mentioned, without
from signalbox.agents.experiments.plan import create_schema, params_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.shape import same_text
from signalbox.agents.experiments.weights import read_split, said_split
from signalbox.language.numbers import NUMBERS
from signalbox.language.words import tokens

__all__ = ["begins_anew", "name_in", "retold"]

_OWN = "experiment_management"
_POINT = ("site", "target")
_FIRST = re.compile(r"\bfirst (\w+)\b", re.IGNORECASE)
_ANEW = (
    ("start", "over"), ("start", "again"), ("start", "afresh"), ("begin", "again"), ("from", "scratch"),
    ("from", "the", "beginning"), ("start", "from", "zero"), ("restart",),
)  # fmt: skip
_LONGEST_ANEW = 8
Fields = Mapping[str, Any]


def begins_anew(reply: str) -> bool:
    """Whether a reply wants to say a new experiment once more from the beginning."""
    words = tokens(reply)
    return len(words) <= _LONGEST_ANEW and any(
        tuple(words[at : at + len(one)]) == one for one in _ANEW for at in range(len(words))
    )


async def retold(reply: str, field: str, known: Fields, options: Sequence[str], server: Server) -> dict[str, Any]:
    """What a reply changes in what is known of a new experiment; `field` is what was asked for, if anything.

    A None takes back what was known.
    """
    said = whole(await read(create_schema(server.contexts, server.group_types()), reply, (), _OWN), reply)
    name = await _name(reply, field, said, server)
    text = without(reply, [name])
    found: dict[str, Any] = {"new_name": name} if name else {}
    if context := _context(text, known, server):
        found |= {"context": context, **_not_there(known, context, server)}
    offered = server.metadata.get(str(context or server.context(known.get("context"), "") or ""))
    if offered:
        point = _point(said, text, offered)
        found, text = {**found, **point}, without(text, list(point.values()))
    found |= _conditions(said, text, field, known, options, offered["conditions"] if offered else ())
    kinds = kinds_named(text, server.group_types())
    if kinds and (said.get("unit") == "group" or said.get("group_type")):
        found |= {"unit": "group", "group_type": kinds[0]}
    elif said.get("unit") == "individual" and known.get("unit") == "group":
        found |= {"unit": "individual", "group_type": None}
    if field != "new_name":
        found |= {key: said[key] for key in ("consistency_rule", "post_rule") if said.get(key)}
    if found.get("post_rule") == "assign":
        codes = read_split(str(known.get("conditions") or ""), offered["conditions"] if offered else ()).names
        found["condition"] = next(iter(mentioned(reply, codes)), None)
    return found


def name_in(reply: str, said: Fields) -> str:
    """The name in a reply: all of it, unless it begins with words about the name."""
    name = str(said.get("new_name") or "")
    if name and (reply[:1].islower() or any(mark in reply for mark in '"“:')) and not reply.startswith(name):
        return as_written(reply, name)
    return reply.strip(" .!\"'“”")


async def _name(reply: str, field: str, said: Fields, server: Server) -> str:
    """The name that a reply gives; where another thing was asked for, only one that two readings find in it."""
    name = str(said.get("new_name") or "")
    if field == "new_name":
        is_other = "?" in reply or any(said.get(key) for key in ("context", "conditions", *_POINT))
        return name_in(reply, said) if name or not is_other else ""
    if not name or same_text(reply, name) or grounded(name, _of_server(server)) is not None:
        return ""
    again = str((await read(params_schema("rename") or {}, reply, (), _OWN)).get("new_name") or "")
    return as_written(reply, name) if same_text(again, name) else ""


def _of_server(server: Server) -> list[str]:
    """What the server calls other things."""
    return [*server.contexts, *(one for own in server.metadata.values() for names in own.values() for one in names)]


def _context(text: str, known: Fields, server: Server) -> str | None:
    named = mentioned(text, server.contexts)
    return next((one for one in named if one != known.get("context")), None) or next(iter(named), None)


def _not_there(known: Fields, context: str, server: Server) -> dict[str, None]:
    """What was said for another context, and is not known in this one: it has to be said anew."""
    offered, before = server.metadata[context], server.metadata.get(str(known.get("context") or ""))
    if before is None or context == known.get("context"):
        return {}
    gone = [key for key in _POINT if known.get(key) and grounded(str(known[key]), offered[f"{key}s"]) is None]
    names = read_split(str(known.get("conditions") or ""), before["conditions"]).names
    if any(grounded(one, offered["conditions"]) is None for one in names):
        gone += ["conditions", "weights"]
    return dict.fromkeys(gone)


def _point(said: Fields, text: str, offered: Mapping[str, list[str]]) -> dict[str, str]:
    read_as = {key: grounded(str(said[key]), offered[f"{key}s"]) for key in _POINT if said.get(key)}
    return {**{key: one for key, one in read_as.items() if one}, **known_point({}, offered, text)}


def _conditions(
    said: Fields, text: str, field: str, known: Fields, options: Sequence[str], offered: Sequence[str]
) -> dict[str, Any]:
    """The conditions of a reply, or new shares for those that are known."""
    is_asked = field in ("conditions", "weights")
    stretch = said_split(str(said.get("conditions") or ""), text, offered) or (text if is_asked else "")
    split = read_split(stretch, offered)
    if split.is_complete and split.names:
        return {"conditions": stretch, "weights": None}
    if (split.weights or split.is_even) and not split.names and (known.get("conditions") or is_asked):
        return {"weights": stretch} if known.get("conditions") else {"conditions": stretch}
    if not is_asked:
        return {}
    if chosen := _chosen(text, options):
        return {"conditions": ", ".join(chosen), "weights": None}
    members = listed(text)
    is_list = len(members) > 1 and all(len(one.split()) == 1 for one in members) and "?" not in text
    return {"conditions": stretch} if said.get("conditions") or is_list else {}


def _chosen(text: str, options: Sequence[str]) -> list[str]:
    """Those of the options that a reply takes: by their names, or the first so many."""
    if named := mentioned(text, options):
        return named
    found = _FIRST.search(text)
    count = NUMBERS.get(found[1].casefold()) or (int(found[1]) if found[1].isdigit() else 0) if found else 0
    return list(options[: int(count)]) if count else []
