"""Metrics behind Grafana: questions in plain language, answers with their numbers, their chart and their query."""

from __future__ import annotations

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient, Health
from signalbox.agents.metrics.clients import current_client, use_client
from signalbox.agents.metrics.connection import Connection, read_connection
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
from signalbox.agents.metrics.graphs import graph
from signalbox.agents.metrics.metrics_agent import metrics_agent
from signalbox.agents.metrics.plan import plan_query
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.querying import execute_question
from signalbox.agents.metrics.sources import Datasource, Server
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
from signalbox.agents.metrics.tools import create_grafana_metrics_tool
from signalbox.agents.metrics.transport import Limits
from signalbox.agents.metrics.units import format_value

__all__ = [
    "AggregationStats",
    "Comparison",
    "Connection",
    "Curve",
    "DataPoint",
    "Datasource",
    "DatasourceNotFoundError",
    "GrafanaAnswerError",
    "GrafanaBusyError",
    "GrafanaMetricsClient",
    "GrafanaRefusedError",
    "GrafanaSlowError",
    "GrafanaUnavailableError",
    "Health",
    "InvalidQueryError",
    "InvalidTimeRangeError",
    "Limits",
    "MetricInfo",
    "MetricNotFoundError",
    "MetricSeries",
    "MetricsQuery",
    "MetricsQueryResult",
    "MetricsQueryState",
    "MetricsRunState",
    "ParsingError",
    "QueryAnswer",
    "QueryError",
    "RankedSeries",
    "Server",
    "TimeRange",
    "TooLargeError",
    "UnsupportedOperationError",
    "create_grafana_metrics_tool",
    "current_client",
    "execute_question",
    "format_value",
    "graph",
    "metrics_agent",
    "plan_query",
    "read_connection",
    "use_client",
]
