"""Executing a grounded question: resolution, queries, and what to say where nothing comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.querying.comparisons import answer_comparison
from signalbox.agents.metrics.querying.expressions import from_numbers_only
from signalbox.agents.metrics.querying.extremes import answer_extreme
from signalbox.agents.metrics.querying.found import Found
from signalbox.agents.metrics.querying.judging import answer_judgement
from signalbox.agents.metrics.querying.kinds import answer_ranking, answer_series, answer_share, answer_value
from signalbox.agents.metrics.querying.scrapes import estimate_scrape
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.result import format_result
from signalbox.agents.metrics.state import MetricsQueryResult, ResultKind
from signalbox.agents.metrics.windows import LOOKED_BACK, Resolution, choose_resolution
from signalbox.toolbox import current_ledger

__all__ = ["execute_question", "fetch"]

_Answering = Callable[[GrafanaMetricsClient, Question, Resolution], Awaitable[Found]]
_ANSWERS: dict[ResultKind, _Answering] = {
    "series": answer_series,
    "value": answer_value,
    "ranking": answer_ranking,
    "comparison": answer_comparison,
    "extreme": answer_extreme,
    "share": answer_share,
}


async def execute_question(question: Question, client: GrafanaMetricsClient) -> MetricsQueryResult:
    """The answer to a grounded question. Raises what the client raises, and InvalidQueryError."""
    return format_result(question, await fetch(question, client))


async def fetch(question: Question, client: GrafanaMetricsClient) -> Found:
    """The figures for a grounded question, or when there last were some. Raises as `execute_question`."""
    scrape = await estimate_scrape(client, question)
    resolution = choose_resolution(question.time_range, scrape)
    found = await _answering(question)(client, question, resolution)
    if found.dropped and "(" in found.promql:
        found = await _from_numbers(client, question, resolution, found)
    if found.is_empty or found.missing:
        found = await _with_last_seen(client, question, found)
        found = await _from_between(client, question, resolution, found) if found.is_empty else found
    return replace(
        found, shown=question.shown, other=replace(found.other, shown=question.shown) if found.other else None
    )


def _answering(question: Question) -> _Answering:
    return answer_judgement if question.judges else _ANSWERS[question.kind]


async def _from_numbers(
    client: GrafanaMetricsClient, question: Question, resolution: Resolution, found: Found
) -> Found:
    """What is found without the samples that are no numbers, where those have spoilt something."""
    against = question.against
    if against and against.measure:
        against = replace(against, measure=from_numbers_only(against.measure))
    plain = replace(question, measure=from_numbers_only(question.measure), against=against)
    if plain == question:
        return found
    better = await _answering(question)(client, plain, resolution)
    return replace(better, dropped=max(found.dropped, better.dropped)) if better.curves else found


async def _from_between(
    client: GrafanaMetricsClient, question: Question, resolution: Resolution, found: Found
) -> Found:
    """What is found where each moment looks back to the one before: all samples may lie between two of them."""
    span, reach = question.time_range, max(resolution.step, resolution.grain)
    is_there = found.last_seen is not None and span.start_time <= found.last_seen <= span.end_time
    if not is_there or found.dropped or reach <= max(resolution.reach, LOOKED_BACK):
        return found
    between = await _answering(question)(client, question, replace(resolution, reach=reach))
    return found if between.is_empty else between


async def _with_last_seen(client: GrafanaMetricsClient, question: Question, found: Found) -> Found:
    asked = question.compared() if found.missing == "b" else question
    metric = next(iter(asked.measure.metrics), asked.measure.name)
    selector = selector_text(metric, asked.matchers)
    with current_ledger().call("last_seen", {"selector": selector}) as call:
        seen = await client.last_seen(selector, question.now)
        call.returned(f"last sample {seen.isoformat(timespec='seconds')}" if seen else "no sample in 90 days")
    return replace(found, last_seen=seen)
