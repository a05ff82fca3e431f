"""Asking an installed agent: the wiring above agents and worlds, from a sentence to an Answer."""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from signalbox.contract import Agent, NodeEvent, Presented
from signalbox.contract.agent import wait_for
from signalbox.contract.answer import Answer
from signalbox.contract.installed import find_agent, list_agents
from signalbox.drawing.text import as_markdown
from signalbox.errors import (
    ConfigurationError,
    DatabaseError,
    MissingInputError,
    NotFoundError,
    RequestError,
    UnsupportedError,
)
from signalbox.maps import MapResult, open_map, read_map
from signalbox.runs import threads
from signalbox.runs.life import agent_of, aresume, astart, show
from signalbox.runs.sources import answer_source
from signalbox.runs.states import agent_error, json_state
from signalbox.toolbox import Ledger, use_ledger

__all__ = [
    "aanswer",
    "aask",
    "aclose",
    "answer",
    "answer_of",
    "ask",
    "check_question",
    "graph_of",
    "load_model",
    "mark_used",
    "remember",
    "say_in_thread",
    "turn_before",
]

_log = logging.getLogger("signalbox.runs")
_LONGEST_QUESTION = 10_000
Listener = Callable[[NodeEvent], None]
_used: dict[str, Agent] = {}


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
    """Answer the question of an agent that waits, and get its Answer. Raises as `signalbox.runs.resume` does."""
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
    """As `answer`, in an event loop."""
    agent, ledger = await asyncio.to_thread(_asked, thread_id), Ledger()
    with use_ledger(ledger):
        lent = await asyncio.to_thread(load_model, model, agent)
        options = {"question": question, "model": lent, "force": force, "listener": listener}
        told = answer_of(agent, await aresume(thread_id, value, **options))
    # What was called before the pause is in another process's ledger; a state may have kept it.
    told.evidence = [*(told.state.get("evidence") or ()), *ledger.as_list()]
    handed = await _hand_over(agent, told, thread_id, model, False, listener)
    if handed is not None:
        return handed
    await asyncio.to_thread(remember, agent, told, str(value), is_named=True)
    return told


async def say_in_thread(
    agent: str, said: str, *, thread_id: str, model: str | None = None, listener: Listener | None = None
) -> Answer:
    """Say something in a conversation: it answers the question that waits in the thread, else it is a new request."""
    waiting = await asyncio.to_thread(_waits, thread_id)
    if waiting:
        return await aanswer(thread_id, said, model=model, listener=listener)
    return await aask(agent, said, thread_id=thread_id, model=model, listener=listener)


def _waits(thread_id: str) -> bool:
    """Whether an agent's run of exactly this thread waits for an answer."""
    try:
        return show(thread_id).thread_id == thread_id and bool(show(thread_id).questions) and bool(agent_of(thread_id))
    except NotFoundError:
        return False


def _asked(thread_id: str) -> Agent:
    """The agent that the latest run of a thread belongs to."""
    agent = find_agent(agent_of(thread_id))
    mark_used(agent)
    return agent


def _wait(answering: Awaitable[Answer]) -> Answer:
    """The Answer, with every connection closed that it took."""

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
    """As `ask`, in an event loop; connections stay open for the next question, until `aclose`."""
    chosen = find_agent(agent)
    said = check_question(question)
    thread = threads.check_name(thread_id) if thread_id is not None else ""
    before = await asyncio.to_thread(turn_before, chosen, thread) if thread_id is not None else None
    started = perf_counter()
    mark_used(chosen)
    ledger = Ledger()
    with use_ledger(ledger):
        run = _plan if dry_run else _run
        answer = await run(chosen, chosen.start(said, before), thread, model, listener)
    answer.evidence = ledger.as_list()
    handed = await _hand_over(chosen, answer, thread_id, model, dry_run, listener)
    if handed is not None:
        return handed
    answer.timings_ms = {**answer.timings_ms, "total": round((perf_counter() - started) * 1000, 1)}
    if not dry_run:
        await asyncio.to_thread(remember, chosen, answer, said, is_named=thread_id is not None)
    return answer


async def _hand_over(
    agent: Agent, told: Answer, thread_id: str | None, model: str | None, dry_run: bool, listener: Listener | None
) -> Answer | None:
    """The Answer of the agent that the request is sent on to, in the same thread; None where it is sent nowhere."""
    told.route = told.state.get("route") if agent.hands_over is not None else None
    if agent.hands_over is None or told.status != "completed":
        return None
    route = agent.hands_over(told.state)
    if route is None:
        return None
    request = str(route.get("request") or "")
    options: dict[str, Any] = {"model": model, "dry_run": dry_run, "listener": listener}
    answer = await aask(str(route["to"]), request, thread_id=thread_id or told.thread_id, **options)
    answer.route = {"to": route["to"], "confidence": route.get("confidence")}
    answer.timings_ms = {**told.timings_ms, **answer.timings_ms}
    return answer


def check_question(question: str) -> str:
    """The question, trimmed. Raises MissingInputError and RequestError."""
    said = question.strip()
    if not said:
        raise MissingInputError("There is no question.", suggestion="Ask something.")
    if len(said) > _LONGEST_QUESTION:
        raise RequestError(f"The question is longer than {_LONGEST_QUESTION:,} characters.", suggestion="Shorten it.")
    return said


