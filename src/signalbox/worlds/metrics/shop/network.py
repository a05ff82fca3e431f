"""The network under the shop: interfaces and BGP sessions of every device.

Every figure is taken from the model of the network that the devices answer from, whenever it is asked for: both systems
say the same of one thing at every moment, also of the faults that are switched on by the setting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np

from signalbox.settings import now
from signalbox.worlds.grid import Grid, seconds_of
from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described
from signalbox.worlds.network.conditions import Cause, Condition, incident_conditions
from signalbox.worlds.network.faults import Fault, conditions_of, faults_set
from signalbox.worlds.network.history import History
from signalbox.worlds.network.model import End, Link, Model, Session, build_model
from signalbox.worlds.network.router import ERRORS_A_RETURN, ERRORS_A_SECOND, TRANSITIONS_AT_BOOT, usual_load
from signalbox.worlds.network.snapshot import Snapshot
from signalbox.worlds.noise import FloatArray
from signalbox.worlds.shapes import Constant, Counter, Level, Shape
from signalbox.worlds.traffic import sent

__all__ = ["add_to"]

_STATES = {"ESTABLISHED": 6.0, "ACTIVE": 3.0, "CONNECT": 2.0, "IDLE": 1.0}
_BUSY = 0.97
_AHEAD = timedelta(hours=1)
_NEVER = datetime(9999, 1, 1, tzinfo=UTC)

_DESCRIBED: Described = {
    "interface_in_octets_total": ("counter", "Octets received on the interface."),
    "interface_out_octets_total": ("counter", "Octets sent on the interface."),
    "interface_in_errors_total": ("counter", "Frames received with errors."),
    "interface_oper_status": ("gauge", "1 when the interface is up, 0 when it is down."),
    "interface_carrier_transitions_total": (
        "counter",
        "How often the interface changed between up and down.",
    ),
    "interface_speed_bits_per_second": ("gauge", "The speed of the interface."),
    "bgp_session_state": ("gauge", "State of the BGP session: 1 idle, 2 connect, 3 active, 6 established."),
    "bgp_session_flaps_total": ("counter", "How often the BGP session left the established state."),
    "bgp_prefixes_received": ("gauge", "Prefixes received on the BGP session."),
    "device_cpu_utilization_ratio": ("gauge", "Share of the device's CPU in use, 0 to 1."),
}


@dataclass
class _Story:
    """The network of one world, as it is told now."""

    model: Model
    conditions: Sequence[Condition]
    opened: datetime
    _known: dict[tuple[tuple[Fault, datetime], ...], History] = field(default_factory=dict)

    def history(self) -> History:
        """What was until now, with the faults that are switched on."""
        faults = tuple(faults_set(self.model).items())
        if faults not in self._known:
            caused = [one for fault, seen in faults for one in conditions_of(fault, seen)]
            self._known = {faults: History(self.model, [*self.conditions, *caused], self.opened)}
        return self._known[faults]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Router(Target):
    """A device that is scraped: while it is off, nothing is heard of it."""

    story: _Story
    device: str

    def gaps(self) -> tuple[tuple[int, int], ...]:
        """When it was off, with the faults that are switched on."""
        return _off(self.story.history(), self.device)


@lru_cache(maxsize=64)
def _off(told: History, device: str) -> tuple[tuple[int, int], ...]:
    spans = told.spans(lambda at: device in at.off, told.began, _NEVER)
    return tuple((round(start.timestamp() * 1000), round(end.timestamp() * 1000)) for start, end in spans)


@dataclass(frozen=True, eq=False)
class _Told:
    """A shape that the network's history gives whenever it is asked for."""

    story: _Story
    shape: Callable[[History], Shape]

    def at(self, grid: Grid) -> FloatArray:
        """The values, one a scrape."""
        return self.shape(self.story.history()).at(grid)


@dataclass(frozen=True)
class _Grown:
    """So many at each moment and so many a second during the spans, counted from the latest of `births`."""

    moments: tuple[float, ...]
    each: float
    spans: tuple[tuple[float, float], ...]
    a_second: float
    births: tuple[float, ...]

    def at(self, grid: Grid) -> FloatArray:
        """The count at each scrape."""
        t, births = grid.seconds(), np.asarray(self.births)
        born = births[np.maximum(np.searchsorted(births, t, side="right") - 1, 0)]
        return self._until(t) - self._until(born)

    def _until(self, t: FloatArray) -> FloatArray:
        length = np.zeros_like(t)
        for start, end in self.spans:
            length += np.clip(t, start, end) - start
        passed = np.searchsorted(np.asarray(self.moments), t, side="right").astype(np.float64)
        return np.asarray(self.each * passed + np.floor(length * self.a_second))


