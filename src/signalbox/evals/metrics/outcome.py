"""An answer of the metrics agent, shortened to the figures that are judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from signalbox.evals.score import Outcome

__all__ = ["outcome_of"]


def outcome_of(answer: Mapping[str, Any]) -> Outcome:
    """What the agent did, as plain data: an error's type, what it asked back, or the figures of its result."""
    state = _plain(answer.get("state")) or {}
    error = _plain(state.get("error")) or _plain(answer.get("error"))
    if error:
        return {"error": error.get("error_type"), "message": error.get("message")}
    result = _plain(state.get("result"))
    if not result:
        return {"asked": _plain(answer.get("question")), "status": answer.get("status")}
    return _figures(result)


def _plain(value: Any) -> Any:
    """Pydantic models as JSON carries them; anything else as it is."""
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def _figures(result: Mapping[str, Any]) -> Outcome:
    figures = {
        "kind": result.get("kind"),
        "unit": result.get("unit"),
        "value": result.get("value"),
        "at": result.get("at"),
        "ranking": [_plain(place) for place in result.get("ranking") or []],
        "comparison": _plain(result.get("comparison")),
        "series": _series(result),
        "empty": result.get("is_empty"),
        "range": _plain(result.get("time_range")),
        "promql": result.get("promql"),
    }
    return {name: value for name, value in figures.items() if value not in (None, [], "")}


def _series(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each series by its labels and its mean; a result without `series` has the one of its points."""
    series = [_plain(one) for one in result.get("series") or []]
    if not series and result.get("datapoints"):
        series = [{"labels": {}, "datapoints": result["datapoints"]}]
    return [
        {"labels": dict(one.get("labels") or {}), "mean": fmean(float(_plain(p)["value"]) for p in one["datapoints"])}
        for one in series
        if one.get("datapoints")
    ]
