"""Sending to user-provided addresses: it connects to exactly the address that was checked, and follows no redirects.
Addresses may hold secrets: only their hosts are logged."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import orjson

from signalbox.errors import RequestError

__all__ = ["PrivateAddressError", "post_json", "web_host"]

_PATIENCE = 10.0
_PORTS = {"http": 80, "https": 443}


class PrivateAddressError(RequestError):
    """An address in the operator's own network, although only public ones are allowed."""


def web_host(address: str) -> tuple[str, int, bool]:
    """The host and port of a web address, and whether the port is the default of its scheme. Raises ValueError for any
    other address, and for one with a name or a password."""
    parts = urlsplit(address)
    if parts.scheme not in _PORTS or not parts.hostname or parts.username or parts.password:
        raise ValueError("write it as https://host/path, without a name and a password")
    usual = _PORTS[parts.scheme]
    port = parts.port or usual
    return parts.hostname.lower(), port, port == usual


async def post_json(address: str, body: Mapping[str, Any], *, is_private_allowed: bool) -> int:
    """Post it, and return the status. Raises ValueError, PrivateAddressError, and httpx.HTTPError if there is no
    response."""
    host, port, is_usual = web_host(address)
    parts = urlsplit(address)
    found = await _resolved(host, port)
    if not is_private_allowed and any(not ipaddress.ip_address(one).is_global for one in found):
        raise PrivateAddressError(f"{host} is a private address.")
    place = f"[{found[0]}]" if ":" in found[0] else found[0]
    url = urlunsplit((parts.scheme, f"{place}:{port}", parts.path or "/", parts.query, ""))
    named = f"[{host}]" if ":" in host else host
    headers = {"Host": named if is_usual else f"{named}:{port}", "Content-Type": "application/json"}
    waits = dict.fromkeys(("connect", "read", "write", "pool"), _PATIENCE)
    extensions = {"sni_hostname": host, "timeout": waits}
    content = orjson.dumps(dict(body), default=str)
    request = httpx.Request("POST", url, content=content, headers=headers, extensions=extensions)
    # Without a client: that one would log the address with what is secret in it, and follow what it is told.
    async with httpx.AsyncHTTPTransport(trust_env=False) as transport:
        reply = await transport.handle_async_request(request)
        await reply.aclose()
        return reply.status_code


async def _resolved(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises httpx.ConnectError if it has none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise httpx.ConnectError("no such host") from None
    return list(dict.fromkeys(str(one[4][0]) for one in found))
