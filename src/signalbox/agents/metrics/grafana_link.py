"""Links that open a query in Grafana's Explore."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from signalbox.agents.metrics.state import TimeRange

__all__ = ["explore_link"]


def explore_link(source: Mapping[str, Any] | None, queries: Sequence[str], window: TimeRange) -> str:
    """Where these queries can be seen over that time; empty where no Grafana of one's own was asked."""
    if not source or source.get("kind") != "live" or source.get("system") != "grafana" or not queries:
        return ""
    uid = source.get("datasource")
    asked = [
        {"refId": chr(ord("A") + place), "expr": query, **({"datasource": {"uid": uid}} if uid else {})}
        for place, query in enumerate(queries[:26])
    ]
    first, last = (str(int(at.timestamp() * 1000)) for at in (window.start_time, window.end_time))
    pane = {"queries": asked, "range": {"from": first, "to": last}, **({"datasource": uid} if uid else {})}
    shown = {"schemaVersion": 1, "panes": json.dumps({"a": pane}, separators=(",", ":"))}
    return f"{str(source.get('address')).rstrip('/')}/explore?{urlencode(shown)}"
