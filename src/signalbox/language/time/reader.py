"""What every rule of the grammar reads from: the tokens, the moment and the zone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from signalbox.language.numbers import ORDINALS
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, UNITS, WEEKDAYS
from signalbox.language.time.tokens import Token
from signalbox.language.words import word_list

__all__ = ["Reader"]

# What may stand after a bare number that is a clock time: "at 9 please", and not "at 9 hosts".
_FOLLOWERS = frozenset(
    word_list(
        "please thanks and or by for per on in with what which show grouped group split across using as when "
        "where how was is did does do were are if but so then that i we you who why can could should would "
        "also because broken down versus compared at from to until through of"
    )
)
_MOST_SKIPPED = 5
_NEVER_AFTER_NUMBER = {"time", "percent", *UNITS}


@dataclass(frozen=True, slots=True)
class Reader:
    """Rules are functions of a reader and an index; they give a value and the index after it, or None."""

    tokens: tuple[Token, ...]
    now: datetime
    zone: tzinfo
    future: bool = False  # bare names mean the next one, not the last one
    memo: dict[Any, Any] = field(default_factory=dict)  # what rules found before, so that none works twice

    def kind(self, index: int) -> str:
        return self.tokens[index].kind if 0 <= index < len(self.tokens) else ""

    def word(self, index: int) -> str:
        """The word at the index, or '' if no word stands there."""
        if 0 <= index < len(self.tokens):
            token = self.tokens[index]
            if token.kind == "word":
                word: str = token.value
                return word
        return ""

    def skip(self, index: int, words: Collection[str]) -> int:
        """The index after an optional word."""
        return index + 1 if self.word(index) in words and self.word(index) else index

    def skip_all(self, index: int, words: Collection[str]) -> int:
        for _ in range(_MOST_SKIPPED):
            if not self.word(index) or self.word(index) not in words:
                break
            index += 1
        return index

    def skip_comma(self, index: int) -> int:
        return index + 1 if self.kind(index) == "comma" else index

    def closes(self, index: int) -> bool:
        """Whether what stands here lets the number before it be a clock time or a day."""
        if index >= len(self.tokens):
            return True
        token = self.tokens[index]
        if token.kind == "word":
            return token.value not in _NEVER_AFTER_NUMBER or token.value in WEEKDAYS
        return token.kind != "other" or token.value in _FOLLOWERS

    def is_time_word(self, index: int) -> bool:
        word = self.word(index)
        return any(word in table for table in (WEEKDAYS, MONTHS, PARTS, UNITS, NUMBERS, ORDINALS))
