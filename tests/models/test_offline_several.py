"""Several calls of one tool from one request: codes in a row, and one verb for two deeds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from signalbox.models.offline import OfflineChatModel

NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)


@tool
def close_valve(valve_id: int) -> str:
    """Close a valve of the plant.

    Args:
        valve_id: Number of the valve
    """
    return ""


@tool
def fill_tank(tank: str, litres: int) -> str:
    """Fill a tank of the plant.

    Args:
        tank: Code of the tank, such as T-12
        litres: How many litres to fill in
    """
    return ""


def calls_for(text: str) -> list[dict[str, Any]]:
    model = OfflineChatModel(clock=lambda: NOW, tz=UTC).bind_tools([close_valve, fill_tank])
    return [call["args"] for call in model.invoke([HumanMessage(text)]).tool_calls]


@pytest.mark.parametrize("text", ["close valve 71 and 72", "pls close valve 71 n 72"])
def test_codes_in_a_row_are_a_call_each(text):
    assert calls_for(text) == [{"valve_id": 71}, {"valve_id": 72}]


def test_one_verb_may_serve_two_deeds():
    calls = calls_for("Fill T-12 with 40 litres and T-13 with 25 litres")
    assert calls == [{"tank": "T-12", "litres": 40}, {"tank": "T-13", "litres": 25}]
