"""The shop's HTTP services: requests, durations, processes, and their pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from signalbox.worlds.grid import seconds_of
from signalbox.worlds.incident import RESTARTED_INSTANCE, SLOW_SERVICES
from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described, seconds_span
from signalbox.worlds.noise import fraction
from signalbox.worlds.shapes import Constant, Counter, Flow, Level, Steps, Switch

__all__ = ["SERVICES", "Service", "add_to", "instances", "target_of"]

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_MIB = float(2**20)
_UNIX_MONDAY = 1_704_067_200.0

_DESCRIBED: Described = {
    "http_requests_total": ("counter", "HTTP requests answered, by service, method, route and status."),
    "http_request_duration_seconds": ("histogram", "How long HTTP requests took."),
    "http_requests_in_flight": ("gauge", "HTTP requests being answered at this moment."),
    "process_cpu_seconds_total": ("counter", "Total user and system CPU time spent in seconds."),
    "process_resident_memory_bytes": ("gauge", "Resident memory size in bytes."),
    "process_start_time_seconds": ("gauge", "Start time of the process since unix epoch in seconds."),
    "process_open_fds": ("gauge", "Number of open file descriptors."),
    "go_goroutines": ("gauge", "Number of goroutines that currently exist."),
    "kube_pod_container_status_restarts_total": (
        "counter",
        "The number of container restarts per container.",
    ),
    "kube_pod_status_ready": ("gauge", "Whether the pod is ready to serve requests."),
}


@dataclass(frozen=True)
class Service:
    """One service: its routes (method, path, requests a second and instance), and how it feels the incident."""

    name: str
    routes: tuple[tuple[str, str, float], ...]
    median: float
    memory: float
    felt: float


SERVICES = (
    Service("gateway", (("GET", "/", 15.0), ("GET", "/products", 11.0), ("POST", "/cart", 4.5)), 0.03, 210, 0.12),
    Service("checkout", (("POST", "/checkout", 2.0), ("POST", "/checkout/confirm", 1.5)), 0.12, 340, 1.0),
    Service("payment", (("POST", "/pay", 1.5), ("POST", "/refund", 0.1)), 0.18, 280, 0.8),
    Service("orders", (("GET", "/orders", 3.0), ("POST", "/orders", 1.4)), 0.06, 250, 0.05),
    Service("users", (("POST", "/login", 1.0), ("GET", "/profile", 3.5)), 0.04, 190, 0.0),
)


def add_to(catalogue: Catalogue) -> None:
    """Enter every instance of every service."""
    catalogue.describe(_DESCRIBED)
    cluster = Target("kube-state-metrics", "kube-state-metrics:8080")
    catalogue.add_target(cluster, 20)
    for service, pod in instances():
        target, births = target_of(pod, catalogue), births_of(pod, catalogue)
        catalogue.add_target(target, 120, service=service.name)
        for method, path, rate in service.routes:
            _add_route(service, (method, path), rate * (0.9 + 0.2 * fraction(pod)), births, target, catalogue)
        _add_process(service, births, target, catalogue)
        where = {"namespace": "shop", "pod": pod, "container": service.name}
        catalogue.add("kube_pod_container_status_restarts_total", Steps(births[1:]), cluster, **where)
        down = (seconds_span(catalogue.incident.restart),) if pod == RESTARTED_INSTANCE else ()
        catalogue.add("kube_pod_status_ready", Switch(down), cluster, namespace="shop", pod=pod)


def instances() -> Iterator[tuple[Service, str]]:
    """Two pods of every service."""
    return ((service, f"{service.name}-{number}") for service in SERVICES for number in (1, 2))


def target_of(pod: str, catalogue: Catalogue) -> Target:
    """Where a pod is scraped; the one that the incident restarts is silent meanwhile."""
    silent = tuple(int(moment.timestamp() * 1000) for moment in catalogue.incident.restart)
    spans = ((silent[0], silent[1]),) if pod == RESTARTED_INSTANCE else ()
    return Target(pod.rsplit("-", 1)[0], f"{pod}:8080", silent=spans)


def births_of(pod: str, catalogue: Catalogue) -> tuple[float, ...]:
    """When the pod's process started: at the last release, and after each restart."""
    restarts = {
        RESTARTED_INSTANCE: [seconds_of(catalogue.incident.restart[0]) + 40],
        "payment-1": [catalogue.before(4 + 20.8 / 24), catalogue.before(2 + 7.1 / 24)],
        "users-2": [catalogue.before(9.35)],
    }.get(pod, [])
    return (catalogue.before(23.42), *restarts)


def _add_route(
    service: Service, route: tuple[str, str], rate: float, births: tuple[float, ...], target: Target,
    catalogue: Catalogue,
) -> None:  # fmt: skip
    """Requests are good, late (good, but slow), missing, failed or refused; the incident shifts their shares."""
    labels = {"service": service.name, "method": route[0], "route": route[1]}
    key = f"{target.instance}{route}"
    hurt = catalogue.hurt

    def flow(kind: str, share: float, extra: float) -> Flow:
        return Flow(f"{key}/{kind}", rate * share, day=0.42, pulses=((hurt, extra * service.felt),))

    good, late = flow("good", 0.95, -0.4), flow("late", 0.03, 9.0)
    missing, failed, refused = (
        flow("missing", 0.017, 0.0),
        flow("failed", 0.0025, 34.0),
        flow("refused", 0.0005, 70.0),
    )
    for status, flows in (
        ("200", (good, late)),
        ("404", (missing,)),
        ("500", (failed,)),
        ("503", (refused,)),
    ):
        counter = Counter(tuple((one, 1.0) for one in flows), births)
        catalogue.add("http_requests_total", counter, target, status=status, **labels)
    slowness = 10.0 if service.name in SLOW_SERVICES else 6.0
    parts = (
        (good, service.median, 0.5),
        (late, service.median * slowness, 0.5),
        (missing, service.median * 0.4, 0.3),
        (failed, service.median * slowness * 1.6, 0.4),
        (refused, service.median * slowness * 2.0, 0.3),
    )
    catalogue.add_histogram("http_request_duration_seconds", parts, _BOUNDS, births, target, **labels)


def _add_process(service: Service, births: tuple[float, ...], target: Target, catalogue: Catalogue) -> None:
    labels, key = {"service": service.name}, target.instance
    rate = sum(rate for *_, rate in service.routes)
    pulses = ((catalogue.hurt, 1.8 * service.felt),)
    cpu = Flow(f"{key}/cpu", 0.012 * rate, pulses=((catalogue.hurt, 0.4 * service.felt),))
    catalogue.add("process_cpu_seconds_total", Counter(((cpu, 1.0),), births, per_unit=100), target, **labels)
    memory = Level(f"{key}/rss", service.memory * _MIB, day=0.08, wander=0.1, noise=0.01, pulses=pulses, quantum=4096.0)
    catalogue.add("process_resident_memory_bytes", memory, target, **labels)
    changes = tuple((birth, birth + _UNIX_MONDAY) for birth in births[1:])
    catalogue.add("process_start_time_seconds", Constant(births[0] + _UNIX_MONDAY, changes), target, **labels)
    for name, base in (
        ("process_open_fds", 24 + 4 * rate),
        ("go_goroutines", 30 + 9 * rate),
        ("http_requests_in_flight", max(1.5, rate * service.median * 4)),
    ):
        level = Level(f"{key}/{name}", base, day=0.3, wander=0.1, noise=0.15, pulses=pulses, quantum=1.0)
        catalogue.add(name, level, target, **labels)
