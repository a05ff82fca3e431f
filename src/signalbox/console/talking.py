"""A request on the page: it runs in the background, the page follows what happens in it, and a person can stop it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress

from signalbox.console.answers import opening_of
from signalbox.console.turn import Turn, take
from signalbox.contract import Agent
from signalbox.contract.answer import Answer
from signalbox.errors import ProgrammerError, RequestError, SignalboxError
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.events import list_events
from signalbox.runs.records import Run, get_run, latest_run, list_runs
from signalbox.runs.threads import require_own
from signalbox.toolbox.person import use_person

__all__ = ["follow_run", "is_followed", "stop", "talk"]

_log = logging.getLogger("signalbox.console")
_NOTICE = 15.0
_SLOW = "This takes longer than usual. It goes on, also when you leave the page."
_PACE = 0.15
"""Seconds between two pictures of a turn: a run of many quick steps is not drawn anew for each."""
_STROKE, _FEWEST_WORDS, _MOST_PICTURES = 0.06, 4, 8
"""How a text is written down: seconds between two pictures, the fewest words that each adds, the most pictures."""
_asking: dict[tuple[str, str], asyncio.Task[tuple[Run, int]]] = {}
"""By person and thread, what was said and has no run yet."""
_followed: dict[tuple[str, str], int] = {}
"""By person and thread, how many pages follow a run of it."""


def is_followed(person: str, thread: str) -> bool:
    """Whether something that this person said in the thread is still being answered on a page."""
    return (person, thread) in _asking or (person, thread) in _followed


async def talk(person: str, agent: Agent, said: str, thread: str, turn: Turn) -> AsyncIterator[Turn]:
    """Say something in a thread, and give the turn each time that something happens in it."""
    # The person is bound around the task alone: what yields may go on in another context.
    with use_person(person):
        asking = _asking[person, thread] = asyncio.create_task(say(agent, said, thread_id=thread))
    try:
        # A page that is left does not take back what was said.
        run, after = await asyncio.shield(asking)
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
    finally:
        _asking.pop((person, thread), None)
    async for _ in follow_run(turn, run, after):
        yield turn


async def follow_run(turn: Turn, run: Run, after: int | None = None) -> AsyncIterator[Turn]:
    """Give the turn each time that something happens in its run; without a number, from its latest turn on."""
    turn.agent = run.agent or run.name
    if after is None:
        after = await asyncio.to_thread(_last_pause, run)
    place = (run.person, run.thread_id)
    _followed[place] = _followed.get(place, 0) + 1
    try:
        async for _ in _paced(turn, run, after):
            yield turn
    finally:
        _followed[place] -= 1
        if not _followed[place]:
            del _followed[place]


def _last_pause(run: Run) -> int:
    """The number of the last answer of a run: what came before was shown with it."""
    told = list_events(run.channel, person=run.person)
    return max((event.number for event in told if event.kind == "answer"), default=0)


async def _paced(turn: Turn, run: Run, after: int) -> AsyncIterator[None]:
    events, clock = engine().events(run, after), asyncio.get_running_loop().time
    coming = asyncio.ensure_future(anext(events, None))
    shown, is_new = 0.0, False
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=_PACE if is_new else _NOTICE)
            if done:
                event = coming.result()
                if event is None:
                    break
                is_new = take(turn, event) or is_new
                coming = asyncio.ensure_future(anext(events, None))
            elif not is_new:
                turn.notice, is_new = _SLOW, True
            if is_new and (not done or clock() - shown >= _PACE):
                turn.agent = turn.agent or await asyncio.to_thread(_carrier, run)
                shown, is_new = clock(), False
                yield
    finally:
        coming.cancel()
    turn.is_stopped = turn.is_stopped or turn.answer is None
    async for _ in _written(turn):
        yield
    yield


async def _written(turn: Turn) -> AsyncIterator[None]:
    """Let the text of an answer be written down before the page, from where a model's own writing had come to."""
    text = opening_of(turn.answer) if turn.answer else ""
    if not text.startswith(turn.draft):
        return
    known, count = len(turn.draft.split()), len(text.split())
    step = max(_FEWEST_WORDS, -(-(count - known) // _MOST_PICTURES))
    for turn.shown in range(known + step, count, step):
        yield
        await asyncio.sleep(_STROKE)
    turn.shown = None


def _carrier(run: Run) -> str:
    """The agent that the latest run of the thread is of: a request was handed on to it."""
    with use_person(run.person):
        latest = list_runs(thread_id=run.thread_id)[-1]
    return latest.agent or latest.name


async def stop(person: str, thread: str) -> None:
    """Stop what is being answered in a thread of this person. Raises NotFoundError for another's."""
    with use_person(person):
        stopping = asyncio.create_task(_stop(person, thread))
    await stopping


async def _stop(person: str, thread: str) -> None:
    if (person, thread) in _asking:
        await asyncio.wait([_asking[person, thread]])
    await asyncio.to_thread(require_own, thread)
    while True:
        run = await asyncio.to_thread(latest_run, thread, ("running",))
        if run is not None:
            # The task that carries a run is known by the one at which the request came in.
            head = await asyncio.to_thread(get_run, run.channel)
            with suppress(RequestError):
                await engine().cancel(head or run)
                return
        # Between two agents, when a request is handed on, there is a moment in which no run is under way.
        if (person, thread) not in _followed:
            return
        await asyncio.sleep(0.05)
