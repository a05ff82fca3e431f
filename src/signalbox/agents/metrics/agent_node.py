"""`metrics_agent`: the node that answers a question about metrics in plain language.

parse    the words, by a chat model and a grammar of time
validate every metric, label and value against the server
execute  the queries
format   the contract's result
return   the state, with exactly one of result and error
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.clients import current_client, source_of, use_client
from signalbox.agents.metrics.conversation import question_before
from signalbox.agents.metrics.faults import too_slow
from signalbox.agents.metrics.dry_run import plan_query
from signalbox.agents.metrics.querying import Found, fetch
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.reading import Asked, ground_question, parse_question
from signalbox.agents.metrics.recipes import load_recipes
from signalbox.agents.metrics.result import format_result
from signalbox.agents.metrics.state import MetricsQueryState, MetricsRunState
from signalbox.agents.metrics.step_errors import error_of
from signalbox.maps.context import current_run
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["current_client", "metrics_agent", "plan_query", "use_client"]

_ADDED = ("asked", "source", "chart", "anomalies", "context", "explanation")
_log = logging.getLogger("signalbox.agents.metrics")


async def metrics_agent(
    state: MetricsQueryState, *, client: GrafanaMetricsClient | None = None, model: BaseChatModel | None = None
) -> MetricsRunState:
    """Answer `user_query`. Nothing is raised and nothing is tried twice: what fails comes back as `error`.

    Without a client or a model, those of the run are used, else those that the environment names.
    """
    steps = _Steps()
    answered: dict[str, Any] = {"parsed_query": None, "result": None, "error": None, **_nothing_of_before(state)}
    try:
        await _answer(state, answered, steps, client, model)
    except Exception as error:
        answered |= {"result": None, "error": error_of(error, steps.name)}
        _log.info("No answer in step %s: %r, %s", steps.name, answered["error"], answered["error"].details)
    total = steps.total()
    made: Any = {**state, **answered, "processing_time_ms": total, "timings_ms": {**steps.timings, "total": total}}
    return made  # type: ignore[no-any-return]


def _nothing_of_before(state: Mapping[str, Any]) -> dict[str, None]:
    """What a checkpoint kept of the question before, set back: no error stands beside the chart of another answer."""
    return {name: None for name in _ADDED if state.get(name) is not None}


async def _answer(
    state: MetricsQueryState,
    answered: dict[str, Any],
    steps: _Steps,
    client: GrafanaMetricsClient | None,
    model: BaseChatModel | None,
) -> None:
    """The five steps; what is known is put into `answered` as soon as it is."""
    with steps.timed("parse"):
        asked = await parse_question(
            state["user_query"],
            model=model or _lent_model(),
            now=now(),
            zone=person_zone(),
            previous=question_before(state.get("previous")),
        )
        answered["asked"] = asked.model_dump(mode="json")
    with steps.timed("validate"):
        source = await asyncio.to_thread(current_client) if client is None else client
    async with _in_time(source):
        question, found = await _read(asked, source, answered, steps)
    answered["source"] = source_of(source)
    with steps.timed("format"):
        answered["result"] = format_result(question, found)


async def _read(
    asked: Asked, source: GrafanaMetricsClient, answered: dict[str, Any], steps: _Steps
) -> tuple[Question, Found]:
    """The two steps that ask the server."""
    with steps.timed("validate"):
        with current_ledger().call("get_available_metrics", {"server": source.url}) as call:
            question = await ground_question(asked, source, load_recipes())
            call.returned(f"the question is about {', '.join(question.measure.metrics) or question.measure.name}")
        answered["parsed_query"] = question.as_query()
    with steps.timed("execute"):
        return question, await fetch(question, source)


@asynccontextmanager
async def _in_time(source: GrafanaMetricsClient) -> AsyncIterator[None]:
    """A server that answers each request late would otherwise hold a question for minutes."""
    seconds = source.limits.question_seconds
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise too_slow(source.url, seconds) from None


class _Steps:
    """Which step is under way, and how many milliseconds each took."""

    def __init__(self) -> None:
        self.name = "parse"
        self.timings: dict[str, float] = {}
        self._started = perf_counter()

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        self.name, started = name, perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round(self.timings.get(name, 0.0) + _milliseconds(started), 3)

    def total(self) -> float:
        return _milliseconds(self._started)


def _milliseconds(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)


def _lent_model() -> BaseChatModel | None:
    run = current_run.get()
    return run.model if run else None
