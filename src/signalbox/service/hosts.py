"""Host and Origin: the names of the service, and which web pages may call it.

A web site can point its own name at this machine (DNS rebinding) and have the visitor's browser call the service. The
browser then sends the site's name as Host, so only known names are answered, on loopback as anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.service.problems import refuse, reply
from signalbox.settings import get_settings

__all__ = ["Hosts", "is_own_origin"]

_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#@\s]+)")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Host:
    """A name or an address, and a port if given."""

    name: str
    port: int | None


class Hosts:
    """Only answers requests to this service: a foreign Host gets 421, a foreign Origin 403.

    Its own names are the loopback ones, the address at which the request arrived, `bound` (the name it listens on) and
    those in SIGNALBOX_ALLOWED_HOSTS. A request without Origin passes.
    """

    def __init__(self, app: ASGIApp, bound: Iterable[str] = ()) -> None:
        self.app = app
        self.bound = frozenset(map(_canonical, bound))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self.app(scope, receive, send)
        else:
            await refuse(refusal, scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        given = headers.getlist("host")
        host = _read_host(given[0]) if len(given) == 1 else None
        if host is None:
            return reply(400, "The request needs one Host header that names a host.")
        if not self._is_ours(host, scope):
            return reply(
                421, "This host is not served here.",
                suggestion="The operator can add its name to SIGNALBOX_ALLOWED_HOSTS.",
            )  # fmt: skip
        origins = headers.getlist("origin")
        if origins and not (len(origins) == 1 and (is_own_origin(scope) or _may_call(origins[0]))):
            return reply(
                403, "This web page may not call the service.",
                suggestion="The operator can add its origin to SIGNALBOX_CORS_ORIGINS.",
            )  # fmt: skip
        return None

    def _is_ours(self, host: Host, scope: Scope) -> bool:
        if host.name in _LOCAL or host.name in self.bound or _is_listed(host, any_port=True):
            return True
        address, _ = scope.get("server") or ("", None)
        return host.name == _canonical(str(address))


def is_own_origin(scope: Scope) -> bool:
    """True if the request says that it comes from this service's own page."""
    headers = Headers(scope=scope)
    found = _ORIGIN.fullmatch(headers.get("origin", "").lower())
    origin, host = _read_host(found["host"]) if found else None, _read_host(headers.get("host", ""))
    if found is None or origin is None or host is None:
        return False
    usual = _PORTS[found["scheme"]]
    at = Host(origin.name, origin.port or usual)
    # A proxy may have replaced Host by the address it calls; the names that the operator listed are the service's own.
    return at == Host(host.name, host.port or usual) or _is_listed(at, any_port=at.port == usual)


def _may_call(origin: str) -> bool:
    allowed = get_settings().cors_origins
    return "*" in allowed or origin.lower() in (one.lower().rstrip("/") for one in allowed)


def _read_host(text: str) -> Host | None:
    found = _HOST.fullmatch(text.strip())
    if found is None or int(found["port"] or 0) > 65_535:
        return None
    return Host(_canonical(found["name"]), int(found["port"]) if found["port"] else None)


def _is_listed(host: Host, *, any_port: bool) -> bool:
    """True if the operator listed the host. An entry without a port stands for `any_port` or for none."""
    for entry in get_settings().allowed_hosts:
        listed = _read_host(entry.removeprefix("*."))
        if listed is None or not (listed.port == host.port if listed.port else any_port):
            continue
        if host.name.endswith(f".{listed.name}") if entry.startswith("*.") else host.name == listed.name:
            return True
    return False


def _canonical(name: str) -> str:
    """A name in lower case, or an address in its canonical form."""
    bare = name.strip("[]").lower().removesuffix(".")
    try:
        address = ip_address(bare)
    except ValueError:
        return bare
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
