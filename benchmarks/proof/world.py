"""The brewery: every metric with its type and help text, and every sample of it, the same each time.

A link and a target are down, one disk of one host is full, counters start again at zero, a sensor has a gap, another
stopped hours ago, a third was built in this morning, a summary stands beside histograms, pods have one series for each
state they could be in, ratios exceed 1 or are no numbers, and one metric has 5,000 pods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from zlib import crc32

__all__ = ["END", "FAMILIES", "openmetrics"]

END = datetime(2026, 10, 14, 10, 20, tzinfo=UTC)
_END = int(END.timestamp())
_STEP = 60
_TIMES = range(_END - 3 * 86400, _END + 1, _STEP)
_HOUR = range(_END - 3600, _END + 1, _STEP)
_PODS = 5_000
_LARGE = {4177: 3584, 812: 2800, 2900: 2100, 3333: 1600, 77: 1250}
_GIB = 2.0**30

FAMILIES: dict[str, tuple[str, str]] = {
    "node_filesystem_avail_bytes": ("gauge", "Filesystem space available to non-root users in bytes."),
    "node_filesystem_size_bytes": ("gauge", "Filesystem size in bytes."),
    "node_cpu_seconds_total": ("counter", "Seconds the CPUs spent in each mode."),
    "node_memory_MemAvailable_bytes": ("gauge", "Memory information field MemAvailable_bytes."),
    "node_memory_MemTotal_bytes": ("gauge", "Memory information field MemTotal_bytes."),
    "link_up": ("gauge", "1 if the link is up, 0 if it is down."),
    "link_receive_bytes_total": ("counter", "Bytes received on a link."),
    "router_info": ("gauge", "Model and firmware of a router; always 1."),
    "http_request_duration_seconds": ("histogram", "How long requests took, by service."),
    "rpc_duration_seconds": ("summary", "How long calls between services took."),
    "http_requests_total": ("counter", "Requests answered, by service and status code."),
    "app_build_info": ("gauge", "Version and commit of a service that runs; always 1."),
    "kube_pod_status_phase": ("gauge", "The pods current phase."),
    "kube_pod_container_status_restarts_total": ("counter", "The number of container restarts per container."),
    "container_memory_working_set_bytes": ("gauge", "Current working set of the container in bytes."),
    "tank_level_litres": ("gauge", "How much is in a tank."),
    "tank_capacity_litres": ("gauge", "How much a tank can hold."),
    "tank_pressure_bar": ("gauge", "Pressure in a tank."),
    "line_speed_bottles_per_minute": ("gauge", "Speed of a bottling line."),
    "bottles_filled_total": ("counter", "Bottles filled, by line and product."),
    "bottles_rejected_total": ("counter", "Bottles rejected by the inspector, by line and reason."),
    "boiler_temperature_celsius": ("gauge", "Water temperature of a boiler."),
    "room_temperature_celsius": ("gauge", "Air temperature of a room."),
    "queue_depth": ("gauge", "Jobs that wait in a queue."),
    "fermenter_ph": ("gauge", "Acidity in a fermenter."),
    "cache_hit_ratio": ("gauge", "Share of look-ups that a cache answered."),
    "vm_cpu_usage_percent": ("gauge", "CPU usage of a virtual machine, as its hypervisor says."),
    "heater_energy_joules": ("counter", "Energy that a heater has used."),
    "demand_forecast_bottles": ("gauge", "Bottles that will be ordered tomorrow, as planning expects."),
    "orders_total": ("counter", "Orders taken, by channel and region."),
    "pump_running": ("gauge", "1 while the pump runs, 0 while it stands still."),
}
"""Type and help text by name. `up` has none: Prometheus itself writes it."""

Points = Iterator[tuple[int, float]]
Level = Callable[[int], float]
Row = tuple[str, dict[str, str], Points]


def openmetrics() -> Iterator[str]:
    """Every sample, as lines that `promtool tsdb create-blocks-from openmetrics` takes."""
    rows = [row for part in (_hosts, _network, _services, _pods, _cellar, _bottling, _odd) for row in part()]
    family = ""
    for name, labels, points in sorted(rows, key=lambda row: _family(row[0])):
        if _family(name) != family:
            family = _family(name)
            kind, _ = FAMILIES.get(family, ("gauge", ""))
            # OpenMetrics has no counter without _total.
            told = "unknown" if kind == "counter" and not family.endswith("_total") else kind
            yield f"# TYPE {family.removesuffix('_total')} {told}\n"
        inner = ",".join(f'{label}="{value}"' for label, value in labels.items())
        yield from (f"{name}{{{inner}}} {value:.10g} {stamp}\n" for stamp, value in points)
    yield "# EOF\n"


def _family(name: str) -> str:
    """The family of a name: that of a histogram's buckets, or the name itself."""
    base = name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count")
    return base if base in FAMILIES else name


