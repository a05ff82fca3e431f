"""Runs a conversation of an evaluation with an installed agent, with its own home and embedded worlds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from signalbox.evals.environment import environment
from signalbox.evals.judge import ConversationJudge
from signalbox.evals.load import Case

__all__ = ["THREAD", "hold_conversation", "is_conversation", "own_world", "say_to"]

THREAD = "conversation"


def is_conversation(case: Case) -> bool:
    """True if a case checks the state of the world afterwards: an `end`."""
    return "end" in case.alternatives[0]


def hold_conversation(agent: str, case: Case, judge: ConversationJudge) -> dict[str, Any]:
    """Send `text` and `then` one after the other in one thread, and return what the judge finds at the end.

    Unless the judge sends messages itself, a message answers the agent's open question, as for a person at a terminal.
    """
    with own_world():
        return asyncio.run(_held(agent, case, judge))


@contextmanager
def own_world() -> Iterator[None]:
    """A new home and new embedded worlds inside the block, because worlds keep their state."""
    from signalbox.runs.embedded import close_worlds

    close_worlds()
    with TemporaryDirectory() as home, environment({"SIGNALBOX_HOME": home}):
        try:
            yield
        finally:
            close_worlds()


async def _held(agent: str, case: Case, judge: ConversationJudge) -> dict[str, Any]:
    from signalbox.runs import aclose, find_agent
    from signalbox.runs.asking import mark_used

    # What a judge opens of the agent is closed with it.
    mark_used(find_agent(agent))
    answers: list[dict[str, Any]] = []
    try:
        before = await judge.begin(case.alternatives[0])
        for said in (case.text, *case.then):
            answers.append(await say_to(agent, judge, before, answers, said))
        return await judge.end(before, answers)
    finally:
        await aclose()


async def say_to(
    agent: str, judge: ConversationJudge, before: Any, answers: Sequence[Mapping[str, Any]], message: str
) -> dict[str, Any]:
    """Send a message in the judge's own way, or in a thread, and return the answer. `answers` are the earlier ones."""
    from signalbox.runs import say_in_thread

    say = getattr(judge, "say", None)
    if say is not None:
        return dict(await say(before, answers, message))
    return (await say_in_thread(agent, message, thread_id=THREAD)).as_dict()
