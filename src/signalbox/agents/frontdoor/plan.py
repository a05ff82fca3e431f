"""What the model is asked for: which installed agent a request is for, and whether it goes on with the thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract import Agent
from signalbox.contract.installed import list_agents
from signalbox.contract.sources import is_set_aside

__all__ = ["OWN_WAYS", "known_agents", "offered_agents", "route_schema"]

OWN_WAYS = {
    "help": "what this assistant can do and how to use it",
    "clarify": "too vague: it does not say what it is about",
    "unsupported": "something that none of these does",
}
"""The ways that lead to no agent, and what for."""


def known_agents() -> list[Agent]:
    """The agents that a request may be for, whether or not their systems are connected."""
    return [agent for agent in list_agents() if agent.is_offered and agent.hands_over is None]


def offered_agents() -> list[Agent]:
    """The agents that requests are sent to."""
    return [agent for agent in known_agents() if not is_set_aside(agent)]


def route_schema(before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema of a route. Agents whose systems are not connected are options, too: a model that could not name them
    would give their requests to another agent."""
    told = {agent.name: agent.routes or agent.about for agent in known_agents()} | OWN_WAYS
    to = {
        "type": "string",
        "description": " ".join(["The agent whose contract fits the request.", *_examples()]),
        "enum": list(told),
        "enumDescriptions": told,
    }
    properties: dict[str, Any] = {"to": to}
    if before:
        properties["follows_on"] = {
            "type": "boolean",
            "description": "it goes on with what was said before, or answers it",
        }
    properties["confidence"] = {"type": "number", "description": "how sure you are of the agent, from 0 to 1"}
    return {
        "title": "Route",
        "description": "Which agent a request is for.",
        "type": "object",
        "properties": properties,
        "required": ["to"],
    }


def _examples() -> list[str]:
    """Requests for the agents that do not say in words of their own which ones are for them."""
    agents = [agent for agent in known_agents() if agent.examples and not agent.routes]
    return [f"For {agent.name}, such as: {' '.join(agent.examples[:5])}" for agent in agents]
