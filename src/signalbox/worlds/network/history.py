"""The network over time: which snapshot holds from when, and how often a thing has changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import TypeVar

from signalbox.worlds.network.conditions import Cause, Condition
from signalbox.worlds.network.model import Model
from signalbox.worlds.network.snapshot import Snapshot

__all__ = ["Change", "History"]

T = TypeVar("T")
_AGE = timedelta(days=211)


@dataclass(frozen=True)
class Change:
    """From this moment on a thing had this value, and another before."""

    moment: datetime
    value: object
    before: object


class History:
    """What was, from when the network was switched on until now. `opened` is a moment of the day it is looked at."""

    def __init__(self, model: Model, conditions: Iterable[Condition], opened: datetime) -> None:
        self.model = model
        self.conditions = tuple(conditions)
        self.began = datetime.combine(opened.astimezone(UTC).date(), time(3, 12), UTC) - _AGE
        moments = {self.began}
        for condition in self.conditions:
            moments.update(moment for moment in (condition.start, condition.end) if moment)
        self._moments = sorted(moments)
        known: dict[frozenset[Condition], Snapshot] = {}
        self._snapshots = []
        for moment in self._moments:
            active = frozenset(one for one in self.conditions if one.holds(moment))
            self._snapshots.append(known.setdefault(active, Snapshot(model, active)))

    @cached_property
    def roles(self) -> dict[str, str]:
        """The role of each device."""
        return {name: device.role for name, device in self.model.devices.items()}

    def at(self, moment: datetime) -> Snapshot:
        """The network at a moment; what was before it was switched on is as it was then."""
        return self._snapshots[max(bisect_right(self._moments, moment) - 1, 0)]

    def boots(self, device: str) -> list[datetime]:
        """When a device was switched on, the first time first."""
        first = self.began + timedelta(seconds=17 * self.model.devices[device].index)
        again = [one.end for one in self.conditions if one.cause is Cause.REBOOT and one.device == device and one.end]
        return sorted([first, *again])

    def booted(self, device: str, moment: datetime) -> datetime:
        """When a device was last switched on, as seen at a moment."""
        first, *again = self.boots(device)
        return max([first, *(one for one in again if one <= moment)])

    def changes(self, value: Callable[[Snapshot], T], moment: datetime, since: datetime | None = None) -> list[Change]:
        """How a thing changed until a moment, oldest first, without its first value."""
        found: list[Change] = []
        before: T | None = None
        for start, snapshot in zip(self._moments, self._snapshots, strict=True):
            if start > moment:
                break
            now = value(snapshot)
            if start > self.began and now != before and (since is None or start > since):
                found.append(Change(start, now, before))
            before = now
        return found

    def spans(
        self, holds: Callable[[Snapshot], bool], since: datetime, moment: datetime
    ) -> list[tuple[datetime, datetime]]:
        """When something was so, between two moments."""
        ends = [*self._moments[1:], moment]
        return [
            (max(start, since), min(end, moment))
            for start, end, snapshot in zip(self._moments, ends, self._snapshots, strict=True)
            if min(end, moment) > max(start, since) and holds(snapshot)
        ]

    def seconds(self, holds: Callable[[Snapshot], bool], since: datetime, moment: datetime) -> float:
        """For how long something was so, between two moments."""
        return sum((end - start).total_seconds() for start, end in self.spans(holds, since, moment))
