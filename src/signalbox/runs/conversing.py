"""Saying something in a thread: the answer to what its run waits for, else a new request."""

from __future__ import annotations

import asyncio

from signalbox.contract import Agent
from signalbox.runs import records
from signalbox.runs.engine import engine
from signalbox.runs.events import last_number
from signalbox.runs.records import Run

__all__ = ["say"]


async def say(agent: Agent, text: str, *, thread_id: str) -> tuple[Run, int]:
    """The run that what was said belongs to, under way in the background, and the number of the last event that was
    told of it before. Raises as `submit` and `resume` of the engine do."""
    waiting = await asyncio.to_thread(records.latest_run, thread_id, ("waiting",))
    if waiting is None:
        return await engine().submit(agent, text, thread_id=thread_id), 0
    before = await asyncio.to_thread(last_number, waiting.channel)
    return await engine().resume(thread_id, text), before
