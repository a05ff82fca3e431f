"""How often a measure is sampled, estimated from the server."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promql import duration_text, selector_text
from signalbox.agents.metrics.querying.asking import ask_at
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.windows import DEFAULT_SCRAPE

__all__ = ["estimate_scrape"]

_ENOUGH = 4
_USUAL = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600)
_KEPT = timedelta(minutes=5)
_MOST_KEPT = 1_000

_known: WeakKeyDictionary[GrafanaMetricsClient, dict[str, tuple[datetime, float]]] = WeakKeyDictionary()


async def estimate_scrape(client: GrafanaMetricsClient, question: Question) -> float:
    """How many seconds lie between two samples of the measure; asked once in five minutes, 60 where nobody knows."""
    metric = next(iter(question.measure.metrics), question.measure.name)
    selector = selector_text(metric, question.matchers)
    kept = _known.setdefault(client, {})
    known = kept.get(selector)
    if known and timedelta(0) <= question.now - known[0] < _KEPT:
        return known[1]
    found = await _estimate(client, selector, question.time_range)
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[selector] = (question.now, found)
    return found


async def _estimate(client: GrafanaMetricsClient, selector: str, window: TimeRange) -> float:
    """By how many samples a series has in a span: short spans first, since a server may be young."""
    end = window.end_time
    middle = window.start_time + (end - window.start_time) / 2
    for seconds, at in ((60, end), (300, end), (300, middle), (7_200, end), (86_400, end)):
        answer = await ask_at(client, f"quantile(0.5, count_over_time({selector}[{duration_text(seconds)}]))", at)
        count = int(answer.curves[0].values[0]) if answer.curves else 0
        if count >= _ENOUGH:
            return _interval(seconds, count)
    return DEFAULT_SCRAPE


def _interval(seconds: int, count: int) -> float:
    """The usual interval that gives so many samples in the span; one more may lie on its edge."""
    least, most = seconds / count, seconds / (count - 1)
    return float(next((usual for usual in _USUAL if least <= usual <= most), math.ceil(least)))
