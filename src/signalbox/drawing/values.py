"""Values and moments as people read them: 1.5 GiB, 230 ms, 12.3%, 45 req/s; a moment in the person's zone.

Units are machine-readable: bytes, bits, seconds, milliseconds, ratio, percent, celsius, …, a noun such as requests,
each also by the second (`bytes/s`, `requests/s`, `1/s`), and `timestamp` (seconds since 1970); empty if unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from signalbox.language.units import BINARY_PREFIXES, PREFIXES, factor_of, symbol_of
from signalbox.settings import person_zone

__all__ = ["format_moment", "format_span", "format_value", "short_unit"]

_BINARY = (*((size, f"{prefix}B") for prefix, size in reversed(BINARY_PREFIXES.items())), (1.0, "B"))
_MANY = tuple((size, prefix) for prefix, size in reversed(PREFIXES.items()) if size < 1e15)
_BITS = (*((size, f"{prefix}bit") for size, prefix in _MANY), (1.0, "bit"))
_SMALL_TIMES = tuple(
    (factor_of("time", unit), symbol_of(unit)) for unit in ("second", "millisecond", "microsecond", "nanosecond")
)
_LONG_TIMES = tuple((int(factor_of("time", unit)), symbol_of(unit)) for unit in ("day", "hour", "minute", "second"))
_SIGNS = {
    **{name: symbol_of(name) for name in "celsius hertz volts amperes watts meters grams euros".split()},
    "joules": "J",
    "requests": "req",
}
_MOST_WRITTEN_OUT = 1_000_000


def format_value(value: float, unit: str = "") -> str:
    """The value as people read it: 1.5 GiB, 230 ms, 12.3%, 45 req/s, 1.2 M; a timestamp as a date."""
    if not math.isfinite(value):
        return "no number"
    if unit == "timestamp":
        return _date(value)
    base, _, per = short_unit(unit).partition("/")
    if per == "s" and base not in ("bytes", "bits"):
        value, per = _readable_rate(value)
    return f"{_amount(value, base)}{f'/{per}' if per else ''}"


def format_moment(moment: datetime, zone: tzinfo | None = None) -> str:
    """The moment in the person's zone, to the minute; to the second where it has seconds."""
    local = moment.astimezone(zone or person_zone())
    return f"{local:%a %d %b %Y %H:%M:%S}" if local.second else f"{local:%a %d %b %Y %H:%M}"


def format_span(start: datetime, end: datetime, zone: tzinfo | None = None) -> str:
    """From a moment to a later one in the person's zone, with the zone's name; the day only once if it is the same."""
    zone = zone or person_zone()
    start, end = start.astimezone(zone), end.astimezone(zone)
    last = format_moment(end, zone)
    if start.date() == end.date():
        last = last.rpartition(" ")[2]
    return f"{format_moment(start, zone)} to {last} ({end.tzname()})"


def short_unit(unit: str) -> str:
    """The unit in its short form: `bytes/second` is `bytes/s`."""
    return unit.replace("/second", "/s")


def _amount(value: float, base: str) -> str:
    if base in ("bytes", "bits"):
        return _scaled(value, _BINARY if base == "bytes" else _BITS)
    if base in ("seconds", "milliseconds"):
        return _time(value / 1_000 if base == "milliseconds" else value)
    if base in ("ratio", "percent"):
        return f"{_percent(value * 100 if base == 'ratio' else value)}%"
    number = _many(value)
    name = "" if base == "1" else _SIGNS.get(base, base)
    return f"{number} {name}" if name else number


def _readable_rate(value: float) -> tuple[float, str]:
    """The rate per second, or for rare events per minute or hour."""
    if not value:
        return value, "s"
    rates = [(value * seconds, name) for seconds, name in ((1, "s"), (60, "min"), (3_600, "h"))]
    return next((rate for rate in rates if abs(rate[0]) >= 0.1), rates[-1])


def _scaled(value: float, scale: Sequence[tuple[float, str]]) -> str:
    size, name = next((step for step in scale if abs(value) >= step[0] * 0.9995), scale[-1])
    return f"{_number(value / size)} {name}"


def _time(seconds: float) -> str:
    if abs(seconds) < 60 or not seconds:
        return _scaled(seconds, _SMALL_TIMES) if seconds else "0 s"
    left = round(abs(seconds))
    parts: list[str] = []
    for length, name in _LONG_TIMES:
        count, left = divmod(left, length)
        if count or parts:
            parts.append(f"{count} {name}" if count else "")
    shown = " ".join(part for part in parts[:2] if part)
    return f"-{shown}" if seconds < 0 else shown


def _percent(value: float) -> str:
    if 99 < abs(value) < 100:
        # Three digits would make a whole of 99.97%.
        return f"{math.floor(abs(value) * 100) / 100:.2f}" if value > 0 else f"{value:.2f}"
    return _number(value)


def _many(value: float) -> str:
    if abs(value) < _MOST_WRITTEN_OUT:
        return _number(value)
    size, name = next(step for step in _MANY if abs(value) >= step[0])
    return f"{_number(value / size)}{name}" if abs(value) < 1e15 else _number(value)


def _number(value: float) -> str:
    """Three significant digits, and every digit of a whole number."""
    if not value:
        return "0"
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    if value == round(value):
        return f"{value:,.0f}"
    digits = max(2 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:,.{min(digits, 12)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _date(stamp: float) -> str:
    try:
        return format_moment(datetime.fromtimestamp(0, person_zone()) + timedelta(seconds=round(stamp)))
    except OverflowError:
        return f"{stamp:.3g} s after 1970"
