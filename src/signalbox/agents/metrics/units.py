"""Units: which one a measure has after its function is applied; `drawing.values` says how people read them."""

from __future__ import annotations

import re
from datetime import tzinfo

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.question import Measure, Question, Shown
from signalbox.agents.metrics.state import TimeRange
from signalbox.drawing.values import format_span, format_value, short_unit
from signalbox.language.units import dimension_of

__all__ = ["adds_up", "count_unit", "format_range", "kind_of_unit", "rate_unit", "shown_value", "unit_of_question"]

_PARTS = re.compile(r"_(?:total|count|sum|bucket)$")


def unit_of_question(question: Question) -> str:
    """The unit of the answer's figures: that of the measure, or of what adds up."""
    measure = question.measure
    if question.kind == "share":
        return "ratio"
    if adds_up(question):
        return short_unit(measure.total_unit) or count_unit(measure.name)
    unit = short_unit(measure.unit)
    return unit if unit not in ("", "1/s") else _inferred(measure)


def kind_of_unit(question: Question) -> str:
    """The unit of the answer's figures, also one that only the name of the measure says: kilograms, litres, euros."""
    unit = unit_of_question(question)
    last = _PARTS.sub("", question.measure.name).rpartition("_")[2].lower()
    return unit if unit or not dimension_of(last) or question.measure.type != "gauge" else last


def adds_up(question: Question) -> bool:
    """Whether what added up over the range is asked for, and the measure can tell."""
    wanted = question.is_total or (question.aggregation == "sum" and question.kind != "series")
    return wanted and bool(question.measure.total) and not question.is_current


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


def _inferred(measure: Measure) -> str:
    if measure.type == "ratio":
        return "ratio"
    base = base_unit(MetricInfo(measure.name, measure.type, family=_PARTS.sub("", measure.name)))
    return rate_unit(base, measure.name) if measure.type == "counter" else base
