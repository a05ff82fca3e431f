"""The curves of a `series` block as numbers, and whether an axis can hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from signalbox.drawing.moments import read_moment
from signalbox.drawing.names import series_names

__all__ = ["Curve", "can_be_drawn", "read_curves"]

# Beyond these, the length of an axis is no number any more.
_LEAST, _MOST = 1e-300, 1e300


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds since 1970 and the values then; at least one."""

    name: str
    stamps: list[float]
    values: list[float]


def read_curves(block: Mapping[str, Any]) -> list[Curve]:
    """The curves that have points; in an overlaid block each is moved to where the first one starts."""
    told = block["series"]
    names = series_names([one.get("labels") or {} for one in told], str(block.get("title") or ""))
    curves = []
    for one, name in zip(told, names, strict=True):
        points = [(read_moment(at).timestamp(), float(number)) for at, number in one["points"] if _is_number(number)]
        if points:
            stamps, values = zip(*sorted(points), strict=True)
            curves.append(Curve(str(one.get("name") or name), list(stamps), list(values)))
    if not block.get("overlaid"):
        return curves
    return [Curve(one.name, _moved(one, curves[0].stamps[0]), one.values) for one in curves]


def can_be_drawn(values: Iterable[float]) -> bool:
    """True if an axis can hold the values."""
    highest = max(map(abs, values), default=0.0)
    return not highest or _LEAST < highest < _MOST


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value)


def _moved(curve: Curve, start: float) -> list[float]:
    shift = start - curve.stamps[0]
    return [stamp + shift for stamp in curve.stamps]
