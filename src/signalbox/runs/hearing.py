"""News of runs from other processes on PostgreSQL, which wakes whoever waits for a run."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from signalbox.errors import DatabaseError
from signalbox.runs.database import PostgresDatabase, database
from signalbox.runs.gate import CHANNEL

__all__ = ["Signal", "listening"]

_POLL, _SELDOM = 1.0, 15.0
"""Seconds after which a run is checked again anyway: without notifications, and with them."""
_IDLE = 30.0
Waiter = tuple[asyncio.AbstractEventLoop, asyncio.Event]


class Signal:
    """Waits for news of one run. Read the run between `clear` and `wait`, so that no news is missed."""

    def __init__(self, ears: _Ears | None) -> None:
        self._ears, self.event = ears, asyncio.Event()

    def clear(self) -> None:
        """Reset the signal, to wait for news from now on."""
        self.event.clear()

    async def wait(self) -> None:
        """Return when something may have happened."""
        seconds = _SELDOM if self._ears is not None and self._ears.are_open else _POLL
        try:
            await asyncio.wait_for(self.event.wait(), seconds)
        except TimeoutError:
            return


class _Ears:
    """A connection that listens to all runs while anyone waits for one."""

    def __init__(self, kept: PostgresDatabase) -> None:
        self.are_open = False
        self._kept, self._lock = kept, threading.Lock()
        self._waiting: dict[str, set[Waiter]] = defaultdict(set)
        self._thread: threading.Thread | None = None

    def add(self, run_id: str, waiter: Waiter) -> None:
        with self._lock:
            self._waiting[run_id].add(waiter)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._listen, name="signalbox-hearing", daemon=True)
                self._thread.start()

    def remove(self, run_id: str, waiter: Waiter) -> None:
        with self._lock:
            self._waiting[run_id].discard(waiter)
            if not self._waiting[run_id]:
                del self._waiting[run_id]

    def _listen(self) -> None:
        import psycopg

        while self._is_wanted():
            try:
                with self._kept.dedicated() as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self.are_open = True
                    self._wake(*self._waiting)
                    while self._is_wanted():
                        for told in connection.notifies(timeout=_IDLE):
                            self._wake(told.payload)
            except (psycopg.Error, DatabaseError):
                self.are_open = False
                self._wake(*list(self._waiting))
                time.sleep(_POLL)
        self.are_open = False

    def _is_wanted(self) -> bool:
        with self._lock:
            if not self._waiting:
                self._thread = None
            return bool(self._waiting)

    def _wake(self, *run_ids: str) -> None:
        with self._lock:
            waiters = [waiter for run_id in run_ids for waiter in self._waiting.get(run_id, ())]
        for loop, event in waiters:
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)


_ears: dict[tuple[int, str], _Ears] = {}


@asynccontextmanager
async def listening(run_id: str) -> AsyncIterator[Signal]:
    """A signal that is set when something happens in the run, in any process."""
    kept = await asyncio.to_thread(database)
    if not isinstance(kept, PostgresDatabase):
        yield Signal(None)
        return
    ears = _ears.setdefault((os.getpid(), kept.address), _Ears(kept))
    signal = Signal(ears)
    waiter = (asyncio.get_running_loop(), signal.event)
    ears.add(run_id, waiter)
    try:
        yield signal
    finally:
        ears.remove(run_id, waiter)
