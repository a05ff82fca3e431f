"""Moments and ages as the tools tell them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from signalbox.agents.oncall.gnmi.tree import moment
from signalbox.settings import now

__all__ = ["age", "iso", "told"]


def iso(value: datetime | None) -> str | None:
    """A moment as ISO 8601 in UTC."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if value else None


def told(value: Any) -> str | None:
    """A device's moment as ISO 8601 in UTC, or None."""
    return iso(moment(value))


def age(value: Any, until: datetime | None = None) -> int | None:
    """How many seconds ago a device's moment was; never less than 0."""
    found = moment(value)
    return max(0, int(((until or now()) - found).total_seconds())) if found else None
