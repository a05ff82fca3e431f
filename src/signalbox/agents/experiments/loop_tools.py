"""All tools that a capable model works with in this room, and the capability that each belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field

from signalbox.agents.experiments.change_tools import CHANGE_TOOLS
from signalbox.agents.experiments.prompts import INSTEAD, WHAT_I_DO
from signalbox.agents.experiments.read_tools import READ_TOOLS
from signalbox.agents.experiments.trial_tools import TRIAL_TOOLS
from signalbox.agents.experiments.user_tools import USER_TOOLS
from signalbox.toolbox import Result, Tool, tool

__all__ = ["CAPABILITY_OF", "CLARIFY", "UNSUPPORTED", "loop_tools", "room_tools"]


@tool(effect="read", name="clarify")
async def _clarify(
    question: Annotated[str, Field(min_length=1, max_length=1000)],
    options: Annotated[list[str] | None, Field(max_length=8, description="replies to choose from")] = None,
) -> Result:
    """Ask the person for what is missing and stands neither in the conversation nor in <data>."""
    asks = {"kind": "clarify", "message": question, "options": options or []}
    return Result(question, asks=asks)


@tool(effect="read", name="unsupported")
async def _unsupported(
    feature: Literal["within_subjects", "factorial", "stratified", "metrics", "feature_flags", "adaptive", "other"],
) -> Result:
    """Say that something cannot be done here, and what is possible instead. `metrics` are outcomes and significance,
    `adaptive` are bandits, `other` has nothing to do with experiments."""
    return Result(INSTEAD[feature] if feature != "other" else f"{INSTEAD['other']} {WHAT_I_DO}")


CLARIFY, UNSUPPORTED = _clarify, _unsupported
_BY_CAPABILITY: Mapping[str, tuple[Tool, ...]] = {
    **READ_TOOLS,
    **CHANGE_TOOLS,
    **USER_TOOLS,
    **TRIAL_TOOLS,
    "clarification_needed": (CLARIFY,),
    "unsupported": (UNSUPPORTED,),
}
CAPABILITY_OF: Mapping[str, str] = {one.name: name for name, tools in _BY_CAPABILITY.items() for one in tools}


@cache
def loop_tools() -> tuple[Tool, ...]:
    """All of them."""
    every = [one for tools in _BY_CAPABILITY.values() for one in tools]
    return tuple(replace(one, parameters=_brief(one.parameters)) for one in every)


def room_tools() -> tuple[Tool, ...]:
    """Those that do something on the server, for others to call."""
    return tuple(one for one in loop_tools() if one.name not in (CLARIFY.name, UNSUPPORTED.name))


def _brief(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without null and the default of what may be left out: leaving it out says the same, and every
    request pays for the tools."""
    fields = {}
    for name, told in schema["properties"].items():
        kept = {key: value for key, value in told.items() if key not in ("anyOf", "default")}
        given = [one for one in told.get("anyOf", ()) if one != {"type": "null"}]
        fields[name] = {**kept, **(given[0] if len(given) == 1 else {"anyOf": given} if given else {})}
    return {**schema, "properties": fields}
