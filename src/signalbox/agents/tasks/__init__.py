"""A person's tasks, kept in conversation: nobody sees another's, and nothing is changed that was not asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.contract import Agent, lazy

if TYPE_CHECKING:
    from signalbox.agents.tasks.agent import run_agent
    from signalbox.agents.tasks.calling import bind_mcp_tools, execute_tool_call
    from signalbox.agents.tasks.errors import (
        APIError,
        APITimeoutError,
        LLMAPIError,
        MaxIterationsExceededError,
        RateLimitError,
        TaskNotFoundError,
        ToolExecutionError,
        ToolNotFoundError,
        UnauthorizedTaskAccessError,
        ValidationError,
    )
    from signalbox.agents.tasks.state import AgentConfiguration, AgentResponse, TasksState

_EXTRA = "tasks"

AGENT = Agent(
    name="tasks",
    routes="a person's own to-do list: add, show, change, complete, delete",
    about="Your tasks: written down, listed, changed, finished and taken back, in conversation",
    examples=(
        "Remind me to call the bank on Friday",
        "What is overdue?",
        "Mark the first one as complete",
        "Move the dentist to Thursday at 3pm",
    ),
    map=Path(__file__).with_name("map.csv"),
    start=lazy(f"{__name__}.conversation:start_state", _EXTRA),
    present=lazy(f"{__name__}.present:present", _EXTRA),
    close=lazy(f"{__name__}.closing:close", _EXTRA),
    check=lazy(f"{__name__}.closing:check", _EXTRA),
    tools=lazy(f"{__name__}.tools:task_tools", _EXTRA),
    note=lazy(f"{__name__}.noting:note", _EXTRA),
    source=lazy(f"{__name__}.present:source_set", _EXTRA),
    has_system=False,
    remembers=("user_id", "history", "talk"),
    private=(
        "history",
        "talk",
        "limits",
        "waited",
        "decision",
        "planned",
        "notes",
        "said",
        "choice",
        "asked",
        "replies",
        "results",
        "shown",
        "agreed",
        "outcome",
        "may_pause",
        "user_id",
    ),
)

_NAMES = {
    "agent": "run_agent",
    "calling": "bind_mcp_tools execute_tool_call",
    "errors": "APIError APITimeoutError LLMAPIError MaxIterationsExceededError RateLimitError TaskNotFoundError "
    "ToolExecutionError ToolNotFoundError UnauthorizedTaskAccessError ValidationError",
    "state": "AgentConfiguration AgentResponse TasksState",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AGENT",
    "APIError",
    "APITimeoutError",
    "AgentConfiguration",
    "AgentResponse",
    "LLMAPIError",
    "MaxIterationsExceededError",
    "RateLimitError",
    "TaskNotFoundError",
    "TasksState",
    "ToolExecutionError",
    "ToolNotFoundError",
    "UnauthorizedTaskAccessError",
    "ValidationError",
    "bind_mcp_tools",
    "execute_tool_call",
    "run_agent",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the list of agents loads no database."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
