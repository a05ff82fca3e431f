"""The figures that a case expects: its reference query, evaluated on the server that the agent asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from statistics import fmean
from typing import TYPE_CHECKING, Any

from signalbox.errors import RequestError
from signalbox.evals.load import Case, EvalSet
from signalbox.evals.metrics.expectation import Span, span_of, tolerance_of

if TYPE_CHECKING:
    from signalbox.agents.metrics.client import GrafanaMetricsClient
    from signalbox.agents.metrics.promapi import Curve

__all__ = ["with_figures"]

_NAME = "__name__"


async def with_figures(asked: EvalSet, client: GrafanaMetricsClient) -> EvalSet:
    """The set with `figures` in every outcome that has a reference. Raises RequestError where one gives nothing."""
    cases = [await _case_with_figures(case, asked, client) for case in asked.cases]
    return replace(asked, cases=tuple(cases))


async def _case_with_figures(case: Case, asked: EvalSet, client: GrafanaMetricsClient) -> Case:
    try:
        outcomes = [await _with_figures(one, asked.now, asked.tz, client) for one in case.alternatives]
    except ValueError as error:
        raise RequestError(f"{asked.path}: case {case.number} ({case.text!r}): {error}") from None
    return replace(case, alternatives=tuple(outcomes))


async def _with_figures(
    outcome: Mapping[str, Any], now: datetime, tz: tzinfo, client: GrafanaMetricsClient
) -> dict[str, Any]:
    if "promql" not in outcome:
        return dict(outcome)
    span = span_of(outcome, now, tz)
    curves = await _curves(outcome, span, client)
    kind = outcome["kind"]
    if kind == "series":
        series = [{"labels": _labels(c), "mean": fmean(c.values)} for c in curves]
        figures: dict[str, Any] = {"series": series, "range": [str(span.start), str(span.end)]}
    elif kind == "ranking":
        figures = {"ranking": _ranking(curves, outcome.get("order") == "ascending")}
    elif kind == "extreme":
        lowest, step = outcome.get("extreme") == "lowest", span.step.total_seconds()
        figures = _extreme(_only(curves), lowest, tolerance_of(outcome), step)
    elif kind == "comparison":
        figures = await _comparison(outcome, _only(curves).values[0], now, tz, client)
    else:
        figures = {"value": _only(curves).values[0]}
    return {**outcome, "figures": figures}


async def _curves(query: Mapping[str, Any], span: Span, client: GrafanaMetricsClient) -> Sequence[Curve]:
    promql = str(query["promql"]).replace("$range", span.length)
    if span.start and query.get("kind") in ("series", "extreme"):
        answer = await client.query_range(promql, span.start, span.end, span.step)
    else:
        answer = await client.query(promql, span.end)
    if not answer.curves:
        raise ValueError(f"the reference gives nothing: {promql}")
    return answer.curves


def _only(curves: Sequence[Curve]) -> Curve:
    if len(curves) != 1:
        raise ValueError(f"the reference gives {len(curves)} series where one figure is meant")
    return curves[0]


def _labels(curve: Curve) -> dict[str, str]:
    return {name: value for name, value in curve.labels.items() if name != _NAME}


def _ranking(curves: Sequence[Curve], ascending: bool) -> list[dict[str, Any]]:
    ordered = sorted(curves, key=lambda c: c.values[0], reverse=not ascending)
    return [{"labels": _labels(c), "value": c.values[0]} for c in ordered]


def _extreme(curve: Curve, lowest: bool, tolerance: float, step: float) -> dict[str, Any]:
    """The figure, and from when until when the curve was as good as there."""
    value = min(curve.values) if lowest else max(curve.values)
    spans: list[list[float]] = []
    for stamp, here in zip(curve.stamps, curve.values, strict=True):
        if abs(here - value) > tolerance * abs(value):
            continue
        if spans and stamp - spans[-1][1] <= step:
            spans[-1][1] = stamp
        else:
            spans.append([stamp, stamp])
    return {"value": value, "at": [[_iso(start), _iso(end)] for start, end in spans], "step": step}


def _iso(stamp: float) -> str:
    return datetime.fromtimestamp(stamp, UTC).isoformat()


async def _comparison(
    outcome: Mapping[str, Any], a: float, now: datetime, tz: tzinfo, client: GrafanaMetricsClient
) -> dict[str, Any]:
    said = outcome["against"]
    other = {"promql": said} if isinstance(said, str) else dict(said)
    times = {key: outcome[key] for key in ("at", "from", "to") if key in outcome}
    query = {"promql": outcome["promql"], **(times if not {"at", "from", "to"} & set(other) else {}), **other}
    b = _only(await _curves(query, span_of(query, now, tz), client)).values[0]
    return {"a": a, "b": b, "change": (a - b) / b if b else None}
