"""Search: which of the things that a server offers a question may mean, the best first.

By names, help texts and recipes; by the words themselves, by words that mean the same, by slips of the pen, and by how
near two words are in meaning. An index holds what a server offers and is made once for it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.vocabulary import (
    FILLERS,
    GENERIC,
    HOW,
    MOST,
    SOFT,
    base,
    kin_of,
    label_kind,
    name_words,
    plain_words,
)
from signalbox.language.names import close
from signalbox.language.time.stretches import is_time_word
from signalbox.language.vectors import Rows, embed, is_known, known_rows

__all__ = ["Hit", "Index"]

_NAME, _WORDING, _HELP = 1.0, 1.0, 0.55
_KIN, _TYPO, _NEAR = 0.6, 0.8, 0.75
_LEAST_NEAR = 0.45
_MOST_WORDS = 24
_MOST_TERMS = 30_000
"""So many different words are looked at for slips and for nearness in meaning; the words themselves always count."""
_MOST_NEAR = 8
_WHOLE_WORDING = 0.35
_AS_SPELT = 0.35
_OWN_NAME = 10.0
_COVERED, _NAMED = 1.0, 0.45
_UNTOLD = 0.15
_THING, _KIND, _SOFT, _TOLD = 0.4, 0.6, 0.35, 0.25
"""How much a word counts that is the name of a thing, or of a kind of things such as hosts."""
_ALIKE = 0.5
_MOST_ROWS = 10_000
"""Beyond so many offers only words are looked at, not the meaning of whole texts."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An offer that fits, how well, and which words of the question it explains."""

    offer: Offer
    score: float
    explained: frozenset[str]


