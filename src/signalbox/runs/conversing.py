"""Saying something in a thread: the answer to its run's question, or a new request, which drops the question."""

from __future__ import annotations

import asyncio
from typing import Any

from signalbox.contract import Agent
from signalbox.runs import records
from signalbox.runs.engine import engine
from signalbox.runs.events import last_number
from signalbox.runs.records import Run
from signalbox.runs.replies import is_reply, open_question

__all__ = ["say"]


async def say(agent: Agent, text: str, *, thread_id: str, **options: Any) -> tuple[Run, int]:
    """The background run that the message belongs to, and the number of its last earlier event. `options` are those of
    the engine's `submit`, for a new request. Raises like the engine's `submit` and `resume`."""
    waiting = await asyncio.to_thread(records.latest_run, thread_id, ("waiting",))
    if waiting is None or not is_reply(waiting, text):
        return await engine().submit(agent, text, thread_id=thread_id, drops=waiting, **options), 0
    before = await asyncio.to_thread(last_number, waiting.channel)
    return await engine().resume(
        thread_id, text, str(open_question(waiting).get("id")), then=options.get("then")
    ), before
