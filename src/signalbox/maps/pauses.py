"""Runs that wait: kept in SQLite under `SIGNALBOX_HOME`, so that another process can resume them.

Checkpoints are LangGraph's own, without pickle; beside them stands what is needed to go on: the map as it was when
the run started, its folders, the summary so far, and the question.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from signalbox.contract import ExecutionSummary
from signalbox.contract.summary import plain
from signalbox.errors import ConfigurationError, ContractError, NotFoundError, RequestError
from signalbox.maps.agents.human import TIMED_OUT, check_answer
from signalbox.maps.channels import Moved, Wrote
from signalbox.maps.findings import did_you_mean
from signalbox.maps.messages import tell_paused, tell_resumed
from signalbox.maps.spec import GraphSpec
from signalbox.settings import home_file, now

__all__ = [
    "PausedRun",
    "claim",
    "database",
    "find_paused",
    "forget",
    "list_paused",
    "release",
    "remember",
    "saver",
]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS paused_runs (
    thread_id TEXT PRIMARY KEY,
    graph TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'resuming')),
    paused_at TEXT NOT NULL,
    expires_at TEXT,
    record TEXT NOT NULL
)"""


@dataclass(frozen=True, slots=True)
class PausedRun:
    """A run that waits, with all that is needed to go on."""

    thread_id: str
    graph: GraphSpec
    graphs: dict[str, GraphSpec]
    folder: Path
    data: Path | None
    policy: str | None
    max_steps: int | None
    summary: ExecutionSummary
    question: dict[str, Any]
    paused_at: datetime
    expires_at: datetime | None

    @property
    def expired(self) -> bool:
        """Whether its time is up."""
        return self.expires_at is not None and now() >= self.expires_at

    def to_dict(self) -> dict[str, Any]:
        """What a program may want to know of it."""
        return {
            "thread_id": self.thread_id,
            "graph": self.graph.name,
            "question": plain(self.question),
            "paused_at": self.paused_at.isoformat(),
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
        }


def database() -> Path:
    """The file in which paused runs are kept."""
    return home_file("maps.db")


class Serializer(JsonPlusSerializer):
    """How checkpoints are written: never with pickle, and read back as plain data and our own two records alone."""

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=(Wrote, Moved))

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as bytes. Raises ContractError for one that is no plain data."""
        try:
            return super().dumps_typed(obj)
        except TypeError as error:
            raise ContractError(
                f"A run that waits keeps plain data only, and the state holds something else: {error}.",
                suggestion="Have the agent give texts, numbers, lists and mappings.",
            ) from error


@contextmanager
def saver() -> Iterator[SqliteSaver]:
    """A checkpointer on the database."""
    with closing(_connect()) as connection:
        yield SqliteSaver(connection, serde=Serializer())


def remember(run: Any, result: Any) -> None:
    """Keep a paused run so that it can be resumed, and tell those who asked for a message."""
    expires = (result.question or {}).get("expires_at")
    record = {
        "graph": run.graph.name,
        "graphs": {name: graph.to_dict() for name, graph in run.graphs.items()},
        "folder": str(run.folder),
        "data": str(run.data) if run.data else None,
        "policy": run.policy,
        "max_steps": run.max_steps,
        "summary": result.summary.to_dict(),
        "question": plain(result.question),
    }
    with closing(_connect()) as connection, connection:
        connection.execute(
            "INSERT OR REPLACE INTO paused_runs VALUES (?, ?, 'waiting', ?, ?, ?)",
            (run.thread_id, run.graph.name, now().isoformat(), expires, json.dumps(record)),
        )
    tell_paused(record["question"] or {}, run.thread_id, run.folder, run.data)


def forget(thread_id: str) -> None:
    """Remove an ended run and its checkpoints."""
    with closing(_connect()) as connection, connection:
        connection.execute("DELETE FROM paused_runs WHERE thread_id = ?", (thread_id,))
        SqliteSaver(connection, serde=Serializer()).delete_thread(thread_id)


def is_waiting(thread_id: str) -> bool:
    """Whether a run waits under that very name."""
    with closing(_connect()) as connection:
        return connection.execute("SELECT 1 FROM paused_runs WHERE thread_id = ?", (thread_id,)).fetchone() is not None


def list_paused() -> list[PausedRun]:
    """Every run that waits, the oldest first."""
    with closing(_connect()) as connection:
        rows = connection.execute("SELECT thread_id, paused_at, expires_at, record FROM paused_runs ORDER BY paused_at")
        return [_paused(*row) for row in rows]


def find_paused(thread_id: str) -> PausedRun:
    """The run that waits under that name; the start of a name is enough. Raises NotFoundError."""
    waiting = list_paused()
    for run in waiting:
        if run.thread_id == thread_id:
            return run
    starting = [run for run in waiting if run.thread_id.startswith(thread_id)] if len(thread_id) >= 4 else []
    if len(starting) == 1:
        return starting[0]
    raise NotFoundError(
        f"No run waits as thread '{thread_id}'.",
        suggestion=did_you_mean(thread_id, [run.thread_id for run in waiting]) or "No run waits at all.",
    )


def claim(thread_id: str, answer: Any, *, force: bool = False) -> tuple[PausedRun, Any]:
    """Take a waiting run to resume it, with the answer as its node takes it. Only one can.

    After its time is up the answer is that it timed out, whatever was said. Raises RequestError where the question
    cannot take the answer, or where another process is resuming the run; it then still waits.
    """
    run = find_paused(thread_id)
    answer = TIMED_OUT if run.expired else answer
    if answer is None:
        raise RequestError(f"The run waits: {run.question.get('message', '')}", suggestion="Answer with --value.")
    check_answer(run.question, answer)
    allowed = ("waiting", "resuming") if force else ("waiting", "waiting")
    with closing(_connect()) as connection, connection:
        taken = connection.execute(
            "UPDATE paused_runs SET state = 'resuming' WHERE thread_id = ? AND state IN (?, ?)",
            (run.thread_id, *allowed),
        ).rowcount
    if not taken:
        raise RequestError(
            f"The run {run.thread_id} is being resumed already.",
            suggestion="If that process has died, resume it with --force.",
        )
    tell_resumed(run.question, run.thread_id, run.folder, run.data, answer, run.paused_at)
    return run, answer


def release(thread_id: str) -> None:
    """Let a claimed run wait again."""
    with closing(_connect()) as connection, connection:
        connection.execute("UPDATE paused_runs SET state = 'waiting' WHERE thread_id = ?", (thread_id,))


def _connect() -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(database(), check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(_SCHEMA)
    except sqlite3.Error as error:
        raise ConfigurationError(
            f"{database()}, where runs are kept, cannot be used: {error}.", suggestion="Set SIGNALBOX_HOME."
        ) from None
    return connection


def _paused(thread_id: str, paused_at: str, expires_at: str | None, text: str) -> PausedRun:
    record = json.loads(text)
    folder = Path(record["folder"])
    graphs = {name: GraphSpec.from_dict(graph, folder / "map.csv") for name, graph in record["graphs"].items()}
    return PausedRun(
        thread_id=thread_id,
        graph=graphs[record["graph"]],
        graphs=graphs,
        folder=folder,
        data=Path(record["data"]) if record["data"] else None,
        policy=record["policy"],
        max_steps=record["max_steps"],
        summary=ExecutionSummary.from_dict(record["summary"]),
        question=record["question"],
        paused_at=datetime.fromisoformat(paused_at),
        expires_at=datetime.fromisoformat(expires_at) if expires_at else None,
    )