class Index:
    """What a server offers, ready to be searched."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = list(offers)
        self.by_key = {one.key: one for one in offers}
        self._metrics = {metric.lower(): one for one in reversed(self.offers) for metric in (*one.metrics, one.key)}
        places: dict[str, dict[int, float]] = defaultdict(dict)
        self._names: list[tuple[str, ...]] = []
        self._wordings: dict[str, list[tuple[frozenset[str], int]]] = defaultdict(list)
        self._spelt_whole: dict[str, list[int]] = defaultdict(list)
        spelt: dict[str, str] = {}
        for place, one in enumerate(self.offers):
            self._add(place, one, places, spelt)
        count = max(len(self.offers), 2)
        self._terms = {
            term: (np.fromiter(found, dtype=np.int64), np.fromiter(found.values(), dtype=np.float32))
            for term, found in places.items()
        }
        self._weights = {term: _weight(term, len(found), count) for term, found in places.items()}
        self._name_weights = np.array(
            [sum(self._weights.get(word, 1.0) for word in words) for words in self._names], dtype=np.float32
        )
        listed = sorted(spelt, key=lambda word: -len(places[spelt[word]]))[:_MOST_TERMS]
        self._spelt = [(word, spelt[word]) for word in listed]
        self._by_letter: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for word, term in self._spelt:
            self._by_letter[word[:1]].append((word, term))
        self._rows: Rows = known_rows(listed)
        few = len(self.offers) <= _MOST_ROWS
        self._texts: Rows = embed([f"{one.title} {one.about}" for one in self.offers] if few else [])

    def _add(self, place: int, one: Offer, places: dict[str, dict[int, float]], spelt: dict[str, str]) -> None:
        words = list(name_words(one.key) if one.recipe and one.family is None else one.title.split())
        if one.recipe and one.family is not None:
            words += [word for word in name_words(one.family.name) if word not in words]
        own = tuple(dict.fromkeys(base(word) for word in words))
        self._names.append(own)
        told = [(word, _NAME) for word in words]
        told += [(word, _WORDING) for wording in one.wordings for word in wording.split()]
        about = "" if one.recipe else one.about
        told += [(word, _HELP) for word in plain_words(about)]
        # What is said of a metric mostly has all of its help text in it.
        if one.family is not None and one.family.help not in about:
            told += [(word, _HELP) for word in plain_words(one.family.help)]
        for bound in one.bounds:
            told += [(word, _HELP) for word in (*bound.variant.words, *name_words(bound.metrics[0]))]
        for word, weight in told:
            lowered, term = word.lower(), base(word)
            if weight == _HELP and lowered in FILLERS:
                continue
            spelt.setdefault(lowered, term)
            found = places[term]
            if weight > found.get(place, 0.0):
                found[place] = weight
        for wording in one.wordings:
            if " " in wording:
                self._spelt_whole[f" {wording.casefold()} "].append(place)
            needed = frozenset(base(word) for word in wording.split())
            for term in list(needed)[:1]:
                self._wordings[term].append((needed, place))

    def knows(self, word: str) -> bool:
        """Whether an offer is called by a word, or its help text has it."""
        return base(word) in self._terms

    def named(self, word: str) -> Offer | None:
        """The offer of this very name: a metric's, or its own."""
        return self._metrics.get(word.lower())

    def search(self, text: str, most: int = 40, things: Collection[str] = ()) -> list[Hit]:
        """The offers that the text may mean, the best first; none where no word speaks of any.

        `things` are words that name something of the server: what is measured of it is said by the others.
        """
        words = _question_words(text, things)
        scores = np.zeros(len(self.offers), dtype=np.float32)
        named = np.zeros(len(self.offers), dtype=np.float32)
        explained: dict[int, set[str]] = defaultdict(set)
        total = 0.0
        for word, importance in words.items():
            terms = self._near_terms(word)
            weight = importance * max((self._weights[term] * sure for term, sure in terms.items()), default=1.0)
            total += importance * (1.0 if terms else _UNTOLD)
            best = np.zeros(len(self.offers), dtype=np.float32)
            for term, sure in terms.items():
                places, held = self._terms[term]
                best[places] = np.maximum(best[places], held * sure)
            scores += weight * best
            for place in np.nonzero(best >= 0.5)[0][:5_000] if len(self.offers) < 5_000 else ():
                explained[int(place)].add(word)
        for place, share in self._named_share(words, things).items():
            named[place] = share
        scores = _COVERED * scores / max(total, 1e-6) + _NAMED * named
        if len(self._texts):
            scores += _ALIKE * np.maximum(self._texts @ embed([" ".join(words)])[0], 0)
        for place, bonus in self._whole_wordings(words).items():
            scores[place] += bonus
        for place in self._places_named(text):
            scores[place] += _OWN_NAME
        for place in self._as_spelt(words):
            scores[place] += _AS_SPELT
        chosen = np.argsort(-scores, kind="stable")[:most]
        return [
            Hit(self.offers[int(at)], float(scores[at]), frozenset(explained.get(int(at), ())))
            for at in chosen
            if scores[at] > 1e-3
        ]

    def telling(self, text: str, covered: Iterable[tuple[int, int]]) -> dict[str, float]:
        """The words of a text, outside what is covered, that would say what is measured, and how much each counts."""
        for start, end in covered:
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
        words = _question_words(text)
        return {
            word: 0.45 if base(word) in _GENERIC else 1.0
            for word, counts in words.items()
            if counts >= 1.0 and not is_time_word(word)
        }

    def _near_terms(self, word: str) -> dict[str, float]:
        """The terms that a word may stand for, each with how surely."""
        own = base(word)
        found = {own: 1.0} if own in self._terms else {}
        for other in kin_of(own):
            if other in self._terms:
                found.setdefault(other, _KIN)
        if own not in found and len(word) > 3:
            found |= self._misspelt(word)
        if len(self._rows) and is_known(word) and len(word) > 2:
            near = self._rows @ known_rows([word])[0]
            for place in np.argsort(-near)[:_MOST_NEAR]:
                if near[place] < _LEAST_NEAR:
                    break
                term = self._spelt[int(place)][1]
                found[term] = max(found.get(term, 0.0), _NEAR * float(near[place]))
        return found

    def _misspelt(self, word: str) -> dict[str, float]:
        """The terms that a word is a slip of the pen away from, or begins like; a slip spares the first letter."""
        found: dict[str, float] = {}
        is_typo = not is_known(word)
        for spelling, term in self._by_letter.get(word[0], ()):
            if abs(len(spelling) - len(word)) <= 2 and close(word, spelling):
                found[term] = _TYPO
            elif is_typo and len(spelling) > 3 and (spelling.startswith(word) or word.startswith(spelling)):
                found.setdefault(term, _KIN)
        return found

    def _named_share(self, words: dict[str, float], things: Collection[str]) -> dict[int, float]:
        """Which part of each offer's own name the question says, by weight."""
        said: dict[int, float] = defaultdict(float)
        terms: dict[str, float] = {}
        for word in words:
            for term, sure in self._near_terms(word).items():
                counts = _THING if word in things else _KIND if label_kind(word) else 1.0
                terms[term] = max(terms.get(term, 0.0), sure * counts)
        for term, sure in terms.items():
            for place in self._terms[term][0].tolist():
                if term in self._names[place]:
                    said[place] += sure * self._weights[term]
        return {place: value / max(float(self._name_weights[place]), 1e-6) for place, value in said.items()}

    def _whole_wordings(self, words: dict[str, float]) -> dict[int, float]:
        """What people call an offer, said whole: more for longer wordings."""
        spoken = {other: counts for word, counts in words.items() for other in (base(word), *_also(word))}
        found: dict[int, float] = {}
        for term in spoken:
            for needed, place in self._wordings.get(term, ()):
                if needed <= spoken.keys():
                    # Words that only say how to answer do not name a measure by themselves.
                    bonus = (_WHOLE_WORDING + 0.12 * (len(needed) - 1)) * max(spoken[one] for one in needed)
                    found[place] = max(found.get(place, 0.0), bonus)
        return found

    def _as_spelt(self, words: Iterable[str]) -> set[int]:
        """The offers that the question calls by words of several, just as they are spelt: memory usage, not used."""
        said = f" {' '.join(words)} "
        return {place for wording, places in self._spelt_whole.items() if wording in said for place in places}

    def _places_named(self, text: str) -> Iterable[int]:
        lowered = {one for one in text.lower().replace("`", " ").split() if "_" in one or ":" in one or "." in one}
        said = {one.strip(".,;?!()\"'").partition("{")[0] for one in lowered}
        for one in said:
            offer = self._metrics.get(one)
            if offer is not None:
                yield self.offers.index(offer)


