"""The MCP server of tasks: `signalbox mcp tasks` for other programs, and the one that the agent itself holds.

For other programs it serves the one person of this machine (SIGNALBOX_USER), and its tools take no `user_id`. The
agent's own takes one with every call, which the agent injects, and a `turn`, by which a change can be taken back.
"""

from __future__ import annotations

from typing import Any

from mcp.types import ToolAnnotations

from signalbox.agents.tasks.definitions import TOOLS, Definition
from signalbox.agents.tasks.tools import run_tool
from signalbox.errors import SignalboxError, ToolArgumentsError, ToolFailedError
from signalbox.toolbox import ServerEntry, Session, ToolInfo, current_person, hold
from signalbox.toolbox.policy import Policy, check, without
from signalbox.toolbox.serving import Offer, ToolServer

__all__ = ["agent_session", "create_server"]

_READING = ("list_tasks", "get_task")
_TURN = {"turn": {"type": "string", "maxLength": 64, "description": "the turn that a change belongs to"}}


def create_server() -> ToolServer:
    """The server for other programs, bound to the person of this machine."""
    return _server(bound=True)


def agent_session() -> Session:
    """The session with the agent's own server, in this process."""
    return hold(ServerEntry("tasks", transport="direct", server=lambda: _server(bound=False)))


def _server(*, bound: bool) -> ToolServer:
    offers = [_offer(definition, bound=bound) for definition in TOOLS]
    return ToolServer("tasks", offers, instructions="A person's tasks: add, list, change, finish, delete, take back.")


def _offer(definition: Definition, *, bound: bool) -> Offer:
    """A tool whose parameters are those of its definition. Arguments are checked here too: not every client does."""
    name, parameters = definition["name"], dict(definition["parameters"])
    if bound:
        parameters = without(parameters, {"user_id"})
    else:
        parameters["properties"] = {**parameters["properties"], **_TURN}
    info = ToolInfo(name, definition["description"], parameters)

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        given = {key: value for key, value in arguments.items() if value is not None}
        if bound:
            # Whatever a client says of the person: it is the one of this machine.
            given.pop("user_id", None)
        try:
            checked = check(info, given, Policy())
            user_id = current_person() if bound else checked.pop("user_id")
            return await run_tool(name, user_id, checked)
        except ToolArgumentsError as error:
            raise ToolFailedError(f"ValidationError: {error.user_message}") from None
        except SignalboxError as error:
            raise ToolFailedError(f"{error.error_type}: {error.user_message}") from None

    hints = ToolAnnotations(read_only_hint=name in _READING, destructive_hint=name == "delete_task")
    return Offer.of(name, definition["description"], parameters, call, hints)
