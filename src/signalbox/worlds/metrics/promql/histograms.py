"""Quantiles from the buckets of classic histograms."""

from __future__ import annotations

import numpy as np

from signalbox.worlds.metrics.labels import NAME, Labels, drop, label_of
from signalbox.worlds.metrics.promql.values import Row, Vector, anywhere, vector_of
from signalbox.worlds.noise import FloatArray

__all__ = ["histogram_quantile"]


def histogram_quantile(q: FloatArray, buckets: Vector) -> Vector:
    """The quantile of each histogram, interpolated within the bucket that holds it."""
    steps = buckets.values.shape[1]
    rows: list[Row] = []
    for labels, members in _histograms(buckets).items():
        bounds = np.array([bound for bound, _ in members])
        group = buckets.only([i for _, i in members])
        values = np.full(steps, np.nan)
        for pattern in np.unique(group.present, axis=1).T:
            columns = (group.present == pattern[:, None]).all(axis=0)
            values[columns] = _quantile(q[columns], bounds[pattern], group.values[pattern][:, columns])
        rows.append((labels, values, anywhere(group.present)))
    return vector_of(rows, steps)


def _histograms(buckets: Vector) -> dict[Labels, list[tuple[float, int]]]:
    """The buckets of each histogram by their upper bounds; a series without a bound is none."""
    histograms: dict[Labels, list[tuple[float, int]]] = {}
    for i, labels in enumerate(buckets.labels):
        try:
            bound = float(label_of(labels, "le"))
        except ValueError:
            continue
        histograms.setdefault(drop(labels, [NAME, "le"]), []).append((bound, i))
    return {labels: sorted(members) for labels, members in histograms.items()}


def _quantile(q: FloatArray, bounds: FloatArray, counts: FloatArray) -> FloatArray:
    """For cumulative counts, one row a bound and one column a time."""
    outside = np.where(np.isnan(q), np.nan, np.where(q < 0, -np.inf, np.inf))
    inside = (q >= 0) & (q <= 1)
    if not len(bounds) or not np.isposinf(bounds[-1]):
        return np.where(inside, np.nan, outside)
    bounds, counts = _coalesced(bounds, counts)
    if len(bounds) < 2:
        return np.where(inside, np.nan, outside)
    # Prometheus takes a count that falls (buckets scraped at different moments) for equal to the one before.
    counts = np.maximum.accumulate(counts, axis=0)
    total = counts[-1]
    rank = np.where(inside, q, 0.0) * total
    chosen = np.minimum((counts[:-1] < rank).sum(axis=0), len(bounds) - 1)
    columns = np.arange(len(q))
    below = np.maximum(chosen - 1, 0)
    start = np.where(chosen > 0, bounds[below], 0.0)
    before = np.where(chosen > 0, counts[below, columns], 0.0)
    within = start + (bounds[chosen] - start) * ((rank - before) / (counts[chosen, columns] - before))
    result = np.where(chosen == len(bounds) - 1, bounds[-2], within)
    result = np.where((chosen == 0) & (bounds[0] <= 0), bounds[0], result)
    return np.where(inside, np.where((total == 0) | np.isnan(total), np.nan, result), outside)


def _coalesced(bounds: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Buckets with the same bound added up."""
    unique, place = np.unique(bounds, return_inverse=True)
    if len(unique) == len(bounds):
        return bounds, counts
    summed = np.zeros((len(unique), counts.shape[1]))
    np.add.at(summed, place, counts)
    return unique, summed
