"""What a query does, in words made from its syntax tree, on the metrics of the shop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.tell import tell

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture
async def live(shop: str) -> AsyncIterator[Live]:
    async with GrafanaMetricsClient(shop, clock=lambda: NOW) as client:
        yield await open_live(client, NOW)


@pytest.mark.parametrize(
    ("promql", "title", "unit"),
    [
        ('1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle",instance="web-1:9100"}[5m]))',
         "CPU usage by instance for instance web-1:9100", "ratio"),
        ('sum by (service) (rate(http_requests_total{service="payment",status!="200"}[5m]))',
         "Request rate by service for service payment, status not 200", "requests/s"),
        ("topk(3, sum by (service) (rate(http_requests_total[1h])))", "Request rate by service", "requests/s"),
        ('sum(increase(orders_total{payment_method=~"card|invoice"}[1d]))',
         "Orders in total for payment_method card or invoice", "orders"),
        ("histogram_quantile(0.99, sum by (le, service) (rate(http_request_duration_seconds_bucket[5m])))",
         "P99 latency by service", "seconds"),
        ("max_over_time((avg(node_load1))[1d:30s])", "Highest average load average", ""),
        ('((sum(rate(http_requests_total{status="500"}[5m]))) or (sum(rate(http_requests_total[5m]))) * 0)'
         " / (sum(rate(http_requests_total[5m])))", "Share of status 500 in request rate", "ratio"),
        ("count(up == 0)", "Number with up equal to 0", ""),
        ("sum(up == bool 0)", "Number with up equal to 0", ""),
        ("node_load1 > 2", "Node load1 above 2", ""),
        ("sum(rate(orders_total[5m])) * 60", "Rate of orders", "orders/min"),
        ("sum(rate(http_request_duration_seconds_sum[5m])) / sum(rate(http_request_duration_seconds_count[5m]))",
         "Average http request duration", "seconds"),
        ("node_load1 offset 1d", "Node load1 (1 d earlier)", ""),
        ("sum without (cpu) (node_load1)", "Node load1 by everything but cpu", ""),
    ],
)  # fmt: skip
async def test_the_words_are_those_of_the_tree(live: Live, promql: str, title: str, unit: str) -> None:
    told = tell(promql, live)
    assert (told.title, told.unit) == (title, unit)
