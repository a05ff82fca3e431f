"""An answer of the metrics agent, shortened to the figures that are judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

__all__ = ["outcome_of"]

_KEPT = ("kind", "unit", "value", "at", "ranking", "comparison", "threshold", "beyond", "findings", "promql")
_SOURCES = "\n\nRange: "


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent did, as plain data: an error's type, what it asked back, or the figures of its result."""
    state = answer.get("state") or {}
    error = state.get("error") or answer.get("error")
    if error:
        return {"error": error.get("error_type"), "message": error.get("message")}
    result = state.get("result")
    if not result:
        return {"asked": answer.get("question"), "status": answer.get("status")}
    found = {name: result.get(name) for name in _KEPT} | {
        "shown_factor": result.get("shown_factor") if result.get("shown_unit") else None,
        "series": _series(result),
        "empty": result.get("is_empty"),
        "range": result.get("time_range"),
        "text": _text(answer, result),
        "not_covered": answer.get("not_covered"),
    }
    return {name: value for name, value in found.items() if value not in (None, [], "")}


def _text(answer: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """What a person reads, without the query: what that asks for is not yet said."""
    said = str(answer.get("answer") or result.get("summary") or "").partition(_SOURCES)[0].replace("\\", "")
    listed = [one["text"] for one in result.get("findings") or ()] + list(result.get("looked_at") or ())
    return "\n".join([said, *(str(one) for one in listed if one not in said)])


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
