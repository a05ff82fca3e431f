"""The state of the front door: the request, the turn before it, the way that was chosen, and the loop's own."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from signalbox.toolbox.loop import LoopState

__all__ = ["OWN", "FrontDoorState", "Route"]

OWN = ("help", "clarify", "unsupported")
"""The ways that lead to no agent."""


class Route(TypedDict):
    """Where a request goes: an installed agent, or one of the front door's own ways."""

    to: str
    confidence: float


class FrontDoorState(LoopState, total=False):
    """`before` is the turn before in this thread, by any agent: `agent`, `said` and `answer`. `unconnected` is the
    agent that the request would go to if its system were connected.

    Of a capable model: the `request` that it hands on, the `question` that it asks, and how often it has `asked_back`.
    `parts` is what the agents that it called remember, by their names; the rest is the loop's.
    """

    user_query: str
    before: dict[str, Any] | None
    route: Route
    unconnected: str
    request: str
    question: str
    asked_back: int
    parts: Annotated[dict[str, Any], operator.or_]
    answer: str
    error: dict[str, str] | None
