"""The records of runs: what each is, its status, and everything needed to continue it.

A run is found by its exact name, and only among those of the current person.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from signalbox.contract import ExecutionSummary
from signalbox.contract.answer import Answer
from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError, RequestError
from signalbox.language.names import did_you_mean
from signalbox.maps.map_run import MapRun
from signalbox.maps.spec import GraphSpec
from signalbox.runs import steps, threads
from signalbox.runs.database import Conflict
from signalbox.runs.gate import Row, Transaction, owned
from signalbox.runs.observing import current_trace
from signalbox.runs.outdated import OutdatedRunError
from signalbox.runs.owners import QUEUED, current_lease, current_owner, is_alive, on_queue
from signalbox.runs.usage import usage_of_runs
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "BusyError",
    "FullError",
    "Run",
    "claim",
    "find_run",
    "get_run",
    "latest_run",
    "list_runs",
    "remove_runs",
    "require_idle",
    "store",
    "take_over",
]

Status = Literal["pending", "running", "waiting", "interrupted", "completed", "error", "cancelled", "unreadable"]
ACTIVE = ("running", "waiting")
RESUMABLE = ("running", "waiting", "interrupted")
OPEN = ("pending", *RESUMABLE)
"""Not ended. A pending run has not begun: it is not due, or another run of its thread is not over."""
_MOST_ENDED = 10_000
_PRUNE_EVERY = 100
_claims = itertools.count(1)
_STANDS = "run_id = ? AND status = ? AND owner = ?"
COLUMNS = "run_id, thread_id, name, status, owner, started_at, updated_at, record"
FORMAT = 2
"""The current format of records. Runs in an older format cannot be resumed."""


@dataclass(slots=True)
class Run:
    """A run as it is stored. `status` is the one in the database; see `standing`."""

    run_id: str
    thread_id: str
    name: str
    status: Status
    owner: str
    started_at: str
    updated_at: str
    folder: str = ""
    data: str | None = None
    policy: str | None = None
    max_steps: int | None = None
    agent: str | None = None
    person: str = ""
    """The owner."""
    format: int = 1
    """The format of the record: one in an older format is closed, not resumed."""
    background: bool = False
    """True if a service executes it: if its process dies, the next one continues it."""
    attempts: int = 0
    """How often it was retried after a crash since its last completed node."""
    ended: int = 0
    """The number of its completed nodes when it was last taken up."""
    warnings: list[str] = field(default_factory=list)
    """What ran again, or will run again, because a process died."""
    said: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    """Set by a client: returned unchanged, never interpreted."""
    for_run: str = ""
    """The run that received the request, if that one handed it over to this one."""
    route: dict[str, Any] | None = None
    """Where the request was handed over to, and with what confidence."""
    stream_modes: list[str] = field(default_factory=list)
    """The default modes for clients that return to its events."""
    changes: list[str] = field(default_factory=list)
    """What it had changed when it last paused, one line each."""
    dropped: str = ""
    """What its next answer says about the dropped question."""
    is_aside: bool = False
    """True if it has a hidden thread of its own."""
    trace: str = ""
    """The position in the trace where it was submitted."""
    state: dict[str, Any] | None = None
    """The initial state of a pending run; None if it is made from what was said."""
    not_before: str = ""
    """When a pending run may begin, if not at once."""
    when_busy: str = "reject"
    """The requested behaviour if another run of its thread is not over."""
    graphs: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] | None = None
    questions: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: MapRun, agent: str | None = None, owner: str | None = None) -> Run:
        """The record of a run that starts now, owned by this process unless another owner is given."""
        moment = now().isoformat()
        return cls(
            run_id=run.run_id, thread_id=run.thread_id, name=agent or run.graph.name, status="running",
            owner=current_owner() if owner is None else owner, started_at=moment, updated_at=moment,
            folder=str(run.folder),
            data=str(run.data) if run.data else None, policy=run.policy, max_steps=run.max_steps, agent=agent,
            person=current_person(), format=FORMAT, trace=current_trace(),
            graphs={"": run.graph.name, **{name: graph.to_dict() for name, graph in run.graphs.items()}},
        )  # fmt: skip

    @property
    def is_under_way(self) -> bool:
        """True if a living process is executing it."""
        return self.status == "running" and is_alive(self.owner)

    @property
    def standing(self) -> Status:
        """The effective status: pending until a worker takes it up, and interrupted if its process has died."""
        if self.is_queued:
            return "pending"
        return "interrupted" if self.status == "running" and not is_alive(self.owner) else self.status

    @property
    def is_left_behind(self) -> bool:
        """True if it was interrupted and a service will continue it."""
        return self.background and self.standing == "interrupted"

    @property
    def goes_on(self) -> bool:
        """True if it will proceed without anyone doing anything."""
        return self.status == "pending" or self.is_under_way or self.is_left_behind

    @property
    def is_awaited(self) -> bool:
        """True if it will proceed soon; for an interrupted run this holds only with a queue."""
        return self.goes_on and (not self.is_left_behind or on_queue())

    @property
    def is_queued(self) -> bool:
        """True if no worker has taken it up since it was submitted or resumed."""
        return self.status == "pending" or (self.status == "running" and self.owner == QUEUED)

    @property
    def channel(self) -> str:
        """The channel of its events: for a request that was handed over, that of the first run."""
        return self.for_run or self.run_id

    def expires_at(self, question: Mapping[str, Any]) -> datetime | None:
        """When the time for an answer is up."""
        told = question.get("expires_at")
        return datetime.fromisoformat(told) if told else None

    def map_run(self, **options: Any) -> MapRun:
        """The run, ready to go on: the map is the one it started with."""
        folder = Path(self.folder)
        graphs = {
            name: GraphSpec.from_dict(graph, folder / "map.csv") for name, graph in self.graphs.items() if name != ""
        }
        return MapRun(
            graphs[self.graphs[""]], folder, graphs, {}, Path(self.data) if self.data else None, policy=self.policy,
            max_steps=self.max_steps, thread_id=self.thread_id, run_id=self.run_id, **options,
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """The run as JSON data."""
        return {
            "thread_id": self.thread_id,
            "run_id": self.run_id,
            "name": self.name,
            "status": self.standing,
            "started_at": self.started_at,
            "updated_at": self.updated_at,
            "questions": plain(self.questions),
            "under_way": steps.under_way(self) if self.standing in ("running", "interrupted") else [],
            "nodes": [node.to_dict() for node in self.so_far().node_executions],
            "usage": usage_of_runs(self.person, self.run_id),
            **plain(self.result),
        }

    def so_far(self) -> ExecutionSummary:
        """What the run has done so far, as far as it is stored."""
        summary = ExecutionSummary.from_dict(self.summary) if self.summary else None
        if summary is None:
            summary = ExecutionSummary(self.name, datetime.fromisoformat(self.started_at))
        summary.node_executions += steps.ended(self)
        summary.warnings += [one for one in self.warnings if one not in summary.warnings]
        return summary


_RECORD = tuple(name for name in Run.__slots__ if name not in (*COLUMNS.split(", "), "person"))
_ADDED = (
    "background", "attempts", "ended", "warnings", "said", "metadata", "format", "for_run", "route", "stream_modes",
    "changes", "dropped", "is_aside", "trace", "state", "not_before", "when_busy",
)  # fmt: skip


def claim(run: Run, keep_input: Callable[[], None] | None = None, drops: Run | None = None) -> None:
    """Store a new or pending run and claim its thread; of many concurrent attempts, one succeeds. Raises BusyError, and
    CancelledError for a run that is no longer pending.

    `keep_input` stores the initial state in the same transaction, so that a stored run can always continue. The waiting
    run whose question this one `drops` also ends in it; if it was answered meanwhile, nothing happens.

    The thread is created if necessary; other people's are not found. An interrupted run of the thread stays, but is no
    longer the latest; one that a service executes is finished first."""
    for _ in range(2):
        try:
            with owned(run.person) as held:
                if not run.is_aside:
                    threads.take(held, run.thread_id, run.said)
                before = latest_run(run.thread_id, ("running", "interrupted"))
                if before is not None and before.is_left_behind:
                    # It was accepted, and is finished before anything else begins.
                    break
                if drops is not None and not _end_dropped(held, drops):
                    break
                if not _may_carry(held):
                    raise steps.CancelledError("Another worker has taken the run over.")
                if run.not_before and not held.delete("runs", "run_id = ? AND status = 'pending'", (run.run_id,)):
                    raise steps.CancelledError("The run was cancelled before it began.")
                held.insert("runs", _row(run))
                if keep_input is not None:
                    keep_input()
            _prune_now_and_then(run.person)
            return
        except Conflict:
            before = latest_run(run.thread_id, ACTIVE)
            if before is None or before.standing != "interrupted" or not _moved(before, "interrupted"):
                break
    raise _taken(run.thread_id)


def add_pending(run: Run, then: Callable[[], None]) -> None:
    """Store a pending run; `then` is called in the same transaction."""
    with owned(run.person) as held:
        threads.take(held, run.thread_id, run.said)
        held.insert("runs", _row(run))
        then()


def insert(held: Transaction, run: Run) -> None:
    """Store a run in the open transaction. Raises Conflict if its thread is taken."""
    held.insert("runs", _row(run))


def _end_dropped(held: Transaction, run: Run) -> bool:
    """End a run whose question is dropped, if it still has the same question."""
    error = {"error_type": "cancelled", "message": "The question was dropped.", "suggestion": ""}
    record = _record(replace(run, questions=[], result={**run.result, "error": error}))
    changes = {"status": "cancelled", "owner": "", "updated_at": now().isoformat(), "record": record}
    waits = (run.run_id, run.status, run.owner, run.updated_at)
    return bool(held.update("runs", changes, f"{_STANDS} AND updated_at = ?", waits))


class BusyError(RequestError):
    """A run of the thread is active or waiting."""


class FullError(RequestError):
    """Too many runs are queued."""

    error_type = "queue_full"

    def __init__(self) -> None:
        super().__init__("Too many runs are waiting.", suggestion="Try again in a moment.")


def _taken(thread_id: str) -> BusyError:
    before = latest_run(thread_id, ACTIVE)
    if before is not None and before.status == "waiting":
        return BusyError(
            f"A run is already waiting in thread '{thread_id}'.",
            suggestion="Resume it, delete it (signalbox runs forget), or use another name.",
        )
    return BusyError(f"A run is active in thread '{thread_id}'.", suggestion="Wait until it ends, or use another name.")


def require_idle(run: Run, *, force: bool = False) -> None:
    """Raise RequestError if a living process is executing the run."""
    if run.is_under_way and not force:
        raise BusyError(
            f"The run {run.thread_id} is being run or resumed already.",
            suggestion="If that process is no longer working, resume it with --force.",
        )


def take_over(run: Run, answers: dict[str, Any], owner: str = "") -> None:
    """Claim a waiting or interrupted run for this `owner`, and store the answers given to it. Raises
    RequestError."""
    before = (run.status, run.owner)
    run.status, run.owner, run.updated_at = "running", owner or current_owner(), now().isoformat()
    # The latest comes last, also where a step asks again under the same id.
    run.answers = {**{asked: given for asked, given in run.answers.items() if asked not in answers}, **answers}
    try:
        with owned(run.person) as held:
            taken = _may_carry(held) and _write(held, run, before, run.owner)
    except Conflict:
        raise _taken(run.thread_id) from None
    if not taken:
        raise BusyError(
            f"The run {run.thread_id} is being resumed already.", suggestion="See its status with: signalbox runs show."
        )


def _may_carry(held: Transaction) -> bool:
    """True if this process may take a run: a worker needs a valid lease."""
    lease = current_lease()
    return lease is None or held.holds(lease)


def store(run: Run) -> bool:
    """Store the current state of this process's run; False if it was cancelled or taken over meanwhile."""
    run.updated_at = now().isoformat()
    owner = run.owner if run.status == "running" else ""
    with owned(run.person) as held:
        done = _write(held, run, ("running", run.owner), owner)
        if done and (run.status not in RESUMABLE or run.status == "waiting"):
            held.delete("steps", "run_id = ?", (run.run_id,))
    run.owner = owner
    return done