# Shapes of values.


def _at(clock: str, days_ago: int = 0) -> int:
    """The moment of a clock time today, or so many days ago."""
    hours, minutes = map(int, clock.split(":"))
    return int(END.replace(hour=hours, minute=minutes).timestamp()) - 86400 * days_ago


def _between(stamp: int, start: str, end: str, days_ago: int = 0) -> bool:
    return _at(start, days_ago) <= stamp < _at(end, days_ago)


def _wave(stamp: int, middle: float, swing: float, seed: str, hours: float = 24) -> float:
    """Up and down by so much around the middle, each thing a little later than the other."""
    return middle + swing * math.sin(2 * math.pi * (stamp / (3600 * hours)) + crc32(seed.encode()) % 628 / 100)


def _gauge(name: str, labels: Mapping[str, str], level: Level, times: range = _TIMES) -> Row:
    return name, dict(labels), ((stamp, level(stamp)) for stamp in times)


def _counter(
    name: str, labels: Mapping[str, str], rate: Level, start: float = 0.0, resets: tuple[int, ...] = ()
) -> Row:
    """What adds up at a rate by the second, and starts again at zero at each reset."""

    def points() -> Points:
        total = start
        for stamp in _TIMES:
            total = 0.0 if stamp in resets else total + rate(stamp) * _STEP
            yield stamp, total

    return name, dict(labels), points()


def _steps(name: str, labels: Mapping[str, str], moments: tuple[int, ...]) -> Row:
    """A counter that rises by one at each of these moments."""
    return name, dict(labels), ((stamp, float(sum(one <= stamp for one in moments))) for stamp in _TIMES)


# What there is.

_HOSTS = {"db-1": 64, "db-2": 64, "web-1": 16, "web-2": 16}
_DISKS = {  # GiB, and the share that is used
    ("db-1", "/"): (100, 0.41), ("db-1", "/var"): (400, 0.33), ("db-1", "/data"): (4000, 0.72),
    ("db-2", "/"): (100, 0.38), ("db-2", "/var"): (20, 0.965), ("db-2", "/data"): (4000, 0.58),
    ("web-1", "/"): (50, 0.52), ("web-1", "/var"): (300, 0.22),
    ("web-2", "/"): (50, 0.47), ("web-2", "/var"): (300, 0.27),
}  # fmt: skip


def _hosts() -> Iterator[Row]:
    for (host, place), (size, used) in _DISKS.items():
        labels = {
            "job": "node",
            "instance": f"{host}:9100",
            "device": f"/dev/{place.strip('/') or 'root'}",
            "mountpoint": place,
        }
        bytes_ = size * _GIB
        grows = 0.02 if place == "/data" else 0.004
        yield _gauge(
            "node_filesystem_avail_bytes",
            labels,
            lambda t, b=bytes_, u=used, g=grows: b * (1 - u + g * (_END - t) / 259200),
        )
        yield _gauge("node_filesystem_size_bytes", labels, lambda t, b=bytes_: b)
    for host, memory in _HOSTS.items():
        labels = {"job": "node", "instance": f"{host}:9100"}
        free = {"db-1": 0.11, "db-2": 0.36, "web-1": 0.55, "web-2": 0.47}[host]
        yield _gauge("node_memory_MemTotal_bytes", labels, lambda t, m=memory: m * _GIB)
        yield _gauge(
            "node_memory_MemAvailable_bytes",
            labels,
            lambda t, m=memory, f=free, h=host: m * _GIB * _wave(t, f, 0.04, h, 8),
        )
        for cpu in ("0", "1"):
            reset = (_at("06:00"),) if host == "db-1" else ()
            for mode, part in (("idle", 0), ("user", 1), ("system", 2)):
                rate = lambda t, h=host, p=part: _cpu(t, h)[p]  # noqa: E731
                yield _counter("node_cpu_seconds_total", {**labels, "cpu": cpu, "mode": mode}, rate, 5e5, reset)


