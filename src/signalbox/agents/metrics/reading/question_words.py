"""The words of a question that can mean something on a server, each with where it stands and how much it weighs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.agents.metrics.reading.cues import is_superlative
from signalbox.agents.metrics.vocabulary import FILLERS, GENERIC, HOW, MOST, SOFT, base, text_words

__all__ = ["QUANTILE", "STATUS_CODE", "Word", "identifiers", "read_words"]

_IDENTIFIER = re.compile(r"[A-Za-z_:][\w:]*_[\w:]*\w|[A-Za-z0-9][\w]*(?:[-.:/@][\w]+)+|/[\w/.{}:-]*|[A-Za-z]+\d[\w-]*")
_DIRECTION = re.compile(
    r"\b(?:traffic|network|octets|bytes|bandwidth|throughput|packets|data|errors)\s+(?P<after>in|out)\b(?!\s+and\s+(?:in|out)\b)|"
    r"\b(?P<before>in(?!\s+bytes\b)|out)(?:\s+and\s+out)?\s+(?:octets|bytes|errors|packets|traffic|discards)\b(?!\s*(?:per\b|a\s+second|/))",
    re.IGNORECASE,
)
_GENERIC_WEIGHT = 0.35
_SOFT_WEIGHT = 0.4
_MOST_WEIGHT = 0.5
_QUANTILE = re.compile(r"\bp\d{2,3}(?:\.\d+)?\b|\bpercentiles?\b|\bmedian\b", re.IGNORECASE)
_PER_TIME = re.compile(r"\b(?:per|an?|each|every)\s+(?P<unit>second|sec|minute|min|hour|day)\b", re.IGNORECASE)
# The time that something takes: "scan time"; but not "over time", or "this time".
_NO_TIME_OF = (
    "over",
    "what",
    "same",
    "this",
    "that",
    "of",
    "real",
    "up",
    "any",
    "the",
    "in",
    "all",
    "on",
    "many",
    "each",
)
_TIME_OF = re.compile(rf"(?<=\w ){''.join(f'(?<!{word} )' for word in _NO_TIME_OF)}times?\b(?! series)", re.IGNORECASE)
# The unit of the answer says nothing of what is measured: "in bits per second".
_IN_UNIT = re.compile(
    r"\b(?:in|as)\s+(?P<unit>(?:[kmgt]i?|kilo|mega|giga|tera)?(?:bits?|bytes?|bps|b)(?:\s+per\s+second|/s)?|"
    r"(?:milli)?seconds|ms|minutes|hours|days|cores|euros?|dollars?)\b(?!\s+(?:rate|count))",
    re.IGNORECASE,
)
_OFTEN = re.compile(r"\bhow\s+many\s+(?P<times>times)\b", re.IGNORECASE)
_HOW_CUE = re.compile(rf"\bhow\s+(?P<what>{'|'.join(HOW)})\b", re.IGNORECASE)
QUANTILE = "quantile"
"""The word that stands for p95, a percentile or the median."""
STATUS_CODE = "threedigits"
"""The word that stands for a status code or a class of them, such as 500s or 5xx."""
_STATUS = re.compile(
    r"\b[1-5]xx?s?\b|\b[1-5]\d\ds\b|\b(?:status|code|http|status\s+code)\W{0,2}(?P<code>[1-5]\d\d)\b|\((?P<bracketed>[1-5]\d\d)\)|\b[1-5]\d\d(?=\s+(?:errors?|responses?|codes?|status(?:es)?)\b)",
    re.IGNORECASE,
)


# What stands in a text for a word of weight: the pattern (its group, if it has one), the word meant, and its weight.
_SIGNS: tuple[tuple[re.Pattern[str], str, float], ...] = (
    (_PER_TIME, "perunit", 0.0),
    (_OFTEN, "perunit", 0.0),
    (_TIME_OF, "", 0.8),
    (_QUANTILE, QUANTILE, 0.2),
    (_STATUS, STATUS_CODE, 1.0),
    (_DIRECTION, "", 1.0),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word; `weight` is 0 for one that says nothing of what is measured."""

    text: str
    start: int
    end: int
    weight: float
    is_name: bool = False
    """A piece of a name with a number, such as web-1."""

    def is_within(self, spans: list[tuple[int, int]]) -> bool:
        return any(start <= self.start and self.end <= end for start, end in spans)


def read_words(text: str, named: frozenset[str] = frozenset()) -> list[Word]:
    """The words of a text in order, each as what it says of a measure.

    `named` are words, as `base` has them, that names on the server have.
    """
    read: dict[int, tuple[str, float]] = {}
    for word, start, _ in text_words(text):
        read[start] = (word, 0.0 if word in ("in", "out") else _weight(word, named))
        if word in MOST:
            read[start] = (MOST[word], _MOST_WEIGHT)
    for pattern, meaning, weight in _SIGNS:
        for found in pattern.finditer(text):
            start = next((found.start(name) for name, said in found.groupdict().items() if said), found.start())
            if start in read:
                read[start] = (meaning or read[start][0], weight)
    for found in _IN_UNIT.finditer(text):
        for start in read:
            if found.start("unit") <= start < found.end():
                read[start] = (read[start][0], 0.0)
    for found in _HOW_CUE.finditer(text):
        read[found.start("what")] = (HOW[found["what"].lower()], 1.0)
    names = [(start, end) for said, start, end in identifiers(text) if re.search(r"[-.:/@]\d", said)]
    return [
        Word(read[start][0], start, end, read[start][1], any(a <= start < b for a, b in names))
        for word, start, end in text_words(text)
        if word not in ("in", "out") or read[start][1]
    ]


def identifiers(text: str) -> list[tuple[str, int, int]]:
    """Names that no sentence has by chance: with underscores, digits, hyphens or slashes."""
    return [(found.group().rstrip(".:"), found.start(), found.end()) for found in _IDENTIFIER.finditer(text)]


def _weight(word: str, named: frozenset[str]) -> float:
    if word in SOFT:
        return _SOFT_WEIGHT if base(word) in named else 0.0
    if word in FILLERS or word[0].isdigit() or len(word) < 2 or is_superlative(word):
        return 0.0
    return _GENERIC_WEIGHT if base(word) in _GENERIC else 1.0


_GENERIC = frozenset(map(base, GENERIC))
