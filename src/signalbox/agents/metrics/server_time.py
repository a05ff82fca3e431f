"""How many questions a server is asked at once, and how long it may take for each. A model's time does not count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.faults import too_slow

__all__ = ["ServerTime", "in_time", "in_turn"]

_AT_ONCE = 8
"""So many questions are answered at once; the others wait, and their time starts when it is their turn."""
_queues: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class ServerTime:
    """A limit on the time that a block takes, which can be paused."""

    def __init__(self, limit: asyncio.Timeout) -> None:
        self._limit = limit

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time that the block takes."""
        now, end = asyncio.get_running_loop().time, self._limit.when()
        if end is None:
            yield
            return
        left = end - now()
        self._limit.reschedule(None)
        try:
            yield
        finally:
            self._limit.reschedule(now() + left)


@asynccontextmanager
async def in_time(source: GrafanaMetricsClient) -> AsyncIterator[ServerTime]:
    """A server that answers each request late would otherwise hold a question for minutes. Raises GrafanaSlowError."""
    seconds = source.limits.question_seconds
    try:
        async with asyncio.timeout(seconds) as limit:
            yield ServerTime(limit)
    except TimeoutError:
        raise too_slow(source.url, seconds) from None


@asynccontextmanager
async def in_turn() -> AsyncIterator[None]:
    """Wait for one of the places at which questions are answered."""
    loop = asyncio.get_running_loop()
    queue = _queues.setdefault(loop, asyncio.Semaphore(_AT_ONCE))
    async with queue:
        yield
