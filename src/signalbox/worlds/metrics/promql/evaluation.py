"""The evaluator: a tree and evaluation times in, values out, all times at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import promql_parser as promql

from signalbox.worlds.grid import INTERVAL_MS
from signalbox.worlds.metrics.labels import drop
from signalbox.worlds.metrics.promql import aggregation, binary, functions
from signalbox.worlds.metrics.promql.calls import SPECIAL
from signalbox.worlds.metrics.promql.failures import badly_asked, not_computable, unsupported
from signalbox.worlds.metrics.promql.over_time import RANGE_FUNCTIONS
from signalbox.worlds.metrics.promql.parsing import at_of, matchers_of, offset_of, range_of, step_of, unwrapped
from signalbox.worlds.metrics.promql.values import Row, Value, Vector, constant, kind_of, number_of, text_of, vector_of
from signalbox.worlds.metrics.promql.windows import Windows, count_before, windows_over
from signalbox.worlds.metrics.series import Series
from signalbox.worlds.metrics.store import Store
from signalbox.worlds.noise import FloatArray, IntArray

__all__ = ["Evaluation"]

LOOKBACK_MS = 300_000
DEFAULT_SUBQUERY_STEP_MS = 60_000
MOST_HELD = 50_000_000
"""How many values a query may hold in memory, as in Prometheus."""
MOST_VISITED = 500_000_000
"""How many samples a query may visit before it is refused, lest it block the process."""
MOST_SUBQUERY_STEPS = 1_000_000


class Evaluation:
    """One query on a store; `start` and `end` (milliseconds) are those of the whole query."""

    def __init__(self, store: Store, start: int, end: int) -> None:
        self._store = store
        self._start, self._end = start, end
        self._visited = self._held = 0

    def value(self, expr: promql.Expr, times: IntArray) -> Value:
        """What the expression is worth at each of the times (milliseconds)."""
        match expr:
            case promql.NumberLiteral():
                return np.full(times.shape, expr.val)
            case promql.StringLiteral():
                return expr.val
            case promql.ParenExpr():
                return self.value(expr.expr, times)
            case promql.UnaryExpr():
                inner = self.value(expr.expr, times)
                return inner.map(np.negative) if isinstance(inner, Vector) else -number_of(inner)
            case promql.VectorSelector():
                return self.selected(expr, times)[0]
            case promql.BinaryExpr():
                return self._operation(expr, times)
            case promql.AggregateExpr():
                return self._aggregate(expr, times)
            case promql.Call():
                return self._call(expr, times)
        raise unsupported(f"{type(expr).__name__} here")

    def vector(self, expr: promql.Expr, times: IntArray) -> Vector:
        """The expression as an instant vector."""
        value = self.value(expr, times)
        if not isinstance(value, Vector):
            raise badly_asked(f"expected an instant vector, got {kind_of(value)}")
        return value

    def scalar(self, expr: promql.Expr, times: IntArray) -> FloatArray:
        """The expression as a scalar."""
        return number_of(self.value(expr, times))

    def windows(self, expr: promql.Expr, times: IntArray) -> Iterator[Windows]:
        """The expression as a range vector, with a window for each of the times."""
        expr = unwrapped(expr)
        if isinstance(expr, promql.MatrixSelector):
            yield from self._selected_windows(expr, times)
        elif isinstance(expr, promql.SubqueryExpr):
            yield from self._subquery_windows(expr, times)
        else:
            raise badly_asked("expected a range vector")

    def selected(self, selector: promql.VectorSelector, times: IntArray) -> tuple[Vector, FloatArray]:
        """The latest sample of each series at each time, no older than the lookback; and when each was taken."""
        moments = self._moments(selector, times)
        rows: list[Row] = []
        taken: list[FloatArray] = []
        for series in self._series(selector):
            stamps, values = self._samples(series, int(moments.min()) - LOOKBACK_MS, int(moments.max()))
            if not len(stamps):
                continue
            self._hold(len(moments))
            index = count_before(moments + 1, stamps, INTERVAL_MS) - 1
            nearest = stamps[np.maximum(index, 0)]
            present = (index >= 0) & (nearest >= moments - LOOKBACK_MS)
            if present.any():
                rows.append((series.labels, values[np.maximum(index, 0)], present))
                taken.append(nearest / 1000.0)
        stamps_taken = np.vstack(taken) if taken else np.empty((0, len(times)))
        return vector_of(rows, len(times)), stamps_taken

    def _selected_windows(self, selector: promql.MatrixSelector, times: IntArray) -> Iterator[Windows]:
        width = range_of(selector)
        ends = self._moments(selector.vector_selector, times)
        for series in self._series(selector.vector_selector):
            stamps, values = self._samples(series, int(ends.min()) - width, int(ends.max()))
            if len(stamps):
                yield self._counted(windows_over(series.labels, stamps, values, ends, width, times, INTERVAL_MS))

    def _subquery_windows(self, query: promql.SubqueryExpr, times: IntArray) -> Iterator[Windows]:
        width, step = range_of(query), step_of(query, DEFAULT_SUBQUERY_STEP_MS)
        ends = self._moments(query, times)
        # Subqueries are evaluated at multiples of their step, whatever the times of the query around them.
        first = -((width - int(ends.min())) // step) * step
        if (int(ends.max()) - first) // step > MOST_SUBQUERY_STEPS:
            raise not_computable("subquery has too many steps")
        moments = np.arange(first, int(ends.max()) + 1, step, dtype=np.int64)
        if not len(moments):
            return
        inner = self.value(query.expr, moments)
        vector = inner if isinstance(inner, Vector) else constant(number_of(inner))
        for labels, values, present in vector.rows():
            if present.any():
                yield self._counted(windows_over(labels, moments[present], values[present], ends, width, times))

    def _moments(self, expr: promql.VectorSelector | promql.SubqueryExpr, times: IntArray) -> IntArray:
        """The times moved by `@` and `offset`."""
        at = at_of(expr, self._start, self._end)
        base = times if at is None else np.full_like(times, at)
        return base - offset_of(expr)

    def _series(self, selector: promql.VectorSelector) -> list[Series]:
        try:
            return self._store.select(matchers_of(selector))
        except re.error as error:
            raise unsupported(f"this regular expression ({error})") from None

    def _samples(self, series: Series, low: int, high: int) -> tuple[IntArray, FloatArray]:
        stamps, values = self._store.samples(series, low, high)
        self._visit(len(stamps))
        return stamps, values

    def _counted(self, windows: Windows) -> Windows:
        self._hold(len(windows.times))
        self._visit(int(windows.count.sum()))
        return windows

    def _hold(self, count: int) -> None:
        self._held += count
        if self._held > MOST_HELD:
            raise not_computable("query processing would load too many samples into memory in query execution")

    def _visit(self, count: int) -> None:
        self._visited += count
        if self._visited > MOST_VISITED:
            raise not_computable("query processing would visit too many samples in query execution")

    def _operation(self, expr: promql.BinaryExpr, times: IntArray) -> Value:
        op = str(expr.op)
        left, right = self.value(expr.lhs, times), self.value(expr.rhs, times)
        as_bool = expr.modifier is not None and expr.modifier.return_bool
        if isinstance(left, Vector) and isinstance(right, Vector):
            if op in binary.SET_OPERATORS:
                return binary.combine_sets(op, left, right, _matching(expr.modifier))
            return binary.between_vectors(op, left, right, _matching(expr.modifier), as_bool)
        if isinstance(left, Vector):
            return binary.with_scalar(op, left, number_of(right), as_bool)
        if isinstance(right, Vector):
            return binary.with_scalar(op, number_of(left), right, as_bool)
        return binary.between_scalars(op, number_of(left), number_of(right))

    def _aggregate(self, expr: promql.AggregateExpr, times: IntArray) -> Vector:
        name = str(expr.op)
        vector = self.vector(expr.expr, times)
        modifier = expr.modifier
        without = modifier is not None and str(modifier.type).endswith("Without")
        group = aggregation.grouping([] if modifier is None else modifier.labels, without)
        if name in aggregation.REDUCTIONS:
            return aggregation.reduce_groups(name, vector, group)
        parameter = expr.param
        if parameter is not None and name in ("topk", "bottomk"):
            return aggregation.topk(self.scalar(parameter, times), vector, group, largest=name == "topk")
        if parameter is not None and name == "quantile":
            return aggregation.quantile(self.scalar(parameter, times), vector, group)
        if parameter is not None and name == "count_values":
            return aggregation.count_values(text_of(self.value(parameter, times)), vector, group)
        raise unsupported(f"the aggregation {name}")

    def _call(self, call: promql.Call, times: IntArray) -> Value:
        name, args = call.func.name, list(call.args)
        if name in RANGE_FUNCTIONS:
            return self._over_range(name, args, times)
        if name in functions.ELEMENTWISE:
            return self.vector(args[0], times).map(functions.ELEMENTWISE[name])
        if name in functions.CALENDAR:
            seconds = self.vector(args[0], times) if args else constant(times / 1000.0)
            return seconds.map(functions.CALENDAR[name])
        if name in SPECIAL:
            return SPECIAL[name](self, args, times)
        raise unsupported(f"the function {name}()")

    def _over_range(self, name: str, args: Sequence[promql.Expr], times: IntArray) -> Vector:
        ranges = [arg for arg in args if isinstance(unwrapped(arg), promql.MatrixSelector | promql.SubqueryExpr)]
        if len(ranges) != 1:
            raise badly_asked(f"expected a range vector in call to function {name}()")
        scalars = [self.scalar(arg, times) for arg in args if arg is not ranges[0]]
        rows: list[Row] = []
        for windows in self.windows(ranges[0], times):
            values, present = RANGE_FUNCTIONS[name](windows, *scalars)
            if present.any():
                rows.append((windows.labels if name == "last_over_time" else drop(windows.labels), values, present))
        return vector_of(rows, len(times))


def _matching(modifier: promql.BinModifier | None) -> binary.Matching:
    if modifier is None:
        return binary.Matching()
    if modifier.fill_values.lhs is not None or modifier.fill_values.rhs is not None:
        raise unsupported("fill")
    card = str(modifier.card).rsplit(".", 1)[-1]
    return binary.Matching(
        on=modifier.matching is not None and str(modifier.matching.type).endswith("Include"),
        labels=tuple(modifier.matching.labels) if modifier.matching else (),
        many="left" if card == "ManyToOne" else "right" if card == "OneToMany" else "neither",
        include=tuple(modifier.group_labels or ()),
    )