def _write(held: Transaction, run: Run, before: tuple[str, str], owner: str) -> bool:
    """Store a run if its status and owner are still the given ones."""
    changes = {"status": run.status, "owner": owner, "updated_at": run.updated_at, "record": _record(run)}
    held.tell(run.channel)
    return bool(held.update("runs", changes, _STANDS, (run.run_id, *before)))


def _moved(run: Run, status: Status) -> bool:
    """Change a run's status if it has not changed since it was read."""
    with owned(run.person) as held:
        changes = {"status": status, "owner": "", "updated_at": now().isoformat()}
        held.tell(run.channel)
        return bool(held.update("runs", changes, _STANDS, (run.run_id, run.status, run.owner)))


def cancel_run(run: Run) -> None:
    """Mark a run as cancelled; its process stops before the next node. Raises RequestError."""
    if not _moved(run, "cancelled"):
        raise RequestError(f"The run {run.thread_id} has just changed.", suggestion="Look again: signalbox runs list.")


def reopen(run: Run, status: Status, owner: str, then: Callable[[], None]) -> None:
    """Reopen a failed or interrupted run; `then` is called in the same transaction. Raises BusyError if another run of
    the thread is active or waiting, or if this one has just changed."""
    before = (run.status, run.owner)
    run.status, run.owner, run.attempts, run.result, run.updated_at = status, owner, 0, {}, now().isoformat()
    try:
        with owned(run.person) as held:
            done = _write(held, run, before, owner)
            if done:
                then()
    except Conflict:
        done = False
    if not done:
        raise _taken(run.thread_id)


