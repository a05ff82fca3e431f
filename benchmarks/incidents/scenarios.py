"""Incidents of thirteen kinds and healthy days, each with decoys that are connected to nothing that hurts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from benchmarks.incidents.effects import Effects
from benchmarks.incidents.estate import Estate, draw_estate, links_between
from signalbox.worlds.grid import seconds_of
from signalbox.worlds.network.conditions import Cause, Condition
from signalbox.worlds.network.model import build_model
from signalbox.worlds.topology import ROLES

__all__ = ["KINDS", "Scenario", "draw"]

_MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
_REFLECTORS = ("xrd-5", "xrd-6")
_CUSTOMER_LINKS = (("xrd-1", "xrd-7"), ("xrd-2", "xrd-8"))


@dataclass
class Scenario:
    """One incident: the systems as they are, what is asked, and what would be right."""

    seed: int
    kind: str
    estate: Estate
    opened: datetime
    start: datetime
    end: datetime | None
    effects: Effects = field(default_factory=Effects)
    conditions: list[Condition] = field(default_factory=list)
    experiments: list[tuple[str, str, datetime]] = field(default_factory=list)
    """Name, service and moment of those that were started."""
    subject: str = ""
    things: set[str] = field(default_factory=set)
    """Any of these things as the cause is right."""
    measure: str = ""
    """What the cause's measure or text must hold, if one is asked for."""
    decoys: list[str] = field(default_factory=list)
    told_over: bool = False

    @property
    def question(self) -> str:
        """What a person asks; some say when."""
        trouble = Random(self.seed).choice(["slow", "failing", "having trouble"])
        if self.seed % 3 == 0:
            return f"Why is {self.subject} {trouble}?"
        since = self.start - timedelta(minutes=10)
        until = self.end or self.opened
        if self.seed % 3 == 1 and self.end:
            return f"Why was {self.subject} {trouble} today between {since:%H:%M} and {until:%H:%M}?"
        return f"What is wrong with {self.subject} since {since:%H:%M}?"

    @property
    def alert(self) -> dict[str, Any] | None:
        """An alert instead, for one in four."""
        if self.seed % 4 != 3 or self.kind == "none":
            return None
        labels = {"alertname": "ServiceHurts", "service": self.subject, "severity": "page"}
        fired = self.start + timedelta(minutes=6)
        return {
            "summary": f"{self.subject} is slow or fails",
            "labels": labels,
            "since": fired.isoformat(),
            "until": "",
        }

    def dependencies(self) -> str:
        """The operator's own file: where what is outside is reached, and what an experiment is about."""
        lines = ["depends_on:", f"  {self.estate.outside}: [{self.estate.outside_router}]"]
        own = [f'  {service}: ["experiment:{name}"]' for name, service, _ in self.experiments if service]
        return "\n".join([*lines, *own]) + "\n"


def draw(seed: int, kind: str = "") -> Scenario:
    """The incident of a seed; of the kind that is its turn, unless one is named."""
    random = Random(seed * 7919 + 17)
    kind = kind or list(KINDS)[seed % len(KINDS)]
    opened = _MONDAY + timedelta(days=random.randrange(2, 5), hours=random.uniform(9, 20))
    opened = opened.replace(second=0, microsecond=0)
    start = opened - timedelta(minutes=random.randint(35, 100), seconds=random.randrange(60))
    lasts = timedelta(minutes=random.randint(20, 70))
    end = start + lasts if start + lasts < opened - timedelta(minutes=12) else None
    made = Scenario(seed, kind, draw_estate(random), opened, start, end)
    KINDS[kind](made, random)
    _add_decoys(made, random)
    return made


def _span(made: Scenario, late: float = 0.0) -> tuple[float, float]:
    end = made.end or made.opened + timedelta(hours=3)
    return seconds_of(made.start) + late, seconds_of(end) + late


def _hurt(made: Scenario, random: Random, root: str, *, errors: bool | None = None, own: bool = True) -> None:
    """Slow down or break a service and whatever calls it; the subject is one of those that feel it."""
    breaks = random.random() < 0.4 if errors is None else errors
    late = 0.0
    felt = made.estate.callers(root)
    for service, hops in felt.items():
        if service == root and not own:
            continue
        late = hops * random.uniform(8, 40)
        strength = 1.0 if hops <= 1 else 0.75
        what, much = ("failed", 30.0) if breaks else ("late", 9.0)
        made.effects.add(service, what, _span(made, late), much * strength)
        for other in made.estate.calls.get(service, ()):
            if felt.get(other, hops) < hops:
                made.effects.add(f"{service} → {other}", what, _span(made, late), much * strength)
        if hops and random.random() < 0.5:
            for pod in made.estate.pods(service):
                made.effects.add(pod, "cpu", _span(made, late + 30), 0.6)
    named = [one for one in felt if one in made.estate.apps and (one != root or not own or len(felt) == 1)]
    made.subject = random.choice(named)


