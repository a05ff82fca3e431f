"""A run as JSON, in the format of LangGraph's Agent Server."""

from __future__ import annotations

from typing import Any

from signalbox.errors import NotFoundError
from signalbox.runs.records import Run, carrier_of
from signalbox.service.assistants import find_agent, identity
from signalbox.service.payload import sendable

__all__ = ["FIELDS", "error_of", "path_of", "show_run", "status_of_run"]

_STATUS = {
    "pending": "pending", "running": "running", "waiting": "interrupted", "completed": "success", "error": "error",
    "cancelled": "interrupted", "interrupted": "pending", "unreadable": "error",
}  # fmt: skip
FIELDS = (
    "run_id", "thread_id", "assistant_id", "created_at", "updated_at", "status", "metadata", "multitask_strategy",
    "kwargs",
)  # fmt: skip


def status_of_run(run: Run) -> str:
    """Return the status of a run."""
    return _STATUS[carrier_of(run).standing]


def error_of(error: dict[str, Any]) -> dict[str, Any]:
    """An error in LangGraph's format."""
    return {"error": error.get("error_type"), "message": error.get("message")}


def path_of(run: Run) -> str:
    """The path of a run."""
    return f"/threads/{run.thread_id}/runs/{run.run_id}"


def show_run(run: Run) -> dict[str, Any]:
    """The run, in the order of FIELDS."""
    carrier = carrier_of(run)
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "assistant_id": _assistant_of(run),
        "created_at": run.started_at,
        "updated_at": carrier.updated_at,
        "status": status_of_run(run),
        "metadata": sendable(run.metadata),
        "multitask_strategy": run.when_busy,
        "kwargs": {},
    }


def _assistant_of(run: Run) -> str:
    """The id of a run's assistant; its name if it no longer exists."""
    if isinstance(own := run.metadata.get("assistant_id"), str):
        return own
    try:
        return identity(find_agent(run.agent or run.name))
    except NotFoundError:
        return run.name
