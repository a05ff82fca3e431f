"""A worker: it takes runs from the queue on PostgreSQL and executes them, as many at a time as the settings allow.
procrastinate fetches the jobs.

The heartbeat is our own, so that it continues while a stopping worker finishes its runs, and survives short outages of
the database.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException, JobAborted
from procrastinate.job_context import AbortReason
from procrastinate.jobs import DeleteJobCondition, Job
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from signalbox.errors import DatabaseError, redact
from signalbox.runs import maintenance, records
from signalbox.runs.answers import load_model
from signalbox.runs.background import failed, may_go_on
from signalbox.runs.carrying import begin_pending, carry
from signalbox.runs.life import Life, accept, go_on
from signalbox.runs.outage import database_outage
from signalbox.runs.owners import BEAT, Lease, current_owner, use_lease
from signalbox.runs.queue import CARRY, QUEUE, dismiss, enqueue, left_out, queue_database, renew_stalled
from signalbox.runs.records import RESUMABLE, BusyError
from signalbox.runs.served import find_carried
from signalbox.settings import get_settings
from signalbox.toolbox.person import use_person

__all__ = ["work"]

_log = logging.getLogger("signalbox.runs")
_MOST_TRIES = 100
_ORPHANS_EVERY, _TIDY_EVERY = 30.0, 3600.0
_AFTER_OUTAGE = 2.0
"""Seconds that active runs get to finish when the connection is lost, before this worker restarts."""
_CONNECTIONS = 4
_SETTLE_AFTER = (0.0, 0.5, 1.0, 2.0)
"""Seconds before each try to tell the queue that a job is over."""


class _Again(BaseRetryStrategy):
    """Stopped jobs are retried at once; failed ones after a moment."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if job.attempts >= _MOST_TRIES:
            return None
        wait = 0 if isinstance(exception, asyncio.CancelledError) else 1
        return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=wait))


class _Jobs(JobManager):
    """Ends jobs even if the queue is unreachable for a moment, or has given them to another worker."""

    async def finish_job(self, *args: Any, **options: Any) -> None:
        await _settled(partial(super().finish_job, *args, **options))

    async def retry_job(self, *args: Any, **options: Any) -> None:
        await _settled(partial(super().retry_job, *args, **options))


async def _settled(tell: Callable[[], Awaitable[None]]) -> None:
    """Report to the queue how a job ended. If that never succeeds, all jobs of this worker go to another one."""
    for pause in _SETTLE_AFTER:
        await asyncio.sleep(pause)
        try:
            await tell()
        except ConnectorException as error:
            if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                _tell_outage(error)
                continue
        return  # Also where it is a job of another worker by now.


async def work(stopping: asyncio.Event) -> None:
    """Execute runs until `stopping` is set, then give the active ones the configured time to finish.

    During an outage it waits for the database.
    """
    # What goes wrong is told here, in a line.
    logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
    ended: list[int] = []
    while not stopping.is_set():
        try:
            await _work_connected(stopping, ended)
        except (ConnectorException, DatabaseError, OSError) as error:
            _tell_outage(error)
        except Exception as error:
            _log.error("The worker failed and restarts: %s", redact(error))
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), 0.5)


async def _work_connected(stopping: asyncio.Event, ended: list[int]) -> None:
    """Work until `stopping` is set or the connection is lost. `ended` are this process's former worker numbers: their
    jobs go to others at once."""
    kept = await asyncio.to_thread(queue_database)
    await asyncio.to_thread(dismiss, ended)
    ended.clear()
    options: dict[str, Any] = {"min_size": 1, "max_size": _CONNECTIONS, "timeout": 10.0}
    app = App(connector=PsycopgConnector(conninfo=kept.address, **options))
    app.job_manager = _Jobs(app.connector)
    app.task(name=CARRY, queue=QUEUE, pass_context=True, retry=_Again())(_carry)
    async with app.open_async():
        worker = Worker(
            app, [QUEUE], concurrency=get_settings().worker_runs, install_signal_handlers=False,
            fetch_job_polling_interval=2.0, abort_job_polling_interval=5.0, update_heartbeat_interval=BEAT,
            stalled_worker_timeout=3600.0, shutdown_graceful_timeout=_AFTER_OUTAGE,
            delete_jobs=DeleteJobCondition.ALWAYS,
        )  # fmt: skip
        working = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
        beside = [
            asyncio.create_task(_keep(partial(_beat, app, worker))),
            asyncio.create_task(_keep(_Caretaker(app).look)),
        ]
        stop = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait([working, stop], return_when=asyncio.FIRST_COMPLETED)
            if stopping.is_set():
                worker.shutdown_graceful_timeout = get_settings().drain_seconds
                worker.stop()  # type: ignore[no-untyped-call]
            await working
        finally:
            for task in (*beside, stop):
                task.cancel()
            await asyncio.wait([*beside, stop])
            if not working.done():
                working.cancel()
                await asyncio.wait([working])
            if worker.worker_id is not None:
                ended.append(worker.worker_id)


