"""Schemas as tools: a request that fills one schema calls the tool of that schema, and none of the tools of others.

So every filling set teaches which tool is meant, too. The other tools are drawn: some far, some near, none so near that
the request could be for it as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from signalbox.language.vectors import embed
from signalbox.models.offline.fields import humanise

__all__ = ["converted"]

Case = tuple[Mapping[str, Any], Mapping[str, Any]]
_TOO_NEAR = 0.62
_LINKS = (" and ", " and ", ", and ", ". ", "; ", ", then ", ", also ", " plus ", ". Also ", " and then ")


def converted(cases: Sequence[Case], rng: random.Random) -> Iterator[Case]:
    """For every case of a filling set one of tools: called, left out, or one of two requests in a message."""
    sets: dict[str, tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = {}
    for header, case in cases:
        if "schema" in header and "text" in case and case.get("expected") and "title" in header["schema"]:
            sets.setdefault(f"{header['set']} {header.get('round', 0)}", (header, []))[1].append(case)
    names = list(sets)
    tools = [_tool(sets[name][0]) for name in names]
    rows = embed([f"{humanise(tool['name'])} {tool['description']}" for tool in tools])
    near = rows @ rows.T
    for place, name in enumerate(names):
        header, own = sets[name]
        others = [other for other in np.argsort(near[place])[::-1] if near[place, other] < _TOO_NEAR]
        for case in own:
            drawn = [*rng.sample(others[:12], min(2, len(others))), *rng.sample(others, min(rng.randint(2, 5), 5))]
            yield _case(header, case, place, list(dict.fromkeys(int(o) for o in drawn)), tools, names, sets, rng)


def _case(
    header: Mapping[str, Any], case: Mapping[str, Any], place: int, drawn: list[int], tools: Sequence[Any],
    names: Sequence[str], sets: Mapping[str, Any], rng: random.Random,
) -> Case:  # fmt: skip
    call = {"name": tools[place]["name"], "args": {}}
    chance = rng.random()
    if chance < 0.12:
        return _header(header, [tools[other] for other in drawn]), {"text": case["text"], "none": True}
    offered = [tools[other] for other in (*drawn, place)]
    rng.shuffle(offered)
    if chance < 0.4 and len(case["text"]) < 110:
        other = rng.choice(drawn)
        second = rng.choice(sets[names[other]][1])
        if len(second["text"]) < 110:
            parts = [case["text"].rstrip(" .!"), second["text"].rstrip(" .!")]
            calls = [call, {"name": tools[other]["name"], "args": {}}]
            if rng.random() < 0.5:
                parts.reverse()
            text = parts[0] + rng.choice(_LINKS) + parts[1][:1].lower() + parts[1][1:]
            return _header(header, offered), {"text": text, "expected": calls}
    return _header(header, offered), {"text": case["text"], "expected": [call]}


def _header(header: Mapping[str, Any], tools: list[Any]) -> dict[str, Any]:
    return {**{name: header[name] for name in ("set", "now", "tz")}, "skill": "tools", "round": header.get("round", 0),
            "tools": tools}  # fmt: skip


def _tool(header: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as a tool without parameters: those are taught by the schema itself."""
    schema = header["schema"]
    about = str(schema.get("description") or header.get("about") or "")
    return {"name": "_".join(humanise(schema["title"]).split()), "description": about, "parameters": {}}