def _cpu(stamp: int, host: str) -> tuple[float, float, float]:
    """Idle, user and system time by the second. web-2 was busy from three to four this morning."""
    busy = _wave(stamp, {"db-1": 0.52, "db-2": 0.31, "web-1": 0.24, "web-2": 0.18}[host], 0.05, host, 6)
    if host == "web-2" and _between(stamp, "03:00", "04:00"):
        busy = 0.96
    return 1 - busy, 0.75 * busy, 0.25 * busy


_LINKS = {
    ("r1", "eth0"): 9e6,
    ("r1", "eth1"): 4e6,
    ("r1", "eth2"): 1.5e6,
    ("r2", "eth0"): 7e6,
    ("r2", "eth1"): 5.5e6,
    ("r2", "eth2"): 6e5,
}
_TARGETS = {
    "node": [f"{host}:9100" for host in _HOSTS], "router": ["r1:9116", "r2:9116"],
    "bottling": ["plc-1:9200", "plc-2:9200", "plc-3:9200"],
}  # fmt: skip


def _network() -> Iterator[Row]:
    for job, instances in _TARGETS.items():
        for one in instances:
            yield _gauge(
                "up", {"job": job, "instance": one}, lambda t, o=one: float(o != "plc-2:9200" or t < _at("09:40"))
            )
    for (router, interface), rate in _LINKS.items():
        labels = {"router": router, "interface": interface}
        name = f"{router} {interface}"
        yield _gauge("link_up", labels, lambda t, n=name: float(_link_is_up(t, n)))
        yield _counter(
            "link_receive_bytes_total",
            labels,
            lambda t, n=name, r=rate: _link_is_up(t, n) * _wave(t, r, 0.2 * r, n),
            1e12,
        )
    yield _gauge("router_info", {"router": "r1", "model": "MX204", "firmware": "7.2.3"}, lambda t: 1.0)
    yield _gauge("router_info", {"router": "r2", "model": "MX204", "firmware": "7.1.9"}, lambda t: 1.0)


def _link_is_up(stamp: int, name: str) -> bool:
    if name == "r2 eth1":
        return stamp < _at("09:47")
    return not (name == "r1 eth2" and _between(stamp, "02:10", "02:16"))


_SERVICES = {"checkout": 42.0, "search": 88.0, "account": 17.0}
_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_USUAL = {  # requests faster than each bound
    "checkout": (0.30, 0.62, 0.90, 0.97, 0.995, 1.0),
    "search": (0.55, 0.83, 0.96, 0.99, 0.998, 1.0),
    "account": (0.12, 0.35, 0.71, 0.93, 0.985, 1.0),
}
_SLOW = (0.05, 0.12, 0.33, 0.61, 0.88, 1.0)
_RPC = {"gateway": (0.041, 0.212, 0.788), "billing": (0.018, 0.055, 0.124), "mailer": (0.007, 0.031, 0.066)}


def _requests(stamp: int, service: str) -> float:
    usual = _SERVICES[service]
    return _wave(stamp, usual * (1.15 if stamp >= _at("00:00") else 1.0), 0.25 * usual, service)


def _failing(stamp: int, service: str) -> float:
    return (
        0.12 if service == "checkout" and _between(stamp, "08:00", "09:00") else 0.004 if service != "search" else 0.001
    )


def _services() -> Iterator[Row]:
    for service in _SERVICES:
        for bound, usual, slow in zip((*_BOUNDS, math.inf), (*_USUAL[service], 1.0), (*_SLOW, 1.0), strict=True):

            def rate(t: int, s: str = service, u: float = usual, w: float = slow) -> float:
                is_slow = s == "checkout" and _between(t, "08:00", "09:00")
                return _requests(t, s) * (w if is_slow else u)

            yield _counter(
                "http_request_duration_seconds_bucket",
                {"service": service, "le": "+Inf" if bound == math.inf else f"{bound:g}"},
                rate,
            )
        mean = {"checkout": 0.13, "search": 0.08, "account": 0.24}[service]
        yield _counter(
            "http_request_duration_seconds_sum",
            {"service": service},
            lambda t, s=service, m=mean: (
                _requests(t, s) * (0.55 if s == "checkout" and _between(t, "08:00", "09:00") else m)
            ),
        )
        yield _counter(
            "http_request_duration_seconds_count", {"service": service}, lambda t, s=service: _requests(t, s)
        )
        reset = (_at("05:00"),) if service == "search" else ()
        for code, part in (("200", lambda f: 0.98 - f), ("404", lambda f: 0.02), ("500", lambda f: f)):
            yield _counter(
                "http_requests_total",
                {"service": service, "code": code},
                lambda t, s=service, p=part: _requests(t, s) * p(_failing(t, s)),
                1e6,
                reset,
            )
    for service, quantiles in _RPC.items():
        for name, value in zip(("0.5", "0.9", "0.99"), quantiles, strict=True):
            yield _gauge(
                "rpc_duration_seconds",
                {"service": service, "quantile": name},
                lambda t, v=value, s=service: v * (1 + 0.002 * math.sin(t / 5000)),
            )
        calls = {"gateway": 120.0, "billing": 30.0, "mailer": 9.0}[service]
        yield _counter("rpc_duration_seconds_sum", {"service": service}, lambda t, c=calls, q=quantiles: c * q[0] * 1.6)
        yield _counter("rpc_duration_seconds_count", {"service": service}, lambda t, c=calls: c)
    for service, version, commit in (
        ("checkout", "4.2.1", "9f3c"),
        ("search", "3.9.0", "77ab"),
        ("account", "4.1.8", "c01d"),
    ):
        yield _gauge("app_build_info", {"service": service, "version": version, "commit": commit}, lambda t: 1.0)


