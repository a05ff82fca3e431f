"""The words of time: what each one means, its synonyms, and what a mistyped word was meant to be.

`data/time_words.json` has the wordings and synonyms that the grammar takes for one word, the words that are mended
where they are mistyped and the ordinary ones near them, the parts of the day, holidays, and the names of zones.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from rapidfuzz.distance import OSA

from signalbox.language import numbers
from signalbox.language.time.calendar import Grain
from signalbox.language.units import TIME_UNITS

TABLES: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "time_words.json").read_text(encoding="utf-8")
)


def inverted(table: dict[str, str]) -> dict[str, str]:
    """For each word of a table the one under which it stands."""
    return {word: meant for meant, words in table.items() for word in words.split()}


def _words(name: str) -> tuple[str, ...]:
    return tuple(word for line in TABLES[name] for word in line.split())


def _numbered(names: str, start: int) -> dict[str, int]:
    return {word: n for n, synonyms in enumerate(names.split(","), start) for word in synonyms.split()}


WEEKDAYS = _numbered(
    "monday mon mondays, tuesday tue tues tuesdays, wednesday wed weds wednesdays, thursday thu thur thurs thursdays, "
    "friday fri fridays, saturday sat saturdays, sunday sun sundays",
    start=0,
)
MONTHS = _numbered(
    "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, "
    "october oct, november nov, december dec",
    start=1,
)
UNITS: dict[str, tuple[Grain, int]] = {
    word: (grain, times)
    for unit, grain, times, also in (
        ("second", Grain.SECOND, 1, ""),
        ("minute", Grain.MINUTE, 1, "mn"),
        ("hour", Grain.HOUR, 1, ""),
        ("day", Grain.DAY, 1, ""),
        ("week", Grain.WEEK, 1, ""),
        ("fortnight", Grain.DAY, 14, ""),
        ("month", Grain.MONTH, 1, "mos mth mths mnth mnths"),
        ("quarter", Grain.QUARTER, 1, "quarter quarters qtr qtrs"),
        ("year", Grain.YEAR, 1, ""),
        ("decade", Grain.YEAR, 10, "decade decades"),
    )
    for word in (*TIME_UNITS.get(unit, ()), *also.split())
}
NUMBERS: dict[str, int] = {**numbers.NUMBERS, **numbers.GROUPS, "hundred": 100}

# Hours of the day; an end past 24 lies on the next day.
PARTS: dict[str, tuple[int, int]] = {
    word: (start, end) for names, (start, end) in TABLES["parts of the day"].items() for word in names.split()
}
# The month in which each begins.
HOLIDAYS: dict[str, tuple[int, int]] = {name: (month, day) for name, (month, day) in TABLES["holidays"].items()}

_SAME = {**{word: word for word in (*_words("other words"), *TABLES["synonyms"])}, **inverted(TABLES["synonyms"])}
_KNOWN = frozenset({*_SAME, *WEEKDAYS, *MONTHS, *UNITS, *NUMBERS, *numbers.ORDINALS, *PARTS})
FIGURED = {word: meant for word, meant in _SAME.items() if word.isalnum() and not word.isalpha()}
_MISTYPED_TARGETS, _SWAPPED_TARGETS = _words("often mistyped"), _words("letters swapped")
_ORDINARY = frozenset(_words("ordinary words"))


@lru_cache(maxsize=4096)
def known_word(word: str) -> str | None:
    """The word as the grammar spells it, mending a slip of the keyboard; None for a word that is not of time."""
    meant = word if word in _KNOWN else _mend(word)
    return None if meant is None else _SAME.get(meant, meant)


def _mend(word: str) -> str | None:
    """The one word of time that lies within a slip or, for long words, two; short words only if letters swapped."""
    if not 4 <= len(word) <= 12 or word in _ORDINARY or not word.isascii():
        return None
    if len(word) == 4:
        return next((t for t in _SWAPPED_TARGETS if sorted(t) == sorted(word) and OSA.distance(t, word) == 1), None)
    near = (t for t in _MISTYPED_TARGETS if t[0] == word[0] and abs(len(t) - len(word)) <= 2)
    close = [(d, t) for t in near if (d := OSA.distance(t, word)) <= (2 if len(t) >= 8 else 1)]
    return min(close)[1] if close else None


WORDINGS: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(known_word(word) or word for word in wording.split()): tuple(meant.split())
    for meant, wordings in TABLES["wordings"].items()
    for wording in wordings
}
"""What a wording of several words stands for, both as words of the grammar."""
