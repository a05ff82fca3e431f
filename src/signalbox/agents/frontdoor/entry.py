"""The two ends of a run of the front door: the state that it begins with, and the agent that the request goes on to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.frontdoor.state import OWN

__all__ = ["next_agent", "start_state"]


def start_state(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with."""
    return {"user_query": request, "before": dict(before) if before else None}


def next_agent(state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The agent that the request goes on to, with the request and what the person said."""
    route = state.get("route")
    if not route or route["to"] in OWN:
        return None
    return {**route, "request": state.get("request") or state["user_query"], "said": state["user_query"]}
