"""How a run of the metrics agent starts and ends: its first state, and what a person reads of its last."""

from __future__ import annotations

import re
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
        return _inert(" ".join(part for part in (error["message"], error.get("suggestion", "")) if part))
    lines = [f"{name}: {_code(text) if name == 'Query' else text}" for name, text in sources(state)]
    return "\n\n".join(part for part in (_inert(finding(state)), "  \n".join(lines)) if part)


def finding(state: Mapping[str, Any]) -> str:
    """What was found, in words: the explanation or else the summary, and the anomalies if they were looked for."""
    result = state.get("result")
    if not result:
        return ""
    said = state.get("explanation") or result["summary"]
    found = _anomalies(state["anomalies"]) if state.get("anomalies") else ""
    return "\n\n".join(part for part in (said, found) if part)


def sources(state: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where it comes from, each with its name: the resolved range of time, the queries that were sent."""
    result = state.get("result")
    if not result:
        return []
    lines = [("Range", format_range(TimeRange.model_validate(result["time_range"])))]
    lines += [("Query", line) for line in str(result.get("promql", "")).splitlines()]
    if result.get("dropped"):
        what = "value that is no finite number" if result["dropped"] == 1 else "values that are no finite numbers"
        lines.append(("Left out", f"{result['dropped']} {what}"))
    return lines


def _inert(text: str) -> str:
    """The text as Markdown that is only text: names and labels are a server's data, and make no link or tag."""
    return re.sub(r"[\[<]", r"\\\g<0>", text)


def _code(text: str) -> str:
    """The text as code in Markdown, whatever backticks it holds."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark, space = "`" * (longest + 1), " " if longest else ""
    return f"{mark}{space}{text}{space}{mark}"


def _anomalies(found: Mapping[str, Any]) -> str:
    lines = [found["summary"], *(f"- {one['text']}" for one in found["intervals"])]
    return "\n".join(line for line in lines if line)
