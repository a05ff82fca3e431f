"""The room's tools over MCP: `signalbox mcp experiments`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, get_type_hints

from signalbox.agents.experiments.outcome import ToolResult
from signalbox.agents.experiments.tools import DESTRUCTIVE, READ_ONLY, TOOLS

if TYPE_CHECKING:
    from fastmcp import FastMCP

__all__ = ["create_server"]

# What is called back while a tool runs does not travel.
_LOCAL = ("progress",)


def create_server() -> FastMCP:
    """A server that offers all eighteen tools, each with what it may do to the data said in its hints."""
    from fastmcp import FastMCP
    from fastmcp.tools import Tool
    from mcp.types import ToolAnnotations

    server: FastMCP = FastMCP(
        "experiments",
        instructions="A/B experiments on an UpGrade server. Tools that write change what real users get: ask first.",
    )
    for one in TOOLS:
        hints = ToolAnnotations(
            read_only_hint=one.__name__ in READ_ONLY,
            destructive_hint=one.__name__ in DESTRUCTIVE,
            idempotent_hint=one.__name__ in READ_ONLY,
            open_world_hint=True,
        )
        server.add_tool(Tool.from_function(_offered(one), name=one.__name__, annotations=hints))
    return server


def _offered(function: Callable[..., Awaitable[ToolResult]]) -> Callable[..., Awaitable[ToolResult]]:
    """The tool without what does not travel, and with its types spelled out."""
    hints = get_type_hints(inspect.unwrap(function))
    kept = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in _LOCAL
    ]

    async def call(**asked: Any) -> ToolResult:
        return await function(**asked)

    call.__doc__ = function.__doc__
    call.__name__ = function.__name__
    call.__signature__ = inspect.Signature(kept, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in kept} | {"return": dict[str, Any]}
    return call
