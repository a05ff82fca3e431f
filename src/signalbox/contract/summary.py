"""The summary of a run: each node's start, duration, success, output and error, as plain data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

__all__ = ["ExecutionSummary", "NodeExecution", "plain"]


@dataclass(slots=True)
class NodeExecution:
    """One node, run once. `success` is None while it runs or waits for a person."""

    node_name: str
    start_time: datetime
    inputs: dict[str, Any] = field(default_factory=dict)
    success: bool | None = None
    duration: float | None = None
    output: Any = None
    error: str | None = None
    subgraph: ExecutionSummary | None = None

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON data."""
        return {
            "node_name": self.node_name,
            "start_time": self.start_time.isoformat(),
            "duration": self.duration,
            "success": self.success,
            "inputs": plain(self.inputs),
            "output": plain(self.output),
            "error": self.error,
            "subgraph": self.subgraph.to_dict() if self.subgraph else None,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> NodeExecution:
        """The record from the result of `to_dict`."""
        subgraph = data.get("subgraph")
        return cls(
            node_name=data["node_name"],
            start_time=datetime.fromisoformat(data["start_time"]),
            inputs=data.get("inputs") or {},
            success=data.get("success"),
            duration=data.get("duration"),
            output=data.get("output"),
            error=data.get("error"),
            subgraph=ExecutionSummary.from_dict(subgraph) if subgraph else None,
        )


@dataclass(slots=True)
class ExecutionSummary:
    """One run of one graph. `graph_success` is the result of the success policy; `waiting` holds the summaries of
    sub-graphs that wait for a person, by node."""

    graph_name: str
    start_time: datetime
    end_time: datetime | None = None
    duration: float | None = None
    status: str = "running"
    graph_success: bool | None = None
    node_executions: list[NodeExecution] = field(default_factory=list)
    final_output: Any = None
    warnings: list[str] = field(default_factory=list)
    waiting: dict[str, ExecutionSummary] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return {
            "graph_name": self.graph_name,
            "start_time": self.start_time.isoformat(),
            "end_time": self.end_time.isoformat() if self.end_time else None,
            "duration": self.duration,
            "status": self.status,
            "graph_success": self.graph_success,
            "node_executions": [node.to_dict() for node in self.node_executions],
            "final_output": plain(self.final_output),
            "warnings": list(self.warnings),
            "waiting": {node: summary.to_dict() for node, summary in self.waiting.items()},
        }

    def to_json(self, indent: int | None = 2) -> str:
        """The summary as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ExecutionSummary:
        """The summary from the result of `to_dict`."""
        end = data.get("end_time")
        return cls(
            graph_name=data["graph_name"],
            start_time=datetime.fromisoformat(data["start_time"]),
            end_time=datetime.fromisoformat(end) if end else None,
            duration=data.get("duration"),
            status=data.get("status", "running"),
            graph_success=data.get("graph_success"),
            node_executions=[NodeExecution.from_dict(node) for node in data.get("node_executions", ())],
            final_output=data.get("final_output"),
            warnings=list(data.get("warnings", ())),
            waiting={node: cls.from_dict(summary) for node, summary in data.get("waiting", {}).items()},
        )


def plain(value: Any) -> Any:
    """The value as JSON data; anything that JSON cannot represent becomes text."""
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if isinstance(value, ExecutionSummary | NodeExecution):
        return value.to_dict()
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)
