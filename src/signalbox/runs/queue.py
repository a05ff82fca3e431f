"""The queue on PostgreSQL, managed by procrastinate: it says which worker has a run, and checkpoints say how far the
run is.

A run is enqueued in the transaction that accepts it. Priorities give people fair shares: each further run of a person
is placed one position behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from procrastinate import App, SyncPsycopgConnector
from procrastinate.jobs import Job

from signalbox.runs import maintenance
from signalbox.runs.database import PostgresDatabase, database
from signalbox.runs.owners import SILENCE, Lease
from signalbox.runs.records import FullError, Run
from signalbox.settings import get_settings

__all__ = [
    "CARRY", "QUEUE", "Standing", "abort", "dismiss", "enqueue", "put", "queue_database", "renew_stalled",
    "require_room", "standing",
]  # fmt: skip

QUEUE = "signalbox"
CARRY = "carry"
"""The task that executes a run; its arguments are the person and the run."""
_LIVE = "status IN ('todo', 'doing')"
_WAITING = """count(*) FILTER (WHERE status = 'todo' AND scheduled_at IS NULL),
           count(*) FILTER (WHERE status = 'todo' AND scheduled_at IS NULL AND args ->> 'person' = ?)"""
_PLACES = f"""
    SELECT {_WAITING},
           max(-priority) FILTER (WHERE status = 'doing'), min(-priority) FILTER (WHERE status = 'todo'),
           max(-priority) FILTER (WHERE args ->> 'person' = ?)
    FROM procrastinate_jobs WHERE {_LIVE} AND queue_name = '{QUEUE}'
"""


def queue_database() -> PostgresDatabase:
    """The database that holds the queue."""
    kept = database()
    assert isinstance(kept, PostgresDatabase)
    return kept


@cache
def _writer() -> Any:
    """Adds jobs to the queue on a given connection."""
    return App(connector=SyncPsycopgConnector()).job_manager


def enqueue(run: Run) -> None:
    """Enqueue a run, from the time it is due, in the transaction that accepts it. Raises FullError."""
    later = datetime.fromisoformat(run.not_before) if run.status == "pending" else None
    # One that only waits for its time must not keep others of its thread from theirs.
    is_later = later is not None and later > datetime.now(later.tzinfo)
    put(
        CARRY, run.person, {"run_id": run.channel}, lock=None if is_later else run.thread_id,
        at=later if is_later else None,
    )  # fmt: skip


def put(task: str, person: str, args: dict[str, Any], *, lock: str | None = None, at: datetime | None = None) -> int:
    """Enqueue a job of a person, in their open transaction if there is one; returns its number. Jobs with the same
    `lock` run one at a time. Raises FullError."""
    with queue_database().transaction(person) as connection:
        waiting, own_waiting, carried, next_one, own = connection.execute(_PLACES, (person, person)).fetchone()
        _refuse_if_full(waiting, own_waiting)
        place = max(carried if carried is not None else next_one or 0, -1 if own is None else own + 1, 0)
        job = Job(
            queue=QUEUE, task_name=task, priority=-place, lock=lock, queueing_lock=None, scheduled_at=at,
            task_kwargs={"person": person, **args},
        )  # fmt: skip
        return int(_writer().defer_job(job, connection=connection.own).id)


def require_room(person: str) -> None:
    """Raise FullError if too many runs are queued, of everybody or of this person."""
    query = f"SELECT {_WAITING} FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = '{QUEUE}'"
    with queue_database().transaction() as connection:
        _refuse_if_full(*connection.execute(query, (person,)).fetchone())


def _refuse_if_full(waiting: int, own: int) -> None:
    most = get_settings().max_queued
    if waiting >= most or own >= (most + 1) // 2:
        raise FullError


def abort(run_id: str) -> None:
    """Stop this run: it leaves the queue, or the worker that has it stops."""
    with queue_database().transaction() as connection:
        query = f"SELECT id FROM procrastinate_jobs WHERE {_LIVE} AND args ->> 'run_id' = ?"
        for (job,) in connection.execute(query, (run_id,)).fetchall():
            connection.execute("SELECT procrastinate_cancel_job_v1(?, true, true)", (job,))


def dismiss(workers: list[int]) -> None:
    """Remove workers that are known to be gone, without waiting for their heartbeats to time out."""
    with queue_database().transaction() as connection:
        for worker in workers:
            connection.execute("DELETE FROM procrastinate_workers WHERE id = ?", (worker,))


def renew_stalled() -> list[str]:
    """Pass the jobs of lost workers to others, as new jobs. In the same transaction their runs are marked as
    interrupted, so that nothing an old worker still does counts. Returns the runs."""
    gone = (
        f"SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND queue_name = '{QUEUE}' AND NOT EXISTS (SELECT 1 "
        "FROM procrastinate_workers AS worker WHERE worker.id = worker_id "
        "AND last_heartbeat > now() - ? * interval '1 second') FOR UPDATE SKIP LOCKED"
    )
    with queue_database().transaction(maintenance=True) as connection:
        jobs = [row[0] for row in connection.execute(gone, (SILENCE,)).fetchall()]
        rows = [
            connection.execute(
                "DELETE FROM procrastinate_jobs WHERE id = ? RETURNING task_name, priority, lock, args", (number,)
            ).fetchone()
            for number in jobs
        ]
        for number in jobs:
            maintenance.break_off(Lease.owners_by(number))
        for task, priority, lock, args in rows:
            job = Job(queue=QUEUE, task_name=task, priority=priority, lock=lock, queueing_lock=None, task_kwargs=args)
            _writer().defer_job(job, connection=connection.own)
    return [str(row[3].get("run_id", "")) for row in rows]


def left_out(every: Callable[[], list[Run]]) -> list[Run]:
    """The runs among these that have no job in the queue."""
    found = every()
    with queue_database().transaction() as connection:
        rows = connection.execute(f"SELECT lock, args ->> 'run_id' FROM procrastinate_jobs WHERE {_LIVE}").fetchall()
    known = {name for row in rows for name in row}
    return [run for run in found if run.thread_id not in known and run.channel not in known]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of the queue: jobs waiting, running and due later, the age of the oldest waiting job in seconds, the
    number of workers, and how many of those are silent."""

    waiting: int
    under_way: int
    later: int
    oldest_seconds: float
    workers: int
    silent: int


def standing() -> Standing:
    """The current state of the queue."""
    jobs = f"""
        SELECT count(*) FILTER (WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())),
               count(*) FILTER (WHERE status = 'doing'),
               count(*) FILTER (WHERE status = 'todo' AND scheduled_at > now()),
               coalesce(extract(epoch FROM now() - min(greatest(scheduled_at, (
                   SELECT max(at) FROM procrastinate_events WHERE job_id = job.id AND type <> 'scheduled'
               ))) FILTER (WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now()))), 0)
        FROM procrastinate_jobs AS job WHERE {_LIVE} AND queue_name = '{QUEUE}'
    """
    workers = """
        SELECT count(*) FILTER (WHERE last_heartbeat > now() - ? * interval '1 second'), count(*)
        FROM procrastinate_workers
    """
    with queue_database().transaction() as connection:
        waiting, under_way, later, oldest = connection.execute(jobs).fetchone()
        living, known = connection.execute(workers, (SILENCE,)).fetchone()
    return Standing(waiting, under_way, later, float(oldest), living, known - living)
