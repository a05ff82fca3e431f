"""What the front door says itself: what can be asked, what is not connected, and that nothing here does something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signalbox.agents.frontdoor.plan import offered_agents
from signalbox.agents.frontdoor.state import FrontDoorState
from signalbox.contract import Agent
from signalbox.contract.installed import find_agent
from signalbox.contract.sources import connecting, set_aside, source_of

__all__ = [
    "decline", "help_text", "tell_help", "tell_unconnected", "unconnected_words", "what_can_be_asked",
    "what_is_not_connected",
]  # fmt: skip


def tell_help(state: FrontDoorState) -> dict[str, Any]:
    """Say what can be asked."""
    return {"answer": help_text()}


def help_text() -> str:
    """What can be asked, from the installed agents' own words."""
    parts = ["You can ask, in your own words:"]
    for agent in offered_agents():
        examples = "".join(f"\n  - {one}" for one in agent.examples[:3])
        parts.append(f"- **{agent.name}**: {agent.about}{examples}")
    missing = what_is_not_connected()
    return "\n".join(parts) + (f"\n\n{missing}" if missing else "")


def decline(state: FrontDoorState) -> dict[str, Any]:
    """Say that no installed agent does that, and what they do."""
    error = {
        "error_type": "unsupported",
        "message": "No agent here does that.",
        "suggestion": f"What you can ask about:\n\n{what_can_be_asked(offered_agents())}",
    }
    return {"error": error}


def tell_unconnected(state: FrontDoorState) -> dict[str, Any]:
    """Say that the agent for this request has no connected system, and how to connect one."""
    message, suggestion = unconnected_words(find_agent(state["unconnected"]))
    return {"error": {"error_type": "not_connected", "message": message, "suggestion": suggestion}}


def unconnected_words(agent: Agent) -> tuple[str, str]:
    """That an agent has no connected system, and how to connect one."""
    about, connect = agent.data or agent.name, (source_of(agent) or {}).get("connect")
    own = f"Set {connect} to connect yours. " if connect else ""
    return (
        f"This is for {agent.name}, and no system with {about} is connected.",
        f"{own}The embedded demonstration answers if you name the agent (--agent {agent.name}) or set "
        "SIGNALBOX_DEMO=1; it is not used beside a connected system, because all of it is invented.",
    )


def what_is_not_connected() -> str:
    """The agents whose systems are not connected although others are, with the settings that connect them."""
    told = [f"{agent.data or agent.name}{connecting(agent)}" for agent in set_aside()]
    return f"Not connected: {', '.join(told)}." if told else ""


def what_can_be_asked(agents: Sequence[Agent]) -> str:
    """The agents, each in a line with what it is for."""
    return "\n".join(f"- {agent.name}: {agent.about}" for agent in agents)
