"""Which records a word stands in: in a value, or as the name of a field that holds something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from signalbox.language.names import close
from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.shown.comparing import as_moment
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.verbs import families_of

__all__ = ["PARTICIPLE", "describe_match", "having"]

PARTICIPLE = re.compile(r"\w{3,}ed|taken|sent|put|done|brought|made|given|held|kept|set|paid|sold|shown|cut|read")
_NO = ("no", "none", "false", "not")


def describe_match(text: str, records: Sequence[Record]) -> list[Record]:
    """The records that the words of a text describe best: those sharing the most words with it, if any are shared."""
    wanted = [word for word in tokens(text) if word not in STOP]
    if not wanted:
        return []
    found = [set(map(id, having(word, records))) for word in wanted]
    counts = [(sum(id(record) in one for one in found), record) for record in records]
    best = max((count for count, _ in counts), default=0)
    return [record for count, record in counts if count == best] if best >= 1 else []


@lru_cache(maxsize=2048)
def _stems(text: str) -> frozenset[str]:
    """The stems of the words of a text, and of each two of them written as one."""
    words = tokens(text[:2000])
    joined = (a + b for a, b in pairwise(words) if a.isalpha() and b.isalpha())
    return frozenset(map(stem, words)) | frozenset(joined)


def having(word: str, records: Sequence[Record]) -> list[Record]:
    """The records in which a word stands; where it stands in none, a word like it, or the word mistyped."""
    exact = [record for record in records if _mentions(record, stem(word))]
    like = families_of(word) if PARTICIPLE.fullmatch(word) and not exact else frozenset()
    alike = [record for record in records if like and any(families_of(one) & like for one in tokens(record.text))]
    if exact or alike:
        return exact or alike
    return [record for record in records if any(close(stem(word), other) for other in _stems(record.text))]


def _holds_number(value: object, digits: str) -> bool:
    """Whether a value is a number, or a text that has it among its words; a part of a date or a decimal is none."""
    if isinstance(value, list):
        return any(_holds_number(one, digits) for one in value)
    text = str(value)
    return text == digits or (isinstance(value, str) and as_moment(text) is None and digits in tokens(text))


def _mentions(record: Record, root: str) -> bool:
    """Whether a word stands in a value, or names something that is true of the record."""
    if root.isdigit():
        return any(_holds_number(value, root) for value in record.fields.values())
    if root in _stems(record.text):
        return True
    opposite = root.removeprefix("un").removeprefix("non")
    return any(_is_so(root, opposite, map(stem, split_name(key)), value) for key, value in record.fields.items())


def _is_so(root: str, opposite: str, key: Iterable[str], value: object) -> bool:
    """Whether a word is the name of a field that holds something, or the opposite of one that holds nothing."""
    if value and value not in _NO:
        return root in key
    return opposite != root and opposite in key