def add_to(catalogue: Catalogue) -> None:
    """Enter every device."""
    catalogue.describe(_DESCRIBED)
    story = _Story(build_model(), incident_conditions(catalogue.incident), catalogue.midnight)

    def add(name: str, shape: Callable[[History], Shape], target: Target, **labels: str) -> None:
        catalogue.add(name, _Told(story, shape), target, **labels)

    for device in story.model.devices:
        target = _Router("network", f"{device}:57400", story=story, device=device)
        catalogue.add_target(target, 24, device=device)
        add("device_cpu_utilization_ratio", _load(device), target, device=device)
        for end, link in story.model.ends[device]:
            _add_port(end, link, target, catalogue, add)
        for peer, session in story.model.sessions_of[device]:
            labels = {"device": device, "neighbor": peer}
            add("bgp_session_state", _state(device, peer, session), target, **labels)
            add("bgp_session_flaps_total", _flaps(device, peer, session), target, **labels)
            add("bgp_prefixes_received", _received(device, peer), target, **labels)


def _add_port(end: End, link: Link, target: Target, catalogue: Catalogue, add: Callable[..., None]) -> None:
    labels = {"device": end.device, "interface": end.interface, "peer": end.peer}
    add("interface_in_octets_total", _octets(end, link, (end.peer, end.peer_interface, end.device)), target, **labels)
    add("interface_out_octets_total", _octets(end, link, (end.device, end.interface, end.peer)), target, **labels)
    add("interface_in_errors_total", _errors(end, link), target, **labels)
    add("interface_oper_status", lambda told: _steps(told, lambda at: float(at.oper_up(link))), target, **labels)
    add("interface_carrier_transitions_total", _transitions(end, link), target, **labels)
    catalogue.add("interface_speed_bits_per_second", Constant(1e9), target, **labels)


def _steps(told: History, value: Callable[[Snapshot], float]) -> Constant:
    changes = told.changes(value, datetime.max.replace(tzinfo=told.began.tzinfo))
    moments = tuple((seconds_of(one.moment), float(str(one.value))) for one in changes)
    return Constant(value(told.at(told.began)), moments)


def _births(told: History, device: str) -> tuple[float, ...]:
    return tuple(seconds_of(one) for one in told.boots(device))


def _turns(told: History, link: Link, *, only_up: bool = False) -> tuple[float, ...]:
    changes = told.changes(lambda at: at.oper_up(link), datetime.max.replace(tzinfo=told.began.tzinfo))
    return tuple(seconds_of(one.moment) for one in changes if one.value or not only_up)


def _spans(told: History, holds: Callable[[Snapshot], bool]) -> tuple[tuple[float, float], ...]:
    spans = told.spans(holds, told.began, now() + _AHEAD)
    return tuple((seconds_of(start), seconds_of(stop)) for start, stop in spans)


def _octets(end: End, link: Link, ends: tuple[str, str, str]) -> Callable[[History], Shape]:
    def counted(told: History) -> Shape:
        dark = _spans(told, lambda at: not at.oper_up(link))
        return Counter(((sent(*ends, told.roles), 1.0),), _births(told, end.device), halts=dark)

    return counted


def _errors(end: End, link: Link) -> Callable[[History], Shape]:
    place = end.device, end.interface

    def counted(told: History) -> Shape:
        broken = _spans(told, lambda at: at.has(Cause.ERRORS, *place))
        returns = _turns(told, link, only_up=True)
        return _Grown(returns, ERRORS_A_RETURN, broken, ERRORS_A_SECOND, _births(told, end.device))

    return counted


def _transitions(end: End, link: Link) -> Callable[[History], Shape]:
    def counted(told: History) -> Shape:
        births = _births(told, end.device)
        turns = _Grown(_turns(told, link), 1.0, (), 0.0, births)
        return _Sum(turns, Constant(float(TRANSITIONS_AT_BOOT)))

    return counted


@dataclass(frozen=True)
class _Sum:
    first: Shape
    second: Shape

    def at(self, grid: Grid) -> FloatArray:
        """The sum at each scrape."""
        return self.first.at(grid) + self.second.at(grid)


def _load(device: str) -> Callable[[History], Shape]:
    # What the device says of all its cores, give or take a percent.
    usual = Level(f"{device}/cpu", usual_load(device), noise=0.02, high=1.0)
    busy = replace(usual, base=_BUSY)

    def loaded(told: History) -> Shape:
        return _Chosen(usual, busy, _steps(told, lambda at: float(at.has(Cause.CPU, device))))

    return loaded


@dataclass(frozen=True)
class _Chosen:
    usual: Shape
    other: Shape
    choice: Shape

    def at(self, grid: Grid) -> FloatArray:
        """The other one where the choice is 1."""
        return np.where(self.choice.at(grid) > 0, self.other.at(grid), self.usual.at(grid))


def _state(device: str, peer: str, session: Session) -> Callable[[History], Shape]:
    return lambda told: _steps(told, lambda at: _STATES[at.peering(device, peer, session).state])


def _flaps(device: str, peer: str, session: Session) -> Callable[[History], Shape]:
    def counted(told: History) -> Shape:
        def is_up(at: Snapshot) -> bool:
            return at.peering(device, peer, session).state == "ESTABLISHED"

        changes = told.changes(is_up, datetime.max.replace(tzinfo=told.began.tzinfo))
        downs = tuple(seconds_of(one.moment) for one in changes if not one.value)
        return _Grown(downs, 1.0, (), 0.0, _births(told, device))

    return counted


def _received(device: str, peer: str) -> Callable[[History], Shape]:
    return lambda told: _steps(told, lambda at: float(len(at.told(peer, device))))
