"""Queries on their way: checked against the server before, and in the evidence ledger after."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

from signalbox.agents.metrics.check import check_names, looked_back
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import QueryAnswer
from signalbox.agents.metrics.promql import duration_text, selector_text
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tree import syntax_of
from signalbox.agents.metrics.windows import DEFAULT_SCRAPE, choose_resolution
from signalbox.settings import now
from signalbox.toolbox import current_ledger

__all__ = ["ask", "estimate_scrape", "last_seen"]

_USUAL = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600)
_ENOUGH = 4
_KEPT = timedelta(minutes=5)
_MOST_KEPT = 1_000
_DIGESTED = 50

_scrapes: WeakKeyDictionary[GrafanaMetricsClient, dict[str, tuple[datetime, float]]] = WeakKeyDictionary()


async def ask(query: Query, live: Live) -> QueryAnswer:
    """Return the answer to a query, which is sent exactly as it is written.

    Raises InvalidQueryError and MetricNotFoundError before anything is sent, and what the client raises.
    """
    tree = syntax_of(query.promql)
    await check_names(tree, live, query.window or looked_back(tree, query.at or now()))
    if query.window is None:
        at = query.at or now()
        with current_ledger().call("query", {"promql": query.promql, "time": _iso(at)}) as call:
            answer = await live.client.query(query.promql, at)
            call.returned(_counted(answer), _digest(answer))
        return answer
    start, end = query.window.start_time, query.window.end_time
    step = query.step or choose_resolution(query.window).step
    args = {"promql": query.promql, "start": _iso(start), "end": _iso(end), "step": f"{step:g}s"}
    with current_ledger().call("query_range", args) as call:
        answer = await live.client.query_range(query.promql, start, end, timedelta(seconds=step))
        call.returned(_counted(answer), _digest(answer))
    return answer


async def estimate_scrape(slots: Slots, live: Live) -> float:
    """Return the seconds between two samples of a measure; asked once in five minutes, 60 if nobody knows."""
    metric = next(iter(slots.measure.metrics), slots.measure.name)
    selector = selector_text(metric, slots.own_matchers)
    kept = _scrapes.setdefault(live.client, {})
    known = kept.get(selector)
    if known and timedelta(0) <= slots.now - known[0] < _KEPT:
        return known[1]
    found = await _estimate(selector, slots.time_range, live)
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[selector] = (slots.now, found)
    return found


async def _estimate(selector: str, window: TimeRange, live: Live) -> float:
    """By how many samples a series has in a span: short spans first, since a server may be young."""
    end = window.end_time
    middle = window.start_time + (end - window.start_time) / 2
    odd: list[float] = []
    for seconds, at in ((60, end), (300, end), (300, middle), (7_200, end), (86_400, end)):
        counted = f"quantile(0.5, count_over_time({selector}[{duration_text(seconds)}]))"
        answer = await ask(Query(counted, at=at), live)
        count = int(answer.curves[0].values[0]) if answer.curves else 0
        if count >= _ENOUGH:
            # One more may lie on the edge of the span.
            least, most = seconds / count, seconds / (count - 1)
            if usual := next((one for one in _USUAL if least <= one <= most), None):
                return float(usual)
            odd.append(math.ceil(least))
    # A gap makes an interval look longer than it is.
    return min(odd, default=DEFAULT_SCRAPE)


async def last_seen(metric: str, matchers: Iterable[Matcher], live: Live, at: datetime) -> datetime | None:
    """Return when a metric last had a sample before a moment; None if it had none in 90 days."""
    selector = selector_text(metric, matchers)
    with current_ledger().call("last_seen", {"selector": selector}) as call:
        seen = await live.client.last_seen(selector, at)
        call.returned(f"last sample {seen.isoformat(timespec='seconds')}" if seen else "no sample in 90 days")
    return seen


def _counted(answer: QueryAnswer) -> str:
    count, points = len(answer.curves), sum(len(curve.values) for curve in answer.curves)
    dropped = f"{answer.dropped} {'value that is' if answer.dropped == 1 else 'values that are'} no number left out"
    left_out = f", {dropped}" if answer.dropped else ""
    if not count:
        return f"no data{left_out}"
    return f"{count} series, {points} {'point' if points == 1 else 'points'} in all{left_out}"


def _digest(answer: QueryAnswer) -> list[object]:
    """What tells two answers apart, without writing a million points down."""
    return [
        {"labels": curve.labels, "points": len(curve.values), "sum": sum(curve.values), "last": curve.values[-1]}
        for curve in answer.curves[:_DIGESTED]
    ]


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
