"""The application on a port of its own, in a thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from signalbox.settings import home_file
from signalbox.worlds.experiments.access import Access
from signalbox.worlds.experiments.app import create_app
from signalbox.worlds.experiments.seed import fill
from signalbox.worlds.experiments.store import Store

__all__ = ["serve", "serve_app"]

_FILE = "experiments-world.sqlite"


@contextmanager
def serve(
    store: Store | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    access: Access | None = None,
    path: Path | None = None,
) -> Iterator[str]:
    """Serve a store until the block ends; gives its address, with `/api`. Port 0 takes a free one.

    Without a store it is the seeded one, kept in a file under SIGNALBOX_HOME (or at `path`), so that what was tried out
    is still there the next time.
    """
    kept = store or Store(path or home_file(_FILE))
    if store is None:
        kept.once(fill)
    try:
        with serve_app(create_app(kept, access), host, port) as address:
            yield address
    finally:
        if store is None:
            kept.close()


@contextmanager
def serve_app(app: Any, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve an application until the block ends; gives its address, with `/api`."""
    # A client keeps a connection for five seconds: who closes it after as many may do so while a request is on its way.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", lifespan="off", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    with socket.create_server((host, port)) as listener:
        # Connections inherit it; without it every answer waits 40 ms for an acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        thread = threading.Thread(target=server.run, args=([listener],), name="experiments-world", daemon=True)
        thread.start()
        try:
            yield f"http://{host}:{listener.getsockname()[1]}/api"
        finally:
            server.should_exit = True
            thread.join(timeout=10)
