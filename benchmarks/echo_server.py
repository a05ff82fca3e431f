"""A bare MCP server on the SDK, over stdio: its one tool gives back its arguments, or what a file has."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_ANSWER = json.loads(Path(sys.argv[1]).read_text("utf-8")) if sys.argv[1:] else None
_TOOL = types.Tool(name="echo", description="Gives back its arguments.", input_schema={"type": "object"})


async def _list(_: Any, __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_TOOL])


async def _call(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
    given = _ANSWER if _ANSWER is not None else dict(asked.arguments or {})
    return types.CallToolResult(content=[types.TextContent(text=json.dumps(given))], structured_content=given)


async def _serve() -> None:
    server: Server[Any] = Server("echo", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
