"""Running agents in the background: what both engines share, and the one that is the event loop of this process."""

from __future__ import annotations

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from signalbox.contract import Agent
from signalbox.errors import DatabaseError, NotFoundError, ProgrammerError, RequestError, redact
from signalbox.runs import maintenance, records, threads
from signalbox.runs.answers import load_model
from signalbox.runs.carrying import begin_pending, carry, make_pending, prepared
from signalbox.runs.copying import fork
from signalbox.runs.engine import WhenBusy
from signalbox.runs.events import Event, follow
from signalbox.runs.hearing import listening
from signalbox.runs.life import Life, accept, go_on
from signalbox.runs.outage import database_outage
from signalbox.runs.owners import current_owner
from signalbox.runs.records import OPEN, RESUMABLE, BusyError, FullError, Run
from signalbox.runs.replies import dropped_words
from signalbox.runs.served import find_carried
from signalbox.settings import get_settings, now
from signalbox.toolbox.person import use_person

__all__ = ["Background", "InProcess", "failed", "may_go_on"]

_log = logging.getLogger("signalbox.runs")
_MOST_ATTEMPTS = 20
"""How often a run is retried without completing a node before it is considered the cause of the crashes."""
_AT_ONCE, _LONGEST_DELAY = 3, 60.0
"""How often a run is retried at once, and the longest delay in seconds after that, which doubles each time."""
_TICK, _LOOK_AFTER, _LOOK_EVERY = 1.0, (1.0, 2.0, 4.0, 8.0), 15.0
"""Seconds between searches for runs left behind by other processes: short after the start, then longer."""


