"""What a query does, in words made from its syntax tree: the measure, its filters, its grouping and its unit.

Nothing else puts words on figures, so an answer never speaks of a filter, grouping or unit that is not in the query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.recognize import Filter, recognize
from signalbox.agents.metrics.tree import (
    function_of,
    kind_of,
    matchers_of,
    metric_names,
    name_of,
    number_of,
    operator_of,
    syntax_of,
    unit_of,
    unwrapped,
)
from signalbox.drawing.values import format_value
from signalbox.language.words import split_name

__all__ = ["Told", "capitalized", "shortened", "tell"]

_OVER_TIME = {
    "avg": "average", "max": "highest", "min": "lowest", "sum": "sum of", "count": "number of samples of",
    "stddev": "standard deviation of", "stdvar": "variance of", "present": "presence of", "mad": "spread of",
}  # fmt: skip
_AGGREGATES = {
    "avg": "average", "max": "highest", "min": "lowest", "count": "number of", "stddev": "spread of",
    "stdvar": "variance of",
}  # fmt: skip
_CALLS = {
    "rate": "rate of", "irate": "rate of", "delta": "change of", "idelta": "change of", "deriv": "slope of",
    "changes": "changes of", "resets": "resets of", "absent": "absence of", "absent_over_time": "absence of",
    "timestamp": "time of the last sample of", "predict_linear": "predicted",
}  # fmt: skip
_BY = {"*": "times", "/": "divided by", "+": "plus"}
_SIDES = {">": "above", "<": "below", ">=": "at least", "<=": "at most", "==": "equal to", "!=": "other than"}
_SAME = ("sum", "group", "topk", "bottomk", "limitk")
_TEXT = re.compile(r"(?:[\w\s:/@,;=%-]|\\[^\w\s])*")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Told:
    """A query, or a part of one, in words."""

    what: str
    by: tuple[str, ...] = ()
    where: tuple[Filter, ...] = ()
    unit: str = ""
    is_total: bool = False

    @property
    def filters(self) -> str:
        """The filters in words: service payment, status not 200."""
        return ", ".join(shortened(_condition(one)) for one in dict.fromkeys(self.where))

    @property
    def title(self) -> str:
        """What the figures are of, without the time."""
        by = f" by {', '.join(self.by)}" if self.by else ""
        where = f" for {self.filters}" if self.where else ""
        return capitalized(f"{self.what}{by}{where}")

    def unsplit(self) -> Told:
        """The same without its grouping, for a sentence that names the groups."""
        return replace(self, by=())

    def subject(self, when: str) -> str:
        """What the figures are of, and when."""
        return f"{self.title}, {when}" if when else self.title


def tell(promql: str, live: Live) -> Told:
    """Return what a query does, in words. Raises InvalidQueryError for what is no PromQL."""
    tree = syntax_of(promql)
    told = _say(tree, live)

    def known(node: Any) -> str | None:
        found = recognize(node, live)
        return found.unit if found is not None and found.unit else None

    return replace(told, unit=unit_of(tree, live.names, known))


def capitalized(text: str) -> str:
    """Return the text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


