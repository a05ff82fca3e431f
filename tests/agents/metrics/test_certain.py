"""A cannery on a real Prometheus: nothing is judged if anything about it is uncertain, and the refusal says what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import told

END = datetime(2026, 6, 3, 15, 0, tzinfo=UTC)
MINUTES = 600
HELP = {
    "freezer_temperature_celsius": "Air temperature inside of a freezer.",
    "freezer_racks": "Racks of a freezer.",
    "compressor_running": "1 while the compressor runs, 0 while it is off.",
    "brine_pump_running": "1 while a brine pump runs, 0 while it stands still.",
    "sealer_state": "State of a sealing line: 1 for the state it is in.",
    "order_wait_seconds": "How long the oldest order waits.",
}
STATES = {"L1": "sealing", "L2": "jammed", "L3": "cleaning"}
COLD = {"measure": "freezer_temperature_celsius", "kind": "threshold", "side": "above"}
DAY = {**COLD, "bound": "-15 degrees", "time": "today"}


def series(minute: int) -> Mapping[str, float]:
    """Freezer F2 was warm for an hour, pump P2 stands still, and line L2 is jammed."""
    return {
        'freezer_temperature_celsius{freezer="F1"}': -20,
        'freezer_temperature_celsius{freezer="F2"}': -12 if 200 < minute < 260 else -19,
        'freezer_racks{freezer="F1"}': 8,
        'compressor_running{compressor="C1"}': 1,
        'brine_pump_running{pump="P1"}': 1,
        'brine_pump_running{pump="P2"}': 0,
        'order_wait_seconds{desk="east"}': 700,
        **{
            f'sealer_state{{line="{line}",state="{state}"}}': float(own == state)
            for line, own in STATES.items()
            for state in ("sealing", "jammed", "cleaning")
        },
    }


@pytest.mark.parametrize(
    ("question", "plan", "words"),
    [
        (
            "which freezers did not go above -15 degrees today?",
            DAY,
            '"not',
        ),
        ("freezers above -15 degrees since the deploy", {**COLD, "bound": "-15 degrees"}, '"since the deploy"'),
        ("was any freezer above -15 degrees?", {**COLD, "bound": "-15 degrees"}, "over which time"),
        ("is any freezer above -20 and below -10 degrees?", {**COLD, "bound": "-10 degrees"}, '"-20"'),
        ("is any freezer too warm?", COLD, "which bound"),
        ("order wait above 600", {"measure": "order_wait_seconds", "kind": "threshold", "bound": "600"}, "has no unit"),
        ("is the dishwasher running?", {"measure": "brine_pump_running", "kind": "up"}, '"dishwasher"'),
        ("which version runs on the brine pumps?", {"measure": "brine_pump_running", "kind": "up"}, '"version"'),
        ("is everything running?", {"measure": "brine_pump_running", "kind": "up"}, "Several measures"),
        ("how many freezer racks are free?", {"measure": "freezer_racks", "kind": "figure"}, '"free"'),
    ],
)
async def test_what_is_not_certain_is_refused(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], words: str
) -> None:
    state = await answer(question, **plan)
    assert state["result"] is None, state["result"].summary
    assert words in state["error"].message


@pytest.mark.parametrize(
    ("question", "plan", "said"),
    [
        (
            "did any freezer go above -15 degrees today?",
            DAY,
            "Yes, 1 of 2",
        ),
        ("which lines are not sealing?", {"measure": "sealer_state", "kind": "up"}, "2 of 3 are not sealing"),
        ("how many lines are not jammed?", {"measure": "sealer_state", "kind": "figure"}, "2 of 3 are not jammed"),
        ("are all pumps ok?", {"kind": "health"}, "1 of 2 is not running"),
        ("since when is pump P2 off?", {"measure": "brine_pump_running", "kind": "up", "filters": ["P2"]}, "P2"),
    ],
)
async def test_what_is_certain_is_answered(
    answer: Callable[..., Any], question: str, plan: dict[str, Any], said: str
) -> None:
    assert said in await told(answer(question, **plan))
