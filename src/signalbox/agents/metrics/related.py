"""Other metrics that left their usual course when this one did. That they moved together shows no cause."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.deviations import FEWEST_POINTS, Floats, find_deviations
from signalbox.agents.metrics.promapi import selector_of
from signalbox.errors import SignalboxError
from signalbox.toolbox import current_ledger

__all__ = ["find_related"]

_MOST_ASKED = 12
_MOST_TOLD = 3
_TOGETHER = 0.7
_NO_CURVES = ("_bucket", "_sum", "_created", "_info", "_timestamp_seconds", "_start_time_seconds")


async def find_related(
    client: GrafanaMetricsClient,
    metric: str,
    filters: Mapping[str, str],
    stamps: Floats,
    values: Floats,
    step: timedelta,
) -> list[dict[str, Any]]:
    """The metrics on the same labels whose deviations go with this one's, the closest first.

    Raises GrafanaUnavailableError and its kinds.
    """
    baseline, found = find_deviations(stamps, values)
    if len(values) < FEWEST_POINTS or not found:
        return []
    away = values - baseline.values
    candidates = await _candidates(client, metric, filters)
    compared = await asyncio.gather(*(_compare(client, info, filters, stamps, away, step) for info in candidates))
    close = sorted((one for one in compared if one is not None), key=lambda one: -abs(one["correlation"]))
    return close[:_MOST_TOLD]


async def _candidates(client: GrafanaMetricsClient, metric: str, filters: Mapping[str, str]) -> list[MetricInfo]:
    """Metrics of the same things: those with the same labels, or without any those of the same family of names."""
    described = await client.describe_metrics()
    if filters:
        names = await client.label_values("__name__", match=_selector("", filters))
    else:
        names = [name for name in described if name.partition("_")[0] == metric.partition("_")[0]]
    own = described[metric].family if metric in described else metric
    kept = [described[n] for n in names if n in described and not n.endswith(_NO_CURVES) and described[n].family != own]
    return kept[:_MOST_ASKED]


async def _compare(
    client: GrafanaMetricsClient,
    info: MetricInfo,
    filters: Mapping[str, str],
    stamps: Floats,
    away: Floats,
    step: timedelta,
) -> dict[str, Any] | None:
    promql = _promql(info, filters, step)
    try:
        with current_ledger().call("query_range", {"promql": promql}, "enrichment_node") as call:
            answer = await client.query_range(promql, _moment(stamps[0]), _moment(stamps[-1]), step)
            call.returned(f"{len(answer.curves)} series")
    except SignalboxError:
        return None
    if len(answer.curves) != 1:
        return None
    curve = answer.curves[0]
    together = _correlation(stamps, away, np.array(curve.stamps, dtype=float), np.array(curve.values, dtype=float))
    if together is None or abs(together) < _TOGETHER:
        return None
    moved = "together with" if together > 0 else "against"
    return {
        "metric": info.name,
        "promql": promql,
        "correlation": round(together, 2),
        "text": f"{moved} {info.name} (correlation {together:.2f})",
    }


def _correlation(stamps: Floats, away: Floats, others: Floats, values: Floats) -> float | None:
    """How far the deviations of two curves go together, from -1 to 1; None where they share too few points."""
    _, mine, theirs = np.intersect1d(np.round(stamps), np.round(others), return_indices=True)
    if len(mine) < FEWEST_POINTS:
        return None
    baseline, _ = find_deviations(others, values)
    a, b = away[mine], (values - baseline.values)[theirs]
    if not np.std(a) or not np.std(b):
        return None
    return float(np.corrcoef(a, b)[0, 1])


def _promql(info: MetricInfo, filters: Mapping[str, str], step: timedelta) -> str:
    selector = _selector(info.name, filters)
    window = max(300, 2 * round(step.total_seconds()))
    counts = info.type == "counter" or info.name.endswith(("_total", "_count"))
    return f"sum(rate({selector}[{window}s]))" if counts else f"avg({selector})"


def _selector(name: str, filters: Mapping[str, str]) -> str:
    matchers = [f'{label}=~"{_escaped(value)}"' for label, value in filters.items()]
    if not name:
        return "{" + ",".join(matchers) + "}"
    plain = selector_of(name)
    return f"{plain}{{{','.join(matchers)}}}" if "{" not in plain else plain[:-1] + "," + ",".join(matchers) + "}"


def _escaped(value: str) -> str:
    """Alternatives stand in the contract's filters with `|` between them; all else is taken as it is written."""
    parts: Sequence[str] = value.split("|")
    quoted = ["".join(f"\\{c}" if c in r"\.^$*+?()[]{}" else c for c in part) for part in parts]
    return "|".join(quoted).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _moment(stamp: float) -> datetime:
    return datetime.fromtimestamp(float(stamp), UTC)
