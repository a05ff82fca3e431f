"""The tools of the room: strict about names, and each result has a text that is complete on its own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from tests.agents.metrics.conftest import OPENED

from signalbox.agents.metrics import AGENT, GrafanaMetricsClient, use_client
from signalbox.agents.metrics.result import read_result
from signalbox.agents.metrics.tools import (
    check_health,
    describe_metric,
    find_changes,
    find_metrics,
    label_values,
    promql,
    query,
)
from signalbox.errors import SignalboxError, ToolArgumentsError
from signalbox.toolbox import Ledger, Tool, use_ledger
from signalbox.worlds.metrics import Store, open_shop, serve
from signalbox.worlds.metrics.labels import Matcher
from signalbox.worlds.metrics.store import Metadata

NOW = "2026-03-11T09:30:00+00:00"
DAY = {"start": "2026-03-10T00:00:00Z", "end": "2026-03-11T00:00:00Z"}


@pytest.fixture(autouse=True)
async def client(shop: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GrafanaMetricsClient]:
    monkeypatch.setenv("SIGNALBOX_NOW", NOW)
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


async def value_of(text: str, client: GrafanaMetricsClient, at: str = NOW) -> float:
    """What the server itself says to a query."""
    from datetime import datetime

    return (await client.query(text, datetime.fromisoformat(at))).curves[0].values[-1]


def named(one: Any) -> str:
    return one.name if isinstance(one, Tool) else str(one)[:60]


# query


SHAPES: list[tuple[dict[str, Any], str, str]] = [
    ({"metric": "node_load1", "filters": {"instance": "web-1:9100"}}, "value", r'node_load1\{instance="web-1:9100"\}'),
    ({"metric": "http_requests_total", "by": ["service"]}, "ranking", r"sum by \(service\) \(rate\(http_requests"),
    ({"metric": "request_rate", "by": ["service"], "shape": "curve"}, "series", r"sum by \(service\) \(rate\("),
    ({"metric": "disk_usage", "shape": "ranking", "top": 3}, "ranking", r"topk\(3, .*mountpoint"),
    ({"metric": "orders_total", "how": "total", **DAY}, "value", r"increase\(orders_total\[1d\]\)"),
    ({"metric": "latency", "quantile": 0.99, **DAY}, "value", r"histogram_quantile\(0\.99, sum by \(le\)"),
    (
        {
            "metric": "request_rate", "shape": "comparison", "start": "2026-03-11T00:00:00Z", "by": ["service"],
            "against": {"start": "2026-03-10T00:00:00Z", "end": "2026-03-10T09:30:00Z"},
        },
        "comparison",
        r"sum by \(service\).*\n.*sum by \(service\)",
    ),
    (
        {
            "metric": "latency", "shape": "comparison", "filters": {"service": "checkout"},
            "against": {"filters": {"service": "payment"}}, **DAY,
        },
        "comparison",
        r'service="checkout".*\n.*service="payment"',
    ),
    (
        {
            "metric": "latency", "shape": "threshold", "by": ["service"], **DAY,
            "bound": {"value": 0.5, "side": "above", "scope": "any"},
        },
        "ranking",
        r"max_over_time\(\(histogram_quantile",
    ),
    ({"metric": "latency", "shape": "extreme", **DAY}, "extreme", r"max_over_time|histogram_quantile"),
    ({"metric": "http_requests_total", "shape": "share", "part": {"status": "500"}, **DAY}, "share", r'status="500"'),
    ({"metric": "interface_oper_status", "shape": "state"}, "report|value", r"interface_oper_status"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "kind", "sent"), SHAPES, ids=named)
async def test_slots_become_the_query_of_their_shape(args: dict[str, Any], kind: str, sent: str) -> None:
    result = await query.call(args)
    told = read_result(result.data)
    assert re.fullmatch(kind, told.kind)
    assert re.search(sent, told.promql, re.DOTALL), told.promql
    assert f"Query: {told.promql}" in result.text
    assert told.summary in result.text
    assert not result.is_empty
    assert result.blocks


async def test_a_figure_is_the_one_that_the_server_gives_for_the_query_shown(client: GrafanaMetricsClient) -> None:
    for args in ({"metric": "orders_total", "how": "total", **DAY}, {"metric": "node_load1", "how": "max", **DAY}):
        told = read_result((await query.call(args)).data)
        assert told.value == pytest.approx(await value_of(told.promql, client, "2026-03-11T00:00:00+00:00"))


async def test_a_moment_in_the_past_is_read_there_and_named() -> None:
    result = await query.call({"metric": "node_load1", "by": ["instance"], "time": "2026-03-10T14:00:00"})
    assert "At: Tue 10 Mar 2026 14:00" in result.text
    there = await promql.call({"query": "avg by (instance) (node_load1)", "time": "2026-03-10T13:00:00Z"})
    assert {one.value for one in read_result(result.data).ranking} == {
        one.value for one in read_result(there.data).ranking
    }


async def test_a_range_that_has_not_ended_ends_now() -> None:
    result = await query.call({"metric": "node_load1", "start": "2026-03-11T00:00:00Z", "end": "2026-03-12T00:00:00Z"})
    assert read_result(result.data).time_range.end_time == OPENED


WRONG: list[tuple[Tool, dict[str, Any], str]] = [
    (query, {"metric": "node_laod1"}, "no metric .* 'node_load1'"),
    (query, {"metric": "florbulator_rate"}, "no metric"),
    (query, {"metric": "node_load1", "by": ["instanc"]}, "no label .* 'instance'"),
    (query, {"metric": "node_load1", "filters": {"hots": "x"}}, "no label hots.*There is: instance"),
    (query, {"metric": "node_load1", "filters": {"instance": "web-9:9100"}}, "no value .* 'web-1:9100'"),
    (query, {"metric": "node_load1", "exclude": {"instance": "web-9:9100"}}, "no value .* 'web-1:9100'"),
    (query, {"metric": "node_load1", "shape": "threshold"}, "needs bound"),
    (query, {"metric": "node_load1", "shape": "comparison"}, "needs against"),
    (query, {"metric": "orders_total", "shape": "share"}, "needs part or by"),
    (query, {"metric": "node_load1", "shape": "extreme"}, "needs a range .* a start"),
    (query, {"metric": "orders_total", "how": "total"}, "needs a range .* a start"),
    (query, {"metric": "node_load1", "start": "2026-03-10T00:00:00Z", "time": NOW}, "Both a moment and a range"),
    (query, {"metric": "node_load1", "start": "2026-03-12T00:00:00Z"}, "in the future"),
    (
        query,
        {"metric": "disk_usage", "shape": "threshold", "bound": {"value": 90, "side": "above"}},
        "ratio from 0 to 1.*For 90% give 0.9",
    ),
    (
        query,
        {"metric": "latency", "shape": "threshold", "bound": {"value": 12, "unit": "celsius", "side": "above"}},
        "latency is in seconds, not in celsius",
    ),
    (query, {"metric": "latency", "quantile": 0.9, "how": "avg", **DAY}, "never averaged"),
    (query, {"metric": "node_load1", "quantile": 0.9}, "Give start"),
    (query, {"metric": "node_load1", "part": {"instance": "web-1:9100"}}, "value takes no part. part goes with share"),
    (query, {"metric": "node_load1", "bound": {"value": 1, "side": "above"}}, "takes no bound.*threshold"),
    (promql, {"query": "node_laod1"}, "no metric .* 'node_load1'"),
    (promql, {"query": "sum by (instanc) (node_load1)"}, "no label instanc.*instance"),
    (promql, {"query": 'rate(node_load1{hots="x"}[5m])'}, "no label hots"),
    (promql, {"query": "node_load1 and"}, "not valid PromQL"),
    (promql, {"query": "up", "time": "2027-01-01T00:00:00Z"}, "in the future"),
    (promql, {"query": "up", "start": "2026-03-10T00:00:00Z", "end": "2026-03-09T00:00:00Z"}, "ends"),
    (promql, {"query": "up", "start": "2025-01-01T00:00:00Z"}, "90 days"),
    (promql, {"query": "up", "start": "2026-03-01T00:00:00Z", "step": "1s"}, "10,000"),
    (promql, {"query": "up", "start": "2026-03-01T00:00:00Z", "step": "soon"}, "no step"),
    (promql, {"query": "up", "end": "2026-03-01T00:00:00Z"}, "needs a start"),
    (describe_metric, {"metric": "node_laod1"}, "'node_load1'"),
    (label_values, {"metric": "node_laod1", "label": "instance"}, "'node_load1'"),
    (label_values, {"metric": "node_load1", "label": "instanc"}, "'instance'"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "args", "told"), WRONG, ids=named)
async def test_what_is_not_there_is_an_error_with_what_there_is(tool: Tool, args: dict[str, Any], told: str) -> None:
    with pytest.raises(SignalboxError) as caught:
        await tool.call(args)
    words = f"{caught.value.user_message} {caught.value.suggestion}"
    assert re.search(told, words), words


@pytest.mark.parametrize(
    "args",
    [
        {"metric": "up", "shape": "dance"},
        {"metric": "up", "colour": "red"},
        {"metric": "up", "start": "soon"},
        {"metric": "up", "bound": {"value": 1, "side": "over"}},
        {},
    ],
)
async def test_arguments_of_the_wrong_form_are_named(args: dict[str, Any]) -> None:
    with pytest.raises(ToolArgumentsError, match="query"):
        await query.call(args)


# promql


async def test_a_query_is_run_and_told_exactly_as_written(client: GrafanaMetricsClient) -> None:
    text = "max_over_time(\n  sum(rate(http_requests_total[2m]))[6h:30s])  "
    with use_ledger(Ledger()) as ledger:
        result = await promql.call({"query": text})
    told = read_result(result.data)
    assert told.value == await value_of(text, client)
    assert told.promql == text
    assert f"(exactly {told.value:.6g})" in result.text
    assert next(call.args["query"] for call in ledger.calls if call.tool == "promql") == text
    assert "Range:" not in result.text


async def test_a_curve_is_told_with_its_figures_their_times_and_what_was_read(shop: str) -> None:
    text = "sum(rate(http_requests_total[5m]))"
    result = await promql.call({"query": text, "start": "2026-03-10T12:00:00Z", "end": "2026-03-10T18:00Z"})
    assert "mean " in result.text
    assert " req/s at Tue 10 Mar 2026 " in result.text
    assert f"Query: {text}\nRange: Tue 10 Mar 2026 13:00 to 19:00 (CET)\nServer: grafana at {shop}" in result.text
    assert [block["type"] for block in result.blocks] == ["series", "table"]
    where = {"kind": "live", "system": "grafana", "address": shop, "datasource": "shop-prometheus"}
    assert result.source == where
    told = read_result(result.data)
    assert (told.unit, told.datapoint_count, told.time_range.start_time.hour) == ("requests/s", 361, 12)


async def test_few_points_are_all_told_and_the_step_is_the_one_asked_for() -> None:
    asked = {"query": "sum(increase(orders_total[1d]))", "start": "2026-03-06", "end": "2026-03-08", "step": "1d"}
    result = await promql.call(asked)
    assert result.text.count(" at ") >= 3
    assert len(read_result(result.data).datapoints) == 3


async def test_every_series_is_listed_with_its_labels() -> None:
    result = await promql.call({"query": '{__name__=~"node_filesystem_(avail|size)_bytes", instance="db-1:9100"}'})
    assert '__name__="node_filesystem_avail_bytes"' in result.text
    assert '__name__="node_filesystem_size_bytes"' in result.text
    assert 'instance="db-1:9100"' in result.text


# empty results


EMPTY: list[tuple[Tool, dict[str, Any], str]] = [
    (promql, {"query": 'node_load1{instance="web-9:9100"}'}, "no value \"web-9:9100\". Did you mean 'web-1:9100'"),
    (promql, {"query": "node_load1", "time": "2026-01-05T00:00:00Z"}, "last seen at Wed 11 Mar 2026 10:29"),
    (promql, {"query": "node_load1 > 1e9"}, r"No series meets the condition: \d+ series have the values "),
    (promql, {"query": "node_load1 > 1e9", "start": "2026-03-10T10:00Z", "end": "2026-03-10T11:00Z"}, "No series"),
    (promql, {"query": "rate(node_cpu_seconds_total[5m]) > 9"}, "No series meets the condition of the query"),
    (promql, {"query": "count(interface_oper_status == 7)"}, r"\d+ series have the values .*1"),
    (query, {"metric": "node_load1", "time": "2026-01-05T00:00:00Z"}, "There last was some at Wed 11 Mar 2026 10:29"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "args", "told"), EMPTY, ids=named)
async def test_an_empty_result_says_what_there_is_instead(tool: Tool, args: dict[str, Any], told: str) -> None:
    result = await tool.call(args)
    assert result.is_empty
    assert re.search(told, result.text), result.text


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ('sum(rate(http_requests_total{service="chekout"}[5m])) or vector(0)', "service of http_requests_total has no"),
        ('node_load1{instance=~"web-1:9100|web-9:9100"}', 'no value "web-9:9100". Did you mean'),
        ('node_load1{instance!="web-9:9100"}', 'no value "web-9:9100". Did you mean'),
    ],
)
async def test_figures_that_only_look_like_those_of_something_absent_say_so(text: str, unknown: str) -> None:
    result = await promql.call({"query": text})
    assert not result.is_empty
    assert unknown in result.text
    assert unknown in result.data["result"]["summary"]


async def test_a_value_that_is_there_or_a_pattern_is_not_remarked_on() -> None:
    for text in ('node_load1{instance=~"web-.*"}', 'node_load1{instance="web-1:9100",job!~"tmpfs|node2"}'):
        assert "has no value" not in (await promql.call({"query": text})).text


# find_metrics, describe_metric, label_values


async def test_metrics_are_found_by_words_by_a_part_of_a_name_and_misspelt() -> None:
    for words, name in (("evicted keys", "redis_evicted_keys_total"), ("node_lod1", "node_load1")):
        found = await find_metrics.call({"words": words})
        assert name in [*found.data][:2]
        assert re.search(rf"\n- {name} \(\w+.*\): .*Labels: .*instance \(", found.text)
    assert "redis_keyspace_hits_total" in (await find_metrics.call({"words": "keyspace_hi"})).data


async def test_a_metric_is_described_with_what_a_query_needs() -> None:
    latency = await describe_metric.call({"metric": "http_request_duration_seconds"})
    assert "(histogram, seconds): How long HTTP requests took. Labels: " in latency.text
    assert "service (checkout, gateway, orders, payment, users)" in latency.text
    assert "Last seen: Wed 11 Mar 2026 10:2" in latency.text
    usage = await describe_metric.call({"metric": "disk_usage"})
    assert "(ratio, computed from node_filesystem_avail_bytes, node_filesystem_size_bytes)" in usage.text
    assert re.search(r"Computed as: .*1 - node_filesystem_avail_bytes / node_filesystem_size_bytes", usage.text)


async def test_all_values_of_a_label_are_listed_or_those_with_a_text() -> None:
    routes = await label_values.call({"metric": "http_requests_total", "label": "route"})
    assert len(routes.data) == 10
    some = await label_values.call({"metric": "request_rate", "label": "service", "contains": "pay"})
    assert some.data == ["payment"]
    none = await label_values.call({"metric": "request_rate", "label": "service", "contains": "zzz"})
    assert none.is_empty


@pytest.fixture
async def pizzeria() -> AsyncIterator[None]:
    """A server that does not tell the types of its metrics."""
    shop = open_shop(OPENED, clock=lambda: OPENED)
    orders, loads = (shop.select([Matcher("__name__", "=", one)]) for one in ("orders_total", "node_load1"))
    series = [replace(one, labels=(("__name__", "pizzas_sold"), ("oven", str(at)))) for at, one in enumerate(orders)]
    for quantile, one in zip(("0.5", "0.99"), loads, strict=False):
        series.append(replace(one, labels=(("__name__", "baking_seconds"), ("quantile", quantile))))
    series.append(replace(loads[2], labels=(("__name__", "till_info"), ("till", "a"), ("version", "1.4.2"))))
    told = {name: Metadata("unknown", "") for name in ("pizzas_sold", "baking_seconds", "till_info")}
    with serve(Store(series, told, OPENED, lambda: OPENED)) as url:
        async with GrafanaMetricsClient(url) as other:
            with use_client(other):
                yield


@pytest.mark.usefixtures("pizzeria")
async def test_a_counter_whose_type_and_name_say_nothing_is_told_from_a_gauge() -> None:
    assert "(counter, rate in 1/s)" in (await describe_metric.call({"metric": "pizzas_sold"})).text
    sold = read_result((await query.call({"metric": "pizzas_sold", "how": "total", **DAY})).data)
    assert sold.promql.startswith("sum(increase(pizzas_sold")


@pytest.mark.usefixtures("pizzeria")
async def test_a_quantile_that_was_not_measured_is_refused_and_none_is_averaged() -> None:
    for asked in ({}, {"quantile": 0.95}):
        with pytest.raises(SignalboxError) as caught:
            await query.call({"metric": "baking_seconds", **asked})
        assert "0.5, 0.99" in f"{caught.value.user_message} {caught.value.suggestion}"


@pytest.mark.usefixtures("pizzeria")
async def test_a_metric_is_found_by_a_label_that_only_it_has() -> None:
    found = await find_metrics.call({"words": "which version is live"})
    assert "till_info" in found.data
    assert "version (1.4.2)" in found.text


async def test_the_sweeps_say_what_is_wrong_now_and_what_changed() -> None:
    now = await check_health.call({})
    assert now.text.startswith("Nothing is wrong. Looked at: CPU usage")
    changed = await find_changes.call({"start": "2026-03-10T13:00:00Z", "end": "2026-03-10T16:00:00Z"})
    assert "rose to" in changed.text
    assert changed.blocks[0]["type"] == "report"


def test_the_room_offers_its_tools_and_all_of_them_only_read() -> None:
    assert AGENT.tools is not None
    offered = AGENT.tools()
    assert [one.name for one in offered] == [
        "query", "promql", "find_metrics", "describe_metric", "label_values", "find_changes", "check_health",
    ]  # fmt: skip
    assert {one.effect for one in offered} == {"read"}
