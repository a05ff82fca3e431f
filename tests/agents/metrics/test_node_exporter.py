"""The whole agent on a machine that is really there: a Prometheus that scrapes a node exporter."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from signalbox.runs import ask

SCRAPES = """\
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["{place}"]}}]
"""


@pytest.fixture(scope="module")
def address(
    start_prometheus: Callable[..., AbstractContextManager[str]] | None, node_exporter: str | None
) -> Iterator[str | None]:
    """Where a Prometheus answers that has scraped this machine a few times; None where a part is not installed."""
    if start_prometheus is None or node_exporter is None:
        yield None
        return
    with start_prometheus(config=SCRAPES.format(place=node_exporter)) as url:
        wait_for_scrapes(url, 8)
        yield url


def wait_for_scrapes(url: str, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = instant(url, "max(count_over_time(node_load1[5m]))")
        if found and found >= count:
            return
        time.sleep(0.2)
    raise TimeoutError("Prometheus did not scrape the node exporter")


def instant(url: str, promql: str) -> float | None:
    """What Prometheus itself says now."""
    found = httpx.get(f"{url}/api/v1/query", params={"query": promql}).json()["data"]["result"]
    return float(found[0]["value"][1]) if found else None


@pytest.fixture
def answer(
    address: str | None, require_part: Callable[[str, bool], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], dict[str, Any]]:
    """What a test calls to ask the agent."""
    require_part(
        "prometheus or its node exporter is not installed: apt-get install prometheus prometheus-node-exporter",
        address is not None,
    )
    monkeypatch.setenv("PROMETHEUS_URL", address or "")
    return lambda question: ask("metrics", question).as_dict()


@pytest.mark.parametrize(
    ("question", "promql", "unit"),
    [
        ("How much memory does the machine have in total right now?", "node_memory_MemTotal_bytes", "bytes"),
        ("current memory usage", "1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes", "ratio"),
        ("uptime right now", "time() - node_boot_time_seconds", "seconds"),
    ],
)
def test_the_figure_is_what_prometheus_says(
    answer: Callable[[str], dict[str, Any]], address: str, question: str, promql: str, unit: str
) -> None:
    told = answer(question)
    assert told["error"] is None
    result = told["state"]["result"]
    assert result["unit"] == unit
    assert result["value"] == pytest.approx(instant(address, promql), rel=0.05)


def test_cpu_usage_is_a_share_of_what_the_processors_can_do(answer: Callable[[str], dict[str, Any]]) -> None:
    result = answer("CPU usage in the last 5 minutes")["state"]["result"]
    assert "node_cpu_seconds_total" in result["promql"]
    assert result["unit"] == "ratio"
    assert result["datapoints"]
    assert all(0 <= point["value"] <= 1 for point in result["datapoints"])


def test_what_the_machine_does_not_export_is_not_found(answer: Callable[[str], dict[str, Any]]) -> None:
    told = answer("p95 latency of the checkout service")
    assert told["error"]["error_type"] == "metric_not_found"
    assert told["state"]["result"] is None


def test_the_evidence_names_every_query(answer: Callable[[str], dict[str, Any]], address: str) -> None:
    told = answer("node_load1 right now")
    sent = [call for call in told["evidence"] if "promql" in json.dumps(call["args"]) or "query" in call["tool"]]
    assert sent
    assert all(call["ok"] for call in sent)
    assert any("node_load1" in json.dumps(call["args"]) for call in sent)
