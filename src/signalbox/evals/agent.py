"""Gives the cases of a set to an installed agent, with the set's own server, clock and zone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from signalbox.errors import RequestError
from signalbox.evals.conversation import hold_conversation, is_conversation
from signalbox.evals.environment import environment, moment_and_model
from signalbox.evals.judge import ConversationJudge, Judge, find_judge
from signalbox.evals.load import Case, EvalSet

__all__ = ["open_agent", "resolve_cases"]


@contextmanager
def open_agent(asked: EvalSet, model: str) -> Iterator[tuple[EvalSet, Callable[[Case], dict[str, Any]]]]:
    """The set with resolved expectations, and a function that gives one case to the agent.

    Raises RequestError for an expectation that the server cannot resolve, OperatorError for a server that is not set.
    """
    judge = find_judge(asked.agent)
    with TemporaryDirectory() as home:
        own = {**moment_and_model(asked, model), "SIGNALBOX_HOME": home}
        with environment({**judge.settings(asked.server), **own}):
            yield asyncio.run(resolve_cases(asked, judge)), lambda case: _outcome(asked.agent, case, judge)


def _outcome(agent: str, case: Case, judge: Judge) -> dict[str, Any]:
    """The outcome of one case, with the settings that its judge requires."""
    from signalbox.runs import ask

    wanted = case.alternatives[0]
    if is_conversation(case) and isinstance(judge, ConversationJudge):
        return hold_conversation(agent, case, judge)
    read = getattr(judge, "read", None)
    if read is not None:
        return dict(asyncio.run(read(case.text)))
    # What a judge measures of the reading alone needs no run.
    is_read = getattr(judge, "is_read", lambda wanted: False)
    own: dict[str, str | None] = getattr(judge, "case_settings", lambda wanted: {})(wanted)
    with environment(own):
        if case.then:
            return judge.outcome(asyncio.run(_last_answer(agent, case)))
        return judge.outcome(ask(agent, case.text, dry_run=is_read(wanted)).as_dict())


async def _last_answer(agent: str, case: Case) -> dict[str, Any]:
    """Send all messages of a case in a new thread."""
    from signalbox.runs import aclose, say_in_thread

    answer: dict[str, Any] = {}
    try:
        for said in (case.text, *case.then):
            answer = (await say_in_thread(agent, said, thread_id=f"line-{case.line}")).as_dict()
    finally:
        await aclose()
    return answer


async def resolve_cases(asked: EvalSet, judge: Judge) -> EvalSet:
    """The set with resolved expectations. Raises RequestError if the server cannot resolve one."""
    from signalbox.runs import aclose, find_agent
    from signalbox.runs.asking import mark_used

    # A judge may ask the agent's server before the agent does: what that opens is closed as well.
    mark_used(find_agent(asked.agent))
    cases = []
    try:
        for case in asked.cases:
            expected = [await judge.expect(one, asked.now, asked.tz) for one in case.alternatives]
            cases.append(replace(case, alternatives=tuple(expected)))
    except ValueError as error:
        raise RequestError(f"{asked.path}:{case.line}: {case.text!r}: {error}") from None
    finally:
        await aclose()
    return replace(asked, cases=tuple(cases))
