"""The reply to a question, taken into what is known of the request that waits for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import whole
from signalbox.agents.experiments.groups import kinds_named
from signalbox.agents.experiments.names import as_written, grounded, mentioned, the_one_shown
from signalbox.agents.experiments.plan import create_schema, params_schema, rules_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.weights import read_split
from signalbox.language.quantities import find_quantities

__all__ = ["with_reply"]

_PARTS = re.compile(r"\s*(?:/|,|\||→|->|;)\s*|\s+(?:target|and)\s+")
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
        more = await _more(reply, field, known, server)
        if more and not _is_answered(field, more):
            return {**known, **more}
        known = {**more, **known}
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
        return {**known, **await _point(reply, known, server)}
    if field == "new_name":
        return {**known, "new_name": await _name(reply)}
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


async def _more(reply: str, field: str, known: Mapping[str, Any], server: Server) -> dict[str, Any]:
    """What a reply says of a new experiment beside what was asked for: only what the server knows by its name, or what
    is whole in itself."""
    said = whole(
        await read(create_schema(server.contexts, server.group_types()), reply, (), "experiment_management"), reply
    )
    context = next(iter(mentioned(reply, server.contexts)), None)
    offered = server.metadata.get(str(context or server.context(known.get("context"), "") or ""))
    found: dict[str, Any] = {"context": context} if context else {}
    if offered and all(grounded(str(said.get(key) or ""), offered[f"{key}s"]) for key in ("site", "target")):
        found |= {"site": said["site"], "target": said["target"]}
    split = read_split(str(said.get("conditions") or ""))
    if split.is_complete and split.names:
        found["conditions"] = said["conditions"]
    if said.get("unit") == "group" and (kinds := kinds_named(reply, server.group_types())):
        found |= {"unit": "group", "group_type": kinds[0]}
    return found


def _is_answered(field: str, said: Mapping[str, Any]) -> bool:
    """Whether what was asked for is in what was said, or is such that only the reply itself can tell."""
    of_point = {"point": "site", "weights": "conditions"}
    return field == "new_name" or of_point.get(field, field) in said


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


async def _name(reply: str) -> str:
    """The name in a reply: all of it, unless it begins with words about the name."""
    said = await read(params_schema("rename") or {}, reply)
    name = str(said.get("new_name") or "")
    if name and (reply[:1].islower() or any(mark in reply for mark in '"“:')) and not reply.startswith(name):
        return as_written(reply, name)
    return reply.strip(" .!\"'“”")


async def _point(reply: str, known: Mapping[str, Any], server: Server) -> dict[str, Any]:
    said = await read(create_schema(server.contexts, ()), reply)
    parts = [part.strip(" .!") for part in _PARTS.split(reply) if part.strip(" .!")]
    parts = [
        re.sub(r"^(?:the |on |at |site |target |decision point )+", "", part, flags=re.IGNORECASE) for part in parts
    ]
    if len(parts) == 2:
        return {"site": parts[0], "target": parts[1]}
    found = {key: said[key] for key in ("site", "target") if said.get(key)}
    if found:
        return found
    return {"target": reply.strip(" .!")} if known.get("site") else {"site": reply.strip(" .!")}
