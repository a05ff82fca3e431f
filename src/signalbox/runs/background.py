"""Runs in the background: started, answered, waited for, cancelled; what a dead process left is finished by the next.

A run is its person's: whoever calls is the person who asks (`signalbox.toolbox.person`).
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from signalbox.contract import Agent, NodeEvent
from signalbox.contract.answer import Answer
from signalbox.errors import NotFoundError, ProgrammerError, RequestError, SignalboxError, redact
from signalbox.maps import MapResult, open_map
from signalbox.runs import maintenance, records, threads
from signalbox.runs.asking import answer_of, check_question, graph_of, load_model, mark_used, remember, turn_before
from signalbox.runs.drafts import Draft
from signalbox.runs.events import Channel, open_channel
from signalbox.runs.life import Life, begin, take_up
from signalbox.runs.observing import Watch, watched
from signalbox.runs.records import RESUMABLE, Run
from signalbox.runs.served import find_served, is_map
from signalbox.runs.sources import answer_source
from signalbox.toolbox.ledger import Call, Ledger, use_ledger
from signalbox.toolbox.person import use_person

__all__ = ["answer_question", "cancel_run", "close_runs", "find_own_run", "launch", "recover", "wait_for_run"]

_log = logging.getLogger("signalbox.runs")
_MOST_ATTEMPTS = 3
_under_way: dict[str, asyncio.Task[Answer]] = {}


async def launch(
    agent: Agent,
    said: str,
    *,
    thread_id: str,
    state: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    model: str | None = None,
    stream_modes: Sequence[str] = (),
) -> Run:
    """Start a run in the background. When this returns, the thread is claimed and the run is written down.

    Raises BusyError where a run of the thread is under way or waits, and NotFoundError where it is another's.
    """
    about = {"metadata": dict(metadata or {}), "stream_modes": list(stream_modes)}
    life = await asyncio.to_thread(_begun, agent, said, thread_id, state, about, model)
    return await _carry(agent, life)


def _begun(agent: Agent, said: str, thread_id: str, state: Any, about: dict[str, Any], model: str | None) -> Life:
    words = said if state is not None else check_question(said)
    first = dict(state) if state is not None else agent.start(words, turn_before(agent, thread_id))
    run = open_map(agent.map, graph=graph_of(agent), model=load_model(model, agent))
    return begin(run, first, thread_id, agent.name, {}, {"background": True, "said": words, **about})


async def answer_question(thread_id: str, value: Any, question: str | None = None, model: str | None = None) -> Run:
    """Go on with a run that waits, with the answer to its question, in the background. Raises as `resume` does."""
    await asyncio.to_thread(threads.require_own, thread_id)
    return await _go_on(thread_id, value, question, model)


async def _go_on(thread_id: str, value: Any, question: str | None, model: str | None) -> Run:
    run = await asyncio.to_thread(records.find_run, thread_id, RESUMABLE)
    agent = find_served(run.agent or run.name)
    life = await asyncio.to_thread(lambda: take_up(thread_id, value, question, load_model(model, agent), force=False))
    return await _carry(agent, life, said=None if value is None else str(value))


async def _carry(agent: Agent, life: Life, said: str | None = None) -> Run:
    assert life.record is not None
    run_id = life.run.run_id
    channel = await asyncio.to_thread(open_channel, life.record)
    task = asyncio.create_task(_run(agent, life, channel, said))
    _under_way[run_id] = task
    task.add_done_callback(lambda done: _ended(run_id, done))
    return life.record


def _ended(run_id: str, done: asyncio.Task[Answer]) -> None:
    if _under_way.get(run_id) is done:
        _under_way.pop(run_id)
    if not done.cancelled() and done.exception() is not None:
        _log.error("Run %s: %s", run_id, redact(done.exception()))


async def _run(agent: Agent, life: Life, channel: Channel, said: str | None) -> Answer:
    """Carry a run to its end, and every run that its request is handed on to."""
    record = life.record
    assert record is not None
    channel.add("metadata", {"run_id": channel.run_id, "thread_id": record.thread_id, "attempt": record.attempts + 1})
    draft = Draft(partial(channel.add, "text"))
    answer: Answer | None = None
    try:
        while True:
            answer = await _carried(agent, life, channel, draft, said)
            handed = await _hand_on(agent, answer, life)
            if handed is None:
                return answer
            agent, life, said = *handed, None
    except asyncio.CancelledError:
        channel.add("error", {"error_type": "cancelled", "message": "The run was stopped.", "suggestion": ""})
        answer = None
        raise
    finally:
        if answer is not None:
            if answer.error:
                channel.add("error", answer.error)
            message = draft.become(answer.answer, f"{answer.run_id}-{channel.latest}")
            channel.add("answer", {**answer.as_dict(), "message_id": message})
        await asyncio.shield(channel.aclose())


async def _carried(agent: Agent, life: Life, channel: Channel, draft: Draft, said: str | None) -> Answer:
    record = life.record
    assert record is not None
    mark_used(agent)
    watch = Watch()

    def called(call: Call, ended: bool) -> None:
        channel.add("tool_result" if ended else "tool_call", call.as_event())
        watch.called(call, ended)

    ledger = Ledger(listener=called)
    answers: list[Answer] = []

    def present(result: MapResult) -> dict[str, Any]:
        answer = _answer(agent, result)
        answer.evidence, answer.route = ledger.as_list(), record.route
        answers.append(answer)
        return answer.as_dict()

    life.present = present
    heard = draft.heard(always=is_map(agent))  # the rows of a map may name a model of their own
    try:
        with use_ledger(ledger), watched(agent.name, record.thread_id, record.run_id) as watch, heard:
            await life.arun(lambda event: channel.add("node", _told(event)))
            watch.error = (answers[-1].error or {}).get("error_type")
        if agent.hands_over is None or agent.hands_over(answers[-1].state) is None:
            await asyncio.to_thread(remember, agent, answers[-1], said or record.said, is_named=True)
        return answers[-1]
    except Exception as error:
        return await asyncio.to_thread(_fail, agent, record, error)


async def _hand_on(agent: Agent, answer: Answer, life: Life) -> tuple[Agent, Life] | None:
    """The agent that the request is sent on to, with its run in the same thread; None where it is sent nowhere."""
    if answer.status != "completed" or life.record is None:
        return None
    return await _handed(agent, answer.state, life.record)


async def _handed(agent: Agent, state: Mapping[str, Any], before: Run) -> tuple[Agent, Life] | None:
    route = agent.hands_over(state) if agent.hands_over is not None else None
    if route is None:
        return None
    other = find_served(str(route["to"]))
    about = {
        "metadata": before.metadata,
        "stream_modes": before.stream_modes,
        "for_run": before.channel,
        "route": {"to": route["to"], "confidence": route.get("confidence")},
    }
    said = str(route.get("request") or before.said)
    next_life = await asyncio.to_thread(_begun, other, said, before.thread_id, None, about, None)
    await asyncio.to_thread(records.note_handed, before.channel, next_life.run.run_id)
    return other, next_life


def _fail(agent: Agent, record: Run, error: Exception) -> Answer:
    """A run that broke over a fault of ours or of the agent's has ended: to try again would break again."""
    trace = "".join(traceback.format_exception(error))
    _log.error("Run %s of %s broke: %s %s", record.run_id, agent.name, redact(error), redact(trace))
    told = error if isinstance(error, SignalboxError) else ProgrammerError("The run broke over a fault in the agent.")
    known = {"agent": agent.name, "thread_id": record.thread_id, "run_id": record.run_id}
    answer = Answer.of_error(told, **known, source=answer_source(agent))
    fresh = records.get_run(record.run_id)
    if fresh is not None and fresh.standing in RESUMABLE:
        records.end_with_error(fresh, {"error": told.as_dict(), "output": None, "answer": answer.as_dict()})
    return answer


