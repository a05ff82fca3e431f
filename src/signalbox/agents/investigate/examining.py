"""Asking every agent that can know, side by side; one that fails or is slow fails none of the others.

All of them read live systems, or all of them embedded ones: a real symptom has no invented cause. Investigations of one
time at one time, as in a storm of alerts, read once for all: what was seen does not depend on who asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from langgraph.types import Send

from signalbox.agents.investigate.state import InvestigationState, Seen
from signalbox.contract import Agent, Examination, Observation
from signalbox.contract.installed import find_agent, list_agents
from signalbox.contract.sources import Kind, Source, connecting, joined, kind_in_use, kind_of, shown, source_of
from signalbox.errors import SignalboxError
from signalbox.settings import get_settings, now
from signalbox.toolbox import Ledger, current_ledger, use_ledger
from signalbox.toolbox.person import current_person

__all__ = ["close_witnesses", "examine", "look", "not_asked", "send_each", "source_set", "witnesses"]

PATIENCE = 90.0
"""Seconds that an agent may take to say what it saw, from when it is its turn."""
MOST_AT_ONCE = 6
"""How many are asked at once. Alerts come in swarms: asked all together, nobody would answer in time."""
_KEPT = 90.0
"""Seconds for which a reading serves other alerts. Of those who ask, only those who ask at the same time share it:
they may have mended something since."""
_MOST_CITED = 8
_AFTER = timedelta(minutes=15)
"""So long after the time that is asked about is looked at, too: else what ended with it would seem to go on."""
_GRID, _FINE = timedelta(minutes=30), timedelta(minutes=1)
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_reads: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, _Read]] = WeakKeyDictionary()


@dataclass(slots=True)
class _Read:
    """A reading that several investigations share, with the calls that it made; `ended` is on the monotonic clock."""

    task: asyncio.Task[Examination]
    ledger: Ledger
    ended: float = inf


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
    end = min(datetime.fromisoformat(state["end"]) + _AFTER, now()).isoformat()
    told = {"about": _devices(state), "start": state["start"], "end": end, "kind": state["kind"]}
    return [
        Send("examine", {**told, "agent": agent.name, "alert": state.get("alert")})
        for agent in witnesses(state["kind"])
    ]


def _devices(state: InvestigationState) -> str:
    """The devices that the subject is, or that are its ends: of a large network they are looked at first. What is seen
    of anything else does not depend on the subject, so that investigations of several share it."""
    known = {one["thing"] for one in state.get("relations") or () if one.get("role")}
    ends = [f"machine:{end}" for one in state.get("subject") or () for end in one.partition(":")[2].split("–")]
    return ", ".join(one.partition(":")[2] for one in dict.fromkeys(ends) if one in known)


async def examine(state: InvestigationState) -> dict[str, Any]:
    """What one agent saw."""
    start, end = (datetime.fromisoformat(state[key]) for key in ("start", "end"))
    kept = _KEPT if state.get("alert") else 0.0
    agent = find_agent(state["agent"])
    with current_ledger().call(f"examine {agent.name}", {"start": state["start"], "end": state["end"]}) as call:
        found = await look(agent, state.get("about") or "", start, end, state["kind"], kept)
        call.returned(f"{len(found.get('seen', ()))} things seen")
    return found


async def look(
    agent: Agent, about: str, start: datetime, end: datetime, kind: Kind, kept: float = 0.0
) -> dict[str, Any]:
    """What one agent saw between two moments, as it goes into the state; what it could not see is in `failed`. It may
    have been read for another investigation, at most `kept` seconds ago."""
    try:
        read = _reading(agent, about, start, end, kind, kept)
        told = await asyncio.shield(read.task)
    except TimeoutError:
        return _unread(agent, f"{agent.name} did not answer within {PATIENCE:g} seconds")
    except SignalboxError as error:
        return _unread(agent, f"{agent.name}: {error.user_message}")
    if told.source and told.source["kind"] != kind:
        return {"failed": [f"{agent.name}: it answered from an {told.source['kind']} system, which is not mixed in"]}
    if told.failed and not told.looked_at and not told.observations:
        return {**_unread(agent, f"{agent.name}: {told.failed[0]}"), "failed": told.failed}
    own = _adopted(read.ledger, told.observations)
    return {
        "seen": [_plain(agent.name, one, own) for one in told.observations],
        "looked_at": told.looked_at,
        "failed": told.failed,
        "sources": [shown(told.source)] if told.source else [],
    }


def _adopted(read: Ledger, seen: Sequence[Observation]) -> dict[str, str]:
    """Take the calls of a reading into this run's ledger, each with what was seen in it: `get_logs` that came back with
    success proves nothing. Gives their ids here, by those of the reading."""
    ledger, told = current_ledger(), {}
    for call in read.calls:
        texts = [one.text.rstrip(".") for one in seen if call.id in one.evidence]
        more = f"; and {len(texts) - _MOST_CITED} more" if len(texts) > _MOST_CITED else ""
        told[call.key] = "; ".join(texts[:_MOST_CITED]) + more
    ids = ledger.adopt(
        {**one.as_kept(), "summary": f"{one.summary}: {told[one.key]}".removesuffix(": ")} for one in read.calls
    )
    for call in ledger.calls:
        # Who follows the run hears of what is cited as of its own calls, with the beginning of what came back.
        if ledger.listener is not None and told.get(call.key):
            ledger.listener(call, True)
    return {one.id: ids[one.key] for one in read.calls}


def _reading(agent: Agent, about: str, start: datetime, end: datetime, kind: Kind, kept: float) -> _Read:
    """The reading under way or just ended for the same time, or a new one. It begins a little earlier, so that alerts
    that fired within half an hour share it."""
    reads, moment = _reads.setdefault(asyncio.get_running_loop(), {}), monotonic()
    early, until = _floor(start, _GRID), _floor(end, _FINE)
    key = (agent.name, kind, str(source_of(agent)), current_person(), about, early, until, get_settings().now)
    for old in [one for one, read in reads.items() if moment - read.ended > _KEPT]:
        del reads[old]
    found = reads.get(key)
    if found is None or moment - found.ended > kept:
        ledger = Ledger(listener=None)
        with use_ledger(ledger):
            found = reads[key] = _Read(asyncio.create_task(_ask(agent, about, early, end)), ledger)
        found.task.add_done_callback(partial(_note_end, reads, key))
    return found


async def _ask(agent: Agent, about: str, start: datetime, end: datetime) -> Examination:
    assert agent.examine is not None
    async with _turn(), asyncio.timeout(PATIENCE):
        return await agent.examine(about, start, end)


def _note_end(reads: dict[Hashable, _Read], key: Hashable, task: asyncio.Task[Examination]) -> None:
    """Note when a reading ended; one that failed, even in part, serves nobody who asks later."""
    read = reads.get(key)
    if read is not None and read.task is task:
        is_whole = not task.cancelled() and not task.exception() and not task.result().failed
        read.ended = monotonic() if is_whole else -inf


def _floor(moment: datetime, grid: timedelta) -> datetime:
    return moment - (moment - datetime.min.replace(tzinfo=moment.tzinfo)) % grid


def _unread(agent: Agent, why: str) -> dict[str, Any]:
    source = source_of(agent)
    return {"failed": [why], "unread": [why], "sources": [source] if source else []}


def _turn() -> asyncio.Semaphore:
    """What lets so many in at once, of all the runs in this event loop."""
    return _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(MOST_AT_ONCE))


def _plain(agent: str, one: Observation, ids: Mapping[str, str]) -> Seen:
    return asdict(one) | {  # type: ignore[return-value]
        "agent": agent,
        "start": one.start.isoformat(),
        "end": one.end.isoformat() if one.end else None,
        "evidence": [ids.get(label, label) for label in one.evidence],
        "points": [(at.isoformat(), value) for at, value in one.points],
    }