class Background(ABC):
    """What all engines share; `signalbox.runs.engine.Engine` documents the methods."""

    async def submit(
        self,
        agent: Agent,
        said: str,
        *,
        thread_id: str,
        state: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        stream_modes: Sequence[str] = (),
        drops: Run | None = None,
        is_aside: bool = False,
        when_busy: WhenBusy = "reject",
        not_before: datetime | None = None,
        then: Callable[[Run], None] | None = None,
    ) -> Run:
        """Start a run now or later; it is stored with its input."""
        about: dict[str, Any] = {"metadata": dict(metadata or {}), "stream_modes": list(stream_modes)}
        about |= {"is_aside": True} if is_aside else {}
        about |= {"when_busy": when_busy}
        accepted = self._accepting(then)
        if not_before is None:
            dropped = {"dropped": dropped_words(drops)} if drops is not None else {}
            options: Any = {"drops": drops, "then": accepted}
            start = {**about, **dropped, **self._owner()}
            try:
                life = await asyncio.to_thread(lambda: prepared(agent, said, thread_id, state, start, **options)())
                return await self._started(agent, life)
            except BusyError:
                if when_busy != "enqueue":
                    raise
        else:
            about["not_before"] = not_before.isoformat()
        run = await asyncio.to_thread(make_pending, agent, said, thread_id, state, about)
        await asyncio.to_thread(records.add_pending, run, lambda: accepted(run))
        await self._postponed(run)
        return run

    async def resume(
        self, thread_id: str, value: Any, question: str | None = None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Resume a waiting run."""
        await asyncio.to_thread(threads.require_own, thread_id)
        run = await asyncio.to_thread(records.find_run, thread_id, RESUMABLE)
        agent = find_carried(run.agent or run.name)
        owner = self._owner().get("owner", "")
        await asyncio.to_thread(lambda: accept(run, value, question, owner=owner, then=self._accepting(then)))
        return await self._resumed(agent, run)

    async def go_on_from(
        self, thread_id: str, checkpoint_id: str | None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Continue from a checkpoint, as a new run of the thread."""
        run = await asyncio.to_thread(fork, thread_id, checkpoint_id)
        options: Any = {"force": True, "owner": self._owner().get("owner", ""), "then": self._accepting(then)}
        try:
            agent = find_carried(run.agent or run.name)
            await asyncio.to_thread(lambda: accept(run, **options))
        except Exception:
            await asyncio.to_thread(records.remove_run, run.run_id)
            raise
        return await self._resumed(agent, run)

    async def status(self, thread_id: str, run_id: str) -> Run:
        """A run of the current person."""

        def found() -> Run:
            run = records.get_run(run_id)
            if run is None or run.thread_id != thread_id or threads.require_own(thread_id) is None:
                raise NotFoundError(f"There is no run '{run_id}' of thread '{thread_id}'.")
            return run

        return await asyncio.to_thread(found)

    async def wait(self, run: Run) -> Run:
        """The run, when it has ended or waits."""
        async with listening(run.channel) as signal:
            while True:
                signal.clear()
                await self._joined(run)
                known = await asyncio.to_thread(records.get_run, run.run_id, run.person)
                if known is None:
                    raise NotFoundError(f"There is no run '{run.run_id}'.")
                carrier = await asyncio.to_thread(records.carrier_of, known)
                if not await asyncio.to_thread(Run.goes_on.fget, carrier):  # type: ignore[attr-defined]
                    return carrier
                await signal.wait()

    async def cancel(self, run: Run) -> None:
        """Stop a run."""
        carrier = await asyncio.to_thread(records.carrier_of, run)
        if carrier.standing not in OPEN:
            raise RequestError("The run has ended.", suggestion="Look at it instead.")
        await asyncio.to_thread(records.cancel_run, carrier)
        await self._stop(run, carrier)

    def events(self, run: Run, after: int = 0) -> AsyncIterator[Event]:
        """What happens in a run."""
        return follow(run.channel, after, person=run.person)

    def _owner(self) -> dict[str, str]:
        """The owner of a run that was accepted and not yet taken up."""
        return {}

    def _accepting(self, then: Callable[[Run], None] | None) -> Callable[[Run], None]:
        """What is done in the transaction that accepts a run."""

        def accept(run: Run) -> None:
            self._accepted(run)
            if then is not None:
                then(run)

        return accept

    @abstractmethod
    def _accepted(self, run: Run) -> None:
        """Make sure that a run is executed, within the transaction that starts, resumes or postpones it."""

    @abstractmethod
    async def _started(self, agent: Agent, life: Life) -> Run:
        """A run has begun."""

    @abstractmethod
    async def _resumed(self, agent: Agent, run: Run) -> Run:
        """A run was answered."""

    @abstractmethod
    async def _postponed(self, run: Run) -> None:
        """A run was postponed."""

    @abstractmethod
    async def _joined(self, run: Run) -> None:
        """Wait for the end of a run that this process carries."""

    @abstractmethod
    async def _stop(self, run: Run, carrier: Run) -> None:
        """A run was cancelled; stop executing it."""


class InProcess(Background):
    """Executes runs in the event loop of this process, and continues those that a dead process left behind."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._has_pending = True

    def _accepted(self, run: Run) -> None:
        if len(self._under_way) >= get_settings().max_queued:
            raise FullError

    async def _started(self, agent: Agent, life: Life) -> Run:
        assert life.record is not None
        run = life.record
        task = asyncio.create_task(carry(agent, life))
        self._under_way[run.run_id] = task
        task.add_done_callback(lambda done: self._ended(run.run_id, done))
        return run

    async def _resumed(self, agent: Agent, run: Run) -> Run:
        life = await asyncio.to_thread(lambda: go_on(run, load_model(None, agent)))
        return await self._started(agent, life)

    async def _postponed(self, run: Run) -> None:
        self._has_pending = True
        if self._looking is None:
            await self.open()

    async def _joined(self, run: Run) -> None:
        task = self._under_way.get(run.run_id)
        if task is not None:
            await asyncio.wait([task])

    async def _stop(self, run: Run, carrier: Run) -> None:
        task = self._under_way.get(run.run_id) or self._under_way.get(carrier.run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def open(self, *, carries: bool = True) -> None:
        """Continue runs that were left behind, and start those that are due."""
        self._stopping = asyncio.Event()
        self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Runs until the engine closes; it is not cancelled midway, which would leave a connection open."""
        pauses, due = iter(_LOOK_AFTER), time.monotonic()
        while not self._stopping.is_set():
            if database_outage.is_on or time.monotonic() >= due:
                due = time.monotonic() + next(pauses, _LOOK_EVERY)
                await self._look_once(self.recover)
            if self._has_pending:
                await self._look_once(self._begin_pending)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _TICK)

    async def _look_once(self, look: Any) -> None:
        try:
            await look()
        except DatabaseError as error:
            database_outage.begin(error)
        except Exception as error:
            _log.error("Runs that were left behind cannot be looked for: %s", redact(error))

    async def close(self) -> None:
        """Stop everything."""
        self._stopping.set()
        if self._looking is not None:
            await asyncio.wait([self._looking], timeout=5)
            self._looking.cancel()
            self._looking = None
        carried = list(self._under_way.values())
        for task in carried:
            task.cancel()
        if carried:
            await asyncio.wait(carried, timeout=10)

    async def _begin_pending(self) -> None:
        """Start the runs that are due and whose thread is free."""
        found = await asyncio.to_thread(maintenance.left_pending)
        self._has_pending, busy = bool(found), set()
        for run in found:
            place = (run.person, run.thread_id)
            # A thread that has become free meanwhile is still the earlier run's.
            if place in busy or datetime.fromisoformat(run.not_before) > now():
                continue
            with use_person(run.person):
                try:
                    life = await asyncio.to_thread(begin_pending, run)
                except BusyError:
                    busy.add(place)
                    continue
                except Exception as error:
                    _log.error("Run %s cannot begin: %s", run.run_id, redact(error))
                    await asyncio.to_thread(records.end_with_error, run, failed(error))
                    continue
                await self._started(find_carried(run.agent or run.name), life)

    async def recover(self) -> list[Run]:
        """Continue every run that no living process is executing, each as its own person."""
        taken: list[Run] = []
        for run in await asyncio.to_thread(maintenance.left_behind):
            if run.run_id in self._under_way or not _is_due(run):
                continue
            with use_person(run.person):
                try:
                    agent = find_carried(run.agent or run.name)
                    await asyncio.to_thread(may_go_on, run)
                    taken.append(await self._resumed(agent, run))
                except RequestError as error:
                    _log.info("Run %s was not taken up: %s", run.run_id, error.user_message)
                except Exception as error:
                    _log.error("Run %s cannot be taken up: %s", run.run_id, redact(error))
        return taken

    def _ended(self, run_id: str, done: asyncio.Task[None]) -> None:
        if self._under_way.get(run_id) is done:
            self._under_way.pop(run_id)
        if not done.cancelled() and done.exception() is not None:
            _log.error("Run %s: %s", run_id, redact(done.exception()))


