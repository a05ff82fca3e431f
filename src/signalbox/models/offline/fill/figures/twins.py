"""Two numbers said as a pair, for two fields that are twins: a score of "3-1", a pressure of "120/80"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from signalbox.language.numbers import SMALL
from signalbox.models.offline.fill.english.sentence import STOP, split_name
from signalbox.models.offline.fill.figures.measures import LIMITING
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_twins"]

_WORDS = ["nil", *SMALL[1:11]]
_ONE = rf"\d{{1,3}}|{'|'.join(_WORDS)}"
_PAIR = re.compile(
    rf"(?<![\w.,:/-])(?P<first>{_ONE})(?P<sign>\s*[-–:/]\s*|\s+(?:to|over|all)\s+|\s+(?=nil\b))(?P<second>{_ONE})"
    r"(?![\w/:-]|[.,]\d|\s*[%°€$£])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?:from|between|rows?|pages?|age[sd]?|grades?)\s*\Z", re.IGNORECASE)
_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])")


def find_twins(reading: Reading, leaves: list[Field]) -> Iterator[Proposal]:
    """Both numbers of the first pair, the first for the field that the schema names first."""
    twins = _twins(tuple(leaf for leaf in leaves if leaf.kind in ("integer", "number")))
    if len(twins) != 2:
        return
    for pair in _PAIR.finditer(reading.text):
        if _is_pair(reading, pair):
            for field, part in zip(twins, ("first", "second"), strict=True):
                yield Proposal(field, _number(field, pair[part]), *pair.span(part), 0.99)
            return


def _is_pair(reading: Reading, pair: re.Match[str]) -> bool:
    timed = any(t.start < pair.end() and pair.start() < t.end for t in reading.times)
    dated = _DATE.fullmatch(pair[0]) or (timed and "/" not in pair[0])
    return not dated and not _RANGE.search(reading.text, max(0, pair.start() - 12), pair.start())


def _number(field: Field, said: str) -> int | float:
    value = int(said) if said.isdigit() else _WORDS.index(said.lower())
    return value if field.kind == "integer" else float(value)


@lru_cache(maxsize=256)
def _twins(leaves: tuple[Field, ...]) -> tuple[Field, ...]:
    """The two numeric fields that differ in one word of their name, or of a description that says what they hold."""
    pairs = [pair for pair in pairwise(leaves) if not any(LIMITING & set(leaf.name_words) for leaf in pair)]
    named = [pair for pair in pairs if _differ_in_one(pair[0].name_words, pair[1].name_words, 1)]
    described = [pair for pair in pairs if _differ_in_one(_telling(pair[0]), _telling(pair[1]), 2)]
    found = named or described
    return found[0] if len(found) == 1 else ()


def _telling(leaf: Field) -> tuple[str, ...]:
    return tuple(word for word in split_name(leaf.description.lower()) if word not in STOP)


def _differ_in_one(a: tuple[str, ...], b: tuple[str, ...], shared: int) -> bool:
    same = [one == other for one, other in zip(a, b, strict=False)]
    return len(a) == len(b) and len(a) - sum(same) == 1 and sum(same) >= shared
