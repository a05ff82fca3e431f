"""Asking every agent that can know, side by side; one that fails or is slow fails none of the others.

All of them read live systems, or all of them embedded ones: a real symptom has no invented cause.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.types import Send

from signalbox.agents.investigate.state import InvestigationState, Seen
from signalbox.contract import Agent, Observation
from signalbox.contract.installed import find_agent, list_agents
from signalbox.contract.sources import Kind, Source, connecting, joined, kind_in_use, kind_of, shown, source_of
from signalbox.errors import SignalboxError

__all__ = ["close_witnesses", "examine", "look", "not_asked", "send_each", "source_set", "witnesses"]

PATIENCE = 90.0
"""Seconds that an agent may take to say what it saw, from when it is its turn."""
MOST_AT_ONCE = 6
"""How many are asked at once. Alerts come in swarms: asked all together, nobody would answer in time."""
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def witnesses(kind: Kind) -> list[Agent]:
    """The agents that can say what they saw between two moments, on systems of this kind."""
    return [agent for agent in _able() if kind_of(agent) in (kind, "")]


def not_asked(kind: Kind) -> list[str]:
    """Those that could be asked if their systems were of this kind, and why they are not."""
    left_out = [agent for agent in _able() if kind_of(agent) not in (kind, "")]
    if kind == "embedded":
        return [f"{agent.data or agent.name}: SIGNALBOX_DEMO leaves live systems out" for agent in left_out]
    return [f"{agent.data or agent.name}: not connected{connecting(agent)}" for agent in left_out]


def _able() -> list[Agent]:
    return [agent for agent in list_agents() if agent.examine is not None and agent.is_offered]


async def close_witnesses() -> None:
    """Close the connections that asking the other agents opened in the running event loop."""
    for agent in _able():
        if agent.close is not None:
            await agent.close()


def source_set() -> Source | None:
    """All systems that an investigation started now would ask."""
    return joined([source for agent in witnesses(kind_in_use()) if (source := source_of(agent))])


def send_each(state: InvestigationState) -> list[Send]:
    """One `examine` for every witness."""
    # What an agent does not need is not stored with every question to one.
    needed = ("about", "start", "end", "kind")
    return [
        Send("examine", {**{key: state.get(key) for key in needed}, "agent": agent.name})
        for agent in witnesses(state["kind"])
    ]


async def examine(state: InvestigationState) -> dict[str, Any]:
    """What one agent saw."""
    start, end = (datetime.fromisoformat(state[key]) for key in ("start", "end"))
    return await look(find_agent(state["agent"]), state.get("about") or "", start, end, state["kind"])


async def look(agent: Agent, about: str, start: datetime, end: datetime, kind: Kind) -> dict[str, Any]:
    """What one agent saw between two moments, as it goes into the state; what it could not see is in `failed`."""
    assert agent.examine is not None
    try:
        async with _turn(), asyncio.timeout(PATIENCE):
            told = await agent.examine(about, start, end)
    except TimeoutError:
        return _unread(agent, f"{agent.name} did not answer within {PATIENCE:g} seconds")
    except SignalboxError as error:
        return _unread(agent, f"{agent.name}: {error.user_message}")
    if told.source and told.source["kind"] != kind:
        return {"failed": [f"{agent.name}: it answered from an {told.source['kind']} system, which is not mixed in"]}
    if told.failed and not told.looked_at and not told.observations:
        return {**_unread(agent, f"{agent.name}: {told.failed[0]}"), "failed": told.failed}
    return {
        "seen": [_plain(agent.name, one) for one in told.observations],
        "looked_at": told.looked_at,
        "failed": told.failed,
        "sources": [shown(told.source)] if told.source else [],
    }


def _unread(agent: Agent, why: str) -> dict[str, Any]:
    source = source_of(agent)
    return {"failed": [why], "unread": [why], "sources": [source] if source else []}


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
        labels=dict(one.labels),
        measure=one.measure,
    )
