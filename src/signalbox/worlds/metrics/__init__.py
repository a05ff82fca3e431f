"""Grafana and Prometheus over an embedded store: a small shop with 14 days of history and one incident.

`serve()` puts it on a port; `open_shop()` and `create_app()` are its two halves.
"""

from __future__ import annotations

from signalbox.worlds.metrics.api import Access, create_app, serve
from signalbox.worlds.metrics.promql import PromQLError, query_instant, query_range
from signalbox.worlds.metrics.shop import open_shop
from signalbox.worlds.metrics.store import Store

__all__ = [
    "Access",
    "PromQLError",
    "Store",
    "create_app",
    "open_shop",
    "query_instant",
    "query_range",
    "serve",
]
