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
        str | None, typer.Option("--metrics", metavar="HOST:PORT", help="Serve metrics for Prometheus on this address.")
    ] = None,
) -> None:
    """Execute runs from the queue on PostgreSQL until stopped with Ctrl-C or SIGTERM.

    Any number of workers can run, on any machine that reaches the database. A stopping worker takes no more runs, gives
    its active ones SIGNALBOX_DRAIN_SECONDS to finish, and leaves the rest to other workers.
    """
    import os

    from signalbox.errors import OperatorError
    from signalbox.settings import get_settings

    if not get_settings().database_url.startswith("postgres"):
        raise OperatorError(
            "Workers need a queue on PostgreSQL, but SIGNALBOX_DATABASE_URL is not a PostgreSQL address.",
            suggestion="Set it to postgresql://…; on SQLite, signalbox serve executes all runs itself.",
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
    from signalbox.service import turns  # noqa: F401  registers the turns of the chat
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
    say("The worker is taking runs from the queue (Ctrl-C stops it).")
    collect_seldom()
    try:
        await work(stopping)
    finally:
        await aclose()
        await close_stores()
