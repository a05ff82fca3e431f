"""The best of many candidates for what a text means, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA

from signalbox.language.vectors import is_known, known_rows, word_rows
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import LONGEST_TEXT, STOP, split_name, stem
from signalbox.models.offline.fill.english.thesaurus import stands_for

__all__ = ["Match", "best_candidate", "rank_candidates", "word_likeness"]

_MOST_WORDS = 40
_TYPO, _KIN, _SHORT, _MEANING = 0.85, 0.8, 0.8, 0.8
_NEAREST = 0.45
# Words that say what to do shorten nothing: "add" is no address.
_DEEDS = PARTS_OF_SPEECH["verbs"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Match:
    """The candidate that fits best, how well (0 to 1), and how well the next best does."""

    value: str
    score: float
    runner_up: float


@dataclass(frozen=True)
class _Prepared:
    """Candidates as rows of word numbers: what can be worked out before any text is known."""

    values: tuple[str, ...]
    owner: NDArray[np.int64]
    joined: tuple[str, ...]
    initials: tuple[str, ...]
    words: tuple[str, ...]
    stems: tuple[str, ...]
    ids: NDArray[np.int64]
    weight: Floats
    rows: Floats


def best_candidate(
    text: str, candidates: Sequence[str] | Mapping[str, Sequence[str]], *, threshold: float = 0.55
) -> Match | None:
    """The candidate that the text means, or None when none is likely enough or two are equally so.

    A mapping gives each candidate further phrases that mean it.
    """
    ranked = rank_candidates(text, candidates)
    if not ranked or ranked[0][1] < threshold:
        return None
    runner_up = ranked[1][1] if len(ranked) > 1 else 0.0
    if ranked[0][1] - runner_up < 1e-6 and ranked[0][1] < 0.999:
        return None
    return Match(ranked[0][0], round(ranked[0][1], 4), round(runner_up, 4))


def rank_candidates(
    text: str, candidates: Sequence[str] | Mapping[str, Sequence[str]], most: int = 5
) -> list[tuple[str, float]]:
    """The likeliest candidates with their scores, best first."""
    if isinstance(candidates, Mapping):
        prepared = _prepare(tuple((str(value), tuple(map(str, words))) for value, words in candidates.items()))
    else:
        prepared = _prepare(tuple((str(value), ()) for value in candidates))
    words = split_name(text[:LONGEST_TEXT])[:_MOST_WORDS]
    if not prepared.values or not words:
        return []
    scores = _scores(prepared, words)
    best = np.zeros(len(prepared.values), dtype=np.float32)
    np.maximum.at(best, prepared.owner, scores)
    order = np.argsort(-best, kind="stable")[:most]
    return [(prepared.values[at], float(best[at])) for at in order]


@lru_cache(maxsize=64)
def _prepare(candidates: tuple[tuple[str, tuple[str, ...]], ...]) -> _Prepared:
    owner: list[int] = []
    phrases: list[tuple[str, ...]] = []
    for at, (value, more) in enumerate(candidates):
        for words in map(split_name, (value, *more)):
            if words:
                owner.append(at)
                phrases.append(words[:12])
    vocabulary = {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(phrases)))}
    ids = _padded(phrases, vocabulary)
    stems = {word: stem(word) for word in vocabulary}
    return _Prepared(
        values=tuple(value for value, _ in candidates),
        owner=np.array(owner, dtype=np.int64),
        joined=tuple(" ".join(map(stems.__getitem__, words)) for words in phrases),
        initials=tuple("".join([word[0] for word in words]) if len(words) > 1 else "" for words in phrases),
        words=tuple(vocabulary),
        stems=tuple(stems.values()),
        ids=ids,
        weight=_weights(ids, len(vocabulary)),
        rows=known_rows(tuple(vocabulary)),
    )


def _padded(phrases: list[tuple[str, ...]], vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    """One row of word numbers for each phrase, filled up with -1; built flat, since many small lists are slow."""
    lengths = np.fromiter(map(len, phrases), dtype=np.int64, count=len(phrases))
    ids = np.full((len(phrases), int(lengths.max(initial=1))), -1, dtype=np.int64)
    flat = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(phrases)), dtype=np.int64)
    ids[np.arange(ids.shape[1]) < lengths[:, None]] = flat
    return ids


def _weights(ids: NDArray[np.int64], size: int) -> Floats:
    """A word that many candidates share tells little about any one of them; a stop word less still."""
    counts = np.bincount(ids[ids >= 0], minlength=max(size, 1))
    weight: Floats = (1.0 / (1.0 + np.log1p(np.maximum(counts - 1, 0)))).astype(np.float32)
    return weight


def _scores(prepared: _Prepared, words: tuple[str, ...]) -> Floats:
    stems = tuple(stem(word) for word in words)
    likeness = word_likeness(words, stems, prepared.words, prepared.stems, prepared.rows)
    present = prepared.ids >= 0
    ids = np.where(present, prepared.ids, 0)
    weight = np.where(present, prepared.weight[ids], 0.0)
    found = (likeness.max(axis=0)[ids] * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-6)
    heavy = np.array([word not in STOP for word in words], dtype=np.float32)
    if not heavy.any():
        heavy[:] = 1.0
    covered = np.where(present[None], likeness[:, ids], 0.0).max(axis=2)
    covered = (covered * heavy[:, None]).sum(axis=0) / heavy.sum()
    scores: Floats = 0.6 * np.maximum(found, covered) + 0.4 * np.minimum(found, covered)
    return _favour_exact(prepared, words, stems, scores)


def _favour_exact(prepared: _Prepared, words: tuple[str, ...], stems: tuple[str, ...], scores: Floats) -> Floats:
    """A candidate that stands in the text word for word, whole or as its initials, beats any likeness."""
    text, squeezed = f" {' '.join(stems)} ", "".join(words)
    spelled = {word for word in words if word not in STOP and (len(word) > 2 or len(words) == 1)}
    for at, phrase in enumerate(prepared.joined):
        if f" {phrase} " in text:
            scores[at] = max(scores[at], 0.9 + 0.1 * min(1.0, len(phrase) / max(len(text) - 2, 1)))
        elif phrase[0] == squeezed[0] and phrase.replace(" ", "") == squeezed:
            scores[at] = max(scores[at], 0.95)
        elif len(prepared.initials[at]) > 1 and prepared.initials[at] in spelled:
            scores[at] = max(scores[at], 0.85)
    return scores


def word_likeness(
    words: Sequence[str], stems: Sequence[str], others: Sequence[str], other_stems: Sequence[str], rows: Floats
) -> Floats:
    """How alike each word is to each other word: same stem, typing error, short form, family or meaning."""
    nearness = word_rows(tuple(words)) @ rows.T
    likeness: Floats = np.where(nearness > _NEAREST, nearness * _MEANING, 0.0).astype(np.float32)
    likeness = np.minimum(likeness, 0.75)
    places: dict[str, list[int]] = {}
    for place, other in enumerate(other_stems):
        places.setdefault(other, []).append(place)
    strange: list[int] = []
    for at, (word, root) in enumerate(zip(words, stems, strict=True)):
        if word in STOP or not word.isalpha():
            likeness[at] = 0.0
        for kin in stands_for(root):
            likeness[at, places.get(kin, [])] = _KIN
        if root in places:
            likeness[at, places[root]] = 1.0
        elif word.isalpha() and word not in STOP:
            strange.append(at)
    _mark_typos(likeness, words, others, [at for at in strange if len(words[at]) > 3 and not is_known(words[at])])
    _mark_short_forms(likeness, words, others, [at for at in strange if len(words[at]) > 1 and words[at] not in _DEEDS])
    return likeness


def _mark_typos(likeness: Floats, words: Sequence[str], others: Sequence[str], strange: list[int]) -> None:
    if not strange or not others:
        return
    distances = process.cdist(
        [words[at] for at in strange], others, scorer=OSA.normalized_similarity, score_cutoff=0.74, dtype=np.float32
    )
    for row, at in enumerate(strange):
        likeness[at] = np.maximum(likeness[at], distances[row] * 0.95)


def _mark_short_forms(likeness: Floats, words: Sequence[str], others: Sequence[str], strange: list[int]) -> None:
    """ "prod" for production, "mgr" for manager, and the other way round."""
    for at in strange:
        word = words[at]
        for place, other in enumerate(others):
            if other[0] == word[0] and is_short_form(word, other):
                likeness[at, place] = max(float(likeness[at, place]), _SHORT)


@lru_cache(maxsize=20_000)
def is_short_form(word: str, other: str) -> bool:
    """Whether one word shortens the other: its beginning, or its consonants in order."""
    short, whole = sorted((word, other), key=len)
    if len(short) < 2 or len(whole) < len(short) + 2 or not whole.isalpha():
        return False
    if len(short) >= 3 and whole.startswith(short):
        return True
    consonants = [letter for letter in whole if letter not in "aeiou"]
    if set(short) & set("aeiou") or len(short) < 2 or len(consonants) < len(short):
        return False
    letters = iter(consonants)
    return all(letter in letters for letter in short) and short[-1] in whole[len(whole) // 2 :]
