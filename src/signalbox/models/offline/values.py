"""From words of a request to a value of a field: numbers in its unit, times in its format, texts as they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from signalbox.errors import SignalboxError
from signalbox.language.quantities import Quantity, convert, find_quantities, unit_of
from signalbox.language.time import find_range, parse_duration, parse_instant
from signalbox.models.offline.fields import Field

__all__ = ["Moment", "number_value", "text_value", "time_value"]

_EDGE = ' \t\r\n"“”`.,;:!?'
_ARTICLE = re.compile(r"^(?:the|an?) (?=\S+(?: \S+)?$)")
"""Before a short name; in a title ("The Wire") it has a capital, and a longer text is a sentence."""
_FORMATS = {"date": "%Y-%m-%d", "time": "%H:%M"}


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment and the zone in which something is said."""

    now: datetime
    zone: tzinfo


def text_value(words: str) -> str:
    """The words as they stand, without what surrounds them."""
    trimmed = words.strip(_EDGE)
    for opening, closing in ("()", "[]", "‘’", "''"):
        if trimmed.startswith(opening) and (trimmed.endswith(closing) or closing not in trimmed[1:]):
            trimmed = trimmed.removeprefix(opening).removesuffix(closing).strip(_EDGE)
        elif trimmed.endswith(closing) and opening not in trimmed:
            trimmed = trimmed.removesuffix(closing).strip(_EDGE)
    return _ARTICLE.sub("", trimmed)


def number_value(field: Field, words: str) -> int | float | None:
    """The number in the words, in the field's unit and type; None if there is none that can be its value."""
    unit = unit_of(field.name, field.about)
    for quantity in find_quantities(words):
        value = as_number(field, quantity, unit)
        if value is not None:
            return value
    return None


def as_number(field: Field, quantity: Quantity, unit: str) -> int | float | None:
    """A quantity as a value of the field; None if it is out of its bounds or measures something else."""
    schema: Mapping[str, Any] = field.schema.get("items") or field.schema
    value = convert(quantity, unit)
    if value is None:
        return None
    if quantity.unit in ("%", "percent", "pct") and schema.get("maximum") == 1:
        value /= 100
    elif not quantity.unit and 0 < value < 1 and unit in ("%", "percent", "pct"):
        value *= 100
    elif not quantity.unit and schema.get("maximum") == 1 and 1 < value < 100:
        # The 95th percentile is the quantile 0.95.
        value = round(value / 100, 10)
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        return None
    if schema.get("type") == "integer":
        rounded = round(value)
        return rounded if abs(rounded - value) < 1e-6 or quantity.unit else None
    return int(value) if value == int(value) and abs(value) < 1e15 else round(value, 10)


def time_value(field_format: str, words: str, moment: Moment, *, past: bool = False, ends: bool = False) -> str | None:
    """The time in the words as the format writes it; bare names mean the next one, or the last one in the past.

    `ends` takes the end of a range rather than its start.
    """
    try:
        if field_format == "duration":
            length = parse_duration(words)
            return _iso_duration(length) if length is not None else None
        found = _past(words, moment, ends) if past else parse_instant(words, moment.now, moment.zone)
        if found is None:
            found = _past(words, moment, ends)
    except SignalboxError:
        return None
    if found is None:
        return None
    if field_format in _FORMATS:
        return found.strftime(_FORMATS[field_format])
    return found.isoformat(timespec="minutes" if not found.second else "seconds")


def _past(words: str, moment: Moment, ends: bool) -> datetime | None:
    found = find_range(words, moment.now, moment.zone)
    if found is None:
        return None
    return found.range.end if ends else found.range.start


def _iso_duration(length: timedelta) -> str:
    minutes, seconds = divmod(int(length.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = "".join(f"{n}{letter}" for n, letter in ((hours, "H"), (minutes, "M"), (seconds, "S")) if n)
    return "P" + (f"{days}D" if days else "") + (f"T{clock}" if clock else "") if days or clock else "PT0S"
