"""Plans for a business with codes for names: its help texts explain them, and people use other words.

The samples are in a real Prometheus; the help texts, which it only has of what it scrapes, are added to what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 180
HELP = {
    "wash_loads_total": "Loads washed, by programme: ctn cotton, wol wool and silk, spn could not be spun.",
    "wash_loads_failed_total": "Loads that had to be washed again.",
    "drum_temperature_celsius": "Temperature in the drum of a washing machine.",
    "locker_boxes": "Boxes for clean clothes at a branch.",
    "locker_boxes_taken": "Boxes for clean clothes that are in use.",
    "press_ready": "1 while a press can be used, 0 while it cannot.",
    "soap_litres": "Soap in the store of a branch.",
    "soap_capacity_litres": "Soap that the store of a branch has room for.",
    "desk_calls_total": "Calls to the front desk, by line.",
    "pickup_texts_sent_total": "Texts that tell customers to come.",
    "pickup_texts_bounced_total": "Those that came back.",
    "desk_staff": "Clerks at work.",
    "dryer_rated_loads_per_hour": "Loads an hour that a branch is built for.",
    "inspection_last_timestamp_seconds": "When a press was inspected last.",
    "permit_expiry_seconds": "When the permit of a branch runs out.",
}


def series(minute: int) -> Mapping[str, float]:
    """Every series so many minutes after the start. In the last hour the drum of machine W1 in SUD is at 95 for half an
    hour; the desk of L118 is called twice a minute then, and before that once."""
    late = max(minute - (MINUTES - 60), 0)
    return {
        'wash_loads_total{branch="NRD",programme="ctn"}': 3 * minute,
        'wash_loads_total{branch="NRD",programme="wol"}': minute,
        'wash_loads_total{branch="SUD",programme="ctn"}': 2 * minute,
        'wash_loads_total{branch="SUD",programme="spn"}': 2 * minute,
        'wash_loads_failed_total{branch="NRD"}': 0.4 * minute,
        'wash_loads_failed_total{branch="SUD"}': 0.2 * minute,
        'drum_temperature_celsius{branch="NRD",machine="W1"}': 40,
        'drum_temperature_celsius{branch="SUD",machine="W1"}': 95 if 0 < late <= 30 else 41,
        'drum_temperature_celsius{branch="NRD",machine="W2"}': 42,
        'locker_boxes{branch="NRD"}': 50,
        'locker_boxes{branch="SUD"}': 100,
        'locker_boxes_taken{branch="NRD"}': 40,
        'locker_boxes_taken{branch="SUD"}': 10,
        'pickup_texts_sent_total{branch="NRD"}': 4 * minute,
        'pickup_texts_bounced_total{branch="NRD"}': minute,
        'press_ready{press="P1"}': 1,
        'press_ready{press="P2"}': 0,
        'soap_litres{branch="NRD",product="BLCH"}': 4,
        'soap_litres{branch="SUD",product="BLCH"}': 90,
        'soap_litres{branch="SUD",product="SFTN"}': 30,
        'soap_capacity_litres{branch="NRD",product="BLCH"}': 100,
        'soap_capacity_litres{branch="SUD",product="BLCH"}': 100,
        'soap_capacity_litres{branch="SUD",product="SFTN"}': 60,
        'desk_calls_total{line="L118"}': minute + late,
        'desk_calls_total{line="L7"}': 5 * minute,
        'desk_staff{shift="day"}': 4,
        'desk_staff{shift="night"}': 2,
        'dryer_rated_loads_per_hour{branch="NRD"}': 480,
        'dryer_rated_loads_per_hour{branch="SUD"}': 400,
        'inspection_last_timestamp_seconds{press="P1"}': END.timestamp() - 3 * 86400,
        'permit_expiry_seconds{branch="NRD"}': END.timestamp() + 10 * 86400,
        'permit_expiry_seconds{branch="SUD"}': END.timestamp() + 40 * 86400,
    }


@pytest.fixture
def answer(business: Told, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """What a test calls with a question and its plan."""
    return lambda question, **plan: ask(business, question, scripted({"time": "last hour", **plan}))


async def figure(asked: Any) -> float:
    state = await asked
    assert state["error"] is None, state["error"]
    return float(state["result"].value)


async def test_what_happened_is_the_part_of_a_share_and_the_name_beside_it_says_where(
    answer: Callable[..., Any],
) -> None:
    asked = answer(
        "Of the loads in SUD in the last hour, which share couldn't be spun?",
        measure="wash_loads_total", kind="share", filters=["SUD"],
    )  # fmt: skip
    assert await figure(asked) == pytest.approx(0.5, rel=0.01)


async def test_a_code_that_is_not_there_is_refused_also_beside_a_word_of_the_measure(
    answer: Callable[..., Any],
) -> None:
    state = await answer("heat of drum QQ", measure="drum_temperature_celsius", kind="figure", filters=["drum QQ"])
    assert state["error"].error_type == "invalid_query"
    assert "QQ" in state["error"].message


async def test_a_model_that_finds_no_measure_and_says_why_is_believed(answer: Callable[..., Any]) -> None:
    state = await answer("how hot is the tea kitchen's temperature", kind="figure", not_covered=["tea kitchen"])
    assert state["error"].error_type == "metric_not_found"


async def test_two_things_narrow_both_measures(answer: Callable[..., Any]) -> None:
    plan = {
        "measure": "wash_loads_failed_total",
        "kind": "figure",
        "per": "wash_loads_total",
        "filters": ["NRD", "SUD"],
    }
    state = await answer("failed loads per load at NRD and SUD together in the last hour", **plan)
    assert state["result"].value == pytest.approx(0.075, rel=0.01)


async def test_two_times_of_a_ratio_are_compared_with_each_other(answer: Callable[..., Any]) -> None:
    state = await answer(
        "desk calls per load, the last hour against the hour before", measure="desk_calls_total", kind="comparison",
        per="load", filters=["L118"], against="the hour before",
    )  # fmt: skip
    pair = state["result"].comparison
    assert (pair.a / pair.b) == pytest.approx(2, rel=0.03)


async def test_each_series_is_judged_where_their_mean_would_hide_one(answer: Callable[..., Any]) -> None:
    state = await answer(
        "did any machine go over 90 degrees in the last hour", measure="drum_temperature_celsius", kind="threshold",
        side="above", scope="any", bound="90 degrees", split_by=["machine"],
    )  # fmt: skip
    assert state["result"].summary.startswith("Yes, 1 of 3")
    assert [one.labels["branch"] for one in state["result"].ranking] == ["SUD"]


async def test_how_many_are_beyond_a_bound_is_a_number(answer: Callable[..., Any]) -> None:
    state = await answer(
        "how many drums went over 41.5 degrees in the last hour", measure="drum_temperature_celsius", kind="threshold",
        side="above", scope="count", bound="41.5 degrees",
    )  # fmt: skip
    assert (state["result"].kind, state["result"].value) == ("value", 2)


async def test_a_bound_that_nobody_names_is_asked_for(answer: Callable[..., Any]) -> None:
    state = await answer("which branch is low on soap", measure="soap_litres", kind="threshold", side="below", time="")
    assert state["error"].error_type == "invalid_query"
    assert "bound" in state["error"].message


@pytest.mark.parametrize(
    ("question", "press"), [("which presses are ready", "P1"), ("which presses aren't ready", "P2")]
)
async def test_of_a_state_those_are_listed_that_are_in_it(
    answer: Callable[..., Any], question: str, press: str
) -> None:
    state = await answer(question, measure="press_ready", kind="ranking", split_by=["presses"], time="")
    assert [one.labels["press"] for one in state["result"].ranking] == [press]


async def test_what_is_asked_for_one_place_is_one_figure(answer: Callable[..., Any]) -> None:
    asked = answer(
        "loads failed by branch SUD in the last hour", measure="wash_loads_failed_total", kind="figure", how="total",
        filters=["SUD"],
    )  # fmt: skip
    state = await asked
    assert (state["result"].kind, state["result"].value) == ("value", pytest.approx(12, rel=0.02))


@pytest.mark.parametrize("filters", [["SUD", "cotton"], ["cotton", "SUD"]])
async def test_the_part_of_a_share_is_what_is_asked_last_in_whatever_order_it_was_read(
    answer: Callable[..., Any], filters: list[str]
) -> None:
    asked = answer(
        "of what SUD washed in the last hour, which part was cotton", measure="wash_loads_total", kind="share",
        filters=filters,
    )  # fmt: skip
    assert await figure(asked) == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("question", "measure", "days", "title"),
    [
        ("how long ago was the press inspected", "inspection_last_timestamp_seconds", 3, "time since"),
        ("how many days until a permit runs out", "permit_expiry_seconds", 10, "time until"),
    ],
)
async def test_a_moment_is_told_as_the_time_since_or_until_it(
    answer: Callable[..., Any], question: str, measure: str, days: int, title: str
) -> None:
    state = await answer(question, measure=measure, kind="figure", time="")
    assert state["result"].value == pytest.approx(days * 86400, rel=0.01)
    assert title in state["result"].summary.casefold()
