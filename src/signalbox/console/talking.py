"""A request on the page: it runs in the background, and the page follows what happens in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from functools import lru_cache
from html import escape
from typing import Any

from signalbox.console.transcript import Turn
from signalbox.contract import Agent
from signalbox.contract.answer import Answer
from signalbox.errors import ProgrammerError, SignalboxError
from signalbox.runs.asking import graph_of
from signalbox.runs.conversing import say
from signalbox.runs.events import Event, follow, list_events
from signalbox.runs.records import Run, get_run, latest_run, list_runs
from signalbox.runs.served import find_served
from signalbox.runs.threads import list_threads, list_turns, require_own
from signalbox.toolbox.person import use_person

__all__ = ["list_conversations", "open_conversation", "talk"]

_log = logging.getLogger("signalbox.console")
_NOTICE = 10.0
_SLOW = "Still working: this takes longer than usual. It goes on, also when you leave the page."


async def talk(person: str, agent: Agent, said: str, thread: str) -> AsyncIterator[Turn]:
    """Say something in a thread, and give the turn each time that something happens in it."""
    turn = Turn(said)
    yield turn
    # The person is bound around the task alone: what yields may go on in another context.
    with use_person(person):
        asking = asyncio.create_task(_start(agent, said, thread))
    try:
        run, after = await asking
    except SignalboxError as error:
        turn.answer = Answer.of_error(error, agent=agent.name).as_dict()
        yield turn
        return
    except Exception:
        _log.exception("The agent %s could not be asked", agent.name)
        told = ProgrammerError(f"Something went wrong in the agent '{agent.name}'.", suggestion="The log says why.")
        turn.answer = Answer.of_error(told, agent=agent.name).as_dict()
        yield turn
        return
    async for _ in _followed(turn, run, after):
        yield turn


async def _start(agent: Agent, said: str, thread: str) -> tuple[Run, int]:
    """The run that what was said belongs to, and the number of the last event that was shown before."""
    waiting = await asyncio.to_thread(latest_run, thread, ("waiting",))
    before = await asyncio.to_thread(list_events, _channel(waiting)) if waiting is not None else []
    return await say(agent, said, thread_id=thread), before[-1].number if before else 0


def _channel(run: Run) -> str:
    """Where the events of a run are told: a request that was handed on is followed where it came in."""
    return str(run.metadata.get("for_run", run.run_id))


async def _followed(turn: Turn, run: Run, after: int) -> AsyncIterator[None]:
    events = follow(_channel(run), after)
    waiting = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=_NOTICE)
            if not done:
                turn.notice = _SLOW
                yield
                continue
            event = waiting.result()
            if event is None:
                break
            if _take(turn, event, run):
                yield
            waiting = asyncio.ensure_future(anext(events, None))
    finally:
        waiting.cancel()
    if turn.answer is None:
        turn.answer = {"error": {"message": "Stopped.", "suggestion": ""}, "agent": ""}
        yield


def _take(turn: Turn, event: Event, run: Run) -> bool:
    """Put an event into the turn; whether there is something new to show."""
    data = event.data
    if event.kind == "node":
        _take_node(turn, data, run)
    elif event.kind == "tool_call":
        turn.steps.append({"kind": "call", "name": f"{data.get('id')} {data.get('tool')}", "args": data.get("args")})
    elif event.kind == "tool_result":
        name = f"{data.get('id')} {data.get('tool')}"
        step = next((one for one in reversed(turn.steps) if one["name"] == name and one.get("ok") is None), None)
        if step is not None:
            step.update(ok=bool(data.get("ok")), result=data.get("summary"), ms=data.get("ms"))
    elif event.kind == "answer":
        turn.answer = data
        turn.graph = _graph(str(data.get("agent") or ""), "")
    else:
        return False
    return True


def _take_node(turn: Turn, data: dict[str, Any], run: Run) -> None:
    node = str(data.get("node"))
    if data.get("kind") == "start":
        turn.steps.append({"kind": "node", "name": node})
        turn.graph = _graph(_agent_of(node, run), node)
    elif data.get("kind") == "end":
        step = next((one for one in reversed(turn.steps) if one["name"] == node and one.get("ok") is None), None)
        if step is not None:
            step.update(ok=bool(data.get("success")), ms=data.get("ms"))


def _agent_of(node: str, run: Run) -> str:
    """The agent whose map has the node: the run's own, or the one that its request was handed to."""
    latest = list_runs(thread_id=run.thread_id)[-2:]
    names = [run.agent or run.name, *(one.agent or one.name for one in reversed(latest))]
    return next((name for name in names if node in _nodes(name)), names[0])


@lru_cache(maxsize=64)
def _nodes(agent: str) -> frozenset[str]:
    try:
        return frozenset(one.name for one in _spec(agent).nodes)
    except (SignalboxError, KeyError, StopIteration):
        return frozenset()


def _spec(agent: str) -> Any:
    from signalbox.maps import read_map

    found = find_served(agent)
    graphs = read_map(found.map).graphs
    return graphs[graph_of(found) or next(iter(graphs))]


@lru_cache(maxsize=256)
def _graph(agent: str, lit: str) -> str:
    """The map of an agent as SVG; the node that runs is lit."""
    from signalbox.maps import to_svg

    try:
        drawn = to_svg(_spec(agent))
    except (SignalboxError, KeyError, StopIteration):
        return ""
    return drawn.replace(f"<title>{escape(lit)}\n", f'<title class="lit">{escape(lit)}\n', 1) if lit else drawn


def list_conversations(person: str) -> list[tuple[str, str]]:
    """The threads of a person, the latest first: what was said first in each, and its id."""
    found = []
    with use_person(person):
        for thread in list_threads(40):
            turns, waiting = list_turns(thread.thread_id), _waiting(thread.thread_id)
            if turns or waiting:
                title = str(thread.metadata.get("title") or (turns[0].said if turns else waiting[0].said))
                found.append((title if len(title) <= 48 else f"{title[:47]}…", thread.thread_id))
    return found


def open_conversation(person: str, thread: str) -> list[Turn]:
    """What was said in a thread, with the answers as they were. Raises NotFoundError for another's."""
    with use_person(person):
        require_own(thread)
        turns = []
        for told in list_turns(thread):
            kept = _kept_answer(told.run_id) or {"agent": told.agent, "answer": told.answer}
            turns.append(Turn(told.said, answer=kept))
        return turns + _waiting(thread)


def _waiting(thread: str) -> list[Turn]:
    """The turn whose question waits for an answer, if there is one."""
    run = latest_run(thread, ("waiting",))
    if run is None or not run.questions:
        return []
    question = run.questions[0]
    told = {"answer": question.get("text") or question.get("message"), "blocks": question.get("blocks") or []}
    return [Turn(run.said, answer={"agent": run.agent or run.name, "question": question, **told})]


def _kept_answer(run_id: str) -> dict[str, Any] | None:
    run = get_run(run_id)
    answer = (run.result or {}).get("answer") if run is not None else None
    return answer if isinstance(answer, dict) else None
