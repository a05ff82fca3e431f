"""The embedded worlds, started where no address is set: one of each in a process, on a loopback port, until it ends."""

from __future__ import annotations

import atexit
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime
from importlib.resources import files
from threading import Lock

from signalbox.contract.plugins import entry_points
from signalbox.errors import MissingExtraError, NotFoundError
from signalbox.settings import get_settings, now

__all__ = [
    "close_worlds", "embedded_dependencies", "embedded_experiments", "embedded_metrics", "embedded_network",
    "open_world",
]  # fmt: skip

GROUP = "signalbox.worlds"
# The last two stay open, so that a run which began before midnight still finds its world.
_MOST_OPEN = 2
_lock = Lock()
_open: dict[str, dict[str, tuple[str, ExitStack]]] = {}


def embedded_metrics() -> str:
    """The address of the embedded metrics world."""
    return _address("metrics")


def embedded_network() -> str:
    """The address of the embedded network."""
    return _address("network")


def embedded_experiments() -> str:
    """The address of the embedded experiments world."""
    return _address("experiments")


def embedded_dependencies() -> str:
    """The path of the file with the dependencies of the embedded worlds."""
    return str(files("signalbox.worlds") / "dependencies.yaml")


def open_world(name: str, host: str = "127.0.0.1", port: int = 0) -> AbstractContextManager[str]:
    """Serve the world of that name while the block runs; yields its address.

    Raises NotFoundError with the available names, and MissingExtraError if a part of it is not installed.
    """
    known = {one.name: one for one in entry_points(group=GROUP)}
    if name not in known:
        raise NotFoundError(f"There is no world '{name}'.", suggestion=f"There are: {', '.join(sorted(known))}.")
    try:
        serve = known[name].load()
    except ImportError:
        raise MissingExtraError(f"The embedded world '{name}'", "worlds,service") from None
    opened: AbstractContextManager[str] = serve(host=host, port=port)
    return opened


def close_worlds() -> None:
    """Close every world that is open."""
    with _lock:
        for worlds in _open.values():
            while worlds:
                worlds.popitem()[1][1].close()


def _address(name: str) -> str:
    """The address of a world, opened now if it is not.

    A world belongs to a date, with its incident on the day before: another frozen clock, or another day, gets another
    world."""
    with _lock:
        worlds, key = _open.setdefault(name, {}), _day()
        if key not in worlds:
            stack = ExitStack()
            worlds[key] = (stack.enter_context(open_world(name)), stack)
            for old in list(worlds)[:-_MOST_OPEN]:
                worlds.pop(old)[1].close()
        return worlds[key][0]


def _day() -> str:
    frozen: datetime | None = get_settings().now
    return now().isoformat() if frozen else now().astimezone(UTC).date().isoformat()


atexit.register(close_worlds)
