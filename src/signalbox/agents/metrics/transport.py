"""JSON over HTTP within bounds: of time, of bytes, of rows, of requests at once. Nothing is tried twice."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import httpx
from pydantic_core import from_json

from signalbox.agents.metrics.connection import Connection
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.faults import broken_connection, refusal, too_slow, unreadable

__all__ = ["MOST_AT_ONCE", "Limits", "Transport"]

MOST_AT_ONCE = 5
"""How many requests are under way at the same time."""

_LARGE = 100_000
"""Bytes that are parsed beside the event loop."""
_CONNECT_SECONDS = 5.0
_LONGEST_ADDRESS = 4_000
_LONGEST_ROW_MARK = 64
_ERROR_BYTES = 65_536

Parameters = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Limits:
    """What one request may take: seconds in all, bytes after unpacking, series; and seconds for all of a question."""

    seconds: float = 20.0
    bytes: int = 32 * 2**20
    series: int = 10_000
    question_seconds: float = 60.0


@dataclass
class _Line:
    """One HTTP client and one gate: both belong to the event loop that they were made in."""

    http: httpx.AsyncClient
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_AT_ONCE))


class Transport:
    """Reads JSON from one server, with one HTTP client that is reused as long as its event loop lives."""

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection, self._limits = connection, limits
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()

    async def read(self, path: str, parameters: Parameters = (), *, row: re.Pattern[bytes] | None = None) -> Any:
        """What the server says at this path. `row` marks what is counted as a series.

        Raises GrafanaUnavailableError or one of its kinds, InvalidQueryError, TooLargeError.
        """
        line, url, seconds = self._line(), self._connection.url, self._limits.seconds
        async with line.gate:
            try:
                async with asyncio.timeout(seconds):
                    status, headers, body = await self._exchange(line.http, path, parameters, row)
            except httpx.ConnectTimeout as error:
                raise broken_connection(url, error) from None
            except (TimeoutError, httpx.TimeoutException):
                raise too_slow(url, seconds) from None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise broken_connection(url, error) from None
        if not 200 <= status < 300:
            raise refusal(url, status, headers, body)
        if len(body) > _LARGE:
            return await asyncio.to_thread(self._parsed, status, headers, body)
        return self._parsed(status, headers, body)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line:
            await line.http.aclose()

    def _line(self) -> _Line:
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            self._lines[loop] = _Line(self._new_client())
        return self._lines[loop]

    def _new_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=self._connection.headers(),
            auth=self._connection.basic,
            timeout=httpx.Timeout(self._limits.seconds, connect=min(_CONNECT_SECONDS, self._limits.seconds)),
            limits=httpx.Limits(max_connections=MOST_AT_ONCE),
            follow_redirects=False,
            verify=_trusted(self._connection.url.startswith("https:")),
        )

    async def _exchange(
        self, http: httpx.AsyncClient, path: str, parameters: Parameters, row: re.Pattern[bytes] | None
    ) -> tuple[int, httpx.Headers, bytes]:
        async with http.stream(*self._request(path, parameters), **_form(parameters)) as response:
            if response.is_success:
                return response.status_code, response.headers, await self._whole(response, row)
            return response.status_code, response.headers, await _beginning(response)

    def _request(self, path: str, parameters: Parameters) -> tuple[str, str]:
        """GET, as every proxy lets through; POST for what no address can hold."""
        address = f"{self._connection.url}{path}"
        if _form(parameters):
            return "POST", address
        return "GET", f"{address}?{urlencode(parameters)}" if parameters else address

    async def _whole(self, response: httpx.Response, row: re.Pattern[bytes] | None) -> bytes:
        pieces, size, rows, tail = [], 0, 0, b""
        async for piece in response.aiter_bytes():
            pieces.append(piece)
            size += len(piece)
            if size > self._limits.bytes:
                raise TooLargeError(f"The answer is larger than {self._limits.bytes / 2**20:g} MiB.")
            if row:
                found, tail = _count_rows(row, tail + piece)
                rows += found
                if rows > self._limits.series:
                    raise TooLargeError(f"The answer has more than {self._limits.series:,} series.")
        return b"".join(pieces)

    def _parsed(self, status: int, headers: httpx.Headers, body: bytes) -> Any:
        url = self._connection.url
        if "html" in headers.get("content-type", "").lower():
            raise unreadable(url, "a web page instead of data, perhaps one for signing in", body, status)
        try:
            return from_json(body, allow_inf_nan=False)
        except ValueError:
            raise unreadable(url, "something that is not JSON, or only a part of it", body, status) from None


@cache
def _trusted(is_encrypted: bool) -> ssl.SSLContext:
    """Whose certificates are trusted: reading them takes longer than most questions. Over plain HTTP, nobody's."""
    return httpx.create_ssl_context() if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _form(parameters: Parameters) -> dict[str, Any]:
    """The parameters as the body of a POST, where they are too long for an address."""
    text = urlencode(parameters)
    if len(text) <= _LONGEST_ADDRESS:
        return {}
    return {"content": text, "headers": {"Content-Type": "application/x-www-form-urlencoded"}}


def _count_rows(row: re.Pattern[bytes], text: bytes) -> tuple[int, bytes]:
    """How many rows start in a piece, and its end, in which the mark of the next may have begun."""
    ends = [found.end() for found in row.finditer(text)]
    return len(ends), text[max(ends[-1] if ends else 0, len(text) - _LONGEST_ROW_MARK) :]


async def _beginning(response: httpx.Response) -> bytes:
    """Enough of a refusal to know its reason."""
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= _ERROR_BYTES:
            break
    return body[:_ERROR_BYTES]
