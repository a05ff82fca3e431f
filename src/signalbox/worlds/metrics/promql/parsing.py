"""PromQL text to a tree, and the small parts of the tree to plain data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Literal

import promql_parser as promql

from signalbox.worlds.metrics.labels import NAME, Matcher
from signalbox.worlds.metrics.promql.failures import badly_asked, unsupported

__all__ = ["at_of", "matchers_of", "offset_of", "parse_query", "parse_selector", "range_of", "step_of", "unwrapped"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`')
_MATCHERS = re.compile(r"\{[^{}]*\}")
_NESTING = re.compile(r"[-+*/%^(<>=!]|\b(?:and|or|unless|atan2)\b", re.IGNORECASE)
_MOST_NESTING = 150
_OPS: dict[str, Literal["=", "!=", "=~", "!~"]] = {"Equal": "=", "NotEqual": "!=", "Re": "=~", "NotRe": "!~"}


def parse_query(text: str) -> promql.Expr:
    """The tree of a query; raises PromQLError `bad_data` where it does not parse."""
    return _parsed(text, "query")


def parse_selector(text: str) -> list[Matcher]:
    """The matchers of a series selector (`match[]`)."""
    expr = _parsed(text, "match[]")
    if not isinstance(expr, promql.VectorSelector):
        raise badly_asked('invalid parameter "match[]": expected a series selector')
    return matchers_of(expr)


def _parsed(text: str, parameter: str) -> promql.Expr:
    # The parser recurses on the machine's stack: what nests without end would end the process.
    if len(_NESTING.findall(_MATCHERS.sub("", _STRING.sub("", text)))) > _MOST_NESTING:
        raise badly_asked(f'invalid parameter "{parameter}": parse error: more than {_MOST_NESTING} operators')
    try:
        return promql.parse(text)
    except ValueError as error:
        raise badly_asked(f'invalid parameter "{parameter}": parse error: {error}') from None


def matchers_of(selector: promql.VectorSelector) -> list[Matcher]:
    """The conditions of a selector, its metric name among them."""
    if selector.matchers.or_matchers:
        raise unsupported('"or" between matchers')
    matchers = [
        Matcher(one.name, _OPS[str(one.op).rsplit(".", 1)[-1]], one.value) for one in selector.matchers.matchers
    ]
    return [Matcher(NAME, "=", selector.name), *matchers] if selector.name else matchers


def unwrapped(expr: promql.Expr) -> promql.Expr:
    """The expression inside any parentheses."""
    while isinstance(expr, promql.ParenExpr):
        expr = expr.expr
    return expr


def offset_of(expr: promql.VectorSelector | promql.SubqueryExpr) -> int:
    """The offset in milliseconds, positive into the past."""
    with _in_bounds():
        return 0 if expr.offset is None else _milliseconds(expr.offset)


def range_of(expr: promql.MatrixSelector | promql.SubqueryExpr) -> int:
    """The width of a range in milliseconds."""
    with _in_bounds():
        if expr.range is None:
            raise badly_asked("a subquery needs a range")
        return _milliseconds(expr.range)


def step_of(expr: promql.SubqueryExpr, otherwise: int) -> int:
    """The resolution of a subquery in milliseconds."""
    with _in_bounds():
        return otherwise if expr.step is None else _milliseconds(expr.step)


def at_of(expr: promql.VectorSelector | promql.SubqueryExpr, start: int, end: int) -> int | None:
    """The moment of the `@` modifier in milliseconds, if there is one, in a query from start to end."""
    with _in_bounds():
        if expr.at is None:
            return None
        if expr.at.at is not None:
            return _milliseconds(expr.at.at - _EPOCH)
        return start if str(expr.at.type).endswith("Start") else end


def _milliseconds(span: timedelta) -> int:
    return round(span / timedelta(milliseconds=1))


@contextmanager
def _in_bounds() -> Iterator[None]:
    """The parser hands out Python's datetimes, which end where PromQL's numbers do not."""
    try:
        yield
    except (OverflowError, ValueError):
        raise badly_asked("a moment or duration in the query is out of bounds") from None
