"""A business drawn by a seed: services, who calls whom, where their pods run, and which routers their hosts are on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from signalbox.worlds.topology import LINKS

__all__ = ["Estate", "Host", "draw_estate", "links_between"]

_FRONT = ("storefront", "portal", "gateway", "mobile-api", "web")
_MIDDLE = ("basket", "booking", "quotes", "tickets", "claims", "shipping", "search", "pricing", "invoices", "catalog")
_AUTH = ("identity", "login", "accounts")
_OUTSIDE = ("card-acquirer", "sms-broker", "credit-bureau", "map-tiles")
_ISLAND = ("reporting", "warehouse-sync", "newsletter", "thumbnails", "archiver")
_EDGES = ("pe1", "pe2", "xrd-1", "xrd-2")


@dataclass(frozen=True)
class Host:
    """A machine, and the router that it is on."""

    name: str
    router: str


@dataclass
class Estate:
    """`calls` is who calls whom; the database, the cache and what is outside are services, too. `island` is a service
    with a host of its own that nothing else depends on."""

    front: str
    middle: list[str]
    auth: str
    database: str
    cache: str
    outside: str
    island: str
    hosts: list[Host]
    calls: dict[str, list[str]] = field(default_factory=dict)
    placed: dict[str, str] = field(default_factory=dict)
    outside_router: str = ""

    @property
    def apps(self) -> list[str]:
        """The services that answer requests, the island among them."""
        return [self.front, *self.middle, self.auth, self.island]

    def pods(self, service: str) -> list[str]:
        return [f"{service}-1", f"{service}-2"]

    def callers(self, service: str) -> dict[str, int]:
        """Everything that calls a service, directly or not, with how many calls lie between."""
        found, waiting = {service: 0}, deque([service])
        while waiting:
            here = waiting.popleft()
            for one, called in self.calls.items():
                if here in called and one not in found:
                    found[one] = found[here] + 1
                    waiting.append(one)
        return found

    def called(self, service: str) -> list[str]:
        """Everything that a service calls, directly or not."""
        found, waiting = [], deque([service])
        while waiting:
            for one in self.calls.get(waiting.popleft(), ()):
                if one not in found:
                    found.append(one)
                    waiting.append(one)
        return found

    def host_of(self, machine: str) -> Host:
        return next(one for one in self.hosts if one.name == self.placed.get(machine, machine))


def draw_estate(random: Random) -> Estate:
    """Five to seven services over a database, a cache and something outside."""
    count = random.randint(3, 5)
    number = random.randint(1, 9)
    routers = random.sample(_EDGES, 3)
    names = [f"node-{number}{letter}" for letter in "abcd"[: random.randint(2, 4)]]
    data = [f"db-{number}", f"cache-{number}"]
    lone = f"batch-{number}"
    hosts = [Host(one, routers[0]) for one in names]
    hosts += [Host(one, routers[1]) for one in data] + [Host(lone, routers[2])]
    made = Estate(
        random.choice(_FRONT), random.sample(_MIDDLE, count), random.choice(_AUTH), f"orders-db-{number}",
        f"session-cache-{number}", random.choice(_OUTSIDE), random.choice(_ISLAND), hosts, outside_router=routers[1],
    )  # fmt: skip
    # A chain through the middle, with the database at its end, and a side that goes outside.
    chain = [made.front, *made.middle[:2]]
    for one, other in pairwise(chain):
        made.calls.setdefault(one, []).append(other)
    for one in made.middle[2:]:
        made.calls.setdefault(random.choice([made.front, made.middle[0]]), []).append(one)
    made.calls.setdefault(made.front, []).append(made.auth)
    made.calls.setdefault(made.middle[1], []).append(made.database)
    made.calls.setdefault(made.middle[0], []).append(made.cache)
    made.calls.setdefault(made.middle[2], []).append(made.outside)
    made.calls.setdefault(made.auth, []).append(made.database)
    for service in (made.front, *made.middle, made.auth):
        for place, pod in enumerate(made.pods(service)):
            made.placed[pod] = names[(place + random.randrange(len(names))) % len(names)]
    for pod in made.pods(made.island):
        made.placed[pod] = lone
    made.placed[made.database], made.placed[made.cache] = data
    return made


def links_between(one: str, other: str) -> list[tuple[str, str]]:
    """The links on a shortest way between two routers."""
    beside: dict[str, list[str]] = {}
    for a, b in LINKS:
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    before: dict[str, str] = {one: ""}
    waiting = deque([one])
    while waiting:
        here = waiting.popleft()
        for there in beside[here]:
            if there not in before:
                before[there] = here
                waiting.append(there)
    way = [other]
    while before[way[-1]]:
        way.append(before[way[-1]])
    pairs = list(pairwise(way))
    return [pair if pair in LINKS else pair[::-1] for pair in pairs]
