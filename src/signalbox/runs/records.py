"""The records of runs: what each is, how it stands, and all that is needed to go on with it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from signalbox.contract import ExecutionSummary, NodeExecution
from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError, RequestError
from signalbox.language.names import did_you_mean
from signalbox.maps.map_run import MapRun
from signalbox.maps.spec import GraphSpec
from signalbox.runs import threads
from signalbox.runs.database import Conflict, Connection, database
from signalbox.runs.owners import is_alive, this_process
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "BusyError",
    "Run",
    "claim",
    "find_run",
    "get_run",
    "latest_run",
    "list_runs",
    "note_end",
    "note_start",
    "remove_runs",
    "require_idle",
    "store",
    "take_over",
]

Status = Literal["running", "waiting", "interrupted", "completed", "error", "cancelled", "unreadable"]
ACTIVE = ("running", "waiting")
RESUMABLE = ("running", "waiting", "interrupted")
_MOST_ENDED = 10_000
_PRUNE_EVERY = 100
_MOST_LOOKED_AT = 50
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_claims = itertools.count(1)
_COLUMNS = "run_id, thread_id, name, status, owner, started_at, updated_at, record"


@dataclass(slots=True)
class Run:
    """A run as it is kept. `status` is what the database says; `interrupted` is also one whose process has died."""

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
    """Whose it is."""
    background: bool = False
    """Whether a service carries it: one whose process died is finished by the next."""
    attempts: int = 0
    """How often a process took it up after another had died."""
    said: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    graphs: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] | None = None
    questions: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: MapRun, agent: str | None = None) -> Run:
        """The record of a run that starts now."""
        moment = now().isoformat()
        return cls(
            run_id=run.run_id, thread_id=run.thread_id, name=agent or run.graph.name, status="running",
            owner=this_process(), started_at=moment, updated_at=moment, folder=str(run.folder),
            data=str(run.data) if run.data else None, policy=run.policy, max_steps=run.max_steps, agent=agent,
            person=current_person(),
            graphs={"": run.graph.name, **{name: graph.to_dict() for name, graph in run.graphs.items()}},
        )  # fmt: skip

    @property
    def is_under_way(self) -> bool:
        """Whether a living process carries it."""
        return self.status == "running" and is_alive(self.owner)

    @property
    def standing(self) -> Status:
        """How it stands: a run whose process has died was interrupted, whatever the database says."""
        return "interrupted" if self.status == "running" and not is_alive(self.owner) else self.status

    @property
    def is_left_behind(self) -> bool:
        """Whether it broke off and is to be taken up by a service."""
        return self.background and self.standing == "interrupted"

    @property
    def channel(self) -> str:
        """Where its events are told: those of a request that was handed on, at the run where it came in."""
        return str(self.metadata.get("for_run", self.run_id))

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
        """What a program may want to know of it."""
        return {
            "thread_id": self.thread_id,
            "run_id": self.run_id,
            "name": self.name,
            "status": self.standing,
            "started_at": self.started_at,
            "updated_at": self.updated_at,
            "questions": plain(self.questions),
            "under_way": nodes_under_way(self.run_id) if self.standing in ("running", "interrupted") else [],
            "nodes": [node.to_dict() for node in self.so_far().node_executions],
            **plain(self.result),
        }

    def so_far(self) -> ExecutionSummary:
        """What the run did until now, as far as it was written down."""
        summary = ExecutionSummary.from_dict(self.summary) if self.summary else None
        if summary is None:
            summary = ExecutionSummary(self.name, datetime.fromisoformat(self.started_at))
        summary.node_executions += _nodes_ended(self.run_id)
        return summary


_RECORD = tuple(name for name in Run.__slots__ if name not in _COLUMNS.split(", "))
_ADDED = ("person", "background", "attempts", "said", "metadata")


def claim(run: Run) -> None:
    """Write a new run down, and so claim its thread: of many who try at once, one does. Raises BusyError.

    The thread is the person's own, or is made so; another's is not found. A run of the thread that broke off stays as
    it is, and is no longer the thread's latest.
    """
    for _ in range(2):
        try:
            with database().transaction() as connection:
                threads.take(connection, run.thread_id, run.person)
                connection.execute(f"INSERT INTO runs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _row(run))
            _prune_now_and_then()
            return
        except Conflict:
            before = latest_run(run.thread_id, ACTIVE)
            if before is None or before.standing != "interrupted" or not _moved(before, "interrupted"):
                break
    raise _taken(run.thread_id)


class BusyError(RequestError):
    """A run of the thread is under way, or waits."""


def _taken(thread_id: str) -> BusyError:
    before = latest_run(thread_id, ACTIVE)
    if before is not None and before.status == "waiting":
        return BusyError(
            f"A run already waits as thread '{thread_id}'.",
            suggestion="Resume it, forget it (signalbox runs forget), or give this one another name.",
        )
    return BusyError(
        f"A run is under way as thread '{thread_id}'.", suggestion="Wait for its end, or give this one another name."
    )


def require_idle(run: Run, *, force: bool = False) -> None:
    """Raise RequestError where a living process carries the run."""
    if run.is_under_way and not force:
        raise BusyError(
            f"The run {run.thread_id} is being run or resumed already.",
            suggestion="If that process does nothing any more, resume it with --force.",
        )


def take_over(run: Run, answers: dict[str, Any]) -> None:
    """Claim a run that waits or broke off, with the answers given to it; they stay given. Raises RequestError."""
    before = (run.status, run.owner)
    run.status, run.owner, run.updated_at = "running", this_process(), now().isoformat()
    run.answers = {**run.answers, **answers}
    try:
        with database().transaction() as connection:
            taken = connection.execute(
                "UPDATE runs SET status = ?, owner = ?, updated_at = ?, record = ? "
                "WHERE run_id = ? AND status = ? AND owner = ?",
                (run.status, run.owner, run.updated_at, _record(run), run.run_id, *before),
            ).rowcount
    except Conflict:
        raise _taken(run.thread_id) from None
    if not taken:
        raise BusyError(
            f"The run {run.thread_id} is being resumed already.", suggestion="signalbox runs show tells how it stands."
        )


def store(run: Run) -> bool:
    """Write down how a run of this process stands now; False where somebody else has cancelled or taken it over."""
    run.updated_at = now().isoformat()
    owner = run.owner if run.status == "running" else ""
    with database().transaction() as connection:
        done = connection.execute(
            "UPDATE runs SET status = ?, owner = ?, updated_at = ?, record = ? "
            "WHERE run_id = ? AND status = 'running' AND owner = ?",
            (run.status, owner, run.updated_at, _record(run), run.run_id, run.owner),
        ).rowcount
        if run.status not in RESUMABLE or run.status == "waiting":
            connection.execute("DELETE FROM steps WHERE run_id = ?", (run.run_id,))
    run.owner = owner
    return bool(done)


def _moved(run: Run, status: Status) -> bool:
    """Change a run's status, if it still stands as it was read."""
    with database().transaction() as connection:
        return bool(
            connection.execute(
                "UPDATE runs SET status = ?, owner = '', updated_at = ? WHERE run_id = ? AND status = ? AND owner = ?",
                (status, now().isoformat(), run.run_id, run.status, run.owner),
            ).rowcount
        )


