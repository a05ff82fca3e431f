"""The states that a thread has been in: LangGraph's checkpoints of its runs, the latest first, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from signalbox.contract import Agent
from signalbox.errors import NotFoundError, SignalboxError
from signalbox.maps.result import OWNED
from signalbox.runs import records, threads
from signalbox.runs.checkpoints import checkpoints
from signalbox.runs.records import Run
from signalbox.runs.served import find_served
from signalbox.runs.states import json_state

__all__ = ["find_state", "list_states"]


def list_states(thread_id: str, limit: int = 10, before: str | None = None) -> list[dict[str, Any]]:
    """The latest states of a thread of the current person, or those before a checkpoint. Raises NotFoundError."""
    threads.require_own(thread_id)
    found = _states(thread_id)
    if before is not None:
        for state in found:
            if state["checkpoint"]["checkpoint_id"] == before:
                break
    return list(islice(found, limit))


def find_state(thread_id: str, checkpoint_id: str) -> dict[str, Any]:
    """The state at a checkpoint of a thread of the current person. Raises NotFoundError."""
    threads.require_own(thread_id)
    for state in _states(thread_id):
        if state["checkpoint"]["checkpoint_id"] == checkpoint_id:
            return state
    raise NotFoundError(f"There is no checkpoint '{checkpoint_id}' of thread '{thread_id}'.")


def _states(thread_id: str) -> Iterator[dict[str, Any]]:
    for run in reversed(records.list_runs(thread_id=thread_id)):
        if run.status != "unreadable":
            yield from _states_of(run)


def _states_of(run: Run) -> Iterator[dict[str, Any]]:
    opened = run.map_run(checkpoint_as=run.run_id)
    try:
        saver = checkpoints(run.person, run.run_id).with_allowlist(opened.compiled().layout.classes)
    except SignalboxError:
        # Its map, or the code that it names, is not there any more.
        return
    compiled = replace(opened, checkpointer=saver).compiled()
    private = _private(run)
    for snapshot in compiled.langgraph.get_state_history({"configurable": {"thread_id": run.run_id}}):
        values = {name: value for name, value in compiled.layout.values(snapshot.values).items() if name not in OWNED}
        yield {
            "values": json_state(values, private),
            "next": list(snapshot.next),
            "tasks": [_task(task) for task in snapshot.tasks],
            "checkpoint": _checkpoint(run, snapshot.config),
            "metadata": {"run_id": run.run_id, "step": (snapshot.metadata or {}).get("step")},
            "created_at": snapshot.created_at,
            "parent_checkpoint": _checkpoint(run, snapshot.parent_config) if snapshot.parent_config else None,
            "interrupts": [_interrupt(one) for task in snapshot.tasks for one in task.interrupts],
        }


def _private(run: Run) -> tuple[str, ...]:
    try:
        agent: Agent = find_served(run.agent or run.name)
    except SignalboxError:
        return ()
    return agent.private


def _task(task: Any) -> dict[str, Any]:
    return {
        "id": task.id,
        "name": task.name,
        "error": str(task.error) if task.error else None,
        "interrupts": [_interrupt(one) for one in task.interrupts],
        "checkpoint": None,
        "state": None,
        "result": None,
    }


def _interrupt(one: Any) -> dict[str, Any]:
    return {"id": one.id, "value": json_state({"value": one.value})["value"]}


def _checkpoint(run: Run, config: Any) -> dict[str, Any]:
    return {
        "thread_id": run.thread_id,
        "checkpoint_ns": "",
        "checkpoint_id": config["configurable"].get("checkpoint_id"),
        "checkpoint_map": {},
    }
