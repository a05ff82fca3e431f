"""What the embedded store refuses, it refuses with a reason and at once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signalbox.worlds.metrics import PromQLError, Store, open_shop, query_instant, query_range

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def shop() -> Store:
    return open_shop(OPENED, clock=lambda: OPENED)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("limitk(3, up)", "the aggregation limitk is not supported"),
        ("mad_over_time(node_load1[5m])", "mad_over_time"),
        ('up{job="node" or job="redis"}', '"or" between matchers is not supported'),
        (r'up{job=~"\\pL+"}', "this regular expression"),
        ("up @ 9e15", "out of bounds"),
        ("(" * 10_000 + "up" + ")" * 10_000, "more than 150 operators"),
        ("-" * 20_000 + "up", "more than 150 operators"),
    ],
)
def test_what_is_outside_is_refused_with_a_reason(shop: Store, query: str, reason: str) -> None:
    with pytest.raises(PromQLError) as refused:
        query_instant(shop, query, shop.ends)
    assert reason in refused.value.user_message
    assert refused.value.kind == "bad_data"


@pytest.mark.parametrize(
    "query",
    [
        "sum_over_time(up[14d:1ms])",
        "sum(sum_over_time(node_cpu_seconds_total[14d]))",
        'max_over_time({__name__=~".+"}[14d:2s])',
    ],
)
def test_a_query_without_bounds_is_refused_while_it_runs(shop: Store, query: str) -> None:
    with pytest.raises(PromQLError) as refused:
        query_range(shop, query, shop.ends - 10_000_000, shop.ends, 1000)
    assert refused.value.kind == "execution"


def test_as_many_operators_as_allowed_are_evaluated(shop: Store) -> None:
    query = "max_over_time(" * 50 + "up" + "[5m:1m])" * 50
    assert len(query_instant(shop, query, shop.ends).curves) == 29


def test_ten_thousand_points_of_thirty_series_are_all_there(shop: Store) -> None:
    query = 'rate(node_cpu_seconds_total{instance=~"web-.*"}[5m])'
    result = query_range(shop, query, shop.ends - 9_999 * 30_000, shop.ends, 30_000)
    assert len(result.curves) == 36
    assert min(len(curve.values) for curve in result.curves) > 9_990
