"""One router at one moment: what it knows of itself and of its neighbours, with how long and how often."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signalbox.worlds.grid import seconds_of
from signalbox.worlds.network.conditions import Cause
from signalbox.worlds.network.history import Change, History
from signalbox.worlds.network.model import Device, End, Link, Session
from signalbox.worlds.network.overrides import Override
from signalbox.worlds.network.snapshot import Peering, Snapshot
from signalbox.worlds.traffic import octets_between, sent

__all__ = [
    "CLOCK_SKEW",
    "ERRORS_A_RETURN",
    "ERRORS_A_SECOND",
    "TRANSITIONS_AT_BOOT",
    "Alarm",
    "Port",
    "Router",
    "fraction",
    "usual_load",
]

CLOCK_SKEW = timedelta(minutes=7, seconds=12)
ERRORS_A_SECOND = 430
# A link that comes back has a few broken frames at first.
ERRORS_A_RETURN = 3
_AFTER_BOOT = timedelta(seconds=41)
# An interface is down and up once while a router starts.
TRANSITIONS_AT_BOOT = 2


def fraction(key: str) -> float:
    """A number from 0 to 1 that is always the same for the same words."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=6).digest(), "big") / 2**48


def usual_load(device: str) -> float:
    """The share of a device's CPU that is in use on a usual day, over all its cores."""
    return 0.09 + 0.12 * fraction(device) + 0.04 * fraction(f"{device}/ALL")


@dataclass(frozen=True)
class Port:
    """An interface on a link, now."""

    end: End
    link: Link
    admin_up: bool
    oper_up: bool
    mtu: int
    last_change: datetime
    transitions: int
    counters: dict[str, int]


@dataclass(frozen=True)
class Alarm:
    """Something that the router itself complains of."""

    name: str
    resource: str
    severity: str
    text: str
    since: datetime


