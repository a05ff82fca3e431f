"""Which client the tools ask: the one lent to the run, else one for the whole process, as the environment says.

Where `UPGRADE_URL` is not set, an installed package may offer a server by an entry point: in the group
`signalbox.addresses`, `experiments` is a function that gives an address. Signalbox itself offers its embedded one so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from urllib.parse import urlsplit

from signalbox.agents.experiments.client import Patience, UpgradeClient
from signalbox.agents.experiments.connection import Connection, read_connection
from signalbox.contract.plugins import entry_points

__all__ = [
    "check_server",
    "close_clients",
    "current_client",
    "server_name",
    "source_of",
    "source_set",
    "use_client",
]

_LENT: ContextVar[UpgradeClient | None] = ContextVar("signalbox_upgrade_client", default=None)
_MOST_KEPT = 4
_CONNECT = "UPGRADE_URL"
_kept: dict[Connection, UpgradeClient] = {}
_offered: set[str] = set()
_lock = Lock()


@contextmanager
def use_client(client: UpgradeClient) -> Iterator[UpgradeClient]:
    """Lend the client to every tool that is called inside the block."""
    token = _LENT.set(client)
    try:
        yield client
    finally:
        _LENT.reset(token)


def current_client() -> UpgradeClient:
    """The client in use; raises ConfigurationError where no server is named and none is offered."""
    lent = _LENT.get()
    if lent is not None:
        return lent
    with _lock:
        place = read_connection() or _offered_place()
        if place is None:
            return UpgradeClient()
        if place not in _kept:
            _kept[place] = UpgradeClient(connection=place)
            for old in list(_kept)[:-_MOST_KEPT]:
                del _kept[old]
        return _kept[place]


async def close_clients() -> None:
    """Close the connections of the running event loop, a lent client's too; the clients stay."""
    lent = _LENT.get()
    for client in [*_kept.values(), *([lent] if lent else [])]:
        await client.aclose()


def source_of(client: UpgradeClient) -> dict[str, str]:
    """Where the client reads and writes, as an Answer says it."""
    known = {"system": client.system, "address": _plain(client.url)}
    if client.url in _offered:
        return {"kind": "embedded", **known, "connect": _CONNECT}
    return {"kind": "live", **known}


def server_name(client: UpgradeClient) -> str:
    """What a person is told of the server: its address without credentials, or that it is the embedded one.

    The embedded one has another port in every process, and is the same server all the same.
    """
    return "the embedded demonstration" if client.url in _offered else f"UpGrade at {_plain(client.url)}"


def source_set() -> dict[str, str]:
    """Where a request made now would go; nothing is opened. Raises ConfigurationError."""
    place = read_connection()
    if place is None:
        return {"kind": "embedded", "system": UpgradeClient.system, "address": "", "connect": _CONNECT}
    return {"kind": "live", "system": UpgradeClient.system, "address": _plain(place.url)}


async def check_server() -> str:
    """What answers at the address that is set, in words. Raises UpgradeError and ConfigurationError."""
    if read_connection() is None:
        return "no UPGRADE_URL is set: the embedded UpGrade is asked"
    async with UpgradeClient(patience=Patience(seconds=5.0, retries=0)) as client:
        health = await client.health()
    return f"{_plain(client.url)} answers: UpGrade {health.get('version', '')}".strip()


def _plain(url: str) -> str:
    """The address without a name and a password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _offered_place() -> Connection | None:
    offered = entry_points(group="signalbox.addresses", name="experiments")
    address = next((str(one.load()()) for one in offered), "")
    place = read_connection(address) if address else None
    if place:
        _offered.add(place.url)
    return place
