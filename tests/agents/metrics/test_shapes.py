"""A grounded slots gets the numbers that a direct query to the same server gives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, InvalidQueryError, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.shapes import answer_slots
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Slots
from signalbox.toolbox import Ledger, use_ledger

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
RATE = Measure(
    "http_requests_total", "request rate", "sum by ($by) (rate(http_requests_total{$match}[$window]))", "counter",
    "requests/s", "sum by ($by) (increase(http_requests_total{$match}[$window]))", "requests",
    metrics=("http_requests_total",),
)  # fmt: skip
ORDERS = Measure("orders_total", "orders", "sum by ($by) (rate(orders_total{$match}[$window]))", "counter")
LOAD = Measure("node_load1", "load", "$agg by ($by) (node_load1{$match})", "gauge", agg="avg", metrics=("node_load1",))
MEMORY = Measure(
    "node_memory_MemAvailable_bytes", "free memory", "node_memory_MemAvailable_bytes{$match}", "gauge", "bytes"
)
P95 = Measure(
    "http_request_duration_seconds_bucket", "latency",
    "histogram_quantile($quantile, sum by (le, $by) (rate(http_request_duration_seconds_bucket{$match}[$window])))",
    "histogram", "seconds",
)  # fmt: skip
ERRORS = Measure(
    "http_requests_total", "error rate",
    'sum by ($by) (rate(http_requests_total{status=~"5..",$match}[$window])) '
    "/ sum by ($by) (rate(http_requests_total{$match}[$window]))",
    "ratio", "ratio",
)  # fmt: skip
CHECKOUT, PAYMENT = Matcher("service", ("checkout",)), Matcher("service", ("payment",))
FAILED = Matcher("status", ("500", "502", "503", "504"))


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop, clock=lambda: NOW) as made:
        yield made


def hours(length: float, ago: float = 0) -> TimeRange:
    end = NOW - timedelta(hours=ago)
    return TimeRange(start_time=end - timedelta(hours=length), end_time=end)


def ask(measure: Measure, kind: Any, length: float = 1, **more: Any) -> Slots:
    return Slots(measure, kind, more.pop("within", hours(length)), NOW, **more)


async def direct(client: GrafanaMetricsClient, promql: str, at: datetime = NOW) -> float:
    (curve,) = (await client.query(promql, at)).curves
    return curve.values[0]


async def answered(slots: Slots, client: GrafanaMetricsClient) -> MetricsQueryResult:
    return await answer_slots(slots, await open_live(client, NOW))


async def test_a_curve_is_what_a_range_query_gives(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "curve"), client)
    promql = "sum(rate(http_requests_total[5m]))"
    answer = await client.query_range(promql, NOW - timedelta(hours=1), NOW, timedelta(seconds=30))
    assert result.promql == promql
    assert [point.value for point in result.datapoints] == answer.curves[0].values
    assert [point.timestamp.timestamp() for point in result.datapoints] == answer.curves[0].stamps
    assert (result.kind, result.unit, result.is_empty) == ("series", "requests/s", False)
    assert result.statistics is not None
    values = sorted(answer.curves[0].values)
    assert result.statistics.count == result.datapoint_count == 121
    assert (result.statistics.min, result.statistics.max) == (values[0], values[-1])
    assert result.statistics.median == values[60]
    assert result.statistics.mean == pytest.approx(sum(values) / 121)
    assert len(result.series) == 1


async def test_several_series_come_by_their_mean_and_the_highest_is_meant(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "curve", by=("service",)), client)
    means = [sum(p.value for p in one.datapoints) / len(one.datapoints) for one in result.series]
    assert len(means) == 5
    assert means == sorted(means, reverse=True)
    assert result.datapoints == result.series[0].datapoints
    assert result.series[0].labels == {"service": "gateway"}
    two = await answered(ask(RATE, "curve", by=("service",), top=2), client)
    assert [one.labels for one in two.series] == [one.labels for one in result.series[:2]]


async def test_a_template_without_groups_gives_its_own_series(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(MEMORY, "curve"), client)
    assert result.promql == "node_memory_MemAvailable_bytes"
    assert len(result.series) == 5
    joined = await answered(ask(MEMORY, "value", is_current=True), client)
    assert joined.value == await direct(client, "sum(node_memory_MemAvailable_bytes)")


async def test_a_filter_and_its_alternatives_reach_the_server(client: GrafanaMetricsClient) -> None:
    both = Matcher("service", ("checkout", "payment"))
    result = await answered(ask(RATE, "value", is_current=True, matchers=(both,)), client)
    assert result.value == await direct(client, 'sum(rate(http_requests_total{service=~"checkout|payment"}[5m]))')
    others = Matcher("service", ("checkout", "payment"), negated=True)
    rest = await answered(ask(RATE, "value", is_current=True, matchers=(others,)), client)
    assert rest.value == await direct(client, 'sum(rate(http_requests_total{service!~"checkout|payment"}[5m]))')


@pytest.mark.parametrize(
    ("slots", "promql", "unit"),
    [
        (ask(RATE, "value", is_current=True), "sum(rate(http_requests_total[5m]))", "requests/s"),
        (ask(LOAD, "value", is_current=True), "avg(node_load1)", ""),
        (ask(LOAD, "value", is_current=True, how="max"), "max(node_load1)", ""),
        (ask(RATE, "value", 24, how="avg"), "sum(rate(http_requests_total[1d]))", "requests/s"),
        (ask(RATE, "value", 24), "sum(rate(http_requests_total[1d]))", "requests/s"),
        (ask(RATE, "value", 24, how="max"),
         "max_over_time((sum(rate(http_requests_total[5m])))[1d:30s])", "requests/s"),
        (ask(RATE, "value", 6, is_total=True), "sum(increase(http_requests_total[6h]))", "requests"),
        (ask(RATE, "value", 6, how="sum"), "sum(increase(http_requests_total[6h]))", "requests"),
        (ask(LOAD, "value", 24), "avg_over_time((avg(node_load1))[1d:30s])", ""),
        (ask(LOAD, "value", 24, how="min"), "min_over_time((avg(node_load1))[1d:30s])", ""),
        (ask(P95, "value", 24, quantile=0.99),
         "histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket[1d])))", "seconds"),
        (ask(ERRORS, "value", 24),
         'sum(rate(http_requests_total{status=~"5.."}[1d])) / sum(rate(http_requests_total[1d]))', "ratio"),
    ],
)  # fmt: skip
async def test_one_figure_is_what_the_query_gives(
    client: GrafanaMetricsClient, slots: Slots, promql: str, unit: str
) -> None:
    result = await answered(slots, client)
    assert result.promql == promql
    assert result.value == await direct(client, promql)
    assert result.unit == unit
    assert result.datapoints
    assert result.statistics is not None


async def test_the_highest_value_of_a_week_passes_no_sample_over(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(LOAD, "value", 7 * 24, how="max"), client)
    answers = [
        await client.query_range("avg(node_load1)", start, start + timedelta(days=1), timedelta(seconds=30))
        for start in (NOW - timedelta(days=day) for day in range(7, 0, -1))
    ]
    assert result.value == max(value for answer in answers for value in answer.curves[0].values)
    assert result.statistics is not None
    assert result.statistics.max == result.value


async def test_figures_by_group_are_all_given_best_first(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(LOAD, "value", 24, by=("instance",)), client)
    answer = await client.query(result.promql, NOW)
    assert result.value is None
    assert [(one.labels, one.value) for one in result.ranking] == sorted(
        ((curve.labels, curve.values[0]) for curve in answer.curves), key=lambda pair: -pair[1]
    )
    assert len(result.series) == len(result.ranking) == 5


async def test_a_curve_with_an_aggregation_has_the_figure_too(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "curve", 24, how="avg"), client)
    assert result.datapoint_count == 289
    assert result.value == await direct(client, "sum(rate(http_requests_total[1d]))")
    assert result.aggregation_applied == "avg"
    plain = await answered(ask(RATE, "curve", 24), client)
    assert plain.value is None


async def test_a_ranking_is_best_first(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(LOAD, "ranking", 24, by=("instance",), top=3), client)
    answer = await client.query("avg by (instance) (avg_over_time(node_load1[1d]))", NOW)
    expected = sorted(((c.values[0], c.labels["instance"]) for c in answer.curves), reverse=True)[:3]
    assert [place.labels["instance"] for place in result.ranking] == [name for _, name in expected]
    assert [place.value for place in result.ranking] == pytest.approx([value for value, _ in expected], rel=0.01)
    assert result.value == result.ranking[0].value
    least = await answered(ask(LOAD, "ranking", 24, by=("instance",), top=1, lowest=True), client)
    assert least.promql.startswith("bottomk(1, ")
    assert least.ranking[0].labels["instance"] == min((c.values[0], c.labels["instance"]) for c in answer.curves)[1]


async def test_a_ranking_without_places_has_every_group(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "ranking", is_total=True, by=("service",)), client)
    assert len(result.ranking) == 5
    assert sum(place.value for place in result.ranking) == pytest.approx(
        await direct(client, "sum(increase(http_requests_total[1h]))")
    )


async def test_a_comparison_with_another_time_is_in_the_order_asked(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "comparison", 24, against=Against(hours(24, ago=24))), client)
    a, b = [await direct(client, "sum(rate(http_requests_total[1d]))", NOW - timedelta(days=day)) for day in (0, 1)]
    assert result.comparison is not None
    assert (result.comparison.a, result.comparison.b) == (a, b)
    assert result.comparison.change == pytest.approx((a - b) / b)
    lines = result.promql.splitlines()
    assert len(lines) == 2
    assert [await direct(client, line, at) for line, at in zip(lines, (NOW, NOW - timedelta(days=1)), strict=True)] == [
        a,
        b,
    ]
    assert len(result.series) == 2
    assert result.series[1].datapoints[-1].timestamp == NOW - timedelta(days=1)


async def test_a_comparison_of_two_parts_and_of_two_measures(client: GrafanaMetricsClient) -> None:
    parts = ask(RATE, "comparison", matchers=(CHECKOUT,), against=Against(matchers=(PAYMENT,)))
    result = await answered(parts, client)
    assert result.comparison is not None
    assert result.comparison.a == await direct(client, 'sum(rate(http_requests_total{service="checkout"}[1h]))')
    assert result.comparison.b == await direct(client, 'sum(rate(http_requests_total{service="payment"}[1h]))')
    assert [one.labels for one in result.series] == [{"service": "checkout"}, {"service": "payment"}]
    measures = await answered(ask(RATE, "comparison", against=Against(measure=ORDERS)), client)
    assert measures.comparison is not None
    assert measures.comparison.b == await direct(client, "sum(rate(orders_total[1h]))")
    assert "orders/s" in measures.summary


async def test_half_a_comparison_says_what_is_missing(client: GrafanaMetricsClient) -> None:
    long_ago = Against(hours(1, ago=24 * 40))
    result = await answered(ask(RATE, "comparison", against=long_ago), client)
    assert result.comparison is None
    assert result.value == await direct(client, "sum(rate(http_requests_total[1h]))")
    assert "no data" in result.summary


@pytest.mark.parametrize("length", [1, 24, pytest.param(24 * 14, marks=pytest.mark.bench)])
@pytest.mark.parametrize("lowest", [False, True])
async def test_an_extreme_is_found_at_its_moment(client: GrafanaMetricsClient, length: float, lowest: bool) -> None:
    result = await answered(ask(P95, "extreme", length, lowest=lowest), client)
    assert result.at is not None
    curve = "histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))"
    assert await direct(client, curve, result.at) == pytest.approx(result.value)
    how, grain = "min" if lowest else "max", "2m" if length > 100 else "30s"
    among = await direct(client, f"{how}_over_time(({curve})[{round(length)}h:{grain}])")
    assert result.value is not None
    assert result.value <= among if lowest else result.value >= among
    assert length > 100 or result.value == among


async def test_an_extreme_at_the_end_of_an_odd_range_is_found(client: GrafanaMetricsClient) -> None:
    peak = (await answered(ask(P95, "extreme", 24), client)).at
    assert peak is not None
    end = peak + timedelta(seconds=70)
    odd = TimeRange(start_time=end - timedelta(hours=24, seconds=137), end_time=end)
    assert (await answered(ask(P95, "extreme", within=odd), client)).at == peak


async def test_an_extreme_among_several_series_names_the_one(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(MEMORY, "extreme", 24), client)
    assert result.value == await direct(client, "max(max_over_time(node_memory_MemAvailable_bytes[1d]))")
    assert result.series[0].labels["instance"] in result.summary
    assert result.datapoints == result.series[0].datapoints


async def test_a_share_is_part_by_whole(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "share", 24, part=(FAILED,)), client)
    part = await direct(client, 'sum(rate(http_requests_total{status=~"5.."}[1d]))')
    assert result.value == pytest.approx(part / await direct(client, "sum(rate(http_requests_total[1d]))"))
    assert (result.unit, result.kind) == ("ratio", "share")
    own = await answered(ask(ERRORS, "share", 24), client)
    assert own.value == pytest.approx(result.value)


async def test_a_part_of_which_there_is_nothing_is_a_share_of_zero(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "share", part=(Matcher("status", ("418",)),)), client)
    assert result.value == 0


async def test_the_shares_of_all_groups_make_a_whole(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(RATE, "share", 24, by=("service",)), client)
    assert len(result.ranking) == 5
    assert sum(place.value for place in result.ranking) == pytest.approx(1)
    assert result.ranking[0].labels == {"service": "gateway"}


async def test_a_range_without_data_says_when_there_last_was_some(client: GrafanaMetricsClient) -> None:
    for kind in ("curve", "value", "ranking", "extreme", "share", "comparison"):
        slots = ask(LOAD, kind, within=hours(1, ago=24 * 30), against=Against(hours(1, ago=24 * 31)))
        result = await answered(slots, client)
        assert (result.is_empty, result.datapoint_count, result.statistics, result.value) == (True, 0, None, None)
        assert "no data" in result.summary
        assert "11 Mar 2026 09:29" in result.summary


async def test_a_metric_that_ended_says_when(client: GrafanaMetricsClient) -> None:
    legacy = Measure(
        "legacy_batch_duration_seconds", "batch duration", "legacy_batch_duration_seconds{$match}", "gauge"
    )
    seen = await client.last_seen("legacy_batch_duration_seconds", NOW)
    assert seen is not None
    result = await answered(ask(legacy, "curve"), client)
    assert result.is_empty
    assert f"{seen:%d %b %Y %H:%M}" in result.summary


async def test_what_is_no_number_is_dropped_counted_and_told(client: GrafanaMetricsClient) -> None:
    odd = Measure("node_load1", "odd", "node_load1{$match} / 0", "gauge")
    result = await answered(ask(odd, "curve"), client)
    assert (result.is_empty, result.dropped) == (True, 5 * 121)
    assert "605 values" in result.summary


async def test_a_query_that_is_no_promql_is_not_sent(client: GrafanaMetricsClient) -> None:
    broken = Measure("node_load1", "broken", "sum by ($by (node_load1", "gauge")
    ledger = Ledger()
    with use_ledger(ledger), pytest.raises(InvalidQueryError):
        await answered(ask(broken, "curve"), client)
    assert {call.tool for call in ledger.calls} == {"query"}
    assert all("count_over_time" in call.args["promql"] for call in ledger.calls)


async def test_every_query_is_in_the_ledger_with_what_came_back(client: GrafanaMetricsClient) -> None:
    ledger = Ledger()
    with use_ledger(ledger):
        result = await answered(ask(RATE, "curve", by=("service",)), client)
    sent = [call for call in ledger.calls if call.args["promql"] == result.promql]
    assert [(call.tool, call.ok, call.summary) for call in sent] == [
        ("query_range", True, "5 series, 605 points in all")
    ]


@pytest.mark.parametrize("kind", ["curve", "value", "ranking", "comparison", "extreme", "share"])
async def test_a_summary_says_the_figures_and_the_range_in_the_persons_zone(
    client: GrafanaMetricsClient, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "America/New_York")
    slots = ask(RATE, kind, against=Against(hours(1, ago=24)), part=(FAILED,) if kind == "share" else ())
    result: MetricsQueryResult = await answered(slots, client)
    assert "Wed 11 Mar 2026 04:30 to 05:30 (EDT)" in result.summary
    assert ("%" if kind == "share" else "req/s") in result.summary
