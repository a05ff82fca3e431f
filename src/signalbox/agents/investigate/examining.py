"""Asking every agent that can know, side by side; one that fails or is slow fails none of the others."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any, Literal
from weakref import WeakKeyDictionary

from langgraph.types import Send

from signalbox.agents.investigate.state import InvestigationState, Seen
from signalbox.contract import Agent, Observation
from signalbox.contract.installed import find_agent, list_agents
from signalbox.errors import SignalboxError

__all__ = ["examine", "examine_each", "send_each", "witnesses"]

PATIENCE = 90.0
"""Seconds that an agent may take to say what it saw, from when it is its turn."""
MOST_AT_ONCE = 6
"""How many are asked at once. Alerts come in swarms: asked all together, nobody would answer in time."""
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def witnesses() -> list[Agent]:
    """The agents that can say what they saw between two moments."""
    return [agent for agent in list_agents() if agent.examine is not None and agent.is_offered]


def examine_each(state: InvestigationState) -> list[Send] | Literal["examine", "weigh"]:
    """One `examine` for every witness; the report at once where the symptom could not be read or nobody can know."""
    return "weigh" if state.get("error") or not witnesses() else send_each(state)


def send_each(state: InvestigationState) -> list[Send]:
    """One `examine` for every witness."""
    return [Send("examine", {**state, "agent": agent.name}) for agent in witnesses()]


async def examine(state: InvestigationState) -> dict[str, Any]:
    """What one agent saw."""
    agent = find_agent(state["agent"])
    start, end = (datetime.fromisoformat(state[key]) for key in ("start", "end"))
    assert agent.examine is not None
    try:
        async with _turn(), asyncio.timeout(PATIENCE):
            told = await agent.examine(state["user_query"], start, end)
    except TimeoutError:
        return {"failed": [f"{agent.name} did not answer within {PATIENCE:g} seconds"]}
    except SignalboxError as error:
        return {"failed": [f"{agent.name}: {error.user_message}"]}
    return {
        "seen": [_plain(agent.name, one) for one in told.observations],
        "looked_at": told.looked_at,
        "failed": told.failed,
        "sources": [told.source] if told.source else [],
    }


def _turn() -> asyncio.Semaphore:
    """What lets so many in at once, of all the runs in this event loop."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MOST_AT_ONCE))


def _plain(agent: str, one: Observation) -> Seen:
    return Seen(
        agent=agent,
        text=one.text,
        start=one.start.isoformat(),
        end=one.end.isoformat() if one.end else None,
        severity=one.severity,
        about=one.about,
        is_symptom=one.is_symptom,
        evidence=list(one.evidence),
    )
