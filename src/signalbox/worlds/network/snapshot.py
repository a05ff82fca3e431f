"""What every router would see while a set of causes holds: links, adjacencies, paths, sessions, prefixes.

It is worked out in the order in which it happens in a network: a wire carries an adjacency, adjacencies carry paths,
paths carry sessions, sessions carry prefixes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from signalbox.worlds.network.conditions import Cause, Condition
from signalbox.worlds.network.model import End, Link, Model, Session

__all__ = ["Peering", "Route", "Snapshot"]

T = TypeVar("T")
Place = tuple[str, str]
LOWERED_MTU = 1514


@dataclass(frozen=True)
class Peering:
    """One side of a BGP session: its state, and what closed it."""

    state: str
    cause: Cause | None = None
    local_fault: bool = False


@dataclass(frozen=True)
class Route:
    """A route in a table: next hops are (device, its address, own interface)."""

    prefix: str
    protocol: str
    metric: int
    next_hops: tuple[tuple[str, str, str], ...]


def _once(work: Callable[[Snapshot, str, str], T]) -> Callable[[Snapshot, str, str], T]:
    """Work a thing out when it is first asked for: while the same causes hold, it stays the same."""

    @wraps(work)
    def kept(self: Snapshot, device: str, other: str) -> T:
        key = (work.__name__, device, other)
        if key not in self._known:
            self._known[key] = work(self, device, other)
        found: T = self._known[key]
        return found

    return kept


class Snapshot:
    """The network while exactly these causes hold. What a router shows is worked out when it is asked for."""

    def __init__(self, model: Model, active: Iterable[Condition]) -> None:
        self.model = model
        self._active: dict[Cause, set[Place]] = {}
        for condition in active:
            self._active.setdefault(condition.cause, set()).add(condition.where)
        self._known: dict[tuple[str, str, str], Any] = {}
        self.off = {device for device, _ in self._of(Cause.POWER) | self._of(Cause.REBOOT)}

    def _of(self, cause: Cause) -> set[Place]:
        return self._active.get(cause, set())

    def has(self, cause: Cause, device: str, target: str = "") -> bool:
        """Whether this cause holds at this place."""
        return (device, target) in self._of(cause)

    # Wires

    def admin_up(self, device: str, interface: str) -> bool:
        return (device, interface) not in self._of(Cause.ADMIN)

    @cached_property
    def _lit(self) -> set[Link]:
        """The links that carry frames."""
        cut = self._of(Cause.CARRIER) | self._of(Cause.ADMIN)
        return {
            link
            for link in self.model.links
            if not any((end.device, end.interface) in cut or end.device in self.off for end in link.ends)
        }

    def oper_up(self, link: Link) -> bool:
        return link in self._lit

    def mtu(self, device: str, interface: str, link: Link) -> int:
        return LOWERED_MTU - (0 if link.isis else 214) if self.has(Cause.MTU, device, interface) else link.mtu

    # Adjacencies

    def adjacency(self, end: End, link: Link) -> str | None:
        """UP, INIT, or None where a router has no entry. Padded hellos that are too long for one side never reach it,
        while it is still heard: the adjacency is one-sided."""
        if not link.isis or link not in self._lit:
            return None
        ours = self.mtu(end.device, end.interface, link)
        theirs = self.mtu(end.peer, end.peer_interface, link)
        if ours == theirs:
            return "UP"
        return "INIT" if ours > theirs else None

    @cached_property
    def _neighbours(self) -> dict[str, list[tuple[str, End]]]:
        found: dict[str, list[tuple[str, End]]] = {name: [] for name in self.model.devices}
        for link in self.model.links:
            if all(self.adjacency(end, link) == "UP" for end in link.ends):
                for end in link.ends:
                    found[end.device].append((end.peer, end))
        return found

    # Paths

    def paths(self, device: str) -> dict[str, tuple[int, tuple[End, ...]]]:
        """Each device that can be reached through the core: how far it is, and over which of our own ends."""
        if device not in self._paths:
            self._paths[device] = self._search(device)
        return self._paths[device]

    @cached_property
    def _paths(self) -> dict[str, dict[str, tuple[int, tuple[End, ...]]]]:
        return {}

    def _search(self, device: str) -> dict[str, tuple[int, tuple[End, ...]]]:
        found: dict[str, tuple[int, tuple[End, ...]]] = {device: (0, ())}
        waiting = deque([device])
        while waiting:
            here = waiting.popleft()
            far, ways = found[here]
            for there, end in self._neighbours[here]:
                first = ways or (end,)
                known = found.get(there)
                if known is None:
                    found[there] = (far + 1, first)
                    waiting.append(there)
                elif known[0] == far + 1:
                    merged = known[1] + tuple(one for one in first if one not in known[1])
                    found[there] = (known[0], merged)
        return found

    # Sessions

    def ldp(self, end: End, link: Link) -> str | None:
        """The state of the LDP session with the neighbour on a link; None where its hellos are not heard. The session
        itself runs between loopbacks: any path carries it."""
        if not link.ldp or link not in self._lit:
            return None
        broken = {(end.device, end.peer), (end.peer, end.device)} & self._of(Cause.LDP)
        return "NON_EXISTENT" if broken or end.peer not in self.paths(end.device) else "OPERATIONAL"

    def peering(self, device: str, peer: str, session: Session) -> Peering:
        """One side of a BGP session."""
        if device in self.off:
            return Peering("IDLE")
        carried = session.link in self._lit if session.link else peer not in self.off and peer in self.paths(device)
        for cause, ours, theirs in _CLOSED:
            if (device, peer) in self._of(cause):
                return Peering(ours, cause, local_fault=True)
            if (peer, device) in self._of(cause):
                return Peering(theirs, cause)
        if not carried:
            return Peering("IDLE" if session.link else "ACTIVE", Cause.CARRIER)
        return Peering("ESTABLISHED")

    @cached_property
    def _established(self) -> set[tuple[str, str]]:
        return {
            pair
            for session in self.model.sessions
            for pair in (session.pair, session.pair[::-1])
            if self.peering(*pair, session).state == "ESTABLISHED"
        }

    def tells(self, device: str, peer: str) -> bool:
        """Whether a device tells its prefixes to a peer."""
        return (device, peer) in self._established and (device, peer) not in self._of(Cause.WITHDRAWN)

    # Prefixes

    @cached_property
    def _own(self) -> dict[tuple[str, str], frozenset[str]]:
        """What each device itself brings into each VPN."""
        return {
            (site.device, site.vrf): frozenset() if site.device in self.off else frozenset(site.prefixes)
            for site in self.model.sites
        }

    def imports(self, device: str, vrf: str) -> bool:
        return not self.has(Cause.IMPORT, device, vrf)

    def customer_prefixes(self, device: str, vrf: str) -> dict[str, frozenset[str]]:
        """What the customer routers of a PE tell it in a VRF, by router."""
        return {
            peer: self._own.get((peer, vrf), frozenset()) if self.tells(peer, device) else frozenset()
            for peer, session in self.model.sessions_of[device]
            if session.link and session.link.vrf == vrf and self.model.devices[peer].role == "CE"
        }

    @cached_property
    def _exported(self) -> dict[str, frozenset[tuple[str, str]]]:
        """What each PE brings into the VPN table, as (VRF, prefix)."""
        found: dict[str, set[tuple[str, str]]] = {}
        for vrf in self.model.vrfs.values():
            for device in vrf.members:
                local = self._own[device, vrf.name].union(*self.customer_prefixes(device, vrf.name).values())
                found.setdefault(device, set()).update((vrf.name, prefix) for prefix in local)
        return {device: frozenset(prefixes) for device, prefixes in found.items()}

    @cached_property
    def _reflected(self) -> dict[str, frozenset[tuple[str, str]]]:
        """What each route reflector has from its clients."""
        return {
            name: frozenset().union(*(self._exported[pe] for pe in self._exported if self.tells(pe, name)))
            for name, device in self.model.devices.items()
            if device.role == "RR"
        }

    @cached_property
    def _tables(self) -> dict[str, frozenset[tuple[str, str]]]:
        """What each route reflector knows, with what the others tell it."""
        return {
            name: own.union(*(there for other, there in self._reflected.items() if self.tells(other, name)))
            for name, own in self._reflected.items()
        }

    @_once
    def told(self, device: str, peer: str) -> frozenset[tuple[str, str]]:
        """What a device tells a peer now, as (VRF, prefix)."""
        if not self.tells(device, peer):
            return frozenset()
        roles = self.model.devices[device].role, self.model.devices[peer].role
        if roles == ("PE", "RR"):
            return self._exported.get(device, frozenset())
        if roles == ("RR", "RR"):
            return self._reflected[device]
        if roles == ("RR", "PE"):
            return self._tables[device] - self._exported.get(peer, frozenset())
        if roles == ("CE", "PE"):
            return frozenset(("CUST-A", prefix) for prefix in self._own.get((device, "CUST-A"), ()))
        theirs = self._own.get((peer, "CUST-A"), frozenset())
        return frozenset(
            ("CUST-A", route.prefix) for route in self.vrf_routes(device, "CUST-A") if route.prefix not in theirs
        )

    @_once
    def installed(self, device: str, peer: str) -> frozenset[tuple[str, str]]:
        """What of a peer's prefixes is in use: of two that tell the same, the first is preferred."""
        told = self.told(peer, device)
        if self.model.devices[device].role == "PE" and self.model.devices[peer].role == "RR":
            told = frozenset(
                one for one in told if device in self.model.vrfs[one[0]].members and self.imports(device, one[0])
            )
        for other, session in self.model.sessions_of[device]:
            if other == peer:
                break
            if session.internal:
                told -= self.told(other, device)
        return told

    # Tables

    @_once
    def vrf_routes(self, device: str, vrf: str) -> list[Route]:
        """The routes of a PE's VRF, or of a CE's own table."""
        return sorted(self._vrf_routes(device, vrf), key=lambda route: route.prefix)

    def _vrf_routes(self, device: str, vrf: str) -> Iterator[Route]:
        for prefix in self._own.get((device, vrf), ()):
            yield self._originated(device, vrf, prefix)
        for end, link in self.model.ends[device]:
            if link.vrf == vrf and link in self._lit:
                yield Route(f"{link.a.address}/31", "DIRECTLY_CONNECTED", 0, ((device, "0.0.0.0", end.interface),))
                told = self.told(end.peer, device) if self.model.devices[device].role == "CE" else None
                found = self.customer_prefixes(device, vrf).get(end.peer, ()) if told is None else [p for _, p in told]
                for prefix in found:
                    yield Route(prefix, "BGP", 0, ((end.peer, end.peer_address, end.interface),))
        if self.model.devices[device].role == "PE":
            yield from self._imported(device, vrf)

    def _originated(self, device: str, vrf: str, prefix: str) -> Route:
        if self.model.devices[device].role == "CE":
            return Route(prefix, "STATIC", 0, ((device, "0.0.0.0", "Null0"),))
        loopback = f"Loopback{self.model.vrfs[vrf].number}"
        return Route(prefix, "DIRECTLY_CONNECTED", 0, ((device, "0.0.0.0", loopback),))

    def _imported(self, device: str, vrf: str) -> Iterator[Route]:
        """What other PEs bring into the VPN, over the route reflectors."""
        if not self.imports(device, vrf):
            return
        heard: frozenset[tuple[str, str]] = frozenset().union(
            *(self.told(peer, device) for peer, session in self.model.sessions_of[device] if session.internal)
        )
        paths = self.paths(device)
        for other in self.model.vrfs[vrf].members:
            if other == device or other not in paths:
                continue
            hop = self.model.devices[other].loopback
            for name, prefix in self._exported[other] & heard:
                if name == vrf:
                    yield Route(prefix, "BGP", 0, tuple((other, hop, end.interface) for end in paths[other][1]))

    def core_routes(self, device: str) -> list[Route]:
        """The default table of a core router: its own addresses, and every loopback and link of the core by IS-IS."""
        own = self.model.devices[device]
        found = [Route(f"{own.loopback}/32", "DIRECTLY_CONNECTED", 0, ((device, "0.0.0.0", "Loopback0"),))]
        connected = set()
        for end, link in self.model.ends[device]:
            if not link.vrf and link in self._lit:
                connected.add(link)
                found.append(
                    Route(f"{link.a.address}/31", "DIRECTLY_CONNECTED", 0, ((device, "0.0.0.0", end.interface),))
                )
        paths = self.paths(device)
        for name, (far, ends) in paths.items():
            if far:
                hops = tuple((end.peer, end.peer_address, end.interface) for end in ends)
                found.append(Route(f"{self.model.devices[name].loopback}/32", "ISIS", 10 * far, hops))
        for link in self.model.links:
            near = [paths[end.device] for end in link.ends if end.device in paths and link.isis and link in self._lit]
            if near and link not in connected:
                far, ends = min(near, key=lambda one: one[0])
                hops = tuple((end.peer, end.peer_address, end.interface) for end in ends)
                found.append(Route(f"{link.a.address}/31", "ISIS", 10 * far + 10, hops))
        return found


# What closed a session: the state on the side that is at fault, and on the other.
_CLOSED = (
    (Cause.SHUTDOWN, "IDLE", "ACTIVE"),
    (Cause.REMOTE_AS, "IDLE", "ACTIVE"),
    (Cause.PASSWORD, "CONNECT", "CONNECT"),
    (Cause.HOLD_TIMER, "ACTIVE", "IDLE"),
)
