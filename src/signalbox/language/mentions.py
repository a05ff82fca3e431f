"""Known values, such as hosts and services, found in a text in any spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import fold, read_words

__all__ = ["Mention", "Values", "find_mentions"]

_MOST_WORDS, _LONGEST, _SHORTEST, _MOST = 400, 6, 3, 20
_RUN = re.compile(r"[^\W_]+")
_FORM = "~"
"""Marks the key of a value in any form of its words."""


class Mention(NamedTuple):
    """A value in a text, with its label and position."""

    label: str
    value: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """True if the value is not a plain word: web-1, not north."""
        return not self.value.isalpha()


class Values:
    """An index of label values by spelling, for finding them in texts."""

    def __init__(self, labels: Mapping[str, Sequence[str]]) -> None:
        self.labels = frozenset(base(label) for label in labels)
        """The labels, as `base` gives words."""
        self._spelt: dict[str, list[tuple[str, str]]] = {}
        for label, values in labels.items():
            for value in values:
                for key in self._keys(value):
                    self._spelt.setdefault(key, []).append((label, value))

    def get(self, key: str) -> Sequence[tuple[str, str]]:
        """Return the labels and values that are spelt this way."""
        return self._spelt.get(key, ())

    def __bool__(self) -> bool:
        return bool(self._spelt)

    def _keys(self, value: str) -> set[str]:
        pieces = _RUN.findall(fold(value))
        joined = "".join(pieces)
        # In another form: nobody was home. A word that a label is called by names no value.
        is_plain = joined.isalpha() and value[0].isalpha() and base(joined) not in self.labels
        return {key for key in (joined, _FORM + "".join(map(base, pieces)) if is_plain else "") if key}


def find_mentions(text: str, values: Values) -> list[Mention]:
    """Return the values in a text, those that are not plain words first.

    Of several at one position, the longest counts (the Brewery Tap, not a tap), and the one spelt as in the text (db-1,
    not db1).
    """
    found: list[Mention] = []
    reached = 0
    for (start, end), known in sorted(_spans(text, values).items(), key=lambda one: (one[0][0], -one[0][1])):
        if end > reached:
            reached = end
            exact = [one for one in known if one[1].casefold() == text[start:end].casefold()]
            found += [Mention(label, value, start, end) for label, value in exact or known]
    return sorted(found, key=lambda one: not one.is_name)[:_MOST]


def _spans(text: str, values: Values) -> dict[tuple[int, int], dict[tuple[str, str], None]]:
    """Return the positions in a text where values may be, with their labels."""
    words = read_words(text)[:_MOST_WORDS]
    found: dict[tuple[int, int], dict[tuple[str, str], None]] = {}
    for first, begin in enumerate(words):
        joined = form = ""
        for word in words[first : first + _LONGEST]:
            joined += word.word
            form += "" if word.word in FILLERS and word is not begin else base(word.word)
            known = (*values.get(joined), *values.get(_FORM + form))
            spelt = text[begin.start : word.end].casefold()
            # A small word ends a name only if all of it is written out: switched-on.
            is_whole = word.word not in FILLERS or any(spelt == one.casefold() for _, one in known if not one.isalpha())
            if known and len(joined) >= _SHORTEST and is_whole:
                found[begin.start, word.end] = dict.fromkeys(known)
    return found
