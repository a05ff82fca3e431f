"""The engine on PostgreSQL: runs are enqueued when accepted, and executed by workers."""

from __future__ import annotations

import asyncio
import logging

from signalbox.contract import Agent
from signalbox.runs.background import Background
from signalbox.runs.life import Life
from signalbox.runs.owners import QUEUED
from signalbox.runs.queue import abort, enqueue
from signalbox.runs.records import Run

__all__ = ["Queued"]

_log = logging.getLogger("signalbox.runs")


class Queued(Background):
    """Lets workers execute runs, in this process and others."""

    def __init__(self) -> None:
        self._stopping = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    def _owner(self) -> dict[str, str]:
        return {"owner": QUEUED}

    def _accepted(self, run: Run) -> None:
        enqueue(run)

    async def _started(self, agent: Agent, life: Life) -> Run:
        assert life.record is not None
        return life.record

    async def _resumed(self, agent: Agent, run: Run) -> Run:
        return run

    async def _postponed(self, run: Run) -> None:
        """Nothing to do: the queue has it."""

    async def _joined(self, run: Run) -> None:
        """Nothing to do: its worker reports the end."""

    async def _stop(self, run: Run, carrier: Run) -> None:
        await asyncio.to_thread(abort, run.channel)

    async def open(self, *, carries: bool = True) -> None:
        """Execute runs in this process too, unless `carries` is false."""
        from signalbox.runs.worker import work

        if carries:
            self._stopping = asyncio.Event()
            self._worker = asyncio.create_task(work(self._stopping))

    async def close(self) -> None:
        """Take no more runs, give the active ones time to end, and leave the rest to other workers."""
        self._stopping.set()
        if self._worker is not None:
            await asyncio.wait([self._worker])
            self._worker = None
