"""The rival's end: reads what to run from stdin and writes the CPU seconds to stdout, a JSON line each.

It runs in the rival's environment, so it needs nothing but Python.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import sys
import time
from asyncio import Runner
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["serve"]


def serve(cases: Mapping[str, Callable[[], Any]]) -> None:
    """Run cases, plain or async functions, as they are asked for, until stdin ends.

    What a package prints must not reach the answers.
    """
    with Runner() as loop, os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        for line in sys.stdin:
            asked = json.loads(line)
            case, times = cases[asked["case"]], asked["times"]
            is_async = inspect.iscoroutinefunction(case)
            seconds, result = loop.run(_await(case, times)) if is_async else _call(case, times)
            answers.write(json.dumps({"seconds": seconds, "result": result}, default=str) + "\n")
            answers.flush()


def _call(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    gc.collect()
    result: Any = None
    start = time.process_time()
    for _ in range(times):
        result = work()
    return time.process_time() - start, result


async def _await(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    gc.collect()
    result: Any = None
    start = time.process_time()
    for _ in range(times):
        result = await work()
    return time.process_time() - start, result
