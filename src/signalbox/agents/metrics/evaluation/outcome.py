"""An answer of the metrics agent, shortened to the figures that are judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

__all__ = ["outcome_of"]


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent did, as plain data: an error's type, what it asked back, or the figures of its result."""
    state = answer.get("state") or {}
    error = state.get("error") or answer.get("error")
    if error:
        return {"error": error.get("error_type"), "message": error.get("message")}
    if not state.get("result"):
        return {"asked": answer.get("question"), "status": answer.get("status")}
    left = answer.get("not_covered")
    return _figures(state["result"]) | ({"not_covered": left} if left else {})


def _figures(result: Mapping[str, Any]) -> dict[str, Any]:
    figures = {
        "kind": result.get("kind"),
        "unit": result.get("unit"),
        "value": result.get("value"),
        "shown_factor": result.get("shown_factor") if result.get("shown_unit") else None,
        "at": result.get("at"),
        "ranking": result.get("ranking"),
        "comparison": result.get("comparison"),
        "series": _series(result),
        "empty": result.get("is_empty"),
        "range": result.get("time_range"),
        "promql": result.get("promql"),
    }
    return {name: value for name, value in figures.items() if value not in (None, [], "")}


def _series(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each series by its labels and its mean; a result without `series` has the one of its points."""
    series = list(result.get("series") or [])
    if not series and result.get("datapoints"):
        series = [{"labels": {}, "datapoints": result["datapoints"]}]
    return [
        {"labels": dict(one.get("labels") or {}), "mean": fmean(float(p["value"]) for p in one["datapoints"])}
        for one in series
        if one.get("datapoints")
    ]
