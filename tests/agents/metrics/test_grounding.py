"""What is done with a plan: names stand on the server or are refused, and an answer says what its query says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import AGENT, GrafanaMetricsClient, metrics_agent
from signalbox.agents.metrics.clients import use_client
from signalbox.agents.metrics.examine import examine
from signalbox.agents.metrics.present import present
from signalbox.contract.answer import notes_of
from signalbox.maps import arun_map

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def frozen(set_clock: Callable[[str], None]) -> None:
    set_clock(NOW.isoformat())


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


@pytest.fixture
def answer(client: GrafanaMetricsClient, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """What a test calls with a question and its plan."""

    async def ask(question: str, previous: Any = None, **plan: Any) -> Any:
        state: Any = {
            "user_query": question, "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0,
            "previous": previous,
        }  # fmt: skip
        return await metrics_agent(state, client=client, model=scripted(plan))

    return ask


async def test_a_thing_that_is_not_there_is_refused_with_what_is(answer: Callable[..., Any]) -> None:
    state = await answer("cpu of web-9", measure="cpu_usage", filters=["web-9"])
    assert state["error"].error_type == "invalid_query"
    assert "web-9" in state["error"].message
    assert "web-1:9100" in state["error"].suggestion


async def test_a_label_that_is_not_there_is_refused_with_those_that_are(answer: Callable[..., Any]) -> None:
    state = await answer("cpu by flavour", measure="cpu_usage", split_by=["flavour"])
    assert state["error"].error_type == "invalid_query"
    assert "instance" in state["error"].suggestion


@pytest.mark.parametrize(
    ("said", "matcher"),
    [
        ("web-1", 'instance="web-1:9100"'),
        ("WEB 1", 'instance="web-1:9100"'),
        ("host web-1", 'instance="web-1:9100"'),
        ("instance=web-1:9100", 'instance="web-1:9100"'),
    ],
)
async def test_things_are_found_however_they_are_written(answer: Callable[..., Any], said: str, matcher: str) -> None:
    state = await answer(f"load of {said}", measure="load", filters=[said])
    assert matcher in state["result"].promql


async def test_a_class_of_codes_is_all_of_them_and_what_is_left_out_is_left_out(answer: Callable[..., Any]) -> None:
    plan = {"measure": "request_rate", "filters": ["5xx"], "excluded": ["checkout"], "time": "last hour"}
    state = await answer("5xx without checkout in the last hour", **plan)
    assert 'status=~"500|503"' in state["result"].promql
    assert 'service!="checkout"' in state["result"].promql
    assert "service not checkout" in state["result"].summary


async def test_the_text_says_the_grouping_of_the_query(answer: Callable[..., Any]) -> None:
    state = await answer("requests by service", measure="request_rate", split_by=["service"], time="last hour")
    assert "by service" in state["result"].summary
    assert "sum by (service)" in state["result"].promql


async def test_figures_are_shown_in_the_unit_that_was_asked_for(answer: Callable[..., Any]) -> None:
    plan = {"measure": "network_in", "filters": ["web-1"], "unit": "Mbit/s", "time": "last hour"}
    state = await answer("network in of web-1 in Mbit/s", **plan)
    assert "Mbit/s on average" in state["result"].summary
    (block,) = [one for one in present(state).blocks if one["type"] == "series"]
    assert block["unit"] == "Mbit/s"
    first = block["series"][0]["points"][0][1]
    assert first == pytest.approx(state["result"].datapoints[0].value * 8e-6)


async def test_every_percentile_that_was_asked_for_is_given(answer: Callable[..., Any]) -> None:
    state = await answer(
        "p50 and p99", measure="latency", percentiles=["p50", "p99"], filters=["checkout"], time="today"
    )
    assert "Median latency" in state["result"].summary
    assert "P99 latency" in state["result"].summary
    assert [one["type"] for one in present(state).blocks].count("series") == 2


async def test_the_percentile_of_what_is_no_histogram_is_that_of_its_values(answer: Callable[..., Any]) -> None:
    state = await answer("p95 of load", measure="load", filters=["web-1"], percentiles=["p95"], time="yesterday")
    assert state["result"].promql.startswith("quantile_over_time(0.95")
    assert state["result"].value is not None


async def test_an_unfinished_day_is_compared_with_the_same_part_of_the_other(answer: Callable[..., Any]) -> None:
    plan = {"measure": "request_rate", "kind": "comparison", "time": "today", "against": "yesterday"}
    state = await answer("requests today vs yesterday", **plan)
    assert state["result"].promql.count("increase(http_requests_total[9h30m])") == 2
    assert "same part" in state["result"].summary


async def test_an_hour_ago_is_a_moment_beside_now(answer: Callable[..., Any]) -> None:
    plan = {"measure": "load", "kind": "comparison", "filters": ["web-1"], "against": "an hour ago"}
    state = await answer("is the load of web-1 higher than an hour ago?", **plan)
    assert "at 2026-03-11T09:30:00" in state["result"].promql
    assert "at 2026-03-11T08:30:00" in state["result"].promql
    assert "over_time" not in state["result"].promql


async def test_thresholds_are_judged_thing_by_thing(answer: Callable[..., Any]) -> None:
    plan = {"measure": "disk_usage", "kind": "threshold", "scope": "any", "side": "above", "bound": "70%"}
    state = await answer("did any disk go over 70% this week", **plan, time="this week")
    result = state["result"]
    assert result.summary.startswith("Yes, 1 of 10 was above 70%")
    assert "db-1:9100" in result.summary
    assert "all the time" in result.summary
    assert [place.labels["instance"] for place in result.ranking] == ["db-1:9100"]
    assert result.beyond
    all_ = await answer(
        "all under 95%?", measure="disk_usage", kind="threshold", scope="all", side="below", bound="95%"
    )
    assert all_["result"].summary.startswith("Yes, all 10 are below 95%")
    none = await answer("any over 99%", **{**plan, "bound": "99%"}, time="today")
    assert none["result"].summary.startswith("No, none of 10 was above 99%")
    assert "came nearest" in none["result"].summary


async def test_yes_or_no_about_one_thing_carries_its_figure(answer: Callable[..., Any]) -> None:
    plan = {"measure": "cpu_usage", "kind": "threshold", "side": "above", "bound": "99%", "filters": ["web-1"]}
    now = (await answer("is web-1 over 99% cpu?", **plan))["result"]
    assert now.summary.startswith("No, it is not above 99%")
    assert now.kind == "value"
    assert now.value == now.datapoints[-1].value
    past = (await answer("was web-1 over 99% cpu yesterday?", **plan, time="yesterday"))["result"]
    assert past.summary.startswith("No, it was not above 99%")
    assert past.value == max(point.value for point in past.datapoints)


async def test_what_a_counter_counted_in_a_range_is_a_number(answer: Callable[..., Any]) -> None:
    counted = (await answer("orders yesterday", measure="orders_total", time="yesterday"))["result"]
    assert (counted.kind, "increase(" in counted.promql) == ("value", True)
    rate = (await answer("rate of orders yesterday", measure="orders_total", time="yesterday"))["result"]
    assert (rate.kind, "increase(" in rate.promql) == ("series", False)


@pytest.mark.parametrize(
    "said", [{"filters": ["web versus app"]}, {"filters": ["web"], "also": "app orders"}, {"filters": ["web", "app"]}]
)
async def test_two_things_side_by_side_are_the_sides_of_a_comparison(
    answer: Callable[..., Any], said: dict[str, Any]
) -> None:
    plan = {"measure": "orders_total", "kind": "comparison", "time": "yesterday", **said}
    result = (await answer("web versus app orders yesterday", **plan))["result"]
    assert result.comparison is not None
    assert [side for side in ('"web"', '"app"') if side in result.promql] == ['"web"', '"app"']
    assert result.not_covered == []


async def test_what_is_to_be_left_out_and_is_not_is_refused(answer: Callable[..., Any]) -> None:
    plan = {"measure": "orders_total", "kind": "figure", "how": "total", "time": "yesterday"}
    error = (await answer("orders yesterday without the gifts", **plan))["error"]
    assert "without the gifts" in error.message


async def test_a_value_that_is_to_be_left_out_and_that_no_model_marked_is_left_out(answer: Callable[..., Any]) -> None:
    plan = {"measure": "orders_total", "kind": "figure", "how": "total", "time": "yesterday"}
    result = (await answer("orders yesterday without the app", **plan))["result"]
    assert 'channel!="app"' in result.promql


async def test_what_no_field_holds_is_said(answer: Callable[..., Any]) -> None:
    state = await answer(
        "CPU usage of web-1 in the last hour with zebra-7", measure="cpu_usage", filters=["web-1"], time="last hour"
    )
    assert "Not considered: zebra-7." in state["result"].summary
    assert present(state).not_covered == ["zebra-7"]


async def test_a_name_that_nothing_explains_is_refused(answer: Callable[..., Any]) -> None:
    state = await answer("CPU usage for zebra-7", measure="cpu_usage")
    assert state["result"] is None
    assert '"zebra-7"' in state["error"].message


async def test_what_got_worse_names_the_incident_and_when(answer: Callable[..., Any]) -> None:
    state = await answer("what got worse yesterday?", kind="changes", time="yesterday")
    assert "got worse" in state["result"].summary
    assert any("Tue 10 Mar 2026 14:" in one.text for one in state["result"].findings)
    assert "checkout" in " ".join(one.text for one in state["result"].findings)


async def test_what_moved_between_two_moments_is_told_for_an_investigation(client: GrafanaMetricsClient) -> None:
    start = datetime(2026, 3, 10, 13, 30, tzinfo=UTC)
    seen = await examine("checkout is slow", start, start + timedelta(hours=3))
    symptoms = [one for one in seen.observations if one.is_symptom]
    causes = [one for one in seen.observations if not one.is_symptom]
    assert symptoms
    assert any("nterface" in one.text or "BGP" in one.text for one in causes)
    assert all(start - timedelta(minutes=10) <= one.start <= start + timedelta(hours=3) for one in seen.observations)
    assert seen.looked_at


async def test_when_a_disk_is_full_is_told_with_how_sure_that_is(answer: Callable[..., Any]) -> None:
    state = await answer("when will db-1 be full", kind="forecast", measure="disk_usage", filters=["db-1"])
    assert "is full around" in state["result"].summary
    assert "between" in state["result"].summary
    assert "cannot be said" in state["result"].summary
    load = await answer("when will load", kind="forecast", measure="load", filters=["db-1"])
    assert load["error"].error_type == "invalid_query"


async def test_what_can_be_asked_is_listed(answer: Callable[..., Any]) -> None:
    redis = await answer("which metrics are there for redis?", kind="metrics")
    assert "redis_evicted_keys_total" in redis["result"].summary
    hosts = await answer("which hosts are there", kind="things", split_by=["hosts"])
    assert "web-1:9100" in hosts["result"].summary


async def test_a_question_that_leans_on_the_one_before_takes_over_the_rest(
    answer: Callable[..., Any],
) -> None:
    first = await answer(
        "p95 of checkout yesterday", measure="latency", filters=["checkout"], percentiles=["p95"], time="yesterday"
    )
    other = await answer("and for payment?", first["asked"], continues=True, filters=["payment"])
    assert 'service="payment"' in other["result"].promql
    assert other["result"].time_range == first["result"].time_range
    before = await answer("and the day before?", first["asked"], continues=True, time="the day before")
    assert 'service="checkout"' in before["result"].promql
    assert before["result"].time_range.end_time == first["result"].time_range.start_time
    split = await answer("by instance", other["asked"], continues=True, split_by=["instance"])
    assert 'service="payment"' in split["result"].promql
    assert "by (le, instance)" in split["result"].promql


@pytest.mark.bench
async def test_why_is_answered_with_what_moved_at_that_time(answer: Callable[..., Any]) -> None:
    first = await answer("p95 of checkout yesterday", measure="latency", filters=["checkout"], time="yesterday")
    state = await answer("why?", first["asked"], continues=True, kind="why")
    assert state["error"] is None
    assert state["explanation"]
    assert any("nterface" in one["text"] for one in state["context"]["moved"])


async def test_the_embedded_shop_says_what_it_is_and_how_to_connect_ones_own(scripted: Callable[..., Any]) -> None:
    state: Any = {"user_query": "load", "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0}
    told = present(await metrics_agent(state, model=scripted({"measure": "load"})))
    assert told.source is not None
    (note,) = notes_of(told.not_covered, told.source)
    assert "demonstration" in note
    assert "PROMETHEUS_URL" in note


async def test_where_two_measures_fit_equally_the_run_asks(
    client: GrafanaMetricsClient, scripted: Callable[..., Any]
) -> None:
    state = {"user_query": "swap keys", "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0}
    result = await arun_map(AGENT.map, state, graph="metrics", model=scripted({}))
    assert result.status == "needs_input"
    assert len(result.question["options"]) > 1


async def test_a_figure_for_a_range_that_the_model_is_unsure_of_is_a_curve(answer: Callable[..., Any]) -> None:
    plan = {"measure": "load", "kind": "figure", "filters": ["db-1"], "time": "last 2 hours"}
    unsure = await answer("load of db-1, last 2 hours", **plan, confidence=0.6)
    sure = await answer("load of db-1, last 2 hours", **plan, confidence=0.98)
    assert (unsure["result"].kind, sure["result"].kind) == ("series", "value")


async def test_a_measure_divided_by_itself_is_refused(answer: Callable[..., Any]) -> None:
    plan = {"measure": "orders_total", "kind": "share", "per": "orders_total"}
    state = await answer("what percentage of orders_total was orders_total", **plan)
    assert state["error"].error_type == "invalid_query"


async def test_of_two_names_of_one_kind_the_second_is_what_the_first_is_connected_to(
    answer: Callable[..., Any],
) -> None:
    state = await answer("prefixes that pe1 gets of xrd-6", measure="bgp_prefixes_received", filters=["pe1", "xrd-6"])
    assert 'device="pe1"' in state["result"].promql
    assert 'neighbor="xrd-6"' in state["result"].promql


@pytest.mark.parametrize("words", ["web-1? Draw it", "web-1; thanks a lot"])
async def test_a_name_does_not_run_on_into_the_next_sentence(answer: Callable[..., Any], words: str) -> None:
    state = await answer(f"load of {words}", measure="load", kind="figure", filters=[words])
    assert state["error"] is None
    assert 'instance="web-1:9100"' in state["result"].promql


@pytest.mark.parametrize("words", ["/ of db-1", "db-1's /"])
async def test_a_mount_point_and_its_host_are_two_names(answer: Callable[..., Any], words: str) -> None:
    state = await answer(f"space left for {words}", measure="disk_free", kind="figure", filters=[words])
    assert 'mountpoint="/"' in state["result"].promql
    assert 'instance="db-1:9100"' in state["result"].promql


async def test_a_slip_of_the_pen_before_now_is_the_present(answer: Callable[..., Any]) -> None:
    state = await answer("load of web-1 rigth now", measure="load", kind="figure", filters=["web-1"], time="rigth now")
    assert "now" in state["result"].summary


async def test_a_question_of_which_most_words_fit_no_measure_is_refused(answer: Callable[..., Any]) -> None:
    state = await answer("how many parking permits did the mayor stamp", kind="figure", how="total")
    assert state["error"].error_type == "metric_not_found"


async def test_those_that_failed_are_a_part_of_the_logins(answer: Callable[..., Any]) -> None:
    state = await answer(
        "which part of our logins failed in the last 3 hours", measure="users_logins_total", kind="share", per="logins",
        time="last 3 hours",
    )  # fmt: skip
    assert 'result="failure"' in state["result"].promql
    assert 0 < state["result"].value < 0.5


async def test_a_percentile_over_a_range_is_one_figure_unless_it_is_drawn_or_split(answer: Callable[..., Any]) -> None:
    plan = {"measure": "latency", "percentiles": ["p90"], "time": "last hour"}
    assert (await answer("p90 latency in the last hour", **plan))["result"].kind == "value"
    assert (await answer("plot p90 latency in the last hour", **plan, kind="curve"))["result"].kind == "series"
    assert (await answer("p90 latency by service in the last hour", **plan, split_by=["service"]))[
        "result"
    ].kind == "series"


async def test_what_divides_is_counted_whatever_is_measured_of_each(answer: Callable[..., Any]) -> None:
    plan = {"measure": "orders_total", "kind": "figure", "per": "payment provider latency", "time": "last hour"}
    state = await answer("orders per payment provider latency in the last hour", **plan)
    assert "payment_provider_latency_seconds_count" in state["result"].promql
    assert "quantile" not in state["result"].promql


async def test_bytes_are_added_up_where_it_is_asked_how_many(answer: Callable[..., Any]) -> None:
    plan = {"measure": "network_out", "kind": "figure", "filters": ["web-1"], "time": "last hour"}
    assert "increase(" in (await answer("how many bytes did web-1 send in the last hour", **plan))["result"].promql
    assert "rate(" in (await answer("network traffic out of web-1 in the last hour", **plan))["result"].promql


async def test_any_of_a_kind_is_judged_thing_by_thing(answer: Callable[..., Any]) -> None:
    plan = {"measure": "disk_usage", "kind": "threshold", "scope": "any", "bound": "60%", "split_by": ["disk"]}
    result = (await answer("did any disk go over 60% today", **plan, side="above", time="today"))["result"]
    assert result.ranking
    assert all({"device", "instance", "mountpoint"} <= one.labels.keys() for one in result.ranking)


async def test_what_only_counts_events_does_not_say_how_many_there_are(answer: Callable[..., Any]) -> None:
    state = await answer("how many users are logged in", measure="users_logins_total", kind="figure")
    assert state["error"].error_type == "invalid_query"
    assert (await answer("how many users logged in today", measure="users_logins_total", kind="figure", time="today"))[
        "result"
    ] is not None


async def test_a_bgp_session_is_down_in_every_state_but_established(answer: Callable[..., Any]) -> None:
    down = (await answer("how many BGP sessions are down", measure="bgp_sessions_down"))["result"]
    assert (down.value, down.promql) == (0.0, "sum(bgp_session_state != bool 6)")


async def test_typed_promql_is_run_exactly(answer: Callable[..., Any]) -> None:
    query = 'sum by (service) (rate(http_requests_total{status="503"}[10m]))'
    state = await answer(query)
    assert state["result"].promql == query
    assert "exactly as it was typed" in state["result"].summary


@pytest.mark.parametrize(("measure", "bound"), [("load", "0.01"), ("cpu_usage", "0.1%")])
async def test_a_share_with_a_bound_is_one_of_the_time(answer: Callable[..., Any], measure: str, bound: str) -> None:
    plan = {"measure": measure, "kind": "share", "filters": ["web-1"], "time": "the last hour", "bound": bound}
    for side, share in (("above", 1.0), ("below", 0.0)):
        state = await answer(f"for what part of the last hour was {measure} of web-1 {side} {bound}", **plan, side=side)
        assert state["result"].value == pytest.approx(share)
        assert "share of the time" in state["result"].summary.lower()


async def test_a_thing_of_the_measure_before_is_no_measure_of_its_own(answer: Callable[..., Any]) -> None:
    before = {
        "text": "latency of checkout",
        "plan": {"measure": "latency", "filters": ["checkout"]},
        "title": "latency",
    }
    state = await answer("and for payment?", before, measure="payments_total", continues=True)
    assert 'http_request_duration_seconds_bucket{service="payment"}' in state["result"].promql
