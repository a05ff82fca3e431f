"""`signalbox worker`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

__all__ = ["worker"]


def worker(
    most: Annotated[
        int | None, typer.Option("--runs", min=1, help="How many runs at a time; default: SIGNALBOX_WORKER_RUNS.")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option("--metrics", metavar="HOST:PORT", help="Serve figures for Prometheus there.")
    ] = None,
) -> None:
    """Carry runs from the queue on PostgreSQL, until it is stopped with Ctrl-C or SIGTERM.

    Any number of workers may run, on any machine that reaches the database. One that is stopped takes no more runs,
    gives those under way SIGNALBOX_DRAIN_SECONDS to end, and leaves the rest to the others.
    """
    import os

    from signalbox.errors import OperatorError
    from signalbox.settings import get_settings

    if not get_settings().database_url.startswith("postgres"):
        raise OperatorError(
            "Workers share a queue on PostgreSQL, and SIGNALBOX_DATABASE_URL names none.",
            suggestion="Set it to postgresql://…; on SQLite signalbox serve carries all runs itself.",
        )
    if most is not None:
        os.environ["SIGNALBOX_WORKER_RUNS"] = str(most)
    asyncio.run(_work(metrics))


async def _work(metrics: str | None) -> None:
    import signal

    from signalbox.cli.output import say
    from signalbox.cli.serve import collect_seldom
    from signalbox.runs.asking import aclose
    from signalbox.runs.worker import work
    from signalbox.service import turns  # noqa: F401  so that turns of the chat are known
    from signalbox.service.figures import serve_figures
    from signalbox.service.logs import set_up_logs
    from signalbox.service.telemetry import set_up_telemetry
    from signalbox.storage import close_stores

    set_up_logs()
    set_up_telemetry()
    if metrics is not None:
        serve_figures(metrics)
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    say("The worker takes runs from the queue (Ctrl-C stops it).")
    collect_seldom()
    try:
        await work(stopping)
    finally:
        await aclose()
        await close_stores()
