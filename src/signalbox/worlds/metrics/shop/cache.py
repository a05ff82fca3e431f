"""The shop's cache, as a Redis exporter sees it."""

from __future__ import annotations

from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described
from signalbox.worlds.shapes import Constant, Counter, Flow, Level

__all__ = ["add_to"]

_GIB = float(2**30)

_DESCRIBED: Described = {
    "redis_db_keys": ("gauge", "Total number of keys by database."),
    "redis_keyspace_hits_total": ("counter", "Look-ups that found their key."),
    "redis_keyspace_misses_total": ("counter", "Look-ups that did not find their key."),
    "redis_commands_processed_total": ("counter", "Commands processed."),
    "redis_evicted_keys_total": ("counter", "Keys evicted because memory was short."),
    "redis_connected_clients": ("gauge", "Client connections."),
    "redis_memory_used_bytes": ("gauge", "Memory used by the cache."),
    "redis_memory_max_bytes": ("gauge", "Memory the cache may use."),
}


def add_to(catalogue: Catalogue) -> None:
    """Enter the one cache."""
    catalogue.describe(_DESCRIBED)
    target, births = Target("redis", "cache-1:9121"), (catalogue.before(63),)
    catalogue.add_target(target, len(_DESCRIBED))
    for name, rate in (
        ("keyspace_hits", 410.0),
        ("keyspace_misses", 31.0),
        ("commands_processed", 690.0),
        ("evicted_keys", 0.4),
    ):
        flow = Flow(f"redis/{name}", rate, day=0.43, wander=0.18, noise=0.15)
        catalogue.add(f"redis_{name}_total", Counter(((flow, 1.0),), births), target)
    for db, keys in (("db0", 184_000.0), ("db1", 9_200.0)):
        level = Level(f"redis/{db}", keys, day=0.12, wander=0.04, noise=0.003, quantum=1.0)
        catalogue.add("redis_db_keys", level, target, db=db)
    clients = Level("redis/clients", 64.0, day=0.3, noise=0.08, quantum=1.0)
    catalogue.add("redis_connected_clients", clients, target)
    memory = Level("redis/memory", 18.4 * _GIB, day=0.07, wander=0.03, noise=0.002, quantum=1.0)
    catalogue.add("redis_memory_used_bytes", memory, target)
    catalogue.add("redis_memory_max_bytes", Constant(24 * _GIB), target)