def cancel_run(run: Run) -> None:
    """Mark a run as cancelled; the process that carries it stops before its next node. Raises RequestError."""
    if not _moved(run, "cancelled"):
        raise RequestError(f"The run {run.thread_id} has just changed.", suggestion="Look again: signalbox runs list.")


def end_with_error(run: Run, result: dict[str, Any]) -> None:
    """Write down that a run failed for good, if it still stands as it was read."""
    before = (run.status, run.owner)
    run.status, run.owner, run.result, run.updated_at = "error", "", result, now().isoformat()
    with database().transaction() as connection:
        connection.execute(
            "UPDATE runs SET status = ?, owner = '', updated_at = ?, record = ? "
            "WHERE run_id = ? AND status = ? AND owner = ?",
            (run.status, run.updated_at, _record(run), run.run_id, *before),
        )


def note_handed(run_id: str, to: str) -> None:
    """Note on a run that has ended which run has its request now."""
    run = get_run(run_id)
    if run is not None:
        run.result = {**run.result, "handed_to": to}
        with database().transaction() as connection:
            connection.execute("UPDATE runs SET record = ? WHERE run_id = ?", (_record(run), run_id))


def carrier_of(run: Run) -> Run:
    """The run that has the request of this one now: mostly itself."""
    handed = run.result.get("handed_to")
    return (get_run(handed) or run) if handed else run


