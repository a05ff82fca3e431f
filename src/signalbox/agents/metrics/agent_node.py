"""`metrics_agent`: the node that answers a question about metrics in plain language.

parse    the request, by a chat model, from what the server offers
validate every metric, label and value against the server
execute  the queries
format   the contract's result
return   the state, with exactly one of result and error

A model that does not fill plans works in the loop instead (`loop_answer.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.clients import current_client, source_of, use_client
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.conversation import named_things, start_state
from signalbox.agents.metrics.dry_run import plan_query
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.listing import list_metrics, list_things, tell_info
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.loop_answer import answer_in_loop
from signalbox.agents.metrics.measures import find_offer
from signalbox.agents.metrics.plan import Moment, Request
from signalbox.agents.metrics.reader import asked_before, begin, check_readable, read, typed_query
from signalbox.agents.metrics.server_time import in_time, in_turn
from signalbox.agents.metrics.shapes import answer_promql, answer_slots
from signalbox.agents.metrics.state import (
    MetricsQuery,
    MetricsQueryResult,
    MetricsQueryState,
    MetricsRunState,
    TimeRange,
)
from signalbox.agents.metrics.step_errors import error_of
from signalbox.agents.metrics.sweep import changes_report, health_report
from signalbox.agents.metrics.tree import query_of, syntax_of
from signalbox.maps.context import current_run
from signalbox.models.capability import fills_plans
from signalbox.models.configuration import Configuration
from signalbox.models.loading import open_door
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["current_client", "metrics_agent", "plan_query", "start_state", "use_client"]

_ADDED = ("asked", "source", "chart", "anomalies", "context", "explanation", "model_error", "told")
_DAY, _RECENT = timedelta(days=1), timedelta(hours=6)
_log = logging.getLogger("signalbox.agents.metrics")


async def metrics_agent(
    state: MetricsQueryState, *, client: GrafanaMetricsClient | None = None, model: BaseChatModel | None = None
) -> MetricsRunState:
    """Answer `user_query`. Nothing is raised and nothing is tried twice: what fails comes back as `error`.

    Without a client or a model, those of the run are used, or those that the environment names. If two measures fit
    equally, a run pauses and asks which is meant.
    """
    steps = _Steps()
    answered: dict[str, Any] = {"parsed_query": None, "result": None, "error": None, **_nothing_of_before(state)}
    try:
        await _answer(state, answered, steps, client, model)
    except Exception as error:
        if type(error).__module__.startswith("langgraph."):
            raise
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
    """The five steps; what is known is put into `answered` at once."""
    with steps.timed("parse"):
        check_readable(state)
    with steps.timed("validate"):
        source = await asyncio.to_thread(current_client) if client is None else client
    moment = Moment(now(), person_zone())
    async with in_turn(), in_time(source) as server_time:
        with steps.timed("validate"), current_ledger().call("get_available_metrics", {"server": source.url}) as call:
            live = await open_live(source, moment.now)
            call.returned(f"{len(live.names)} metrics")
        answered["source"] = source_of(source)
        request = typed_query(state, live)
        if request is None:
            with steps.timed("parse"):
                chosen = open_door(model or _lent_model() or Configuration.from_context().load())
                if fills_plans(chosen):
                    request = await read(state, live, chosen, moment, server_time.paused)
        if request is not None:
            answered["asked"] = asked_before(state, request)
            with steps.timed("execute"):
                query, result = await _answer_request(request, live, moment)
            answered["asked"]["things"] = named_things(request, result)
            with steps.timed("format"):
                confidence = round(request.plan.confidence, 3)
                answered |= {"parsed_query": query.model_copy(update={"confidence": confidence}), "result": result}
    if request is None:
        answered |= await _in_loop(state, live, chosen, steps)
    elif request.explains:
        answered |= await _explained(state, answered)


async def _answer_request(request: Request, live: Live, moment: Moment) -> tuple[MetricsQuery, MetricsQueryResult]:
    """Return the contract's query and the result. Raises what the checker and the server raise."""
    if request.promql:
        return await _as_written(request, live, moment)
    if request.report:
        result = await _report(request, live, moment)
        return MetricsQuery(metric_name=result.metric_name, time_range=result.time_range), result
    first, *others = request.slots
    result = await answer_slots(first, live)
    also = [await answer_slots(one, live) for one in others]
    if also:
        told = [one.summary for one in (result, *also)]
        if first.shape == "state":
            told = [f"{one.metric_name}: {one.summary}" for one in (result, *also)]
        summary = " ".join(told)
        result = result.model_copy(update={"also": also, "summary": summary})
    return first.as_query(), result


async def _as_written(request: Request, live: Live, moment: Moment) -> tuple[MetricsQuery, MetricsQueryResult]:
    query = Query(request.promql, window=request.time_range if not request.is_typed else None)
    if request.plan.kind in ("figure", "ranking", "share", "threshold") and request.time_range is not None:
        query = Query(request.promql, at=request.time_range.end_time)
    result = (await answer_promql(query, live, moment.now)).result
    whose = "It was run exactly as it was typed." if request.is_typed else "The model wrote this query itself."
    own = {"is_models_own": not request.is_typed, "summary": f"{result.summary} {whose}"}
    result = result.model_copy(update=own)
    return query_of(syntax_of(request.promql), result.time_range), result


async def _report(request: Request, live: Live, moment: Moment) -> MetricsQueryResult:
    window = request.time_range or TimeRange(start_time=moment.now - _RECENT, end_time=moment.now)
    offer = find_offer(request.metric, live) if request.metric else None
    if request.report == "health":
        return await health_report(live, moment.now, request.things)
    if request.report == "changes":
        day = TimeRange(start_time=moment.now - _DAY, end_time=moment.now)
        return await changes_report(live, moment.now, request.time_range or day, request.things)
    if request.report == "metrics":
        return await list_metrics(request.offers, live, window)
    if request.report == "info" and offer is not None:
        return await tell_info(offer, request.label, request.things, live, window.end_time)
    if not request.label:
        raise InvalidQueryError("It is not said what is to be listed.", suggestion="Name a label, such as host.")
    return await list_things(offer, request.label, request.things, live, window)


async def _in_loop(state: MetricsQueryState, live: Live, model: BaseChatModel, steps: _Steps) -> dict[str, Any]:
    """The answer of a model that works with the tools; each of its calls takes its own turn at the server."""
    run = current_run.get()
    with steps.timed("validate"):
        begun = await begin(state, live, run.conversation if run else ())
    with steps.timed("execute"), use_client(live.client):
        made = await answer_in_loop(begun, model, seeks_anomalies=dict(state).get("seeks") == "anomalies")
    return {"asked": asked_before(state, None), **made}


async def _explained(state: Mapping[str, Any], answered: Mapping[str, Any]) -> dict[str, Any]:
    """What the maps that explain add: the figures around the answer, and what moved with it."""
    from signalbox.agents.metrics.enrichment_node import enrichment_node
    from signalbox.agents.metrics.explanation_node import explanation_node

    merged = {**state, **answered}
    merged |= await enrichment_node(merged)
    explained = await explanation_node(merged)
    return {"context": merged.get("context"), **explained}


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
