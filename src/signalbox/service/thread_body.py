"""A thread as JSON: its status, values and open questions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from signalbox.runs import records
from signalbox.runs.records import Run
from signalbox.runs.threads import Thread, list_turns
from signalbox.service.payload import sendable

__all__ = ["FIELDS", "interrupts_of", "show_thread", "status_of", "values_of"]

FIELDS = (
    "thread_id", "created_at", "updated_at", "metadata", "title", "agent", "status", "config", "values", "interrupts",
)  # fmt: skip
_STATUS = {"pending": "busy", "running": "busy", "waiting": "interrupted", "error": "error", "interrupted": "busy"}


def show_thread(thread: Thread, fields: Collection[str] = ()) -> dict[str, Any]:
    """The thread, with all fields or the given ones; `agent` is the one that was asked last."""
    run = records.latest_run(thread.thread_id)
    waiting = interrupts_of(run)
    told: dict[str, Callable[[], Any]] = {
        "metadata": lambda: sendable(thread.metadata),
        "title": lambda: sendable(thread.title),
        "agent": lambda: run.agent or run.name if run else None,
        "status": lambda: status_of(run),
        "config": dict,
        "values": lambda: values_of(thread.thread_id, run) if run else None,
        "interrupts": lambda: {run.run_id: waiting} if run and waiting else {},
    }
    return {name: told[name]() if name in told else getattr(thread, name) for name in fields or FIELDS}


def status_of(run: Run | None) -> str:
    """The status of a thread whose latest run this is."""
    return _STATUS.get(run.standing, "idle") if run else "idle"


def values_of(thread_id: str, run: Run | None) -> dict[str, Any]:
    """The values of a thread: the Answer of its latest run, and the whole conversation as messages."""
    answer = dict((run.result or {}).get("answer") or {}) if run else {}
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate(list_turns(thread_id)):
        messages.append({"type": "human", "content": turn.said, "id": f"{turn.run_id}-{number}-human"})
        messages.append({"type": "ai", "content": turn.answer, "id": f"{turn.run_id}-{number}-ai", "name": turn.agent})
    waiting = interrupts_of(run)
    found = {**answer, "messages": messages, **({"__interrupt__": waiting} if waiting else {})}
    return dict(sendable(found))


def interrupts_of(run: Run | None) -> list[dict[str, Any]]:
    """The open questions of a run, as interrupts."""
    if run is None or run.status != "waiting":
        return []
    return [{"id": one["id"], "value": one} for one in run.questions if one["id"] not in run.answers]