def end_with_error(run: Run, result: dict[str, Any]) -> None:
    """Mark a run as failed, if it has not changed since it was read."""
    before = (run.status, run.owner)
    run.status, run.owner, run.result, run.updated_at = "error", "", result, now().isoformat()
    with owned(run.person) as held:
        _write(held, run, before, "")


def require_current(run: Run) -> None:
    """Close a run that an older version left behind, and raise OutdatedRunError: it cannot go on."""
    if run.format >= FORMAT:
        return
    error = OutdatedRunError()
    answer = Answer.of_error(error, agent=run.name, thread_id=run.thread_id, run_id=run.run_id).as_dict()
    run.questions = []
    end_with_error(run, {"error": error.as_dict(), "output": None, "answer": answer})
    raise error


def note_handed(run_id: str, to: str) -> None:
    """Note on an ended run which run has its request now."""
    run = get_run(run_id)
    if run is not None:
        run.result = {**run.result, "handed_to": to}
        _keep_record(run)


def carrier_of(run: Run) -> Run:
    """The run that has the request of this one now, usually itself."""
    handed = run.result.get("handed_to")
    return (get_run(handed, run.person) or run) if handed else run


def count_attempt(run: Run) -> None:
    """Count a retry of an interrupted run; the count restarts when a node has completed.

    Raises BusyError if it has just changed.
    """
    ended = len(steps.ended(run, inside=True))
    run.attempts, run.ended = (run.attempts + 1 if ended == run.ended else 1), ended
    _keep_record(run)


