"""Executes a run until its end or its question and reports events on its channel, with any engine."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from signalbox.contract import Agent, NodeEvent
from signalbox.contract.answer import Answer
from signalbox.contract.summary import plain
from signalbox.errors import DatabaseError, ProgrammerError, SignalboxError, redact
from signalbox.maps import MapResult, open_map
from signalbox.maps.map_run import MapRun
from signalbox.runs import records
from signalbox.runs.answers import answer_of, check_question, graph_of, load_model, mark_used
from signalbox.runs.conversation import remember, turn_before
from signalbox.runs.drafts import Draft
from signalbox.runs.events import Channel, Event, open_channel
from signalbox.runs.figures import carrying, note_node, note_run, note_tool
from signalbox.runs.gate import owned
from signalbox.runs.life import Life, begin
from signalbox.runs.observing import Watch, watched
from signalbox.runs.owners import lease_holds
from signalbox.runs.records import RESUMABLE, Run
from signalbox.runs.replies import add_dropped, dropped_words
from signalbox.runs.served import find_carried, find_served, is_map
from signalbox.runs.sources import answer_source
from signalbox.runs.step_words import call_words, node_words
from signalbox.runs.steps import CancelledError
from signalbox.runs.threads import check_name
from signalbox.settings import now
from signalbox.toolbox.ledger import Call, Ledger, use_ledger

__all__ = ["begin_pending", "carry", "heard_inside", "lent_draft", "make_pending", "prepared"]

_log = logging.getLogger("signalbox.runs")


def prepared(
    agent: Agent,
    said: str,
    thread_id: str,
    state: Any,
    about: Mapping[str, Any],
    *,
    request: str = "",
    drops: Run | None = None,
    run_id: str = "",
    then: Callable[[Run], None] = lambda record: None,
) -> Callable[[], Life]:
    """Prepare a run and return the function that starts it; everything slow is done by then. `request` is the input if
    it differs from what was said. The other arguments are those of `begin`."""
    words = said if state is not None else check_question(said)
    asked = check_question(request or words) if state is None else ""
    first = dict(state) if state is not None else agent.start(asked, turn_before(agent, thread_id))
    run: MapRun = open_map(agent.map, graph=graph_of(agent), model=load_model(None, agent), run_id=run_id)
    kept = {"background": True, "said": words, **about}
    return lambda: begin(run, first, thread_id, agent.name, {}, kept, drops, then)


def make_pending(agent: Agent, said: str, thread_id: str, state: Any, about: Mapping[str, Any]) -> Run:
    """The record of a postponed run, with the current version of the map."""
    words = said if state is not None else check_question(said)
    run = open_map(agent.map, graph=graph_of(agent), thread_id=check_name(thread_id))
    later = {"status": "pending", "background": True, "said": words, "state": plain(state)}
    return replace(Run.of(run, agent.name, owner=""), **{"not_before": now().isoformat(), **later, **about})


def begin_pending(record: Run) -> Life:
    """Start a pending run; a waiting run of its thread ends, and its question is dropped."""
    drops = records.latest_run(record.thread_id, ("waiting",))
    kept = ("metadata", "stream_modes", "not_before", "when_busy", "started_at", "trace")
    about = {name: getattr(record, name) for name in kept} | {"dropped": dropped_words(drops) if drops else ""}
    agent = find_carried(record.agent or record.name)
    return prepared(agent, record.said, record.thread_id, record.state, about, drops=drops, run_id=record.run_id)()


async def carry(agent: Agent, life: Life) -> None:
    """Execute a run, and every run that its request is handed over to."""
    record = life.record
    assert record is not None
    channel = await asyncio.to_thread(open_channel, record)
    about = {"run_id": channel.run_id, "thread_id": record.thread_id, "attempt": record.attempts + 1}
    channel.add("metadata", {**about, "warnings": record.warnings} if record.warnings else about)
    carried: _Carried | None = _Carried(agent, life, channel)
    try:
        while carried is not None:
            carried = await carried.to_its_end()
    except asyncio.CancelledError:
        channel.add("error", {"error_type": "cancelled", "message": "The run was stopped.", "suggestion": ""})
        raise
    finally:
        await asyncio.shield(channel.aclose())


class _Carried:
    """A run being executed, with its events reported on a channel."""

    def __init__(self, agent: Agent, life: Life, channel: Channel) -> None:
        assert life.record is not None
        self.agent, self.life, self.channel = agent, life, channel
        self.record: Run = life.record
        self.said = str([self.record.said, *self.record.answers.values()][-1])
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
        """Execute the run; returns the run that its request was handed over to, if any."""
        mark_used(self.agent)
        # The rows of a map may name a model of their own.
        heard = lent_draft(self.draft) if self.record.is_aside else self.draft.heard(always=is_map(self.agent))
        watching = watched(self.agent.name, self.record.thread_id, self.record.run_id, self.record.trace)
        try:
            with use_ledger(self.ledger), watching as self.watch, heard, carrying(self.agent.name):
                await self.life.arun(self._hear)
                assert self.answer is not None
                self.watch.error = (self.answer.error or {}).get("error_type")
            note_run(self.agent.name, self.answer.status, self.watch.error)
        except (CancelledError, DatabaseError) as error:
            # Somebody cancelled it or carries it now, or it broke off and goes on when the database is back.
            self._next = None
            note_run(self.agent.name, "stopped")
            if isinstance(error, DatabaseError):
                raise
        except Exception as error:
            self._next = None
            note_run(self.agent.name, "error", getattr(error, "error_type", type(error).__name__))
            await asyncio.to_thread(self._fail, error)
        except asyncio.CancelledError:
            note_run(self.agent.name, "stopped")
            raise
        self.channel.tell(self._stored)
        return self._next

    def _hear(self, event: NodeEvent) -> None:
        self.channel.add("node", _told(self.agent, event))
        if event.kind == "end":
            note_node(self.agent.name, event.node, ok=bool(event.success), seconds=(event.ms or 0) / 1000)

    def _called(self, call: Call, ended: bool) -> None:
        if not ended:
            self._require_lease()
        words = {"agent": self.agent.name, "words": call_words(self.agent, call.tool, call.args)}
        self.channel.add("tool_result" if ended else "tool_call", {**call.as_event(), **words})
        self.watch.called(call, ended)
        if ended:
            note_tool(call.tool, ok=call.ok)

    def _require_lease(self) -> None:
        """Raise CancelledError if another worker has the run, and DatabaseError if that cannot be determined."""
        assert self.life.steps is not None
        with self.life.steps.breaking_off():
            if not lease_holds():
                raise CancelledError("Another worker has taken the run over.")

    def _write(self, told: dict[str, Any]) -> None:
        if self._last is None:
            self.channel.add("text", told)
        else:
            self._last.append(("text", told))

    def _present(self, result: MapResult) -> dict[str, Any]:
        """The Answer of a result; slow work before the transaction that stores it is done here."""
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
        words = str(route.get("said") or request)
        start = prepared(other, words, self.record.thread_id, None, about, request=request)

        def hand_on() -> Life:
            life = start()
            records.note_handed(self.record.channel, life.run.run_id)
            self._next = _Carried(other, life, self.channel)
            return life

        self._hand_on = hand_on

    def _finish(self) -> None:
        """Within the transaction in which the run ends or pauses: hand its request over, or store the turn and its
        events."""
        assert self.answer is not None
        if self._hand_on is not None:
            self._hand_on()
            return
        if not self.record.is_aside:
            remember(self.agent, self.answer, self.said, is_named=True)
        self._tell(self.answer)

    def _tell(self, answer: Answer) -> None:
        """Store the last events of a run in the open transaction."""
        self._last = [("error", answer.error)] if answer.error else []
        message = self.draft.become(answer.answer, f"{answer.run_id}-{self.channel.latest}")
        self._last.append(("answer", {**answer.as_dict(), "message_id": message}))
        self._stored = self.channel.store(self._last)

    def _fail(self, error: Exception) -> None:
        """End a run that failed because of a bug in Signalbox or the agent: a retry would fail again."""
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


_draft: ContextVar[Draft | None] = ContextVar("signalbox_draft", default=None)


@contextmanager
def lent_draft(draft: Draft) -> Iterator[None]:
    """Lend the draft to the block, which marks where text from models is the answer."""
    token = _draft.set(draft)
    try:
        yield
    finally:
        _draft.reset(token)


@contextmanager
def heard_inside() -> Iterator[None]:
    """Text that models write in this block is the answer, for the draft that was lent."""
    draft = _draft.get()
    with draft.heard() if draft is not None else nullcontext():
        yield


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
