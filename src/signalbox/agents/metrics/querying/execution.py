"""Executing a grounded question: resolution, queries, and what to say where nothing comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.querying.comparisons import answer_comparison
from signalbox.agents.metrics.querying.extremes import answer_extreme
from signalbox.agents.metrics.querying.found import Found
from signalbox.agents.metrics.querying.kinds import answer_ranking, answer_series, answer_share, answer_value
from signalbox.agents.metrics.querying.scrapes import estimate_scrape
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.result import format_result
from signalbox.agents.metrics.state import MetricsQueryResult, ResultKind
from signalbox.agents.metrics.windows import Resolution, choose_resolution
from signalbox.toolbox import current_ledger

__all__ = ["execute_question", "fetch"]

_ANSWERS: dict[ResultKind, Callable[[GrafanaMetricsClient, Question, Resolution], Awaitable[Found]]] = {
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
    found = await _ANSWERS[question.kind](client, question, choose_resolution(question.time_range, scrape))
    return await _with_last_seen(client, question, found) if found.is_empty or found.missing else found


async def _with_last_seen(client: GrafanaMetricsClient, question: Question, found: Found) -> Found:
    asked = question.compared() if found.missing == "b" else question
    metric = next(iter(asked.measure.metrics), asked.measure.name)
    selector = selector_text(metric, asked.matchers)
    with current_ledger().call("last_seen", {"selector": selector}) as call:
        seen = await client.last_seen(selector, question.now)
        call.returned(f"last sample {seen.isoformat(timespec='seconds')}" if seen else "no sample in 90 days")
    return replace(found, last_seen=seen)
