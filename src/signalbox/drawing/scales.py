"""The scale of an axis: the unit in which people read the highest value on it."""

from __future__ import annotations

import math
import re

from signalbox.drawing.values import format_value

__all__ = ["axis_scale"]

_AS_READ = re.compile(r"(-?\d[\d,]*\.?\d*)\s*(\D*)")
_FACTORS = (
    *(10.0**power for power in (-15, -12, -9, -6, -3, 0, 2, 3, 6, 9)),
    *(1024.0**-power for power in (1, 2, 3, 4, 5)),
    *(1 / seconds for seconds in (60, 3600, 86400, 604800)),
)
_TOLERANCE = math.log(1.04)


def axis_scale(unit: str, highest: float) -> tuple[float, str]:
    """The factor for values on the axis, and the resulting unit; (1, unit) if there is no simple factor."""
    read = _AS_READ.fullmatch(format_value(abs(highest), unit).strip())
    if read is None or not highest:
        return 1.0, unit
    number = float(read[1].replace(",", ""))
    if not number:
        return 1.0, unit
    ratio = math.log(number / abs(highest))
    factor = min(_FACTORS, key=lambda one: abs(math.log(one) - ratio))
    return (factor, read[2].strip()) if abs(math.log(factor) - ratio) < _TOLERANCE else (1.0, unit)
