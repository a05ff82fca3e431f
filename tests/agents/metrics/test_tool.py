"""The tool of the contract: a metric's raw series for any agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.tools import ToolException

from signalbox.agents.metrics import GrafanaMetricsClient, TimeRange, create_grafana_metrics_tool, use_client

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
HOUR = TimeRange(start_time=NOW - timedelta(hours=1), end_time=NOW)


@pytest.fixture
async def client(shop: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GrafanaMetricsClient]:
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())
    async with GrafanaMetricsClient(shop) as made:
        yield made


def asked(metric: str, **more: Any) -> dict[str, Any]:
    return {"metric_name": metric, "time_range": HOUR, "aggregation": None, "filters": None, **more}


async def test_a_gauge_comes_as_it_is(client: GrafanaMetricsClient) -> None:
    raw = await create_grafana_metrics_tool(client).ainvoke(asked("node_load1"))
    answer = await client.query_range("node_load1", HOUR.start_time, HOUR.end_time, timedelta(seconds=30))
    found = {one["labels"]["instance"]: one["values"] for one in raw["series"]}
    assert len(found) == len(answer.curves) == 5
    for curve in answer.curves:
        assert found[curve.labels["instance"]] == [list(p) for p in zip(curve.stamps, curve.values, strict=True)]
    assert (raw["metric_name"], raw["is_empty"], raw["dropped"]) == ("node_load1", False, 0)


@pytest.mark.parametrize(
    ("more", "promql"),
    [
        (asked("http_requests_total"), "(rate(http_requests_total[5m]))"),
        (asked("http_requests_total", aggregation="sum"), "sum(rate(http_requests_total[5m]))"),
        (asked("http_requests_total", aggregation="max", filters={"service": "payment", "status": 200}),
         'max(rate(http_requests_total{service="payment",status="200"}[5m]))'),
        (asked("node_load1", aggregation="avg", filters={"instance": "web-1:9100|web-2:9100"}),
         'avg(node_load1{instance=~"web-1:9100|web-2:9100"})'),
        (asked("http_request_duration_seconds_bucket", aggregation="avg"),
         "histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))"),
    ],
)  # fmt: skip
async def test_type_aggregation_and_filters_decide_the_query(
    client: GrafanaMetricsClient, more: dict[str, Any], promql: str
) -> None:
    raw = await create_grafana_metrics_tool(client).ainvoke(more)
    assert raw["promql"] == promql
    assert raw["series"]


async def test_the_range_may_come_as_a_model_writes_it(client: GrafanaMetricsClient) -> None:
    span = {"start_time": "2026-03-11T08:30:00Z", "end_time": "2026-03-11T09:30:00+00:00"}
    raw = await create_grafana_metrics_tool(client).ainvoke({"metric_name": "node_load1", "time_range": span})
    assert len(raw["series"][0]["values"]) == 121


async def test_no_data_is_marked_as_empty(client: GrafanaMetricsClient) -> None:
    old = TimeRange(start_time=NOW - timedelta(days=41), end_time=NOW - timedelta(days=40))
    raw = await create_grafana_metrics_tool(client).ainvoke(asked("node_load1", time_range=old))
    assert (raw["is_empty"], raw["series"]) == (True, [])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (asked("node_laod1"), "node_load1"),
        (asked("node_load1", time_range={"start_time": NOW, "end_time": HOUR.start_time}), "ends after it starts"),
        (asked("node_load1", time_range={"start_time": NOW - timedelta(days=200), "end_time": NOW}), "90 days"),
        (asked("node_load1", filters={"colour": "red"}), "no label colour.* instance, job"),
        (asked("node_load1", filters={"instance": "web-9:9100"}), 'no value "web-9:9100".* web-1:9100'),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_told_in_words(client: GrafanaMetricsClient, more: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolException, match=words):
        await create_grafana_metrics_tool(client).ainvoke(more)


def test_it_works_without_an_event_loop_and_with_the_client_that_is_lent(
    shop: str, set_clock: Callable[[str], None]
) -> None:
    set_clock(NOW.isoformat())
    with use_client(GrafanaMetricsClient(shop)):
        raw = create_grafana_metrics_tool().invoke(asked("node_load1"))
    assert len(raw["series"]) == 5


def test_its_schema_names_what_the_contract_names() -> None:
    tool = create_grafana_metrics_tool()
    assert tool.name == "grafana_metrics"
    assert list(tool.args) == ["metric_name", "time_range", "aggregation", "filters"]
