"""Outages of the database: whoever notices one reports it here, and it is logged once."""

from __future__ import annotations

import logging
import threading
import time

from signalbox.errors import DatabaseError, redact

__all__ = ["Outage", "database_outage"]

_log = logging.getLogger("signalbox.runs")


class Outage:
    """Logs when the database goes away and when it is back, and nothing in between."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._lock = threading.Lock()

    @property
    def is_on(self) -> bool:
        """True if the database could not be used when it was last tried."""
        return self._since is not None

    def begin(self, error: DatabaseError) -> None:
        """The database cannot be used."""
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                _log.error("The database cannot be used: %s", redact(error.details or error.user_message))

    def end(self) -> None:
        """The database answers."""
        with self._lock:
            if self._since is not None:
                _log.warning("The database can be used again, after %.0f seconds.", time.monotonic() - self._since)
                self._since = None


database_outage = Outage()
