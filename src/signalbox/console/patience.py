"""Patience: how long a person waits before they are told, and before the work is given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

__all__ = ["Patience", "Waited", "wait_for"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds until a notice, and until the work is cancelled."""

    notice: float = 10
    limit: float = 30


@dataclass(frozen=True, slots=True)
class Waited(Generic[T]):
    """What there is to tell: it takes long, it was given up, or it is done, with its result."""

    event: Literal["slow", "given_up", "done"]
    result: T | None = None


async def wait_for(work: Awaitable[T], patience: Patience) -> AsyncIterator[Waited[T]]:
    """Wait for the work; it is cancelled at the limit, and when whoever waits goes away."""
    task = asyncio.ensure_future(work)
    try:
        for seconds, event in ((patience.notice, "slow"), (patience.limit - patience.notice, "given_up")):
            await asyncio.wait({task}, timeout=seconds)
            if task.done():
                yield Waited("done", task.result())
                return
            if event == "given_up":
                task.cancel()
                yield Waited("given_up")
                return
            yield Waited("slow")
    finally:
        task.cancel()