def _answer(agent: Agent, result: MapResult) -> Answer:
    if is_map(agent):
        answer = result.as_answer()
        answer.agent = agent.name
        answer.state.pop("__execution_summary", None)
        return answer
    return answer_of(agent, result)


def _told(event: NodeEvent) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": event.kind, "node": event.node}
    if event.kind == "end":
        told |= {"success": event.success, "output": redact(event.output), "error": event.error, "ms": event.ms}
    return told


async def find_own_run(thread_id: str, run_id: str) -> Run:
    """A run of the person who asks. Raises NotFoundError for any other."""

    def found() -> Run:
        run = records.get_run(run_id)
        if run is None or run.thread_id != thread_id or threads.require_own(thread_id) is None:
            raise NotFoundError(f"There is no run '{run_id}' of thread '{thread_id}'.")
        return run

    return await asyncio.to_thread(found)


async def wait_for_run(run_id: str) -> Run:
    """The run, when it has ended or waits; the one that has its request now. One that a dead process left is waited
    for, too: it is taken up. It goes on when who waits goes away."""
    task = _under_way.get(run_id)
    if task is not None:
        await asyncio.wait([task])
    while True:
        run = await asyncio.to_thread(records.get_run, run_id)
        if run is None:
            raise NotFoundError(f"There is no run '{run_id}'.")
        run = await asyncio.to_thread(records.carrier_of, run)
        if run_id in _under_way or run.is_under_way or run.is_left_behind:
            await asyncio.sleep(0.2)
            continue
        return run


