"""Queries on their way: checked before, and in the evidence ledger after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promapi import QueryAnswer
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.state import TimeRange
from signalbox.toolbox import current_ledger

__all__ = ["ask_at", "ask_over"]


async def ask_at(client: GrafanaMetricsClient, promql: str, at: datetime) -> QueryAnswer:
    """The answer at one moment. Raises what the client raises, and InvalidQueryError before anything is sent."""
    check_promql(promql)
    with current_ledger().call("query", {"promql": promql, "time": _iso(at)}) as call:
        answer = await client.query(promql, at)
        call.returned(_counted(answer), _digested(answer))
    return answer


async def ask_over(client: GrafanaMetricsClient, promql: str, window: TimeRange, step: float) -> QueryAnswer:
    """The answer over a range, a point every `step` seconds. Raises as `ask_at`."""
    check_promql(promql)
    start, end = window.start_time, window.end_time
    args = {"promql": promql, "start": _iso(start), "end": _iso(end), "step": f"{step:g}s"}
    with current_ledger().call("query_range", args) as call:
        answer = await client.query_range(promql, start, end, timedelta(seconds=step))
        call.returned(_counted(answer), _digested(answer))
    return answer


def _counted(answer: QueryAnswer) -> str:
    count, points = len(answer.curves), sum(len(curve.values) for curve in answer.curves)
    dropped = f"{answer.dropped} {'value that is' if answer.dropped == 1 else 'values that are'} no number left out"
    left_out = f", {dropped}" if answer.dropped else ""
    if not count:
        return f"no data{left_out}"
    return f"{count} series, {points} {'point' if points == 1 else 'points'} in all{left_out}"


def _digested(answer: QueryAnswer) -> list[object]:
    """What tells two answers apart, without writing a million points down as text."""
    return [
        {"labels": curve.labels, "points": len(curve.values), "sum": sum(curve.values), "last": curve.values[-1]}
        for curve in answer.curves[:1_000]
    ]


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
