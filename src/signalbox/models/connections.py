"""Connections to a model's server: each event loop has its own, since none outlives the loop that opened it.

Clients of providers keep theirs for the process; a second question in a loop of its own would be sent over a
connection of the first.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

import httpx

__all__ = ["ConnectionsByLoop"]


class ConnectionsByLoop(httpx.AsyncBaseTransport):
    """A transport for httpx with connections of their own for every event loop."""

    def __init__(self) -> None:
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncHTTPTransport] = WeakKeyDictionary()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request over a connection of this loop."""
        own = self._held.setdefault(asyncio.get_running_loop(), httpx.AsyncHTTPTransport())
        return await own.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections of this loop."""
        own = self._held.pop(asyncio.get_running_loop(), None)
        if own is not None:
            await own.aclose()
