"""What the front door says itself: what can be asked, and that nothing here does something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signalbox.agents.frontdoor.plan import offered_agents
from signalbox.agents.frontdoor.state import FrontDoorState
from signalbox.contract import Agent

__all__ = ["decline", "tell_help", "what_can_be_asked"]


def tell_help(state: FrontDoorState) -> dict[str, Any]:
    """What can be asked, from the installed agents' own words."""
    parts = ["You can ask, in your own words:"]
    for agent in offered_agents():
        examples = "".join(f"\n  - {one}" for one in agent.examples[:3])
        parts.append(f"- **{agent.name}**: {agent.about}{examples}")
    return {"answer": "\n".join(parts)}


def decline(state: FrontDoorState) -> dict[str, Any]:
    """Say that no installed agent does that, and what they do."""
    error = {
        "error_type": "unsupported",
        "message": "No agent here does that.",
        "suggestion": f"What you can ask about:\n\n{what_can_be_asked(offered_agents())}",
    }
    return {"error": error}


def what_can_be_asked(agents: Sequence[Agent]) -> str:
    """The agents, each in a line with what it is for."""
    return "\n".join(f"- {agent.name}: {agent.about}" for agent in agents)
