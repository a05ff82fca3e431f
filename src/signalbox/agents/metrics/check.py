"""The one checker of queries, whoever wrote them: every metric, label, value and type in them, against the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.agents.metrics.tree import (
    function_of,
    grouping_labels,
    kind_of,
    metric_names,
    named_values,
    operator_of,
    reach_of,
    required_labels,
    unwrapped,
    walk,
)
from signalbox.drawing.values import format_moment
from signalbox.language.names import did_you_mean

__all__ = ["check_names", "empty_hints", "looked_back", "unknown_metric", "warnings_of"]

_MOST_NAMES, _MOST_TOLD = 20_000, 5
_FOR_COUNTERS = frozenset({"rate", "irate", "increase", "resets"})
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


async def check_names(tree: Any, live: Live, span: TimeRange) -> None:
    """Refuse a metric or label that the server does not have, so that a slip is not taken for "no data".

    Raises MetricNotFoundError and InvalidQueryError, which name the nearest.
    """
    names = metric_names(tree)
    for name in names:
        if name not in live.names:
            raise await asyncio.to_thread(unknown_metric, name, live)
    needed, grouped = required_labels(tree), grouping_labels(tree)
    if not names or not (grouped or any(needed.values())):
        return
    series = await live.series(names, span)
    for name, labels in needed.items():
        for label in labels:
            if series[name].values and label not in series[name].values:
                raise _no_label(label, name, list(series[name].values))
    every = list(dict.fromkeys(label for one in series.values() for label in one.values))
    for label in grouped if every else ():
        if label not in every:
            raise _no_label(label, names[0], every)


def unknown_metric(name: str, live: Live) -> MetricNotFoundError:
    """Return the error for a metric that is not there, with the nearest names."""
    known = list(live.names)[:_MOST_NAMES]
    return MetricNotFoundError(f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, known))


def looked_back(tree: Any, at: datetime) -> TimeRange:
    """Return the time that a query for one moment looks at."""
    reach = min(reach_of(tree), timedelta(days=MOST_DAYS))
    return TimeRange(start_time=at.astimezone(UTC) - reach, end_time=at.astimezone(UTC))


async def warnings_of(tree: Any, live: Live, span: TimeRange) -> list[str]:
    """Return what is doubtful in a query that runs: values that no series has, functions that do not fit a type."""
    told = await _unknown_values(tree, live, span)
    for node in walk(tree):
        inside = {live.names[name].type for name in metric_names(node) if name in live.names}
        if function_of(node) in _FOR_COUNTERS and inside == {"gauge"}:
            told.append(f"{metric_names(node)[0]} is a gauge; {function_of(node)}() is meant for counters.")
        if operator_of(node) == "avg" and _has_quantiles(node, live):
            told.append("This averages quantiles, and an average of quantiles is no quantile.")
    return list(dict.fromkeys(told))[:_MOST_TOLD]


async def empty_hints(tree: Any, live: Live, span: TimeRange, now: datetime) -> str:
    """Say why a query may have given nothing although its names are right, and what to try."""
    told = []
    for name in metric_names(tree):
        within = await live.client.last_seen(name, span.end_time)
        if within is not None and within >= span.start_time:
            continue
        last = await live.client.last_seen(name, now)
        if last is None:
            told.append(f"{name} had no samples in the last {MOST_DAYS} days.")
        else:
            told.append(f"{name} was last seen at {format_moment(last)}: try a range that has it.")
    if told:
        return " ".join(told)
    compared = next((one for one in walk(tree) if kind_of(one) == "BinaryExpr" and str(one.op) in _COMPARISONS), None)
    if compared is None:
        return "There are samples, but none that meets the conditions of the query: try fewer conditions."
    sides = [one for one in (unwrapped(compared.lhs), unwrapped(compared.rhs)) if kind_of(one) == "VectorSelector"]
    return await _unmet(sides[0], live, span.end_time) if sides else "No series meets the condition of the query."


async def _unmet(selector: Any, live: Live, at: datetime) -> str:
    """Say how many series a comparison was made on, and which values they have."""
    found = await live.client.query(str(selector), at)
    values = sorted({curve.values[-1] for curve in found.curves})
    if not values:
        return "No series meets the condition of the query."
    shown = ", ".join(f"{value:g}" for value in values[:_MOST_TOLD])
    more = f" and {len(values) - _MOST_TOLD} others" if len(values) > _MOST_TOLD else ""
    are = "series has the value" if len(found.curves) == 1 else "series have the values"
    return f"No series meets the condition: {len(found.curves)} {are} {shown}{more}."


def _no_label(label: str, metric: str, known: Sequence[str]) -> InvalidQueryError:
    told = sorted(one for one in known if one != "__name__")
    near = did_you_mean(label, told) if len(told) > _MOST_TOLD else ""
    suggestion = f"{near} Its labels: {', '.join(told[:20])}.".strip()
    return InvalidQueryError(f"{metric} has no label {label}.", suggestion=suggestion)


def _has_quantiles(node: Any, live: Live) -> bool:
    names = [name for name in metric_names(node) if name in live.names]
    is_summary = any(live.names[name].type == "summary" and name == live.names[name].family for name in names)
    return is_summary or any(function_of(one) == "histogram_quantile" for one in walk(node))


async def _unknown_values(tree: Any, live: Live, span: TimeRange) -> list[str]:
    """Say which values in a query its labels do not have: figures for the others may look like figures for them."""
    named = list(dict.fromkeys(named_values(tree)))
    series = await live.series(metric_names(tree), span) if named else {}
    told = []
    for name, label, value in named:
        known = series[name].values.get(label, ()) if name in series else ()
        if known and value not in known:
            told.append(f'The label {label} of {name} has no value "{value}". {did_you_mean(value, known)}')
    return told
