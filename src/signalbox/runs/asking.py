"""Asking an installed agent: the wiring above agents and worlds, from a sentence to an Answer."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from time import perf_counter
from typing import Any

from signalbox.agents.metrics.clients import close_clients
from signalbox.contract import NodeEvent
from signalbox.contract.agent import wait_for
from signalbox.contract.answer import Answer, AnswerStatus
from signalbox.errors import ConfigurationError, MissingInputError, RequestError
from signalbox.maps import MapResult, astream_map, open_map
from signalbox.runs import metrics, threads
from signalbox.runs.plans import make_plan, plan_text
from signalbox.runs.rooms import InstalledAgent, find_agent
from signalbox.runs.states import agent_error, json_state
from signalbox.toolbox import Ledger, use_ledger

__all__ = ["aask", "aclose", "ask"]

_log = logging.getLogger("signalbox.runs")
_LONGEST_QUESTION = 10_000
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

    `thread_id` continues a conversation; `listener` hears of every node. Raises NotFoundError for an unknown agent,
    and OperatorError where something is not set up.
    """

    async def answered() -> Answer:
        try:
            return await aask(agent, question, thread_id=thread_id, model=model, dry_run=dry_run, listener=listener)
        finally:
            await aclose()

    answer: Answer = wait_for(answered())
    return answer


async def aask(
    agent: str,
    question: str,
    *,
    thread_id: str | None = None,
    model: str | None = None,
    dry_run: bool = False,
    listener: Listener | None = None,
) -> Answer:
    """As `ask`, in an event loop; connections stay open for the next question, until `aclose`."""
    chosen = find_agent(agent)
    said = _checked(question)
    thread = uuid.uuid4().hex if thread_id is None else threads.check_name(thread_id)
    before = await asyncio.to_thread(threads.last_turn, thread, chosen.room) if thread_id is not None else None
    started = perf_counter()
    ledger = Ledger()
    with use_ledger(ledger):
        run = _plan if dry_run else _run
        answer = await run(chosen, metrics.start_state(said, before and before.asked), thread, model, listener)
    answer.evidence = ledger.as_list()
    answer.timings_ms = {**answer.timings_ms, "total": round((perf_counter() - started) * 1000, 1)}
    if not dry_run:
        await asyncio.to_thread(_remember, answer, said, is_named=thread_id is not None)
    return answer


def _checked(question: str) -> str:
    said = question.strip()
    if not said:
        raise MissingInputError("There is no question.", suggestion='Ask something, such as "CPU usage last hour".')
    if len(said) > _LONGEST_QUESTION:
        raise RequestError(f"The question is longer than {_LONGEST_QUESTION:,} characters.", suggestion="Shorten it.")
    return said


def _remember(answer: Answer, said: str, *, is_named: bool) -> None:
    """Keep the turn. Where that fails, a question without a thread of its own is answered all the same."""
    asked = answer.state.get("asked") if answer.status == "completed" else None
    told = {"run_id": answer.run_id or "", "agent": answer.agent or "", "said": said, "answer": answer.answer}
    try:
        threads.add_turn(answer.thread_id or "", **told, asked=asked)
    except ConfigurationError as error:
        if is_named:
            raise
        _log.warning("The turn was not kept: %s", error.user_message)


async def aclose() -> None:
    """Close the connections that questions in the running event loop have opened."""
    await close_clients()


async def _run(
    agent: InstalledAgent, state: dict[str, Any], thread: str, model: str | None, listener: Listener | None
) -> Answer:
    run = await asyncio.to_thread(open_map, agent.path, graph=agent.name, thread_id=thread, model=_load(model))
    return _answered(agent, await _watched(run, state, listener))


async def _watched(run: Any, state: dict[str, Any], listener: Listener | None) -> MapResult:
    async for event in astream_map(run, state):
        if isinstance(event, MapResult):
            return event
        if listener is not None:
            listener(event)
    raise RuntimeError("the run gave no result")


def _answered(agent: InstalledAgent, result: MapResult) -> Answer:
    error = result.error or agent_error(result.values)
    state = json_state(result.values)
    timings: dict[str, Any] = {}
    for node in result.summary.node_executions:
        timings[node.node_name] = round((node.duration or 0.0) * 1000, 1)
    steps = {name: ms for name, ms in (state.get("timings_ms") or {}).items() if name != "total"}
    return Answer(
        agent=agent.name,
        thread_id=result.thread_id,
        run_id=result.run_id,
        status="error" if error else result.status,
        answer=result.error["message"] if result.error else metrics.answer_text(state),
        question=result.question,
        error=error,
        state=state,
        timings_ms={**timings, **steps},
    )


async def _plan(
    agent: InstalledAgent, state: dict[str, Any], thread: str, model: str | None, listener: Listener | None
) -> Answer:
    values = await make_plan(agent, state, _load(model))
    error = agent_error(values)
    shown = json_state(values)
    text = plan_text(shown["plan"]) if error is None else metrics.answer_text(shown)
    status: AnswerStatus = "completed" if error is None else "error"
    return Answer(agent.name, thread, uuid.uuid4().hex, status, text, error=error, state=shown)


def _load(model: str | None) -> Any:
    if model is None:
        return None
    from signalbox.models import load_chat_model

    return load_chat_model(model)
