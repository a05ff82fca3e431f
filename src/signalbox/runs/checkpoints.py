"""LangGraph's checkpoints in our database: no pickle, and nothing is read back but plain data and declared classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from signalbox.errors import ContractError
from signalbox.runs.database import Database, PostgresDatabase, SqliteDatabase

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver as Saver
else:
    Saver = object

__all__ = ["checkpoints"]


def checkpoints(database: Database) -> Any:
    """The checkpointer of a database, for plain and for asynchronous runs."""
    if isinstance(database, SqliteDatabase):
        return _SqliteCheckpoints(database)
    assert isinstance(database, PostgresDatabase)
    return _postgres_checkpoints(database)


class _Serializer(JsonPlusSerializer):
    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as bytes. Raises ContractError for one that is no plain data."""
        try:
            return super().dumps_typed(obj)
        except TypeError as error:
            raise ContractError(
                f"A run that is kept holds plain data only, and the state holds something else: {error}.",
                suggestion="Have the agent give texts, numbers, lists and mappings.",
            ) from error


class _InThreads(Saver):  # type: ignore[type-arg]
    """The asynchronous half of a checkpointer that has only the plain one: it works in threads."""

    async def aget_tuple(self, config: Any) -> Any:
        """As `get_tuple`, in an event loop."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, **options: Any) -> AsyncIterator[Any]:
        """As `list`, in an event loop."""
        for found in await asyncio.to_thread(lambda: list(self.list(config, **options))):
            yield found

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """As `put`, in an event loop."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[Any], task_id: str, task_path: str = "") -> None:
        """As `put_writes`, in an event loop."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`, in an event loop."""
        await asyncio.to_thread(self.delete_thread, thread_id)


class _SqliteCheckpoints(_InThreads, SqliteSaver):
    """On the connection that all runs of the process share."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database.connection, serde=_Serializer())
        self.lock = database.lock  # type: ignore[assignment]


def _postgres_checkpoints(database: PostgresDatabase) -> Any:
    from langgraph.checkpoint.postgres import PostgresSaver

    class PostgresCheckpoints(_InThreads, PostgresSaver):
        """On the pool of connections of the process."""

    saver = PostgresCheckpoints(database.pool, serde=_Serializer())
    if not database.keeps_checkpoints:
        saver.setup()
        database.keeps_checkpoints = True
    return saver
