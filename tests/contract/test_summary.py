"""The summary of a run as JSON, there and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from signalbox.contract import ExecutionSummary, ExecutionTracker, NodeExecution
from signalbox.contract.summary import plain

MOMENT = datetime(2024, 5, 1, 9, 30, tzinfo=UTC)


def full_summary() -> ExecutionSummary:
    child = ExecutionSummary(
        "Child", MOMENT, MOMENT, 0.1, "completed", True, [NodeExecution("C", MOMENT, success=True)]
    )
    nodes = [
        NodeExecution("A", MOMENT, {"x": [1, {"y": None}]}, True, 0.25, {"text": "grüße"}),
        NodeExecution("B", MOMENT, {}, False, 0.5, None, "Error in B: no", child),
        NodeExecution("C", MOMENT),
    ]
    return ExecutionSummary("G", MOMENT, MOMENT, 1.5, "error", False, nodes, "last", ["careful"])


def test_a_summary_comes_back_from_json_as_it_was() -> None:
    summary = full_summary()
    assert ExecutionSummary.from_dict(json.loads(summary.to_json())) == summary


def test_json_holds_every_node_with_start_duration_success_output_and_error() -> None:
    data = json.loads(full_summary().to_json())
    assert data["graph_name"] == "G"
    assert data["node_executions"][1] == {
        "node_name": "B",
        "start_time": "2024-05-01T09:30:00+00:00",
        "duration": 0.5,
        "success": False,
        "inputs": {},
        "output": None,
        "error": "Error in B: no",
        "subgraph": data["node_executions"][1]["subgraph"],
    }
    assert data["node_executions"][1]["subgraph"]["node_executions"][0]["node_name"] == "C"


def test_a_real_run_comes_back_from_json() -> None:
    tracker = ExecutionTracker("G")
    tracker.record_node_start("A", {"x": 1})
    tracker.record_node_result("A", True, result=["y"])
    summary = tracker.summarize(final_output=["y"])
    assert ExecutionSummary.from_dict(json.loads(summary.to_json(indent=None))) == summary


class Point(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ((1, 2), [1, 2]),
        ({1: "one"}, {"1": "one"}),
        ({"s"}, ["s"]),
        (Point(x=3), {"x": 3}),
        (MOMENT, "2024-05-01T09:30:00+00:00"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (ValueError("odd"), "odd"),
        (True, True),
        (None, None),
    ],
)
def test_what_json_does_not_know_is_made_plain(value: object, shown: object) -> None:
    assert plain(value) == shown
    json.dumps(plain(value), allow_nan=False)
