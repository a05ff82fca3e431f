"""What the floors above ask of the room: whether its database answers, and to close what it opened."""

from __future__ import annotations

from signalbox.storage import Store, close_stores, database_address
from signalbox.toolbox import current_person

__all__ = ["check", "close"]


async def check() -> str:
    """Where tasks are kept, if that answers. Raises UnavailableError."""
    await Store(current_person()).tasks.latest(most=1)
    return f"tasks are kept at {database_address()}"


async def close() -> None:
    """Close the connections to the database."""
    await close_stores()
