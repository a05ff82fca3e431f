"""What every row of the server's has: when it was made and changed, and in which version it is."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from signalbox.settings import now

__all__ = ["moment", "stamped"]


def moment() -> str:
    """The present moment as the server writes it."""
    return now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamped(at: str | None = None, version: int = 1) -> dict[str, Any]:
    """The times and the version of a new row."""
    at = at or moment()
    return {"createdAt": at, "updatedAt": at, "versionNumber": version}
