"""Asking an installed agent: the wiring above agents and worlds, from a sentence to an Answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any

from signalbox.contract import Agent, NodeEvent
from signalbox.contract.agent import wait_for
from signalbox.contract.answer import Answer
from signalbox.contract.installed import find_agent
from signalbox.errors import NotFoundError, UnsupportedError
from signalbox.maps import open_map
from signalbox.runs import records, threads
from signalbox.runs.answers import (
    answer_of,
    check_question,
    close_used,
    error_words,
    graph_of,
    load_model,
    mark_used,
    presented_answer,
)
from signalbox.runs.conversation import remember, turn_before
from signalbox.runs.life import agent_of, begin, show, take_up
from signalbox.runs.records import RESUMABLE, Run
from signalbox.runs.replies import add_dropped, dropped_words, is_reply, open_question
from signalbox.runs.states import agent_error
from signalbox.toolbox import Ledger, use_ledger

__all__ = [
    "aanswer",
    "aask",
    "aclose",
    "answer",
    "ask",
    "check_question",
    "graph_of",
    "mark_used",
    "say_in_thread",
]

Listener = Callable[[NodeEvent], None]


def ask(
    agent: str,
    question: str,
    *,
    thread_id: str | None = None,
    model: str | None = None,
    dry_run: bool = False,
    listener: Listener | None = None,
) -> Answer:
    """Ask an agent by its name and wait for its Answer. An agent's own errors come back in it.

    `thread_id` continues a conversation: a reply answers the question that is open there, and a new request drops it.
    `listener` receives every node's events. Raises NotFoundError for an unknown agent, and OperatorError if something
    is not set up."""

    return _wait(aask(agent, question, thread_id=thread_id, model=model, dry_run=dry_run, listener=listener))


def answer(
    thread_id: str,
    value: Any,
    *,
    question: str | None = None,
    model: str | None = None,
    force: bool = False,
    listener: Listener | None = None,
) -> Answer:
    """Answer the question of an agent that waits, and get its Answer. Raises like `signalbox.runs.resume`."""
    return _wait(aanswer(thread_id, value, question=question, model=model, force=force, listener=listener))


async def aanswer(
    thread_id: str,
    value: Any,
    *,
    question: str | None = None,
    model: str | None = None,
    force: bool = False,
    listener: Listener | None = None,
) -> Answer:
    """Like `answer`, for an event loop."""
    agent, ledger = await asyncio.to_thread(_asked, thread_id), Ledger()
    with use_ledger(ledger):
        lent = await asyncio.to_thread(load_model, model, agent)
        record = await asyncio.to_thread(records.find_run, thread_id, RESUMABLE)
        life = await asyncio.to_thread(take_up, record, value, question, lent, force)
        told = answer_of(agent, await life.arun(listener))
    # What was called before the pause is in another process's ledger; a state may have kept it.
    told.evidence = [*(told.state.get("evidence") or ()), *ledger.as_list()]
    handed = await _hand_over(agent, told, thread_id, model, False, listener, record.dropped)
    if handed is not None:
        return handed
    add_dropped(told, record.dropped)
    await asyncio.to_thread(remember, agent, told, str(value), is_named=True)
    return told


async def say_in_thread(agent: str, said: str, *, thread_id: str, model: str | None = None) -> Answer:
    """Say something in a conversation: a reply answers the thread's open question; anything else is a new request,
    which drops it. A run that was interrupted after it was answered continues."""
    if await asyncio.to_thread(_broke_off_answered, thread_id):
        return await aanswer(thread_id, said, model=model)
    return await aask(agent, said, thread_id=thread_id, model=model)


def _broke_off_answered(thread_id: str) -> bool:
    """True if the latest run of a thread belongs to an agent, was answered, and was interrupted since."""
    try:
        return show(thread_id).status != "waiting" and bool(show(thread_id).questions) and bool(agent_of(thread_id))
    except NotFoundError:
        return False


def _asked(thread_id: str) -> Agent:
    """The agent that the latest run of a thread belongs to."""
    agent = find_agent(agent_of(thread_id))
    mark_used(agent)
    return agent


def _wait(answering: Awaitable[Answer]) -> Answer:
    """The Answer; the connections it needed are closed."""

    async def closing() -> Answer:
        try:
            return await answering
        finally:
            await aclose()

    found: Answer = wait_for(closing())
    return found


async def aask(
    agent: str,
    question: str,
    *,
    thread_id: str | None = None,
    model: str | None = None,
    dry_run: bool = False,
    listener: Listener | None = None,
) -> Answer:
    """Like `ask`, for an event loop; connections stay open for the next question, until `aclose`."""
    options: dict[str, Any] = {"model": model, "dry_run": dry_run, "listener": listener}
    waiting = await asyncio.to_thread(_waiting, thread_id) if thread_id is not None and not dry_run else None
    if waiting is None:
        return await _aask(find_agent(agent), question, None, thread_id, **options)
    if is_reply(waiting, question):
        named = str(open_question(waiting).get("id"))
        return await aanswer(waiting.thread_id, question, question=named, model=model, listener=listener)
    told = dropped_words(waiting)
    return await _aask(find_agent(agent), question, None, thread_id, **options, drops=waiting, dropped=told)


def _waiting(thread_id: str) -> Run | None:
    """The run of an agent that waits in a thread of the current person."""
    found = records.latest_run(threads.check_name(thread_id), ("waiting",))
    return found if found is not None and found.agent else None


async def _aask(
    chosen: Agent,
    request: str,
    words: str | None,
    thread_id: str | None,
    *,
    model: str | None,
    dry_run: bool,
    listener: Listener | None,
    drops: Run | None = None,
    dropped: str = "",
) -> Answer:
    """Ask an agent. `said` are the person's own words, or None if they are the request. `drops` is the run whose
    question is dropped, and `dropped` what the answer says about it."""
    asked = check_question(request)
    said = words or asked
    thread = threads.check_name(thread_id) if thread_id is not None else ""
    before = await asyncio.to_thread(turn_before, chosen, thread) if thread_id is not None else None
    started = perf_counter()
    mark_used(chosen)
    ledger = Ledger()
    with use_ledger(ledger):
        first = chosen.start(asked, before)
        if dry_run:
            answer = await _plan(chosen, first, thread, model)
        else:
            answer = await _run(chosen, first, {"said": said, "dropped": dropped}, thread, model, listener, drops)
    answer.evidence = ledger.as_list()
    handed = await _hand_over(chosen, answer, thread_id, model, dry_run, listener, dropped)
    if handed is not None:
        return handed
    add_dropped(answer, dropped)
    answer.timings_ms = {**answer.timings_ms, "total": round((perf_counter() - started) * 1000, 1)}
    if not dry_run:
        await asyncio.to_thread(remember, chosen, answer, said, is_named=thread_id is not None)
    return answer


async def _hand_over(
    agent: Agent,
    told: Answer,
    thread_id: str | None,
    model: str | None,
    dry_run: bool,
    listener: Listener | None,
    dropped: str,
) -> Answer | None:
    """The Answer of the agent that the request is handed over to, in the same thread; None if it is not."""
    told.route = told.state.get("route") if agent.hands_over is not None else None
    if agent.hands_over is None or told.status != "completed":
        return None
    route = agent.hands_over(told.state)
    if route is None:
        return None
    other, request, said = find_agent(str(route["to"])), str(route.get("request") or ""), route.get("said")
    options: dict[str, Any] = {"model": model, "dry_run": dry_run, "listener": listener, "dropped": dropped}
    answer = await _aask(other, request, said, thread_id or told.thread_id, **options)
    answer.route = {"to": route["to"], "confidence": route.get("confidence")}
    answer.timings_ms = {**told.timings_ms, **answer.timings_ms}
    return answer


async def aclose() -> None:
    """Close the connections that questions in the running event loop have opened."""
    await close_used()


async def _run(
    agent: Agent,
    state: dict[str, Any],
    about: dict[str, Any],
    thread: str,
    model: str | None,
    listener: Listener | None,
    drops: Run | None,
) -> Answer:
    lent = await asyncio.to_thread(load_model, model, agent)
    run = await asyncio.to_thread(open_map, agent.map, graph=graph_of(agent), model=lent)
    life = await asyncio.to_thread(begin, run, state, thread or None, agent.name, {}, about, drops)
    return answer_of(agent, await life.arun(listener))


async def _plan(agent: Agent, state: dict[str, Any], thread: str, model: str | None) -> Answer:
    if agent.plan is None:
        raise UnsupportedError(f"The agent '{agent.name}' has no dry run.", suggestion="Ask without --dry-run.")
    presented = await agent.plan(state, load_model(model, agent))
    answer = presented_answer(agent, presented, state, thread or uuid.uuid4().hex, uuid.uuid4().hex)
    error = agent_error(presented.state or {})
    if error is not None:
        answer.status, answer.error, answer.answer = "error", error, error_words(error)
    return answer
