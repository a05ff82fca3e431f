"""The tool for feature flags: which the server has; they are read, and never changed here."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.experiments import flags
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.exact_names import metadata_of_context
from signalbox.agents.experiments.tool_results import as_result
from signalbox.toolbox import Result, Tool, tool

__all__ = ["FLAG_TOOLS", "get_feature_flags"]


@tool(effect="read")
async def get_feature_flags(
    context: Annotated[str, Field(description="of one context only, by its exact name")] = "",
) -> Result:
    """The feature flags of the server: name, key, context, and whether each is on. They cannot be changed here."""

    async def work(calls: Calls) -> dict[str, Any]:
        await metadata_of_context(context)
        return flags.told_flags(await calls(flags.get_feature_flags, context=context or None), context or None)

    return await as_result(work)


FLAG_TOOLS: dict[str, tuple[Tool, ...]] = {"list_experiments": (get_feature_flags,)}
"""By the capability that they belong to."""
