"""The figures that a case expects: its reference query, evaluated on the server that the agent asks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from statistics import fmean
from typing import Any

from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.evaluation.expectation import Span, span_of, tolerance_of
from signalbox.agents.metrics.promapi import Curve

__all__ = ["with_figures"]

_NAME = "__name__"
_INNER = re.compile(r'"[^"]*"|\([^(){}[\]]*\)|\{[^(){}[\]]*\}|\[[^(){}[\]]*\]')
_COMPARED = re.compile(r"[<>]=?|[=!]=")


async def with_figures(outcome: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
    """The outcome with its `figures`, if it has a reference. Raises ValueError for a reference that gives none."""
    if "promql" not in outcome:
        return dict(outcome)
    span = span_of(outcome, now, tz)
    kind = outcome["kind"]
    if kind in ("threshold", "down"):
        return {**outcome, "figures": await _offenders(outcome, span)}
    curves = await _curves(outcome, span)
    if kind == "series":
        series = [{"labels": _labels(c), "mean": fmean(c.values)} for c in curves]
        figures: dict[str, Any] = {"series": series, "range": [str(span.start), str(span.end)]}
    elif kind == "ranking":
        figures = {"ranking": _ranking(curves, outcome.get("order") == "ascending")}
    elif kind == "extreme":
        lowest, step = outcome.get("extreme") == "lowest", span.step.total_seconds()
        figures = _extreme(_only(curves), lowest, tolerance_of(outcome), step)
    elif kind == "comparison":
        figures = await _comparison(outcome, _only(curves).values[0], now, tz)
    else:
        figures = {"value": _only(curves).values[0]}
    return {**outcome, "figures": figures}


async def _curves(query: Mapping[str, Any], span: Span, *, may_be_none: bool = False) -> Sequence[Curve]:
    client = current_client()
    promql = str(query["promql"]).replace("$range", span.length)
    if span.start and query.get("kind") in ("series", "extreme"):
        answer = await client.query_range(promql, span.start, span.end, span.step)
    else:
        answer = await client.query(promql, span.end)
    if not answer.curves and not may_be_none:
        raise ValueError(f"the reference gives nothing: {promql}")
    return answer.curves


async def _offenders(outcome: Mapping[str, Any], span: Span) -> dict[str, Any]:
    """The labels of the things that the reference gives, as far as they tell things apart, and of those it does not.

    All of them are what stands before its bound. Of states it gives those that are on (`== 1`): a thing has others too.
    """
    found = await _curves(outcome, span, may_be_none=bool(outcome.get("none")))
    if outcome.get("none") and found:
        raise ValueError(f"the reference gives {len(found)} series where none is meant")
    things = [_labels(curve) for curve in found]
    measured, compared, bound = _parted(str(outcome["promql"]))
    everything = [_labels(c) for c in await _curves({**outcome, "promql": measured}, span)] if compared else []
    if not compared or any(one not in everything for one in things):
        return {"offenders": things, "others": []}
    shared = set.intersection(*(set(one.items()) for one in everything))
    others = [] if compared == "==" and bound != "0" else [one for one in everything if one not in things]
    return {
        name: [dict(set(one.items()) - shared) for one in ones]
        for name, ones in (("offenders", things), ("others", others))
    }


def _parted(promql: str) -> tuple[str, str, str]:
    """A query before, at and after its first comparison outside brackets."""
    shown, hidden = promql, ""
    while shown != hidden:
        shown, hidden = _INNER.sub(lambda found: "_" * len(found[0]), shown), shown
    found = _COMPARED.search(shown)
    return (promql[: found.start()], found[0], promql[found.end() :].strip()) if found else (promql, "", "")


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


async def _comparison(outcome: Mapping[str, Any], a: float, now: datetime, tz: tzinfo) -> dict[str, Any]:
    said = outcome["against"]
    other = {"promql": said} if isinstance(said, str) else dict(said)
    times = {key: outcome[key] for key in ("at", "from", "to") if key in outcome}
    query = {"promql": outcome["promql"], **(times if not {"at", "from", "to"} & set(other) else {}), **other}
    b = _only(await _curves(query, span_of(query, now, tz))).values[0]
    return {"a": a, "b": b, "change": (a - b) / b if b else None}
