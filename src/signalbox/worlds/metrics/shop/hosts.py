"""The shop's hosts, as a node exporter sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described
from signalbox.worlds.noise import fraction
from signalbox.worlds.shapes import Constant, Counter, Flow, Level

__all__ = ["add_to"]

_GIB = float(2**30)
_MODES = {"user": 0.6, "system": 0.25, "iowait": 0.08, "softirq": 0.05, "steal": 0.02}
_UNIX_MONDAY = 1_704_067_200.0

_DESCRIBED: Described = {
    "node_cpu_seconds_total": ("counter", "Seconds the CPUs spent in each mode."),
    "node_load1": ("gauge", "1m load average."),
    "node_load5": ("gauge", "5m load average."),
    "node_load15": ("gauge", "15m load average."),
    "node_memory_MemTotal_bytes": ("gauge", "Memory information field MemTotal_bytes."),
    "node_memory_MemAvailable_bytes": ("gauge", "Memory information field MemAvailable_bytes."),
    "node_memory_MemFree_bytes": ("gauge", "Memory information field MemFree_bytes."),
    "node_memory_Cached_bytes": ("gauge", "Memory information field Cached_bytes."),
    "node_memory_Buffers_bytes": ("gauge", "Memory information field Buffers_bytes."),
    "node_memory_SwapTotal_bytes": ("gauge", "Memory information field SwapTotal_bytes."),
    "node_memory_SwapFree_bytes": ("gauge", "Memory information field SwapFree_bytes."),
    "node_filesystem_size_bytes": ("gauge", "Filesystem size in bytes."),
    "node_filesystem_free_bytes": ("gauge", "Filesystem free space in bytes."),
    "node_filesystem_avail_bytes": ("gauge", "Filesystem space available to non-root users in bytes."),
    "node_disk_read_bytes_total": ("counter", "The total number of bytes read successfully."),
    "node_disk_written_bytes_total": ("counter", "The total number of bytes written successfully."),
    "node_disk_reads_completed_total": ("counter", "The total number of reads completed successfully."),
    "node_disk_writes_completed_total": ("counter", "The total number of writes completed successfully."),
    "node_disk_io_time_seconds_total": ("counter", "Total seconds spent doing I/Os."),
    "node_network_receive_bytes_total": ("counter", "Network device statistic receive_bytes."),
    "node_network_transmit_bytes_total": ("counter", "Network device statistic transmit_bytes."),
    "node_network_receive_errs_total": ("counter", "Network device statistic receive_errs."),
    "node_boot_time_seconds": ("gauge", "Node boot time, in unixtime."),
    "node_uname_info": ("gauge", "Labeled system information as provided by the uname system call."),
    "up": ("gauge", "Whether the last scrape of the target succeeded."),
    "scrape_duration_seconds": ("gauge", "How long the last scrape took."),
    "scrape_samples_scraped": ("gauge", "How many samples the target exposed."),
}


@dataclass(frozen=True)
class Host:
    """One machine: how busy its CPUs are at the mean, what it holds, what it moves."""

    name: str
    cpus: int
    busy: float
    memory: float
    memory_used: float
    disk: float
    disk_used: float
    disk_growth: float
    reads: float
    writes: float
    traffic: float
    booted: float
    hurt: float = 0.0


_HOSTS = (
    Host("web-1", 2, 0.34, 16 * _GIB, 0.52, 80 * _GIB, 0.44, 0.20 * _GIB, 2e5, 9e5, 6.0e6, 41, 0.5),
    Host("web-2", 2, 0.31, 16 * _GIB, 0.49, 80 * _GIB, 0.41, 0.18 * _GIB, 2e5, 8e5, 5.6e6, 41, 0.5),
    Host("web-3", 2, 0.27, 16 * _GIB, 0.46, 80 * _GIB, 0.39, 0.15 * _GIB, 1e5, 7e5, 4.8e6, 6.4, 0.4),
    Host("db-1", 4, 0.42, 64 * _GIB, 0.78, 500 * _GIB, 0.71, 2.60 * _GIB, 9e6, 1.2e7, 3.1e6, 97, -0.2),
    Host("cache-1", 2, 0.12, 32 * _GIB, 0.63, 40 * _GIB, 0.22, 0.02 * _GIB, 2e4, 1e5, 8.5e6, 63),
)


def add_to(catalogue: Catalogue) -> None:
    """Enter every host."""
    catalogue.describe(_DESCRIBED)
    for host in _HOSTS:
        target = _target(host, catalogue)
        catalogue.add_target(target, 2 * host.cpus * 3 + 30)
        _add_cpu(host, target, catalogue)
        _add_memory(host, target, catalogue)
        _add_disk(host, target, catalogue)
        _add_network(host, target, catalogue)
        _add_facts(host, target, catalogue)


def _target(host: Host, catalogue: Catalogue) -> Target:
    """The exporter of cache-1 was silent for 20 minutes three days ago; web-3's while the host was rebooted."""
    silent = {"cache-1": (3, 9.5, 20), "web-3": (7, 14.4, 3)}.get(host.name)
    if silent is None:
        return Target("node", f"{host.name}:9100")
    days, hour, minutes = silent
    start = int(catalogue.moment(days - hour / 24).timestamp() * 1000)
    return Target("node", f"{host.name}:9100", silent=((start, start + minutes * 60_000),))


