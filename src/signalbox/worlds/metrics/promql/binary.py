"""Operators between scalars and vectors, with the matching rules of PromQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from signalbox.worlds.metrics.labels import NAME, Labels, drop, keep, label_of, labels_from
from signalbox.worlds.metrics.promql.failures import not_computable
from signalbox.worlds.metrics.promql.values import BoolArray, Row, Vector, anywhere, vector_of
from signalbox.worlds.noise import FloatArray

__all__ = ["SET_OPERATORS", "Matching", "between_scalars", "between_vectors", "combine_sets", "with_scalar"]

_ARITHMETIC: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.power,
    "atan2": np.arctan2,
}
_COMPARISON: dict[str, Callable[[FloatArray, FloatArray], BoolArray]] = {
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}
SET_OPERATORS = ("and", "or", "unless")


@dataclass(frozen=True)
class Matching:
    """How the series of two vectors find each other."""

    on: bool = False
    labels: tuple[str, ...] = ()
    many: Literal["neither", "left", "right"] = "neither"
    include: tuple[str, ...] = field(default=())

    def signature(self, labels: Labels) -> Labels:
        """What must be equal on both sides."""
        return keep(labels, self.labels) if self.on else drop(labels, [NAME, *self.labels])

    def result(self, many: Labels, one: Labels, nameless: bool) -> Labels:
        """The labels of what comes out."""
        labels = drop(many) if nameless else many
        if self.many == "neither":
            return keep(labels, self.labels) if self.on else drop(labels, self.labels)
        return labels_from({**dict(labels), **{name: label_of(one, name) for name in self.include}})


def between_scalars(op: str, left: FloatArray, right: FloatArray) -> FloatArray:
    """A scalar; a comparison gives 0 or 1."""
    if op in _COMPARISON:
        return _COMPARISON[op](left, right).astype(np.float64)
    return _ARITHMETIC[op](left, right)


def with_scalar(op: str, left: Vector | FloatArray, right: Vector | FloatArray, as_bool: bool) -> Vector:
    """A vector and a scalar, in either order."""
    vector = left if isinstance(left, Vector) else right
    assert isinstance(vector, Vector)
    a = left.values if isinstance(left, Vector) else left
    b = right.values if isinstance(right, Vector) else right
    if op in _ARITHMETIC:
        return Vector(vector.labels, _ARITHMETIC[op](a, b), vector.present).nameless()
    holds = _COMPARISON[op](a, b)
    if as_bool:
        return Vector(vector.labels, holds.astype(np.float64), vector.present).nameless()
    return Vector(vector.labels, vector.values, vector.present & holds)


def between_vectors(op: str, left: Vector, right: Vector, matching: Matching, as_bool: bool) -> Vector:
    """Two vectors, series by series; raises where the match is ambiguous."""
    many_is_left = matching.many != "right"
    many, one = (left, right) if many_is_left else (right, left)
    partners = _unique_by_signature(one, anywhere(many.present), matching, "right" if many_is_left else "left")
    nameless = op in _ARITHMETIC or as_bool
    seen: dict[Labels, BoolArray] = {}
    rows: list[Row] = []
    for labels, values, present in many.rows():
        signature = matching.signature(labels)
        for j in partners.get(signature, ()):
            a, b = (values, one.values[j]) if many_is_left else (one.values[j], values)
            result, holds = _apply(op, a, b, as_bool)
            there = present & one.present[j] & holds
            own = matching.result(labels, one.labels[j], nameless)
            _refuse_second_match(seen, signature if matching.many == "neither" else own, there, matching)
            rows.append((own, result, there))
    return vector_of(rows, left.values.shape[1])


def combine_sets(op: str, left: Vector, right: Vector, matching: Matching) -> Vector:
    """`and`, `or`, `unless`: series of the left kept, completed or removed by those on the right."""
    steps = left.values.shape[1]
    if op == "or":
        covered = _presence_by_signature(left, matching)
        nothing = np.zeros(steps, dtype=np.bool_)
        added = [
            (labels, values, present & ~covered.get(matching.signature(labels), nothing))
            for labels, values, present in right.rows()
        ]
        return vector_of([*left.rows(), *added], steps)
    partners = _presence_by_signature(right, matching)
    nothing = np.zeros(steps, dtype=np.bool_)
    met = [partners.get(matching.signature(labels), nothing) for labels in left.labels]
    meets = np.vstack(met) if met else left.present
    return Vector(left.labels, left.values, left.present & (meets if op == "and" else ~meets))


def _apply(op: str, a: FloatArray, b: FloatArray, as_bool: bool) -> tuple[FloatArray, BoolArray]:
    """The result, and where there is one."""
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](a, b), np.ones(a.shape, dtype=np.bool_)
    holds = _COMPARISON[op](a, b)
    if as_bool:
        return holds.astype(np.float64), np.ones(a.shape, dtype=np.bool_)
    return a, holds


def _unique_by_signature(one: Vector, asked: BoolArray, matching: Matching, side: str) -> dict[Labels, list[int]]:
    """The series of the side that must be unique, by signature.

    Two may share one only if they take turns, or meet only where the other side has nothing (`asked` is false).
    """
    partners: dict[Labels, list[int]] = {}
    for j, labels in enumerate(one.labels):
        others = partners.setdefault(matching.signature(labels), [])
        if any((one.present[j] & one.present[other] & asked).any() for other in others):
            raise not_computable(
                f"found duplicate series for the match group {_written(matching.signature(labels))} on the {side} "
                "hand-side of the operation;many-to-many matching not allowed: "
                "matching labels must be unique on one side"
            )
        others.append(j)
    return partners


def _refuse_second_match(seen: dict[Labels, BoolArray], key: Labels, there: BoolArray, matching: Matching) -> None:
    if key in seen and (seen[key] & there).any():
        how = (
            "many-to-one matching must be explicit (group_left/group_right)"
            if matching.many == "neither"
            else "grouping labels must ensure unique matches"
        )
        raise not_computable(f"multiple matches for labels: {how}")
    seen[key] = seen[key] | there if key in seen else there


def _presence_by_signature(vector: Vector, matching: Matching) -> dict[Labels, BoolArray]:
    presence: dict[Labels, BoolArray] = {}
    for labels, _, present in vector.rows():
        key = matching.signature(labels)
        presence[key] = presence[key] | present if key in presence else present
    return presence


def _written(labels: Labels) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels) + "}"
