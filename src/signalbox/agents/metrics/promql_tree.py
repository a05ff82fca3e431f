"""What a query says, read from its syntax tree: its metrics, labels, the time it reaches back, and its unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.state import Aggregation, MetricsQuery, TimeRange
from signalbox.agents.metrics.units import count_unit
from signalbox.agents.metrics.windows import LOOKED_BACK

__all__ = [
    "grouping_labels",
    "is_sorted",
    "metric_names",
    "named_values",
    "query_of",
    "reach_of",
    "required_labels",
    "unit_of",
]

_TEXT = re.compile(r"(?:[\w\s:/@,;=%-]|\\[^\w\s])*")
"""A pattern that matches one text only."""
_PARTS = ("expr", "lhs", "rhs", "args", "vector_selector", "param")
_AGGREGATIONS: dict[str, Aggregation] = {"avg": "avg", "max": "max", "min": "min", "sum": "sum"}
_MAKES_LABELS = frozenset({"label_replace", "label_join", "info"})
_COUNTS = frozenset(
    "absent absent_over_time changes count count_over_time count_values group present_over_time resets".split()
)
_RATES = frozenset({"rate", "irate", "deriv"})
_CLOCKS = frozenset({"time", "timestamp"})
_MOMENT = "timestamp"
_MOMENTS = ("_timestamp_seconds", "_start_time_seconds", "_boot_time_seconds", "_created")
"""How the names of metrics end that hold moments, in seconds since 1970."""
_SCALED = {
    ("ratio", 100.0): "percent",
    ("percent", 0.01): "ratio",
    ("bytes", 8.0): "bits",
    ("bytes/s", 8.0): "bits/s",
    ("seconds", 1000.0): "milliseconds",
    ("seconds", 1 / 3_600): "hours",
    ("seconds", 1 / 86_400): "days",
}
"""Factors that lead from one unit to another; any other makes the unit unknown."""
_SECOND, _COUNT = "/s", "1"
Scaled = tuple[str, float]
"""A unit, and what its figures are multiplied by."""
_UNKNOWN: Scaled = ("", 1.0)


def walk(tree: Any) -> Iterator[Any]:
    """Every node of a syntax tree, from the outside in and from left to right."""
    yield tree
    for part in _PARTS:
        inner = getattr(tree, part, None)
        for one in inner if isinstance(inner, list | tuple) else [inner]:
            if one is not None and not isinstance(one, str | int | float):
                yield from walk(one)


def metric_names(tree: Any) -> list[str]:
    """The metrics that a query names, each once."""
    return list(dict.fromkeys(name for one in _selectors(tree) if (name := _name(one))))


def required_labels(tree: Any) -> dict[str, list[str]]:
    """For each metric the labels that its series must have for the query to find any."""
    found: dict[str, list[str]] = {}
    for selector in _selectors(tree):
        labels = [one.name for one in _matchers(selector) if one.name != "__name__" and _is_needed(one)]
        if name := _name(selector):
            found.setdefault(name, []).extend(labels)
    return found


def named_values(tree: Any) -> list[tuple[str, str, str]]:
    """Return each value of a label that a query names: the metric, the label and the value.

    A pattern names values if it is nothing but texts to choose from.
    """
    return [
        (_name(selector), one.name, value)
        for selector in _selectors(tree)
        for one in _matchers(selector)
        if one.name != "__name__"
        for value in _values(one)
    ]


def _values(matcher: Any) -> list[str]:
    if str(matcher.op).endswith("Equal"):
        return [matcher.value] if matcher.value else []
    # A pattern for what to leave out often names what may be there, such as tmpfs.
    parts = matcher.value.split("|")
    if str(matcher.op).endswith("NotRe") or not all(map(_TEXT.fullmatch, parts)):
        return []
    return [part.replace("\\", "") for part in parts if part]


def grouping_labels(tree: Any) -> list[str]:
    """The labels that the series are grouped by; none where the query makes labels of its own."""
    nodes = list(walk(tree))
    if any(_function(one) in _MAKES_LABELS or _operator(one) == "count_values" for one in nodes):
        return []
    modifiers = [one.modifier for one in nodes if type(one).__name__ == "AggregateExpr" and one.modifier is not None]
    return list(dict.fromkeys(label for one in modifiers if str(one.type).endswith("By") for label in one.labels))


def is_sorted(tree: Any) -> bool:
    """True if the query itself puts its figures in order."""
    return _operator(tree) in ("topk", "bottomk") or _function(tree).startswith("sort")


def reach_of(tree: Any) -> timedelta:
    """How far a query looks back from the moment it is asked for."""
    return max(map(_reach, walk(tree))) or timedelta(seconds=LOOKED_BACK)


def query_of(tree: Any, span: TimeRange) -> MetricsQuery:
    """The query in the contract's shape: its first metric with the values its labels must have, and the outermost
    aggregation."""
    first = next((one for one in _selectors(tree) if _name(one)), None)
    wanted = [one for one in _matchers(first) if one.name != "__name__" and _is_needed(one)] if first else []
    applied = (_AGGREGATIONS.get((_operator(one) or _function(one)).removesuffix("_over_time")) for one in walk(tree))
    return MetricsQuery(
        metric_name=_name(first) or "query",
        time_range=span,
        aggregation=next((one for one in applied if one), None),
        filters={one.name: one.value for one in wanted} or None,
    )


def unit_of(tree: Any, described: Mapping[str, MetricInfo]) -> str:
    """The unit of what a query gives, as far as the names of its metrics say; empty where it is not known."""
    unit, factor = _unit(tree, described)
    # Seconds per second are a share of the time.
    unit = "ratio" if unit == f"seconds{_SECOND}" else unit
    if factor != 1:
        unit = _SCALED.get((unit, factor), "")
    return "" if unit == _COUNT else unit


def _unit(tree: Any, described: Mapping[str, MetricInfo]) -> Scaled:
    kind = type(tree).__name__
    if kind == "NumberLiteral":
        return _COUNT, 1.0
    if kind == "VectorSelector":
        return _own_unit(described.get(_name(tree)) or MetricInfo(_name(tree), family=_name(tree))), 1.0
    if kind == "MatrixSelector":
        return _unit(tree.vector_selector, described)
    if kind in ("ParenExpr", "UnaryExpr", "SubqueryExpr"):
        return _unit(tree.expr, described)
    if kind == "AggregateExpr":
        return (_COUNT, 1.0) if _operator(tree) in _COUNTS else _unit(tree.expr, described)
    if kind == "Call":
        return _unit_of_call(tree, described)
    return _unit_of_binary(tree, described) if kind == "BinaryExpr" else _UNKNOWN


def _own_unit(metric: MetricInfo) -> str:
    if metric.name.endswith(("_bucket", "_count")) and metric.name != metric.family:
        return _COUNT
    if metric.name.endswith(_MOMENTS):
        return _MOMENT
    return base_unit(metric) or (count_unit(metric.name) if metric.name.endswith("_total") else "")


def _unit_of_call(call: Any, described: Mapping[str, MetricInfo]) -> Scaled:
    name, args = call.func.name, list(call.args)
    if name in _CLOCKS:
        return _MOMENT, 1.0
    if name in _COUNTS or not args:
        return (_COUNT, 1.0) if args else _UNKNOWN
    if name == "histogram_quantile":
        # Buckets count; what is read out of them is what was measured.
        family = next(iter(metric_names(args[-1])), "").removesuffix("_bucket")
        return base_unit(MetricInfo(family, family=family)), 1.0
    vectors = [one for one in args if type(one).__name__ not in ("NumberLiteral", "StringLiteral")]
    inner, factor = _unit(vectors[0], described) if vectors else _UNKNOWN
    if name in _RATES:
        return (f"{inner or _COUNT}{_SECOND}", factor) if not inner.endswith(_SECOND) else _UNKNOWN
    return inner, factor


def _unit_of_binary(tree: Any, described: Mapping[str, MetricInfo]) -> Scaled:
    sign = str(tree.op)
    left, right = _unit(tree.lhs, described), _unit(tree.rhs, described)
    number = next((one.val for one in (tree.rhs, tree.lhs) if type(one).__name__ == "NumberLiteral"), None)
    measured = right if type(tree.lhs).__name__ == "NumberLiteral" else left
    if sign in ("and", "or", "unless"):
        return left
    if sign in ("==", "!=", "<", ">", "<=", ">="):
        return (_COUNT, 1.0) if tree.modifier is not None and tree.modifier.return_bool else measured
    if sign in ("+", "-"):
        if sign == "-" and left == right == (_MOMENT, 1.0):
            return "seconds", 1.0
        return measured if number is not None or left == right else _UNKNOWN
    if sign == "*" and number is not None:
        return measured[0], measured[1] * number
    if sign == "/" and measured is left and number:
        return left[0], left[1] / number
    return (_quotient(left[0], right[0]), left[1] / right[1]) if sign == "/" and right[1] else _UNKNOWN


def _quotient(left: str, right: str) -> str:
    if left == right:
        return "ratio" if left else ""
    if left and right == f"{left}{_SECOND}":
        # So much, at so much a second: how long it lasts.
        return "seconds"
    if left.endswith(_SECOND) and right.endswith(_SECOND):
        # Of two rates the seconds cancel out: rate(x_seconds_sum) / rate(x_seconds_count) are seconds.
        above, below = left.removesuffix(_SECOND), right.removesuffix(_SECOND)
        return above if below == _COUNT else ""
    return left if right == _COUNT else ""


def _selectors(tree: Any) -> list[Any]:
    return [one for one in walk(tree) if type(one).__name__ == "VectorSelector"]


def _matchers(selector: Any) -> list[Any]:
    return list(getattr(getattr(selector, "matchers", None), "matchers", None) or ())


def _name(selector: Any) -> str:
    if selector is None:
        return ""
    named = [one.value for one in _matchers(selector) if one.name == "__name__" and str(one.op).endswith(".Equal")]
    return str(selector.name or next(iter(named), ""))


def _is_needed(matcher: Any) -> bool:
    """True for a condition that a series without the label cannot meet."""
    is_positive = str(matcher.op).endswith((".Equal", ".Re"))
    return is_positive and matcher.value not in ("", ".*", "^.*$") and not matcher.value.startswith("|")


def _reach(node: Any) -> timedelta:
    kind = type(node).__name__
    shift = max(getattr(node, "offset", None) or timedelta(), timedelta())
    if kind == "MatrixSelector":
        return node.range + max(node.vector_selector.offset or timedelta(), timedelta())  # type: ignore[no-any-return]
    if kind == "SubqueryExpr":
        return node.range + shift + reach_of(node.expr)  # type: ignore[no-any-return]
    return shift + timedelta(seconds=LOOKED_BACK) if kind == "VectorSelector" else timedelta()


def _function(node: Any) -> str:
    return str(node.func.name) if type(node).__name__ == "Call" else ""


def _operator(node: Any) -> str:
    return str(node.op) if type(node).__name__ == "AggregateExpr" else ""
