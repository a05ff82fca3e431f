"""The network as it was built: devices, links, sessions and VPNs with every name and address, from one wiring plan.

Both ends of everything come from here, so that they agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address

from signalbox.worlds.topology import BGP_SESSIONS, LINKS, ROLES

__all__ = ["CORE_AS", "Device", "End", "Link", "Model", "Session", "Site", "build_model"]

CORE_AS = 65000
CORE_MTU, EDGE_MTU = 9114, 1514
_LOOPBACKS = int(IPv4Address("10.255.0.1"))
_SUBNETS = int(IPv4Address("10.1.0.0"))
_MANAGEMENT = int(IPv4Address("172.20.0.11"))
_CORE_ROLES = ("PE", "P", "RR")
_SPEAKS_LDP = ("PE", "P")


@dataclass(frozen=True)
class Device:
    """A router. `index` counts from 1 and is where its addresses come from."""

    name: str
    role: str
    index: int

    @property
    def loopback(self) -> str:
        return str(IPv4Address(_LOOPBACKS + self.index - 1))

    @property
    def management(self) -> str:
        return str(IPv4Address(_MANAGEMENT + self.index - 1))

    @property
    def asn(self) -> int:
        return CORE_AS + 100 + self.index if self.role == "CE" else CORE_AS

    @property
    def system_id(self) -> str:
        digits = "".join(f"{int(part):03d}" for part in self.loopback.split("."))
        return ".".join(digits[at : at + 4] for at in (0, 4, 8))

    @property
    def runs_isis(self) -> bool:
        return self.role in _CORE_ROLES

    @property
    def runs_ldp(self) -> bool:
        return self.role in _SPEAKS_LDP

    def mac(self, port: int) -> str:
        return f"02:00:{self.index >> 8:02x}:{self.index & 255:02x}:00:{port:02x}"


@dataclass(frozen=True)
class End:
    """One end of a link."""

    device: str
    interface: str
    address: str
    peer: str
    peer_interface: str
    peer_address: str


@dataclass(frozen=True)
class Link:
    """A wire between two devices, with a /31 on it."""

    a: End
    b: End
    isis: bool
    ldp: bool
    vrf: str | None

    @property
    def mtu(self) -> int:
        return CORE_MTU if self.isis else EDGE_MTU

    @property
    def ends(self) -> tuple[End, End]:
        return self.a, self.b


@dataclass(frozen=True)
class Session:
    """A BGP session. Inside the core it runs between loopbacks; to a customer, over the link and in a VRF."""

    a: str
    b: str
    link: Link | None

    @property
    def internal(self) -> bool:
        return self.link is None

    @property
    def pair(self) -> tuple[str, str]:
        return self.a, self.b


@dataclass(frozen=True)
class Site:
    """What a device itself brings into a VPN (on a CE, into its own table)."""

    device: str
    vrf: str
    prefixes: tuple[str, ...]


@dataclass(frozen=True)
class Vrf:
    """A VPN: its route target, and who has a VRF for it."""

    name: str
    number: int
    members: tuple[str, ...]

    @property
    def route_target(self) -> str:
        return f"{CORE_AS}:{self.number}"


@dataclass(frozen=True)
class Model:
    """All of it."""

    devices: Mapping[str, Device]
    links: tuple[Link, ...]
    sessions: tuple[Session, ...]
    vrfs: Mapping[str, Vrf] = field(default_factory=dict)
    sites: tuple[Site, ...] = ()

    @cached_property
    def ends(self) -> dict[str, list[tuple[End, Link]]]:
        """The link ends of each device, in the order of its interfaces."""
        found: dict[str, list[tuple[End, Link]]] = {name: [] for name in self.devices}
        for link in self.links:
            for end in link.ends:
                found[end.device].append((end, link))
        return found

    @cached_property
    def sessions_of(self) -> dict[str, list[tuple[str, Session]]]:
        """The sessions of each device, each with the peer's name."""
        found: dict[str, list[tuple[str, Session]]] = {name: [] for name in self.devices}
        for session in self.sessions:
            found[session.a].append((session.b, session))
            found[session.b].append((session.a, session))
        return found

    def session_address(self, device: str, session: Session) -> str:
        """The address by which its peer knows a device on a session."""
        if session.link is None:
            return self.devices[device].loopback
        return next(end.address for end in session.link.ends if end.device == device)


def build_model(
    roles: Mapping[str, str] = ROLES,
    links: Iterable[tuple[str, str]] = LINKS,
    sessions: Iterable[tuple[str, str]] = BGP_SESSIONS,
) -> Model:
    """The network of a wiring plan. A device numbers its interfaces in the order of the links."""
    devices = {name: Device(name, role, index) for index, (name, role) in enumerate(roles.items(), 1)}
    wired = _wire(devices, links)
    vrfs = _vpns(devices, wired)
    return Model(devices, wired, _speak(devices, wired, sessions), vrfs, tuple(_sites(devices, vrfs)))


def _wire(devices: Mapping[str, Device], links: Iterable[tuple[str, str]]) -> tuple[Link, ...]:
    used = dict.fromkeys(devices, 0)
    made = []
    for number, pair in enumerate(links):
        names = [f"GigabitEthernet0/0/0/{used[device]}" for device in pair]
        for device in pair:
            used[device] += 1
        places = [str(IPv4Address(_SUBNETS + 2 * number + side)) for side in (0, 1)]
        a = End(pair[0], names[0], places[0], pair[1], names[1], places[1])
        b = End(pair[1], names[1], places[1], pair[0], names[0], places[0])
        ends = [devices[name] for name in pair]
        edge = any(one.role == "CE" for one in ends)
        made.append(
            Link(
                a, b, all(one.runs_isis for one in ends), all(one.runs_ldp for one in ends), "CUST-A" if edge else None
            )
        )
    return tuple(made)


def _speak(
    devices: Mapping[str, Device], links: tuple[Link, ...], sessions: Iterable[tuple[str, str]]
) -> tuple[Session, ...]:
    between = {frozenset((link.a.device, link.b.device)): link for link in links}

    def make(a: str, b: str) -> Session:
        external = devices[a].asn != devices[b].asn
        return Session(a, b, between[frozenset((a, b))] if external else None)

    return tuple(make(a, b) for a, b in sessions)


def _vpns(devices: Mapping[str, Device], links: tuple[Link, ...]) -> dict[str, Vrf]:
    """CUST-A joins the PEs with a customer router and every third other; SHOP joins the others."""
    edge = {end.device for link in links if link.vrf for end in link.ends}
    providers = [one.name for one in devices.values() if one.role == "PE"]
    with_customer = [name for name in providers if name in edge]
    without = [name for name in providers if name not in edge]
    return {
        "CUST-A": Vrf("CUST-A", 100, tuple(with_customer + without[::3])),
        "SHOP": Vrf("SHOP", 200, tuple(without + with_customer[1::3])),
    }


def _sites(devices: Mapping[str, Device], vrfs: Mapping[str, Vrf]) -> Iterable[Site]:
    for device in devices.values():
        if device.role == "CE":
            yield Site(device.name, "CUST-A", _block(device, 0, 14 + device.index))
    for vrf in vrfs.values():
        for name in vrf.members:
            device = devices[name]
            yield Site(name, vrf.name, _block(device, vrf.number, 3 + device.index % 5))


def _block(device: Device, offset: int, count: int) -> tuple[str, ...]:
    """So many /24 that belong to one site alone."""
    first = int(IPv4Address("20.0.0.0")) + ((device.index * 4 + offset // 100) << 14)
    return tuple(f"{IPv4Address(first + (number << 8))}/24" for number in range(min(count, 60)))
