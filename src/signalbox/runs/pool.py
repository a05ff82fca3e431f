"""Connections to PostgreSQL that quickly notice when the server goes away and comes back."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

__all__ = ["Pool", "open_pool"]

_PATIENCE, _SHORT = 10.0, 0.5
"""Seconds to wait for a connection: normally, and after the server could not be reached."""
_PAUSE = 1.0
"""Seconds during which an unreachable server is not tried again, so that no queue builds up."""
_RECONNECT = 5.0
_FAREWELL = 0.25
"""Seconds that closing waits for each thread of a pool. A thread that still tries to reach a lost server would delay
the end of the process, and ends with it anyway."""


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("couldn't stop thread")


# Closing leaves such a thread behind on purpose, which is nothing to tell on the standard error of every command.
logging.getLogger("psycopg.pool").addFilter(_is_news)


def open_pool(address: str, most: int) -> Pool:
    """A pool with a maximum number of connections. Raises psycopg's errors if there is none within 10 seconds."""
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "connect_timeout": int(_PATIENCE)}
    psycopg.connect(address, **options).close()  # It says at once, and why, what a pool says only when its time is up.
    # A pool that goes on trying waits longer each time; one that gives up soon tries again for the next who asks.
    pool = Pool(
        address, min_size=1, max_size=most, kwargs=options, open=False, timeout=_PATIENCE, reconnect_timeout=_RECONNECT
    )
    pool.open(wait=True, timeout=_PATIENCE)
    return pool


class Pool(ConnectionPool[Any]):
    """A pool that fails at once while the server is known to be gone, and drops its broken connections."""

    _failed: str = ""
    _again_at = 0.0

    def getconn(self, timeout: float | None = None) -> Any:
        """A connection. Raises psycopg.OperationalError if there is none."""
        if self._failed and time.monotonic() < self._again_at:
            raise psycopg.OperationalError(self._failed)
        try:
            connection = super().getconn(_SHORT if self._failed else timeout)
        except PoolTimeout as error:
            self._fail(str(error))
            raise
        self._failed = ""
        return connection

    def putconn(self, conn: Any) -> None:
        """Return a connection. If it broke, the others probably did too."""
        if conn.broken:
            self._fail("The connection to the server broke.")
            self.drain()
        super().putconn(conn)

    def close(self, timeout: float = _FAREWELL) -> None:
        """Close every connection, without waiting for one that is being opened."""
        super().close(timeout)

    def _fail(self, reason: str) -> None:
        self._failed, self._again_at = reason, time.monotonic() + _PAUSE
