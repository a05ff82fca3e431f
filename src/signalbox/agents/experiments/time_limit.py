"""One limit for a whole check, whatever number of calls and repetitions it is made of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from signalbox.agents.experiments.errors import UpgradeError

__all__ = ["CHECK_SECONDS", "TRIAL_SECONDS", "in_time"]

CHECK_SECONDS = 10.0
"""How long a person waits at most to hear whether a server is up."""

TRIAL_SECONDS = 150.0
"""How long a trial with made-up users may take, with everything before and after it."""

Found = TypeVar("Found")


async def in_time(work: Awaitable[Found], seconds: float, what: str) -> Found:
    """What the work gives. Raises UpgradeError of the kind timeout where it takes longer; it is ended then."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise
        raise UpgradeError(
            f"{what} was given up after {seconds:g} seconds: the UpGrade server is too slow, or does not answer.",
            "timeout",
            suggestion="Ask again in a while; if it stays so, tell who runs the server.",
        ) from None
