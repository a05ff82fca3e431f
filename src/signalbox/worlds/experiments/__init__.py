"""UpGrade's REST API, embedded: real assignment rules, a dozen experiments, and what was tried out stays.

`serve()` puts it on a port; `Store`, `fill()` and `create_app()` are its parts.
"""

from __future__ import annotations

from signalbox.worlds.experiments.access import Access
from signalbox.worlds.experiments.app import create_app
from signalbox.worlds.experiments.seed import fill
from signalbox.worlds.experiments.server import serve
from signalbox.worlds.experiments.store import Store

__all__ = ["Access", "Store", "create_app", "fill", "serve"]
