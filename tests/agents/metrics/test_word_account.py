"""Words that the model does not mark: each narrows, is told as not considered, or says that something else is meant.

The business, a swimming bath, is in a real Prometheus; the plans leave out what a small model leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask

from signalbox.models import load_chat_model

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 90
HELP = {
    "pump_running": "1 while the pump runs, 0 while it stands still.",
    "cleaner_state": "State of a cleaning robot: 1 for the one it is in.",
    "visitors_total": "Visitors let in, by hall and ticket.",
    "lockers": "Lockers that there are.",
    "lockers_taken": "Lockers that are taken.",
    "water_temperature_celsius": "Temperature of the water.",
    "water_setpoint_celsius": "Temperature that the water should have.",
    "slide_speed_metres_per_second": "Speed at the end of a slide.",
    "chlorine_used_kilograms_total": "Chlorine used, by basin and way of the valve.",
    "sauna_link_up": "1 if the controller of a sauna answers.",
    "sauna_controller_info": "Firmware of each controller.",
}
STATES = {"R1": "idle", "R2": "cleaning", "R3": "cleaning", "R4": "fault"}


def series(minute: int) -> Mapping[str, float]:
    """Every series so many minutes after the start."""
    return {
        'pump_running{pump="P1",hall="us"}': 1,
        'pump_running{pump="P2",hall="us"}': 0,
        'pump_running{pump="P3",hall="eu"}': 1,
        **{
            f'cleaner_state{{robot="{robot}",state="{state}"}}': float(own == state)
            for robot, own in STATES.items()
            for state in ("idle", "cleaning", "fault")
        },
        'visitors_total{hall="us",ticket="day"}': 6 * minute,
        'visitors_total{hall="us",ticket="family"}': 2 * minute,
        'visitors_total{hall="eu",ticket="day"}': 3 * minute,
        'visitors_total{hall="eu",ticket="family"}': minute,
        'lockers{hall="us"}': 100,
        'lockers{hall="eu"}': 40,
        'lockers_taken{hall="us"}': 70,
        'lockers_taken{hall="eu"}': 40,
        'water_temperature_celsius{hall="us"}': 29,
        'water_temperature_celsius{hall="eu"}': 26,
        'water_setpoint_celsius{hall="us"}': 28,
        'water_setpoint_celsius{hall="eu"}': 28,
        'slide_speed_metres_per_second{slide="red"}': 6,
        'slide_speed_metres_per_second{slide="blue"}': 8,
        'chlorine_used_kilograms_total{basin="deep",valve="in"}': 3 * minute,
        'chlorine_used_kilograms_total{basin="kids",valve="out"}': minute,
        'sauna_link_up{sauna="dry-hot"}': 0,
        'sauna_link_up{sauna="steam"}': 1,
        **{f'sauna_controller_info{{hall="us",sauna="{one}",firmware="{n}"}}': 1 for n, one in enumerate("ab")},
    }


async def result_of(asked: Any) -> Any:
    state = await asked
    assert state["error"] is None, state["error"]
    return state["result"]


@pytest.mark.parametrize(
    ("question", "count", "names"),
    [
        ("how many pumps stand still?", 1, ["P2"]),
        ("how many pumps are not running?", 1, ["P2"]),
        ("how many pumps aren't standing still?", 2, ["P1", "P3"]),
        ("how many pumps are running?", 2, ["P1", "P3"]),
    ],
)
async def test_what_is_in_a_state_is_counted_and_what_is_not(
    answer: Callable[..., Any], question: str, count: int, names: list[str]
) -> None:
    result = await result_of(answer(question, measure="pump_running", kind="figure"))
    assert (result.kind, result.value) == ("value", count)
    assert sorted(one.labels["pump"] for one in result.ranking) == names
    assert result.not_covered == []


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("how many robots are idle?", 1),
        ("how many robots are not cleaning?", 2),
        ("how many robots are idle or broken?", 2),
    ],
)
async def test_robots_are_counted_by_the_state_that_is_named(
    answer: Callable[..., Any], question: str, count: int
) -> None:
    result = await result_of(answer(question, measure="cleaner_state", kind="figure"))
    assert result.value == count


async def test_things_are_counted_by_state(answer: Callable[..., Any]) -> None:
    question = "how many robots are in each state?"
    plan = {"measure": "cleaner_state", "kind": "ranking", "how": "total", "split_by": ["state"]}
    result = await result_of(answer(question, **plan))
    assert {one.labels["state"]: one.value for one in result.ranking} == {"cleaning": 2, "idle": 1, "fault": 1}


@pytest.mark.parametrize(
    ("question", "filters", "start"),
    [
        ("are all pumps running?", [], "No, 1 of 3 is not running"),
        ("is pump P1 running?", ["P1"], "Yes, "),
        ("is any pump standing still?", [], "Yes, 1 of 3 is not running"),
        ("are the pumps in eu running?", [], "Yes, "),
    ],
)
async def test_a_question_for_yes_or_no_is_answered_so(
    answer: Callable[..., Any], question: str, filters: list[str], start: str
) -> None:
    result = await result_of(answer(question, measure="pump_running", kind="up", filters=filters))
    assert result.summary.startswith(start)


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("visitors in the us, last hour", {"hall": "us"}),
        ("day visitors in eu, last hour", {"hall": "eu", "ticket": "day"}),
    ],
)
async def test_a_small_word_that_stands_as_a_name_narrows(
    answer: Callable[..., Any], question: str, labels: dict[str, str]
) -> None:
    state = await answer(question, measure="visitors_total", how="total", time="last hour")
    assert state["parsed_query"].filters == labels


async def test_small_words_elsewhere_are_no_names(answer: Callable[..., Any]) -> None:
    state = await answer("give us the visitors of the last hour", measure="visitors_total", time="last hour")
    assert state["parsed_query"].filters is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("senior visitors in the last hour", "senior"),
        ("visitors of the sauna in the last hour", "sauna"),
        ("visitors refunded in the last hour", "refunded"),
    ],
)
async def test_a_word_that_changes_what_is_meant_is_told_or_refused(
    answer: Callable[..., Any], question: str, words: str
) -> None:
    state = await answer(question, measure="visitors_total", how="total", time="last hour", confidence=0.9)
    assert state["error"] is not None or words in state["result"].not_covered


async def test_something_else_that_is_counted_is_no_metric_of_this_server(answer: Callable[..., Any]) -> None:
    state = await answer("how many towels were let in today?", measure="visitors_total", how="total", time="today")
    assert state["error"].error_type == "metric_not_found"


async def test_verbs_are_no_noise_beside_a_right_answer(answer: Callable[..., Any]) -> None:
    result = await result_of(
        answer("which hall gobbles the most visitors?", measure="visitors_total", kind="ranking", split_by=["hall"])
    )
    assert result.not_covered == []


async def test_speeds_do_not_add_up(answer: Callable[..., Any]) -> None:
    result = await result_of(answer("slide speed", measure="slide_speed_metres_per_second", kind="figure"))
    assert result.value == 7


async def test_a_question_without_any_word_that_is_known_is_not_understood(business: Told) -> None:
    state = await ask(business, "gurble fnorp zasp", load_chat_model("offline"))
    assert state["error"].error_type == "parsing_error"


async def test_a_unit_says_what_is_measured(business: Told, scripted: Callable[..., Any]) -> None:
    plan = {"measure": "chlorine_used_kilograms_total", "kind": "ranking", "order": "highest", "split_by": ["basin"]}
    result = await result_of(ask(business, "which basin gulped the most kg", scripted({**plan, "time": "last hour"})))
    assert result.ranking[0].labels["basin"] == "deep"


@pytest.mark.parametrize(
    ("question", "valve"),
    [("chlorine used at valve in, last hour", "in"), ("chlorine used at the valve in the last hour", "")],
)
async def test_a_small_word_beside_its_label_is_a_name(
    business: Told, scripted: Callable[..., Any], question: str, valve: str
) -> None:
    plan = {"measure": "chlorine_used_kilograms_total", "kind": "figure", "how": "total", "time": "last hour"}
    result = await result_of(ask(business, question, scripted(plan)))
    assert (f'valve="{valve}"' in result.promql) == bool(valve)


async def test_a_name_may_end_in_a_small_word(business: Told, scripted: Callable[..., Any]) -> None:
    result = await result_of(ask(business, "is the dry-hot sauna up?", scripted({"kind": "up"})))
    assert result.summary.startswith("No, ")
    assert "dry-hot" in result.promql


async def test_a_name_with_a_capital_inside_is_not_passed_over(business: Told, scripted: Callable[..., Any]) -> None:
    plan = {"measure": "water_temperature_celsius", "kind": "figure"}
    result = await result_of(ask(business, "rH and temperature of the water", scripted(plan)))
    assert "Not considered: rH" in result.summary


async def test_what_has_several_values_for_one_thing_is_not_joined(
    business: Told, scripted: Callable[..., Any]
) -> None:
    plan = {"measure": "water_temperature_celsius", "kind": "figure", "split_by": ["firmware"]}
    state = await ask(business, "water temperature by firmware", scripted(plan))
    assert 'cannot be split by "firmware"' in state["error"].message
