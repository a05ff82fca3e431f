"""States that are numbers: the help text says which number is which state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask

from signalbox.agents.metrics.states import read_codes

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 180
HELP = {
    "lock_gate_position": "Position of the lock gate: 0=closed 1=moving 2=open 3=jammed",
    "crane_mode": "Mode of the crane (0 = parked, 1 = manual, 2 = in alarm)",
    "bridge_lamp_lit": "1 while the lamp of the bridge is lit, 0 otherwise",
}


def series(minute: int) -> Mapping[str, float]:
    """Gate east was jammed for twenty minutes two hours ago; now it is closed. Crane c2 is in alarm."""
    return {
        'lock_gate_position{gate="east"}': 3 if 60 <= minute < 80 else 0,
        'lock_gate_position{gate="west"}': 1,
        'crane_mode{crane="c1"}': 0,
        'crane_mode{crane="c2"}': 2 if minute > 120 else 1,
        "bridge_lamp_lit": 1,
    }


@pytest.mark.parametrize(
    ("told", "codes"),
    [
        (HELP["lock_gate_position"], {"closed": 0, "moving": 1, "open": 2, "jammed": 3}),
        (HELP["crane_mode"], {"parked": 0, "manual": 1, "in alarm": 2}),
        ("Health of the array. 0 is fine, 1 is degraded, 2 is rebuilding", {"fine": 0, "degraded": 1, "rebuilding": 2}),
        ("Source: mains (1), battery (2), none (3)", {"mains": 1, "battery": 2, "none": 3}),
        (HELP["bridge_lamp_lit"], {}),
        ("Load over 1 minute, 5 minutes and 15 minutes", {}),
    ],
)
def test_codes_are_read_from_help_texts(told: str, codes: dict[str, int]) -> None:
    assert read_codes(told) == codes


@pytest.mark.parametrize(
    ("question", "plan", "summary"),
    [
        ("is any gate jammed?", {"measure": "lock_gate_position"}, "No, none of 2 is jammed, now."),
        ("is gate west moving?", {"measure": "lock_gate_position", "filters": ["west"]}, "Yes, west is moving, now"),
        ("which cranes are in alarm?", {"measure": "crane_mode"}, "1 of 2 is in alarm, now: c2 (since"),
        ("how many gates are closed?", {"measure": "lock_gate_position"}, "1 of 2 is closed, now: east"),
        (
            "was a gate jammed in the last 3 hours?",
            {"measure": "lock_gate_position", "time": "last 3 hours"},
            "Yes, 1 of 2 was jammed, at some time",
        ),
        (
            "how long was gate east jammed in the last 3 hours?",
            {"measure": "lock_gate_position", "time": "last 3 hours", "filters": ["east"]},
            "20 min in all",
        ),
    ],
)
async def test_a_state_is_told_by_its_name(
    business: Told, scripted: Callable[..., Any], question: str, plan: dict[str, Any], summary: str
) -> None:
    state = await ask(business, question, scripted({"kind": "up", **plan}))
    assert state["error"] is None, state["error"]
    assert summary in state["result"].summary


async def test_how_many_are_in_each_state_is_told(business: Told, scripted: Callable[..., Any]) -> None:
    state = await ask(business, "is any gate jammed?", scripted({"kind": "up", "measure": "lock_gate_position"}))
    assert "By state now: 1 closed, 1 moving." in state["result"].summary
