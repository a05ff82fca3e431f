"""Requests whose values say which tool is meant, because they leave nothing over; what one tool tells another."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.models.offline import OfflineChatModel


def _tool(name: str, description: str, **properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
TOOLS = [
    _tool("inspect_hive", "Record an inspection of a hive.", hive={**TEXT, "description": "Hive such as 12.3"}),
    _tool("move_hive", "Move a hive to another apiary.", hive=TEXT, apiary={**TEXT, "description": "Name of it"}),
    _tool("hive_status", "Does a hive need anything?", hive=TEXT),
    _tool("set_heating", "Set the heating of a vessel.", vessel=WHOLE, celsius=NUMBER),
    _tool("order_ingredient", "Order an ingredient from the supplier.", ingredient=TEXT, kilos=NUMBER),
]


@pytest.mark.parametrize(
    ("request_", "calls"),
    [
        ("14.2 has to go to Mill Meadow", [("move_hive", {"hive": "14.2", "apiary": "Mill Meadow"})]),
        ("Bring vessel 4 down to 12 degrees", [("set_heating", {"vessel": 4, "celsius": 12})]),
        ("I'd like 25 kilos of cane sugar", [("order_ingredient", {"ingredient": "cane sugar", "kilos": 25})]),
        ("Inspect hive 10.1 and hive 10.2", [("inspect_hive", {"hive": "10.1"}), ("inspect_hive", {"hive": "10.2"})]),
    ],
)
def test_values_that_leave_nothing_over_tell_the_tool(request_: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    answer = OfflineChatModel().bind_tools(TOOLS).invoke(request_)
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == calls
