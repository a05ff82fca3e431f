"""The node of the contract: five steps, exactly one of result and error, and nothing raised."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from signalbox.agents.metrics import (
    AGENT,
    GrafanaMetricsClient,
    MetricsQuery,
    MetricsQueryResult,
    MetricsQueryState,
    QueryError,
    current_client,
    graph,
    metrics_agent,
    plan_query,
    use_client,
)
from signalbox.agents.metrics import metrics_agent as node
from signalbox.errors import MapError
from signalbox.maps import arun_map, check_map, run_map
from signalbox.toolbox import Ledger, use_ledger

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


def start(query: Any, **more: Any) -> Any:
    return {"user_query": query, "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0, **more}


def assert_sound(state: Any) -> None:
    """The invariants of the contract."""
    if state["error"] is None:
        assert isinstance(state["parsed_query"], MetricsQuery)
        assert isinstance(state["result"], MetricsQueryResult)
    else:
        assert isinstance(state["error"], QueryError)
        assert state["result"] is None
    assert state["processing_time_ms"] > 0
    assert state["timings_ms"]["total"] == state["processing_time_ms"]


@pytest.mark.parametrize(
    ("query", "metric", "kind"),
    [
        ("Show CPU usage for the last hour", "node_cpu_seconds_total", "series"),
        ("average load of web-1 over the last 6 hours", "node_load1", "value"),
        ("request rate by service in the last 3 hours", "http_requests_total", "series"),
        ("node_memory_MemAvailable_bytes for the last 10 minutes", "node_memory_MemAvailable_bytes", "series"),
    ],
)
async def test_a_question_is_answered(client: GrafanaMetricsClient, query: str, metric: str, kind: str) -> None:
    state = await metrics_agent(start(query))
    assert_sound(state)
    assert state["error"] is None
    assert state["parsed_query"] is not None
    assert state["result"] is not None
    assert state["parsed_query"].metric_name == state["result"].metric_name == metric
    assert state["result"].datapoints
    assert list(state["timings_ms"]) == ["parse", "validate", "execute", "format", "total"]
    assert state["user_query"] == query


@pytest.mark.parametrize(
    ("query", "error_type", "message"),
    [
        ("", "parsing_error", "Could not understand your query"),
        (" \n\t ", "parsing_error", "Could not understand your query"),
        ("?!", "parsing_error", "Could not understand your query"),
        (None, "parsing_error", "Could not understand your query"),
        (17, "parsing_error", "Could not understand your query"),
        ("x" * 100_000, "parsing_error", "The question is longer than 4,000 characters."),
        ("Show anomalies in CPU usage", "unsupported_operation", "Anomaly detection is not supported"),
        ("show frobnicator_wibble_total for the last hour", "metric_not_found", None),
        ("cpu usage tomorrow", "invalid_time_range", None),
        ("cpu usage for the last 400 days", "invalid_time_range", None),
        ('request rate for service="nowhere"', "invalid_query", None),
    ],
)
async def test_what_cannot_be_answered_is_an_error_of_its_type(
    client: GrafanaMetricsClient, query: Any, error_type: str, message: str | None
) -> None:
    state = await metrics_agent(start(query))
    assert_sound(state)
    assert state["error"] is not None
    assert state["error"].error_type == error_type
    assert state["error"].suggestion
    assert message is None or state["error"].message == message
    assert "parse" in state["timings_ms"]


async def test_a_state_without_a_question_is_not_understood(client: GrafanaMetricsClient) -> None:
    empty: Any = {}
    state = await metrics_agent(empty)
    assert state["error"] is not None
    assert state["error"].error_type == "parsing_error"


async def test_no_anomalies_but_the_map_that_finds_them(client: GrafanaMetricsClient) -> None:
    state = await metrics_agent(start("Show anomalies in CPU usage"))
    assert state["error"] is not None
    assert "metrics-anomalies" in state["error"].suggestion


async def test_a_range_without_data_is_a_result_that_says_so(client: GrafanaMetricsClient) -> None:
    state = await metrics_agent(start("node_load1 from 2026-01-05 to 2026-01-06"))
    assert_sound(state)
    assert state["result"] is not None
    assert state["result"].is_empty
    assert "no data" in state["result"].summary


class Broken:
    """Stands in for a step that fails as nobody foresaw."""

    def __init__(self, error: Exception) -> None:
        self.error, self.calls = error, 0

    def __call__(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        raise self.error


@pytest.mark.parametrize(
    ("step", "error_type", "message"),
    [
        ("check_readable", "parsing_error", "Could not understand your query"),
        ("open_live", "invalid_query", "Could not check the question"),
        ("_answer_request", "invalid_query", "Could not run the query"),
    ],
)
async def test_what_nobody_foresaw_is_told_without_its_details_and_not_tried_again(
    client: GrafanaMetricsClient, monkeypatch: pytest.MonkeyPatch, step: str, error_type: str, message: str
) -> None:
    broken = Broken(RuntimeError("password=hunter2hunter2 in the works"))
    monkeypatch.setattr(sys.modules[metrics_agent.__module__], step, broken)
    state = await metrics_agent(start("Show CPU usage for the last hour"))
    assert_sound(state)
    error = state["error"]
    assert error is not None
    assert (error.error_type, error.message, broken.calls) == (error_type, message, 1)
    assert "works" in str(error.details)
    assert "hunter2" not in str(error.details)
    assert "works" not in f"{error!r} {error.message} {error.suggestion}"
    assert error.suggestion == "Contact administrator" or step == "check_readable"


async def test_a_model_that_cannot_be_used_is_named_as_the_reason(
    client: GrafanaMetricsClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-x")
    state = await metrics_agent(start("Show CPU usage for the last hour"))
    assert state["error"] is not None
    assert (state["error"].error_type, state["error"].message) == ("parsing_error", "Could not understand your query")
    assert "OPENAI_API_KEY" in state["error"].suggestion


async def test_without_an_address_the_embedded_world_answers(set_clock: Callable[[str], None]) -> None:
    set_clock("2026-03-11T09:30:00Z")
    state = await metrics_agent(start("p95 latency of the checkout service yesterday"))
    assert_sound(state)
    assert state["result"] is not None
    assert state["result"].statistics is not None
    assert state["result"].statistics.max > 4 * state["result"].statistics.median


async def test_a_question_that_follows_up_takes_over_what_it_leaves_out(client: GrafanaMetricsClient) -> None:
    first = await metrics_agent(start("CPU usage of web-1 for the last 6 hours"))
    second = await metrics_agent(start("and for the last 2 hours?", previous=first["asked"]))
    assert second["error"] is None
    assert first["result"] is not None
    assert second["result"] is not None
    assert second["result"].metric_name == first["result"].metric_name
    span = second["result"].time_range
    assert (span.end_time - span.start_time).total_seconds() == 7200
    odd = await metrics_agent(start("CPU usage", previous={"nothing": "that can be read"}))
    assert odd["error"] is None


async def test_what_stood_in_the_state_before_does_not_stay(client: GrafanaMetricsClient) -> None:
    first = await metrics_agent(start("Show CPU usage for the last hour"))
    second = await metrics_agent(start("Show anomalies in it") | {"result": first["result"]})
    assert_sound(second)
    assert second["parsed_query"] is None


@pytest.mark.parametrize("name", ["metrics", "metrics-anomalies", "metrics-explained"])
@pytest.mark.filterwarnings("ignore:Deserializing unregistered type")
async def test_an_error_in_a_thread_stands_beside_nothing_of_the_answer_before(
    client: GrafanaMetricsClient, name: str
) -> None:
    answers, thread = graph(name, checkpointer=InMemorySaver()), {"configurable": {"thread_id": "one"}}
    added = {"chart", "anomalies", "context", "explanation"}
    first = await answers.ainvoke(start("Show CPU usage yesterday"), thread)
    second = await answers.ainvoke(start("alert me when CPU usage is high"), thread)
    assert any(first.get(one) for one in added)
    assert second["error"] is not None
    assert not any(second.get(one) for one in added)


async def test_every_query_is_evidence(client: GrafanaMetricsClient) -> None:
    ledger = Ledger()
    with use_ledger(ledger):
        state = await metrics_agent(start("request rate for the last hour"))
    assert state["result"] is not None
    assert state["result"].promql in [call.args.get("promql") for call in ledger.calls]
    assert all(call.ok for call in ledger.calls)


@pytest.mark.bench
async def test_many_questions_at_once_are_all_answered(client: GrafanaMetricsClient) -> None:
    queries = ["CPU usage last hour", "request rate last hour", "Show anomalies", "load of web-1 last hour"] * 3
    states = await asyncio.gather(*(metrics_agent(start(query)) for query in queries))
    for query, state in zip(queries, states, strict=True):
        assert_sound(state)
        assert state["user_query"] == query
        assert (state["error"] is not None) == (query == "Show anomalies")


async def test_it_is_a_node_of_any_graph_over_the_state_of_the_contract(client: GrafanaMetricsClient) -> None:
    builder = StateGraph(MetricsQueryState)
    builder.add_node("metrics_agent", metrics_agent)
    builder.add_edge(START, "metrics_agent")
    state = await builder.compile().ainvoke(start("Show CPU usage for the last hour"))
    assert list(state) == ["user_query", "parsed_query", "result", "error", "processing_time_ms"]
    assert state["result"].datapoints


async def test_the_client_of_the_process_is_made_once(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_URL", shop)
    assert current_client() is current_client()
    state = await metrics_agent(start("Show CPU usage for the last hour"))
    assert state["error"] is None
    await current_client().aclose()


def test_the_maps_are_sound() -> None:
    _, findings = check_map(AGENT.map)
    assert [str(finding) for finding in findings] == []


@pytest.mark.parametrize("name", ["metrics", "metrics-anomalies", "metrics-explained"])
async def test_each_map_answers_and_passes_an_error_quietly(client: GrafanaMetricsClient, name: str) -> None:
    good = await graph(name).ainvoke(start("Show CPU usage for the last hour"))
    assert_sound(good)
    assert good["error"] is None
    added = {"metrics": "chart", "metrics-anomalies": "anomalies", "metrics-explained": "explanation"}[name]
    assert good[added]
    bad = await graph(name).ainvoke(start(" "))
    assert_sound(bad)
    assert bad["error"].error_type == "parsing_error"
    assert not bad.get(added)


async def test_the_map_for_anomalies_answers_to_anomalies(client: GrafanaMetricsClient) -> None:
    state = await graph("metrics-anomalies").ainvoke(start("Show anomalies in CPU usage"))
    assert state["error"] is None
    assert state["result"].metric_name == "node_cpu_seconds_total"


def test_a_map_of_another_name_is_refused() -> None:
    with pytest.raises(MapError, match="metrics-nothing"):
        graph("metrics-nothing")


async def test_the_client_that_is_lent_reaches_a_map_in_the_event_loop(client: GrafanaMetricsClient) -> None:
    result = await arun_map(AGENT.map, start("Show CPU usage for the last hour"), graph="metrics")
    assert result.status == "completed"
    assert result.values["error"] is None
    assert result.values["chart"]


def test_the_client_that_is_lent_reaches_a_map_without_an_event_loop(shop: str) -> None:
    with use_client(GrafanaMetricsClient(shop)):
        for _ in range(2):
            result = run_map(AGENT.map, start("Show CPU usage for the last hour"), graph="metrics")
            assert (result.status, result.values["error"]) == ("completed", None)
        state = graph().invoke(start("Show CPU usage for the last hour"))
    assert state["error"] is None


async def test_a_plan_shows_the_query_and_touches_no_server() -> None:
    plan = await plan_query("Show CPU usage for the last hour")
    assert plan["recipe"] == "cpu usage"
    first = plan["queries"][0]
    assert first["metrics"] == ["node_cpu_seconds_total"]
    assert first["promql"] == ['1 - avg(rate(node_cpu_seconds_total{mode="idle"}[5m]))']
    assert plan["time_range"]["end_time"].startswith("2026-03-11T09:30:00")
    named = await plan_query("top 3 http_requests_total by service")
    assert named["queries"][0]["promql"][0].startswith("topk(3, sum")
    unknown = await plan_query("frobnication of the wibble")
    assert (unknown["recipe"], unknown["queries"]) == (None, [])


def test_the_package_gives_the_function_and_not_its_module() -> None:
    assert node is metrics_agent
    assert asyncio.iscoroutinefunction(metrics_agent)
