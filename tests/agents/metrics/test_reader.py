"""From a question and the plan that a model gives to the request: what is asked of the server, or why it is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.plan import Moment, Request
from signalbox.agents.metrics.reader import asked_before, read, typed_query
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.errors import SignalboxError

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
Read = Callable[..., Awaitable[Request]]


@pytest.fixture
async def client(shop: str, set_clock: Callable[[str], None]) -> AsyncIterator[GrafanaMetricsClient]:
    set_clock(NOW.isoformat())
    async with GrafanaMetricsClient(shop) as made:
        yield made


@pytest.fixture
def reading(client: GrafanaMetricsClient, scripted: Callable[..., Any]) -> Read:
    """What a test calls with a question and its plan."""

    async def request(text: str, /, previous: Any = None, **plan: Any) -> Request:
        live = await open_live(client, NOW)
        state = {"user_query": text, "previous": previous}
        return await read(state, live, scripted(plan), Moment(NOW, ZoneInfo("UTC")))

    return request


async def slots_of(request: Awaitable[Request]) -> Slots:
    return (await request).slots[0]


async def refusal(request: Awaitable[Request]) -> SignalboxError:
    with pytest.raises(SignalboxError) as caught:
        await request
    return caught.value


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        (
            "Show the florbulator rate for the last hour",
            {"measure": "request_rate", "kind": "curve", "time": "last hour"},
        ),
        (
            "which host has the highest unicorn latency?",
            {"measure": "latency", "kind": "ranking", "split_by": ["host"]},
        ),
        ("what is the frobnication of the wibble", {"kind": "figure"}),
        ("current rainfall on the roof", {"time": "current"}),
        ("show florb_total", {"named": "florb_total"}),
    ],
)
async def test_what_is_not_measured_here_is_not_found(reading: Read, text: str, plan: dict[str, Any]) -> None:
    assert (await refusal(reading(text, confidence=0.9, **plan))).error_type == "metric_not_found"


@pytest.mark.parametrize(
    ("text", "plan", "error_type"),
    [
        ("asdkjh qwpeoi zxmnb", {"time": "qwpeoi", "confidence": 0.9}, "parsing_error"),
        ("Delete the CPU metric", {"measure": "cpu_usage", "kind": "metrics"}, "unsupported_operation"),
        ("Correlate CPU with latency", {"measure": "latency", "kind": "comparison"}, "unsupported_operation"),
        ("warn me if CPU is high", {"measure": "cpu_usage", "kind": "alert"}, "unsupported_operation"),
        ("CPU usage tomorrow", {"measure": "cpu_usage", "time": "tomorrow"}, "invalid_time_range"),
        ("request rate of nowhere", {"measure": "request_rate", "filters": ["nowhere"]}, "invalid_query"),
        ("request rate of the shipping service", {"measure": "request_rate"}, "invalid_query"),
        ("load above 12 degrees", {"measure": "load", "kind": "threshold", "bound": "12 degrees"}, "invalid_query"),
        ("is CPU usage high", {"measure": "cpu_usage", "kind": "threshold", "side": "above"}, "invalid_query"),
        ("more than 5 orders?", {"measure": "orders_total", "kind": "threshold", "bound": "5"}, "invalid_query"),
        ("CPU usage in litres", {"measure": "cpu_usage", "unit": "litres"}, "invalid_query"),
        ("p99 of orders", {"measure": "orders_total", "percentiles": ["p99"]}, "invalid_query"),
        ("orders against what", {"measure": "orders_total", "kind": "comparison"}, "invalid_query"),
    ],
)
async def test_what_cannot_be_answered_is_refused(
    reading: Read, text: str, plan: dict[str, Any], error_type: str
) -> None:
    assert (await refusal(reading(text, **plan))).error_type == error_type


async def test_no_measure_is_chosen_where_the_model_chose_none(reading: Read) -> None:
    error = await refusal(reading("CPU usage of web-1", kind="figure", filters=["web-1"]))
    assert error.error_type == "metric_not_found"
    assert "cpu_usage" in error.suggestion


async def test_a_threshold_on_a_counter_is_about_its_total_over_the_period(reading: Read) -> None:
    plan = {"measure": "orders_total", "kind": "threshold", "bound": "twice", "side": "above", "time": "last day"}
    slots = await slots_of(reading("more than twice in the last day", **plan))
    assert (slots.is_total, slots.by, slots.is_current) == (True, (), False)
    assert slots.threshold is not None
    assert slots.threshold.value == 2
    rate = await slots_of(reading("over 5 per minute in the last day", **{**plan, "bound": "5 per minute"}))
    assert rate.threshold is not None
    assert (rate.is_total, rate.threshold.value) == (False, pytest.approx(5 / 60))


async def test_at_least_takes_the_bound_in(reading: Read) -> None:
    plan = {"measure": "cpu_usage", "kind": "threshold", "bound": "80%", "side": "above", "scope": "any"}
    at_least = await slots_of(reading("is any host at at least 80% CPU usage?", **plan))
    above = await slots_of(reading("is any host above 80% CPU usage?", **plan))
    assert at_least.threshold
    assert above.threshold
    assert (at_least.threshold.inclusive, above.threshold.inclusive) == (True, False)
    assert at_least.threshold.value == pytest.approx(0.8)


async def test_a_disk_keeps_its_host_in_a_ranking_and_is_not_averaged(reading: Read) -> None:
    plan = {"measure": "disk_usage", "kind": "ranking", "order": "highest"}
    by_disk = await slots_of(reading("which disk is fullest", **plan, split_by=["disk"]))
    alone = await slots_of(reading("fullest first", **plan))
    assert {"instance", "device"} <= {*by_disk.by}
    assert {"instance", "mountpoint"} <= {*alone.by}
    assert by_disk.measure.agg == "max"


@pytest.mark.parametrize(
    "said", [{"filters": ["web versus app"]}, {"filters": ["web"], "also": "app orders"}, {"filters": ["web", "app"]}]
)
async def test_things_side_by_side_are_the_sides_of_a_comparison(reading: Read, said: dict[str, Any]) -> None:
    plan = {"measure": "orders_total", "kind": "comparison", "time": "yesterday", **said}
    slots = await slots_of(reading("web versus app orders yesterday", **plan))
    assert slots.matchers == (Matcher("channel", ("web",)),)
    assert slots.against
    assert slots.against.matchers == (Matcher("channel", ("app",)),)


@pytest.mark.parametrize("filters", [["checkout", "503"], ["503", "checkout"]])
async def test_the_part_of_a_share_is_what_happened(reading: Read, filters: list[str]) -> None:
    plan = {"measure": "http_requests_total", "kind": "share", "time": "today", "filters": filters}
    slots = await slots_of(reading("what share of the checkout requests ended with a 503 today", **plan))
    assert [one.label for one in slots.part] == ["status"]
    assert [one.label for one in slots.matchers] == ["service"]


@pytest.mark.parametrize(
    ("text", "plan", "left"),
    [
        ("which box eats the most memory", {"measure": "memory_used", "kind": "ranking", "split_by": ["box"]}, ()),
        ("what burns CPU usage", {"measure": "cpu_usage"}, ()),
        ("request rate with zeus-9", {"measure": "request_rate"}, ("zeus-9",)),
    ],
)
async def test_only_names_and_conditions_are_told_as_not_considered(
    reading: Read, text: str, plan: dict[str, Any], left: tuple[str, ...]
) -> None:
    slots = await slots_of(reading(text, **plan))
    assert [one for one in left if one not in slots.not_covered] == []
    assert bool(slots.not_covered) == bool(left)


async def test_what_is_up_is_asked_of_a_state(reading: Read) -> None:
    slots = await slots_of(reading("is web-1 up?", measure="request_rate", kind="up", filters=["web-1"]))
    assert (slots.shape, slots.measure.name) == ("state", "up")
    assert slots.matchers == (Matcher("instance", ("web-1:9100",)),)


async def test_a_query_of_the_model_is_passed_on_as_it_is_written(reading: Read) -> None:
    query = "quantile(0.5,  sum by (service)(rate(http_requests_total[7m])))"
    request = await reading("odd question about http", promql=query, time="last 2 hours")
    assert (request.promql, request.is_typed, request.slots) == (query, False, ())
    assert request.time_range
    assert request.time_range.start_time.hour == 7


async def test_typed_promql_is_recognised_and_a_question_is_not(client: GrafanaMetricsClient) -> None:
    live = await open_live(client, NOW)
    typed = typed_query({"user_query": "sum(rate(http_requests_total[5m]))"}, live)
    assert typed is not None
    assert typed.is_typed
    assert typed_query({"user_query": "rate of requests"}, live) is None


async def test_a_follow_up_keeps_drops_and_changes_what_was_carried(reading: Read) -> None:
    text = "request rate of checkout in the last 3 hours"
    first = await reading(text, measure="request_rate", filters=["checkout"], time="last 3 hours", kind="curve")
    before = asked_before({"user_query": text}, first)
    kept = await slots_of(reading("and for POST only?", previous=before, continues=True, filters=["POST"]))
    assert {one.label for one in kept.matchers} == {"service", "method"}
    split = await slots_of(
        reading("and broken down by service?", previous=before, continues=True, split_by=["service"])
    )
    assert (split.by, split.matchers, split.time_range) == (("service",), (), first.slots[0].time_range)
    other = await slots_of(reading("and payment?", previous=before, continues=True, filters=["payment"]))
    assert other.matchers == (Matcher("service", ("payment",)),)
    wide = await slots_of(reading("and for all services?", previous=before, continues=True))
    assert wide.matchers == ()
