"""The state of the front door: the request, the turn before it, and the way that was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

__all__ = ["OWN", "FrontDoorState", "Route", "next_agent", "start_state"]

OWN = ("help", "clarify", "unsupported")
"""The ways that lead to no agent."""


class Route(TypedDict):
    """Where a request goes: an installed agent, or one of the front door's own ways."""

    to: str
    confidence: float


class FrontDoorState(TypedDict, total=False):
    """`before` is the turn before in this thread, by any agent: `agent`, `said` and `answer`. `unconnected` is the
    agent that the request would go to if its system were connected."""

    user_query: str
    before: dict[str, Any] | None
    route: Route
    unconnected: str
    answer: str
    error: dict[str, str] | None


def start_state(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with."""
    return {"user_query": request, "before": dict(before) if before else None}


def next_agent(state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The agent that the request goes on to, with the request."""
    route = state.get("route")
    if not route or route["to"] in OWN:
        return None
    return {**route, "request": state["user_query"]}
