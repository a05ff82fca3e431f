"""Where the metrics are, and with which credentials they are read.

    GRAFANA_URL          address of a Grafana; a Prometheus or VictoriaMetrics there is recognized as well
    GRAFANA_TOKEN        token of a service account, or
    GRAFANA_USER         a name, with
    GRAFANA_PASSWORD     its password
    GRAFANA_ORG_ID       which organization, where the account has several
    GRAFANA_DATASOURCE   uid or name of the datasource; by default Grafana's default, or its first, for Prometheus
    PROMETHEUS_URL       address of a plain Prometheus or VictoriaMetrics; used where GRAFANA_URL is not set

A name and password may also stand in the address. What is said of Grafana is never sent to PROMETHEUS_URL.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from signalbox.errors import ConfigurationError, MissingKeyError, hide

__all__ = ["Connection", "make_connection", "read_connection"]


_CREDENTIALS = {"token", "user", "password"}
_SETTINGS = {
    "token": "GRAFANA_TOKEN",
    "user": "GRAFANA_USER",
    "password": "GRAFANA_PASSWORD",
    "org_id": "GRAFANA_ORG_ID",
    "datasource": "GRAFANA_DATASOURCE",
}


@dataclass(frozen=True)
class Connection:
    """An address without credentials in it, and the credentials; `repr` shows none of them."""

    url: str
    token: str | None = field(default=None, repr=False)
    basic: tuple[str, str] | None = field(default=None, repr=False)
    org_id: str | None = None
    datasource: str | None = None
    is_prometheus: bool = False
    """Known to be a Prometheus; otherwise the server is asked what it is."""

    def headers(self) -> dict[str, str]:
        """The headers of every request, but for basic authentication."""
        wanted = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Authorization": f"Bearer {self.token}" if self.token else "",
            "X-Grafana-Org-Id": self.org_id or "",
        }
        return {name: value for name, value in wanted.items() if value}


def read_connection(environment: Mapping[str, str] = os.environ, **given: str | int | None) -> Connection | None:
    """The connection as the environment says, but for what is `given`; None where it names no address."""
    said = {name: value.strip() for name, value in environment.items() if value.strip()}
    if "GRAFANA_URL" in said:
        return make_connection(said["GRAFANA_URL"], **_overridden(said, given))
    if "PROMETHEUS_URL" in said:
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value}
        return make_connection(said["PROMETHEUS_URL"], **chosen, is_prometheus=True, setting="PROMETHEUS_URL")
    return None


def _overridden(said: Mapping[str, str], given: Mapping[str, str | int | None]) -> dict[str, Any]:
    """What is given in place of what is said; credentials only ever come from one of the two."""
    chosen = {name: value for name, value in given.items() if value}
    own_credentials = bool(chosen.keys() & _CREDENTIALS)
    wanted = [name for name in _SETTINGS if not (own_credentials and name in _CREDENTIALS)]
    return {**{name: said.get(_SETTINGS[name]) for name in wanted}, **chosen}


def make_connection(
    url: str,
    *,
    token: str | None = None,
    user: str | None = None,
    password: str | None = None,
    org_id: str | int | None = None,
    datasource: str | None = None,
    is_prometheus: bool = False,
    setting: str = "GRAFANA_URL",
) -> Connection:
    """A checked connection; raises ConfigurationError. From now on its secrets are redacted everywhere."""
    address, name_there, password_there = _parted(url.strip(), setting)
    user, password = (user, password) if user else (name_there, password_there)
    if user and not password and not token:
        raise MissingKeyError("Signing in to Grafana by name", "GRAFANA_PASSWORD")
    for secret in (token, password):
        hide(secret or "")
    return Connection(
        address,
        token=_sendable(token, "GRAFANA_TOKEN"),
        basic=(user, password) if user and password and not token else None,
        org_id=_whole_number(org_id),
        datasource=datasource,
        is_prometheus=is_prometheus,
    )


def _parted(url: str, setting: str) -> tuple[str, str, str]:
    """The address without credentials, and the name and password that stood in it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise ConfigurationError(
            f"{setting} is no web address.", suggestion=f"Set {setting} to something like http://localhost:3000."
        )
    host = f"[{host}]" if ":" in host else host
    address = f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    return address, unquote(parts.username or ""), unquote(parts.password or "")


def _sendable(token: str | None, setting: str) -> str | None:
    """The token, if a header can carry it: a client library would show it in its complaint."""
    token = (token or "").strip()
    if not (token.isascii() and token.isprintable()):
        raise ConfigurationError(
            f"{setting} has characters that no token has.", suggestion=f"Copy {setting} again, on one line."
        )
    return token or None


def _whole_number(org_id: str | int | None) -> str | None:
    text = str(org_id or "").strip()
    if text and not (text.isascii() and text.isdigit()):
        raise ConfigurationError(
            "GRAFANA_ORG_ID is no number.", suggestion="Set GRAFANA_ORG_ID to a number such as 1, or unset it."
        )
    return text or None
