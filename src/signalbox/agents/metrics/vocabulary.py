"""Words of metrics: how names are split and shortened, which mean the same, and which say nothing of a measure."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from signalbox.language.names import close
from signalbox.language.vectors import Rows, is_known, word_rows
from signalbox.language.words import stem

__all__ = [
    "AHEAD",
    "CODES",
    "CONDITIONS",
    "ENDS",
    "EXCLUDES",
    "FILLERS",
    "GENERIC",
    "GOALS",
    "HOW",
    "JOINS",
    "LABEL_WORDS",
    "LEFT",
    "LOWS",
    "MOST",
    "NEGATES",
    "PARTS",
    "PORTIONS",
    "PRESENT",
    "RESTS",
    "SOFT",
    "SPLITS",
    "STORES",
    "SUMS",
    "alike",
    "base",
    "kin_of",
    "label_kind",
    "name_words",
    "plain_words",
    "runs",
    "text_words",
]

# The loader in C, where it is there, reads the tables ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TABLES: dict[str, Any] = yaml.load(Path(__file__).with_name("words.yaml").read_text("utf-8"), _LOADER)

FILLERS = frozenset(_TABLES["fillers"].split())
"""Words of a question that say nothing of what is measured."""
CONDITIONS = frozenset(_TABLES["conditions"].split())
"""Words after which a condition stands."""
EXCLUDES = frozenset(_TABLES["excludes"].split())
"""Words by which something is left out."""
PARTS: dict[str, float] = _TABLES["parts"]
"""Parts of a whole, in percent."""
ENDS: dict[str, tuple[str, ...]] = {end: tuple(words.split()) for end, words in _TABLES["ends"].items()}
"""Which end of the values a part is of, the high or the low one."""
LOWS = frozenset(_TABLES["lows"].split())
"""Words that ask for the low end of what is measured."""
NEGATES = frozenset(_TABLES["negates"].split())
"""Words that turn a state round."""
LEFT = frozenset(_TABLES["left"].split())
"""Words for what is left."""
RESTS = LEFT | frozenset(_TABLES["rests"].split())
"""Words for what is lacking, or left."""
JOINS = frozenset(_TABLES["joins"].split())
"""Words after which stands what something belongs to, or is done with."""
SPLITS = frozenset(_TABLES["splits"].split())
"""Words after which stands what a measure is split by."""
SUMS = frozenset(_TABLES["sums"].split())
"""Words for what is a sum by its meaning."""
PRESENT = frozenset(_TABLES["present"].split())
"""Words for how many there are, where what counts events only knows how many came."""
AHEAD = frozenset(_TABLES["ahead"].split())
"""Words for a time to come."""
CODES: dict[str, tuple[str, ...]] = {
    code: tuple(name.replace(" ", "") for name in names.split(", ")) for code, names in _TABLES["codes"].items()
}
"""For the codes of countries, languages and the like the names that they have, each as one word."""
SOFT = frozenset(_TABLES["soft"].split())
"""Words that are telling only on a server that has them in its names."""
GENERIC = frozenset(_TABLES["generic"].split())
"""Words that fit nearly every measure."""
HOW: dict[str, str] = _TABLES["how"]
"""What "how long" and the like ask for."""
MOST: dict[str, str] = _TABLES["most"]
"""What superlatives such as "longest" are about."""
LABEL_WORDS: dict[str, tuple[str, ...]] = {
    kind: tuple(row["labels"].split()) for kind, row in _TABLES["labels"].items()
}
"""For each kind of label the names it has on servers, the likeliest first."""

_LABEL_KINDS = {word: kind for kind, row in _TABLES["labels"].items() for word in row.get("words", "").split()}
_SAME = {word: line.split()[0] for line in _TABLES["same"] for word in line.split()}
_SHORT: dict[str, str] = _TABLES["short"]

_RUN = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+|[^\W\d_a-zA-Z]+")
_ALNUM = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?\d*|\d+(?:\.\d+)?[a-z]*")


@lru_cache(maxsize=50_000)
def base(word: str) -> str:
    """What stands for the word: its short form written out, one of several that mean the same, without its ending."""
    lowered = _SHORT.get(word.lower(), word.lower())
    return stem(_SAME.get(lowered, lowered))


GOALS = frozenset(map(base, _TABLES["goals"].split()))
"""Words in names of measures that say how much there may or should be, as `base` has them."""
STORES = frozenset(map(base, _TABLES["stores"].split()))
"""Of these, those of what is filled and emptied."""
PORTIONS = frozenset(map(base, _TABLES["portions"].split()))
"""Words in names of measures that say how much of that there is, as `base` has them."""
_KIN = tuple(frozenset(map(base, line.split())) for line in _TABLES["kin"])


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words of an identifier in order, in lower case: snake_case and camelCase; digits stay with their word."""
    return tuple(part.lower() for part in _RUN.findall(name))


def text_words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text in lower case, each with where it starts and ends."""
    return [(found.group().lower().removesuffix("'s"), found.start(), found.end()) for found in _WORD.finditer(text)]


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return [word.lower().removesuffix("'s") for word in _WORD.findall(text)]


def runs(text: str) -> list[tuple[str, int, int]]:
    """The runs of letters and digits, each with where it starts and ends."""
    return [(found.group().lower(), found.start(), found.end()) for found in _ALNUM.finditer(text)]


@lru_cache(maxsize=100_000)
def alike(word: str, other: str) -> float:
    """How sure it is that two words mean the same: 1 where they are one, less for forms of one, typos and kin."""
    if word.lower() == other.lower():
        return 1.0
    first, second = base(word), base(other)
    if first == second:
        return 0.97
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 4 and len(longer) - len(shorter) <= 4 and longer.startswith(shorter):
        return 0.85
    if not is_known(word) and close(word, other):
        return 0.85
    kindred = 0.65 if any(first in kin and second in kin for kin in _KIN) else 0.0
    return max(kindred, _near(word, other, shorter, longer)) if len(shorter) >= 3 else kindred


@lru_cache(maxsize=20_000)
def _row(word: str) -> Rows:
    row: Rows = word_rows([word])[0]
    return row


def _near(word: str, other: str, shorter: str, longer: str) -> float:
    near = float(_row(word) @ _row(other))
    if near > 0.45 and len(shorter) >= 4 and shorter[:4] == longer[:4]:
        # Admissions and admitted: one root, and near in meaning.
        return 0.9
    return 0.7 * near if near > 0.42 and is_known(word) and is_known(other) else 0.0


@lru_cache(maxsize=20_000)
def kin_of(term: str) -> frozenset[str]:
    """What is near in meaning to a term, as `base` has it, by the tables."""
    return frozenset().union(*(kin for kin in _KIN if term in kin)) - {term}


def label_kind(word: str) -> str | None:
    """What a word says of the kind of a label: `host` for servers, machines and nodes."""
    return _LABEL_KINDS.get(word.lower())