class Router:
    """A router, seen at a moment."""

    def __init__(self, history: History, name: str, moment: datetime, overrides: Sequence[Override] = ()) -> None:
        self.history = history
        self.model = history.model
        self.device: Device = history.model.devices[name]
        self.name = name
        self.moment = moment
        self.overrides = [one for one in overrides if one.device == name]
        self.now: Snapshot = history.at(moment)
        self.booted = history.booted(name, moment)

    @property
    def clock(self) -> datetime:
        """What the router takes for the present."""
        return self.moment + (CLOCK_SKEW if self.now.has(Cause.CLOCK, self.name) else timedelta())

    @property
    def rebooted(self) -> bool:
        """Whether it restarted by itself since the network was switched on."""
        return any(one.cause is Cause.REBOOT and one.device == self.name for one in self.history.conditions)

    def since(self, cause: Cause, target: str = "") -> datetime:
        """From when a cause holds here."""
        return max(
            (one.start for one in self.history.conditions if one.cause is cause and one.where == (self.name, target)),
            default=self.booted,
        )

    # Interfaces

    def ports(self) -> list[Port]:
        return [self._port(end, link) for end, link in self.model.ends[self.name]]

    def _port(self, end: End, link: Link) -> Port:
        changes = self.history.changes(lambda at: at.oper_up(link), self.moment, self.booted)
        last = changes[-1].moment if changes else self.booted + _AFTER_BOOT
        return Port(
            end,
            link,
            self.now.admin_up(end.device, end.interface),
            self.now.oper_up(link),
            self.now.mtu(end.device, end.interface, link),
            last,
            TRANSITIONS_AT_BOOT + len(changes),
            self._counters(end, link, changes),
        )

    def _counters(self, end: End, link: Link, changes: list[Change]) -> dict[str, int]:
        dark = self.history.spans(lambda at: not at.oper_up(link), self.booted, self.moment)
        halts = [(seconds_of(start), seconds_of(stop)) for start, stop in dark]
        broken = self.history.seconds(lambda at: at.has(Cause.ERRORS, *_place(end)), self.booted, self.moment)
        short = self.history.seconds(lambda at: _is_short(at, end, link), self.booted, self.moment)
        returns = sum(1 for change in changes if change.value)
        errors = int(broken * ERRORS_A_SECOND) + returns * ERRORS_A_RETURN
        life = seconds_of(self.booted), seconds_of(self.moment)
        received, out = (
            octets_between(sent(*ends, self.history.roles), *life, halts)
            for ends in ((end.peer, end.peer_interface, end.device), (end.device, end.interface, end.peer))
        )
        return {
            "in-octets": received,
            "out-octets": out,
            "in-pkts": received // 700,
            "out-pkts": out // 700,
            "in-errors": errors,
            "in-fcs-errors": errors,
            "in-discards": int(short / 3),
            "in-oversize": int(short / 3),
        }

    # IS-IS and LDP

    def adjacencies(self) -> Iterator[tuple[End, Link, str, datetime, int]]:
        """Each adjacency that the router has an entry for: end, link, state, since when, and how often it changed."""
        for end, link in self.model.ends[self.name]:
            state = self.now.adjacency(end, link)
            if state:
                changes = self.adjacency_changes(end, link)
                since = changes[-1].moment if changes else self.booted + _AFTER_BOOT + timedelta(seconds=6)
                yield end, link, state, since, 1 + len(changes)

    def adjacency_changes(self, end: End, link: Link) -> list[Change]:
        return self.history.changes(lambda at: at.adjacency(end, link), self.moment, self.booted)

    def ldp_neighbours(self) -> Iterator[tuple[End, str]]:
        for end, link in self.model.ends[self.name]:
            state = self.now.ldp(end, link)
            if state:
                yield end, state

    # BGP

    def peerings(self) -> Iterator[tuple[str, Session, Peering]]:
        for peer, session in self.model.sessions_of[self.name]:
            yield peer, session, self.now.peering(self.name, peer, session)

    def peering_changes(self, peer: str, session: Session) -> list[Change]:
        return self.history.changes(lambda at: at.peering(self.name, peer, session), self.moment, self.booted)

    def established(self, peer: str, session: Session) -> tuple[int, datetime | None]:
        """How often a session came up since the router started, and when last."""
        ups = [one.moment for one in self.peering_changes(peer, session) if _is_up(one)]
        first = self.booted + _AFTER_BOOT + timedelta(seconds=20)
        began = self.history.at(first).peering(self.name, peer, session).state == "ESTABLISHED"
        moments = [*([first] if began else []), *ups]
        return len(moments), moments[-1] if moments else None

    # Complaints

    def alarms(self) -> list[Alarm]:
        return list(self._alarms())

    def _alarms(self) -> Iterator[Alarm]:
        for port in self.ports():
            place = port.end.interface
            if port.admin_up and not port.oper_up:
                yield Alarm("LINK_DOWN", place, "MAJOR", f"{place} is down: no signal", port.last_change)
            if self.now.has(Cause.ERRORS, self.name, place):
                text = f"{place} receives frames with FCS errors above the threshold"
                yield Alarm("RX_FCS_ERROR", place, "MINOR", text, self.since(Cause.ERRORS, place))
        for cause, name, resource, severity, text in _COMPLAINTS:
            if self.now.has(cause, self.name):
                yield Alarm(name, resource, severity, text, self.since(cause) + timedelta(seconds=30))


_COMPLAINTS = (
    (Cause.CPU, "CPU_HIGH", "0/RP0/CPU0", "MAJOR", "CPU utilization has been above 90% for 5 minutes (process bgp)"),
    (Cause.MEMORY, "MEMORY_LOW", "0/RP0/CPU0", "CRITICAL", "Free memory is below 5%"),
    (Cause.CLOCK, "NTP_UNSYNC", "ntp", "MINOR", "The clock is not synchronised to any time server"),
)


def _place(end: End) -> tuple[str, str]:
    return end.device, end.interface


def _is_short(at: Snapshot, end: End, link: Link) -> bool:
    """Whether frames of the other end are too long for this one."""
    ours, theirs = at.mtu(*_place(end), link), at.mtu(end.peer, end.peer_interface, link)
    return at.oper_up(link) and ours < theirs


def _is_up(change: Change) -> bool:
    return isinstance(change.value, Peering) and change.value.state == "ESTABLISHED"