def _tell_outage(error: Exception) -> None:
    known = error if isinstance(error, DatabaseError) else DatabaseError("The queue is gone.", details=error.__cause__)
    database_outage.begin(known)


async def _keep(act: Callable[[], Awaitable[None]]) -> None:
    """Do this repeatedly, surviving outages of the database."""
    while True:
        try:
            await act()
            database_outage.end()
        except (ConnectorException, DatabaseError) as error:
            _tell_outage(error)
        except Exception as error:
            _log.error("The worker cannot look after the queue: %s", redact(error))
        await asyncio.sleep(BEAT)


async def _beat(app: App, worker: Worker) -> None:
    if worker.worker_id is not None:
        await app.job_manager.update_heartbeat(worker.worker_id)


class _Caretaker:
    """Takes care of jobs that lost workers left behind."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._orphans_at = self._tidy_at = 0.0

    async def look(self) -> None:
        for run_id in await asyncio.to_thread(renew_stalled):
            _log.warning("The worker of run %s is gone: another takes it up.", run_id)
        if time.monotonic() >= self._orphans_at:
            self._orphans_at = time.monotonic() + _ORPHANS_EVERY
            await asyncio.to_thread(_adopt)
        if time.monotonic() >= self._tidy_at:
            self._tidy_at = time.monotonic() + _TIDY_EVERY
            jobs = self._app.job_manager
            await jobs.prune_stalled_workers(_TIDY_EVERY)
            await jobs.delete_old_jobs(
                24, queue=QUEUE, include_failed=True, include_cancelled=True, include_aborted=True
            )


def _adopt() -> None:
    """Enqueue runs that have no job, because an older version left them or an old job ended late."""
    for run in left_out(lambda: [*maintenance.left_behind(carried=True), *maintenance.left_pending()]):
        with use_person(run.person):
            enqueue(run)
            _log.warning("Run %s was not in the queue, and is now.", run.run_id)


async def _carry(context: JobContext, person: str, run_id: str) -> None:
    """Execute one run. A run that is over or waits for an answer is left alone."""
    job = context.job
    assert job.id is not None
    assert job.worker_id is not None
    with use_person(person), use_lease(Lease(job.id, job.worker_id)):
        try:
            life = await asyncio.to_thread(_taken, run_id)
            if life is not None:
                await carry(find_carried(life.agent or life.run.graph.name), life)
        except asyncio.CancelledError:
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from None
            raise


def _taken(run_id: str) -> Life | None:
    """The run of a job, ready to execute; None if there is nothing to do."""
    run = records.get_run(run_id)
    run = records.carrier_of(run) if run is not None else None
    if run is None or run.status not in ("pending", "running", "interrupted"):
        return None
    try:
        if run.status == "pending":
            return begin_pending(run)
        agent = find_carried(run.agent or run.name)
        if run.is_queued:
            accept(run, force=True, owner=current_owner())
        else:
            may_go_on(run, force=True)
        return go_on(run, load_model(None, agent))
    except BusyError:
        raise
    except DatabaseError:
        raise
    except Exception as error:
        _log.error("Run %s cannot be carried: %s", run.run_id, redact(error))
        fresh = records.get_run(run.run_id)
        if fresh is not None and fresh.status in ("pending", *RESUMABLE):
            records.end_with_error(fresh, failed(error))
        return None
