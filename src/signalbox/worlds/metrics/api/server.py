"""The application on a port of its own, in a thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from signalbox.worlds.metrics.api.access import Access
from signalbox.worlds.metrics.api.app import create_app
from signalbox.worlds.metrics.shop import open_shop
from signalbox.worlds.metrics.store import Store

__all__ = ["serve"]


@contextmanager
def serve(
    store: Store | None = None, *, host: str = "127.0.0.1", port: int = 0, access: Access | None = None
) -> Iterator[str]:
    """Serve a store (by default the shop) until the block ends; gives its address. Port 0 takes a free one."""
    app = create_app(store or open_shop(), access)
    # A client keeps a connection for five seconds: who closes it after as many may do so while a request is on its way.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", lifespan="off", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    with socket.create_server((host, port)) as listener:
        # Connections inherit it; without it every answer waits 40 ms for an acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        thread = threading.Thread(target=server.run, args=([listener],), name="metrics-world", daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=10)
