"""HTTP connections to providers: kept open within an event loop and closed with it, shared by all models.

A connection belongs to the event loop that opened it, while a model may be used in one loop after the other (a command,
a test, a worker's thread). The transport below therefore has one client per loop. Each is tied to an async generator,
because that is what a loop closes when it shuts down.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import AsyncGenerator
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["kept_transport"]


@cache
def kept_transport(library: str) -> Any:
    """The transport of this process for `httpx`, or for `httpx2`, which some providers' clients are built on.

    It serves synchronous and asynchronous clients. Proxies are taken from the environment, as by httpx itself.
    """
    httpx: Any = import_module(library)

    class Kept(httpx.AsyncBaseTransport, httpx.BaseTransport):  # type: ignore[misc]
        """Hands each request to the client of the running loop; outside of one, to a client of the process."""

        def __init__(self) -> None:
            self._lock = threading.Lock()
            self._ways: dict[asyncio.AbstractEventLoop, tuple[Any, AsyncGenerator[None]]] = {}
            self._process: Any = None
            self._trust: Any = None

        def handle_request(self, request: Any) -> Any:
            with self._lock:
                if self._process is None:
                    self._process = httpx.Client(verify=self._certificates())
                    atexit.register(self._process.close)
            return self._process.send(request, stream=True, auth=None, follow_redirects=False)

        async def handle_async_request(self, request: Any) -> Any:
            if self._trust is None:
                # Reading all certificates would hold the loop up.
                await asyncio.to_thread(self._certificates)
            client = await self._client_of(asyncio.get_running_loop())
            return await client.send(request, stream=True, auth=None, follow_redirects=False)

        def _certificates(self) -> Any:
            self._trust = self._trust or httpx.create_ssl_context()
            return self._trust

        async def _client_of(self, loop: asyncio.AbstractEventLoop) -> Any:
            with self._lock:
                for gone in [one for one in self._ways if one.is_closed()]:
                    del self._ways[gone]
                found = self._ways.get(loop)
                if found is None:
                    client = httpx.AsyncClient(verify=self._certificates())
                    found = self._ways[loop] = (client, self._until_the_end(loop, client))
                    begun = found[1]
                else:
                    begun = None
            if begun is not None:
                await anext(begun)
            return found[0]

        async def _until_the_end(self, loop: asyncio.AbstractEventLoop, client: Any) -> AsyncGenerator[None]:
            try:
                yield
            finally:
                with self._lock:
                    self._ways.pop(loop, None)
                await client.aclose()

        def close(self) -> None:
            """Do nothing: other models use the same connections."""

        async def aclose(self) -> None:
            """Do nothing, for the same reason."""

    return Kept()
