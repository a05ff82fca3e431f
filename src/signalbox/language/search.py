"""Search many described things, such as the metrics of a server, for those that a text may mean.

An `Index` is made once for the things. It compares words with their names, synonyms and help texts: the words
themselves, words of the same meaning, typing errors, and the similarity of whole texts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from signalbox.language.mentions import Mention, Values, find_mentions
from signalbox.language.names import close
from signalbox.language.synonyms import ASKED, FILLERS, LIGHT, base, kin_of
from signalbox.language.time.stretches import is_time_word
from signalbox.language.vectors import Rows, embed, is_known
from signalbox.language.words import tokens

__all__ = ["Entry", "Found", "Hit", "Index"]

_MOST_WORDS = 24
_MOST_TEXTS = 10_000
"""With more things than this, only words are compared, not whole texts."""
_KIN, _MISSPELT = 0.6, 0.8
_ASKED, _LIGHT, _NAME = 0.7, 0.4, 0.4
_IN_NAME, _SAME_MEANING, _EXACT_NAME = 0.45, 0.5, 10.0
_MARKS = ".,;:?!()\"'`"

T = TypeVar("T")
_Terms = dict[str, float]
"""The terms (see `base`) that a word may stand for, with their certainty."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A thing to search for, and its description."""

    thing: T
    name: Sequence[str]
    """The words of its name."""
    about: str = ""
    """Its help text and synonyms."""
    identifiers: Sequence[str] = ()
    """Exact names; a text that contains one means the thing."""


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """A matching thing, its score, and the words of the text that it explains."""

    thing: T
    score: float
    explained: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The matches for a text, best first."""

    hits: list[Hit[T]]
    mentions: list[Mention] = field(default_factory=list)
    """The known values in the text."""
    words: Mapping[str, float] = field(default_factory=dict)
    """The words that may identify a thing, with their weights."""

    def unexplained(self, hit: Hit[T]) -> tuple[str, ...]:
        """Return the identifying words that this hit does not explain, without figures and times."""
        telling = (word for word, weight in self.words.items() if weight >= 1.0 and not is_time_word(word))
        return tuple(word for word in telling if word not in hit.explained)


class Index(Generic[T]):
    """An index of things to search."""

    def __init__(self, entries: Sequence[Entry[T]]) -> None:
        self._things = [one.thing for one in entries]
        self._exact: dict[str, int] = {}
        places: dict[str, dict[int, None]] = defaultdict(dict)
        in_name: dict[str, dict[int, None]] = defaultdict(dict)
        spelt: dict[str, str] = {}
        for place, one in enumerate(entries):
            for name in one.identifiers:
                self._exact.setdefault(name.lower(), place)
            for word in (*one.name, *(word for word in tokens(one.about) if word not in FILLERS)):
                spelt.setdefault(word.lower(), base(word))
                places[base(word)][place] = None
            for word in one.name:
                in_name[base(word)][place] = None
        self._places = _arrays(places)
        self._in_name = _arrays(in_name)
        self._weights = {term: _weight(len(found), len(entries)) for term, found in places.items()}
        self._name_weights = np.full(len(entries), 1e-6, dtype=np.float32)
        for term, found in self._in_name.items():
            self._name_weights[found] += self._weights[term]
        self._by_letter: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for word, term in spelt.items():
            self._by_letter[word[0]].append((word, term))
        few = len(entries) <= _MOST_TEXTS
        self._texts: Rows = embed([f"{' '.join(one.name)} {one.about}" for one in entries] if few else [])

    def named(self, identifier: str) -> T | None:
        """Return the thing with this identifier, ignoring case."""
        place = self._exact.get(identifier.lower())
        return None if place is None else self._things[place]

    def search(self, text: str, most: int = 40, values: Values | None = None) -> Found[T]:
        """Return the things that a text may mean; none if it has no identifying word.

        Words that name a known value count less than the others.
        """
        mentions = find_mentions(text, values) if values else []
        words = _telling_words(text, mentions, values.labels if values else ())
        terms = {word: self._terms_of(word) for word in words}
        fits = {word: self._fit(found) for word, found in terms.items()}
        scores = self._in_words(words, terms, fits) + _IN_NAME * self._in_names(words, terms)
        if len(self._texts):
            scores += _SAME_MEANING * np.maximum(self._texts @ embed([" ".join(words)])[0], 0)
        exact = self._exactly_named(text)
        scores[list(exact)] += _EXACT_NAME
        best = [place for place in np.argsort(-scores, kind="stable")[:most].tolist() if scores[place] > 1e-3]
        explained = [frozenset(word for word in words if at in exact or fits[word][at] > 0) for at in best]
        hits = [Hit(self._things[at], float(scores[at]), told) for at, told in zip(best, explained, strict=True)]
        return Found(hits, mentions, words)

    def _in_words(self, words: Mapping[str, float], terms: Mapping[str, _Terms], fits: Mapping[str, Rows]) -> Rows:
        """Return the weighted share of the words that each thing contains."""
        scores = np.zeros(len(self._things), dtype=np.float32)
        for word, importance in words.items():
            telling = max((self._weights[term] * sure for term, sure in terms[word].items()), default=0.0)
            scores += importance * telling * fits[word]
        return scores / max(sum(words.values()), 1e-6)

    def _in_names(self, words: Mapping[str, float], terms: Mapping[str, _Terms]) -> Rows:
        """Return the weighted share of each thing's name that the words cover."""
        said: _Terms = {}
        for word, importance in words.items():
            for term, sure in terms[word].items():
                said[term] = max(said.get(term, 0.0), sure * importance)
        scores = np.zeros(len(self._things), dtype=np.float32)
        for term in said.keys() & self._in_name.keys():
            scores[self._in_name[term]] += said[term] * self._weights[term]
        return scores / self._name_weights

    def _fit(self, terms: _Terms) -> Rows:
        fit = np.zeros(len(self._things), dtype=np.float32)
        for term, sure in terms.items():
            fit[self._places[term]] = np.maximum(fit[self._places[term]], sure)
        return fit

    def _terms_of(self, word: str) -> _Terms:
        """Return the terms that a word may stand for, with their certainty."""
        own = base(word)
        found = dict.fromkeys((term for term in kin_of(own) if term in self._places), _KIN)
        if own in self._places:
            found[own] = 1.0
        elif not is_known(word):
            # A slip of the pen spares the first letter.
            found |= {term: _MISSPELT for other, term in self._by_letter.get(word[0], ()) if close(word, other)}
        return found

    def _exactly_named(self, text: str) -> set[int]:
        words = (word.strip(_MARKS).partition("{")[0] for word in text.lower().split())
        return {self._exact[word] for word in words if not word.isalpha() and word in self._exact}


def _arrays(places: Mapping[str, Iterable[int]]) -> dict[str, np.ndarray]:
    return {term: np.fromiter(found, dtype=np.int64) for term, found in places.items()}


def _weight(count: int, all_: int) -> float:
    """Return the weight of a term, given how many things have it."""
    return max(0.25, min(1.0, math.log(1 + all_ / count) / math.log(1 + max(all_, 2))))


def _telling_words(text: str, mentions: Iterable[Mention], labels: Collection[str]) -> dict[str, float]:
    """Return the words of a text that may identify a thing, with their weights."""
    named = {word for one in mentions for word in tokens(text[one.start : one.end])}
    found: dict[str, float] = {}
    for word in tokens(text)[:400]:
        if word in ASKED:
            found[ASKED[word]] = _ASKED
        if word in FILLERS or word.isdigit():
            continue
        is_light = base(word) in LIGHT or (word.isalpha() and is_time_word(word))
        is_name = word in named or base(word) in labels
        weight = _NAME if is_name else _LIGHT if is_light else 1.0
        found[word] = max(found.get(word, 0.0), weight)
    return dict(sorted(found.items(), key=lambda one: -one[1])[:_MOST_WORDS])