def left_behind() -> list[Run]:
    """The background runs that broke off and that no living process carries, the oldest first."""
    with database().transaction() as connection:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE status IN ('running', 'interrupted') ORDER BY started_at, rowid"
        ).fetchall()
    return [run for run in map(_read, rows) if run.is_left_behind]


def never_handed() -> list[Run]:
    """The background runs that completed lately, are the last of their thread, and have handed their request to nobody.

    A process that lives hands a request on in less than the minute that has passed.
    """
    with database().transaction() as connection:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM runs AS one WHERE status = 'completed' AND NOT EXISTS "
            "(SELECT 1 FROM runs AS other WHERE other.thread_id = one.thread_id AND other.started_at > one.started_at) "
            "ORDER BY updated_at DESC LIMIT ?",
            (_MOST_LOOKED_AT,),
        ).fetchall()
    found = [run for run in map(_read, rows) if run.background and "handed_to" not in run.result]
    return [run for run in found if _MINUTE < now() - datetime.fromisoformat(run.updated_at) < _DAY]


def count_attempt(run: Run) -> None:
    """Note that a run which broke off is tried once more."""
    run.attempts += 1
    with database().transaction() as connection:
        connection.execute("UPDATE runs SET record = ? WHERE run_id = ?", (_record(run), run.run_id))


def is_still_ours(run: Run) -> bool:
    """Whether the run is still this process's to carry."""
    with database().transaction() as connection:
        row = connection.execute("SELECT status, owner FROM runs WHERE run_id = ?", (run.run_id,)).fetchone()
    return row is not None and tuple(row) == ("running", run.owner)


def latest_run(thread_id: str, statuses: tuple[str, ...] = ()) -> Run | None:
    """The latest run of a thread, of those with such a status if some are named."""
    chosen = f" AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
    with database().transaction() as connection:
        row = connection.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE thread_id = ?{chosen} ORDER BY started_at DESC, rowid DESC LIMIT 1",
            (thread_id, *statuses),
        ).fetchone()
    return _read(row) if row else None


def find_run(thread_id: str, statuses: tuple[str, ...] = ()) -> Run:
    """The latest run of the thread with that name; the start of a name is enough. Raises NotFoundError."""
    found = latest_run(thread_id, statuses)
    if found is not None:
        return found
    starting = _names(thread_id) if len(thread_id) >= 4 else []
    if len(starting) == 1 and (found := latest_run(starting[0], statuses)) is not None:
        return found
    known = _names("", statuses)
    raise NotFoundError(
        f"No run waits as thread '{thread_id}'." if statuses else f"There is no run of thread '{thread_id}'.",
        suggestion=did_you_mean(thread_id, known) or ("No run waits at all." if statuses else "There are no runs."),
    )


def get_run(run_id: str) -> Run | None:
    """The run of that identifier."""
    with database().transaction() as connection:
        row = connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    return _read(row) if row else None


def list_runs(status: str | None = None, *, thread_id: str | None = None) -> list[Run]:
    """Every run that is kept, the latest last; those that stand so, where a status is named, and of that thread."""
    chosen, values = (" WHERE thread_id = ?", (thread_id,)) if thread_id is not None else ("", ())
    with database().transaction() as connection:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM runs{chosen} ORDER BY started_at, rowid", values).fetchall()
    found = [_read(row) for row in rows]
    return [run for run in found if status in (None, run.standing)]


def remove_runs(thread_id: str) -> list[str]:
    """Delete every record of a thread; gives the identifiers of the runs."""
    with database().transaction() as connection:
        rows = connection.execute("SELECT run_id FROM runs WHERE thread_id = ?", (thread_id,)).fetchall()
        found = [row[0] for row in rows]
        _remove(connection, found)
        for table in ("turns", "threads"):
            connection.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))
    return found


