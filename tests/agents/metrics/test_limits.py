"""Bounds that another metric has: a minimum, a capacity, a limit; and what is asked of all things of a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 180
HELP = {
    "up": "",
    "shelf_stock_boxes": "Boxes on a shelf.",
    "shelf_minimum_boxes": "Boxes that should be on a shelf.",
    "skip_load_kilograms": "What is in a skip.",
    "skip_capacity_kilograms": "What a skip may hold.",
    "press_oil_celsius": "Temperature of the oil of a press.",
    "press_oil_limit_celsius": "Temperature that the oil of a press may have.",
    "shelf_fill_ratio": "How full a shelf is.",
    "scale_condition": "Condition of a scale: 0=fine 1=drifting 2=broken",
    "roller_speed_rpm": "How fast a roller turns.",
    "archive_timestamp_seconds": "When an archive was written.",
}


def series(minute: int) -> Mapping[str, float]:
    """Shelf b is below its minimum and shelf a is full; skip s1 fills up; press q is too warm."""
    return {
        'up{instance="a:1"}': 0,
        'shelf_stock_boxes{shelf="a"}': 40,
        'shelf_stock_boxes{shelf="b"}': 3,
        'shelf_minimum_boxes{shelf="a"}': 10,
        'shelf_minimum_boxes{shelf="b"}': 10,
        'skip_load_kilograms{skip="s1"}': 300 + minute,
        'skip_load_kilograms{skip="s2"}': 20,
        'skip_capacity_kilograms{skip="s1"}': 600,
        'skip_capacity_kilograms{skip="s2"}': 600,
        'press_oil_celsius{press="p"}': 50,
        'press_oil_celsius{press="q"}': 71,
        'press_oil_limit_celsius{press="p"}': 65,
        'press_oil_limit_celsius{press="q"}': 65,
        'shelf_fill_ratio{shelf="a"}': 1,
        'shelf_fill_ratio{shelf="b"}': 0.2,
        'scale_condition{scale="k1"}': 0,
        'scale_condition{scale="k2"}': 1 if minute < 150 else 2,
        'roller_speed_rpm{roller="r1"}': 90,
        'archive_timestamp_seconds{site="x"}': END.timestamp() - 5 * 3600,
    }


@pytest.mark.parametrize(
    ("question", "plan", "summary"),
    [
        ("are all scales ok?", {"kind": "health"}, "No, 1 of 2 is broken, now: k2"),
        (
            "when was the last archive written?",
            {"measure": "archive_timestamp_seconds", "kind": "extreme", "order": "highest"},
            "5 h, Mon 04 May 2026 07:00",
        ),
    ],
)
async def test_what_is_asked_is_held_against_what_there_is(
    business: Told, scripted: Callable[..., Any], question: str, plan: dict[str, Any], summary: str
) -> None:
    state = await ask(business, question, scripted(plan))
    assert state["error"] is None, state["error"]
    assert summary in state["result"].summary


@pytest.mark.parametrize(
    ("question", "plan", "said"),
    [
        ("any shelf below minimum?", {"measure": "shelf_minimum_boxes", "bound": "minimum"}, "is no figure"),
        ("is any press above 70 degrees?", {"measure": "press_oil_limit_celsius", "bound": "70 degrees"}, "is a limit"),
    ],
)
async def test_a_bound_that_no_figure_tells_is_asked_for(
    business: Told, scripted: Callable[..., Any], question: str, plan: dict[str, Any], said: str
) -> None:
    state = await ask(business, question, scripted({**plan, "kind": "threshold"}))
    assert said in state["error"].message


async def test_more_than_a_thing_may_hold_is_beyond_its_capacity(business: Told, scripted: Callable[..., Any]) -> None:
    plan = {"measure": "skip_load_kilograms", "kind": "threshold"}
    state = await ask(business, "is a skip over capacity?", scripted(plan))
    assert " above 100%: skip load as a share of skip capacity" in state["result"].summary


async def test_another_state_is_not_told_in_the_place_of_one_that_is_not_known(
    business: Told, scripted: Callable[..., Any]
) -> None:
    state = await ask(business, "are all rollers turning?", scripted({"kind": "up"}))
    assert state["error"].error_type == "metric_not_found"
