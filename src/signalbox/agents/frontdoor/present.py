"""The final state for a person: what the front door says itself, or what came of the agents that it called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract import Presented

__all__ = ["present"]


def present(state: Mapping[str, Any]) -> Presented:
    """The answer, with the Answers of the agents that were called; of a request that goes on to an agent, nothing."""
    outcome = state.get("outcome")
    if not outcome:
        return Presented(str(state.get("answer") or ""))
    results = [state["results"][one["id"]] for one in outcome["results"]]
    return Presented(
        outcome["answer"],
        outcome["blocks"],
        outcome["source"],
        outcome["not_covered"],
        error=outcome["error"],
        parts=[one["part"] for one in results if "part" in one and not one.get("same_as")],
    )
