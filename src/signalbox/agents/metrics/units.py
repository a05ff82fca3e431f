"""Units of counts and rates, and values and ranges of time as people read them."""

from __future__ import annotations

import re
from datetime import tzinfo

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.slots import Shown
from signalbox.agents.metrics.state import TimeRange
from signalbox.drawing.values import format_span, format_value

__all__ = ["count_unit", "format_range", "rate_unit", "shown_value"]

_PARTS = re.compile(r"_(?:total|count|sum|bucket)$")


def rate_unit(base: str, metric_name: str = "") -> str:
    """The unit of a counter's rate: bytes/s, ratio (seconds a second), requests/s, else 1/s."""
    if base == "seconds":
        return "ratio"
    counted = base or count_unit(metric_name)
    return f"{counted}/s" if counted else "1/s"


def count_unit(metric_name: str) -> str:
    """What a counter counts, as far as its name says: its unit, or a noun such as requests."""
    info = MetricInfo(metric_name, family=_PARTS.sub("", metric_name))
    if metric_name.endswith("_count"):
        return ""  # How many there were, whatever was measured of each.
    last = _PARTS.sub("", metric_name).rpartition("_")[2].lower()
    return base_unit(info) or (last if re.fullmatch(r"[a-z]{3,}s", last) and not last.endswith("ss") else "")


def shown_value(value: float, unit: str, shown: Shown | None = None) -> str:
    """The value as people read it, in the unit that was asked for."""
    if shown is None:
        return format_value(value, unit)
    number = format_value(value * shown.factor, "1")
    return f"{number}{shown.unit}" if shown.unit == "%" else f"{number} {shown.unit}"


def format_range(window: TimeRange, zone: tzinfo | None = None) -> str:
    """The range in the person's zone, with the zone's name; the day once where it is the same."""
    return format_span(window.start_time, window.end_time, zone)
