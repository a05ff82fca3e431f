"""The faults that can be switched on, each written `kind:device` or `kind:device:target`.

The target of a link is an interface or the device at its other end; of a session, the peer; of a VPN, the VRF. Where it
is left out, the first that makes sense is taken. What a fault shows in is not written here: it follows from its cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings, now
from signalbox.worlds.network.conditions import Cause, Condition
from signalbox.worlds.network.model import Model
from signalbox.worlds.network.overrides import read_wanted

__all__ = ["FAULTS", "TEMPERS", "Fault", "conditions_of", "faults_set", "parse_fault", "parse_faults"]

_AGO = timedelta(minutes=17)
_FLAPS = ((16, 60), (13, 45), (10, 70), (7.5, 40), (5, 50), (2.5, 35))
_REBOOT = (timedelta(minutes=22), timedelta(minutes=3))


@dataclass(frozen=True)
class Fault:
    """A fault at a place: `str()` of it is how it is written."""

    kind: str
    device: str
    target: str = ""

    def __str__(self) -> str:
        return ":".join(part for part in (self.kind, self.device, self.target) if part)


@dataclass(frozen=True)
class Kind:
    """A kind of fault: what it does, in words, and what it may be switched on."""

    about: str
    cause: Cause
    targets: Callable[[Model, str], dict[str, str]]


def _links(model: Model, device: str) -> dict[str, str]:
    named = {end.interface: end.interface for end, _ in model.ends[device]}
    return named | {end.peer: end.interface for end, _ in reversed(model.ends[device])}


def _core_links(model: Model, device: str) -> dict[str, str]:
    """Core links first: there it shows in an adjacency."""
    ends = sorted(model.ends[device], key=lambda one: not one[1].isis)
    return {end.interface: end.interface for end, _ in ends} | {end.peer: end.interface for end, _ in reversed(ends)}


def _sessions(model: Model, device: str) -> dict[str, str]:
    return {peer: peer for peer, _ in model.sessions_of[device]}


def _clients(model: Model, device: str) -> dict[str, str]:
    if model.devices[device].role != "RR":
        return {}
    return {peer: peer for peer, _ in model.sessions_of[device] if model.devices[peer].role == "PE"}


def _told(model: Model, device: str) -> dict[str, str]:
    """Who hears prefixes of its own from a device: a customer tells its PE, a PE its reflectors."""
    return _sessions(model, device) if model.devices[device].role != "P" else {}


def _labelled(model: Model, device: str) -> dict[str, str]:
    return {end.peer: end.peer for end, link in model.ends[device] if link.ldp}


def _vrfs(model: Model, device: str) -> dict[str, str]:
    return {vrf.name: vrf.name for vrf in model.vrfs.values() if device in vrf.members}


def _itself(model: Model, device: str) -> dict[str, str]:
    return {"": ""}


FAULTS: dict[str, Kind] = {
    "link_down": Kind("a link loses its carrier, at both ends", Cause.CARRIER, _links),
    "link_flap": Kind("a link goes down and comes back, six times in a quarter of an hour", Cause.CARRIER, _links),
    "mtu_mismatch": Kind("one end of a link has a smaller MTU than the other", Cause.MTU, _core_links),
    "link_errors": Kind("an interface receives broken frames", Cause.ERRORS, _links),
    "admin_down": Kind("somebody shut an interface", Cause.ADMIN, _links),
    "wrong_remote_as": Kind("a device expects the wrong AS of a BGP peer", Cause.REMOTE_AS, _sessions),
    "password_mismatch": Kind("two BGP peers have different passwords", Cause.PASSWORD, _sessions),
    "bgp_shutdown": Kind("somebody shut a BGP neighbour", Cause.SHUTDOWN, _sessions),
    "prefix_withdrawn": Kind("a BGP peer tells no prefixes any more; the session stays up", Cause.WITHDRAWN, _told),
    "rr_client_lost": Kind("a route reflector has lost the session with a client", Cause.HOLD_TIMER, _clients),
    "ldp_down": Kind("the LDP session of two neighbours is down, while IS-IS is up", Cause.LDP, _labelled),
    "vrf_import_missing": Kind("a VRF has lost its import route target", Cause.IMPORT, _vrfs),
    "unreachable": Kind("a device is dead: it answers nobody", Cause.POWER, _itself),
    "unexpected_reboot": Kind("a device has restarted by itself", Cause.REBOOT, _itself),
    "clock_skew": Kind("a device has lost its time servers, and its clock is minutes ahead", Cause.CLOCK, _itself),
    "high_cpu": Kind("a process takes all of a device's CPU", Cause.CPU, _itself),
    "high_memory": Kind("a device has hardly any memory left", Cause.MEMORY, _itself),
    # The device works, and what it answers over gNMI does not.
    "hanging": Kind("a device takes calls and never answers them", Cause.AGENT, _itself),
    "garbage": Kind("a device answers with bytes that are no JSON", Cause.AGENT, _itself),
    "lying": Kind("a device answers with JSON in the wrong shape", Cause.AGENT, _itself),
}
TEMPERS = ("hanging", "garbage", "lying")


_seen: dict[tuple[object, Fault], datetime] = {}
_seen_lock = Lock()


def faults_set(model: Model) -> dict[Fault, datetime]:
    """The faults of the setting `SIGNALBOX_WORLD_FAULTS`, each with when it was first seen there, in whichever world.
    Raises as `parse_faults`."""
    settings = get_settings()
    named, _ = read_wanted(settings.world_faults)
    wanted = {fault: (settings.now, fault) for fault in parse_faults(",".join(named), model)}
    with _seen_lock:
        for gone in _seen.keys() - set(wanted.values()):
            del _seen[gone]
        return {fault: _seen.setdefault(key, now()) for fault, key in wanted.items()}


def parse_faults(text: str, model: Model) -> list[Fault]:
    """The faults of a text, between them commas, semicolons or spaces. Raises ConfigurationError with what there is."""
    return [parse_fault(part, model) for part in re.split(r"[\s,;]+", text.strip()) if part]


def parse_fault(text: str, model: Model) -> Fault:
    """One fault, with its target found. Raises ConfigurationError that names the place and what there is."""
    kind, device, target = (*text.split(":", 2), "", "")[:3]
    _expect(kind, FAULTS, f"'{text}' is no fault of the network")
    _expect(device, model.devices, f"The fault '{text}' needs a device of the network")
    targets = FAULTS[kind].targets(model, device)
    if not targets:
        told = f"{device} has nothing that {kind} could happen to."
        raise ConfigurationError(told, suggestion="Name another device.")
    if target:
        _expect(target, targets, f"{kind} on {device} cannot happen to '{target}'")
    return Fault(kind, device, targets[target] if target else next(iter(targets.values())))


def _expect(name: str, known: Iterable[str], wrong: str) -> None:
    if name not in known:
        raise ConfigurationError(f"{wrong}.", suggestion=f"There is: {', '.join(known)}.")


def conditions_of(fault: Fault, seen: datetime) -> list[Condition]:
    """What a fault that was switched on at a moment does: it began some minutes before."""
    cause, place = FAULTS[fault.kind].cause, (fault.device, fault.target)
    if fault.kind == "link_flap":
        starts = [(seen - timedelta(minutes=ago), timedelta(seconds=lasts)) for ago, lasts in _FLAPS]
        return [Condition(cause, *place, start, start + lasts) for start, lasts in starts]
    if fault.kind == "unexpected_reboot":
        ago, lasts = _REBOOT
        return [Condition(cause, *place, seen - ago, seen - ago + lasts)]
    return [Condition(cause, *place, seen - _AGO)]
