"""Background work of the service: schedules start runs, and webhooks are sent."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from signalbox.errors import DatabaseError, redact
from signalbox.runs.outage import database_outage
from signalbox.service.crons import start_due
from signalbox.service.webhooks import deliver_due

__all__ = ["keep_time"]

_EVERY = 1.0
_log = logging.getLogger("signalbox.service")


async def keep_time(stopping: asyncio.Event) -> None:
    """Do what is due, every second, until the service stops."""
    while not stopping.is_set():
        for act in (start_due, deliver_due):
            try:
                await act()
            except DatabaseError as error:
                database_outage.begin(error)
            except Exception as error:
                _log.error("What is due cannot be done: %s", redact(error))
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), _EVERY)
