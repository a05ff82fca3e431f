"""The MCP server of tasks: `signalbox mcp tasks` for other programs, and the one that the agent itself holds.

For other programs it serves the one person of this machine (SIGNALBOX_USER), and its tools take no `user_id`. The
agent's own takes one with every call, which the agent injects, and a `turn`, by which a change can be taken back.
"""

from __future__ import annotations

import logging
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool, ToolResult
from mcp.types import ToolAnnotations
from pydantic import PrivateAttr

from signalbox.agents.tasks.definitions import TOOLS, Definition
from signalbox.agents.tasks.tools import run_tool
from signalbox.errors import SignalboxError, ToolArgumentsError
from signalbox.toolbox import ServerEntry, Session, ToolInfo, current_person, hold
from signalbox.toolbox.policy import Policy, check, without

__all__ = ["agent_session", "create_server"]

_READING = ("list_tasks", "get_task")
_TURN = {"turn": {"type": "string", "maxLength": 64, "description": "the turn that a change belongs to"}}


def create_server() -> Any:
    """The server for other programs, bound to the person of this machine."""
    return _server(bound=True)


def agent_session() -> Session:
    """The session with the agent's own server, in this process."""
    return hold(ServerEntry("tasks", transport="direct", server=lambda: _server(bound=False)))


def _server(*, bound: bool) -> Any:
    server: Any = FastMCP("tasks", instructions="A person's tasks: add, list, change, finish, delete, take back.")
    for definition in TOOLS:
        server.add_tool(_made(definition, bound=bound))
    return server


def _made(definition: Definition, *, bound: bool) -> Tool:
    parameters = dict(definition["parameters"])
    if bound:
        parameters = without(parameters, {"user_id"})
    else:
        parameters["properties"] = {**parameters["properties"], **_TURN}
    reads = definition["name"] in _READING
    tool = _TaskTool(
        name=definition["name"],
        description=definition["description"],
        parameters=parameters,
        annotations=ToolAnnotations(read_only_hint=reads, destructive_hint=definition["name"] == "delete_task"),
    )
    tool._bound = bound
    return tool


class _TaskTool(Tool):
    """A tool whose parameters are those of its definition. Arguments are checked here too: not every client does."""

    _bound: bool = PrivateAttr(default=True)

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        given = {name: value for name, value in arguments.items() if value is not None}
        if self._bound:
            # Whatever a client says of the person: it is the one of this machine.
            given.pop("user_id", None)
        try:
            checked = check(ToolInfo(self.name, self.description or "", self.parameters), given, Policy())
            user_id = current_person() if self._bound else checked.pop("user_id")
            return ToolResult(structured_content=await run_tool(self.name, user_id, checked))
        except ToolArgumentsError as error:
            raise ToolError(f"ValidationError: {error.user_message}", log_level=logging.DEBUG) from None
        except SignalboxError as error:
            raise ToolError(f"{error.error_type}: {error.user_message}", log_level=logging.DEBUG) from None
