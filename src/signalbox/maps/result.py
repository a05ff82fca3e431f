"""The result of a run of a map, also in the form of an Answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from signalbox.contract import ExecutionSummary
from signalbox.contract.answer import Answer
from signalbox.contract.summary import plain

__all__ = ["OWNED", "MapResult"]

OWNED = frozenset(
    {
        "last_action_success",
        "graph_success",
        "errors",
        "__execution_summary",
        "__next_node",
        "__policy_success",
    }
)


@dataclass(slots=True)
class MapResult:
    """The result of a run that has ended or paused; `questions` lists what a paused run waits for."""

    graph: str
    status: Literal["completed", "needs_input", "error"]
    state: dict[str, Any]
    summary: ExecutionSummary
    thread_id: str
    run_id: str
    questions: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, str] | None = None
    agent: str = ""
    """The installed agent that was asked, if any."""
    usage: dict[str, float] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """The state without the reserved keys."""
        return {key: value for key, value in self.state.items() if key not in OWNED}

    @property
    def output(self) -> Any:
        """The output of the last node."""
        return self.summary.final_output

    @property
    def question(self) -> dict[str, Any] | None:
        """The first open question; those of parallel branches are in its `others`."""
        if not self.questions:
            return None
        first, *others = self.questions
        return {**first, "others": others} if others else first

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 completed, 1 error, 3 needs input."""
        return {"completed": 0, "error": 1, "needs_input": 3}[self.status]

    def as_answer(self) -> Answer:
        """The result as an Answer."""
        timings: dict[str, Any] = {}
        for node in self.summary.node_executions:
            timings[node.node_name] = round(timings.get(node.node_name, 0.0) + _ms(node.duration), 3)
        timings["total"] = _ms(self.summary.duration)
        if self.usage:
            timings["usage"] = self.usage
        return Answer(
            agent=self.graph,
            thread_id=self.thread_id,
            run_id=self.run_id,
            status=self.status,
            answer=self._text(),
            question=plain(self.question),
            error=self.error,
            state=plain(self.state),
            timings_ms=timings,
        )

    def _text(self) -> str:
        if self.question:
            return str(self.question.get("message", ""))
        if self.error:
            return self.error["message"]
        return as_text(self.output)


def as_text(value: Any) -> str:
    """A value as text for a person."""
    if value is None:
        return ""
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(plain(value), indent=2, ensure_ascii=False)
    return str(value)


def _ms(seconds: float | None) -> float:
    return round((seconds or 0.0) * 1000, 3)
