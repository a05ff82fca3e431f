"""The reply to a question, taken into what is known of the request that waits for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import whole
from signalbox.agents.experiments.creating import known_point
from signalbox.agents.experiments.groups import kinds_named
from signalbox.agents.experiments.names import as_written, grounded, mentioned, the_one_shown
from signalbox.agents.experiments.plan import create_schema, params_schema, rules_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.shape import same_text
from signalbox.agents.experiments.weights import read_split, said_split
from signalbox.language.quantities import find_quantities

__all__ = ["with_reply"]

_PARTS = re.compile(r"\s*(?:/|,|\||→|->|;)\s*|\s+(?:target|and)\s+")
_OWN = "experiment_management"
_OF_FIELD = {"point": {"site", "target"}, "weights": {"conditions"}}
"""What a question asks for, where that has another name."""
_FIRST_WORDS = re.compile(r"^(?:user|student|pupil|the user|id|it is|it's|with|take)\s+", re.IGNORECASE)


async def with_reply(fields: Mapping[str, Any], state: Mapping[str, Any], server: Server) -> dict[str, Any]:
    """The fields with what the person has replied, where a reply is there for one of them."""
    pending = state.get("pending") or {}
    reply, field = str(pending.get("reply") or "").strip(), str(pending.get("field") or "")
    known = dict(fields)
    if not reply or field in ("", "confirm"):
        return known
    options = list(pending.get("options") or ())
    if known.get("action") == "create":
        return await _of_new(reply, field, known, options, server)
    return await _answered(reply, field, known, options, pending, server)


async def _answered(
    reply: str, field: str, known: dict[str, Any], options: Sequence[str], pending: Mapping[str, Any], server: Server
) -> dict[str, Any]:
    """What is known with the reply as the value of the field that was asked for."""
    if field == "experiment_id":
        label = _option(reply, options)
        return {**known, "experiment_id": (pending.get("choices") or {}).get(label)} if label else known
    if field == "experiment":
        name = _option(reply, options) or grounded(reply, server.names)
        kept = {key: value for key, value in known.items() if key not in ("named", "reference", "experiment")}
        return {**kept, "experiment": name, "sure": True} if name else {**kept, "named": reply}
    if field == "context":
        return {**known, "context": _option(reply, options) or grounded(reply, server.contexts) or reply}
    if field == "point":
        said = whole(await read(create_schema(server.contexts, ()), reply), reply)
        return {**known, **_point(reply, said, known)}
    if field == "new_name":
        return {**known, "new_name": _name(reply, await read(params_schema("rename") or {}, reply))}
    if field in ("unit", "group_type", "consistency_rule", "post_rule", "condition", "rules"):
        said = await read(rules_schema(server.group_types()), reply)
        chosen = _option(reply, options)
        return {**known, **said, **({field: chosen} if chosen and field != "rules" else {})}
    if field == "num_users":
        found = find_quantities(reply)
        return {**known, "num_users": int(found[0].value)} if found else known
    if field == "user_id":
        return {**known, "user_id": _FIRST_WORDS.sub("", reply).strip(" .!")}
    if field == "task":
        return {**known, "task": _option(reply, options) or known.get("task")}
    return {**known, field: reply}


async def _of_new(
    reply: str, field: str, known: dict[str, Any], options: Sequence[str], server: Server
) -> dict[str, Any]:
    """What is known of a new experiment with the reply in it, which may say more or other than was asked for."""
    said = whole(await read(create_schema(server.contexts, server.group_types()), reply, (), _OWN), reply)
    more = _certain(said, reply, known, server)
    if field == "new_name" and _is_only(reply, more.get("context")):
        return {**known, **more}
    if more and field != "new_name" and not _OF_FIELD.get(field, {field}) & set(more):
        return {**known, **more}
    known = {**more, **known}
    if field == "new_name":
        return {**known, "new_name": _name(reply, said)}
    if field == "point":
        return {**known, **_point(reply, said, known), **more}
    if field == "conditions" and "conditions" in more:
        return {**known, "conditions": more["conditions"]}
    return await _answered(reply, field, known, options, {}, server)


def _is_only(reply: str, context: str | None) -> bool:
    """Whether a reply is a context and nothing else: that is what it says, whatever was asked."""
    return context is not None and same_text(reply, context)


def _certain(said: Mapping[str, Any], reply: str, known: Mapping[str, Any], server: Server) -> dict[str, Any]:
    """Of what a reply says of a new experiment, what the server knows by its name or what is whole in itself."""
    context = next(iter(mentioned(reply, server.contexts)), None)
    found: dict[str, Any] = {"context": context} if context else {}
    offered = server.metadata.get(str(context or server.context(known.get("context"), "") or ""))
    if offered:
        point = {**{key: said[key] for key in ("site", "target") if said.get(key)}, **known_point(said, offered, reply)}
        if all(grounded(str(point.get(key) or ""), offered[f"{key}s"]) for key in ("site", "target")):
            found |= point
    stretch = said_split(str(said.get("conditions") or ""), reply, offered["conditions"] if offered else ())
    split = read_split(stretch, offered["conditions"] if offered else ())
    if split.is_complete and split.names:
        found["conditions"] = stretch
    if said.get("unit") == "group" and (kinds := kinds_named(reply, server.group_types())):
        found |= {"unit": "group", "group_type": kinds[0]}
    return found


def _option(reply: str, options: Sequence[str]) -> str | None:
    """The option that a reply means: by its number, its place or its name."""
    said = reply.strip(" .!")
    if said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1]
    name = grounded(said, options)
    if name is not None:
        return name
    shown = [{"id": one, "name": one} for one in options]
    return the_one_shown(said, shown, None) if len(options) > 1 else None


def _name(reply: str, said: Mapping[str, Any]) -> str:
    """The name in a reply: all of it, unless it begins with words about the name."""
    name = str(said.get("new_name") or "")
    if name and (reply[:1].islower() or any(mark in reply for mark in '"“:')) and not reply.startswith(name):
        return as_written(reply, name)
    return reply.strip(" .!\"'“”")


def _point(reply: str, said: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Site and target of a reply: both as they were read, else the two parts of it, else the one that is missing."""
    found = {key: said[key] for key in ("site", "target") if said.get(key)}
    parts = [part.strip(" .!") for part in _PARTS.split(reply) if part.strip(" .!")]
    parts = [
        re.sub(r"^(?:the |on |at |site |target |decision point )+", "", part, flags=re.IGNORECASE) for part in parts
    ]
    if len(found) < 2 and len(parts) == 2:
        return {"site": parts[0], "target": parts[1]}
    if found:
        return found
    return {"target": reply.strip(" .!")} if known.get("site") else {"site": reply.strip(" .!")}
