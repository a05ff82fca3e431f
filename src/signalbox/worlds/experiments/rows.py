"""What every row of the server's has: when it was made and changed, and in which version it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from signalbox.settings import now

__all__ = ["at_moment", "moment", "stamped"]

_told: ContextVar[datetime | None] = ContextVar("_told", default=None)


@contextmanager
def at_moment(when: datetime) -> Iterator[None]:
    """Let what the server does meanwhile have happened at this moment, as in the story that it starts with."""
    token = _told.set(when)
    try:
        yield
    finally:
        _told.reset(token)


def moment() -> str:
    """The present moment as the server writes it."""
    return (_told.get() or now()).astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamped(at: str | None = None, version: int = 1) -> dict[str, Any]:
    """The times and the version of a new row."""
    at = at or moment()
    return {"createdAt": at, "updatedAt": at, "versionNumber": version}