_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_NAMESPACES = {
    "brew-api-1": "prod",
    "brew-api-2": "prod",
    "cellar-7": "prod",
    "label-printer-0": "plant",
    "gateway-3": "prod",
    "historian-0": "plant",
    "mailer-5": "prod",
    "reports-9": "office",
}
_STATES = {"cellar-7": "Pending", "label-printer-0": "Failed"}
_RESTARTS = {
    "brew-api-1": ("01:12", "04:40", "07:05", "09:58"), "historian-0": ("03:33",),
}  # fmt: skip


def _pods() -> Iterator[Row]:
    for pod, namespace in _NAMESPACES.items():
        labels = {"namespace": namespace, "pod": pod}
        for phase in _PHASES:
            state = _STATES.get(pod, "Running")
            yield _gauge(
                "kube_pod_status_phase",
                {**labels, "phase": phase},
                lambda t, p=phase, s=state: float(p == (s if t >= _at("08:30") else "Running")),
            )
        yield _steps(
            "kube_pod_container_status_restarts_total", labels, tuple(_at(one) for one in _RESTARTS.get(pod, ()))
        )
    for number in range(_PODS):
        pod = f"bottle-worker-{number:04d}"
        mib = _LARGE.get(number, 100 + crc32(pod.encode()) % 700 + 90 * (number % 10 == 2))
        labels = {"namespace": f"batch-{number % 10}", "pod": pod, "node": f"node-{number % 50:02d}"}
        yield _gauge("container_memory_working_set_bytes", labels, lambda t, m=mib: m * 2.0**20, _HOUR)


_TANKS = {"T1": (5000, 0.61), "T2": (5000, 0.44), "T3": (8000, 0.96), "T4": (12000, 0.08)}


def _cellar() -> Iterator[Row]:
    for tank, (size, filled) in _TANKS.items():
        yield _gauge(
            "tank_level_litres",
            {"tank": tank},
            lambda t, s=size, f=filled, n=tank: s * (f + 0.00001 * (1 if n == "T3" else -1) * (t - _END) / 60),
        )
        yield _gauge("tank_capacity_litres", {"tank": tank}, lambda t, s=size: float(s))
        usual = {"T1": 1.1, "T2": 1.4, "T3": 1.7, "T4": 0.9}[tank]
        yield _gauge(
            "tank_pressure_bar",
            {"tank": tank},
            lambda t, u=usual, n=tank: 3.4 if n == "T2" and _between(t, "22:30", "22:50", 1) else _wave(t, u, 0.1, n),
        )
    for fermenter, ph in (("F1", 4.4), ("F2", 4.9), ("F3", 5.3)):
        born = range(_at("07:20"), _END + 1, _STEP)
        yield _gauge(
            "fermenter_ph", {"fermenter": fermenter}, lambda t, p=ph, n=fermenter: _wave(t, p, 0.05, n, 3), born
        )
    for boiler, degrees in (("b1", 82.0), ("b2", 74.0)):
        name, labels, points = _gauge(
            "boiler_temperature_celsius", {"boiler": boiler}, lambda t, d=degrees, n=boiler: _wave(t, d, 3, n)
        )
        yield name, labels, (one for one in points if boiler == "b1" or not _between(one[0], "01:00", "03:00"))
    for room, degrees in (("cold-store", 3.5), ("hall", 19.0), ("office", 21.5), ("server-room", 24.0)):
        yield _gauge("room_temperature_celsius", {"room": room}, lambda t, n=room, d=degrees: _warmth(t, n, d))
    for pump, is_on in (("p1", 1.0), ("p2", 0.0), ("p3", 1.0)):
        yield _gauge("pump_running", {"pump": pump}, lambda t, o=is_on: o if t >= _at("06:00") else 1.0)
    for heater, watts in (("h1", 4200.0), ("h2", 2500.0), ("h3", 900.0)):
        reset = (_at("23:00", 1),) if heater == "h2" else ()
        yield _counter(
            "heater_energy_joules", {"heater": heater}, lambda t, w=watts, n=heater: _wave(t, w, 0.2 * w, n), 7e9, reset
        )