def turn_before(agent: Agent, thread: str) -> dict[str, Any] | None:
    """What is remembered of the turn before in this thread, by any agent of the same map; of one that sends requests
    on, what was said last to another and who answered: what it says itself is no subject to go on with."""
    if agent.hands_over is not None:
        said = [turn for turn in threads.list_turns(thread) if turn.agent != agent.name]
        return {"agent": said[-1].agent, "said": said[-1].said, "answer": said[-1].answer} if said else None
    kin = [other.name for other in list_agents() if other.map == agent.map]
    turn = threads.last_turn(thread, kin)
    return turn.remembered if turn else None


def remember(agent: Agent, answer: Answer, said: str, *, is_named: bool) -> None:
    """Keep the turn, and what the agent remembers of it if it was completed or failed only after a change. Where that
    fails, a question without a thread of its own is answered all the same."""
    known = {key: answer.state.get(key) for key in agent.remembers} | answer.kept
    error = answer.state.get("error")
    has_changed = isinstance(error, Mapping) and bool(error.get("after_change"))
    kept = known if answer.status == "completed" or has_changed else None
    told = {"run_id": answer.run_id or "", "agent": answer.agent or "", "said": said, "answer": answer.answer}
    try:
        threads.add_turn(answer.thread_id or "", **told, remembered=kept)
    except (ConfigurationError, DatabaseError) as error:
        if is_named:
            raise
        _log.warning("The turn was not kept: %s", error.user_message)


def mark_used(agent: Agent) -> None:
    """Have `aclose` close what this agent opens."""
    _used[agent.name] = agent


async def aclose() -> None:
    """Close the connections that questions in the running event loop have opened."""
    for agent in list(_used.values()):
        if agent.close is not None:
            await agent.close()


async def _run(
    agent: Agent, state: dict[str, Any], thread: str, model: str | None, listener: Listener | None
) -> Answer:
    lent = await asyncio.to_thread(load_model, model, agent)
    run = await asyncio.to_thread(open_map, agent.map, graph=graph_of(agent), model=lent)
    return answer_of(agent, await astart(run, state, thread_id=thread or None, agent=agent.name, listener=listener))


def graph_of(agent: Agent) -> str | None:
    """The graph of the map that is this agent; None for the only one."""
    return agent.graph or (agent.name if agent.name in read_map(agent.map).graphs else None)


def answer_of(agent: Agent, result: MapResult) -> Answer:
    """The Answer that an agent gives with the result of its run."""
    error = _for_asker(result.error) or agent_error(result.values)
    if error is None and result.status == "completed":
        presented = agent.present(result.values)
        error = presented.error
    else:
        # A question may show what it is about: a report, a change as a diff.
        asked = result.question or {}
        shown = [] if error else list(asked.get("blocks") or ())
        said = _words(error) if error else str(asked.get("text") or asked.get("message", ""))
        presented = Presented(said, shown, asked.get("source") or result.values.get("source"))
    answer = _shown(agent, presented, result.values, result.thread_id, result.run_id)
    answer.status, answer.question, answer.error = "error" if error else result.status, result.question, error
    # What is private is in no answer, and remembered all the same.
    hidden = {key: result.values[key] for key in agent.remembers if key in agent.private and key in result.values}
    answer.kept = json_state(hidden)
    for node in result.summary.node_executions:
        answer.timings_ms[node.node_name] = round((node.duration or 0.0) * 1000, 1)
    answer.timings_ms |= {name: ms for name, ms in (answer.state.get("timings_ms") or {}).items() if name != "total"}
    return answer


def _for_asker(error: dict[str, str] | None) -> dict[str, str] | None:
    """The error without what is for the author of the map: the node's name and advice are in the log and the trace."""
    if error is None or error["error_type"] != "node_failed":
        return error
    _log.info("%s %s", error["message"], error["suggestion"])
    return {**error, "message": re.sub(r"^Error in .*?: ", "", error["message"], count=1), "suggestion": ""}


async def _plan(
    agent: Agent, state: dict[str, Any], thread: str, model: str | None, listener: Listener | None
) -> Answer:
    if agent.plan is None:
        raise UnsupportedError(f"The agent '{agent.name}' has no dry run.", suggestion="Ask without --dry-run.")
    presented = await agent.plan(state, load_model(model, agent))
    answer = _shown(agent, presented, state, thread or uuid.uuid4().hex, uuid.uuid4().hex)
    error = agent_error(presented.state or {})
    if error is not None:
        answer.status, answer.error, answer.answer = "error", error, _words(error)
    return answer


def _shown(agent: Agent, presented: Presented, state: Mapping[str, Any], thread: str, run: str) -> Answer:
    return Answer(
        agent=agent.name,
        thread_id=thread,
        run_id=run,
        status="completed",
        answer=presented.text,
        state=json_state(state if presented.state is None else presented.state, agent.private),
        blocks=presented.blocks,
        source=answer_source(agent, presented.source),
        not_covered=presented.not_covered,
    )


def _words(error: Mapping[str, str]) -> str:
    return as_markdown(" ".join(part for part in (error["message"], error["suggestion"]) if part))


def load_model(model: str | None, agent: Agent) -> Any:
    """The model that is named, taught by the examples beside the agent's map; None leaves it to the settings."""
    examples = agent.map.with_name("examples.jsonl")
    if model is None and not examples.is_file():
        return None
    from signalbox.models import load_chat_model

    return load_chat_model(model, **({"examples": examples} if examples.is_file() else {}))
