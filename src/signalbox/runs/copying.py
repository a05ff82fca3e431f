"""Copies of threads, and runs that begin at a checkpoint of another: records and checkpoints are copied under new ids,
and the originals are unchanged."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from langgraph.errors import InvalidUpdateError
from langgraph.types import Command

from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records, threads
from signalbox.runs.checkpoints import checkpoints
from signalbox.runs.events import list_events
from signalbox.runs.gate import Transaction, owned
from signalbox.runs.owners import current_owner
from signalbox.runs.records import BusyError, Run
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = ["copy_thread", "failed_at", "fork", "may_go_on", "update_state"]

_NOT_COPIED = ("pending", "running", "interrupted", "unreadable")


def copy_thread(thread_id: str, until: str | None = None) -> str:
    """A copy of a thread of the current person without active runs, or as it was when the given run had ended. Raises
    NotFoundError."""
    before, made = threads.require_own(thread_id), str(uuid.uuid4())
    runs = [run for run in records.list_runs(thread_id=thread_id) if run.standing not in _NOT_COPIED]
    turns = threads.list_turns(thread_id)
    if until is not None:
        last = next((place for place, run in enumerate(runs) if run.run_id == until), None)
        if last is None:
            raise NotFoundError(f"There is no run '{until}' of thread '{thread_id}'.")
        runs = [run for run in runs[: last + 1] if run.status != "waiting" or run.run_id == until]
        kept = {run.run_id for run in runs}
        turns = [turn for turn in turns if turn.run_id in kept]
    ids = {run.run_id: uuid.uuid4().hex for run in runs}
    with owned(current_person()) as held:
        threads.make_thread(made, before.metadata)
        threads.update_thread(made, title=before.title)
        for run in runs:
            records.insert(held, _renamed(run, ids, made))
            _copy_events(held, run.run_id, ids, made)
        for turn in turns:
            told = {"thread_id": made, "run_id": ids.get(turn.run_id, ""), "agent": turn.agent, "said": turn.said}
            remembered = json.dumps(turn.remembered)
            held.insert("turns", {**told, "answer": turn.answer, "remembered": remembered, "at": turn.at})
    for run in runs:
        _copy_checkpoints(run, ids[run.run_id])
    return made


def _renamed(run: Run, ids: Mapping[str, str], thread_id: str) -> Run:
    """The record under the new ids."""
    return replace(
        run, run_id=ids[run.run_id], thread_id=thread_id, owner="", for_run=ids.get(run.for_run, ""),
        result=_told(run.result, ids, thread_id),
    )  # fmt: skip


def _told(value: Any, ids: Mapping[str, str], thread_id: str) -> Any:
    """An Answer, or a value that contains some, with the new ids."""
    if isinstance(value, dict):
        names = {"run_id", "handed_to", "thread_id"} & value.keys()
        new = {name: thread_id if name == "thread_id" else ids.get(value[name], value[name]) for name in names}
        return {name: _told(inner, ids, thread_id) for name, inner in value.items()} | new
    return [_told(inner, ids, thread_id) for inner in value] if isinstance(value, list) else value


def _copy_events(held: Transaction, run_id: str, ids: Mapping[str, str], thread_id: str) -> None:
    rows = [
        (ids[run_id], one.number, one.kind, json.dumps(_told(one.data, ids, thread_id))) for one in list_events(run_id)
    ]
    held.insert_many("events", ("run_id", "number", "kind", "data"), rows)


def _copy_checkpoints(run: Run, run_id: str, until: str | None = None) -> None:
    """Copy the checkpoints of a run to another, up to the given one, so that everything after it is done again."""
    source, target = _checkpoints(run), checkpoints(run.person, run_id)
    for one in reversed([*source.list({"configurable": {"thread_id": run.run_id}})]):
        place = one.config["configurable"]
        if until is not None and place["checkpoint_id"] > until:
            continue
        parent = (one.parent_config or {}).get("configurable", {}).get("checkpoint_id")
        at = {"thread_id": run_id, "checkpoint_ns": place.get("checkpoint_ns", "")}
        config = {"configurable": {**at, **({"checkpoint_id": parent} if parent else {})}}
        stored = target.put(config, one.checkpoint, one.metadata, one.checkpoint["channel_versions"])
        if place["checkpoint_id"] == until:
            continue
        writes: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        for task, channel, value in one.pending_writes or ():
            writes[task].append((channel, value))
        for task, written in writes.items():
            target.put_writes(stored, written, task)


def _checkpoints(run: Run) -> Any:
    classes = run.map_run(checkpoint_as=run.run_id).compiled().layout.classes
    return checkpoints(run.person, run.run_id).with_allowlist(classes)


def fork(thread_id: str, checkpoint_id: str | None = None) -> Run:
    """A new run of a thread of the current person that starts from that checkpoint, or the latest. It belongs to this
    process until another takes it over. An open question is dropped. Raises NotFoundError, BusyError, and RequestError
    if there is nothing left to do."""
    run, snapshot = _at(thread_id, checkpoint_id)
    _require_idle(thread_id)
    if not snapshot.next:
        raise RequestError("Nothing follows at this checkpoint.", suggestion="Send an input, or name another.")
    moment = now().isoformat()
    made = replace(
        run, run_id=uuid.uuid4().hex, status="running", owner=current_owner(), started_at=moment, updated_at=moment,
        for_run="", background=True, attempts=0, ended=0, warnings=[], changes=[], dropped="", questions=[], answers={},
        result={}, summary=None,
    )  # fmt: skip
    _copy_checkpoints(run, made.run_id, snapshot.config["configurable"]["checkpoint_id"])
    with owned(run.person) as held:
        records.insert(held, made)
    return made


def failed_at(run: Run) -> str | None:
    """The checkpoint before the last step in which a node failed; None if the latest has a next step."""
    compiled = replace(run.map_run(checkpoint_as=run.run_id), checkpointer=_checkpoints(run)).compiled()
    failed = {node.node_name for node in run.so_far().node_executions if not node.success}
    history = list(compiled.langgraph.get_state_history({"configurable": {"thread_id": run.run_id}}))
    if not history or history[0].next:
        return None
    return next((one.config["configurable"]["checkpoint_id"] for one in history if failed.intersection(one.next)), None)


def may_go_on(thread_id: str) -> bool:
    """True if the latest state of a thread of the current person has a next step."""
    try:
        return bool(_at(thread_id, None)[1].next)
    except NotFoundError:
        return False


def update_state(
    thread_id: str, values: Mapping[str, Any] | None, as_node: str | None = None, checkpoint_id: str | None = None
) -> dict[str, Any]:
    """Write a new checkpoint with these values, as if that node had returned them, after the latest checkpoint of the
    thread or the given one; returns its config. If success decides the next node, the node succeeded unless
    `last_action_success` is false. An open question is dropped. Raises like `fork`."""
    run, snapshot = _at(thread_id, checkpoint_id)
    _require_idle(thread_id)
    compiled = replace(run.map_run(checkpoint_as=run.run_id), checkpointer=_checkpoints(run)).compiled()
    update: Any = compiled.layout.write([0], [dict(values)]) if values is not None else None
    node = next((one for one in compiled.graph if one.name == as_node), None)
    if node is not None and node.is_conditional:
        succeeded = (values or {}).get("last_action_success") is not False
        update = Command(update=update, goto=list(node.on_success if succeeded else node.on_failure))
    try:
        stored = compiled.langgraph.update_state(snapshot.config, update, as_node=as_node)
    except (InvalidUpdateError, KeyError, ValueError) as error:
        nodes = ", ".join(sorted(name for name in compiled.langgraph.nodes if not name.startswith("__")))
        raise RequestError(
            f"The state cannot be updated so: {str(error).partition(chr(10))[0]}",
            suggestion=f"Name one of these as as_node: {nodes}.",
        ) from None
    place = stored["configurable"]
    named = {"checkpoint_id": place["checkpoint_id"], "checkpoint_ns": place.get("checkpoint_ns", "")}
    return {"thread_id": thread_id, **named, "checkpoint_map": {}}


def _at(thread_id: str, checkpoint_id: str | None) -> tuple[Run, Any]:
    """The run of a thread that has the checkpoint, and LangGraph's snapshot of it."""
    threads.require_own(thread_id)
    for run in reversed(records.list_runs(thread_id=thread_id)):
        if run.status in ("pending", "unreadable"):
            continue
        opened = run.map_run(checkpoint_as=run.run_id)
        compiled = replace(opened, checkpointer=_checkpoints(run)).compiled()
        named = {"checkpoint_id": checkpoint_id, "checkpoint_ns": ""} if checkpoint_id else {}
        snapshot = compiled.langgraph.get_state({"configurable": {"thread_id": run.run_id, **named}})
        if snapshot.created_at is not None:
            return run, snapshot
    raise NotFoundError(
        f"There is no checkpoint '{checkpoint_id}' of thread '{thread_id}'."
        if checkpoint_id
        else f"Thread '{thread_id}' has no state yet."
    )


def _require_idle(thread_id: str) -> None:
    """Drop the open question. Raises BusyError if a run is under way."""
    run = records.latest_run(thread_id, records.RESUMABLE)
    if run is None:
        return
    if run.status != "waiting":
        raise BusyError(f"A run is active in thread '{thread_id}'.", suggestion="Wait for its end, or cancel it.")
    records.cancel_run(run)
