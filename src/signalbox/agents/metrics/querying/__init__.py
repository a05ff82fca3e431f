"""Querying: from a grounded question to numbers."""

from __future__ import annotations

from signalbox.agents.metrics.querying.execution import execute_question, fetch
from signalbox.agents.metrics.querying.found import MOST_SERIES, Found

__all__ = ["MOST_SERIES", "Found", "execute_question", "fetch"]
