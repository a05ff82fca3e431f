"""The tracker of a run: it records when nodes start and how they end, and makes the summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from signalbox.contract.summary import ExecutionSummary, NodeExecution

__all__ = ["ExecutionTracker", "NodeEvent", "SuccessPolicy", "current_tracker"]

SuccessPolicy = Callable[[ExecutionSummary], bool]


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """An event of a node: `kind` is start, end or pause."""

    kind: str
    node: str
    success: bool | None = None
    output: Any = None
    error: str | None = None
    ms: float | None = None
    record: NodeExecution | None = None


class ExecutionTracker:
    """Records the nodes of one run. Parallel branches may record at the same time."""

    def __init__(
        self,
        graph_name: str = "",
        policy: SuccessPolicy | None = None,
        listener: Callable[[NodeEvent], None] | None = None,
    ) -> None:
        from signalbox.settings import now

        self.graph_name = graph_name
        self.node_executions: list[NodeExecution] = []
        self.warnings: list[str] = []
        self.waiting: dict[str, ExecutionSummary] = {}
        self.usage: dict[str, float] = {}
        self._policy = policy or every_node_succeeded
        self._listener = listener
        self._start_time = now()
        self._started = time.perf_counter()
        self._open: dict[str, tuple[NodeExecution, float]] = {}
        self.errors: dict[str, dict[str, str]] = {}
        """By node name, the error it failed with, if that is worded for the current person."""

    def record_node_start(self, node_name: str, inputs: dict[str, Any] | None = None) -> None:
        """Record the start of a node."""
        clock = time.perf_counter()
        moment = self._start_time + timedelta(seconds=clock - self._started)
        record = NodeExecution(node_name, moment, inputs if inputs is not None else {})
        self.node_executions.append(record)
        self._open[node_name] = (record, clock)
        if self._listener:
            self._listener(NodeEvent("start", node_name))

    def record_node_result(self, node_name: str, success: bool, result: Any = None, error: str | None = None) -> None:
        """Record the end of a node, successful or not."""
        record, clock = self._open.pop(node_name, (None, 0.0))
        if record is None:
            clock = time.perf_counter()
            record = NodeExecution(node_name, self._start_time + timedelta(seconds=clock - self._started))
            self.node_executions.append(record)
        record.success, record.output, record.error = success, result, error
        record.duration = time.perf_counter() - clock
        if self._listener:
            self._listener(NodeEvent("end", node_name, success, result, error, record.duration * 1000, record))

    def record_node_pause(self, node_name: str) -> None:
        """Record that a node waits for a person. Its record is removed, because it starts again when resumed."""
        record, _ = self._open.pop(node_name, (None, 0.0))
        if record is not None:
            self.node_executions.remove(record)
        if self._listener:
            self._listener(NodeEvent("pause", node_name, record=record))

    def record_inputs(self, node_name: str, inputs: Mapping[str, Any]) -> None:
        """Replace the inputs recorded for the current node."""
        record, _ = self._open.get(node_name, (None, 0.0))
        if record is not None:
            record.inputs = dict(inputs)

    def record_subgraph(self, node_name: str, summary: ExecutionSummary) -> None:
        """Record the summary of a sub-graph that the current node ran."""
        record, _ = self._open.get(node_name, (None, 0.0))
        if record is not None:
            record.subgraph = summary

    def warn(self, message: str) -> None:
        """Add a warning for the person, once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def add_usage(self, usage: Mapping[str, float]) -> None:
        """Add the usage of a model call: tokens, and the cost if known."""
        for name, amount in usage.items():
            self.usage[name] = self.usage.get(name, 0) + amount

    @property
    def latest_node(self) -> str:
        """The node that started last."""
        return self.node_executions[-1].node_name if self.node_executions else ""

    def has_run(self, node_name: str) -> bool:
        """True if the node has already ended in this run."""
        return any(r.node_name == node_name and r.success is not None for r in self.node_executions)

    def update_graph_success(self) -> bool:
        """The result of the success policy for the run so far."""
        return bool(self._policy(self._summary("running")))

    def summarize(self, status: str = "completed", final_output: Any = None) -> ExecutionSummary:
        """End the run and return its summary."""
        summary = self._summary(status)
        summary.duration = time.perf_counter() - self._started
        summary.end_time = self._start_time + timedelta(seconds=summary.duration)
        summary.final_output = final_output
        summary.graph_success = bool(self._policy(summary))
        return summary

    def continue_from(self, summary: ExecutionSummary) -> None:
        """Add the records of the same run from before a pause."""
        self.node_executions[:0] = summary.node_executions
        self.warnings[:0] = summary.warnings
        self.waiting |= summary.waiting
        self._started -= summary.duration or 0.0

    def _summary(self, status: str) -> ExecutionSummary:
        return ExecutionSummary(
            graph_name=self.graph_name,
            start_time=self._start_time,
            status=status,
            node_executions=list(self.node_executions),
            warnings=list(self.warnings),
            waiting=dict(self.waiting),
        )


def every_node_succeeded(summary: ExecutionSummary) -> bool:
    """The default policy: no node failed."""
    return all(node.success is not False for node in summary.node_executions)


current_tracker: ContextVar[ExecutionTracker | None] = ContextVar("current_tracker", default=None)
