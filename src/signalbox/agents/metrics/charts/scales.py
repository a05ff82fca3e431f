"""The scale of an axis: whether there is one, and the unit in which people read the highest value on it."""

from __future__ import annotations

import math
import re

from signalbox.agents.metrics.state import MetricsQueryResult
from signalbox.agents.metrics.units import format_value

__all__ = ["axis_scale", "can_be_drawn"]

_AS_READ = re.compile(r"(-?\d[\d,]*\.?\d*)\s*(\D*)")
_FACTORS = (
    *(10.0**power for power in (-15, -12, -9, -6, -3, 0, 2, 3, 6, 9)),
    *(1024.0**-power for power in (1, 2, 3, 4, 5)),
    *(1 / seconds for seconds in (60, 3600, 86400, 604800)),
)
_TOLERANCE = math.log(1.04)
# Beyond these, the length of an axis is no number any more.
_LEAST, _MOST = 1e-300, 1e300


def can_be_drawn(result: MetricsQueryResult) -> bool:
    """Whether an axis can hold the answer's values."""
    points = (point.value for one in result.series for point in one.datapoints)
    places = (place.value for place in result.ranking)
    highest = max(map(abs, (*points, *places)), default=0.0)
    return not highest or _LEAST < highest < _MOST


def axis_scale(unit: str, highest: float) -> tuple[float, str]:
    """What values are multiplied by for the axis, and the unit they then have; (1, unit) where that is not simple."""
    read = _AS_READ.fullmatch(format_value(abs(highest), unit).strip())
    if read is None or not highest:
        return 1.0, unit
    number = float(read[1].replace(",", ""))
    if not number:
        return 1.0, unit
    ratio = math.log(number / abs(highest))
    factor = min(_FACTORS, key=lambda one: abs(math.log(one) - ratio))
    return (factor, read[2].strip()) if abs(math.log(factor) - ratio) < _TOLERANCE else (1.0, unit)