def _link_flap(made: Scenario, random: Random) -> None:
    estate = made.estate
    app, data = estate.hosts[0].router, estate.host_of(estate.database).router
    a, b = random.choice(links_between(app, data))
    _flap(made, random, (a, b), made.start, made.end)
    made.things = {f"link:{'–'.join(sorted((a, b)))}", f"machine:{a}", f"machine:{b}"}
    for root in (estate.database, estate.cache):
        _hurt(made, random, root, own=False)
    # What loses its database feels it; the database itself has no trouble.
    made.subject = random.choice([one for one in estate.callers(estate.database) if one in estate.apps])


def _flap(made: Scenario, random: Random, link: tuple[str, str], start: datetime, end: datetime | None) -> None:
    ends = build_model()
    found = next(one for one in ends.links if {one.a.device, one.b.device} == {*link})
    at, stop = start, end or made.opened + timedelta(hours=3)
    pair = (min(link), max(link))
    while at < stop:
        down = timedelta(seconds=random.randint(60, 200))
        until = min(at + down, stop)
        made.conditions.append(Condition(Cause.CARRIER, found.a.device, found.a.interface, at, until))
        made.effects.down[pair].append((seconds_of(at), seconds_of(until)))
        at = until + timedelta(seconds=random.randint(90, 400))


def _bgp_lost(made: Scenario, random: Random) -> None:
    estate = made.estate
    router, reflector = estate.outside_router, random.choice(_REFLECTORS)
    made.conditions.append(Condition(Cause.HOLD_TIMER, router, reflector, made.start, made.end))
    down = (f"bgp {min(router, reflector)}", max(router, reflector))
    made.effects.down[down].append(_span(made))
    made.things = {f"session:{'–'.join(sorted((router, reflector)))}", f"machine:{router}"}
    _hurt(made, random, estate.outside, own=False)


def _host_cpu(made: Scenario, random: Random) -> None:
    estate = made.estate
    used = {*estate.placed.values()}
    host = random.choice([one.name for one in estate.hosts if one.name.startswith("node") and one.name in used])
    made.effects.add(host, "cpu", _span(made), 1.2)
    pods = [pod for pod, placed in estate.placed.items() if placed == host]
    services = {pod.rpartition("-")[0] for pod in pods}
    for pod in pods:
        made.effects.add(pod, "late", _span(made, 15), 10.0)
    made.things, made.measure = {f"machine:{host}"}, "cpu"
    made.subject = random.choice(sorted(services))


def _disk_full(made: Scenario, random: Random) -> None:
    host = made.estate.placed[made.estate.database]
    begun = seconds_of(made.start)
    made.effects.add(host, "disk free", (begun - 5400, _span(made)[1]), -0.97, ramp=5400.0)
    made.things, made.measure = {f"machine:{host}"}, "disk"
    made.effects.add(made.estate.database, "late", _span(made), 12.0)
    _hurt(made, random, made.estate.database, errors=True, own=False)


def _memory_leak(made: Scenario, random: Random) -> None:
    service = random.choice(made.estate.middle)
    begun, end = _span(made)
    moments = []
    for pod in made.estate.pods(service):
        made.effects.add(pod, "memory", (begun - 3600, end), 4.0, ramp=3600.0)
        at = begun + random.uniform(10, 60)
        while at < min(end, seconds_of(made.opened)):
            moments.append(at)
            made.effects.restarts[pod].append(at)
            at += random.uniform(240, 420)
    made.things, made.measure = {f"service:{service}", *_machines(made, service)}, "memory|restart"
    _hurt(made, random, service, errors=True)
    made.subject = service


def _slow_db(made: Scenario, random: Random) -> None:
    database = made.estate.database
    made.effects.add(database, "late", _span(made), 25.0)
    made.effects.add(database, "connections", _span(made, 30), 2.0)
    made.things = {f"service:{database}", f"machine:{made.estate.placed[database]}"}
    _hurt(made, random, database, own=False)


def _cache_saturated(made: Scenario, random: Random) -> None:
    cache = made.estate.cache
    made.effects.add(cache, "memory", (_span(made)[0] - 900, _span(made)[1]), 0.62, ramp=900.0)
    made.effects.add(cache, "evicted_keys", _span(made), 400.0)
    made.effects.add(cache, "keyspace_misses", _span(made), 8.0)
    made.things = {f"service:{cache}", f"machine:{made.estate.placed[cache]}"}
    _hurt(made, random, cache, errors=False, own=False)


def _bad_deploy(made: Scenario, random: Random) -> None:
    service = random.choice(made.estate.middle)
    made.effects.versions[service] = (_span(made)[0] - random.uniform(20, 90), f"1.5.{random.randrange(9)}")
    for pod in made.estate.pods(service):
        made.effects.add(pod, "cpu", _span(made), 1.5)
    made.things, made.measure = {f"service:{service}"}, "version|release|deploy|roll"
    _hurt(made, random, service)


