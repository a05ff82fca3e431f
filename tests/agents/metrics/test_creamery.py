"""A creamery on a real Prometheus: levels beside their capacities, labels of info metrics, readiness, percentiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import told

from signalbox.agents.metrics.present import present

END = datetime(2026, 6, 10, 3, 0, tzinfo=UTC)
MINUTES = 300
HELP = {
    "milk_tank_level_litres": "Milk in a tank.",
    "milk_tank_capacity_litres": "What a milk tank holds.",
    "cheese_shelves_taken": "Shelves with cheese on them.",
    "cheese_shelves": "Shelves for cheese.",
    "label_queue_depth": "Labels waiting to be printed.",
    "label_queue_capacity": "How many labels fit into the queue.",
    "cold_room_temperature_celsius": "Temperature of a cold room.",
    "cold_room_door_open": "1 if the door of a cold room is open.",
    "controller_requests_total": "Requests that a controller has answered.",
    "controller_info": "Firmware of a controller.",
    "kube_pod_status_ready": "Whether a pod is ready.",
    "mixer_restarts_total": "Restarts of a mixer's control program.",
    "kube_pod_restarts_total": "Restarts of a pod.",
    "orders_total": "Orders from shops.",
    "http_request_duration_seconds_bucket": "How long a request took.",
}


def series(minute: int) -> Mapping[str, float]:
    """Tank t3 is nearly full, and pod mixer-b is not ready."""
    times = {("shop", "0.1"): 0.5, ("shop", "1"): 1.0, ("mill", "0.1"): 0.1, ("mill", "1"): 1.0}
    return {
        'milk_tank_level_litres{tank="t1"}': 9_000,
        'milk_tank_level_litres{tank="t3"}': 19_000,
        'milk_tank_capacity_litres{tank="t1"}': 30_000,
        'milk_tank_capacity_litres{tank="t3"}': 20_000,
        'cheese_shelves_taken{cellar="east"}': 45,
        'cheese_shelves_taken{cellar="west"}': 15,
        'cheese_shelves{cellar="east"}': 50,
        'cheese_shelves{cellar="west"}': 60,
        'label_queue_depth{queue="cups"}': 20,
        'label_queue_capacity{queue="cups"}': 80,
        'cold_room_temperature_celsius{room="r1"}': 3,
        'cold_room_door_open{room="r1"}': 1,
        'controller_requests_total{controller="c1"}': 60 * minute,
        'controller_requests_total{controller="c2"}': 120 * minute,
        'controller_info{controller="c1",firmware="4.1"}': 1,
        'controller_info{controller="c2",firmware="5.0"}': 1,
        'kube_pod_status_ready{pod="mixer-a",condition="true"}': 1,
        'kube_pod_status_ready{pod="mixer-a",condition="false"}': 0,
        'kube_pod_status_ready{pod="mixer-b",condition="true"}': 0,
        'kube_pod_status_ready{pod="mixer-b",condition="false"}': 1,
        'mixer_restarts_total{container="mixer"}': 0,
        'kube_pod_restarts_total{pod="mixer-a"}': minute // 20,
        'kube_pod_restarts_total{pod="mixer-b"}': 0,
        'orders_total{channel="web"}': 3 * minute,
        'orders_total{channel="app"}': 2 * minute,
        'orders_total{channel="phone"}': minute,
    } | {
        f'http_request_duration_seconds_bucket{{service="{service}",le="{edge}"}}': 100 * minute * share
        for (service, edge), share in (times | {("shop", "+Inf"): 1.0, ("mill", "+Inf"): 1.0}).items()
    }


LEVEL, REQUESTS, READY = "milk_tank_level_litres", "controller_requests_total", "kube_pod_status_ready"


@pytest.mark.parametrize(
    ("question", "plan", "figures"),
    [
        ("how full is t3?", {"measure": LEVEL, "filters": ["t3"]}, "95%"),
        ("how full is the cups queue?", {"measure": "label_queue_depth", "filters": ["cups"]}, "25%"),
        ("tank t1 in percent", {"measure": LEVEL, "kind": "figure", "filters": ["t1"], "unit": "percent"}, "30%"),
        (
            "which share of the shelves in the east cellar is taken",
            {"measure": "cheese_shelves_taken", "kind": "share", "filters": ["east"]},
            "90%",
        ),
        (
            "is the cups queue above 20% of its capacity?",
            {"measure": "label_queue_capacity", "kind": "threshold", "side": "above", "bound": "20%",
             "per": "its capacity", "filters": ["cups"]},
            "Yes, it is above 20%",
        ),
        ("are any tanks full?", {"measure": LEVEL, "kind": "threshold"}, "No, none of 2 is at least 100%"),
        ("how many litres are free in t1", {"measure": LEVEL, "filters": ["t1"]}, "21,000 litres"),
    ],
)  # fmt: skip
async def test_a_level_is_told_as_a_share_of_its_capacity(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], figures: str
) -> None:
    assert figures in await told(answer(question, **plan))


async def test_one_full_tank_is_not_hidden_among_empty_ones(answer: Callable[..., Any]) -> None:
    said = await told(answer("how full are the tanks?", measure=LEVEL, kind="figure"))
    assert said.startswith("Highest first: 1. t3 (95%), 2. t1 (30%). That is milk tank level as a share of")


async def test_a_level_is_found_by_the_thing_that_may_be_full(answer: Callable[..., Any]) -> None:
    said = await told(answer("how full is t1?", measure="cold_room_temperature_celsius", filters=["t1"]))
    assert "30%" in said


async def test_a_share_of_all_is_not_one_of_a_capacity(answer: Callable[..., Any]) -> None:
    plan = {"measure": "cheese_shelves_taken", "kind": "share", "filters": ["east"]}
    assert "75%" in await told(answer("what share of the shelves with cheese is in east?", **plan))


@pytest.mark.parametrize(
    ("question", "plan", "figures"),
    [
        ("controller requests by firmware", {"split_by": ["firmware"]}, "1. 5.0 (2 req/s), 2. 4.1 (1 req/s)"),
        ("controller requests on firmware 5.0", {"filters": ["5.0"]}, "for firmware 5.0, now: 2 req/s"),
        (
            "controller requests of 4.1 against 5.0 in the last hour",
            {"filters": ["4.1", "5.0"], "kind": "comparison", "time": "last hour"},
            "3,600 req, against 7,200 req (firmware 5.0)",
        ),
    ],
)
async def test_a_label_of_an_info_metric_splits_and_narrows(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], figures: str
) -> None:
    assert figures in await told(answer(question, measure=REQUESTS, **plan))


async def test_a_label_that_nothing_has_is_not_answered_with_what_an_info_metric_says(
    answer: Callable[..., Any],
) -> None:
    state = await answer("controller requests by vendor", measure=REQUESTS, split_by=["vendor"])
    assert 'cannot be split by "vendor"' in state["error"].message


@pytest.mark.parametrize(
    ("question", "plan", "beginning"),
    [
        ("which pods are not ready?", {"kind": "ranking", "filters": ["not ready"]}, "1 of 2 is not ready"),
        ("are all pods ready?", {"kind": "up", "scope": "all"}, "No, 1 of 2 is not ready, now: mixer-b"),
        ("is mixer-a ready?", {"kind": "up", "filters": ["mixer-a"]}, "Yes, pod mixer-a is ready"),
    ],
)  # fmt: skip
async def test_a_condition_that_is_true_or_false_is_a_state(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], beginning: str
) -> None:
    said = await told(answer(question, measure=READY, **plan))
    assert said.replace(", condition true", "").startswith(beginning)


async def test_curves_of_a_percentile_begin_with_the_one_of_the_whole_range(answer: Callable[..., Any]) -> None:
    plan = {"measure": "latency", "percentiles": ["p50"], "kind": "curve", "time": "last hour"}
    assert "100 ms throughout" in await told(answer("p50 latency of shop in the last hour", filters=["shop"], **plan))
    said = await told(answer("p50 latency by service in the last hour", split_by=["service"], **plan))
    assert "over the whole range mill 500 ms, shop 100 ms" in said


@pytest.mark.parametrize("question", ["people through the door today", "noise of the doors", "visitors at the door"])
async def test_a_word_that_leads_and_is_not_measured_is_refused(answer: Callable[..., Any], question: str) -> None:
    state = await answer(question, measure="cold_room_door_open", time="today" if "today" in question else "")
    assert state["error"] is not None


async def test_a_bound_is_held_against_the_measure_that_has_the_things(answer: Callable[..., Any]) -> None:
    plan = {"kind": "threshold", "side": "above", "bound": "twice", "split_by": ["pod"], "time": "last 2 hours"}
    plan |= {"measure": "mixer_restarts_total", "bound": "2"}
    said = await told(answer("did any pod restart more than 2 times in the last 2 hours", **plan))
    assert said.startswith("Yes, 1 of 2 was above 2 restarts")


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("orders excluding the web in the last hour", "for channel not web"),
        ("orders in the last hour apart from web and app", "for channel not web or app"),
    ],
)
async def test_a_value_behind_a_word_that_leaves_out_is_left_out(
    answer: Callable[..., Any], question: str, left: str
) -> None:
    assert left in await told(answer(question, measure="orders_total", time="last hour"))


async def test_both_sides_of_a_comparison_have_names_of_their_own(answer: Callable[..., Any]) -> None:
    plan = {"measure": "orders_total", "kind": "comparison", "time": "last hour", "against": "the hour before"}
    state = await answer(
        "orders by channel in the last hour compared with the hour before", split_by=["channel"], **plan
    )
    names = [one["name"] for one in present({"result": state["result"].model_dump()}).blocks[1]["columns"]]
    assert names[1:3] == ["10 Jun 02:00 to 03:00", "10 Jun 01:00 to 02:00"]


async def test_an_average_of_what_is_counted_needs_something_to_divide_by(answer: Callable[..., Any]) -> None:
    state = await answer("average orders today", measure="orders_total", kind="figure", how="average", time="today")
    assert "for each of what" in state["error"].message


@pytest.mark.parametrize(
    ("question", "plan", "words"),
    [
        ("orders from new customers today", {}, '"new"'),
        ("orders by country today", {"split_by": ["country"]}, 'cannot be split by "country"'),
        ("how many orders were not ordered today", {"kind": "figure", "how": "total"}, "not ordered"),
        ("orders over 100 today", {"kind": "threshold", "bound": "100", "side": "above"}, "of each, or of all"),
        ("which channel has more orders than complaints today", {"kind": "ranking"}, "than complaints"),
        ("orders of p9 today", {"percentiles": ["p9"]}, "is no percentile"),
    ],
)
async def test_a_condition_that_no_query_holds_is_refused(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], words: str
) -> None:
    state = await answer(question, **{"measure": "orders_total", "time": "today", **plan})
    assert words in state["error"].message


async def test_what_is_used_by_the_things_of_a_measure_is_another_measure(answer: Callable[..., Any]) -> None:
    state = await answer("fuel used by the controllers today", measure=REQUESTS, time="today")
    assert state["error"].error_type == "metric_not_found"


async def test_what_is_near_its_limit_is_ranked_by_its_share(answer: Callable[..., Any]) -> None:
    plan = {"measure": "label_queue_depth", "kind": "ranking", "order": "lowest", "split_by": ["queue"]}
    said = await told(answer("which queue is closest to its capacity", **plan))
    assert "25%" in said
    assert "label queue depth as a share of label queue capacity" in said.lower()


async def test_the_capacity_of_one_thing_is_not_that_of_another(answer: Callable[..., Any]) -> None:
    plan = {"measure": "cold_room_temperature_celsius", "kind": "share", "per": "capacity"}
    state = await answer("cold room temperature as a share of capacity", **plan)
    assert state["error"].error_type == "metric_not_found"


async def test_a_rate_is_not_given_to_who_asks_for_percent(answer: Callable[..., Any]) -> None:
    state = await answer(
        "controller requests of c1 in the last hour, in percent", measure="controller_requests_total", kind="figure"
    )
    assert "not in %" in state["error"].message


async def test_a_word_that_is_no_time_says_no_time(answer: Callable[..., Any]) -> None:
    said = await told(
        answer("how warm is r1 still", measure="cold_room_temperature_celsius", time="still", filters=["r1"])
    )
    assert said == "Average cold room temperature for room r1, now: 3 °C."
