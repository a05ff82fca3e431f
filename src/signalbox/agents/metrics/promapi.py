"""Answers in the format of Prometheus, read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from signalbox.agents.metrics.faults import unreadable

__all__ = [
    "QUERY_ROW",
    "SERIES_ROW",
    "Curve",
    "QueryAnswer",
    "read_answer",
    "read_label_sets",
    "read_metadata",
    "read_names",
    "selector_of",
]

# No text inside JSON can hold these: its quotation marks are escaped.
QUERY_ROW = re.compile(rb'"metric"\s?:\s?\{')
"""What starts a series in the answer to a query."""
SERIES_ROW = re.compile(rb'"__name__"\s?:')
"""What each entry in a list of series has once."""

_PLAIN_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


@dataclass(frozen=True, slots=True)
class Curve:
    """One series: finite values, each with its moment in seconds since 1970, in order of time."""

    labels: dict[str, str]
    stamps: list[float]
    values: list[float]


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """What a query gave. `dropped` counts the values that are no finite number."""

    kind: str
    curves: list[Curve]
    dropped: int = 0
    warnings: list[str] = field(default_factory=list)


def selector_of(metric: str) -> str:
    """A selector of the metric by name, also of a name that PromQL does not take bare."""
    if _PLAIN_NAME.fullmatch(metric):
        return metric
    escaped = metric.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{{__name__="{escaped}"}}'


def read_answer(body: Any, url: str) -> QueryAnswer:
    """The answer to a query or a range query; one without a curve that has values is empty."""
    try:
        data = _data(body)
        kind, result = str(data["resultType"]), data["result"]
        rows = _rows(kind, result)
        curves = [_curve(labels, pairs) for labels, pairs in rows]
    except (LookupError, TypeError, ValueError, AttributeError):
        raise unreadable(url, "data in another form than Prometheus gives") from None
    read = sum(len(pairs) for _, pairs in rows)
    kept = sum(len(curve.values) for curve in curves)
    return QueryAnswer(kind, [curve for curve in curves if curve.values], read - kept, _warnings(body))


def read_names(body: Any, url: str) -> list[str]:
    """A list of label names or values; null means none."""
    try:
        return [_text(name) for name in _data(body) or []]
    except (LookupError, TypeError):
        raise unreadable(url, "data in another form than Prometheus gives") from None


def read_label_sets(body: Any, url: str) -> list[dict[str, str]]:
    """A list of series by their labels; null means none."""
    try:
        return [_labels(one) for one in _data(body) or []]
    except (LookupError, TypeError, AttributeError):
        raise unreadable(url, "data in another form than Prometheus gives") from None


def read_metadata(body: Any) -> dict[str, tuple[str, str]]:
    """Type and help of each family of metrics; what cannot be read is left out, since nothing depends on it."""
    data = body.get("data") if isinstance(body, dict) else None
    entries = data.items() if isinstance(data, dict) else ()
    return {
        str(name): (str(said[0].get("type") or "unknown"), str(said[0].get("help") or ""))
        for name, said in entries
        if isinstance(said, list) and said and isinstance(said[0], dict)
    }


def _data(body: Any) -> Any:
    if body["status"] != "success":
        raise ValueError(body["status"])
    return body.get("data")


def _rows(kind: str, result: Any) -> list[tuple[dict[str, str], Sequence[Any]]]:
    """Labels and pairs of each series; native histograms have no pairs."""
    if kind == "matrix":
        return [(_labels(row["metric"]), row.get("values") or ()) for row in result]
    if kind == "vector":
        return [(_labels(row["metric"]), [row["value"]] if "value" in row else ()) for row in result]
    if kind == "scalar":
        return [({}, [result])]
    raise ValueError(kind)


def _curve(labels: dict[str, str], pairs: Sequence[Any]) -> Curve:
    if not pairs:
        return Curve(labels, [], [])
    # By columns: an answer may have a million points.
    moments, texts = zip(*pairs, strict=True)
    stamps, values = list(map(float, moments)), list(map(float, texts))
    if all(map(math.isfinite, values)):
        return Curve(labels, stamps, values)
    finite = [(stamp, value) for stamp, value in zip(stamps, values, strict=True) if math.isfinite(value)]
    return Curve(labels, [stamp for stamp, _ in finite], [value for _, value in finite])


def _labels(said: Any) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in said.items()}


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise TypeError(type(said))
    return said


def _warnings(body: dict[str, Any]) -> list[str]:
    said = body.get("warnings")
    warnings = [str(one) for one in said] if isinstance(said, list) else []
    # VictoriaMetrics says so where some of its storage did not answer.
    return [*warnings, "The answer is partial."] if body.get("isPartial") is True else warnings
