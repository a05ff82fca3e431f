"""Grafana's own MCP server works against the embedded world."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from signalbox.worlds.metrics import Access, serve

UID = "shop-prometheus"
BINARY = shutil.which("mcp-grafana") or shutil.which("mcp-grafana", path=str(Path(sys.executable).parent))


@pytest.fixture
def needs_mcp_grafana(require_part: Callable[[str, bool], None]) -> None:
    require_part("mcp-grafana is not installed: pip install mcp-grafana", BINARY is not None)
    require_part("the MCP client is not installed: pip install mcp", importlib.util.find_spec("mcp") is not None)


async def call_tools(url: str, token: str, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, Any]]:
    """What each tool answers in one session: whether it failed, and its JSON or text."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    settings = {
        "GRAFANA_URL": url,
        "GRAFANA_SERVICE_ACCOUNT_TOKEN": token,
        "GRAFANA_USAGE_STATS": "disabled",
        "DO_NOT_TRACK": "1",
    }
    server = StdioServerParameters(command=str(BINARY), args=["--log-level", "error"], env=settings)
    answers: list[tuple[bool, Any]] = []
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            answers.append((bool(result.is_error), text if result.is_error else json.loads(text)))
    return answers


@pytest.mark.usefixtures("needs_mcp_grafana")
async def test_grafanas_mcp_server_finds_and_queries_the_shop() -> None:
    source = {"datasourceUid": UID}
    # In words the two ends would be two readings of the clock, and the last step sometimes beyond the range.
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    with serve(access=Access(token="glsa_test")) as url:
        listed, names, values, ranged, instant, percentile, wrong = await call_tools(
            url,
            "glsa_test",
            ("list_datasources", {}),
            ("list_prometheus_metric_names", {**source, "regex": "orders.*"}),
            ("list_prometheus_label_values", {**source, "labelName": "service"}),
            (
                "query_prometheus",
                {**source, "expr": "sum by (service) (rate(http_requests_total[5m]))", "queryType": "range",
                 "startTime": (end - timedelta(hours=1)).isoformat(), "endTime": end.isoformat(), "stepSeconds": 600},
            ),
            ("query_prometheus", {**source, "expr": 'up{job="node"}', "queryType": "instant", "endTime": "now"}),
            ("query_prometheus_histogram", {**source, "metric": "http_request_duration_seconds", "percentile": 95}),
            ("query_prometheus", {**source, "expr": "up{", "queryType": "instant", "endTime": "now"}),
        )  # fmt: skip
    assert [one["uid"] for one in listed[1]["datasources"]] == [UID]
    assert names[1] == ["orders_queue_depth", "orders_total"]
    assert values[1] == ["checkout", "gateway", "orders", "payment", "users"]
    assert {row["metric"]["service"]: len(row["values"]) for row in ranged[1]["data"]} == dict.fromkeys(values[1], 7)
    assert [row["value"][1] for row in instant[1]["data"]] == ["1"] * 5
    assert all(0.05 < float(value) < 5 for _, value in percentile[1]["result"][0]["values"])
    assert wrong[0]
    assert "parse error" in wrong[1]


@pytest.mark.usefixtures("needs_mcp_grafana")
async def test_grafanas_mcp_server_is_refused_without_the_token() -> None:
    with serve(access=Access(token="glsa_test")) as url:
        ((failed, text),) = await call_tools(url, "glsa_wrong", ("list_datasources", {}))
    assert failed
    assert "401" in text
