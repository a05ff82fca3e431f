"""`examine`: what the metrics saw between two moments that may explain a symptom, for investigations."""

from __future__ import annotations

import asyncio
from datetime import datetime

from signalbox.agents.metrics.clients import current_client, source_of
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.sweep import find_movers
from signalbox.contract import Examination, Observation
from signalbox.drawing.names import series_names
from signalbox.settings import now
from signalbox.toolbox import current_ledger

__all__ = ["examine"]

_MOST = 12
_CRITICAL, _WARNING = 30.0, 10.0


async def examine(question: str, start: datetime, end: datetime) -> Examination:
    """Find the measures that left their usual course between the moments, and when each began and ended. Reads only."""
    client = await asyncio.to_thread(current_client)
    live = await open_live(client, now())
    with current_ledger().call("examine_metrics", {"start": start.isoformat(), "end": end.isoformat()}) as call:
        swept = await find_movers(live, start, end)
        call.returned(f"{len(swept.found)} curves left their course, of {len(swept.looked_at)} measures")
        evidence = (call.id,) if getattr(call, "id", None) else ()
    seen = [
        Observation(
            text=one.text,
            start=one.start,
            end=one.end,
            severity="critical" if one.score >= _CRITICAL else "warning" if one.score >= _WARNING else "info",
            about=series_names([one.labels])[0] or one.title,
            is_symptom=one.is_symptom,
            evidence=evidence,
        )
        for one in swept.found[:_MOST]
    ]
    return Examination(seen, list(dict.fromkeys(swept.looked_at)), swept.not_judged, source_of(client))
