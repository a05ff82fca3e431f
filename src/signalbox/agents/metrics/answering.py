"""From a request in the server's terms to its answer: figures, a report, or a query as it was written."""

from __future__ import annotations

from datetime import timedelta

from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.listing import list_metrics, list_things, tell_info
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import find_offer
from signalbox.agents.metrics.plan import Moment, Request
from signalbox.agents.metrics.shapes import answer_promql, answer_slots
from signalbox.agents.metrics.state import MetricsQuery, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.sweep import changes_report, health_report
from signalbox.agents.metrics.tree import query_of, syntax_of

__all__ = ["answer_request"]

_DAY = timedelta(days=1)
_RECENT = timedelta(hours=6)


async def answer_request(request: Request, live: Live, moment: Moment) -> tuple[MetricsQuery, MetricsQueryResult]:
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
