"""A small shop, measured: its hosts, its services, its cache, and the network it stands on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from signalbox.settings import now
from signalbox.worlds.metrics.shop import business, cache, hosts, network, services
from signalbox.worlds.metrics.shop.catalogue import Catalogue
from signalbox.worlds.metrics.store import Store

__all__ = ["open_shop"]


def open_shop(opened: datetime | None = None, clock: Callable[[], datetime] = now) -> Store:
    """The shop's store: 14 days of history before `opened` (by default now), the incident the day before it."""
    opened = opened or clock()
    catalogue = Catalogue(opened)
    for part in (hosts, services, business, cache, network):
        part.add_to(catalogue)
    return Store(catalogue.series, catalogue.metadata, opened, clock)
