"""Numbers and lengths of time: "twenty-four hours", "an hour and a half", "a couple of days", "1h30m"."""

from __future__ import annotations

from typing import NamedTuple

from signalbox.language.numbers import GROUPS
from signalbox.language.time.calendar import Duration, Grain, scale
from signalbox.language.time.lexicon import NUMBERS, UNITS
from signalbox.language.time.reader import Reader

__all__ = ["Length", "read_length", "read_number", "read_unit"]


class Length(NamedTuple):
    """A duration, the unit it was said in, whether a number was said, and the index after it."""

    duration: Duration
    grain: Grain
    counted: bool
    after: int


def read_number(r: Reader, i: int) -> tuple[float, int] | None:
    """A number in digits or words."""
    if r.kind(i) == "number":
        return float(r.tokens[i].value), i + 1
    word = r.word(i)
    if word == "a" and r.word(i + 1) in {*GROUPS, "hundred"}:
        return read_number(r, i + 1)
    if word not in NUMBERS:
        return None
    value, i = NUMBERS[word], i + 1
    if word in GROUPS:
        return value, r.skip(i, ("of",))
    if 20 <= value < 100 and 0 < NUMBERS.get(r.word(i), 0) < 10 and r.word(i) not in GROUPS:
        value, i = value + NUMBERS[r.word(i)], i + 1
    if value < 10 and r.word(i) == "hundred":
        value, i = value * 100, i + 1
    if value >= 100:
        at = r.skip(i, ("and",))
        rest = read_number(r, at) if "hundred" not in (r.word(at), r.word(at + 1)) else None
        if rest and rest[0] < 100:
            value, i = value + int(rest[0]), rest[1]
    return value, i


def read_unit(r: Reader, i: int) -> tuple[tuple[Grain, int], int] | None:
    unit = UNITS.get(r.word(i))
    return None if unit is None else (unit, i + 1)


def read_length(r: Reader, i: int) -> Length | None:
    """A length of time, of one or several parts."""
    first = _read_single(r, i)
    if first is None:
        return None
    while True:
        joint = r.skip(r.skip_comma(first.after), ("and",))
        more = _read_single(r, joint) if first.counted or joint > first.after else None
        if more is None or more.grain >= first.grain or not more.counted:
            return first
        first = Length(first.duration.plus(more.duration), more.grain, True, more.after)


def _read_single(r: Reader, i: int) -> Length | None:
    if r.kind(i) == "quantity":
        duration, grain = r.tokens[i].value
        return Length(duration, grain, True, i + 1)
    count, after = _read_count(r, i)
    unit = read_unit(r, r.skip(after, ("roughly",)))
    if unit is None:
        return None
    (grain, times), after = unit
    extra, after = _read_extra(r, after)
    return Length(scale(grain, ((1 if count is None else count) + extra) * times), grain, count is not None, after)


def _read_count(r: Reader, i: int) -> tuple[float | None, int]:
    """How many: None if no number is said ("last hour")."""
    part = _read_fraction(r, i)
    if part is not None:
        return part
    number = read_number(r, i)
    if number is None:
        return (1, i + 1) if r.word(i) == "a" else (None, i)
    value, after = number
    extra, after = _read_extra(r, after)
    return value + extra, after


def _read_fraction(r: Reader, i: int) -> tuple[float, int] | None:
    """half an, a half, quarter of an, three quarters of an."""
    times, j = 1.0, i
    if r.word(i) == "a" and r.word(i + 1) in ("half", "quarter"):
        j = i + 1
    elif r.word(i) == "three" and r.word(i + 1) in ("quarter", "quarters"):
        times, j = 3.0, i + 1
    if r.word(j) not in ("half", "quarter", "quarters"):
        return None
    value = times * (0.5 if r.word(j) == "half" else 0.25)
    after = r.skip(r.skip(j + 1, ("of",)), ("a", "the"))
    return (value, after) if read_unit(r, after) else None


def _read_extra(r: Reader, i: int) -> tuple[float, int]:
    """... and a half, ... and a quarter."""
    if r.word(i) == "and" and r.word(i + 1) == "a" and r.word(i + 2) in ("half", "quarter"):
        return (0.5 if r.word(i + 2) == "half" else 0.25), i + 3
    return 0.0, i
