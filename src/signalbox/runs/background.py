"""The engine inside a process: its event loop carries the runs, and what a dead process left, the next one finishes."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from signalbox.contract import Agent, NodeEvent
from signalbox.contract.answer import Answer
from signalbox.errors import DatabaseError, NotFoundError, ProgrammerError, RequestError, SignalboxError, redact
from signalbox.maps import MapResult, open_map
from signalbox.maps.map_run import MapRun
from signalbox.runs import maintenance, records, threads
from signalbox.runs.answers import answer_of, check_question, graph_of, load_model, mark_used
from signalbox.runs.conversation import remember, turn_before
from signalbox.runs.drafts import Draft
from signalbox.runs.events import Channel, Event, follow, open_channel
from signalbox.runs.gate import owned
from signalbox.runs.life import Life, begin, take_up
from signalbox.runs.observing import Watch, watched
from signalbox.runs.outage import database_outage
from signalbox.runs.owners import renew
from signalbox.runs.records import RESUMABLE, Run
from signalbox.runs.replies import add_dropped, dropped_words
from signalbox.runs.served import find_served, is_map
from signalbox.runs.sources import answer_source
from signalbox.runs.step_words import call_words, node_words
from signalbox.settings import now
from signalbox.toolbox.ledger import Call, Ledger, use_ledger
from signalbox.toolbox.person import use_person

__all__ = ["InProcess"]

_log = logging.getLogger("signalbox.runs")
_MOST_ATTEMPTS = 20
"""How often a run is taken up without a node of it ending, before it counts as what kills its process."""
_AT_ONCE, _LONGEST_DELAY = 3, 60.0
"""How often a run is taken up at once, and how many seconds it waits at most after that: each time twice as long."""
_TICK, _LOOK_AFTER, _LOOK_EVERY = 1.0, (1.0, 2.0, 4.0, 8.0), 15.0
"""Seconds after which runs that another process left behind are looked for again: soon after the start, when a database
may still take a process that has just died for alive, and then now and then."""


class InProcess:
    """Carries runs in the event loop of this process; `signalbox.runs.engine.Engine` says what each method promises."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

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
    ) -> Run:
        """Start a run; it is stored with its input."""
        about = {"metadata": dict(metadata or {}), "stream_modes": list(stream_modes)}
        if drops is not None:
            about["dropped"] = dropped_words(drops)
        life = await asyncio.to_thread(lambda: _prepared(agent, said, thread_id, state, about, drops=drops)())
        return await self._carry(agent, life)

    async def resume(self, thread_id: str, value: Any, question: str | None = None) -> Run:
        """Go on with a run that waits."""
        await asyncio.to_thread(threads.require_own, thread_id)
        return await self._go_on(await asyncio.to_thread(records.find_run, thread_id, RESUMABLE), value, question)

    async def _go_on(self, run: Run, value: Any = None, question: str | None = None) -> Run:
        agent = find_served(run.agent or run.name)
        life = await asyncio.to_thread(lambda: take_up(run, value, question, load_model(None, agent), force=False))
        return await self._carry(agent, life, said=None if value is None else str(value))

    async def status(self, thread_id: str, run_id: str) -> Run:
        """A run of the person who asks."""

        def found() -> Run:
            run = records.get_run(run_id)
            if run is None or run.thread_id != thread_id or threads.require_own(thread_id) is None:
                raise NotFoundError(f"There is no run '{run_id}' of thread '{thread_id}'.")
            return run

        return await asyncio.to_thread(found)

    async def wait(self, run: Run) -> Run:
        """The run, when it has ended or waits."""
        task = self._under_way.get(run.run_id)
        if task is not None:
            await asyncio.wait([task])
        while True:
            known = await asyncio.to_thread(records.get_run, run.run_id, run.person)
            if known is None:
                raise NotFoundError(f"There is no run '{run.run_id}'.")
            carrier = await asyncio.to_thread(records.carrier_of, known)
            if run.run_id not in self._under_way and not carrier.is_under_way and not carrier.is_left_behind:
                return carrier
            await asyncio.sleep(0.2)

    async def cancel(self, run: Run) -> None:
        """Stop a run."""
        carrier = await asyncio.to_thread(records.carrier_of, run)
        if carrier.standing not in RESUMABLE:
            raise RequestError("The run has ended.", suggestion="Look at it instead.")
        await asyncio.to_thread(records.cancel_run, carrier)
        task = self._under_way.get(run.run_id) or self._under_way.get(carrier.run_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def events(self, run: Run, after: int = 0) -> AsyncIterator[Event]:
        """What happens in a run."""
        return follow(run.channel, after, person=run.person)

    async def open(self) -> None:
        """Look after runs that were left behind."""
        self._stopping = asyncio.Event()
        self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Until the engine closes: it is not cancelled in the middle, which would leave a connection open."""
        pauses, due = iter(_LOOK_AFTER), time.monotonic()
        while not self._stopping.is_set():
            if database_outage.is_on or time.monotonic() >= due:
                due = time.monotonic() + next(pauses, _LOOK_EVERY)
                await self._look_once()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _TICK)

    async def _look_once(self) -> None:
        try:
            await asyncio.to_thread(renew)
            await self.recover()
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
        carried = list(self._under_way.values())
        for task in carried:
            task.cancel()
        if carried:
            await asyncio.wait(carried, timeout=10)

    async def recover(self) -> list[Run]:
        """Take up every run that no living process carries, each in the name of its person."""
        taken: list[Run] = []
        for run in await asyncio.to_thread(maintenance.left_behind):
            if run.run_id in self._under_way or not _is_due(run):
                continue
            with use_person(run.person):
                try:
                    taken.append(await self._taken_up(run))
                except RequestError as error:
                    _log.info("Run %s was not taken up: %s", run.run_id, error.user_message)
                except Exception as error:
                    _log.error("Run %s cannot be taken up: %s", run.run_id, redact(error))
        return taken

    async def _taken_up(self, run: Run) -> Run:
        await asyncio.to_thread(records.count_attempt, run)
        if run.attempts > _MOST_ATTEMPTS:
            error = ProgrammerError(f"The run broke off {_MOST_ATTEMPTS} times at one place, and is not tried again.")
            result = {"error": error.as_dict(), "output": None, "answer": None}
            await asyncio.to_thread(records.end_with_error, run, result)
            raise error
        known = len(run.warnings)
        taken = await self._go_on(run)
        told = " ".join(taken.warnings[known:])
        _log.warning("Run %s of thread %s had been left behind, and goes on. %s", run.run_id, run.thread_id, told)
        return taken

    async def _carry(self, agent: Agent, life: Life, said: str | None = None) -> Run:
        assert life.record is not None
        run_id = life.run.run_id
        channel = await asyncio.to_thread(open_channel, life.record)
        task = asyncio.create_task(_run(agent, life, channel, said))
        self._under_way[run_id] = task
        task.add_done_callback(lambda done: self._ended(run_id, done))
        return life.record

    def _ended(self, run_id: str, done: asyncio.Task[None]) -> None:
        if self._under_way.get(run_id) is done:
            self._under_way.pop(run_id)
        if not done.cancelled() and done.exception() is not None:
            _log.error("Run %s: %s", run_id, redact(done.exception()))


def _is_due(run: Run) -> bool:
    """Whether a run that broke off may be taken up: one that may have killed its process gives the others time."""
    delay = min(2.0 ** (run.attempts - _AT_ONCE), _LONGEST_DELAY) if run.attempts >= _AT_ONCE else 0.0
    return (now() - datetime.fromisoformat(run.updated_at)).total_seconds() >= delay


def _prepared(
    agent: Agent,
    said: str,
    thread_id: str,
    state: Any,
    about: Mapping[str, Any],
    request: str = "",
    drops: Run | None = None,
) -> Callable[[], Life]:
    """What starts a run; all that takes long is done when this returns. `request` is what it is started with where
    that is not just what was said."""
    words = said if state is not None else check_question(said)
    asked = check_question(request or words) if state is None else ""
    first = dict(state) if state is not None else agent.start(asked, turn_before(agent, thread_id))
    run: MapRun = open_map(agent.map, graph=graph_of(agent), model=load_model(None, agent))
    kept = {"background": True, "said": words, **about}
    return lambda: begin(run, first, thread_id, agent.name, {}, kept, drops)


async def _run(agent: Agent, life: Life, channel: Channel, said: str | None) -> None:
    """Carry a run to its end, and every run that its request is handed on to."""
    record = life.record
    assert record is not None
    about = {"run_id": channel.run_id, "thread_id": record.thread_id, "attempt": record.attempts + 1}
    channel.add("metadata", {**about, "warnings": record.warnings} if record.warnings else about)
    carried: _Carried | None = _Carried(agent, life, channel, said)
    try:
        while carried is not None:
            carried = await carried.to_its_end()
    except asyncio.CancelledError:
        channel.add("error", {"error_type": "cancelled", "message": "The run was stopped.", "suggestion": ""})
        raise
    finally:
        await asyncio.shield(channel.aclose())


class _Carried:
    """A run on its way to its end or its question, told on a channel."""

    def __init__(self, agent: Agent, life: Life, channel: Channel, said: str | None = None) -> None:
        assert life.record is not None
        self.agent, self.life, self.channel = agent, life, channel
        self.record: Run = life.record
        self.said = said or self.record.said
        self.watch = Watch()
        self.ledger = Ledger(listener=self._called)
        self.draft = Draft(self._write)
        self.answer: Answer | None = None
        self._last: list[tuple[str, Any]] | None = None
        self._stored: list[Event] = []
        self._hand_on: Callable[[], Life] | None = None
        self._next: _Carried | None = None
        life.present, life.finish = self._present, self._finish

    async def to_its_end(self) -> _Carried | None:
        """Run it. What comes back is the run that its request was handed on to, if it was."""
        mark_used(self.agent)
        heard = self.draft.heard(always=is_map(self.agent))  # the rows of a map may name a model of their own
        watching = watched(self.agent.name, self.record.thread_id, self.record.run_id)
        try:
            with use_ledger(self.ledger), watching as self.watch, heard:
                await self.life.arun(lambda event: self.channel.add("node", _told(self.agent, event)))
                assert self.answer is not None
                self.watch.error = (self.answer.error or {}).get("error_type")
        except Exception as error:
            self._next = None
            await asyncio.to_thread(self._fail, error)
        self.channel.tell(self._stored)
        return self._next

    def _called(self, call: Call, ended: bool) -> None:
        words = {"agent": self.agent.name, "words": call_words(self.agent, call.tool, call.args)}
        self.channel.add("tool_result" if ended else "tool_call", {**call.as_event(), **words})
        self.watch.called(call, ended)

    def _write(self, told: dict[str, Any]) -> None:
        if self._last is None:
            self.channel.add("text", told)
        else:
            self._last.append(("text", told))

    def _present(self, result: MapResult) -> dict[str, Any]:
        """The Answer of a result; what takes time before the transaction that keeps it is done here."""
        answer = self.answer = _answer(self.agent, result)
        answer.evidence, answer.route = self.ledger.as_list(), self.record.route
        hands_over = self.agent.hands_over if answer.status == "completed" else None
        route = hands_over(answer.state) if hands_over is not None else None
        if route is not None:
            self._prepare_next(route)
        else:
            add_dropped(answer, self.record.dropped)
        self.channel.drain()
        return answer.as_dict()

    def _prepare_next(self, route: Mapping[str, Any]) -> None:
        about = {
            "metadata": self.record.metadata,
            "stream_modes": self.record.stream_modes,
            "for_run": self.record.channel,
            "dropped": self.record.dropped,
            "route": {"to": route["to"], "confidence": route.get("confidence")},
        }
        other, request = find_served(str(route["to"])), str(route.get("request") or self.record.said)
        start = _prepared(other, str(route.get("said") or request), self.record.thread_id, None, about, request)

        def hand_on() -> Life:
            life = start()
            records.note_handed(self.record.channel, life.run.run_id)
            self._next = _Carried(other, life, self.channel)
            return life

        self._hand_on = hand_on

    def _finish(self) -> None:
        """In the transaction in which the run ends or waits: its request is handed on, or the turn and what is told
        of it are kept."""
        assert self.answer is not None
        if self._hand_on is not None:
            self._hand_on()
            return
        remember(self.agent, self.answer, self.said, is_named=True)
        self._tell(self.answer)

    def _tell(self, answer: Answer) -> None:
        """Store the last events of a run in the open transaction."""
        self._last = [("error", answer.error)] if answer.error else []
        message = self.draft.become(answer.answer, f"{answer.run_id}-{self.channel.latest}")
        self._last.append(("answer", {**answer.as_dict(), "message_id": message}))
        self._stored = self.channel.store(self._last)

    def _fail(self, error: Exception) -> None:
        """A run that broke over a fault of ours or of the agent's has ended: to try again would break again."""
        record, trace = self.record, "".join(traceback.format_exception(error))
        _log.error("Run %s of %s broke: %s %s", record.run_id, self.agent.name, redact(error), redact(trace))
        told = error if isinstance(error, SignalboxError) else _OUR_FAULT
        known = {"agent": self.agent.name, "thread_id": record.thread_id, "run_id": record.run_id}
        answer = Answer.of_error(told, **known, source=answer_source(self.agent))
        add_dropped(answer, record.dropped)
        self.channel.drain()
        with owned(record.person):
            fresh = records.get_run(record.run_id)
            if fresh is not None and fresh.standing in RESUMABLE:
                records.end_with_error(fresh, {"error": told.as_dict(), "output": None, "answer": answer.as_dict()})
                self._tell(answer)


_OUR_FAULT = ProgrammerError("The run broke over a fault in the agent.")


def _answer(agent: Agent, result: MapResult) -> Answer:
    if is_map(agent):
        answer = result.as_answer()
        answer.agent = agent.name
        answer.state.pop("__execution_summary", None)
        return answer
    return answer_of(agent, result)


def _told(agent: Agent, event: NodeEvent) -> dict[str, Any]:
    words = node_words(agent, event.node)
    told: dict[str, Any] = {"kind": event.kind, "node": event.node, "agent": agent.name, "words": words}
    if event.kind == "end":
        told |= {"success": event.success, "output": redact(event.output), "error": event.error, "ms": event.ms}
    return told
