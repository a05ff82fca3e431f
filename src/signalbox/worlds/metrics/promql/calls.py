"""Functions that need more of the run than the values of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import promql_parser as promql

from signalbox.worlds.metrics.labels import NAME, Labels, labels_from
from signalbox.worlds.metrics.promql import functions
from signalbox.worlds.metrics.promql.histograms import histogram_quantile
from signalbox.worlds.metrics.promql.parsing import matchers_of, unwrapped
from signalbox.worlds.metrics.promql.values import BoolArray, Value, Vector, constant, text_of
from signalbox.worlds.noise import FloatArray, IntArray

if TYPE_CHECKING:
    from signalbox.worlds.metrics.promql.evaluation import Evaluation

__all__ = ["SPECIAL"]


def _timestamps(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    """When the samples of a selector were taken; for anything else, the evaluation time."""
    inner = unwrapped(args[0])
    if isinstance(inner, promql.VectorSelector):
        vector, taken = run.selected(inner, times)
        return vector.map(lambda _: taken)
    return run.vector(inner, times).map(lambda values: np.broadcast_to(times / 1000.0, values.shape))


def _absent(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    return functions.missing(_implied(args[0]), run.vector(args[0], times).present)


def _absent_over_time(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    found = [windows.count > 0 for windows in run.windows(args[0], times)]
    present: BoolArray = np.vstack(found) if found else np.zeros((1, len(times)), dtype=np.bool_)
    return functions.missing(_implied(args[0]), present)


def _implied(expr: promql.Expr) -> Labels:
    """The labels that a selector fixes by equality."""
    selector = expr.vector_selector if isinstance(expr, promql.MatrixSelector) else expr
    if not isinstance(selector, promql.VectorSelector):
        return ()
    fixed: dict[str, str] = {}
    conditions = [matcher for matcher in matchers_of(selector) if matcher.name != NAME]
    for matcher in conditions:
        alone = sum(other.name == matcher.name for other in conditions) == 1
        if matcher.op == "=" and alone:
            fixed[matcher.name] = matcher.value
    return labels_from(fixed)


def _clamp(run: Evaluation, args: Sequence[promql.Expr], times: IntArray, low: int | None, high: int | None) -> Vector:
    def bound(place: int | None, otherwise: float) -> FloatArray:
        return np.full(times.shape, otherwise) if place is None else run.scalar(args[place], times)

    return functions.clamped(run.vector(args[0], times), bound(low, -np.inf), bound(high, np.inf))


def _label_replace(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    return functions.label_replaced(run.vector(args[0], times), *(text_of(run.value(arg, times)) for arg in args[1:]))


def _label_join(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    target, separator, *sources = (text_of(run.value(arg, times)) for arg in args[1:])
    return functions.label_joined(run.vector(args[0], times), target, separator, sources)


def _round(run: Evaluation, args: Sequence[promql.Expr], times: IntArray) -> Vector:
    to = run.scalar(args[1], times) if len(args) > 1 else np.ones(times.shape)
    return functions.rounded(run.vector(args[0], times), to)


SPECIAL: dict[str, Callable[[Evaluation, Sequence[promql.Expr], IntArray], Value]] = {
    "time": lambda run, args, times: times / 1000.0,
    "pi": lambda run, args, times: np.full(times.shape, np.pi),
    "vector": lambda run, args, times: constant(run.scalar(args[0], times)),
    "scalar": lambda run, args, times: functions.as_scalar(run.vector(args[0], times)),
    "timestamp": _timestamps,
    "absent": _absent,
    "absent_over_time": _absent_over_time,
    "label_replace": _label_replace,
    "label_join": _label_join,
    "round": _round,
    "clamp": lambda run, args, times: _clamp(run, args, times, low=1, high=2),
    "clamp_min": lambda run, args, times: _clamp(run, args, times, low=1, high=None),
    "clamp_max": lambda run, args, times: _clamp(run, args, times, low=None, high=1),
    "sort": lambda run, args, times: functions.ordered(run.vector(args[0], times), descending=False),
    "sort_desc": lambda run, args, times: functions.ordered(run.vector(args[0], times), descending=True),
    "histogram_quantile": lambda run, args, times: histogram_quantile(
        run.scalar(args[0], times), run.vector(args[1], times)
    ),
}
"""By name: what a function makes of the run, its arguments and the evaluation times."""
