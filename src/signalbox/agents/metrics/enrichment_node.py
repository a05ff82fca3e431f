"""`enrichment_node`: adds `context` to the state of the metrics agent: the same a day and a week before, and what else
moved at the same time. It reads from the server, and changes nothing else in the state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from typing import Any

import numpy as np

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.deviations import find_deviations
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.found import mean_of
from signalbox.agents.metrics.state import MetricsQueryResult, QueryError
from signalbox.agents.metrics.sweep import find_movers
from signalbox.drawing.values import format_value
from signalbox.errors import SignalboxError
from signalbox.settings import now
from signalbox.toolbox import current_ledger

__all__ = ["enrichment_node"]

_AROUND = timedelta(minutes=10)
_MOST_MOVED = 5
_EARLIER = (("the day before", timedelta(days=1)), ("the week before", timedelta(days=7)))


async def enrichment_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the result stands beside: `context` holds `earlier`, what `moved`, a `text`, and what is `missing`.

    A state with an error passes unchanged, and a server that fails now costs only the context.
    """
    result = state.get("result")
    if result is None or state.get("error") is not None or result.is_empty or result.comparison is not None:
        return {}
    client = current_client()
    missing: list[str] = []
    earlier = [one for one in await asyncio.gather(*(_earlier(client, result, *e, missing) for e in _EARLIER)) if one]
    moved = await _moved(client, result, missing)
    figure = _figure(result, [point.value for point in result.datapoints])
    told = " and ".join(one["text"] for one in earlier)
    return {
        "context": {
            "earlier": earlier,
            "moved": moved,
            "missing": missing,
            "text": f"{_named(result)} is {format_value(figure, result.unit)}: {told}."
            if told and figure is not None
            else "",
        }
    }


def _named(result: MetricsQueryResult) -> str:
    return {"series": "The mean", "extreme": "The extreme", "ranking": "The first"}.get(result.kind, "The value")


async def _earlier(
    client: GrafanaMetricsClient, result: MetricsQueryResult, name: str, back: timedelta, missing: list[str]
) -> dict[str, Any] | None:
    """The same figure, that much earlier; None where there is none to compare."""
    now = _figure(result, [point.value for point in result.datapoints])
    if now is None:
        return None
    try:
        then = await _fetch_earlier(client, result, back)
    except SignalboxError as error:
        missing.append(f"{name}: {QueryError.of(error).message}")
        return None
    if then is None:
        missing.append(f"{name}: there was no data.")
        return None
    span = result.time_range
    return {
        "name": name,
        "start": (span.start_time.astimezone(UTC) - back).isoformat(),
        "end": (span.end_time.astimezone(UTC) - back).isoformat(),
        "value": then,
        "change": (now - then) / then if then else None,
        "text": f"{_difference(now, then)} {name} ({format_value(then, result.unit)})",
    }


async def _fetch_earlier(client: GrafanaMetricsClient, result: MetricsQueryResult, back: timedelta) -> float | None:
    given = {"promql": result.promql, "earlier_by": str(back)}
    with current_ledger().call("query_range" if _is_curve(result) else "query", given, "enrichment_node") as call:
        if _is_curve(result):
            start, end = result.datapoints[0].timestamp - back, result.datapoints[-1].timestamp - back
            answer = await client.query_range(result.promql, start, end, _step(result))
        else:
            answer = await client.query(result.promql, result.time_range.end_time - back)
        call.returned(f"{len(answer.curves)} series")
    curve = _same(answer.curves, result.series[0].labels if result.series else {})
    if curve is None or not curve.values:
        return None
    return _figure(result, curve.values) if _is_curve(result) else curve.values[-1]


def _is_curve(result: MetricsQueryResult) -> bool:
    """Whether the query that was sent gives the curve itself, rather than one figure for the whole range."""
    return result.kind in ("series", "extreme") and len(result.datapoints) > 1


def _figure(result: MetricsQueryResult, values: Sequence[float]) -> float | None:
    """The one figure of an answer: the mean of a curve, the highest or lowest of an extreme, else the value."""
    if not _is_curve(result):
        return result.value
    if result.kind == "series" or result.value is None or result.statistics is None:
        return mean_of(values)
    return max(values) if result.value >= result.statistics.mean else min(values)


def _difference(now: float, then: float) -> str:
    change = (now - then) / abs(then) if then else 0.0
    if abs(change) < 0.005:
        return "about the same as"
    return f"{format_value(abs(change), 'ratio')} {'higher' if change > 0 else 'lower'} than"


def _step(result: MetricsQueryResult) -> timedelta:
    stamps = [point.timestamp.timestamp() for point in result.datapoints]
    return timedelta(seconds=round(float(np.median(np.diff(stamps))), 3))


def _same(curves: Sequence[Curve], labels: Mapping[str, str]) -> Curve | None:
    return next((curve for curve in curves if curve.labels == labels), curves[0] if len(curves) == 1 else None)


async def _moved(client: GrafanaMetricsClient, result: MetricsQueryResult, missing: list[str]) -> list[dict[str, Any]]:
    """Everything that left its usual course when the curve did, the furthest first; the network as well."""
    if not _is_curve(result):
        return []
    stamps = np.array([point.timestamp.timestamp() for point in result.datapoints])
    _, found = find_deviations(stamps, np.array([point.value for point in result.datapoints]))
    if not found:
        return []
    worst = max(found, key=lambda one: one.score)
    start, end = (result.datapoints[at].timestamp for at in (worst.first, worst.last))
    try:
        live = await open_live(client, now())
        movers, _, _ = await find_movers(live, start - _AROUND, end + _AROUND)
    except SignalboxError as error:
        missing.append(f"what moved at the same time: {QueryError.of(error).message}")
        return []
    others = [one for one in movers if result.metric_name not in one.promql]
    return [{"text": one.text, "score": round(one.score, 1), "promql": one.promql} for one in others[:_MOST_MOVED]]
