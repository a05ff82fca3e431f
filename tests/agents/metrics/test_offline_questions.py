"""Plain questions, read by the offline model: these hang on the weights."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, metrics_agent

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def frozen(set_clock: Callable[[str], None]) -> None:
    set_clock(NOW.isoformat())


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Show CPU usage for the last hour", "node_cpu_seconds_total"),
        ("p95 latency of the checkout service yesterday", 'service="checkout"'),
        ("Top 5 hosts by memory right now", "topk(5"),
        ("load of web-1 today compared with yesterday", "node_load1"),
        ("did any disk go over 70% this week?", "max_over_time"),
        ("how many orders did we have yesterday?", "increase(orders_total"),
        ("request rate by service in the last 3 hours", "by (service)"),
        ("network in of web-2 in Mbit/s, last hour", 'instance="web-2:9100"'),
    ],
)
async def test_a_plain_question_is_read(client: GrafanaMetricsClient, question: str, part: str) -> None:
    state: Any = {
        "user_query": question,
        "parsed_query": None,
        "result": None,
        "error": None,
        "processing_time_ms": 0.0,
    }
    told = await metrics_agent(state, client=client)
    assert told["error"] is None
    assert part in told["result"].promql
