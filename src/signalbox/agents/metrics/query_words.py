"""What a query that somebody wrote gave, in words: its figures by series, and what they are of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from signalbox.agents.metrics.state import DataPoint, MetricsQueryResult
from signalbox.agents.metrics.tell import Told
from signalbox.agents.metrics.units import format_range
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value

__all__ = ["course", "query_words"]

_PLACES = 5


def query_words(result: MetricsQueryResult, told: Told, moment: datetime | None) -> str:
    """Return the figures of the first series in a sentence. `moment` is when the query was run, if at one moment."""
    when = format_moment(moment) if moment else format_range(result.time_range)
    subject = told.subject(f"at {when}" if moment else when)
    if result.is_empty:
        return f"There is no data for {subject[:1].lower()}{subject[1:]}."
    names = series_names([one.labels for one in result.series[:_PLACES]], "")
    lines = []
    for name, one in zip(names, result.series, strict=False):
        figures = format_value(one.datapoints[-1].value, result.unit) if moment else course(one.datapoints, result.unit)
        lines.append(f"{name} {figures}".strip())
    more = f", and {len(result.series) - _PLACES} more" if len(result.series) > _PLACES else ""
    dropped = f" {result.dropped} values that are no finite numbers are left out." if result.dropped else ""
    return f"{subject}: {'; '.join(lines)}{more}.{dropped}"


def course(points: Sequence[DataPoint], unit: str) -> str:
    """Return mean, lowest, highest and last of a curve, with their moments."""
    if len(points) == 1:
        return f"{format_value(points[0].value, unit)} at {format_moment(points[0].timestamp)}"
    low, high = min(points, key=lambda one: one.value), max(points, key=lambda one: one.value)
    mean = sum(one.value / len(points) for one in points)
    at = [f"{format_value(one.value, unit)} at {format_moment(one.timestamp)}" for one in (low, high, points[-1])]
    return f"mean {format_value(mean, unit)}, min {at[0]}, max {at[1]}, last {at[2]}"
