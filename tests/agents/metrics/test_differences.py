"""One measure less another: what is free, still to do, a gap, a balance, over things, over times, and what cannot be.

The samples are in a real Prometheus; the help texts, which it only has of what it scrapes, are added to what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 180
HELP = {
    "ferry_seats": "Seats on a ferry.",
    "ferry_passengers_aboard": "Passengers on board.",
    "ferry_cargo_kilograms": "Cargo on board.",
    "depot_parcels_accepted_total": "Parcels handed in.",
    "depot_parcels_dispatched_total": "Parcels sent on their way.",
    "boats_dispatched_total": "Boats sent out.",
    "gate_passages_total": "People through a gate, by direction: in or out.",
    "depot_locker_boxes": "Boxes that a locker has.",
    "depot_locker_boxes_taken": "Boxes with something in them.",
    "flow_temperature_celsius": "Water that leaves a boiler.",
    "return_temperature_celsius": "Water that comes back to a boiler.",
}


def series(minute: int) -> Mapping[str, float]:
    """Every series so many minutes after the start."""
    late = minute > 120
    return {
        'ferry_seats{ferry="Gull",deck="upper",instance="plan:1"}': 100,
        'ferry_seats{ferry="Gull",deck="lower",instance="plan:1"}': 200,
        'ferry_seats{ferry="Tern",deck="upper",instance="plan:1"}': 80,
        'ferry_passengers_aboard{ferry="Gull",instance="crew:1"}': 180 + 100 * (100 <= minute < 110),
        'ferry_passengers_aboard{ferry="Tern",instance="crew:1"}': 95,
        'ferry_cargo_kilograms{ferry="Gull"}': 900,
        'depot_parcels_accepted_total{depot="Quay"}': 10 * minute,
        'depot_parcels_accepted_total{depot="Hill"}': 4 * minute,
        'depot_parcels_dispatched_total{depot="Quay"}': 10 * min(minute, 120) + 4 * max(minute - 120, 0),
        'boats_dispatched_total{pier="North"}': minute,
        'gate_passages_total{gate="Harbour",direction="in"}': 9 * minute,
        'gate_passages_total{gate="Harbour",direction="out"}': 2 * minute,
        'gate_passages_total{gate="Garden",direction="out"}': minute,
        'depot_locker_boxes{site="Quay"}': 60,
        'depot_locker_boxes_taken{site="Quay",size="small",colour="red"}': 20,
        'depot_locker_boxes_taken{site="Quay",size="large",colour="red"}': 5,
        'flow_temperature_celsius{boiler="B1"}': 70 + 10 * late,
        'flow_temperature_celsius{boiler="B2"}': 60,
        'return_temperature_celsius{boiler="B1"}': 50,
        'return_temperature_celsius{boiler="B2"}': 55,
    }


async def result_of(asked: Any) -> Any:
    state = await asked
    assert state["error"] is None, state["error"]
    return state["result"]


FREE = {"measure": "ferry_seats", "less": "ferry_passengers_aboard"}
"""The plan of how many seats are free."""
WAITING = {"measure": "depot_parcels_accepted_total", "less": "depot_parcels_dispatched_total", "time": "last hour"}
"""The plan of how many parcels lie in a depot."""
SPREAD = {"measure": "flow_temperature_celsius", "less": "return_temperature_celsius"}


@pytest.mark.parametrize("words", ["ferry_passengers_aboard", "passengers aboard", "those aboard"])
async def test_the_answer_is_the_one_less_the_other_and_says_so(answer: Callable[..., Any], words: str) -> None:
    question = f"seats on the ferries that are not taken by {words}"
    result = await result_of(answer(question, measure="ferry_seats", kind="figure", less=words))
    assert result.value == 380 - 275
    assert result.summary.startswith("Ferry seats less ferry passengers aboard, now: 105.")
    assert result.title == "Ferry seats less ferry passengers aboard"
    assert result.not_covered == []


async def test_a_thing_that_both_have_narrows_both(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("free seats on Gull", **FREE, kind="figure", filters=["Gull"]))
    assert result.value == 120
    assert "for ferry Gull" in result.summary


async def test_a_thing_that_only_one_has_is_told_beside_it(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("upper deck seats less all aboard", **FREE, kind="figure", filters=["upper"]))
    assert result.value == 180 - 275
    assert "Ferry seats (deck upper) less ferry passengers aboard" in result.summary


async def test_things_are_ranked_and_split_by_what_they_have_left(answer: Callable[..., Any]) -> None:
    for kind, order, first in (("ranking", "highest", "Gull"), ("ranking", "lowest", "Tern"), ("figure", None, "Gull")):
        result = await result_of(answer("free seats by ferry", **FREE, kind=kind, order=order, split_by=["ferry"]))
        assert result.ranking[0].labels["ferry"] == first
        assert {one.labels["ferry"]: one.value for one in result.ranking} == {"Gull": 120, "Tern": -15}


async def test_a_split_that_one_of_the_two_has_not_is_refused_with_those_that_both_have(
    answer: Callable[..., Any],
) -> None:
    state = await answer("free seats by deck", **FREE, kind="ranking", split_by=["deck"])
    assert "Ferry passengers aboard cannot be split by deck" in state["error"].message
    assert state["error"].suggestion == "Both can be split by: ferry."


async def test_what_adds_up_is_the_total_of_one_less_that_of_the_other(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("parcels not sent on in the last hour", **WAITING, kind="figure", how="total"))
    assert result.value == pytest.approx(14 * 60 - 4 * 60, rel=0.03)
    assert "parcels accepted" in result.summary
    assert "less depot parcels dispatched" in result.summary


async def test_words_that_several_measures_have_mean_that_of_the_first_ones_things(answer: Callable[..., Any]) -> None:
    plan = {**WAITING, "less": "the dispatched ones", "kind": "figure", "how": "total"}
    result = await result_of(answer("parcels accepted minus the dispatched ones, last hour", **plan))
    assert result.value == pytest.approx(14 * 60 - 4 * 60, rel=0.03)


async def test_what_was_never_counted_of_a_thing_takes_nothing_from_it(answer: Callable[..., Any]) -> None:
    result = await result_of(
        answer("parcels not sent on, by depot, last hour", **WAITING, kind="ranking", how="total", split_by=["depot"])
    )
    assert {one.labels["depot"]: round(one.value, -1) for one in result.ranking} == {"Quay": 360, "Hill": 240}


@pytest.mark.parametrize("words", ["out", "people out", "direction=out"])
async def test_one_direction_less_the_other_is_what_stays(answer: Callable[..., Any], words: str) -> None:
    plan = {"measure": "gate_passages_total", "kind": "figure", "how": "total", "time": "last hour"}
    result = await result_of(answer("people in minus out last hour", **plan, filters=["in"], less=words))
    assert result.value == pytest.approx(9 * 60 - 3 * 60, rel=0.03)
    assert "(direction in) less" in result.summary
    assert "(direction out)" in result.summary


async def test_a_gate_that_is_only_left_by_has_a_balance_too(answer: Callable[..., Any]) -> None:
    plan = {"measure": "gate_passages_total", "kind": "ranking", "how": "total", "time": "last hour"}
    result = await result_of(
        answer("in minus out by gate, last hour", **plan, filters=["in"], less="out", split_by=["gate"])
    )
    assert {one.labels["gate"]: round(one.value, -1) for one in result.ranking} == {"Harbour": 420, "Garden": -60}


async def test_the_curve_the_extreme_and_the_comparison_are_of_the_difference(answer: Callable[..., Any]) -> None:
    plan = {**FREE, "filters": ["Gull"], "time": "last 2 hours"}
    curve = await result_of(answer("plot free seats on Gull over the last 2 hours", **plan, kind="curve"))
    assert {point.value for point in curve.series[0].datapoints} == {20, 120}
    fewest = await result_of(answer("when were the fewest seats free on Gull", **plan, kind="extreme", order="lowest"))
    assert (fewest.value, fewest.at.hour, fewest.at.minute // 10) == (20, 10, 4)
    both = {**WAITING, "kind": "comparison", "filters": ["Quay"], "how": "total", "against": "the hour before"}
    change = await result_of(answer("parcels left at Quay in the last hour against the hour before", **both))
    assert change.comparison.a == pytest.approx(360, rel=0.03)
    assert change.comparison.b == pytest.approx(0, abs=8)


async def test_a_difference_is_held_against_a_bound_thing_by_thing(answer: Callable[..., Any]) -> None:
    plan = {**SPREAD, "kind": "threshold", "side": "above", "bound": "20 °C"}
    result = await result_of(answer("which boilers give off more than 20 degrees", **plan))
    assert [(one.labels["boiler"], one.value) for one in result.ranking] == [("B1", 30)]


async def test_levels_are_averaged_on_both_sides(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("average drop of the water now", **SPREAD, kind="figure"))
    assert (result.value, result.unit) == (70 - 52.5, "celsius")


async def test_the_highest_difference_is_that_of_one_thing(answer: Callable[..., Any]) -> None:
    now = await result_of(answer("highest drop of the water at any boiler now", **SPREAD, kind="figure", how="highest"))
    assert now.value == 30
    seats = await result_of(answer("most free seats on one ferry now", **FREE, kind="figure", how="highest"))
    assert seats.value == 120
    hour = {**SPREAD, "kind": "figure", "how": "lowest", "time": "last hour"}
    assert (await result_of(answer("lowest drop of the water in the last hour", **hour))).value == 5


async def test_in_percent_it_is_what_is_left_of_the_first(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("share of seats free on Gull", **FREE, kind="share", filters=["Gull"]))
    assert (result.value, result.unit) == (0.4, "ratio")


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ({**FREE, "less": "ferry_cargo_kilograms"}, "ferry seats and ferry cargo kilograms are of different kinds"),
        ({**FREE, "less": "flow_temperature_celsius"}, "different kinds"),
        (
            {**FREE, "less": "depot_parcels_accepted_total"},
            "depot parcels accepted are of different kinds",
        ),
        ({**FREE, "less": "ferry_seats"}, "both measures in the question are ferry seats"),
        ({**FREE, "per": "ferry_cargo_kilograms"}, "one answer does only one of the two"),
        ({**FREE, "less": "unicorns"}, 'No metric for "unicorns"'),
    ],
)
async def test_what_cannot_be_taken_away_is_refused_with_both_named(
    answer: Callable[..., Any], plan: dict[str, Any], told: str
) -> None:
    state = await answer("what is free on the ferries", **plan, kind="figure")
    assert state["result"] is None
    assert told.lower() in state["error"].message.lower()


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many more passengers could come aboard Gull", {**FREE, "filters": ["Gull"]}),
        ("vacant seats on Gull", {**FREE, "filters": ["Gull"]}),
        ("parcels accepted but not dispatched yet in the last hour", {**WAITING, "how": "total"}),
        ("parcels handed in and not yet sent on their way, last hour", {**WAITING, "how": "total"}),
        ("how much warmer does the water leave than it comes back to the boiler", SPREAD),
    ],
)
async def test_words_of_the_second_measure_are_considered(
    answer: Callable[..., Any], question: str, plan: dict[str, Any]
) -> None:
    assert (await result_of(answer(question, **plan, kind="figure", confidence=0.9))).not_covered == []
