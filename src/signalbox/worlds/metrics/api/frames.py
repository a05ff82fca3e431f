"""Grafana's query endpoint: queries in, data frames out."""

from __future__ import annotations

import math
import re
from typing import Any

from signalbox.worlds.grid import INTERVAL_MS
from signalbox.worlds.metrics.api.parameters import duration_ms, grafana_moment_ms
from signalbox.worlds.metrics.labels import NAME, Labels
from signalbox.worlds.metrics.promql import (
    MOST_POINTS,
    Curve,
    PromQLError,
    Result,
    query_instant,
    query_range,
)
from signalbox.worlds.metrics.store import Store

__all__ = ["answer_queries"]

_MACRO = re.compile(r"\$(?:\{)?(__rate_interval|__interval_ms|__interval|__range_ms|__range_s|__range)(?:\})?")
_LEGEND = re.compile(r"\{\{\s*(.+?)\s*\}\}")


def answer_queries(store: Store, body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The result of each query by its refId; raises PromQLError where the range of time is wrong."""
    now = store.ends
    start = grafana_moment_ms(body.get("from", "now-1h"), now, "from")
    end = grafana_moment_ms(body.get("to", "now"), now, "to")
    shown = [query for query in body["queries"] if not query.get("hide")]
    return {str(query.get("refId", "A")): _answer(store, query, start, end) for query in shown}


def _answer(store: Store, query: dict[str, Any], start: int, end: int) -> dict[str, Any]:
    try:
        frames = _frames(store, query, start, end)
    except PromQLError as error:
        status = 400 if error.kind == "bad_data" else 422
        return {
            "error": f"{error.kind}: {error.user_message}",
            "errorSource": "downstream",
            "status": status,
            "frames": [],
        }
    return {"status": 200, "frames": frames}


def _frames(store: Store, query: dict[str, Any], start: int, end: int) -> list[dict[str, Any]]:
    step = _step(query, start, end)
    text = _filled(str(query.get("expr", "")), step, start, end)
    instant = bool(query.get("instant"))
    ranged = bool(query.get("range")) or not instant
    results: list[Result] = []
    if ranged:
        # As Grafana does, so that a panel that is refreshed keeps its points where they were.
        results.append(query_range(store, text, start // step * step, end // step * step, step))
    if instant:
        results.append(query_instant(store, text, end))
    return [_frame(query, text, step, result, curve) for result in results for curve in result.curves]


def _step(query: dict[str, Any], start: int, end: int) -> int:
    """The step asked for, no finer than the scrapes and the limit on points allow."""
    asked = query.get("intervalMs")
    wanted = int(asked) if isinstance(asked, int | float) and asked > 0 else 0
    points = query.get("maxDataPoints")
    if not wanted and isinstance(points, int | float) and points > 0:
        wanted = math.ceil((end - start) / points)
    smallest = query.get("interval")
    least = duration_ms(smallest, "interval") if isinstance(smallest, str) and smallest else 0
    return max(wanted, least, math.ceil((end - start) / MOST_POINTS), 1000)


def _filled(text: str, step: int, start: int, end: int) -> str:
    """The query with Grafana's variables of time filled in."""
    values = {
        "__interval": f"{step}ms",
        "__interval_ms": str(step),
        "__rate_interval": f"{max(step + INTERVAL_MS, 4 * INTERVAL_MS)}ms",
        "__range": f"{max((end - start) // 1000, 1)}s",
        "__range_s": str((end - start) // 1000),
        "__range_ms": str(end - start),
    }
    return _MACRO.sub(lambda match: values[match[1]], text)


def _frame(query: dict[str, Any], text: str, step: int, result: Result, curve: Curve) -> dict[str, Any]:
    labels = dict(curve.labels)
    legend = _legend(str(query.get("legendFormat") or ""), curve.labels)
    value: dict[str, Any] = {
        "name": labels.get(NAME, "Value"),
        "type": "number",
        "typeInfo": {"frame": "float64"},
        "labels": labels,
        "config": {"displayNameFromDS": legend},
    }
    time = {"name": "Time", "type": "time", "typeInfo": {"frame": "time.Time"}, "config": {"interval": step}}
    meta = {
        "type": "timeseries-multi" if result.kind == "matrix" else "numeric-multi",
        "typeVersion": [0, 1],
        "custom": {"resultType": result.kind},
        "executedQueryString": f"Expr: {text}\nStep: {step / 1000:g}s",
    }
    schema = {"refId": str(query.get("refId", "A")), "name": legend, "meta": meta, "fields": [time, value]}
    return {"schema": schema, "data": _data(curve)}


def _data(curve: Curve) -> dict[str, Any]:
    """The columns; what JSON has no number for is null, and named beside them."""
    numbers = curve.values.tolist()
    kinds = {"NaN": math.nan, "Inf": math.inf, "NegInf": -math.inf}
    odd = {
        name: [i for i, number in enumerate(numbers) if number == kind or (math.isnan(kind) and math.isnan(number))]
        for name, kind in kinds.items()
    }
    odd = {name: places for name, places in odd.items() if places}
    columns = [curve.stamps.tolist(), [number if math.isfinite(number) else None for number in numbers]]
    return {"values": columns, "entities": [None, odd]} if odd else {"values": columns}


def _legend(template: str, labels: Labels) -> str:
    known = dict(labels)
    if template and template != "__auto":
        return _LEGEND.sub(lambda match: known.get(match[1], ""), template)
    inside = ", ".join(f'{name}="{value}"' for name, value in labels if name != NAME)
    return f"{known.get(NAME, '')}{{{inside}}}"
