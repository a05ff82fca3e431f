"""How a run of the metrics agent starts and ends: its first state, and what a person reads of its last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.units import format_range

__all__ = ["answer_text", "finding", "sources", "start_state"]

_MOST_REMEMBERED = 10


def start_state(said: str, previous: Any = None) -> dict[str, Any]:
    """The state that the contract starts with, and what was asked before in this thread."""
    state: dict[str, Any] = {
        "user_query": said,
        "parsed_query": None,
        "result": None,
        "error": None,
        "processing_time_ms": 0.0,
    }
    return {**state, "previous": _recent(previous)} if previous is not None else state


def _recent(asked: Any, turns: int = _MOST_REMEMBERED) -> Any:
    """What was asked, which holds what was asked before it: only so many turns, so that a long talk does not grow."""
    if not isinstance(asked, Mapping) or "previous" not in asked:
        return asked
    return {**asked, "previous": _recent(asked["previous"], turns - 1) if turns > 1 else None}


def answer_text(state: Mapping[str, Any]) -> str:
    """The answer as Markdown, from the JSON-ready state: what was found, then always the range and the query."""
    error = state.get("error")
    if error:
        return " ".join(part for part in (error["message"], error.get("suggestion", "")) if part)
    return "\n\n".join(part for part in (finding(state), sources(state)) if part)


def finding(state: Mapping[str, Any]) -> str:
    """What was found, in words: the explanation or else the summary, and the anomalies if they were looked for."""
    result = state.get("result")
    if not result:
        return ""
    said = state.get("explanation") or result["summary"]
    found = _anomalies(state["anomalies"]) if state.get("anomalies") else ""
    return "\n\n".join(part for part in (said, found) if part)


def sources(state: Mapping[str, Any]) -> str:
    """Where it comes from: the resolved range of time and the query that was sent."""
    result = state.get("result")
    if not result:
        return ""
    lines = [f"Range: {format_range(TimeRange.model_validate(result['time_range']))}"]
    lines += [f"Query: `{line}`" for line in str(result.get("promql", "")).splitlines()]
    if result.get("dropped"):
        lines.append(f"Left out: {result['dropped']} values that are no finite numbers")
    return "  \n".join(lines)


def _anomalies(found: Mapping[str, Any]) -> str:
    lines = [found["summary"], *(f"- {one['text']}" for one in found["intervals"])]
    return "\n".join(line for line in lines if line)
