"""The tools of the room: strict, and each with a text that is complete on its own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from signalbox.agents.metrics import AGENT, GrafanaMetricsClient, use_client
from signalbox.agents.metrics.promql_run import read_result
from signalbox.agents.metrics.tools import check_health, find_changes, find_metrics, get_labels, query_metrics
from signalbox.errors import SignalboxError, ToolArgumentsError
from signalbox.toolbox import Ledger, Tool, use_ledger

NOW = "2026-03-11T09:30:00+00:00"


@pytest.fixture(autouse=True)
async def client(shop: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GrafanaMetricsClient]:
    monkeypatch.setenv("SIGNALBOX_NOW", NOW)
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


async def test_a_figure_comes_with_its_digits_and_without_the_query_as_a_name() -> None:
    result = await query_metrics.call({"query": "sum(rate(http_requests_total[5m]))"})
    told = result.text.splitlines()[0]
    assert re.fullmatch(r"[\d.]+ \w+/s \(exactly \d+\.\d+\)", told)
    assert result.data["result"]["summary"] == told.partition(" (exactly")[0]


async def test_series_of_several_metrics_are_told_apart_by_their_names() -> None:
    query = '{__name__=~"node_filesystem_(avail|size)_bytes", instance="db-1:9100", mountpoint="/"}'
    result = await query_metrics.call({"query": query})
    assert "- node_filesystem_avail_bytes, " in result.text
    assert "- node_filesystem_size_bytes, " in result.text
    assert "node_filesystem_avail_bytes: " in result.data["result"]["summary"]


async def test_a_curve_is_told_with_its_figures_their_times_and_what_was_read(shop: str) -> None:
    query = "sum(rate(http_requests_total[5m]))"
    with use_ledger(Ledger()) as ledger:
        result = await query_metrics.call({"query": query, "start": "2026-03-10T12:00:00Z", "end": "2026-03-10T18:00Z"})
    assert "mean " in result.text
    assert " req/s at 2026-03-10 " in result.text
    assert f"Query: {query}\nRange: Tue 10 Mar 2026 13:00 to 19:00 (CET)\nServer: grafana at {shop}" in result.text
    assert [block["type"] for block in result.blocks] == ["series", "table"]
    assert result.source == {"kind": "live", "system": "grafana", "address": shop}
    assert [(call.tool, call.args["query"]) for call in ledger.calls] == [("query_metrics", query)]
    told = read_result(result.data)
    assert (told.unit, told.datapoint_count, told.time_range.start_time.hour) == ("requests/s", 361, 12)


async def test_few_points_are_all_told_and_the_step_is_the_one_asked_for() -> None:
    asked = {"query": "sum(increase(orders_total[1d]))", "start": "2026-03-06", "end": "2026-03-08", "step": "1d"}
    result = await query_metrics.call(asked)
    assert "(3 points): 2026-03-06 00:00 " in result.text
    assert len(read_result(result.data).datapoints) == 3


async def test_a_moment_without_a_zone_is_the_persons() -> None:
    here = await query_metrics.call({"query": "node_load1", "time": "2026-03-10T14:00:00"})
    there = await query_metrics.call({"query": "node_load1", "time": "2026-03-10T13:00:00Z"})
    assert "At: 2026-03-10 14:00" in here.text
    assert here.data["series"] == there.data["series"]


@pytest.mark.parametrize(
    ("tool", "args", "told"),
    [
        (query_metrics, {"query": "node_laod1"}, "no metric .* 'node_load1'"),
        (query_metrics, {"query": "sum by (instanc) (node_load1)"}, "no label .* 'instance'"),
        (query_metrics, {"query": 'rate(node_load1{hots="x"}[5m])'}, 'no label "hots"'),
        (query_metrics, {"query": "node_load1 and"}, "not valid PromQL"),
        (query_metrics, {"query": "up", "time": "2027-01-01T00:00:00Z"}, "in the future"),
        (query_metrics, {"query": "up", "start": "2026-03-10T00:00:00Z", "end": "2026-03-09T00:00:00Z"}, "ends"),
        (query_metrics, {"query": "up", "start": "2025-01-01T00:00:00Z"}, "90 days"),
        (query_metrics, {"query": "up", "start": "2026-03-01T00:00:00Z", "step": "1s"}, "10,000"),
        (query_metrics, {"query": "up", "start": "2026-03-01T00:00:00Z", "step": "soon"}, "no step"),
        (query_metrics, {"query": "up", "end": "2026-03-01T00:00:00Z"}, "needs a start"),
        (get_labels, {"metric": "node_laod1"}, "'node_load1'"),
        (get_labels, {"metric": "node_load1", "label": "instanc"}, "'instance'"),
    ],
)
async def test_what_is_wrong_is_an_error_with_what_there_is(tool: Tool, args: dict[str, Any], told: str) -> None:
    with pytest.raises(SignalboxError) as caught:
        await tool.call(args)
    words = f"{caught.value.user_message} {caught.value.suggestion}"
    assert re.search(told, words), words


async def test_an_empty_result_says_what_was_looked_at_and_what_to_try() -> None:
    absent = await query_metrics.call({"query": 'node_load1{instance="web-9:9100"}'})
    assert absent.is_empty
    assert "has no value \"web-9:9100\". Did you mean 'web-1:9100'" in absent.text
    early = await query_metrics.call({"query": "node_load1", "time": "2026-01-05T00:00:00Z"})
    assert early.is_empty
    assert "node_load1 was last seen at Wed 11 Mar 2026 10:29" in early.text
    none = await query_metrics.call({"query": "node_load1 > 1e9"})
    assert "try fewer conditions" in none.text


async def test_metrics_are_found_by_words_and_by_a_part_of_their_names() -> None:
    by_words = await find_metrics.call({"words": "evicted keys"})
    assert "- redis_evicted_keys_total (counter): Keys evicted" in by_words.text
    assert "  instance: cache-1:9121" in by_words.text
    by_part = await find_metrics.call({"words": "keyspace_hi"})
    assert by_part.data[0]["metric"] == "redis_keyspace_hits_total"
    nothing = await find_metrics.call({"words": "zzqx"})
    assert nothing.is_empty
    assert "None of the 68 metrics" in nothing.text


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ('sum(rate(http_requests_total{service="chekout"}[5m])) or vector(0)', "service of http_requests_total has no"),
        ('node_load1{instance=~"web-1:9100|web-9:9100"}', 'no value "web-9:9100". Did you mean'),
        ('node_load1{instance!="web-9:9100"}', 'no value "web-9:9100". Did you mean'),
    ],
)
async def test_figures_for_what_is_not_there_are_said_to_be_none_of_it(query: str, unknown: str) -> None:
    result = await query_metrics.call({"query": query})
    assert not result.is_empty
    assert unknown in result.text
    assert unknown in result.data["result"]["summary"]


async def test_a_value_that_is_there_or_a_pattern_is_not_remarked_on() -> None:
    for query in ('node_load1{instance=~"web-.*"}', 'node_load1{instance="web-1:9100",job!~"tmpfs|node2"}'):
        assert "has no value" not in (await query_metrics.call({"query": query})).text


async def test_a_misspelt_name_finds_the_nearest_metrics_first() -> None:
    found = await find_metrics.call({"words": "node_lod1"})
    assert found.data[0]["metric"] == "node_load1"


async def test_labels_come_with_samples_and_one_label_with_all_its_values() -> None:
    some = await get_labels.call({"metric": "http_request_duration_seconds"})
    assert "service: checkout, gateway, orders, payment, users" in some.text
    assert "and 4 more" in some.text
    every = await get_labels.call({"metric": "http_requests_total", "label": "route"})
    assert "more" not in every.text
    assert len(every.data["route"]) == 10


async def test_the_sweeps_say_what_is_wrong_now_and_what_changed() -> None:
    now = await check_health.call({})
    assert now.text.startswith("No, nothing is wrong. Looked at: CPU usage")
    changed = await find_changes.call({"start": "2026-03-10T13:00:00Z", "end": "2026-03-10T16:00:00Z"})
    assert "rose to" in changed.text
    assert changed.blocks[0]["type"] == "report"


def test_the_room_offers_its_tools_and_all_of_them_only_read() -> None:
    assert AGENT.tools is not None
    offered = AGENT.tools()
    assert [one.name for one in offered] == [
        "query_metrics", "find_metrics", "get_labels", "find_changes", "check_health",
    ]  # fmt: skip
    assert {one.effect for one in offered} == {"read"}
    with pytest.raises(ToolArgumentsError):
        query_metrics.check({"query": "up", "colour": "red"})
