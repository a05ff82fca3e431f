"""How OpenConfig writes values: moments in nanoseconds, wide counters as text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

__all__ = ["nanoseconds", "texts"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def nanoseconds(moment: datetime) -> str:
    """A moment in nanoseconds since 1970, as a 64-bit number is written in JSON."""
    since = moment - _EPOCH
    return str((since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000)


def texts(counters: Mapping[str, int]) -> dict[str, str]:
    """64-bit counters as JSON carries them."""
    return {name: str(value) for name, value in counters.items()}
