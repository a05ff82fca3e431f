"""Which server answers, and which of its datasources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from signalbox.agents.metrics.connection import Connection
from signalbox.agents.metrics.errors import (
    DatasourceNotFoundError,
    GrafanaAnswerError,
    GrafanaRefusedError,
    GrafanaUnavailableError,
    InvalidQueryError,
)
from signalbox.agents.metrics.faults import unreadable
from signalbox.agents.metrics.transport import Transport
from signalbox.errors import SignalboxError

__all__ = ["Datasource", "Server", "choose_datasource", "find_server", "list_datasources", "paths_of"]

_TYPES = {
    "prometheus",
    "grafana-amazonprometheus-datasource",
    "victoriametrics-datasource",
    "victoriametrics-metrics-datasource",
}


@dataclass(frozen=True)
class Server:
    """What answers at the address: `grafana` or `prometheus`, and its version."""

    kind: str
    version: str = ""


@dataclass(frozen=True)
class Datasource:
    """A datasource of Grafana."""

    uid: str
    name: str
    type: str = "prometheus"
    is_default: bool = False

    @property
    def speaks_prometheus(self) -> bool:
        """Whether Prometheus's API is behind it."""
        return self.type in _TYPES


async def find_server(transport: Transport, connection: Connection) -> Server:
    """Ask the server what it is; raises GrafanaUnavailableError if it is neither Grafana nor Prometheus."""
    if connection.is_prometheus:
        return await _prometheus(transport, connection)
    first: SignalboxError
    try:
        body = await transport.read("/api/health")
        if isinstance(body, dict) and "database" in body:
            return _grafana(body, connection)
        first = unreadable(connection.url, "something that Grafana does not say")
    except GrafanaUnavailableError as error:
        # Without a status it did not answer at all, and another path is no help.
        if error.status is None:
            raise
        first = error
    except InvalidQueryError:
        first = unreadable(connection.url, "a refusal that Grafana does not give")
    try:
        return await _prometheus(transport, connection)
    except (GrafanaAnswerError, InvalidQueryError):
        raise first from None


def _grafana(body: dict[str, Any], connection: Connection) -> Server:
    if body["database"] != "ok":
        raise GrafanaUnavailableError(
            "Grafana runs, but its database does not.",
            suggestion="Tell the administrator.",
            details={"url": connection.url, "health": body},
        )
    return Server("grafana", str(body.get("version") or ""))


async def _prometheus(transport: Transport, connection: Connection) -> Server:
    body = await transport.read("/api/v1/status/buildinfo")
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, dict):
        raise unreadable(connection.url, "something that Prometheus does not say")
    return Server("prometheus", str(data.get("version") or ""))


async def list_datasources(transport: Transport) -> list[Datasource]:
    """Grafana's datasources. Who may not list them is told of those that they may query."""
    try:
        body = await transport.read("/api/datasources")
    except GrafanaRefusedError as error:
        if error.status != 403:
            raise
        return _from_settings(await transport.read("/api/frontend/settings"))
    return [_datasource(entry) for entry in body if isinstance(entry, dict)] if isinstance(body, list) else []


def _from_settings(body: Any) -> list[Datasource]:
    said = body if isinstance(body, dict) else {}
    entries = said.get("datasources")
    default = said.get("defaultDatasource")
    values = entries.values() if isinstance(entries, dict) else ()
    return [
        _datasource({**entry, "isDefault": entry.get("isDefault") or entry.get("name") == default})
        for entry in values
        if isinstance(entry, dict)
    ]


def _datasource(entry: dict[str, Any]) -> Datasource:
    return Datasource(
        uid=str(entry.get("uid") or ""),
        name=str(entry.get("name") or ""),
        type=str(entry.get("type") or ""),
        is_default=bool(entry.get("isDefault")),
    )


def choose_datasource(sources: Sequence[Datasource], wanted: str | None) -> Datasource:
    """The one wanted, by uid or name; else the default for Prometheus, else the first of them.

    Raises DatasourceNotFoundError, which names those there are.
    """
    usable = sorted((one for one in sources if one.speaks_prometheus), key=lambda one: not one.is_default)
    if not wanted and usable:
        return usable[0]
    for one in usable:
        if wanted in (one.uid, one.name):
            return one
    for one in usable:
        if wanted and wanted.casefold() == one.name.casefold():
            return one
    names = ", ".join(one.name for one in usable[:10])
    raise DatasourceNotFoundError(
        f"Grafana has no datasource '{wanted}' for Prometheus."
        if wanted
        else "Grafana has no datasource for Prometheus.",
        suggestion=f"Set GRAFANA_DATASOURCE to one of: {names}."
        if names
        else "Ask the administrator to add a datasource for Prometheus, or to let this account query it.",
        details={"datasources": [f"{one.uid} ({one.type})" for one in sources]},
    )


def paths_of(source: Datasource) -> tuple[str, str]:
    """Where Prometheus's API is behind a datasource: the path to try first, and the one to fall back to."""
    uid = quote(source.uid, safe="")
    return f"/api/datasources/uid/{uid}/resources", f"/api/datasources/proxy/uid/{uid}"
