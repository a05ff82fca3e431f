"""Connections to PostgreSQL that notice quickly that the server is gone, and that it is back."""

from __future__ import annotations

import logging
import time
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

__all__ = ["Pool", "open_pool"]

_PATIENCE, _SHORT = 10.0, 0.5
"""Seconds that one waits for a connection: usually, and after the server could not be reached."""
_PAUSE = 1.0
"""Seconds in which a server that could not be reached is not asked again, so that nobody queues up for it."""
_RECONNECT = 5.0
_FAREWELL = 0.25
"""Seconds that closing waits for each thread of a pool. One that is idle ends at once; one that still tries to reach a
server that is gone would hold up the end of the process by many seconds, and ends with the process anyway."""


def _is_news(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("couldn't stop thread")


# Closing leaves such a thread behind on purpose, which is nothing to tell on the standard error of every command.
logging.getLogger("psycopg.pool").addFilter(_is_news)


def open_pool(address: str, most: int) -> Pool:
    """A pool of at most so many connections. Raises psycopg's errors if there is none within 10 seconds."""
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "connect_timeout": int(_PATIENCE)}
    psycopg.connect(address, **options).close()  # It says at once, and why, what a pool says only when its time is up.
    # A pool that goes on trying waits longer each time; one that gives up soon tries again for the next who asks.
    pool = Pool(
        address, min_size=1, max_size=most, kwargs=options, open=False, timeout=_PATIENCE, reconnect_timeout=_RECONNECT
    )
    pool.open(wait=True, timeout=_PATIENCE)
    return pool


class Pool(ConnectionPool[Any]):
    """A pool that fails at once while the server is known to be gone, and drops every connection that went with it."""

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
        """Take a connection back. If it broke, the others did most likely, too."""
        if conn.broken:
            self._fail("The connection to the server broke.")
            self.drain()
        super().putconn(conn)

    def close(self, timeout: float = _FAREWELL) -> None:
        """Close every connection, without waiting for one that is being opened."""
        super().close(timeout)

    def _fail(self, reason: str) -> None:
        self._failed, self._again_at = reason, time.monotonic() + _PAUSE
