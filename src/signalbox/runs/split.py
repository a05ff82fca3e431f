"""Long work in parts: a run for each part, so that all workers share it, and a part goes on when its worker is gone."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from typing import Any

from signalbox.contract import Agent
from signalbox.errors import RequestError
from signalbox.runs.engine import engine
from signalbox.runs.records import Run

__all__ = ["split"]


async def split(agent: Agent, parts: Iterable[Mapping[str, Any]], at_once: int) -> AsyncIterator[dict[str, Any]]:
    """The state that each part ends with, as soon as it has ended; so many are under way at a time. Those under way
    are stopped with whoever listens.

    Raises RequestError for a part that fails.
    """
    waiting, carried = iter(parts), dict[asyncio.Task[Run], Run]()
    try:
        while True:
            while len(carried) < at_once and (part := next(waiting, None)) is not None:
                run = await engine().submit(agent, agent.name, state=part, thread_id=str(uuid.uuid4()), is_aside=True)
                carried[asyncio.create_task(engine().wait(run))] = run
            if not carried:
                return
            for ended in (await asyncio.wait(carried, return_when=asyncio.FIRST_COMPLETED))[0]:
                del carried[ended]
                yield _state(ended.result())
    finally:
        for listening, run in carried.items():
            listening.cancel()
            with suppress(RequestError):
                await engine().cancel(run)


def _state(run: Run) -> dict[str, Any]:
    error = run.result.get("error")
    if run.status != "completed":
        told = (error or {}).get("message") or "A part of the work was stopped."
        raise RequestError(told, suggestion=f"signalbox runs show {run.thread_id}")
    state: dict[str, Any] = run.result["answer"]["state"]
    return state
