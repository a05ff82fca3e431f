"""Experiments: how many users a balance test brings to the embedded UpGrade, and how many are foretold without one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from time import process_time

from benchmarks.report import Row, under

__all__ = ["measure"]

_FORETOLD = 100_000
_BROUGHT = 500


def measure() -> Iterator[Row]:
    """The rows of this benchmark."""
    yield _predictions()
    yield _balance()


def _predictions() -> Row:
    from signalbox.upgrade import Condition, Experiment, foresee

    experiment = Experiment(
        id="755f7de1-2fb6-4608-838b-53239b4cbfe7",
        name="Simple",
        context="assign-prog",
        state="enrolling",
        unit="individual",
        rule="individual",
        post_rule="continue",
        filter_mode="includeAll",
        conditions=(Condition("c1", "control", 50, 1), Condition("c2", "variant", 50, 2)),
        points=(),
    )
    users = [f"user{number:06}" for number in range(_FORETOLD)]
    # The recorded division of a real server: what is fast and wrong is worth nothing.
    recorded = foresee(experiment, [f"user{number:03}" for number in range(200)])
    assert (recorded.count("control"), recorded.count("variant")) == (105, 95)
    best = min(_cpu_seconds(lambda: foresee(experiment, users)) for _ in range(3))
    return Row("experiments", f"{_FORETOLD:,} predictions without a server", ours=best, target=under(1.0))


def _balance() -> Row:
    from signalbox.agents.experiments.clients import close_clients
    from signalbox.agents.experiments.tools import test_condition_balance
    from signalbox.worlds.experiments import Store, fill, serve

    store = Store()
    fill(store)

    async def bring() -> None:
        try:
            result = await test_condition_balance("Hint Timing", _BROUGHT)
        finally:
            await close_clients()
        assert result["success"], result["error"]

    with serve(store) as address:
        os.environ["UPGRADE_URL"] = address
        try:
            seconds = _cpu_seconds(lambda: asyncio.run(bring()))
        finally:
            del os.environ["UPGRADE_URL"]
    return Row("experiments", f"a balance test with {_BROUGHT} users, embedded server and client", ours=seconds)


def _cpu_seconds(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started
