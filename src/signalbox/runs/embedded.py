"""The embedded worlds, started where no address is set: one of each in a process, on a loopback port, until it ends."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from datetime import UTC, datetime
from threading import Lock

from signalbox.errors import MissingExtraError
from signalbox.settings import get_settings, now

__all__ = ["close_worlds", "embedded_metrics"]

# The last two stay open, so that a run which began before midnight still finds its world.
_MOST_OPEN = 2
_lock = Lock()
_open: dict[str, tuple[str, ExitStack]] = {}


def embedded_metrics() -> str:
    """The address of the embedded metrics world, opened now if it is not.

    A world is opened at a moment, and its incident is the day before: another frozen clock, or another day, gets
    another world.
    """
    with _lock:
        key = _day()
        if key not in _open:
            _open[key] = _start()
            for old in list(_open)[:-_MOST_OPEN]:
                _open.pop(old)[1].close()
        return _open[key][0]


def close_worlds() -> None:
    """Close every world that is open."""
    with _lock:
        while _open:
            _open.popitem()[1][1].close()


def _day() -> str:
    frozen: datetime | None = get_settings().now
    return now().isoformat() if frozen else now().astimezone(UTC).date().isoformat()


def _start() -> tuple[str, ExitStack]:
    try:
        from signalbox.worlds.metrics import serve
    except ImportError:
        raise MissingExtraError("The embedded metrics world", "metrics,service") from None
    stack = ExitStack()
    return stack.enter_context(serve()), stack


atexit.register(close_worlds)
