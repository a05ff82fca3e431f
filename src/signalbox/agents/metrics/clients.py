"""Which client the nodes ask: the one lent to the run, else one for the whole process, as the environment says.

Where the environment names no server, an installed package may offer one, by an entry point: in the group
`signalbox.addresses`, `metrics` is a function that gives an address. Signalbox itself offers its embedded world so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.connection import Connection, read_connection
from signalbox.agents.metrics.transport import Limits
from signalbox.contract.plugins import entry_points

__all__ = ["check_server", "close_clients", "current_client", "source_of", "source_set", "use_client"]

_LENT: ContextVar[GrafanaMetricsClient | None] = ContextVar("signalbox_metrics_client", default=None)
_MOST_KEPT = 4
_PATIENCE = 5.0
_CONNECT = "GRAFANA_URL (with GRAFANA_TOKEN) or PROMETHEUS_URL"
_kept: dict[Connection | str, GrafanaMetricsClient] = {}
_offered: set[str] = set()
_lock = Lock()


@contextmanager
def use_client(client: GrafanaMetricsClient) -> Iterator[GrafanaMetricsClient]:
    """Lend the client to every node that runs inside the block."""
    token = _LENT.set(client)
    try:
        yield client
    finally:
        _LENT.reset(token)


def current_client() -> GrafanaMetricsClient:
    """The client in use, the same for every question; raises ConfigurationError where there is no address."""
    lent = _LENT.get()
    if lent is not None:
        return lent
    with _lock:
        place = read_connection() or _offered_address()
        if place not in _kept:
            _kept[place] = GrafanaMetricsClient(place if isinstance(place, str) else None)
            for old in list(_kept)[:-_MOST_KEPT]:
                del _kept[old]
        return _kept[place]


async def close_clients() -> None:
    """Close the connections of the running event loop; the clients and what they know stay."""
    for client in list(_kept.values()):
        await client.aclose()


def source_of(client: GrafanaMetricsClient) -> dict[str, str]:
    """Where the client reads, as an Answer says it: an address that was offered is the embedded demonstration."""
    known = {"system": client.system, "address": client.url}
    if client.url in _offered:
        return {"kind": "embedded", **known, "connect": _CONNECT}
    uid = client.datasource_uid
    return {"kind": "live", **known, **({"datasource": uid} if uid else {})}


def source_set() -> dict[str, str]:
    """Where a question asked now would be answered from; nothing is opened. Raises ConfigurationError."""
    place = read_connection()
    if place is None:
        return {"kind": "embedded", "system": "grafana", "address": "", "connect": _CONNECT}
    return {"kind": "live", "system": "prometheus" if place.is_prometheus else "grafana", "address": place.url}


async def check_server() -> str:
    """What answers at the address that is set, in words. Raises GrafanaUnavailableError and ConfigurationError."""
    if read_connection() is None:
        return "no GRAFANA_URL or PROMETHEUS_URL is set: the embedded shop is asked"
    async with GrafanaMetricsClient(limits=Limits(seconds=_PATIENCE)) as client:
        health = await client.health()
    server = f"{health.server.kind} {health.server.version}".strip()
    source = f", datasource {health.datasource.name}" if health.datasource else ""
    return f"{client.url} answers: {server}{source}"


def _offered_address() -> str:
    """The address that an installed package offers; empty, which no client takes, where none does."""
    offered = entry_points(group="signalbox.addresses", name="metrics")
    address = next((str(one.load()()) for one in offered), "")
    _offered.add(address)
    return address
