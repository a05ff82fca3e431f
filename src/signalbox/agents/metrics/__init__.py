"""Metrics behind Grafana: the models of the agent's contract, the client of the live system, and their errors."""

from __future__ import annotations

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient, Health
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
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.sources import Datasource, Server
from signalbox.agents.metrics.state import (
    AggregationStats,
    Comparison,
    DataPoint,
    MetricSeries,
    MetricsQuery,
    MetricsQueryResult,
    MetricsQueryState,
    QueryError,
    RankedSeries,
    TimeRange,
)
from signalbox.agents.metrics.transport import Limits

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
    "ParsingError",
    "QueryAnswer",
    "QueryError",
    "RankedSeries",
    "Server",
    "TimeRange",
    "TooLargeError",
    "UnsupportedOperationError",
    "read_connection",
]
