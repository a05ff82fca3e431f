"""The small provider network that the worlds share: who is wired to whom, and who speaks BGP with whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["BGP_SESSIONS", "LINKS", "ROLES", "Port", "ports"]

ROLES = {
    "xrd-1": "PE",
    "xrd-2": "PE",
    "pe1": "PE",
    "pe2": "PE",
    "xrd-3": "P",
    "xrd-4": "P",
    "core-rtr-1": "P",
    "core-rtr-2": "P",
    "xrd-5": "RR",
    "xrd-6": "RR",
    "xrd-7": "CE",
    "xrd-8": "CE",
}

LINKS = (
    ("xrd-1", "xrd-3"),
    ("xrd-2", "xrd-4"),
    ("xrd-3", "xrd-4"),
    ("xrd-3", "core-rtr-1"),
    ("xrd-4", "core-rtr-2"),
    ("core-rtr-1", "core-rtr-2"),
    ("pe1", "core-rtr-1"),
    ("pe2", "core-rtr-2"),
    ("xrd-5", "core-rtr-1"),
    ("xrd-6", "core-rtr-2"),
    ("xrd-7", "xrd-1"),
    ("xrd-8", "xrd-2"),
)

BGP_SESSIONS = (
    *((pe, rr) for pe in ("xrd-1", "xrd-2", "pe1", "pe2") for rr in ("xrd-5", "xrd-6")),
    ("xrd-5", "xrd-6"),
    ("xrd-1", "xrd-7"),
    ("xrd-2", "xrd-8"),
)


class Port(NamedTuple):
    """One end of a link."""

    device: str
    interface: str
    peer: str


def ports() -> Iterator[Port]:
    """Both ends of every link; a device numbers its interfaces in the order of `LINKS`."""
    used = dict.fromkeys(ROLES, 0)
    for link in LINKS:
        for device, peer in (link, link[::-1]):
            yield Port(device, f"GigabitEthernet0/0/0/{used[device]}", peer)
            used[device] += 1
