"""Puts the cases of a set to an installed agent, on the set's own server, clock and zone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from signalbox.errors import RequestError
from signalbox.evals.judge import Judge, find_judge
from signalbox.evals.load import Case, EvalSet

__all__ = ["open_agent"]


@contextmanager
def open_agent(asked: EvalSet, model: str) -> Iterator[tuple[EvalSet, Callable[[Case], dict[str, Any]]]]:
    """The set with all that its judge expects, and what puts one of its cases to the agent.

    Raises RequestError for an expectation that the server cannot resolve, OperatorError for a server that is not set.
    """
    judge = find_judge(asked.agent)
    with TemporaryDirectory() as home:
        own = {
            "SIGNALBOX_NOW": asked.now.isoformat(),
            "SIGNALBOX_TZ": asked.tz.key,
            "SIGNALBOX_MODEL": model,
            "SIGNALBOX_HOME": home,
        }
        with _environment({**judge.settings(asked.server), **own}):
            resolved = asyncio.run(_resolve(asked, judge))
            hold = getattr(judge, "hold", None)
            if hold is not None:
                yield resolved, lambda case: asyncio.run(hold(case.text, case.alternatives[0]))
            else:
                yield resolved, lambda case: _asked(asked.agent, case, judge)


def _asked(agent: str, case: Case, judge: Judge) -> dict[str, Any]:
    """What one case came to, in surroundings of its own where its judge says so."""
    from signalbox.runs import ask

    wanted = case.alternatives[0]
    # What a judge measures of the reading alone needs no run.
    is_read = getattr(judge, "is_read", lambda wanted: False)
    own = getattr(judge, "case_settings", lambda wanted: {})
    with _environment(own(wanted)):
        return judge.outcome(ask(agent, case.text, dry_run=is_read(wanted)).as_dict())


async def _resolve(asked: EvalSet, judge: Judge) -> EvalSet:
    from signalbox.runs import aclose

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


@contextmanager
def _environment(said: Mapping[str, str | None]) -> Iterator[None]:
    """The environment as it is said here, None for unset, and afterwards as it was."""
    before = {name: os.environ.get(name) for name in said}
    try:
        _set_environment(said)
        yield
    finally:
        _set_environment(before)


def _set_environment(said: Mapping[str, str | None]) -> None:
    for name, value in said.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
