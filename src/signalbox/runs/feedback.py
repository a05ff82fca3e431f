"""A person's feedback on an answer: up or down, stored with its run."""

from __future__ import annotations

from typing import Any, Literal

from signalbox.runs.gate import owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = ["Value", "keep_feedback", "list_feedback", "remove_feedback"]

Value = Literal["up", "down"]


def keep_feedback(thread_id: str, run_id: str, value: Value, comment: str = "") -> dict[str, Any]:
    """Store the current person's feedback on a run, replacing earlier feedback."""
    told = {"value": value, "comment": comment, "at": now().isoformat()}
    with owned(current_person()) as held:
        held.delete("feedback", "run_id = ?", (run_id,))
        held.insert("feedback", {"run_id": run_id, "thread_id": thread_id, **told})
    return told


def remove_feedback(run_id: str) -> None:
    """Delete the current person's feedback on a run."""
    with owned(current_person()) as held:
        held.delete("feedback", "run_id = ?", (run_id,))


def list_feedback(thread_id: str) -> dict[str, dict[str, Any]]:
    """The current person's feedback on the runs of a thread, by run."""
    with owned(current_person()) as held:
        rows = held.select("run_id, value, comment, at", "feedback", "thread_id = ?", (thread_id,))
    return {row[0]: {"value": row[1], "comment": row[2], "at": row[3]} for row in rows}