def shortened(text: str) -> str:
    """Return the text on one line and not without end."""
    said = " ".join(text.split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def _say(node: Any, live: Live) -> Told:
    node = unwrapped(node)
    if found := recognize(node, live):
        what = f"{found.title} in total" if found.is_total else found.title
        if found.quantile is not None and not re.match(r"(?i)p\d|median", what):
            what = f"{_percentile(found.quantile)} {what}"
        what = _with(_AGGREGATES.get(found.operator, ""), what)
        return Told(what, found.by, found.filters, is_total=found.is_total)
    kind = kind_of(node)
    if kind == "VectorSelector":
        return _selector(node, live)
    if kind == "MatrixSelector":
        return _selector(node.vector_selector, live)
    if kind in ("SubqueryExpr", "UnaryExpr", "StepInvariantExpr"):
        told = _say(node.expr, live)
        return replace(told, what=f"minus {told.what}") if kind == "UnaryExpr" else told
    if kind == "NumberLiteral":
        return Told(f"{node.val:g}")
    if kind == "AggregateExpr":
        return _aggregate(node, live)
    if kind == "Call":
        return _call(node, live)
    return _binary(node, live) if kind == "BinaryExpr" else Told("query")


def _selector(selector: Any, live: Live) -> Told:
    where = tuple((one.name, str(one.op), one.value) for one in matchers_of(selector) if one.name != "__name__")
    quantile = next((one[2] for one in where if one[0] == "quantile" and one[1].endswith(".Equal")), "")
    what = _title(name_of(selector), live)
    if quantile:
        what, where = f"{_percentile(float(quantile))} {what}", tuple(one for one in where if one[0] != "quantile")
    offset = getattr(selector, "offset", None)
    return Told(f"{what} ({_length(offset)} earlier)" if offset else what, (), where)


def _title(name: str, live: Live) -> str:
    """What people call a metric: the telling words of its name."""
    info = live.names.get(name)
    family = live.families.get(info.family if info else name) or live.families.get(name)
    if family is None:
        return name or "series"
    unit = base_unit(MetricInfo(family.name, family=family.name)).partition("/")[0]
    own = family.words or split_name(name)
    # The figures have the unit.
    words = " ".join(own[: own.index(unit)] if unit in own[1:] else own)
    return f"count of {words}" if name.endswith("_count") and name != family.name else words


def _aggregate(node: Any, live: Live) -> Told:
    inner, operator = _say(node.expr, live), operator_of(node)
    by = _grouping(node.modifier)
    if operator in ("topk", "bottomk", "limitk") and node.modifier is None:
        return inner
    if operator == "quantile":
        return replace(inner, what=f"{_percentile(number_of(node.param) or 0)} across {inner.what}", by=by)
    if operator == "count" and (compared := _condition_of(node.expr, live)):
        return replace(compared, what=f"number with {compared.what}", by=by)
    if operator == "sum" and (compared := _condition_of(node.expr, live, is_bool=True)):
        return replace(compared, what=f"number with {compared.what}", by=by)
    word = "" if operator in _SAME else _AGGREGATES.get(operator, f"{operator} of")
    return replace(inner, what=_with(word, inner.what), by=by)


def _grouping(modifier: Any) -> tuple[str, ...]:
    if modifier is None:
        return ()
    if str(modifier.type).endswith("By"):
        return tuple(label for label in modifier.labels if label != "le")
    return (f"everything but {', '.join(modifier.labels)}",) if modifier.labels else ()


def _condition_of(node: Any, live: Live, *, is_bool: bool = False) -> Told | None:
    """A comparison with a number, in words, if the node is one."""
    node = unwrapped(node)
    if kind_of(node) != "BinaryExpr" or str(node.op) not in _SIDES:
        return None
    has_bool = node.modifier is not None and node.modifier.return_bool
    return _compared(node, live) if has_bool == is_bool else None


def _call(node: Any, live: Live) -> Told:
    name = function_of(node)
    vectors = [one for one in node.args if number_of(one) is None and kind_of(one) != "StringLiteral"]
    if not vectors:
        return Told("now" if name == "time" else name)
    inner = _say(vectors[-1] if name == "histogram_quantile" else vectors[0], live)
    if name == "histogram_quantile":
        return replace(_without_rate(inner), what=_with(_percentile(number_of(node.args[0]) or 0), _plain(inner.what)))
    if name == "quantile_over_time":
        return replace(inner, what=f"{_percentile(number_of(node.args[0]) or 0)} of {inner.what}")
    if name == "increase":
        return replace(inner, what=f"{inner.what} in total", is_total=True)
    compared = _condition_of(_measured(vectors[0]), live, is_bool=True)
    if name == "avg_over_time" and compared is not None:
        return replace(compared, what=f"share of the time with {compared.what}")
    if name.endswith("_over_time") and name.removesuffix("_over_time") in _OVER_TIME:
        return replace(inner, what=_with(_OVER_TIME[name.removesuffix("_over_time")], inner.what))
    return replace(inner, what=_with(_CALLS[name], inner.what)) if name in _CALLS else inner


def _measured(node: Any) -> Any:
    """What a range or subquery looks at."""
    node = unwrapped(node)
    return node.expr if kind_of(node) == "SubqueryExpr" else node


def _binary(node: Any, live: Live) -> Told:
    sign = str(node.op)
    if sign in _SIDES:
        told = _compared(node, live)
        has_bool = node.modifier is not None and node.modifier.return_bool
        return replace(told, what=f"share of {told.what}") if has_bool else told
    left, right = unwrapped(node.lhs), unwrapped(node.rhs)
    if sign == "or" and (_is_filling(right) or set(metric_names(right)) <= set(metric_names(left))):
        return _say(left, live)
    if sign == "/" and (mean := _mean(left, right, live)):
        return mean
    if sign == "*" and operator_of(right) == "group" and _is_info(right):
        # What an info metric says of a thing is one more label of it.
        told, of = _say(left, live), _say(right, live)
        return replace(told, where=(*told.where, *(one for one in of.where if one not in told.where)))
    first, second = _say(left, live), _say(right, live)
    if part := _part_of_histogram(sign, first, second):
        return part
    number = number_of(right) if number_of(left) is None else number_of(left)
    if sign in ("*", "/", "+") and number is not None:
        inner = first if number_of(left) is None else second
        # A factor that only changes the unit is told by the unit.
        is_unit = sign != "+" and bool(unit_of(node, live.names))
        return inner if is_unit or not inner.what else replace(inner, what=f"{inner.what} {_BY[sign]} {number:,.10g}")
    if sign == "-" and "now" in (first.what, second.what):
        other, word = (second, "since") if first.what == "now" else (first, "until")
        return replace(other, what=f"time {word} {other.what.removesuffix(' timestamp')}")
    if sign == "/" and first.what == second.what and set(second.where) < set(first.where):
        extra = ", ".join(_condition(one) for one in first.where if one not in second.where)
        return Told(f"share of {extra} in {first.what}", first.by, second.where)
    return _joined(first, second, _word(sign, node, live))


def _part_of_histogram(sign: str, first: Told, second: Told) -> Told | None:
    """What lies below or above a bucket of a histogram, as a share or as a number."""
    edge, whole = ([one[2] for one in told.where if one[0] == "le"] for told in (first, second))
    rest = tuple(one for one in second.where if one[0] != "le")
    if sign == "/" and edge and whole == ["+Inf"] and _plain(first.what) == _plain(second.what):
        return replace(first, what=f"share of {_plain(first.what)} up to {edge[0]}", where=rest, is_total=False)
    if sign == "-" and first.what == "1" and second.what.startswith("share of "):
        return replace(second, what=" above ".join(second.what.rsplit(" up to ", 1)))
    if sign == "*" and first.what.startswith("share of ") and whole == ["+Inf"]:
        return replace(first, what=f"number of {first.what.removeprefix('share of ')}", is_total=second.is_total)
    return None


def _is_info(node: Any) -> bool:
    return all(name.endswith("_info") for name in metric_names(node))


def _word(sign: str, node: Any, live: Live) -> str:
    if sign == "/":
        units = [unit_of(one, live.names) for one in (node.lhs, node.rhs)]
        is_part = units[0] == units[1] and (units[0] != "" or _are_levels_of_one(node, live))
        return "as a share of" if is_part else "per"
    return {"-": "less", "+": "plus", "*": "times", "or": "or", "and": "where there is", "unless": "without"}.get(
        sign, sign
    )


def _are_levels_of_one(node: Any, live: Live) -> bool:
    """True for two gauges that share words of their names: labels in a queue, and how many fit into it."""
    names = [metric_names(one) for one in (node.lhs, node.rhs)]
    if not all(len(one) == 1 and one[0] in live.names and live.names[one[0]].type == "gauge" for one in names):
        return False
    return bool({*split_name(names[0][0])} & {*split_name(names[1][0])})


def _joined(first: Told, second: Told, word: str) -> Told:
    """Two parts as one: filters of both are told once, those of one side beside it."""
    common = tuple(one for one in first.where if one in second.where)
    sides = [first.what, second.what]
    for at, side in enumerate((first, second)):
        own = [_condition(one) for one in side.where if one not in common]
        sides[at] = f"{side.what} ({', '.join(own)})" if own else side.what
    if re.fullmatch(r"[\d.e+-]+", first.what):
        return Told(f"{first.what} {word} {sides[1]}", second.by, second.where)
    if re.fullmatch(r"[\d.e+-]+", second.what):
        return Told(f"{sides[0]} {word} {second.what}", first.by, first.where)
    return Told(f"{sides[0]} {word} {sides[1]}", tuple(dict.fromkeys((*first.by, *second.by))), common)


def _mean(left: Any, right: Any, live: Live) -> Told | None:
    """The mean of a histogram or summary: the rate of its sum by the rate of its count."""
    above, below = metric_names(left), metric_names(right)
    if len(above) != 1 or len(below) != 1 or not above[0].endswith("_sum"):
        return None
    if below[0] != f"{above[0].removesuffix('_sum')}_count":
        return None
    told = _say(left, live)
    return replace(told, what=_with("average", _plain(told.what)), is_total=False)


def _compared(node: Any, live: Live) -> Told:
    side, left, right = _SIDES[str(node.op)], _say(node.lhs, live), number_of(node.rhs)
    if right is None:
        return _joined(left, _say(node.rhs, live), side)
    if abs(right) == float("inf"):
        return left
    return replace(left, what=f"{left.what} {side} {format_value(right, unit_of(node.lhs, live.names))}")


def _is_filling(node: Any) -> bool:
    """True for what stands behind `or` only to put 0 where there is nothing: `vector(0)`, `x * 0`."""
    if function_of(node) == "vector":
        return True
    return kind_of(node) == "BinaryExpr" and str(node.op) == "*" and number_of(node.rhs) == 0


def _with(word: str, what: str) -> str:
    return what if not word or what.lower().startswith(f"{word} ") else f"{word} {what}"


def _plain(what: str) -> str:
    for word in ("rate of ", "count of "):
        what = what.removeprefix(word)
    return what.removesuffix(" in total")


def _without_rate(told: Told) -> Told:
    return replace(told, what=_plain(told.what), is_total=False)


def _condition(one: Filter) -> str:
    label, operator, value = one
    values = value.split("|")
    if "Re" in operator and all(map(_TEXT.fullmatch, values)):
        value = " or ".join(each.replace("\\", "") for each in values)
        return f"{label} {'not ' if 'Not' in operator else ''}{value}"
    like = "like " if "Re" in operator else ""
    return f"{label} {'not ' if 'Not' in operator else ''}{like}{value or 'empty'}"


def _percentile(quantile: float) -> str:
    return "median" if quantile == 0.5 else f"p{quantile * 100:g}"


def _length(offset: timedelta) -> str:
    return format_value(offset.total_seconds(), "seconds")