def add_warning(run: Run, warning: str) -> None:
    """Add a warning to a run that was taken over."""
    run.warnings = [*run.warnings, warning]
    _keep_record(run)


def _keep_record(run: Run) -> None:
    """Store a record if the run has not changed since it was read. Raises BusyError."""
    with owned(run.person) as held:
        done = held.update("runs", {"record": _record(run)}, _STANDS, (run.run_id, run.status, run.owner))
    if not done:
        raise BusyError(f"The run {run.thread_id} has just changed.", suggestion="Look again: signalbox runs list.")


def latest_run(thread_id: str, statuses: tuple[str, ...] = ()) -> Run | None:
    """The current person's latest run of a thread, with one of the given statuses if any."""
    chosen = f" AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
    with owned(current_person()) as held:
        where, values = f"thread_id = ?{chosen}", (thread_id, *statuses)
        row = held.first(COLUMNS, "runs", where, values, order="started_at DESC, rowid DESC")
    return read(held.person, row) if row else None


def find_run(thread_id: str, statuses: tuple[str, ...] = ()) -> Run:
    """The current person's latest run of exactly this thread. Raises NotFoundError, and OutdatedRunError if the run to
    resume was closed because an older version had started it."""
    found = latest_run(thread_id, statuses)
    if found is not None:
        return found
    ended = latest_run(thread_id)
    if ended is not None and (ended.result.get("error") or {}).get("error_type") == OutdatedRunError.error_type:
        raise OutdatedRunError()
    known = list_names(statuses)
    raise NotFoundError(
        f"No run waits in thread '{thread_id}'." if statuses else f"There is no run of thread '{thread_id}'.",
        suggestion=did_you_mean(thread_id, known) or ("No runs are waiting." if statuses else "There are no runs."),
    )


def list_names(statuses: tuple[str, ...] = ()) -> list[str]:
    """The names of the threads in which the current person has runs, with one of the given statuses if any."""
    chosen = f"status IN ({', '.join('?' * len(statuses))})" if statuses else ""
    with owned(current_person()) as held:
        rows = held.select("DISTINCT thread_id", "runs", chosen, statuses, order="thread_id")
    return [row[0] for row in rows]


