"""A bakery on a real Prometheus: peaks between drawn points, states that exclude each other, and what is free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import told

END = datetime(2026, 6, 3, 15, 0, tzinfo=UTC)
MINUTES = 1440
HELP = {
    "oven_temperature_celsius": "Temperature inside of an oven.",
    "mixer_mode": "What a mixer does.",
    "shelves_free": "Shelves without loaves.",
    "shelves_total_count": "All shelves.",
    "firmware_info": "Firmware of each scale.",
}


def series(minute: int) -> Mapping[str, float]:
    """Oven o1 is at 231 degrees for one minute, in the middle of the day; mixer m2 has been idle for an hour."""
    modes = {"m1": "kneading", "m2": "idle" if minute > MINUTES - 60 else "kneading"}
    return {
        'oven_temperature_celsius{oven="o1"}': 231 if minute == 701 else 200 + minute % 3,
        **{
            f'mixer_mode{{mixer="{mixer}",mode="{one}"}}': int(one == mode)
            for mixer, mode in modes.items()
            for one in ("kneading", "idle", "cleaning")
        },
        'shelves_free{room="cold"}': 12,
        'shelves_free{room="warm"}': 5,
        'shelves_total_count{room="cold"}': 40,
        'shelves_total_count{room="warm"}': 20,
        'firmware_info{scale="s1",version="2.1"}': 1,
        'firmware_info{scale="s2",version="2.0"}': 1,
    }


async def test_the_nearest_to_a_bound_is_told_by_every_sample(answer: Callable[..., Any]) -> None:
    plan = {"measure": "oven_temperature_celsius", "kind": "threshold", "bound": "240 degrees", "time": "last 24 hours"}
    said = await told(answer("did oven o1 exceed 240 degrees in the last 24 hours?", **plan))
    assert said.startswith("No")
    assert "231" in said


async def test_two_states_at_once_are_asked_about(answer: Callable[..., Any]) -> None:
    state = await answer("is mixer m2 kneading idle?", measure="mixer_mode", kind="up", filters=["m2"])
    assert state["error"].error_type == "invalid_query"
    assert "never kneading and idle at once" in state["error"].message


async def test_either_of_two_states_is_looked_for(answer: Callable[..., Any]) -> None:
    said = await told(answer("which mixers are idle or cleaning?", measure="mixer_mode", kind="up"))
    assert said.startswith("1 of 2 is idle or cleaning")
    assert "m2" in said


@pytest.mark.parametrize("per", ["free shelves", "room"])
async def test_a_measure_by_itself_is_the_measure(answer: Callable[..., Any], per: str) -> None:
    asked = answer("free shelves per room", measure="shelves_free", kind="figure", split_by=["room"], per=per)
    said = await told(asked)
    assert "cold (12), 2. warm (5)" in said


async def test_the_version_on_each_thing_is_the_version(answer: Callable[..., Any]) -> None:
    said = await told(answer("which version is on each scale?", kind="things", split_by=["scale"]))
    assert "version 2.1 on s1" in said
    assert "version 2.0 on s2" in said
