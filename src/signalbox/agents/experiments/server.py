"""The room's tools over MCP: `signalbox mcp experiments`."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from mcp.types import ToolAnnotations

from signalbox.agents.experiments.outcome import ToolResult
from signalbox.agents.experiments.tools import DESTRUCTIVE, TOOLS
from signalbox.toolbox.serving import ToolServer, offer

__all__ = ["create_server"]

# What is called back while a tool runs does not travel.
_LOCAL = ("progress",)


def create_server() -> ToolServer:
    """A server that offers all eighteen tools, each with what it may do to the data said in its hints."""
    offers = [offer(_offered(one), _hints(one)) for one in TOOLS]
    return ToolServer(
        "experiments",
        offers,
        instructions="A/B experiments on an UpGrade server. Tools that write change what real users get: ask first.",
    )


def _hints(function: Callable[..., Any]) -> ToolAnnotations:
    reads, destroys = not hasattr(function, "is_writing"), function.__name__ in DESTRUCTIVE
    return ToolAnnotations(read_only_hint=reads, destructive_hint=destroys, idempotent_hint=reads, open_world_hint=True)


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
