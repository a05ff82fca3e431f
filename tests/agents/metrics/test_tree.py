"""What a query says, read from its syntax tree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import promql_parser
import pytest

from signalbox.agents.metrics.catalogue import describe_metrics
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tree import (
    grouping_labels,
    metric_names,
    query_of,
    reach_of,
    required_labels,
    unit_of,
)

NAMES = describe_metrics(
    ["http_requests_total", "x_seconds_bucket", "x_seconds_sum", "x_seconds_count", "up"],
    {"http_requests_total": ("counter", ""), "x_seconds": ("histogram", ""), "up": ("gauge", "")},
)
HOUR = TimeRange(start_time=datetime(2026, 3, 11, 8, tzinfo=UTC), end_time=datetime(2026, 3, 11, 9, tzinfo=UTC))


@pytest.mark.parametrize(
    ("query", "unit"),
    [
        ("node_memory_MemFree_bytes", "bytes"),
        ("rate(node_network_receive_bytes_total[5m]) * 8", "bits/s"),
        ("sum(rate(http_requests_total[5m]))", "requests/s"),
        ("sum(increase(http_requests_total[1d]))", "requests"),
        ("rate(http_requests_total{status='500'}[5m]) / rate(http_requests_total[5m])", "ratio"),
        ("100 * rate(http_requests_total{status='500'}[5m]) / rate(http_requests_total[5m])", "percent"),
        ("(1 - avg(rate(node_cpu_seconds_total{mode='idle'}[5m]))) * 100", "percent"),
        ("1 - avg(rate(node_cpu_seconds_total{mode='idle'}[5m]))", "ratio"),
        ("histogram_quantile(0.9, sum by (le) (rate(x_seconds_bucket[5m])))", "seconds"),
        ("sum(rate(x_seconds_bucket[5m]))", "1/s"),
        ("rate(x_seconds_sum[5m]) / rate(x_seconds_count[5m])", "seconds"),
        ("increase(x_seconds_sum[1h]) / increase(x_seconds_count[1h])", "seconds"),
        ("max_over_time(node_load1[1h])", ""),
        ("count(up == 0) / count(up)", "ratio"),
        ("count(up)", ""),
        ("node_memory_MemFree_bytes / 1048576", ""),
        ("node_memory_MemFree_bytes / rate(http_requests_total[5m])", ""),
        ("node_memory_MemFree_bytes > bool 5", ""),
        ("node_memory_MemFree_bytes > 5", "bytes"),
        ("topk(3, node_memory_MemFree_bytes - node_memory_Cached_bytes)", "bytes"),
        ("node_memory_MemFree_bytes - http_requests_total", ""),
        ("process_start_time_seconds", "timestamp"),
        ("max(time() - process_start_time_seconds)", "seconds"),
        ("node_memory_MemFree_bytes / -deriv(node_memory_MemFree_bytes[7d])", "seconds"),
        ("node_memory_MemFree_bytes / -deriv(node_memory_MemFree_bytes[7d]) / 86400", "days"),
    ],
)
def test_the_unit_is_that_of_what_the_query_gives(query: str, unit: str) -> None:
    assert unit_of(promql_parser.parse(query), NAMES) == unit


def test_the_contracts_query_is_read_from_the_tree() -> None:
    tree = promql_parser.parse('max(rate(a{b="c",d=~"e|f",g!="h",i=""}[5m])) / sum({__name__="z",b="y"})')
    read = query_of(tree, HOUR)
    assert (read.metric_name, read.aggregation, read.filters) == ("a", "max", {"b": "c", "d": "e|f"})
    assert metric_names(tree) == ["a", "z"]
    assert required_labels(tree) == {"a": ["b", "d"], "z": ["b"]}
    assert query_of(promql_parser.parse("1 + 1"), HOUR).metric_name == "query"


def test_labels_that_the_query_makes_itself_are_not_looked_for() -> None:
    assert grouping_labels(promql_parser.parse("sum by (a, b) (x)")) == ["a", "b"]
    assert grouping_labels(promql_parser.parse("sum without (a) (x)")) == []
    assert grouping_labels(promql_parser.parse('sum by (new) (label_replace(x, "new", "$1", "a", "(.*)"))')) == []
    assert grouping_labels(promql_parser.parse('sum by (v) (count_values("v", x))')) == []


@pytest.mark.parametrize(
    ("query", "reach"),
    [
        ("x", timedelta(minutes=5)),
        ("1 + 1", timedelta(minutes=5)),
        ("increase(x[1d])", timedelta(days=1)),
        ("increase(x[1h] offset 1d)", timedelta(days=1, hours=1)),
        ("max_over_time(rate(x[5m])[6h:1m])", timedelta(hours=6, minutes=5)),
        ("x / x offset 1w", timedelta(weeks=1, minutes=5)),
    ],
)
def test_a_query_for_one_moment_looks_back_as_far_as_its_ranges(query: str, reach: timedelta) -> None:
    assert reach_of(promql_parser.parse(query)) == reach
