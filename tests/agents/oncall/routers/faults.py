"""Faults of real routers: how each is made and mended, whom to ask, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.agents.oncall.routers.lab import Lab

__all__ = ["FAULTS", "Fault"]

_AS = "router bgp 65000"
_V4, _VPN = "address-family ipv4 unicast", "address-family ipv4 vpn"


@dataclass(frozen=True)
class Fault:
    """One fault. `places` and `causes` are words of which one has to be said."""

    name: str
    make: Callable[[Lab], object]
    mend: Callable[[Lab], object]
    device: str
    places: tuple[str, ...]
    causes: tuple[str, ...]
    shows: Callable[[Lab], bool]
    """Whether the routers have noticed."""


def _configured(router: str, *lines: str) -> Callable[[Lab], object]:
    return lambda lab: lab.configure(router, *lines)


def _restarted(router: str, daemon: str) -> Callable[[Lab], object]:
    def restart(lab: Lab) -> None:
        lab.kill(router, daemon)
        lab.start(router, daemon)

    return restart


def _killed(router: str, daemon: str) -> Callable[[Lab], object]:
    return lambda lab: lab.kill(router, daemon)


def _started(router: str, daemon: str) -> Callable[[Lab], object]:
    return lambda lab: lab.start(router, daemon)


def _ip(router: str, *commands: str) -> Callable[[Lab], object]:
    return lambda lab: [lab.ip(router, command) for command in commands]


def _down(router: str, peer: str) -> Callable[[Lab], bool]:
    """The session of a router with a peer is not established."""
    return lambda lab: f'"{peer}"' not in lab.vtysh(router, "show bgp summary established json")


def _alone(router: str, port: str) -> Callable[[Lab], bool]:
    """The router has no adjacency that is up on a port."""
    return lambda lab: not any(port in line and " Up " in line for line in _lines(lab, router, "show isis neighbor"))


def _lines(lab: Lab, router: str, command: str) -> list[str]:
    return lab.vtysh(router, command).splitlines()


def _unlabelled(router: str, peer: str) -> Callable[[Lab], bool]:
    return lambda lab: peer not in lab.vtysh(router, "show mpls ldp neighbor")


FAULTS = (
    Fault(
        "a port is shut",
        _ip("pe1", "link set to-p1 down"),
        _ip("pe1", "link set to-p1 up"),
        "p1",
        ("to-pe1",),
        ("shut", "carrier"),
        _alone("p1", "to-pe1"),
    ),
    Fault(
        "bgpd is dead",
        _killed("pe2", "bgpd"),
        _started("pe2", "bgpd"),
        "pe2",
        ("pe2",),
        ("process stopped",),
        _down("p1", "10.0.0.3"),
    ),
    Fault(
        "isisd is dead",
        _killed("pe1", "isisd"),
        _started("pe1", "isisd"),
        "pe1",
        ("pe1",),
        ("is-is process stopped",),
        _alone("p1", "to-pe1"),
    ),
    Fault(
        "ldpd is dead",
        _killed("pe2", "ldpd"),
        _started("pe2", "ldpd"),
        "pe2",
        ("pe2",),
        ("ldp process stopped",),
        _unlabelled("p1", "10.0.0.3"),
    ),
    Fault(
        "the wrong AS of the peer",
        _configured("pe1", _AS, "neighbor 10.0.0.2 remote-as 65009"),
        _configured("pe1", _AS, "neighbor 10.0.0.2 remote-as 65000"),
        "pe1",
        ("10.0.0.2",),
        ("wrong remote-as on pe1",),
        _down("pe1", "10.0.0.2"),
    ),
    Fault(
        "the wrong AS at the other end",
        _configured("ce1", "router bgp 65100", "neighbor 10.2.1.1 remote-as 65007"),
        _configured("ce1", "router bgp 65100", "neighbor 10.2.1.1 remote-as 65000"),
        "pe1",
        ("ce1",),
        ("wrong remote-as at ce1",),
        _down("pe1", "10.2.1.2"),
    ),
    Fault(
        "two passwords",
        _configured("pe1", _AS, "neighbor 10.0.0.2 password one"),
        _configured("pe1", _AS, "no neighbor 10.0.0.2 password"),
        "pe1",
        ("10.0.0.2",),
        ("passwords",),
        _down("p1", "10.0.0.1"),
    ),
    Fault(
        "a deleted neighbour",
        _configured("p1", _AS, "no neighbor 10.0.0.3"),
        _restarted("p1", "bgpd"),
        "p1",
        ("pe2",),
        ("deleted",),
        _down("pe2", "10.0.0.2"),
    ),
    Fault(
        "a session that was shut",
        _configured("p1", _AS, "neighbor 10.0.0.3 shutdown"),
        _configured("p1", _AS, "no neighbor 10.0.0.3 shutdown"),
        "pe2",
        ("10.0.0.2",),
        ("shut administratively at the other end",),
        _down("pe2", "10.0.0.2"),
    ),
    Fault(
        "authentication at one end of IS-IS",
        _configured("pe2", "interface to-p1", "isis password md5 one"),
        _configured("pe2", "interface to-p1", "no isis password"),
        "pe2",
        ("to-p1",),
        ("authentication",),
        _alone("pe2", "to-p1"),
    ),
    Fault(
        "two MTUs",
        _ip("pe2", "link set to-p1 mtu 1400"),
        lambda lab: [lab.ip("pe2", "link set to-p1 mtu 1500"), _restarted("pe2", "isisd")(lab)],
        "pe2",
        ("to-p1",),
        ("mtu",),
        lambda lab: True,
    ),
    Fault(
        "two subnets",
        _ip("pe2", "addr del 10.1.23.2/30 dev to-p1", "addr add 10.1.99.2/30 dev to-p1"),
        _ip("pe2", "addr del 10.1.99.2/30 dev to-p1", "addr add 10.1.23.2/30 dev to-p1"),
        "pe2",
        ("to-p1",),
        ("subnet",),
        _down("pe2", "10.0.0.2"),
    ),
    Fault(
        "a port taken out of IS-IS",
        _configured("pe2", "interface to-p1", "no ip router isis CORE"),
        _restarted("pe2", "isisd"),
        "pe2",
        ("to-p1",),
        ("not enabled",),
        _alone("p1", "to-pe2"),
    ),
    Fault(
        "another area, level 1",
        lambda lab: [
            lab.configure(
                "pe2", "router isis CORE", "no net 49.0001.0000.0000.0003.00", "net 49.0002.0000.0000.0003.00"
            )
        ],
        _restarted("pe2", "isisd"),
        "pe2",
        ("pe2",),
        ("area",),
        lambda lab: True,
    ),
    Fault(
        "LDP off on a port",
        _configured("pe1", "mpls ldp", "address-family ipv4", "no interface to-p1"),
        _restarted("pe1", "ldpd"),
        "pe1",
        ("pe1",),
        ("ldp is off", "ldp is not enabled"),
        _unlabelled("p1", "10.0.0.1"),
    ),
    Fault(
        "a loopback that is not announced",
        _configured("pe2", "interface lo", "no ip router isis CORE"),
        _restarted("pe2", "isisd"),
        "pe2",
        ("lo (",),
        ("loopback is missing from is-is",),
        lambda lab: "lo " not in lab.vtysh("pe2", "show isis interface"),
    ),
    Fault(
        "a loopback without its address",
        _ip("pe2", "addr del 10.0.0.3/32 dev lo"),
        _ip("pe2", "addr add 10.0.0.3/32 dev lo"),
        "pe2",
        ("pe2",),
        ("address of the loopback",),
        lambda lab: "10.0.0.3" not in lab.vtysh("pe2", "show interface lo"),
    ),
    Fault(
        "an import policy that drops all",
        lambda lab: [
            lab.configure("pe1", "route-map NONE deny 10"),
            lab.configure("pe1", _AS, _V4, "neighbor 10.2.1.2 route-map NONE in"),
            lab.vtysh("pe1", "clear bgp 10.2.1.2 soft in"),
        ],
        lambda lab: [
            lab.configure("pe1", _AS, _V4, "no neighbor 10.2.1.2 route-map NONE in"),
            lab.vtysh("pe1", "clear bgp 10.2.1.2 soft in"),
        ],
        "pe1",
        ("10.2.1.2",),
        ("import policy of pe1",),
        lambda lab: "10.9.0.0/24" not in lab.vtysh("pe1", "show bgp ipv4 unicast"),
    ),
    Fault(
        "prefixes that were withdrawn",
        _configured("ce1", "router bgp 65100", _V4, "no network 10.9.0.0/24"),
        _configured("ce1", "router bgp 65100", _V4, "network 10.9.0.0/24"),
        "pe1",
        ("10.2.1.2",),
        ("withdrawn", "announces no"),
        lambda lab: "10.9.0.0/24" not in lab.vtysh("pe1", "show bgp ipv4 unicast"),
    ),
    Fault(
        "a client of the reflector that is none",
        lambda lab: [
            lab.configure("p1", _AS, family, "no neighbor 10.0.0.3 route-reflector-client") for family in (_V4, _VPN)
        ],
        lambda lab: [
            lab.configure("p1", _AS, family, "neighbor 10.0.0.3 route-reflector-client") for family in (_V4, _VPN)
        ],
        "p1",
        ("10.0.0.3",),
        ("client flag is missing",),
        lambda lab: True,
    ),
)
