"""LangGraph's checkpoints in our database: no pickle, and nothing is read back but plain data and declared classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from signalbox.errors import ContractError
from signalbox.runs.database import Database

__all__ = ["Checkpoints"]


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


class Checkpoints(SqliteSaver):
    """A checkpointer for plain and for asynchronous runs, on the connection that all runs of the process share."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.connection, serde=_Serializer())
        self.lock = database.lock  # type: ignore[assignment]

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
