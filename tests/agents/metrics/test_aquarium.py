"""An aquarium on a real Prometheus: what is full, what is beyond a limit of its own, and what info metrics know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import told

END = datetime(2026, 6, 3, 15, 0, tzinfo=UTC)
MINUTES = 2 * 1440
HELP = {
    "hall_seats_free": "Seats nobody sits on.",
    "hall_seats_capacity": "All seats of a hall.",
    "salt_used_kilograms": "Salt taken out of a silo.",
    "salt_size_kilograms": "What a silo holds.",
    "pump_motor_temperature_celsius": "Temperature of the motor of a pump.",
    "pump_motor_temperature_limit_celsius": "How hot the motor of a pump may get.",
    "feed_doses_total": "Doses of feed that were given.",
    "feeder_info": "What a feeder is.",
    "lamp_mode": "What a lamp does.",
    "gate_up": "Whether a gate can be reached.",
    "chiller_up": "Whether a chiller runs.",
    "ticket_wait_seconds": "How long a ticket took at a desk.",
    "ticket_wait_seconds_sum": "How long a ticket took at a desk.",
    "ticket_wait_seconds_count": "How long a ticket took at a desk.",
}


def series(minute: int) -> Mapping[str, float]:
    """For the last hour motor p1 is above its limit, gate g2 is gone and lamp l2 has a fault. Of the feeders east gave
    most by far, and west a little more in the last minutes."""
    is_late = minute > MINUTES - 60
    lamps = {"l1": "day", "l2": "fault" if is_late else "night"}
    return {
        'hall_seats_free{hall="reef"}': 30,
        'hall_seats_free{hall="shark"}': 10,
        'hall_seats_capacity{hall="reef"}': 120,
        'hall_seats_capacity{hall="shark"}': 200,
        'salt_used_kilograms{silo="north"}': 90,
        'salt_used_kilograms{silo="south"}': 20,
        'salt_size_kilograms{silo="north"}': 100,
        'salt_size_kilograms{silo="south"}': 200,
        'pump_motor_temperature_celsius{pump="p1"}': 74 if is_late else 60,
        'pump_motor_temperature_celsius{pump="p2"}': 71,
        'pump_motor_temperature_limit_celsius{pump="p1"}': 70,
        'pump_motor_temperature_limit_celsius{pump="p2"}': 80,
        'feed_doses_total{feeder="east"}': min(minute, MINUTES - 10) // 5,
        'feed_doses_total{feeder="west"}': minute // 480 + (minute > MINUTES - 4) + (minute > MINUTES - 2),
        'feeder_info{feeder="east",firmware="3.1"}': 1,
        'feeder_info{feeder="west",firmware="2.9"}': 1,
        **{
            f'lamp_mode{{lamp="{lamp}",mode="{one}"}}': int(one == mode)
            for lamp, mode in lamps.items()
            for one in ("day", "night", "fault")
        },
        'gate_up{gate="g1"}': 1,
        'gate_up{gate="g2"}': int(not is_late),
        'chiller_up{chiller="c1"}': 1,
        **{
            f'ticket_wait_seconds{part}{{desk="{desk}"{label}}}': value
            for desk, each in (("hall", 2), ("pier", 1))
            for part, label, value in (
                ("", ',quantile="0.95"', 40.0), ("_sum", "", 30.0 * each * minute), ("_count", "", each * minute),
            )
        },
    }  # fmt: skip


async def refused(asked: Any) -> str:
    state = await asked
    assert state["result"] is None, state["result"].summary
    return f"{state['error'].error_type}: {state['error'].message}"


MOTORS = "pump_motor_temperature_celsius"


async def test_a_limit_that_nothing_tells_is_no_bound(answer: Callable[..., Any]) -> None:
    asked = answer("is any motor above its quota?", measure=MOTORS, kind="threshold", bound="its quota")
    assert "is no figure" in await refused(asked)


@pytest.mark.parametrize(
    "plan",
    [
        {"kind": "comparison", "time": "24h ago"},
        {"kind": "comparison", "against": "24h ago"},
        {"kind": "comparison", "time": "24h ago", "against": "now"},
        {"kind": "figure", "time": "24h ago"},
    ],
)
async def test_so_long_ago_is_compared_with_wherever_it_stands(
    answer: Callable[..., Any], plan: dict[str, Any]
) -> None:
    asked = answer("heat of motor p1 compared with 24h ago", measure=MOTORS, filters=["p1"], **plan)
    assert "74 °C, against 60 °C" in await told(asked)


async def test_hotter_after_a_moment_is_compared_with_the_time_before_it(answer: Callable[..., Any]) -> None:
    plan = {"measure": MOTORS, "kind": "threshold", "filters": ["p1"], "time": "14:00"}
    said = await told(answer("did p1 get hotter after the restart at 14:00?", **plan))
    assert "against 60 °C" in said
    assert "above" not in said


@pytest.mark.parametrize("words", ["nine out of ten", "9 out of 10", "slowest 5%"])
async def test_other_words_are_no_percentile(answer: Callable[..., Any], words: str) -> None:
    asked = answer(f"ticket wait of {words}", measure="ticket_wait_seconds", percentiles=[words])
    assert "is no percentile" in await refused(asked)


async def test_what_is_not_measured_is_not_refused_for_its_time(answer: Callable[..., Any]) -> None:
    said = await refused(answer("how many divers work tonight?", kind="figure", time="tonight"))
    assert said.startswith("metric_not_found")


@pytest.mark.parametrize(
    ("question", "plan"), [("is everything up?", {"kind": "up"}), ("has anything been down today?", {"time": "today"})]
)
async def test_everything_is_all_that_says_whether_it_is_up(
    answer: Callable[..., Any], question: str, plan: dict[str, str]
) -> None:
    said = await told(answer(question, **plan))
    assert "gate_up: 1 of 2" in said
    assert "chiller_up: " in said
    assert "lamp_mode: 1 of 2" in said
