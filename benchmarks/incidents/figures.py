"""The figures of an estate: a store of the embedded metrics world, made with what an incident does to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from benchmarks.incidents.effects import Effects, Pulses
from benchmarks.incidents.estate import Estate
from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue
from signalbox.worlds.metrics.store import Store
from signalbox.worlds.noise import fraction
from signalbox.worlds.shapes import Constant, Counter, Flow, Level, Steps, Switch
from signalbox.worlds.topology import BGP_SESSIONS, ROLES, ports

__all__ = ["open_figures"]

_BOUNDS = (0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_GIB, _MIB = float(2**30), float(2**20)
_DESCRIBED = {
    "up": ("gauge", "Whether the last scrape of the target succeeded."),
    "http_requests_total": ("counter", "HTTP requests answered, by service and status."),
    "http_request_duration_seconds": ("histogram", "How long HTTP requests took."),
    "http_client_requests_total": ("counter", "Requests made to other services."),
    "http_client_request_duration_seconds": ("histogram", "How long requests to other services took."),
    "process_resident_memory_bytes": ("gauge", "Resident memory size in bytes."),
    "process_cpu_seconds_total": ("counter", "Total user and system CPU time spent in seconds."),
    "app_build_info": ("gauge", "The version that runs."),
    "kube_pod_info": ("gauge", "Where a pod runs."),
    "kube_pod_container_status_restarts_total": ("counter", "The number of container restarts per container."),
    "logins_total": ("counter", "Attempts to log in, by result."),
    "db_query_duration_seconds": ("histogram", "How long queries took."),
    "db_connections": ("gauge", "Connections in use."),
    "redis_evicted_keys_total": ("counter", "Keys evicted because memory was short."),
    "redis_keyspace_hits_total": ("counter", "Look-ups that found their key."),
    "redis_keyspace_misses_total": ("counter", "Look-ups that did not find their key."),
    "redis_memory_used_bytes": ("gauge", "Memory used by the cache."),
    "redis_memory_max_bytes": ("gauge", "Memory the cache may use."),
    "node_cpu_seconds_total": ("counter", "Seconds the CPUs spent in each mode."),
    "node_memory_MemTotal_bytes": ("gauge", "Memory information field MemTotal_bytes."),
    "node_memory_MemAvailable_bytes": ("gauge", "Memory information field MemAvailable_bytes."),
    "node_filesystem_size_bytes": ("gauge", "Filesystem size in bytes."),
    "node_filesystem_avail_bytes": ("gauge", "Filesystem space available to non-root users in bytes."),
    "node_uname_info": ("gauge", "Labeled system information as provided by the uname system call."),
    "node_lldp_neighbor_info": ("gauge", "The neighbour that LLDP sees on an interface."),
    "interface_oper_status": ("gauge", "1 when the interface is up, 0 when it is down."),
    "interface_in_errors_total": ("counter", "Frames received with errors."),
    "bgp_session_state": ("gauge", "State of the BGP session: 1 idle, 3 active, 6 established."),
}


def open_figures(estate: Estate, effects: Effects, opened: datetime, clock: Callable[[], datetime]) -> Store:
    """The store, with two weeks of history before `opened`."""
    catalogue = Catalogue(opened)
    catalogue.describe(_DESCRIBED)
    cluster = Target("kube-state-metrics", "kube-state-metrics:8080")
    catalogue.add_target(cluster, 20)
    for service in estate.apps:
        for pod in estate.pods(service):
            _add_pod(estate, service, pod, effects, cluster, catalogue)
    _add_database(estate, effects, catalogue)
    _add_cache(estate, effects, catalogue)
    for host in estate.hosts:
        _add_host(host.name, host.router, effects, catalogue)
    _add_network(effects, catalogue)
    return Store(catalogue.series, catalogue.metadata, opened, clock)


def _flow(key: str, rate: float, effects: Effects, thing: str, what: str, share: float = 1.0) -> Flow:
    return Flow(key, rate, day=0.3, pulses=effects.of(thing, what, share))


def _add_pod(estate: Estate, service: str, pod: str, effects: Effects, cluster: Target, catalogue: Catalogue) -> None:
    target = Target(service, f"{pod}:8080")
    births = (catalogue.before(21), *sorted(effects.restarts.get(pod, ())))
    catalogue.add_target(target, 60, service=service)
    rate = 4.0 + 6.0 * fraction(service)
    median = _median(estate, service)
    surge = effects.of(service, "load")

    def flow(kind: str, share: float) -> Flow:
        pulses = effects.of(service, kind) + effects.of(pod, kind)
        return Flow(f"{pod}/{kind}", rate * share, day=0.3, pulses=pulses + surge)

    good, late, failed = flow("good", 0.97), flow("late", 0.025), flow("failed", 0.005)
    for status, flows in (("200", (good, late)), ("500", (failed,))):
        counter = Counter(tuple((one, 1.0) for one in flows), births)
        catalogue.add("http_requests_total", counter, target, service=service, status=status)
    parts = ((good, median, 0.4), (late, median * 12, 0.4), (failed, median * 6, 0.4))
    catalogue.add_histogram("http_request_duration_seconds", parts, _BOUNDS, births, target, service=service)
    for other in estate.calls.get(service, ()):
        labels = {"service": service, "peer_service": other}
        peer = _median(estate, other)
        calls = [(Flow(f"{pod}/{other}/good", rate * 0.97, day=0.3, pulses=surge), peer, 0.4)]
        for kind, share, times in (("late", 0.025, 12), ("failed", 0.005, 6)):
            pulses = _on_the_way(service, other, kind, effects) + surge
            calls.append((Flow(f"{pod}/{other}/{kind}", rate * share, day=0.3, pulses=pulses), peer * times, 0.4))
        counter = Counter(tuple((flow, 1.0) for flow, *_ in calls), births)
        catalogue.add("http_client_requests_total", counter, target, **labels)
        catalogue.add_histogram("http_client_request_duration_seconds", tuple(calls), _BOUNDS, births, target, **labels)
    memory = Level(f"{pod}/rss", 300 * _MIB, day=0.05, wander=0.06, noise=0.01, pulses=effects.of(pod, "memory"))
    catalogue.add("process_resident_memory_bytes", memory, target, service=service)
    cpu = Flow(f"{pod}/cpu", 0.1, pulses=effects.of(pod, "cpu") + surge)
    catalogue.add("process_cpu_seconds_total", Counter(((cpu, 1.0),), births, per_unit=100), target, service=service)
    if service == estate.auth:
        for result, share in (("success", 0.95), ("failure", 0.05)):
            tried = _flow(f"{pod}/login/{result}", 2.0 * share, effects, service, f"login {result}")
            catalogue.add("logins_total", Counter(((tried, 1.0),), births), target, service=service, result=result)
    _add_versions(service, target, effects, catalogue)
    where = {"namespace": "prod", "pod": pod}
    catalogue.add("kube_pod_info", Constant(1.0), cluster, node=estate.placed[pod], **where)
    restarts = Steps(births[1:])
    catalogue.add("kube_pod_container_status_restarts_total", restarts, cluster, container=service, **where)


def _median(estate: Estate, service: str) -> float:
    """How many seconds a request to a service usually takes."""
    return {estate.database: 0.006, estate.cache: 0.002}.get(service, 0.02 + 0.08 * fraction(service + "/median"))


def _on_the_way(service: str, other: str, kind: str, effects: Effects) -> Pulses:
    """What a service sees of another that it calls: what happens on the way there, or to the other itself."""
    return effects.of(f"{service} → {other}", kind) or effects.of(other, kind)


def _add_versions(service: str, target: Target, effects: Effects, catalogue: Catalogue) -> None:
    """A series for each version, which is there while it runs."""
    at, version = effects.versions.get(service, (None, ""))
    if at is None:
        catalogue.add("app_build_info", Constant(1.0), target, service=service, version="1.4.0")
        return
    moment = int((at - catalogue.before(0)) * 1000 + catalogue.midnight.timestamp() * 1000)
    old = Target(target.job, target.instance, ends=moment)
    new = Target(target.job, target.instance, silent=((0, moment),))
    catalogue.add("app_build_info", Constant(1.0), old, service=service, version="1.4.0")
    catalogue.add("app_build_info", Constant(1.0), new, service=service, version=version)


def _add_database(estate: Estate, effects: Effects, catalogue: Catalogue) -> None:
    name, births = estate.database, (catalogue.before(90),)
    target = Target("postgres", f"{estate.placed[name]}:9187")
    catalogue.add_target(target, 40, service=name)
    good = Flow(f"{name}/good", 60.0, day=0.3, pulses=effects.of(name, "load"))
    late = Flow(f"{name}/late", 1.5, day=0.3, pulses=effects.of(name, "late"))
    parts = ((good, 0.006, 0.5), (late, 0.4, 0.5))
    catalogue.add_histogram("db_query_duration_seconds", parts, _BOUNDS, births, target, service=name)
    used = Level(f"{name}/connections", 40.0, day=0.2, noise=0.1, quantum=1.0, pulses=effects.of(name, "connections"))
    catalogue.add("db_connections", used, target, service=name)


def _add_cache(estate: Estate, effects: Effects, catalogue: Catalogue) -> None:
    name, births = estate.cache, (catalogue.before(90),)
    target = Target("redis", f"{estate.placed[name]}:9121")
    catalogue.add_target(target, 20, service=name)
    for what, rate in (("evicted_keys", 0.05), ("keyspace_hits", 400.0), ("keyspace_misses", 20.0)):
        flow = _flow(f"{name}/{what}", rate, effects, name, what)
        catalogue.add(f"redis_{what}_total", Counter(((flow, 1.0),), births), target, service=name)
    memory = Level(f"{name}/memory", 5 * _GIB, day=0.04, wander=0.02, noise=0.002, high=8 * _GIB,
                   pulses=effects.of(name, "memory"))  # fmt: skip
    catalogue.add("redis_memory_used_bytes", memory, target, service=name)
    catalogue.add("redis_memory_max_bytes", Constant(8 * _GIB), target, service=name)


def _add_host(host: str, router: str, effects: Effects, catalogue: Catalogue) -> None:
    target, births = Target("node", f"{host}:9100"), (catalogue.before(60),)
    catalogue.add_target(target, 40)
    for cpu in range(2):
        busy = Flow(f"{host}/{cpu}/user", 0.25 + 0.1 * fraction(host), pulses=effects.of(host, "cpu"))
        elapsed = Flow("elapsed", 1.0, day=0, week=0, wander=0, noise=0)
        for mode, parts in (("user", ((busy, 1.0),)), ("idle", ((elapsed, 1.0), (busy, -1.0)))):
            counter = Counter(parts, births, per_unit=100)
            catalogue.add("node_cpu_seconds_total", counter, target, cpu=str(cpu), mode=mode)
    free = Level(f"{host}/memory", 9 * _GIB, wander=0.04, noise=0.01, pulses=effects.of(host, "memory free"))
    catalogue.add("node_memory_MemTotal_bytes", Constant(16 * _GIB), target)
    catalogue.add("node_memory_MemAvailable_bytes", free, target)
    place = {"device": "/dev/vda1", "mountpoint": "/", "fstype": "ext4"}
    disk = Level(f"{host}/disk", 60 * _GIB, noise=0.002, pulses=effects.of(host, "disk free"))
    catalogue.add("node_filesystem_size_bytes", Constant(120 * _GIB), target, **place)
    catalogue.add("node_filesystem_avail_bytes", disk, target, **place)
    catalogue.add("node_uname_info", Constant(1.0), target, nodename=host, sysname="Linux")
    catalogue.add("node_lldp_neighbor_info", Constant(1.0), target, device="eth0", neighbor_system=router)


def _add_network(effects: Effects, catalogue: Catalogue) -> None:
    targets = {device: Target("network", f"{device}:57400") for device in ROLES}
    births = (catalogue.before(200),)
    for port in ports():
        down = tuple(effects.down.get((min(port.device, port.peer), max(port.device, port.peer)), ()))
        labels = {"device": port.device, "interface": port.interface, "peer": port.peer}
        catalogue.add("interface_oper_status", Switch(down), targets[port.device], **labels)
        errors = Flow(f"{port.device}/{port.interface}/errors", 3e-4, day=0.0)
        catalogue.add("interface_in_errors_total", Counter(((errors, 1.0),), births), targets[port.device], **labels)
    for first, second in BGP_SESSIONS:
        down = tuple(effects.down.get((f"bgp {min(first, second)}", max(first, second)), ()))
        for device, neighbor in ((first, second), (second, first)):
            state = Switch(down, on=6.0, off=3.0)
            catalogue.add("bgp_session_state", state, targets[device], device=device, neighbor=neighbor)