def remove_run(run_id: str) -> None:
    """Delete the record of a run, with its events and checkpoints."""
    from signalbox.runs.checkpoints import checkpoints

    with database().transaction() as connection:
        _remove(connection, [run_id])
    checkpoints(database()).delete_thread(run_id)


def note_start(run_id: str, node: str) -> None:
    """A node of the run starts: should the process die, it is known what was under way."""
    with database().transaction() as connection:
        connection.execute("INSERT INTO steps (run_id, node) VALUES (?, ?)", (run_id, node))


def note_end(run_id: str, record: NodeExecution) -> None:
    """A node of the run ended, or waits."""
    with database().transaction() as connection:
        connection.execute(
            "DELETE FROM steps WHERE rowid = (SELECT rowid FROM steps WHERE run_id = ? AND node = ? "
            "AND record IS NULL LIMIT 1)",
            (run_id, record.node_name),
        )
        if record.success is not None:
            connection.execute(
                "INSERT INTO steps (run_id, node, record) VALUES (?, ?, ?)",
                (run_id, record.node_name, json.dumps(record.to_dict())),
            )


def nodes_under_way(run_id: str) -> list[str]:
    """The nodes that had started and not ended when the run was last heard of."""
    with database().transaction() as connection:
        rows = connection.execute("SELECT node FROM steps WHERE run_id = ? AND record IS NULL", (run_id,)).fetchall()
    return [row[0] for row in rows]


def _nodes_ended(run_id: str) -> list[NodeExecution]:
    with database().transaction() as connection:
        rows = connection.execute(
            "SELECT record FROM steps WHERE run_id = ? AND record IS NOT NULL ORDER BY rowid", (run_id,)
        ).fetchall()
    return [NodeExecution.from_dict(json.loads(row[0])) for row in rows]


def forget_starts(run_id: str) -> None:
    """Forget what was under way: the run goes on, and notes anew what starts."""
    with database().transaction() as connection:
        connection.execute("DELETE FROM steps WHERE run_id = ? AND record IS NULL", (run_id,))


def _names(start: str, statuses: tuple[str, ...] = ()) -> list[str]:
    chosen = f" AND status IN ({', '.join('?' * len(statuses))})" if statuses else ""
    with database().transaction() as connection:
        rows = connection.execute(
            f"SELECT DISTINCT thread_id FROM runs WHERE substr(thread_id, 1, ?) = ?{chosen} LIMIT 1000",
            (len(start), start, *statuses),
        ).fetchall()
    return [row[0] for row in rows]


def _prune_now_and_then() -> None:
    """Of the runs that have ended, only the latest are kept; looking at every claim would cost more than it frees."""
    if next(_claims) % _PRUNE_EVERY:
        return
    from signalbox.runs.checkpoints import checkpoints

    with database().transaction() as connection:
        rows = connection.execute(
            "SELECT run_id FROM runs WHERE status IN ('completed', 'error', 'cancelled') ORDER BY rowid DESC "
            "LIMIT 1000 OFFSET ?",
            (_MOST_ENDED,),
        ).fetchall()
        _remove(connection, [row[0] for row in rows])
    for row in rows:
        checkpoints(database()).delete_thread(row[0])


def _remove(connection: Connection, run_ids: list[str]) -> None:
    for table in ("steps", "events", "runs"):
        connection.executemany(f"DELETE FROM {table} WHERE run_id = ?", [(run_id,) for run_id in run_ids])


def _row(run: Run) -> tuple[str, ...]:
    columns = (run.run_id, run.thread_id, run.name, run.status, run.owner, run.started_at, run.updated_at)
    return (*columns, _record(run))


def _record(run: Run) -> str:
    return json.dumps({name: plain(getattr(run, name)) for name in _RECORD})


def _read(row: tuple[str, ...]) -> Run:
    """A record out of the database; one that is corrupt breaks only itself."""
    run = Run(*row[:7])  # type: ignore[arg-type]
    try:
        kept = json.loads(row[7])
        for name in _RECORD:
            if name in kept or name not in _ADDED:
                setattr(run, name, kept[name])
    except (ValueError, KeyError, TypeError):
        run.status = "unreadable"
    return run
