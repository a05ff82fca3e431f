"""Long work in parts: one run per part, so that all workers share it, and a part continues if its worker is lost."""

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
    """Yield the final state of each part as soon as it ends, with a limited number of parts at a time.

    If the caller stops, active parts are stopped. Raises RequestError if a part fails.
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