def _warmth(stamp: int, room: str, usual: float) -> float:
    """The cold store stood open early this morning, and the gate of the hall a little while ago."""
    if room == "cold-store" and _between(stamp, "05:10", "05:50"):
        return 9.2
    if room == "hall" and _between(stamp, "09:30", "09:50"):
        return 27.5
    return _wave(stamp, usual, 0.8, room)


_SPEEDS = {"A": 410.0, "B": 365.0, "C": 290.0}


def _speed(stamp: int, line: str) -> float:
    if line == "C" and _between(stamp, "04:00", "05:00"):
        return 0.0
    slower = 0.8 if line == "B" and stamp >= _at("00:00") else 1.0
    return slower * _wave(stamp, _SPEEDS[line], 15, line, 12)


def _bottling() -> Iterator[Row]:
    for line in _SPEEDS:
        yield _gauge("line_speed_bottles_per_minute", {"line": line}, lambda t, n=line: _speed(t, n))
        for product, part in (("pils", 0.6), ("stout", 0.3), ("radler", 0.1)):
            reset = (_at("06:30"),) if line == "B" else ()
            yield _counter(
                "bottles_filled_total",
                {"line": line, "product": product},
                lambda t, n=line, p=part: _speed(t, n) / 60 * p,
                4e6,
                reset,
            )
        for reason, part in (("cap", 0.004), ("level", 0.007), ("label", 0.002)):
            bad = {"A": 1.0, "B": 2.6, "C": 0.7}[line]
            yield _counter(
                "bottles_rejected_total",
                {"line": line, "reason": reason},
                lambda t, n=line, p=part * bad: _speed(t, n) / 60 * p,
                2e4,
            )
    for line, bottles in (("A", 520000.0), ("B", 380000.0), ("C", 410000.0)):
        yield _gauge("demand_forecast_bottles", {"line": line}, lambda t, b=bottles: b)
    for channel, rate in (("web", 0.9), ("app", 0.6), ("phone", 0.1)):
        for region, part in (("north", 0.7), ("south", 0.3)):
            grown = 1.3 if channel == "app" else 0.9
            yield _counter(
                "orders_total",
                {"channel": channel, "region": region},
                lambda t, r=rate * part, g=grown, n=channel + region: (
                    _wave(t, r, 0.1 * r, n) * (g if t >= _at("00:00") else 1.0)
                ),
                1000.0,
            )


def _odd() -> Iterator[Row]:
    for queue, jobs in (("mail", 12.0), ("print", 140.0), ("invoices", 37.0)):
        stopped = range(_TIMES.start, _at("05:15") + 1, _STEP) if queue == "invoices" else _TIMES
        yield _gauge(
            "queue_depth", {"queue": queue}, lambda t, j=jobs, n=queue: round(_wave(t, j, 0.2 * j, n, 4)), stopped
        )
    for cache, ratio in (("pages", 0.91), ("recipes", 0.64), ("thumbs", 0.83), ("unused", math.nan)):
        yield _gauge(
            "cache_hit_ratio",
            {"cache": cache},
            lambda t, r=ratio, n=cache: 1.7 if n == "thumbs" and t >= _at("10:00") else _wave(t, r, 0.03, n),
        )
    for vm, percent in (("vm-1", 22.0), ("vm-2", 61.0), ("vm-3", 35.0)):
        yield _gauge(
            "vm_cpu_usage_percent",
            {"vm": vm},
            lambda t, p=percent, n=vm: (
                -15602512.0 if n == "vm-3" and _between(t, "07:00", "07:04") else _wave(t, p, 4, n)
            ),
        )
