"""The syntax tree of a query: its metrics, labels and values, how far it looks back, and the unit of what it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

import promql_parser

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.state import Aggregation, MetricsQuery, TimeRange
from signalbox.agents.metrics.units import count_unit
from signalbox.agents.metrics.windows import LOOKED_BACK

__all__ = [
    "Known",
    "function_of",
    "grouping_labels",
    "is_sorted",
    "kind_of",
    "matchers_of",
    "metric_names",
    "name_of",
    "named_values",
    "number_of",
    "operator_of",
    "query_of",
    "reach_of",
    "required_labels",
    "selectors_of",
    "syntax_of",
    "unit_of",
    "unwrapped",
    "walk",
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
Known = Callable[[Any], str | None]
"""The unit of a part of a tree that is known as a whole, such as a recipe's; None for any other part."""


def syntax_of(query: str) -> Any:
    """Return the syntax tree of a query. Raises InvalidQueryError that says what is wrong with it."""
    try:
        return promql_parser.parse(check_promql(query))
    except InvalidQueryError as error:
        reason = error.details.get("error") if isinstance(error.details, dict) else None
        if not reason:
            raise
        raise InvalidQueryError(f"This is not valid PromQL: {reason}.", suggestion="Correct the query.") from None


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
    return list(dict.fromkeys(name for one in selectors_of(tree) if (name := name_of(one))))


def required_labels(tree: Any) -> dict[str, list[str]]:
    """For each metric the labels that its series must have for the query to find any."""
    found: dict[str, list[str]] = {}
    for selector in selectors_of(tree):
        labels = [one.name for one in matchers_of(selector) if one.name != "__name__" and _is_needed(one)]
        if name := name_of(selector):
            found.setdefault(name, []).extend(labels)
    return found


