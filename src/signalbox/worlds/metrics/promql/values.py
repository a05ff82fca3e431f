"""What expressions evaluate to, for all evaluation times at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signalbox.worlds.metrics.labels import Labels, drop
from signalbox.worlds.metrics.promql.failures import badly_asked, not_computable
from signalbox.worlds.noise import FloatArray

__all__ = [
    "BoolArray",
    "Row",
    "Value",
    "Vector",
    "anywhere",
    "constant",
    "kind_of",
    "number_of",
    "text_of",
    "vector_of",
]

BoolArray = npt.NDArray[np.bool_]
Row = tuple[Labels, FloatArray, BoolArray]


@dataclass(frozen=True)
class Vector:
    """One row a series, one column an evaluation time; `present` tells values from gaps, as NaN is a value."""

    labels: list[Labels]
    values: FloatArray
    present: BoolArray

    def map(self, change: Callable[[FloatArray], FloatArray]) -> Vector:
        """Every value changed, and the metrics' names dropped, as Prometheus does."""
        return Vector(self.labels, change(self.values), self.present).nameless()

    def nameless(self) -> Vector:
        """The same without the metrics' names; raises where that makes two series one."""
        return self.relabelled([drop(labels) for labels in self.labels])

    def relabelled(self, labels: list[Labels]) -> Vector:
        """The same values under other labels; raises where two series become one."""
        if len(set(labels)) == len(labels):
            return Vector(labels, self.values, self.present)
        return vector_of(zip(labels, self.values, self.present, strict=True), self.values.shape[1])

    def rows(self) -> Iterable[Row]:
        """Labels, values and presence of every series."""
        return zip(self.labels, self.values, self.present, strict=True)

    def only(self, indices: Sequence[int]) -> Vector:
        """Some of the series, in the order given."""
        order = np.asarray(indices, dtype=np.intp)
        return Vector([self.labels[i] for i in indices], self.values[order], self.present[order])


Value = Vector | FloatArray | str
"""An instant vector, a scalar (a number a time), or a string."""


def anywhere(present: BoolArray) -> BoolArray:
    """At which times any of the rows is present."""
    return np.asarray(present.any(axis=0))


def vector_of(rows: Iterable[Row], steps: int) -> Vector:
    """A vector from rows; rows with the same labels are joined where they take turns, and refused where they meet."""
    joined: dict[Labels, tuple[FloatArray, BoolArray]] = {}
    for labels, values, present in rows:
        if labels in joined:
            other_values, other_present = joined[labels]
            if (other_present & present).any():
                raise not_computable("vector cannot contain metrics with the same labelset")
            values, present = np.where(present, values, other_values), present | other_present
        joined[labels] = (values, present)
    if not joined:
        return Vector([], np.empty((0, steps)), np.empty((0, steps), dtype=np.bool_))
    values_list, present_list = zip(*joined.values(), strict=True)
    return Vector(list(joined), np.vstack(values_list), np.vstack(present_list))


def constant(values: FloatArray) -> Vector:
    """A scalar as a vector of one series without labels."""
    return Vector([()], values[None, :], np.ones((1, len(values)), dtype=np.bool_))


def number_of(value: Value) -> FloatArray:
    """The value as a scalar, or PromQLError."""
    if isinstance(value, Vector | str):
        raise badly_asked(f"expected a scalar, got {kind_of(value)}")
    return value


def text_of(value: Value) -> str:
    """The value as a string, or PromQLError."""
    if not isinstance(value, str):
        raise badly_asked(f"expected a string, got {kind_of(value)}")
    return value


def kind_of(value: Value) -> str:
    """What a person calls it."""
    return "an instant vector" if isinstance(value, Vector) else "a string" if isinstance(value, str) else "a scalar"