async def cancel_run(run: Run) -> None:
    """Stop a run that is under way, waits or broke off. Raises RequestError where it has ended."""
    carrier = await asyncio.to_thread(records.carrier_of, run)
    if carrier.standing not in RESUMABLE:
        raise RequestError("The run has ended.", suggestion="Look at it instead.")
    await asyncio.to_thread(records.cancel_run, carrier)
    task = _under_way.get(run.run_id) or _under_way.get(carrier.run_id)
    if task is not None:
        task.cancel()
        await asyncio.wait([task])


async def recover() -> list[Run]:
    """Take up every background run that no living process carries, each in the name of its person."""
    taken: list[Run] = []
    for run in await asyncio.to_thread(maintenance.left_behind):
        if run.run_id in _under_way:
            continue
        with use_person(run.person):
            try:
                taken.append(await _taken_up(run))
            except RequestError as error:
                _log.info("Run %s was not taken up: %s", run.run_id, error.user_message)
            except Exception as error:
                _log.error("Run %s cannot be taken up: %s", run.run_id, redact(error))
    for run in await asyncio.to_thread(maintenance.never_handed):
        with use_person(run.person), suppress(NotFoundError, RequestError):
            taken += await _handed_late(run)
    return taken


async def _handed_late(run: Run) -> list[Run]:
    """Hand on the request of a run whose process died when it had ended, and before another had its request."""
    state = (run.result.get("answer") or {}).get("state") or {}
    if run.run_id in _under_way:
        return []
    handed = await _handed(find_served(run.agent or run.name), state, run)
    return [] if handed is None else [await _carry(*handed)]


async def _taken_up(run: Run) -> Run:
    if run.attempts >= _MOST_ATTEMPTS:
        error = ProgrammerError(f"The run broke off {run.attempts} times, and is not tried again.")
        await asyncio.to_thread(records.end_with_error, run, {"error": error.as_dict(), "output": None, "answer": None})
        raise error
    await asyncio.to_thread(records.count_attempt, run)
    _log.warning("Run %s of thread %s had been left behind, and goes on.", run.run_id, run.thread_id)
    return await _go_on(run.thread_id, None, None, None)


async def close_runs() -> None:
    """Stop what this process carries, so that the next goes on with it."""
    carried = list(_under_way.values())
    for task in carried:
        task.cancel()
    if carried:
        await asyncio.wait(carried, timeout=10)
