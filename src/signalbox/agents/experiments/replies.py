"""The reply to a question, taken into what is known of the request that waits for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import whole
from signalbox.agents.experiments.names import grounded, mentioned, the_one_shown
from signalbox.agents.experiments.plan import create_schema, params_schema, rules_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.retold import name_in, retold
from signalbox.agents.experiments.server_names import Server
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
        named = mentioned(reply, options) or mentioned(reply, server.names)
        name = named[0] if len(named) == 1 else _option(reply, options) or grounded(reply, server.names)
        kept = {key: value for key, value in known.items() if key not in ("named", "reference", "experiment")}
        return {**kept, "experiment": name, "sure": True} if name else {**kept, "named": reply}
    if field == "context":
        return {**known, "context": _option(reply, options) or grounded(reply, server.contexts) or reply}
    if field == "point":
        said = whole(await read(create_schema(server.contexts, ()), reply), reply)
        return {**known, **_point(reply, said, known)}
    if field == "new_name":
        return {**known, "new_name": name_in(reply, await read(params_schema("rename") or {}, reply))}
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
    more = await retold(reply, field, known, options, server)
    if more or field in ("new_name", "conditions", "weights") or "?" in reply:
        return {**known, **more}
    return await _answered(reply, field, known, options, {}, server)


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