def _bad_experiment(made: Scenario, random: Random) -> None:
    service = random.choice(made.estate.middle)
    name = f"{service.title()} trial {random.randrange(100)}"
    made.experiments.append((name, service, made.start - timedelta(seconds=random.randint(20, 90))))
    made.things = {f"experiment:{name}"}
    _hurt(made, random, service)


def _dependency_latency(made: Scenario, random: Random) -> None:
    service = random.choice([made.estate.middle[1], made.estate.auth])
    made.things = {f"service:{service}", *_machines(made, service)}
    _hurt(made, random, service, errors=False)


def _outside_slow(made: Scenario, random: Random) -> None:
    outside = made.estate.outside
    made.effects.add(outside, "late", _span(made), 25.0)
    made.things = {f"external:{outside}", f"service:{outside}"}
    _hurt(made, random, outside, own=False)


def _surge(made: Scenario, random: Random) -> None:
    estate = made.estate
    slowest = random.choice([estate.middle[0], estate.middle[1]])
    reached = [estate.front, *estate.called(estate.front)]
    for service in reached:
        made.effects.add(service, "load", _span(made, 0 if service == estate.front else 5), 3.0)
    for service, hops in estate.callers(slowest).items():
        made.effects.add(service, "late", _span(made, 30 + 20 * hops), 9.0)
    for host in (one.name for one in estate.hosts if one.name.startswith("node")):
        made.effects.add(host, "cpu", _span(made, 10), 0.9)
    made.things = {f"service:{one}" for one in estate.callers(slowest)}
    made.things |= {thing for one in estate.callers(slowest) for thing in _machines(made, one)}
    made.measure = "request|traffic"
    made.subject = random.choice(sorted(estate.callers(slowest)))


def _credentials(made: Scenario, random: Random) -> None:
    auth = made.estate.auth
    made.effects.add(auth, "login failure", _span(made), 18.0)
    made.effects.add(auth, "login success", _span(made), -0.9)
    made.things = {f"service:{auth}", *_machines(made, auth)}
    _hurt(made, random, auth, errors=True)
    made.subject = made.estate.front


def _nothing(made: Scenario, random: Random) -> None:
    made.subject = random.choice([made.estate.front, *made.estate.middle])


def _machines(made: Scenario, service: str) -> set[str]:
    return {f"machine:{pod}" for pod in made.estate.pods(service)}


KINDS: dict[str, Callable[[Scenario, Random], None]] = {
    "link flap": _link_flap,
    "BGP session lost": _bgp_lost,
    "host CPU": _host_cpu,
    "disk full": _disk_full,
    "memory leak and restarts": _memory_leak,
    "slow database": _slow_db,
    "cache saturated": _cache_saturated,
    "bad deploy": _bad_deploy,
    "bad experiment": _bad_experiment,
    "dependency latency": _dependency_latency,
    "outside provider slow": _outside_slow,
    "traffic surge": _surge,
    "credential failure": _credentials,
    "none": _nothing,
}


def _add_decoys(made: Scenario, random: Random) -> None:
    """Two or three things that are earlier, louder or nearer in time, on what nothing that hurts depends on."""
    island, estate = made.estate.island, made.estate
    lone = estate.hosts[-1].name
    early = made.start - timedelta(minutes=random.randint(5, 45))
    long = (seconds_of(early), seconds_of(made.opened + timedelta(hours=3)))

    def customer_link() -> str:
        _flap(made, random, random.choice(_CUSTOMER_LINKS), early, early + timedelta(minutes=40))
        return "a customer's link flaps earlier"

    def loud_host() -> str:
        made.effects.add(lone, "cpu", long, 1.2)
        return "a host that nothing depends on is at its limit"

    def loud_service() -> str:
        made.effects.add(island, "failed", long, 150.0)
        return "a service that nothing depends on fails loudly"

    def near_release() -> str:
        made.effects.versions[island] = (seconds_of(made.start) - 15, "9.0.1")
        return "another service was rolled out just before"

    def other_experiment() -> str:
        name = f"Newsletter wording {random.randrange(100)}"
        made.experiments.append((name, "", made.start - timedelta(seconds=30)))
        return "an experiment of another context was started just before"

    def other_session() -> str:
        used = {one.router for one in estate.hosts}
        free = [one for one in ("pe1", "pe2", "xrd-1", "xrd-2") if one not in used]
        lost = (random.choice(free), "xrd-6")
        made.conditions.append(Condition(Cause.HOLD_TIMER, *lost, early, early + timedelta(minutes=50)))
        span = (seconds_of(early), seconds_of(early + timedelta(minutes=50)))
        made.effects.down[(f"bgp {min(lost)}", max(lost))].append(span)
        return "a BGP session of a router that nothing is on drops earlier"

    every = [customer_link, loud_host, loud_service, near_release, other_experiment, other_session]
    made.decoys = [one() for one in random.sample(every, random.randint(2, 3))]
    assert set(ROLES) >= {one.router for one in estate.hosts}
