"""Calling a tool for a person: whose it is, is injected, whatever the model says; what fails comes back in words."""

from __future__ import annotations

import logging
from typing import Any

from signalbox.agents.tasks.definitions import TOOLS
from signalbox.agents.tasks.errors import TEXTS, ToolNotFoundError, text_for
from signalbox.errors import SignalboxError, ToolArgumentsError, ToolFailedError, redact
from signalbox.storage import check_owner
from signalbox.toolbox import Policy, call_tool

__all__ = ["bind_mcp_tools", "call_for", "execute_tool_call"]

_log = logging.getLogger("signalbox.agents.tasks")
_SHORT = {
    "TaskNotFoundError": "Task not found",
    "ToolNotFoundError": "Tool not found",
    "UnauthorizedTaskAccessError": "Not allowed",
    "ValidationError": "Invalid arguments",
}


def bind_mcp_tools() -> list[dict[str, Any]]:
    """The tools of the MCP server in OpenAI's form for function calling, `user_id` among their parameters.

    Raises ImportError where the server cannot be imported, and ValueError where a definition is invalid.
    """
    import signalbox.agents.tasks.server  # noqa: F401  it cannot be imported without MCP

    for tool in TOOLS:
        parameters = tool["parameters"]
        if not tool["name"] or set(parameters["required"]) - set(parameters["properties"]):
            raise ValueError(f"The tool '{tool['name']}' is invalid.")
    return [{"type": "function", "function": {**tool}} for tool in TOOLS]


async def execute_tool_call(tool_name: str, tool_arguments: dict[str, Any], user_id: str) -> dict[str, Any]:
    """Call one tool for a person: `{"status": "success", "result": …}`, or `{"status": "error", "error", "error_type",
    "message"}`. Nothing is raised. `user_id` overrides what the arguments say."""
    try:
        return {"status": "success", "result": await call_for(user_id, tool_name, tool_arguments)}
    except SignalboxError as error:
        return _failed(tool_name, error)
    except Exception as error:
        _log.error("Tool execution error (%s): %s", tool_name, redact(error))
        return {"status": "error", "error": "Unexpected error", "error_type": "Unknown", "message": TEXTS["Unknown"]}


async def call_for(user_id: str, name: str, args: Any, *, turn: str = "", deadline: float = 30.0) -> Any:
    """What a tool gives, for this person. Raises the contract's errors."""
    from signalbox.agents.tasks.server import agent_session

    _log.info("Executing tool: %s", name)
    session = agent_session()
    info = next((one for one in await session.tools() if one.name == name), None)
    if info is None:
        raise ToolNotFoundError(f"There is no tool '{name}'.")
    if not isinstance(args, dict):
        raise ToolArgumentsError(f"{name}: the arguments are no object.")
    inject = {"user_id": check_owner(user_id), **({"turn": turn} if turn else {})}
    given = {key: value for key, value in args.items() if value is not None and key != "turn"}
    return await call_tool(session, info, given, Policy(inject=inject, hidden=("turn",), deadline=deadline), "tools")


def _failed(name: str, error: SignalboxError) -> dict[str, Any]:
    """An error as the contract has it; a tool that failed says its error's name before its words."""
    kind, message = error.error_type, error.user_message
    if isinstance(error, ToolFailedError) and message.partition(": ")[0] in TEXTS:
        kind, _, message = message.partition(": ")
    elif isinstance(error, ToolArgumentsError):
        kind = "ValidationError"
    elif kind not in _SHORT:
        kind, message = "ToolExecutionError", text_for(error)
    _log.error("Tool execution error (%s): %s", name, redact(message))
    return {"status": "error", "error": _SHORT.get(kind, "The tool failed"), "error_type": kind, "message": message}
