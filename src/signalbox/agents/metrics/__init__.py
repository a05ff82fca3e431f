"""Metrics behind Grafana: questions in plain language, answers with their numbers, their chart and their query."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.agents.metrics.prompts import EXAMPLES
from signalbox.contract import Agent, lazy

if TYPE_CHECKING:
    from signalbox.agents.metrics.agent_node import metrics_agent
    from signalbox.agents.metrics.client import GrafanaMetricsClient
    from signalbox.agents.metrics.clients import current_client, use_client
    from signalbox.agents.metrics.dry_run import plan_query
    from signalbox.agents.metrics.errors import (
        DatasourceNotFoundError,
        GrafanaAnswerError,
        GrafanaBusyError,
        GrafanaRefusedError,
        GrafanaSlowError,
        GrafanaUnavailableError,
        InvalidQueryError,
        InvalidTimeRangeError,
        MetricNotFoundError,
        ParsingError,
        TooLargeError,
        UnsupportedOperationError,
    )
    from signalbox.agents.metrics.grafana_tool import create_grafana_metrics_tool
    from signalbox.agents.metrics.graphs import graph
    from signalbox.agents.metrics.state import (
        AggregationStats,
        Comparison,
        DataPoint,
        MetricSeries,
        MetricsQuery,
        MetricsQueryResult,
        MetricsQueryState,
        MetricsRunState,
        QueryError,
        RankedSeries,
        TimeRange,
    )
    from signalbox.agents.metrics.transport import Limits

_EXTRA = "metrics,service"

AGENT = Agent(
    name="metrics",
    about="Questions about metrics, answered with figures from Grafana or Prometheus, and a chart",
    routes="figures from monitoring over time: usage, latency, traffic, errors, counts, trends",
    examples=EXAMPLES,
    map=Path(__file__).with_name("map.csv"),
    # With the node that it begins: a package that this needs and that is missing is named at once.
    start=lazy(f"{__name__}.agent_node:start_state", _EXTRA),
    present=lazy(f"{__name__}.present:present", _EXTRA),
    plan=lazy(f"{__name__}.dry_run:dry_run", _EXTRA),
    close=lazy(f"{__name__}.clients:close_clients", _EXTRA),
    check=lazy(f"{__name__}.clients:check_server", _EXTRA),
    suggest=lazy(f"{__name__}.listing:suggest", _EXTRA),
    source=lazy(f"{__name__}.clients:source_set", _EXTRA),
    data="figures",
    examine=lazy(f"{__name__}.examine:examine", _EXTRA),
    relate=lazy(f"{__name__}.relations:relate", _EXTRA),
    tools=lazy(f"{__name__}.tools:tools", _EXTRA),
    remembers=("asked",),
    private=("previous",),
)
ANOMALIES = replace(
    AGENT,
    name="metrics-anomalies",
    about="When a metric was unlike itself, how far, and how that was judged",
    examples=("Any anomalies in p95 latency of the checkout service yesterday?", "Unusual CPU usage this week"),
    plan=lazy(f"{__name__}.dry_run:dry_run_anomalies", _EXTRA),
    is_offered=False,
)
EXPLAINED = replace(
    AGENT,
    name="metrics-explained",
    about="Questions about metrics, answered and explained: what is usual, and what moved at the same time",
    is_offered=False,
)

_NAMES = {
    "agent_node": "metrics_agent",
    "client": "GrafanaMetricsClient",
    "clients": "current_client use_client",
    "errors": "DatasourceNotFoundError GrafanaAnswerError GrafanaBusyError GrafanaRefusedError GrafanaSlowError "
    "GrafanaUnavailableError InvalidQueryError InvalidTimeRangeError MetricNotFoundError ParsingError TooLargeError "
    "UnsupportedOperationError",
    "graphs": "graph",
    "dry_run": "plan_query",
    "state": "AggregationStats Comparison DataPoint MetricSeries MetricsQuery MetricsQueryResult MetricsQueryState "
    "MetricsRunState QueryError RankedSeries TimeRange",
    "grafana_tool": "create_grafana_metrics_tool",
    "transport": "Limits",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AGENT",
    "ANOMALIES",
    "EXPLAINED",
    "AggregationStats",
    "Comparison",
    "DataPoint",
    "DatasourceNotFoundError",
    "GrafanaAnswerError",
    "GrafanaBusyError",
    "GrafanaMetricsClient",
    "GrafanaRefusedError",
    "GrafanaSlowError",
    "GrafanaUnavailableError",
    "InvalidQueryError",
    "InvalidTimeRangeError",
    "Limits",
    "MetricNotFoundError",
    "MetricSeries",
    "MetricsQuery",
    "MetricsQueryResult",
    "MetricsQueryState",
    "MetricsRunState",
    "ParsingError",
    "QueryError",
    "RankedSeries",
    "TimeRange",
    "TooLargeError",
    "UnsupportedOperationError",
    "create_grafana_metrics_tool",
    "current_client",
    "graph",
    "metrics_agent",
    "plan_query",
    "use_client",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the list of agents loads no client."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
