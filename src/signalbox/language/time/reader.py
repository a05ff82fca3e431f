"""What every rule of the grammar reads from (the tokens, the moment, the zone), and the rules for numbers and lengths.

A rule is a function of a reader and an index; it gives a value and the index after it, or None.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from signalbox.language.numbers import GROUPS, ORDINALS
from signalbox.language.time.calendar import Duration, Grain, scale
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS
from signalbox.language.time.tokens import Token
from signalbox.language.words import word_set

# What may stand after a bare number that is a clock time: "at 9 please", and not "at 9 hosts".
_FOLLOWERS = word_set(
    "please thanks and or by for per on in with what which show grouped group split across using as when "
    "where how was is did does do were are if but so then that i we you who why can could should would "
    "also because broken down versus compared at from to until through of"
)
_MOST_SKIPPED = 5
_NEVER_AFTER_NUMBER = {"time", "percent", *UNITS}
_TIME_WORDS = {*WEEKDAYS, *MONTHS, *PARTS, *UNITS, *NUMBERS, *ORDINALS}


@dataclass(frozen=True, slots=True)
class Reader:
    """The tokens of a text, and when and where it is said."""

    tokens: tuple[Token, ...]
    now: datetime
    zone: tzinfo
    future: bool = False  # bare names mean the next one, not the last one
    memo: dict[Any, Any] = field(default_factory=dict)  # what rules found before, so that none works twice

    def kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def word(self, index: int) -> str:
        """The word at the index, or '' if no word stands there."""
        if 0 <= index < len(self.tokens) and self.tokens[index].kind == "word":
            return str(self.tokens[index].value)
        return ""

    def number(self, index: int) -> str:
        """The figures at the index, or '' if no number in figures stands there."""
        return self.tokens[index].text if self.kind(index) == "number" else ""

    def skip(self, index: int, words: Collection[str]) -> int:
        """The index after an optional word."""
        return index + 1 if self.word(index) in words and self.word(index) else index

    def skip_all(self, index: int, words: Collection[str]) -> int:
        """The index after as many of the words as stand here."""
        end = index + _MOST_SKIPPED
        while index < end and self.word(index) and self.word(index) in words:
            index += 1
        return index

    def skip_comma(self, index: int) -> int:
        return index + 1 if self.kind(index) == "comma" else index

    def take(self, index: int, words: Collection[str]) -> tuple[str, int]:
        """The word at the index and the index after it, if it is one of the words; else '' and the index."""
        after = self.skip(index, words)
        return (self.word(index) if after > index else ""), after

    def closes(self, index: int) -> bool:
        """True if what stands here lets the number before it be a clock time or a day."""
        if index >= len(self.tokens):
            return True
        token = self.tokens[index]
        if token.kind == "word":
            return token.value not in _NEVER_AFTER_NUMBER or token.value in WEEKDAYS
        return token.kind != "other" or token.value in _FOLLOWERS

    def is_time_word(self, index: int) -> bool:
        return self.word(index) in _TIME_WORDS


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


def read_length(r: Reader, i: int) -> Length | None:
    """A length of time, of one or several parts: twenty-four hours, an hour and a half, 1h30m, 2 h 20 min."""
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
    after = r.skip(after, ("roughly",) if count is None else ("roughly", "all"))
    if r.word(after) not in UNITS:
        return None
    grain, times = UNITS[r.word(after)]
    extra, after = _read_extra(r, after + 1)
    return Length(scale(grain, ((1 if count is None else count) + extra) * times), grain, count is not None, after)


def _read_count(r: Reader, i: int) -> tuple[float | None, int]:
    """How many: None if no number is said ("last hour")."""
    part = _read_fraction(r, i)
    if part is not None:
        return part
    number = read_number(r, i)
    if number is None:
        return (1, i + 1) if r.word(i) == "a" else (None, i)
    extra, after = _read_extra(r, number[1])
    return number[0] + extra, after


def _read_fraction(r: Reader, i: int) -> tuple[float, int] | None:
    """half an, a half, quarter of an, three quarters of an."""
    lead, at = r.take(i, ("a", "three"))
    if r.word(at) not in ("half", "quarter", "quarters"):
        return None
    value = (3 if lead == "three" else 1) * (0.5 if r.word(at) == "half" else 0.25)
    after = r.skip(r.skip(at + 1, ("of",)), ("a", "the"))
    return (value, after) if r.word(after) in UNITS else None


def _read_extra(r: Reader, i: int) -> tuple[float, int]:
    """... and a half, ... and a quarter."""
    if r.word(i) == "and" and r.word(i + 1) == "a" and r.word(i + 2) in ("half", "quarter"):
        return (0.5 if r.word(i + 2) == "half" else 0.25), i + 3
    return 0.0, i
