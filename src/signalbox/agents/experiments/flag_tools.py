"""Feature flags: which the server has, read and never changed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments import outcome
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.exact_names import metadata_of_context
from signalbox.agents.experiments.node import Calls
from signalbox.agents.experiments.outcome import Done
from signalbox.agents.experiments.tool_results import as_result
from signalbox.contract import blocks
from signalbox.toolbox import Result, Tool, tool

__all__ = ["FLAG_TOOLS", "list_feature_flags", "told_flags"]

_SHOWN = 20


@outcome.tool
async def list_feature_flags(context: str | None = None) -> Done:
    """The feature flags of a context, or of all: `[{id, name, key, description, context, status, filter_mode,
    tags}]`."""
    raw = [one for one in await current_client().flags() if context in (None, *(one.get("context") or ()))]
    kept = ("id", "name", "key", "description", "status")
    found = [
        {key: one.get(key) for key in kept}
        | {"context": (one.get("context") or [""])[0], "filter_mode": one.get("filterMode"), "tags": one.get("tags")}
        for one in raw
    ]
    return Done(found, raw, "GET /flags", f"{len(found)} feature flags")


@tool(effect="read")
async def get_feature_flags(
    context: Annotated[str, Field(description="of one context only, by its exact name")] = "",
) -> Result:
    """The feature flags of the server: name, key, context, and whether each is on. They cannot be changed here."""

    async def work(calls: Calls) -> dict[str, Any]:
        await metadata_of_context(context)
        return told_flags(await calls(list_feature_flags, **({"context": context} if context else {})), context)

    return await as_result(work)


def told_flags(found: Sequence[Mapping[str, Any]], context: str | None = "") -> dict[str, Any]:
    """Feature flags in words and as a table."""
    where = f" in {context}" if context else ""
    lines = [f"{one['name']} ({one['key']}, {one['context']}) is {one['status']}" for one in found[:_SHOWN]]
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    counted = f"{len(found)} feature flag{'s' if len(found) > 1 else ''}{where}: {'; '.join(lines)}{more}."
    told = counted if found else f"The server has no feature flags{where}."
    everybody = {"includeAll": "everybody", "excludeAll": "only those on its lists"}
    rows = [
        [one["name"], one["key"], one["context"], one["status"], everybody.get(str(one["filter_mode"]), "")]
        for one in found
    ]
    table = blocks.table(["flag", "key", "context", "status", "for whom"], rows, "Feature flags")
    return {"bot_response": told, "told": told[:200], "blocks": [table] if rows else [], "is_empty": not found}


FLAG_TOOLS: dict[str, tuple[Tool, ...]] = {"list_experiments": (get_feature_flags,)}
"""By the capability that they belong to."""
