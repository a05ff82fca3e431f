"""CPU time, taken so that two things can be compared: in turns, several rounds, the median of each."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import time
from asyncio import Runner
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median

__all__ = ["Contender", "awaiting", "calling", "child_cpu", "race"]

Contender = Callable[[int], float]
"""Does its work so many times and gives the CPU seconds that this took."""

SAMPLE = 0.05
"""A sample lasts at least so many CPU seconds, far above what the clock can tell apart."""


def calling(work: Callable[[], object]) -> Contender:
    """A contender that calls a function of this process. The work of its threads counts too."""

    def sample(times: int) -> float:
        gc.collect()
        start = time.process_time()
        for _ in range(times):
            work()
        return time.process_time() - start

    return sample


def awaiting(work: Callable[[], Awaitable[object]], loop: Runner) -> Contender:
    """A contender that awaits a coroutine in a running event loop of this process."""

    async def repeat(times: int) -> float:
        gc.collect()
        start = time.process_time()
        for _ in range(times):
            await work()
        return time.process_time() - start

    return lambda times: loop.run(repeat(times))


def race(contenders: Mapping[str, Contender], rounds: int = 9) -> dict[str, float]:
    """The median CPU seconds of one run of each. They take turns, so that a slow minute slows all of them."""
    times = {name: _enough(contender) for name, contender in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            samples[name].append(contender(times[name]) / times[name])
    return {name: median(found) for name, found in samples.items()}


def _enough(contender: Contender) -> int:
    """How many runs make a sample. Trying it out also warms up caches and imports."""
    times, taken = 1, contender(1)
    while (taken := contender(times)) < SAMPLE / 2:
        times = max(times * 2, int(times * SAMPLE / max(taken, 1e-6)) if taken > SAMPLE / 10 else 0)
    return times


def child_cpu(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """The CPU seconds of one child process, from its start to its end. Raises CalledProcessError if it fails."""
    before = _children()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **(environment or {})})
    return _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
