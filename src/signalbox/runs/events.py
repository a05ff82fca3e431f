"""The numbered events of runs.

They are stored before anyone receives them, so that a client that returns with its last number misses nothing and gets
nothing twice, even from another process. One thread writes the events of all runs of a process, in batches.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from signalbox.contract.summary import plain
from signalbox.errors import DatabaseError, SignalboxError, redact
from signalbox.runs.database import Conflict, Database, database
from signalbox.runs.gate import owned
from signalbox.runs.hearing import listening
from signalbox.runs.outage import database_outage
from signalbox.runs.owners import Lease, current_lease
from signalbox.toolbox.person import current_person

if TYPE_CHECKING:
    from signalbox.runs.records import Run

__all__ = ["Channel", "Event", "follow", "last_number", "list_events", "open_channel"]

_log = logging.getLogger("signalbox.runs")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run; `number` counts from 1 in each run."""

    number: int
    kind: str
    data: Any


@dataclass(eq=False)
class Channel:
    """The events of a run that this process carries."""

    run_id: str
    person: str
    """The run's owner, the only one who can follow its events."""
    kept: Database
    latest: int
    """The number of the newest event, stored or not."""
    lease: Lease | None = None
    """The worker's lease on the run; without it, nothing more is stored."""
    told: list[Event] = field(default_factory=list)
    """The events stored since the channel was opened."""
    closed: bool = False
    waiting: int = 0
    """The number of events that are not stored yet."""
    _listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)

    def add(self, kind: str, data: Any) -> None:
        """Add an event. May be called from any thread."""
        _writer.write(self, kind, plain(data))

    def store(self, items: list[tuple[str, Any]]) -> list[Event]:
        """Store events in the open transaction. `tell` them when it has been committed."""
        return _writer.store(self, [(kind, plain(data)) for kind, data in items])

    def tell(self, events: list[Event]) -> None:
        """Pass stored events to the followers."""
        self.told += events
        self.wake()

    def drain(self) -> None:
        """Wait until all events are stored."""
        _writer.drain(self)

    async def aclose(self) -> None:
        """Close the channel: wait until all events are stored, then release the followers."""
        await asyncio.to_thread(self.drain)
        self.closed = True
        _channels.pop((self.person, self.run_id), None)
        self.wake()

    def wake(self) -> None:
        """Wake all followers."""
        for loop, signal in list(self._listeners):
            loop.call_soon_threadsafe(signal.set)

    async def wait(self, seen: int) -> None:
        """Wait for events after those already seen, or for the end."""
        signal = asyncio.Event()
        place = (asyncio.get_running_loop(), signal)
        self._listeners.add(place)
        try:
            if not self.closed and (not self.told or self.told[-1].number <= seen):
                await signal.wait()
        finally:
            self._listeners.discard(place)


class _Writer:
    """Stores events in order; everything that is queued goes into one commit."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Channel, Event]] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def write(self, channel: Channel, kind: str, data: Any) -> None:
        with self._changed:
            channel.latest += 1
            channel.waiting += 1
            self._waiting.append((channel, Event(channel.latest, kind, data)))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="signalbox-events", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def store(self, channel: Channel, items: list[tuple[str, Any]]) -> list[Event]:
        with self._changed:
            first = channel.latest + 1
            channel.latest += len(items)
        events = [Event(number, kind, data) for number, (kind, data) in enumerate(items, first)]
        _insert([(channel, event) for event in events])
        return events

    def drain(self, channel: Channel) -> None:
        """Wait until all events of a run are stored."""
        with self._changed:
            self._changed.wait_for(lambda: not channel.waiting)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                batch, self._waiting = self._waiting, []
            try:
                self._commit(batch)
            finally:
                with self._changed:
                    for channel, _ in batch:
                        channel.waiting -= 1
                    self._changed.notify_all()

    def _commit(self, batch: list[tuple[Channel, Event]]) -> None:
        by_place: dict[tuple[int, str], list[tuple[Channel, Event]]] = defaultdict(list)
        for channel, event in batch:
            by_place[id(channel.kept), channel.person].append((channel, event))
        lost: set[Channel] = set()
        for items in by_place.values():
            try:
                lost |= _insert(items)
            except DatabaseError as error:
                # Who follows gets them all the same: an event that cannot be kept is better than none.
                database_outage.begin(error)
            except (SignalboxError, Conflict) as error:
                _log.error("%d events were not kept: %s", len(items), redact(error))
        for channel, event in batch:
            if channel not in lost:
                channel.told.append(event)
        for channel in {id(channel): channel for channel, _ in batch}.values():
            channel.wake()


def _insert(items: list[tuple[Channel, Event]]) -> set[Channel]:
    """Store events of one person's runs. Returns the runs that other workers have taken over, whose events are not
    stored."""
    with owned(items[0][0].person, items[0][0].kept) as held:
        channels = {id(channel): channel for channel, _ in items}.values()
        lost = {channel for channel in channels if channel.lease is not None and not held.holds(channel.lease)}
        kept = [(channel.run_id, event) for channel, event in items if channel not in lost]
        rows = [(run_id, event.number, event.kind, json.dumps(event.data)) for run_id, event in kept]
        held.insert_many("events", ("run_id", "number", "kind", "data"), rows)
        for run_id in {run_id for run_id, _ in kept}:
            held.tell(run_id)
    return lost


_writer = _Writer()
_channels: dict[tuple[str, str], Channel] = {}


def open_channel(run: Run) -> Channel:
    """Open the channel of a run that this process executes, continuing its numbers. A run that got its request from
    another reports on the channel of that one."""
    key = (run.person, run.channel)
    latest = last_number(run.channel, person=run.person)
    _channels[key] = Channel(run.channel, run.person, database(), latest, current_lease())
    return _channels[key]


def list_events(run_id: str, after: int = 0, *, person: str | None = None) -> list[Event]:
    """The stored events after that number of a run of this person, by default the current one."""
    with owned(person or current_person()) as held:
        where, values = "run_id = ? AND number > ?", (run_id, after)
        rows = held.select("number, kind, data", "events", where, values, order="number")
    return [Event(row[0], row[1], json.loads(row[2])) for row in rows]


def last_number(run_id: str, *, person: str | None = None) -> int:
    """The number of the latest stored event of a run of this person, by default the current one; 0 if there is none."""
    with owned(person or current_person()) as held:
        found = held.first("number", "events", "run_id = ?", (run_id,), order="number DESC")
    return int(found[0]) if found else 0


async def follow(run_id: str, after: int = 0, *, person: str | None = None) -> AsyncIterator[Event]:
    """The events of a run of this person (by default the current one) after that number, as they happen, until it ends,
    pauses or is interrupted. Other people's runs have none."""
    from signalbox.runs.records import carrier_of, get_run

    owner = person or current_person()
    seen = after
    async with listening(run_id) as signal:
        while True:
            signal.clear()
            channel = _channels.get((owner, run_id))
            known = channel.told if channel is not None else []
            if known and known[0].number <= seen + 1:
                new = known[bisect_right(known, seen, key=lambda event: event.number) :]
            else:
                new = await asyncio.to_thread(list_events, run_id, seen, person=owner)
            for event in new:
                yield event
                seen = event.number
            if new:
                continue
            if channel is not None:
                if channel.closed and channel.lease is None and channel.latest <= seen:
                    return
                await channel.wait(seen)
            elif (owner, run_id) not in _channels:
                run = await asyncio.to_thread(get_run, run_id, owner)
                if run is not None and carrier_of(run).is_awaited:
                    await signal.wait()
                elif not await asyncio.to_thread(list_events, run_id, seen, person=owner):
                    return
