"""What a capable model at the front door can call: every other agent, and the front door's own ways."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from signalbox.agents.frontdoor.answers import help_text, unconnected_words, what_can_be_asked
from signalbox.agents.frontdoor.plan import OWN_WAYS, known_agents, offered_agents
from signalbox.contract import Agent
from signalbox.contract.sources import is_set_aside
from signalbox.errors import ToolFailedError
from signalbox.toolbox import Result, Tool

__all__ = ["AskAgent", "agent_tools"]

AskAgent = Callable[[Agent, dict[str, Any]], Awaitable[Result]]
_EXAMPLES = 5
_REQUEST = {"type": "string", "description": "What to ask it."}
_QUESTION = {"type": "string", "description": "What to ask the person, in their language."}


def agent_tools(ask: AskAgent) -> list[Tool]:
    """The agents and the front door's own ways as tools; `ask` calls an agent. Agents whose systems are not connected
    are there, too: a model that could not name them would give their requests to another agent."""
    agents = [
        Tool(one.name, _described(one), _takes(request=_REQUEST), partial(_call, one, ask), "read")
        for one in known_agents()
        if one.name not in OWN_WAYS
    ]
    own = {name: Tool(name, told, _takes(), partial(_tell, name), "read") for name, told in OWN_WAYS.items()}
    own["clarify"] = Tool("clarify", OWN_WAYS["clarify"], _takes(question=_QUESTION), partial(_tell, "clarify"), "read")
    return [*agents, *own.values()]


def _takes(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _described(agent: Agent) -> str:
    if agent.routes or not agent.examples:
        return agent.routes or agent.about
    return f"{agent.about}. For example: {' '.join(agent.examples[:_EXAMPLES])}"


async def _call(agent: Agent, ask: AskAgent, args: dict[str, Any], key: str) -> Result:
    if is_set_aside(agent):
        message, suggestion = unconnected_words(agent)
        raise ToolFailedError(message, suggestion=suggestion)
    return await ask(agent, args)


async def _tell(way: str, args: dict[str, Any], key: str) -> Result:
    """What one of the front door's own ways gives beside other calls; alone, it is a node of the map."""
    if way == "help":
        return Result(help_text())
    if way == "clarify":
        raise ToolFailedError("Nothing was asked: call clarify alone, before any agent.")
    raise ToolFailedError(f"No agent here does that. What can be asked about:\n{what_can_be_asked(offered_agents())}")