def get_run(run_id: str, person: str | None = None) -> Run | None:
    """The run with that id, if it belongs to this person (by default the current one)."""
    with owned(person or current_person()) as held:
        row = held.first(COLUMNS, "runs", "run_id = ?", (run_id,))
    return read(held.person, row) if row else None


def list_runs(status: str | None = None, *, thread_id: str | None = None) -> list[Run]:
    """The current person's stored runs, latest last; with a status or thread, only those."""
    where, values = ("thread_id = ?", (thread_id,)) if thread_id is not None else ("", ())
    with owned(current_person()) as held:
        rows = held.select(COLUMNS, "runs", where, values, order="started_at, rowid")
    found = [read(held.person, row) for row in rows]
    return [run for run in found if status in (None, run.standing)]


def list_requests(thread_id: str, limit: int, before: str | None = None) -> list[Run]:
    """The latest runs of a thread that received a request, latest first, or those before the given run. Runs that got
    their request from another run are left out. Raises NotFoundError."""
    found: list[Run] = []
    with owned(current_person()) as held:
        mark = held.first("rowid", "runs", "run_id = ? AND thread_id = ?", (before, thread_id)) if before else None
        if before and mark is None:
            raise NotFoundError(f"There is no run '{before}' of thread '{thread_id}'.")
        last = mark[0] if mark else None
        while len(found) < limit:
            older = ("thread_id = ? AND rowid < ?", (thread_id, last)) if last else ("thread_id = ?", (thread_id,))
            # The places first: sorting whole records would read all of the thread's.
            places = [row[0] for row in held.select("rowid", "runs", *older, order="rowid DESC", limit=limit)]
            if not places:
                break
            last, between = places[-1], "thread_id = ? AND rowid BETWEEN ? AND ?"
            rows = held.select(COLUMNS, "runs", between, (thread_id, last, places[0]), order="rowid DESC")
            found += [run for run in (read(held.person, row) for row in rows) if not run.for_run]
    return found[:limit]


def remove_runs(thread_id: str) -> list[str]:
    """Delete everything stored for a thread of the current person, including checkpoints; returns the ids of its
    runs."""
    with owned(current_person()) as held:
        found = [row[0] for row in held.select("run_id", "runs", "thread_id = ?", (thread_id,))]
        _remove(held, found)
        for table in ("turns", "feedback", "crons", "threads"):
            held.delete(table, "thread_id = ?", (thread_id,))
    _remove_checkpoints(held.person, found)
    return found


def remove_run(run_id: str) -> None:
    """Delete the record of a run of the current person, with its events and checkpoints."""
    with owned(current_person()) as held:
        found = [row[0] for row in held.select("run_id", "runs", "run_id = ?", (run_id,))]
        _remove(held, found)
    _remove_checkpoints(held.person, found)


def _prune_now_and_then(person: str) -> None:
    """Delete all but the latest ended runs and turns of a person, occasionally."""
    if next(_claims) % _PRUNE_EVERY:
        return
    with owned(person) as held:
        ended = "status IN ('completed', 'error', 'cancelled')"
        rows = held.select("run_id", "runs", ended, order="rowid DESC", limit=1000, offset=_MOST_ENDED)
        found = [row[0] for row in rows]
        _remove(held, found)
        threads.trim_turns(held)
    _remove_checkpoints(person, found)


def _remove(held: Transaction, run_ids: list[str]) -> None:
    for run_id in run_ids:
        for table in ("steps", "events", "feedback", "webhooks", "runs"):
            held.delete(table, "run_id = ?", (run_id,))


def _remove_checkpoints(person: str, run_ids: list[str]) -> None:
    from signalbox.runs.checkpoints import checkpoints

    for run_id in run_ids:
        checkpoints(person, run_id).delete_thread(run_id)


def _row(run: Run) -> dict[str, str]:
    names = ("run_id", "thread_id", "name", "status", "owner", "started_at", "updated_at")
    return {**{name: getattr(run, name) for name in names}, "record": _record(run)}


def _record(run: Run) -> str:
    return json.dumps({name: plain(getattr(run, name)) for name in _RECORD})


def read(person: str, row: Row) -> Run:
    """The record of a run of this person; a corrupt one is marked as unreadable."""
    run = Run(*row[:7])
    run.person = person
    try:
        kept = json.loads(row[7])
        for name in _RECORD:
            if name in kept or name not in _ADDED:
                setattr(run, name, kept[name])
    except (ValueError, KeyError, TypeError):
        run.status = "unreadable"
    return run
