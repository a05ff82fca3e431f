"""The one checker: names that are not there, functions that do not fit, and why a query gave nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.shapes import answer_promql

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture
async def live(shop: str) -> AsyncIterator[Live]:
    async with GrafanaMetricsClient(shop, clock=lambda: NOW) as client:
        yield await open_live(client, NOW)


@pytest.mark.parametrize(
    ("promql", "error", "told"),
    [
        ("sum(rate(http_request_total[5m]))", MetricNotFoundError, "http_requests_total"),
        ('http_requests_total{servcie="payment"}', InvalidQueryError, "service"),
        ("sum by (hots) (http_requests_total)", InvalidQueryError, "no label hots"),
        ("sum(rate(http_requests_total[5m])", InvalidQueryError, "not valid PromQL"),
    ],
)
async def test_a_name_that_is_not_there_is_refused_with_the_nearest(
    live: Live, promql: str, error: type[Exception], told: str
) -> None:
    with pytest.raises(error) as raised:
        await answer_promql(Query(promql), live, NOW)
    assert told in f"{raised.value.user_message} {raised.value.suggestion}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("promql", "told"),
    [
        ('http_requests_total{service="paymnt"}', 'has no value "paymnt"'),
        ("count(up == 7)", "No series meets the condition"),
        ("legacy_batch_duration_seconds", "was last seen at"),
        ("sum(rate(node_load1[5m]))", "node_load1 is a gauge"),
        ("avg(histogram_quantile(0.95, rate(http_request_duration_seconds_bucket[5m])))", "averages quantiles"),
    ],
)
async def test_what_is_doubtful_is_said(live: Live, promql: str, told: str) -> None:
    ran = await answer_promql(Query(promql), live, NOW)
    assert told in ran.hint
    assert told in ran.result.summary


async def test_a_query_is_run_exactly_as_written(live: Live) -> None:
    promql = "sum by (service) (rate(http_requests_total[7m]))"
    ran = await answer_promql(Query(promql), live, NOW)
    direct = await live.client.query(promql, NOW)
    assert ran.result.promql == promql
    assert {one.labels["service"]: one.value for one in ran.result.ranking} == {
        curve.labels["service"]: curve.values[0] for curve in direct.curves
    }
