"""Functions of an instant vector: arithmetic, calendar, and labels."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from signalbox.worlds.metrics.labels import Labels, label_of, labels_from
from signalbox.worlds.metrics.promql.failures import not_computable
from signalbox.worlds.metrics.promql.values import BoolArray, Vector, anywhere, vector_of
from signalbox.worlds.noise import FloatArray

__all__ = [
    "CALENDAR",
    "ELEMENTWISE",
    "as_scalar",
    "clamped",
    "label_joined",
    "label_replaced",
    "missing",
    "ordered",
    "rounded",
]

_LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_REFERENCE = re.compile(r"\$(?:\$|\{(\w+)\}|(\w+))")

ELEMENTWISE: dict[str, Callable[[FloatArray], FloatArray]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "exp": np.exp,
    "ln": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "sgn": np.sign,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "deg": np.degrees,
    "rad": np.radians,
}


def _days(seconds: FloatArray) -> FloatArray:
    return np.floor(seconds / 86_400)


def _date(seconds: FloatArray, unit: str) -> np.ndarray[tuple[int, ...], np.dtype[np.datetime64]]:
    whole = np.floor(np.nan_to_num(seconds)).astype("int64")
    return whole.astype("datetime64[s]").astype(f"datetime64[{unit}]")


def _within(seconds: FloatArray, unit: str, larger: str) -> FloatArray:
    """How many units have passed since the larger one began."""
    start = _date(seconds, larger).astype(f"datetime64[{unit}]")
    return np.asarray(_date(seconds, unit) - start, dtype=np.float64)


def _days_in_month(seconds: FloatArray) -> FloatArray:
    month = _date(seconds, "M")
    return np.asarray((month + 1).astype("datetime64[D]") - month.astype("datetime64[D]"), dtype=np.float64)


CALENDAR: dict[str, Callable[[FloatArray], FloatArray]] = {
    "minute": lambda seconds: np.floor(seconds % 3600 / 60),
    "hour": lambda seconds: np.floor(seconds % 86_400 / 3600),
    "day_of_week": lambda seconds: (_days(seconds) + 4) % 7,
    "day_of_month": lambda seconds: _within(seconds, "D", "M") + 1,
    "day_of_year": lambda seconds: _within(seconds, "D", "Y") + 1,
    "days_in_month": _days_in_month,
    "month": lambda seconds: _within(seconds, "M", "Y") + 1,
    "year": lambda seconds: _date(seconds, "Y").astype(np.float64) + 1970,
}
"""By name: what a function of the calendar makes of seconds since 1970, in UTC."""


def rounded(vector: Vector, to: FloatArray) -> Vector:
    """To the nearest multiple; halves go up."""
    inverse = 1.0 / to
    return vector.map(lambda values: np.floor(values * inverse + 0.5) / inverse)


def clamped(vector: Vector, low: FloatArray, high: FloatArray) -> Vector:
    """Between two bounds; nothing where they cross."""
    values = np.maximum(low, np.minimum(high, vector.values))
    return Vector(vector.labels, values, vector.present & ~(high < low)).nameless()


def as_scalar(vector: Vector) -> FloatArray:
    """The value where there is exactly one series, NaN elsewhere."""
    alone = vector.present.sum(axis=0) == 1
    total = np.where(vector.present, vector.values, 0.0).sum(axis=0)
    return np.where(alone, total, np.nan)


def ordered(vector: Vector, descending: bool) -> Vector:
    """By value at the first time, NaN last."""
    if not vector.labels:
        return vector
    first = vector.values[:, 0]
    badness = np.where(np.isnan(first), np.inf, -first if descending else first)
    return vector.only([int(i) for i in np.lexsort((badness, np.isnan(first)))])


def missing(labels: Labels, present: BoolArray) -> Vector:
    """One series with the value 1 where nothing is present (`present` has one row a series)."""
    empty = ~anywhere(present)
    return vector_of([(labels, np.ones(empty.shape), empty)], len(empty))


def label_replaced(vector: Vector, target: str, replacement: str, source: str, pattern: str) -> Vector:
    """`target` set from what the pattern finds in `source`, where it matches the whole value."""
    try:
        matches = re.compile(pattern, re.DOTALL).fullmatch
    except re.error:
        raise not_computable(f"invalid regular expression in label_replace(): {pattern}") from None
    _check_label(target, "label_replace")

    def replaced(labels: Labels) -> Labels:
        match = matches(label_of(labels, source))
        return labels if match is None else labels_from({**dict(labels), target: _expanded(match, replacement)})

    return vector.relabelled([replaced(labels) for labels in vector.labels])


def label_joined(vector: Vector, target: str, separator: str, sources: list[str]) -> Vector:
    """`target` set to the values of other labels, joined."""
    _check_label(target, "label_join")
    return vector.relabelled(
        [
            labels_from({**dict(labels), target: separator.join(label_of(labels, name) for name in sources)})
            for labels in vector.labels
        ]
    )


def _check_label(name: str, function: str) -> None:
    if not _LABEL_NAME.fullmatch(name):
        raise not_computable(f"invalid destination label name in {function}(): {name}")


def _expanded(match: re.Match[str], template: str) -> str:
    """The template with $1, ${1} or ${name} filled in; a group that is not there is empty."""

    def fill(reference: re.Match[str]) -> str:
        group = reference[1] or reference[2]
        if group is None:
            return "$"
        key: int | str = int(group) if group.isdigit() else group
        try:
            return match[key] or ""
        except IndexError:
            return ""

    return _REFERENCE.sub(fill, template)