def _births(host: Host, catalogue: Catalogue) -> tuple[float, ...]:
    latest = catalogue.before(host.booted)
    return (latest,) if host.booted > 14 else (catalogue.before(120), latest)


def _add_cpu(host: Host, target: Target, catalogue: Catalogue) -> None:
    births = _births(host, catalogue)
    for cpu in range(host.cpus):
        share = host.busy * (0.9 + 0.2 * fraction(f"{host.name}/cpu{cpu}"))
        flows = {
            mode: Flow(f"{host.name}/{cpu}/{mode}", share * part, pulses=((catalogue.hurt, host.hurt),))
            for mode, part in _MODES.items()
        }
        for mode, flow in flows.items():
            counter = Counter(((flow, 1.0),), births, per_unit=100)
            catalogue.add("node_cpu_seconds_total", counter, target, cpu=str(cpu), mode=mode)
        elapsed = Flow("elapsed", 1.0, day=0, week=0, wander=0, noise=0)
        idle = Counter(((elapsed, 1.0), *((flow, -1.0) for flow in flows.values())), births, per_unit=100)
        catalogue.add("node_cpu_seconds_total", idle, target, cpu=str(cpu), mode="idle")
    for minutes, noise in ((1, 0.25), (5, 0.1), (15, 0.04)):
        load = Level(
            f"{host.name}/load{minutes}", host.busy * host.cpus * 1.1, day=0.4, week=0.1, wander=0.1, noise=noise,
            pulses=((catalogue.hurt, host.hurt),), quantum=0.01,
        )  # fmt: skip
        catalogue.add(f"node_load{minutes}", load, target)


def _add_memory(host: Host, target: Target, catalogue: Catalogue) -> None:
    used, total = host.memory_used, host.memory
    levels = {
        "MemAvailable": Level(f"{host.name}/avail", total * (1 - used), day=-0.12, wander=0.06, noise=0.004),
        "MemFree": Level(f"{host.name}/free", total * (1 - used) * 0.35, day=-0.1, wander=0.1, noise=0.01),
        "Cached": Level(f"{host.name}/cached", total * (1 - used) * 0.6, wander=0.05, noise=0.002),
        "Buffers": Level(f"{host.name}/buffers", total * 0.01, wander=0.05, noise=0.002),
        "SwapFree": Level(f"{host.name}/swap", 3.9 * _GIB, wander=0.01, noise=0.0, high=4 * _GIB),
    }
    for field, level in levels.items():
        catalogue.add(f"node_memory_{field}_bytes", replace(level, quantum=4096.0), target)
    catalogue.add("node_memory_MemTotal_bytes", Constant(total), target)
    catalogue.add("node_memory_SwapTotal_bytes", Constant(4 * _GIB), target)


def _add_disk(host: Host, target: Target, catalogue: Catalogue) -> None:
    births = _births(host, catalogue)
    for mountpoint, device, size, used, growth in (
        ("/", "/dev/nvme0n1p2", host.disk, host.disk_used, host.disk_growth),
        ("/boot", "/dev/nvme0n1p1", _GIB, 0.31, 0.0),
    ):
        place = {"device": device, "mountpoint": mountpoint, "fstype": "ext4"}
        free = Level(
            f"{host.name}{mountpoint}", size * (1 - used), noise=0.0003, slope=-growth, since=catalogue.before(0),
            quantum=4096.0,
        )  # fmt: skip
        avail = replace(free, base=free.base - 0.05 * size)
        catalogue.add("node_filesystem_size_bytes", Constant(size), target, **place)
        catalogue.add("node_filesystem_free_bytes", free, target, **place)
        catalogue.add("node_filesystem_avail_bytes", avail, target, **place)
    for name, rate, per_unit in (
        ("read_bytes", host.reads, 1 / 512),
        ("written_bytes", host.writes, 1 / 512),
        ("reads_completed", host.reads / 16_384, 1.0),
        ("writes_completed", host.writes / 16_384, 1.0),
        ("io_time_seconds", min(0.6, (host.reads + host.writes) / 5e7), 1000.0),
    ):
        counter = Counter(((Flow(f"{host.name}/{name}", rate), 1.0),), births, per_unit)
        catalogue.add(f"node_disk_{name}_total", counter, target, device="nvme0n1")


def _add_network(host: Host, target: Target, catalogue: Catalogue) -> None:
    births = _births(host, catalogue)
    for device, rate in (("eth0", host.traffic), ("lo", 4e4)):
        for direction, factor in (("receive", 1.0), ("transmit", 1.7)):
            flow = Flow(f"{host.name}/{device}/{direction}", rate * factor, day=0.45)
            name = f"node_network_{direction}_bytes_total"
            catalogue.add(name, Counter(((flow, 1.0),), births), target, device=device)
        errors = Flow(f"{host.name}/{device}/errors", 2e-4 if device == "eth0" else 1e-9, day=0)
        catalogue.add("node_network_receive_errs_total", Counter(((errors, 1.0),), births), target, device=device)


def _add_facts(host: Host, target: Target, catalogue: Catalogue) -> None:
    births = _births(host, catalogue)
    changes = tuple((birth, birth + _UNIX_MONDAY) for birth in births[1:])
    catalogue.add("node_boot_time_seconds", Constant(births[0] + _UNIX_MONDAY, changes), target)
    facts = {"nodename": host.name, "sysname": "Linux", "machine": "x86_64", "release": "6.1.0-31-amd64"}
    catalogue.add("node_uname_info", Constant(1.0), target, **facts)