def named_values(tree: Any) -> list[tuple[str, str, str]]:
    """Return each value of a label that a query names: the metric, the label and the value.

    A pattern names values if it is nothing but texts to choose from.
    """
    return [
        (name_of(selector), one.name, value)
        for selector in selectors_of(tree)
        for one in matchers_of(selector)
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
    if any(function_of(one) in _MAKES_LABELS or operator_of(one) == "count_values" for one in nodes):
        return []
    modifiers = [one.modifier for one in nodes if kind_of(one) == "AggregateExpr" and one.modifier is not None]
    return list(dict.fromkeys(label for one in modifiers if str(one.type).endswith("By") for label in one.labels))


def is_sorted(tree: Any) -> bool:
    """True if the query itself puts its figures in order."""
    return operator_of(tree) in ("topk", "bottomk") or function_of(tree).startswith("sort")


def reach_of(tree: Any) -> timedelta:
    """How far a query looks back from the moment it is asked for."""
    return max(map(_reach, walk(tree))) or timedelta(seconds=LOOKED_BACK)


def query_of(tree: Any, span: TimeRange) -> MetricsQuery:
    """The query in the contract's shape: its first metric with the values its labels must have, and the outermost
    aggregation."""
    first = next((one for one in selectors_of(tree) if name_of(one)), None)
    wanted = [one for one in matchers_of(first) if one.name != "__name__" and _is_needed(one)] if first else []
    applied = (
        _AGGREGATIONS.get((operator_of(one) or function_of(one)).removesuffix("_over_time")) for one in walk(tree)
    )
    return MetricsQuery(
        metric_name=name_of(first) or "query",
        time_range=span,
        aggregation=next((one for one in applied if one), None),
        filters={one.name: one.value for one in wanted} or None,
    )


class _Units(NamedTuple):
    """What is known of units: the metrics by name, and parts of trees that are known as a whole."""

    described: Mapping[str, MetricInfo]
    known: Known


def unit_of(tree: Any, described: Mapping[str, MetricInfo], known: Known = lambda _: None) -> str:
    """Return the unit of what a query gives, as far as the names of its metrics say; empty if that is not known."""
    unit, factor = _unit(tree, _Units(described, known))
    # Seconds per second are a share of the time.
    unit = "ratio" if unit == f"seconds{_SECOND}" else unit
    if factor != 1:
        per = {60.0: "/min", 3_600.0: "/h", 86_400.0: "/day"}.get(factor, "") if unit.endswith(_SECOND) else ""
        unit = f"{unit.removesuffix(_SECOND)}{per}" if per else _SCALED.get((unit, factor), "")
    return "" if unit == _COUNT else unit


def _unit(tree: Any, units: _Units) -> Scaled:
    kind = kind_of(tree)
    known = units.known(tree)
    if known is not None:
        return known or _COUNT, 1.0
    if kind == "NumberLiteral":
        return _COUNT, 1.0
    if kind == "VectorSelector":
        return _own_unit(units.described.get(name_of(tree)) or MetricInfo(name_of(tree), family=name_of(tree))), 1.0
    if kind == "MatrixSelector":
        return _unit(tree.vector_selector, units)
    if kind in ("ParenExpr", "UnaryExpr", "SubqueryExpr"):
        return _unit(tree.expr, units)
    if kind == "AggregateExpr":
        return (_COUNT, 1.0) if operator_of(tree) in _COUNTS else _unit(tree.expr, units)
    if kind == "Call":
        return _unit_of_call(tree, units)
    return _unit_of_binary(tree, units) if kind == "BinaryExpr" else _UNKNOWN


def _own_unit(metric: MetricInfo) -> str:
    if metric.name.endswith(("_bucket", "_count")) and metric.name != metric.family:
        return _COUNT
    if metric.name.endswith(_MOMENTS):
        return _MOMENT
    return base_unit(metric) or (count_unit(metric.name) if metric.name.endswith("_total") else "")


def _unit_of_call(call: Any, units: _Units) -> Scaled:
    name, args = call.func.name, list(call.args)
    if name in _CLOCKS:
        return _MOMENT, 1.0
    if name in _COUNTS or not args:
        return (_COUNT, 1.0) if args else _UNKNOWN
    if name == "histogram_quantile":
        # Buckets count; what is read out of them is what was measured.
        family = next(iter(metric_names(args[-1])), "").removesuffix("_bucket")
        return base_unit(MetricInfo(family, family=family)), 1.0
    vectors = [one for one in args if kind_of(one) not in ("NumberLiteral", "StringLiteral")]
    inner, factor = _unit(vectors[0], units) if vectors else _UNKNOWN
    if name in _RATES:
        return (f"{inner or _COUNT}{_SECOND}", factor) if not inner.endswith(_SECOND) else _UNKNOWN
    return inner, factor


def _unit_of_binary(tree: Any, units: _Units) -> Scaled:
    sign = str(tree.op)
    left, right = _unit(tree.lhs, units), _unit(tree.rhs, units)
    number = next((value for one in (tree.rhs, tree.lhs) if (value := number_of(one)) is not None), None)
    measured = right if number_of(tree.lhs) is not None else left
    if sign in ("and", "or", "unless"):
        return left
    if sign in ("==", "!=", "<", ">", "<=", ">="):
        return (_COUNT, 1.0) if tree.modifier is not None and tree.modifier.return_bool else measured
    if sign in ("+", "-"):
        if sign == "-" and (_MOMENT, 1.0) in (left, right):
            return "seconds", 1.0
        return measured if number is not None or left == right else _UNKNOWN
    if sign == "*" and operator_of(tree.rhs) == "group":
        return left
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


def selectors_of(tree: Any) -> list[Any]:
    """Return the selectors of a tree, from left to right."""
    return [one for one in walk(tree) if kind_of(one) == "VectorSelector"]


def matchers_of(selector: Any) -> list[Any]:
    """Return the conditions on labels of a selector."""
    return list(getattr(getattr(selector, "matchers", None), "matchers", None) or ())


def name_of(selector: Any) -> str:
    """Return the metric that a selector names; empty if it names none."""
    if selector is None:
        return ""
    named = [one.value for one in matchers_of(selector) if one.name == "__name__" and str(one.op).endswith(".Equal")]
    return str(selector.name or next(iter(named), ""))


def _is_needed(matcher: Any) -> bool:
    """True for a condition that a series without the label cannot meet."""
    is_positive = str(matcher.op).endswith((".Equal", ".Re"))
    return is_positive and matcher.value not in ("", ".*", "^.*$") and not matcher.value.startswith("|")


def _reach(node: Any) -> timedelta:
    kind = kind_of(node)
    shift = max(getattr(node, "offset", None) or timedelta(), timedelta())
    if kind == "MatrixSelector":
        return node.range + max(node.vector_selector.offset or timedelta(), timedelta())  # type: ignore[no-any-return]
    if kind == "SubqueryExpr":
        return node.range + shift + reach_of(node.expr)  # type: ignore[no-any-return]
    return shift + timedelta(seconds=LOOKED_BACK) if kind == "VectorSelector" else timedelta()


def kind_of(node: Any) -> str:
    """Return the kind of a node: VectorSelector, Call, BinaryExpr, …"""
    return type(node).__name__


def unwrapped(node: Any) -> Any:
    """Return the node without parentheses around it."""
    while kind_of(node) == "ParenExpr":
        node = node.expr
    return node


def number_of(node: Any) -> float | None:
    """Return the number that a node is; None for anything else."""
    node = unwrapped(node)
    if kind_of(node) == "UnaryExpr":
        inner = number_of(node.expr)
        return -inner if inner is not None else None
    return float(node.val) if kind_of(node) == "NumberLiteral" else None


def function_of(node: Any) -> str:
    """Return the function that a node calls; empty if it calls none."""
    return str(node.func.name) if kind_of(node) == "Call" else ""


def operator_of(node: Any) -> str:
    """Return the operator of an aggregation; empty if the node is none."""
    return str(node.op) if kind_of(node) == "AggregateExpr" else ""
