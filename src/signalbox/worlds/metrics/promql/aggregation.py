"""Aggregations over series: sum, topk, quantile and their kin, by or without labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from signalbox.worlds.metrics.labels import NAME, Labels, drop, keep, labels_from
from signalbox.worlds.metrics.promql.numbers import format_number
from signalbox.worlds.metrics.promql.over_time import quantile_of_columns
from signalbox.worlds.metrics.promql.values import BoolArray, Row, Vector, anywhere, vector_of
from signalbox.worlds.noise import FloatArray

__all__ = ["REDUCTIONS", "Grouping", "count_values", "grouping", "quantile", "reduce_groups", "topk"]

Grouping = Callable[[Labels], Labels]


def _sum(values: FloatArray, present: BoolArray) -> FloatArray:
    return np.asarray(np.where(present, values, 0.0).sum(axis=0))


def _average(values: FloatArray, present: BoolArray) -> FloatArray:
    return np.asarray(_sum(values, present) / present.sum(axis=0))


def _variance(values: FloatArray, present: BoolArray) -> FloatArray:
    spread = _average((values - _average(values, present)) ** 2, present)
    # One series alone varies by nothing, even if it is NaN.
    return np.where(present.sum(axis=0) == 1, 0.0, spread)


def _deviation(values: FloatArray, present: BoolArray) -> FloatArray:
    return np.sqrt(_variance(values, present))


def _extreme(choose: np.ufunc, values: FloatArray, present: BoolArray) -> FloatArray:
    return np.asarray(choose.reduce(np.where(present, values, np.nan), axis=0))


REDUCTIONS: dict[str, Callable[[FloatArray, BoolArray], FloatArray]] = {
    "sum": _sum,
    "avg": _average,
    "min": partial(_extreme, np.fmin),
    "max": partial(_extreme, np.fmax),
    "count": lambda _, present: np.asarray(present.sum(axis=0), dtype=np.float64),
    "group": lambda _, present: np.ones(present.shape[1]),
    "stddev": _deviation,
    "stdvar": _variance,
}
"""By name: what a reduction makes of the series of a group, at every time."""


def grouping(labels: Iterable[str], without: bool) -> Grouping:
    """The labels of the group that a series belongs to."""
    names = list(labels)
    if without:
        return lambda own: drop(own, [NAME, *names])
    return lambda own: keep(own, names)


def reduce_groups(name: str, vector: Vector, group: Grouping) -> Vector:
    """One series a group."""
    return _grouped(vector, group, REDUCTIONS[name])


def quantile(q: FloatArray, vector: Vector, group: Grouping) -> Vector:
    """The quantile among the series of each group."""
    return _grouped(vector, group, lambda values, present: quantile_of_columns(q, values, present))


def topk(k: FloatArray, vector: Vector, group: Grouping, largest: bool) -> Vector:
    """The k largest or smallest series of each group, chosen anew at every time, best first at the first time."""
    kept = np.zeros(vector.present.shape, dtype=np.bool_)
    order: list[int] = []
    for members in _members(vector, group).values():
        values, present = vector.values[members], vector.present[members]
        badness = np.where(np.isnan(values), np.inf, -values if largest else values)
        # Three levels: numbers by value, then NaN, then what is not there at all.
        ranking = np.lexsort((badness, np.isnan(values), ~present), axis=0)
        rank = np.empty_like(ranking)
        np.put_along_axis(rank, ranking, np.arange(len(members))[:, None], axis=0)
        kept[members] = present & (rank < np.floor(k))
        order += [members[i] for i in ranking[:, 0]]
    chosen = [i for i in order if kept[i].any()]
    return Vector(vector.labels, vector.values, kept).only(chosen)


def count_values(label: str, vector: Vector, group: Grouping) -> Vector:
    """How many series of each group have each value; the value becomes a label."""
    counts: dict[Labels, FloatArray] = {}
    steps = vector.values.shape[1]
    for labels, values, present in vector.rows():
        for value in np.unique(values[present]):
            own = labels_from({**dict(group(labels)), label: format_number(float(value))})
            same = present & ((values == value) | (np.isnan(values) & np.isnan(value)))
            counts[own] = counts.get(own, np.zeros(steps)) + same
    rows: list[Row] = [(labels, count, count > 0) for labels, count in counts.items()]
    return vector_of(rows, steps)


def _members(vector: Vector, group: Grouping) -> dict[Labels, list[int]]:
    members: dict[Labels, list[int]] = {}
    for i, labels in enumerate(vector.labels):
        members.setdefault(group(labels), []).append(i)
    return members


def _grouped(vector: Vector, group: Grouping, reduce: Callable[[FloatArray, BoolArray], FloatArray]) -> Vector:
    rows: list[Row] = []
    for labels, members in _members(vector, group).items():
        present = vector.present[members]
        rows.append((labels, reduce(vector.values[members], present), anywhere(present)))
    return vector_of(rows, vector.values.shape[1])
