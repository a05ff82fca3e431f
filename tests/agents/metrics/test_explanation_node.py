"""What stands around an answer, and its explanation in words that hold."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from signalbox.agents.metrics import (
    GrafanaMetricsClient,
    MetricSeries,
    MetricsQuery,
    MetricsQueryResult,
    QueryError,
    TimeRange,
)
from signalbox.agents.metrics.clients import use_client
from signalbox.agents.metrics.enrichment_node import enrichment_node
from signalbox.agents.metrics.explanation_node import explanation_node, invented_figures
from signalbox.agents.metrics.result import calculate_stats, points_of
from signalbox.maps.context import RunContext, current_run
from signalbox.models import load_chat_model
from signalbox.toolbox import Ledger, use_ledger

DAY = datetime(2026, 3, 10, tzinfo=UTC)
LATENCY = 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{service="checkout"}[5m])))'
SUMMARY = "Latency for service checkout: 508 ms on average."


@pytest.fixture
async def client(shop: str, set_clock: Callable[[str], None]) -> AsyncIterator[GrafanaMetricsClient]:
    set_clock("2026-03-11T09:30:00Z")
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


async def answered(client: GrafanaMetricsClient) -> dict[str, Any]:
    """The state after the agent answered a question for yesterday's latency."""
    span = TimeRange(start_time=DAY, end_time=DAY + timedelta(days=1))
    (curve,) = (await client.query_range(LATENCY, span.start_time, span.end_time, timedelta(minutes=5))).curves
    points = points_of(curve)
    answer = MetricsQueryResult(
        metric_name="http_request_duration_seconds_bucket", unit="seconds", time_range=span, promql=LATENCY,
        datapoints=points, datapoint_count=len(points), is_empty=False, statistics=calculate_stats(curve.values),
        series=[MetricSeries(datapoints=points)], summary=SUMMARY,
    )  # fmt: skip
    query = MetricsQuery(metric_name=answer.metric_name, time_range=span, filters={"service": "checkout"})
    return {"user_query": "q", "parsed_query": query, "result": answer, "error": None, "processing_time_ms": 1.0}


_enriched: dict[str, Any] = {}


async def enriched(client: GrafanaMetricsClient) -> dict[str, Any]:
    """The state with its context, the queries that were sent for it, and the state before; read once, since a sweep
    takes seconds."""
    if not _enriched:
        state, ledger = await answered(client), Ledger()
        before = copy.deepcopy(state)
        with use_ledger(ledger):
            added = await enrichment_node(state)
        sent = [call["args"].get("promql") for call in ledger.as_list() if call["ok"]]
        _enriched.update(state=state, before=before, added=added, sent=sent)
    return copy.deepcopy(_enriched)


@contextmanager
def speaking(model: Any) -> Iterator[None]:
    token = current_run.set(RunContext(Path(), Path(), model=model))
    try:
        yield
    finally:
        current_run.reset(token)


async def explained(state: dict[str, Any], said: str) -> str:
    with speaking(GenericFakeChatModel(messages=iter([AIMessage(said)]))):
        return str((await explanation_node(state))["explanation"])


async def test_the_day_and_the_week_before_stand_beside_the_answer(client: GrafanaMetricsClient) -> None:
    found = await enriched(client)
    state, context = found["state"], found["added"]["context"]
    day, week = context["earlier"]
    assert (day["start"], week["start"]) == ("2026-03-09T00:00:00+00:00", "2026-03-03T00:00:00+00:00")
    mean = state["result"].statistics.mean
    assert day["change"] == pytest.approx((mean - day["value"]) / day["value"])
    assert day["change"] > 0.1
    assert "higher than the day before" in context["text"]


async def test_what_moved_at_the_same_time_is_named_with_its_evidence(client: GrafanaMetricsClient) -> None:
    found = await enriched(client)
    moved = found["added"]["context"]["moved"]
    assert moved
    assert [one["score"] for one in moved] == sorted((one["score"] for one in moved), reverse=True)
    assert {one["promql"] for one in moved} <= set(found["sent"])


async def test_a_server_that_is_gone_costs_the_context_and_no_more(client: GrafanaMetricsClient) -> None:
    state = await answered(client)
    async with GrafanaMetricsClient("http://127.0.0.1:1") as gone:
        with use_client(gone):
            context = (await enrichment_node(state))["context"]
    assert (context["earlier"], context["moved"]) == ([], [])
    assert any("cannot be reached" in line for line in context["missing"])


async def test_the_offline_model_explains_with_the_figures_of_the_data(client: GrafanaMetricsClient) -> None:
    found = await enriched(client)
    state = found["state"] | found["added"]
    with speaking(load_chat_model("offline")):
        told = (await explanation_node(state))["explanation"]
    assert SUMMARY in told
    assert "higher than the day before" in told
    assert "above normal" in told


async def test_a_label_that_looks_like_data_is_not_taken_for_it(client: GrafanaMetricsClient) -> None:
    state = await answered(client)
    said = 'Heat by room: the hall 30 °C, {"a":1} 20 °C.'
    state["result"] = state["result"].model_copy(update={"summary": said})
    with speaking(load_chat_model("offline")):
        told = (await explanation_node(state))["explanation"]
    assert "30 °C" in told
    assert "20 °C" in told


async def test_a_figure_that_the_model_invents_is_not_passed_on(client: GrafanaMetricsClient) -> None:
    state = await answered(client)
    assert await explained(state, "Latency was 508 ms on average.") == "Latency was 508 ms on average."
    for invented in ("It was 509 ms.", "It was 0.508 s.", "It rose by 12%.", "It began at 13:37."):
        told = await explained(state, invented)
        assert invented not in told
        assert told.startswith(SUMMARY)


async def test_where_the_model_fails_the_plain_sentences_remain_and_the_failure_is_told(
    client: GrafanaMetricsClient,
) -> None:
    with speaking(GenericFakeChatModel(messages=iter([AIMessage(""), AIMessage("")]))):
        told = await explanation_node(await answered(client))
    assert told["explanation"].startswith(SUMMARY)
    assert told["model_error"]["error_type"] == "model_empty"


async def test_an_error_passes_and_nothing_that_was_there_changes(client: GrafanaMetricsClient) -> None:
    failed = {"result": None, "error": QueryError(error_type="invalid_query", message="no")}
    assert await enrichment_node(failed) == {}
    assert await explanation_node(failed) == {}
    found = await enriched(client)
    assert set(found["added"]) == {"context"}
    await explained(found["state"], "Fine.")
    assert found["state"] == found["before"]


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("508 ms, 1234 requests", []),
        ("1,234 requests at 14:10", []),
        ("15.2 percent", []),
        ("15 percent", ["15"]),
        ("at 14:11 on 3 days", ["14:11", "3"]),
        ("no figure at all", []),
    ],
)
def test_figures_are_held_against_the_data(text: str, invented: list[str]) -> None:
    assert invented_figures(text, "508 ms, 1,234 requests, 15.2% at 14:10.") == invented