def may_go_on(run: Run, *, force: bool = False) -> None:
    """Take over a run that was left behind. If it was interrupted too often at the same place, it is ended and
    ProgrammerError is raised; if it has changed meanwhile, RequestError."""
    records.count_attempt(run)
    if run.attempts > _MOST_ATTEMPTS:
        error = ProgrammerError(
            f"The run was interrupted {_MOST_ATTEMPTS} times at the same place and will not be retried."
        )
        records.end_with_error(run, failed(error))
        raise error
    known = len(run.warnings)
    accept(run, force=force, owner=current_owner())
    told = " ".join(run.warnings[known:])
    _log.warning("Run %s of thread %s had been left behind and now continues. %s", run.run_id, run.thread_id, told)


def failed(error: Exception) -> dict[str, Any]:
    """The result of a run that could not be executed."""
    told = getattr(error, "as_dict", ProgrammerError("The run could not be started.").as_dict)()
    return {"error": told, "output": None, "answer": None}


def _is_due(run: Run) -> bool:
    """True if an interrupted run may be retried now: one that may have crashed its process has to wait."""
    delay = min(2.0 ** (run.attempts - _AT_ONCE), _LONGEST_DELAY) if run.attempts >= _AT_ONCE else 0.0
    return (now() - datetime.fromisoformat(run.updated_at)).total_seconds() >= delay
