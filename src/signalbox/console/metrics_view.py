"""What the metrics page shows of an Answer: plain values, one for each part of the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signalbox.agents.metrics import MetricsQueryResult
from signalbox.agents.metrics.units import format_value

__all__ = ["View", "to_csv", "view_answer"]

_MOST_ROWS = 500
# A sum over moments says nothing to a person: it grows with the number of points.
_NAMES = ("min", "max", "mean", "median")


@dataclass(frozen=True)
class View:
    """The parts of the page. `error` and `chart` are None where there is nothing to show."""

    message: str
    error: str | None = None
    chart: dict[str, Any] | None = None
    figures: list[list[str]] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    csv: str = ""
    query: str = ""


def view_answer(answer: Mapping[str, Any]) -> View:
    """The Answer of the metrics agent, for the page."""
    error = answer["error"]
    if error:
        told = f"**{error['message']}**\n\n{error['suggestion']}".strip()
        return View(message=told, error=told)
    state = answer["state"]
    result = MetricsQueryResult.model_validate(state["result"])
    table = _table(result)
    return View(
        message=answer["answer"],
        chart=state.get("chart"),
        figures=_figures(result),
        header=table[0],
        rows=table[1 : _MOST_ROWS + 1],
        csv=_as_csv(table),
        query=_query(result),
    )


def to_csv(result: MetricsQueryResult) -> str:
    """The data of the result: a row a point and series, or a row a place in a ranking."""
    return _as_csv(_table(result))


def _table(result: MetricsQueryResult) -> list[list[str]]:
    if result.ranking:
        labels = sorted({name for place in result.ranking for name in place.labels})
        ranked = [[place.labels.get(name, "") for name in labels] + [repr(place.value)] for place in result.ranking]
        return [[*labels, "value"], *ranked]
    series = [(one.labels, one.datapoints) for one in result.series] or [({}, result.datapoints)]
    labels = sorted({name for names, _ in series for name in names})
    points = [
        [point.timestamp.isoformat(), *(names.get(name, "") for name in labels), repr(point.value)]
        for names, datapoints in series
        for point in datapoints
    ]
    return [["time", *labels, "value"], *points]


def _as_csv(table: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()


def _figures(result: MetricsQueryResult) -> list[list[str]]:
    """The figures that the answer rests on, as people read them."""
    unit = result.unit
    rows = [["Metric", result.metric_name], ["Unit", unit or "none"]]
    if result.value is not None:
        rows.append(["Value", format_value(result.value, unit)])
    if result.at is not None:
        rows.append(["At", result.at.isoformat(timespec="minutes")])
    if result.comparison is not None:
        compared = result.comparison
        rows += [["First", format_value(compared.a, unit)], ["Second", format_value(compared.b, unit)]]
        rows.append(["Change", "undefined" if compared.change is None else f"{compared.change:+.1%}"])
    if result.statistics is not None:
        rows += [[name.capitalize(), format_value(getattr(result.statistics, name), unit)] for name in _NAMES]
        rows.append(["Points", f"{result.statistics.count:,}"])
    if result.dropped:
        rows.append(["Left out (NaN or infinite)", f"{result.dropped:,}"])
    return rows


def _query(result: MetricsQueryResult) -> str:
    start, end = result.time_range.start_time, result.time_range.end_time
    return f"{result.promql}\n\n# from {start.isoformat()}\n# to   {end.isoformat()}"
