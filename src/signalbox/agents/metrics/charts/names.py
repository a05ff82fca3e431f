"""What the series of one answer are called beside each other: by the labels in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signalbox.agents.metrics.charts.moments import short_span
from signalbox.agents.metrics.state import MetricSeries, MetricsQueryResult

__all__ = ["compared_names", "curves_of", "series_names"]

_LONGEST = 60


def series_names(labels: Sequence[Mapping[str, str]], otherwise: str = "") -> list[str]:
    """A name for each: the values of the labels that tell them apart; `otherwise` where none do."""
    keys = list(dict.fromkeys(key for one in labels for key in one if key != "__name__"))
    telling = [key for key in keys if len({one.get(key, "") for one in labels}) > 1] or (
        keys if len(labels) == 1 else []
    )
    nameless = f"no {' or '.join(telling)}" if telling else otherwise
    return [_name(one, telling) or nameless for one in labels]


def curves_of(result: MetricsQueryResult) -> list[MetricSeries]:
    """The curves of an answer that have points."""
    curves = [one for one in result.series if one.datapoints]
    return curves or ([MetricSeries(datapoints=result.datapoints)] if result.datapoints else [])


def compared_names(result: MetricsQueryResult) -> list[str]:
    """What the two figures of a comparison are of: their labels, or their times where those are the same."""
    pair = curves_of(result)
    if len(pair) != 2:
        return ["first", "second"]
    names = series_names([one.labels for one in pair])
    if all(names) and names[0] != names[1]:
        return names
    spans = [short_span(one.datapoints[0].timestamp, one.datapoints[-1].timestamp) for one in pair]
    return spans if spans[0] != spans[1] else ["first", "second"]


def _name(labels: Mapping[str, str], telling: Sequence[str]) -> str:
    shown = [(key, labels[key]) for key in telling if labels.get(key)]
    text = ", ".join(value if len(telling) == 1 or not value.isdigit() else f"{key} {value}" for key, value in shown)
    # Labels are a server's data: no control characters may reach a terminal.
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