def _weight(term: str, count: int, all_: int) -> float:
    """How telling a term is: rare ones more, words that fit nearly every measure less."""
    rare = max(0.25, min(1.0, math.log(1 + all_ / count) / math.log(1 + all_)))
    return rare * (0.45 if term in _GENERIC else 1.0)


def _question_words(text: str, things: Collection[str] = ()) -> dict[str, float]:
    """The words of a question that may say what is measured, each with how much it counts."""
    found: dict[str, float] = {}
    # A rate is said of every counter: its second is no time that is measured.
    for word in plain_words(_PER_TIME.sub(" per ", text))[:400]:
        meant = MOST.get(word) or HOW.get(word)
        if meant is not None:
            found[meant] = max(found.get(meant, 0.0), 0.5)
        if word.isdigit() or (word in FILLERS and word not in _TELLING):
            continue
        importance = _TOLD if word in _TELLING else _SOFT if word in SOFT else 1.0
        importance = min(importance, _THING if word in things else _KIND if label_kind(word) else 1.0)
        found[word] = max(found.get(word, 0.0), importance)
    counted = Counter(found)
    return dict(counted.most_common(_MOST_WORDS))


def _also(word: str) -> tuple[str, ...]:
    return (base(HOW[word]),) if word in HOW else ()


_GENERIC = frozenset(map(base, GENERIC))
_PER_TIME = re.compile(r"\b(?:per|a) (?:second|sec|minute|min)\b", re.IGNORECASE)
# Fillers that tell two measures apart where both are there: network in and out, hosts up and down.
_TELLING = frozenset("in out up down many per second free".split())
