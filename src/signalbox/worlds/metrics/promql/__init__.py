"""PromQL over the embedded store: what Prometheus 2 gives for instant and range queries.

Anything outside is refused with a PromQLError that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import promql_parser as promql

from signalbox.worlds.metrics.labels import Labels
from signalbox.worlds.metrics.promql.evaluation import Evaluation
from signalbox.worlds.metrics.promql.failures import PromQLError, badly_asked
from signalbox.worlds.metrics.promql.parsing import parse_query, parse_selector, unwrapped
from signalbox.worlds.metrics.promql.values import Vector
from signalbox.worlds.metrics.store import Store
from signalbox.worlds.noise import FloatArray, IntArray

__all__ = ["MOST_POINTS", "Curve", "PromQLError", "Result", "parse_selector", "query_instant", "query_range"]

MOST_POINTS = 11_000


@dataclass(frozen=True)
class Curve:
    """One series of a result: labels, timestamps in milliseconds, values."""

    labels: Labels
    stamps: IntArray
    values: FloatArray


@dataclass(frozen=True)
class Result:
    """What a query gives: curves (of one point for a vector or scalar), or for a string its text and moment."""

    kind: Literal["vector", "matrix", "scalar", "string"]
    curves: list[Curve]
    text: str = ""
    at: int = 0


def query_instant(store: Store, text: str, at: int) -> Result:
    """A query at one moment, in milliseconds."""
    expr = parse_query(text)
    run, times = Evaluation(store, at, at), np.array([at], dtype=np.int64)
    with np.errstate(all="ignore"):
        if isinstance(unwrapped(expr), promql.MatrixSelector | promql.SubqueryExpr):
            return Result("matrix", _sorted(_raw(run, expr, times)))
        value = run.value(expr, times)
    if isinstance(value, str):
        return Result("string", [], value, at)
    if isinstance(value, Vector):
        return Result("vector", _curves(value, times))
    return Result("scalar", [Curve((), times, value)])


def query_range(store: Store, text: str, start: int, end: int, step: int) -> Result:
    """A query from start to end in steps, all in milliseconds."""
    _check_range(start, end, step)
    expr = parse_query(text)
    times = np.arange(start, end + 1, step, dtype=np.int64)
    kind = type(unwrapped(expr))
    if kind in (promql.MatrixSelector, promql.SubqueryExpr, promql.StringLiteral):
        name = "string" if kind is promql.StringLiteral else "range vector"
        raise badly_asked(f'invalid expression type "{name}" for range query, must be Scalar or instant Vector')
    with np.errstate(all="ignore"):
        value = Evaluation(store, start, end).value(expr, times)
    if isinstance(value, Vector):
        return Result("matrix", _sorted(_curves(value, times)))
    assert not isinstance(value, str)
    return Result("matrix", [Curve((), times, value)])


def _check_range(start: int, end: int, step: int) -> None:
    if end < start:
        raise badly_asked('invalid parameter "end": end timestamp must not be before start time')
    if step <= 0:
        raise badly_asked(
            'invalid parameter "step": zero or negative query resolution step widths are not accepted. '
            "Try a positive integer"
        )
    if (end - start) // step > MOST_POINTS:
        raise badly_asked(
            f"exceeded maximum resolution of {MOST_POINTS:,} points per timeseries. "
            "Try decreasing the query resolution (?step=XX)"
        )


def _raw(run: Evaluation, expr: promql.Expr, times: IntArray) -> list[Curve]:
    parts = [(one, slice(one.first[0], one.beyond[0])) for one in run.windows(expr, times)]
    return [Curve(one.labels, one.stamps[part], one.values[part]) for one, part in parts if one.count[0]]


def _curves(vector: Vector, times: IntArray) -> list[Curve]:
    return [
        Curve(labels, times[present], values[present]) for labels, values, present in vector.rows() if present.any()
    ]


def _sorted(curves: list[Curve]) -> list[Curve]:
    return sorted(curves, key=lambda curve: curve.labels)
