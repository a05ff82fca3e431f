"""What all ways of asking an agent share: its map, its model, and the Answer made from a result."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

from signalbox.contract import Agent, Presented
from signalbox.contract.answer import Answer
from signalbox.drawing.text import as_markdown
from signalbox.errors import MissingInputError, RequestError
from signalbox.maps import MapResult, read_map
from signalbox.runs.sources import answer_source
from signalbox.runs.states import agent_error, json_state

__all__ = [
    "answer_of",
    "check_question",
    "close_used",
    "error_words",
    "graph_of",
    "load_model",
    "mark_used",
    "presented_answer",
]

_log = logging.getLogger("signalbox.runs")
_LONGEST_QUESTION = 10_000
_used: dict[str, Agent] = {}


def check_question(question: str) -> str:
    """The question, trimmed. Raises MissingInputError and RequestError."""
    said = question.strip()
    if not said:
        raise MissingInputError("There is no question.", suggestion="Ask something.")
    if len(said) > _LONGEST_QUESTION:
        raise RequestError(f"The question is longer than {_LONGEST_QUESTION:,} characters.", suggestion="Shorten it.")
    return said


def graph_of(agent: Agent) -> str | None:
    """The graph of the map that is this agent; None for the only one."""
    return agent.graph or (agent.name if agent.name in read_map(agent.map).graphs else None)


def load_model(model: str | None, agent: Agent) -> Any:
    """The named model, or the one from the settings, taught with the examples next to the agent's map."""
    examples = agent.map.with_name("examples.jsonl")
    if model is None and not examples.is_file():
        return None
    from signalbox.models import load_chat_model

    return load_chat_model(model, **({"examples": examples} if examples.is_file() else {}))


def mark_used(agent: Agent) -> None:
    """Register the agent, so that `aclose` closes what it opens."""
    _used[agent.name] = agent


async def close_used() -> None:
    """Close the connections that agents have opened in the running event loop."""
    for agent in list(_used.values()):
        if agent.close is not None:
            await agent.close()


def answer_of(agent: Agent, result: MapResult) -> Answer:
    """The Answer made from the result of an agent's run."""
    error = _for_asker(result.error) or agent_error(result.values)
    if error is None and result.status == "completed":
        presented = agent.present(result.values)
        error = presented.error
    else:
        # A question may show what it is about: a report, a change as a diff.
        asked = result.question or {}
        shown = [] if error else list(asked.get("blocks") or ())
        said = error_words(error) if error else str(asked.get("text") or asked.get("message", ""))
        presented = Presented(said, shown, asked.get("source") or result.values.get("source"))
    answer = presented_answer(agent, presented, result.values, result.thread_id, result.run_id)
    answer.status, answer.question, answer.error = "error" if error else result.status, result.question, error
    # What is private is in no answer, and remembered all the same.
    hidden = {key: result.values[key] for key in agent.remembers if key in agent.private and key in result.values}
    answer.kept = json_state(hidden)
    for node in result.summary.node_executions:
        answer.timings_ms[node.node_name] = round((node.duration or 0.0) * 1000, 1)
    answer.timings_ms |= {name: ms for name, ms in (answer.state.get("timings_ms") or {}).items() if name != "total"}
    return answer


def _for_asker(error: dict[str, str] | None) -> dict[str, str] | None:
    """The error without details for the author of the map: the node's name and advice are in the log and the trace."""
    if error is None or error["error_type"] != "node_failed":
        return error
    _log.info("%s %s", error["message"], error["suggestion"])
    return {**error, "message": re.sub(r"^Error in .*?: ", "", error["message"], count=1), "suggestion": ""}


def presented_answer(agent: Agent, presented: Presented, state: Mapping[str, Any], thread: str, run: str) -> Answer:
    """The Answer with what an agent presents."""
    return Answer(
        agent=agent.name,
        thread_id=thread,
        run_id=run,
        status="completed",
        answer=presented.text,
        state=json_state(state if presented.state is None else presented.state, agent.private),
        blocks=presented.blocks,
        source=answer_source(agent, presented.source),
        not_covered=presented.not_covered,
        parts=presented.parts,
    )


def error_words(error: Mapping[str, str]) -> str:
    """An error as the text of an Answer."""
    return as_markdown(" ".join(part for part in (error["message"], error["suggestion"]) if part))
