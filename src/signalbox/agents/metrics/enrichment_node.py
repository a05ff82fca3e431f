"""`enrichment_node`: adds `context` to the state of the metrics agent: the same figure a day and a week before, and
what else moved at the same time. It reads from the server, and changes nothing else in the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from typing import Any

import numpy as np

from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.deviations import find_deviations
from signalbox.agents.metrics.found import mean_of
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.state import MetricsQueryResult, QueryError, TimeRange
from signalbox.agents.metrics.sweep import find_movers
from signalbox.drawing.values import format_value
from signalbox.errors import SignalboxError
from signalbox.settings import now

__all__ = ["enrichment_node"]

_AROUND = timedelta(minutes=10)
_MOST_MOVED = 5
_EARLIER = {"the day before": timedelta(days=1), "the week before": timedelta(days=7)}
_NAMES = {"series": "The mean", "extreme": "The extreme", "ranking": "The first"}


async def enrichment_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return `context`: the figures `earlier`, what `moved`, a `text`, and what is `missing`.

    A state with an error passes unchanged, and a server that fails now costs only the context.
    """
    result = state.get("result")
    if result is None or state.get("error") is not None or result.is_empty or result.comparison or result.compared:
        return {}
    earlier, moved, missing = list[dict[str, Any]](), list[dict[str, Any]](), list[str]()
    figure = _figure(result, [point.value for point in result.datapoints])
    try:
        live = await open_live(current_client(), now())
        for name, back in _EARLIER.items() if figure is not None else ():
            then = await _value_before(result, back, live)
            if then is None:
                missing.append(f"{name}: there was no data.")
            else:
                earlier.append(_earlier(result, figure or 0.0, then, name, back))
        moved = await _moved(result, live) if _is_curve(result) else []
    except SignalboxError as error:
        missing.append(f"what it was before, and what else moved: {QueryError.of(error).message}")
    told = " and ".join(one["text"] for one in earlier)
    named = f"{_NAMES.get(result.kind, 'The value')} is {format_value(figure or 0.0, result.unit)}"
    text = f"{named}: {told}." if told else ""
    return {"context": {"earlier": earlier, "moved": moved, "missing": missing, "text": text}}


async def _value_before(result: MetricsQueryResult, back: timedelta, live: Live) -> float | None:
    """The figure of the same query, so much earlier; None if there was no data."""
    if _is_curve(result):
        first, last = result.datapoints[0].timestamp - back, result.datapoints[-1].timestamp - back
        gaps = np.diff([point.timestamp.timestamp() for point in result.datapoints])
        window = TimeRange(start_time=first, end_time=last)
        query = Query(result.promql, window=window, step=round(float(np.median(gaps)), 3))
    else:
        query = Query(result.promql, at=result.time_range.end_time - back)
    curves, labels = (await ask(query, live)).curves, result.series[0].labels if result.series else {}
    same = next((one for one in curves if one.labels == labels), curves[0] if len(curves) == 1 else None)
    if same is None or not same.values:
        return None
    return _figure(result, same.values) if _is_curve(result) else same.values[-1]


def _earlier(result: MetricsQueryResult, figure: float, then: float, name: str, back: timedelta) -> dict[str, Any]:
    change = (figure - then) / abs(then) if then else 0.0
    told = f"{format_value(abs(change), 'ratio')} {'higher' if change > 0 else 'lower'} than"
    return {
        "name": name,
        "start": (result.time_range.start_time.astimezone(UTC) - back).isoformat(),
        "end": (result.time_range.end_time.astimezone(UTC) - back).isoformat(),
        "value": then,
        "change": (figure - then) / then if then else None,
        "text": f"{told if abs(change) >= 0.005 else 'about the same as'} {name} ({format_value(then, result.unit)})",
    }


def _is_curve(result: MetricsQueryResult) -> bool:
    """True if the query gives the curve itself, not one figure for the whole range."""
    return result.kind in ("series", "extreme") and len(result.datapoints) > 1


def _figure(result: MetricsQueryResult, values: Sequence[float]) -> float | None:
    """The one figure of an answer: the mean of a curve, the highest or lowest of an extreme, else the value."""
    if not _is_curve(result):
        return result.value
    if result.kind == "series" or result.value is None or result.statistics is None:
        return mean_of(values)
    return max(values) if result.value >= result.statistics.mean else min(values)


async def _moved(result: MetricsQueryResult, live: Live) -> list[dict[str, Any]]:
    """What left its usual course when the curve did, the furthest first; on the network as well."""
    stamps = np.array([point.timestamp.timestamp() for point in result.datapoints])
    _, found = find_deviations(stamps, np.array([point.value for point in result.datapoints]))
    if not found:
        return []
    worst = max(found, key=lambda one: one.score)
    start, end = (result.datapoints[at].timestamp for at in (worst.first, worst.last))
    movers = (await find_movers(live, start - _AROUND, end + _AROUND)).found
    others = [one for one in movers if result.metric_name not in one.promql]
    return [{"text": one.text, "score": round(one.score, 1), "promql": one.promql} for one in others[:_MOST_MOVED]]
