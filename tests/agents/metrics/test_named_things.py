"""Questions that name things rather than measures, on a business of which the model knows nothing.

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
    "dock_boats_total": "Boats that came in, by how it ended.",
    "dock_boats_moored": "Boats at a pier.",
    "dock_boats_allowed": "Boats a pier may hold.",
    "dock_depth_metres": "Water under a pier.",
    "dock_power_watts": "Electricity that a pier takes.",
    "dock_energy_joules_total": "Energy of a pier, by direction: taken from the grid or given back.",
    "lift_broken": "1 while a lift is out of order.",
    "crane_turning": "1 while a crane turns, 0 while it stands.",
    "fuel_litres": "Fuel in a tank.",
    "fuel_capacity_litres": "Fuel that a tank can hold.",
    "pier_info": "What a pier is; always 1.",
}


def series(minute: int) -> Mapping[str, float]:
    """Every series so many minutes after the start."""
    return {
        'dock_boats_total{pier="North left",result="nobody aboard"}': minute,
        'dock_boats_total{pier="North left",result="moored"}': 3 * minute,
        'dock_boats_total{pier="North right",result="moored"}': 6 * minute,
        'dock_boats_moored{pier="North left"}': 12,
        'dock_boats_moored{pier="North right"}': 30,
        'dock_boats_allowed{pier="North left"}': 20,
        'dock_boats_allowed{pier="North right"}': 32,
        'dock_depth_metres{pier="North left"}': 4 + (minute == 150),
        'dock_depth_metres{pier="North right"}': 3,
        'dock_power_watts{pier="North left"}': 3000,
        'dock_power_watts{pier="North right"}': 1000,
        'dock_energy_joules_total{pier="North left",direction="taken"}': 360_000 * minute,
        'dock_energy_joules_total{pier="North left",direction="given"}': 36_000 * minute,
        'lift_broken{lift="L1"}': int(minute >= MINUTES - 20),
        'lift_broken{lift="L2"}': 0,
        'crane_turning{crane="C1"}': 1,
        'crane_turning{crane="C2"}': 0,
        'crane_turning{crane="C3"}': 1,
        'fuel_litres{tank="red"}': 10,
        'fuel_litres{tank="blue"}': 90,
        'fuel_capacity_litres{tank="red"}': 100,
        'fuel_capacity_litres{tank="blue"}': 120,
        'pier_info{pier="North left",owner="Rowing club"}': 1,
        'pier_info{pier="North right",owner="Harbour office"}': 1,
    }


async def result_of(asked: Any) -> Any:
    state = await asked
    assert state["error"] is None, state["error"]
    return state["result"]


async def test_the_kind_of_the_things_is_no_thing(answer: Callable[..., Any]) -> None:
    plan = {"measure": "dock_boats_moored", "kind": "figure", "filters": ["piers"]}
    assert (await result_of(answer("boats at our piers", **plan))).value == 42


async def test_what_is_left_of_a_stock_is_the_stock(answer: Callable[..., Any]) -> None:
    plan = {"measure": "fuel_litres", "kind": "figure", "filters": ["red"]}
    assert (await result_of(answer("how much fuel is left in the red tank", **plan))).value == 10


async def test_a_unit_of_another_kind_is_no_answer(answer: Callable[..., Any]) -> None:
    state = await answer("depth at North left in decibels", measure="dock_depth_metres", unit="decibels")
    assert "is measured in metres, not in decibels" in state["error"].message


async def test_a_day_that_stands_apart_from_its_hours_is_theirs(answer: Callable[..., Any]) -> None:
    question = "when today were the fewest boats at North left, between 10 and 11"
    plan = {"measure": "dock_boats_moored", "kind": "extreme", "order": "lowest", "time": "between 10 and 11"}
    result = await result_of(answer(question, **plan, filters=["North left"]))
    assert (result.time_range.start_time.hour, result.time_range.end_time.hour) == (10, 11)


async def test_a_host_and_a_path_on_it_are_two_names(answer: Callable[..., Any]) -> None:
    plan = {"measure": "dock_boats_total", "kind": "figure", "how": "total", "time": "last hour"}
    result = await result_of(answer("boats, right moored", **plan, filters=["North right moored"]))
    assert result.value == pytest.approx(360, rel=0.03)


async def test_a_share_of_what_may_be_is_one_of_its_pair(answer: Callable[..., Any]) -> None:
    said = {
        "measure": "dock_boats_moored",
        "kind": "share",
        "filters": ["North left"],
        "per": "what it is able to hold",
    }
    answered = await answer("how full is North left, of what its water allows", **said)
    assert answered["result"].value == pytest.approx(0.6, rel=0.02)
