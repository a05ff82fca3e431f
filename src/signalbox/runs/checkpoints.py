"""LangGraph's checkpoints in our database, without pickle: only plain data and declared classes are read back.

A checkpointer serves one run of one person and refuses all others. What LangGraph calls a thread is a run here.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import WRITES_IDX_MAP
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from signalbox.errors import ContractError
from signalbox.runs.database import PostgresDatabase, SqliteDatabase, database
from signalbox.runs.gate import OwnershipError, owned
from signalbox.runs.steps import Steps

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver as Saver
else:
    Saver = object

__all__ = ["checkpoints"]


def checkpoints(person: str, run_id: str) -> Any:
    """The checkpointer of a run of this person, for plain and for asynchronous runs."""
    kept = database()
    if isinstance(kept, SqliteDatabase):
        return _SqliteCheckpoints(kept, person, run_id)
    assert isinstance(kept, PostgresDatabase)
    return _postgres_checkpoints(kept, person, run_id)


class _Serializer(JsonPlusSerializer):
    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as bytes. Raises ContractError if it is not plain data."""
        try:
            return super().dumps_typed(obj)
        except TypeError as error:
            raise ContractError(
                f"A stored run can only contain plain data, but the state contains something else: {error}.",
                suggestion="Have the agent give texts, numbers, lists and mappings.",
            ) from error


class _OfOneRun(Saver):  # type: ignore[type-arg]
    """A checkpointer for a single run.

    Its async methods use threads. With the `steps` of a stored run, it stores a node's end and its checkpoint in one
    transaction.
    """

    person: str
    run_id: str
    steps: Steps | None = None

    def with_steps(self, steps: Steps | None, classes: Any) -> Any:
        """The checkpointer of a run whose state may hold these classes; `steps` if it is stored as it proceeds."""
        clone: Any = copy(self.with_allowlist(classes))
        clone.steps = steps
        return clone

    def _require(self, run_id: Any) -> None:
        if run_id != self.run_id:
            raise OwnershipError("A checkpointer was asked about another run than its own.")

    def get_tuple(self, config: Any) -> Any:
        """The checkpoint named by the config. Raises OwnershipError for another run."""
        self._require(config["configurable"]["thread_id"])
        found = super().get_tuple(config)
        if found is not None and self.steps is not None:
            self.steps.graph_stored(config["configurable"].get("checkpoint_ns", ""))
        return found

    def list(self, config: Any, **options: Any) -> Iterator[Any]:
        """The checkpoints of the run. Raises OwnershipError for another."""
        self._require((config or {}).get("configurable", {}).get("thread_id"))
        return super().list(config, **options)

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Store a checkpoint, and the ends of the nodes that led to it. Raises OwnershipError for another run, and
        CancelledError if the run no longer belongs to this process."""
        self._require(config["configurable"]["thread_id"])
        if self.steps is None:
            return super().put(config, checkpoint, metadata, new_versions)
        graph = config["configurable"]["checkpoint_ns"]
        with self.steps.storing, owned(self.person) as held:
            self.steps.require_ours(held)
            stored = super().put(config, checkpoint, metadata, new_versions)
            told = self.steps.store_graph(held, graph)
        self.steps.graph_stored(graph)
        _call(told)
        return stored

    def put_writes(self, config: Any, writes: Sequence[Any], task_id: str, task_path: str = "") -> None:
        """Store a node's output and its end, or its question and that it waits. Raises like `put`."""
        self._require(config["configurable"]["thread_id"])
        if self.steps is None:
            super().put_writes(config, writes, task_id, task_path)
            return
        has_output = any(channel not in WRITES_IDX_MAP for channel, _ in writes)
        with self.steps.storing, owned(self.person) as held:
            self.steps.require_ours(held)
            super().put_writes(config, writes, task_id, task_path)
            told = self.steps.store_task(held, task_id, has_output=has_output)
        _call(told)

    def delete_thread(self, thread_id: str) -> None:
        """Delete the checkpoints of the run. Raises OwnershipError for another."""
        self._require(thread_id)
        super().delete_thread(thread_id)

    async def aget_tuple(self, config: Any) -> Any:
        """Like `get_tuple`, for an event loop."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, **options: Any) -> AsyncIterator[Any]:
        """Like `list`, for an event loop."""
        for found in await asyncio.to_thread(lambda: [*self.list(config, **options)]):
            yield found

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Like `put`, for an event loop."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[Any], task_id: str, task_path: str = "") -> None:
        """Like `put_writes`, for an event loop."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Like `delete_thread`, for an event loop."""
        await asyncio.to_thread(self.delete_thread, thread_id)


def _call(told: list[Callable[[], None]]) -> None:
    for tell in told:
        tell()


class _SqliteCheckpoints(_OfOneRun, SqliteSaver):
    """Uses the connection that all runs of the process share."""

    def __init__(self, kept: SqliteDatabase, person: str, run_id: str) -> None:
        super().__init__(kept.connection, serde=_Serializer())
        self.kept, self.person, self.run_id = kept, person, run_id
        self.lock = kept.lock  # type: ignore[assignment]
        with self.lock:
            if not kept.keeps_checkpoints:
                self.setup()
                kept.keeps_checkpoints = True
            self.is_setup = True

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor; its writes are committed with the open transaction, if there is one."""
        if not transaction:
            with super().cursor(transaction=False) as reading:
                yield reading
            return
        with self.kept.transaction(), closing(self.conn.cursor()) as writing:
            yield writing


def _postgres_checkpoints(kept: PostgresDatabase, person: str, run_id: str) -> Any:
    saver = _postgres_class()(kept.pool, serde=_Serializer())
    saver.kept, saver.person, saver.run_id = kept, person, run_id
    if not kept.keeps_checkpoints:
        from langgraph.checkpoint.postgres import PostgresSaver

        PostgresSaver(kept.pool).setup()
        kept.keeps_checkpoints = True
    return saver


@cache
def _postgres_class() -> Any:
    """The checkpointer for PostgreSQL, whose package is loaded when needed."""
    from langgraph.checkpoint.postgres import PostgresSaver

    class Bound(PostgresSaver):
        """Each call is a transaction for the person, so that row-level security lets it see its rows."""

        kept: PostgresDatabase
        person: str

        @contextmanager
        def _held(self) -> Iterator[PostgresSaver]:
            with self.kept.transaction(self.person) as connection:
                yield PostgresSaver(connection.own, serde=self.serde)

        def get_tuple(self, config: Any) -> Any:
            with self._held() as saver:
                return saver.get_tuple(config)

        def list(self, config: Any, **options: Any) -> Iterator[Any]:
            with self._held() as saver:
                return iter([*saver.list(config, **options)])

        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            with self._held() as saver:
                return saver.put(config, checkpoint, metadata, new_versions)

        def put_writes(self, config: Any, writes: Sequence[Any], task_id: str, task_path: str = "") -> None:
            with self._held() as saver:
                saver.put_writes(config, writes, task_id, task_path)

        def delete_thread(self, thread_id: str) -> None:
            with self._held() as saver:
                saver.delete_thread(thread_id)

        def get_delta_channel_history(self, **options: Any) -> Any:
            with self._held() as saver:
                return saver.get_delta_channel_history(**options)

    class PostgresCheckpoints(_OfOneRun, Bound):
        """Uses the connection pool of the process."""

    return PostgresCheckpoints
