"""The HTTP face of the embedded store: Grafana's API, and Prometheus's behind it."""

from __future__ import annotations

from signalbox.worlds.metrics.api.access import Access
from signalbox.worlds.metrics.api.app import create_app
from signalbox.worlds.metrics.api.server import serve

__all__ = ["Access", "create_app", "serve"]
