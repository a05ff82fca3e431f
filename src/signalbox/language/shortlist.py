"""Which of very many things to show for a text: those that it names, then the most similar ones."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import log
from operator import add

__all__ = ["shortlist"]

# A name in Latin letters may stand in a text of a script that has no blanks.
_RUN = re.compile(r"[a-z]+|[^\W\d_a-z]+|\d+")
_MOST_RUNS, _MOST_WORDS, _LONGEST_TEXT = 8, 100, 20_000
_SPELT_ALIKE, _SHORTEST = 0.75, 4
_EARLIER = 0.5
_Features = frozenset[str]


def shortlist(text: str, things: Sequence[Sequence[str]], most: int, earlier: str = "") -> list[int]:
    """Return the positions of at most `most` things, in their own order; all of them if there are few.

    A thing is the texts that identify it, such as its id, name and role. A complete occurrence, however hyphenated,
    counts most, then shared words, even misspelt, and last the meaning of the words. Rare features count more than
    common ones. `earlier` is the text before, and counts half.
    """
    if len(things) <= most:
        return list(range(len(things)))
    known = [_features(thing) for thing in things]
    common = Counter(feature for own in known for feature in own)
    weights = {feature: 1.0 + log(len(things) / count) for feature, count in common.items()}
    scores = _scores(text, things, known, weights)
    if earlier:
        before = _scores(earlier, things, known, weights)
        scores = [now + _EARLIER * then for now, then in zip(scores, before, strict=True)]
    best = sorted(range(len(things)), key=lambda place: -scores[place])[:most]
    return sorted(best)


def _scores(
    text: str, things: Sequence[Sequence[str]], known: Sequence[_Features], weights: Mapping[str, float]
) -> list[float]:
    from signalbox.language.vectors import embed

    runs = _runs(text[:_LONGEST_TEXT])
    shares = _misspelt(runs, weights) | dict.fromkeys(_said(runs, weights), 1.0)
    near = embed([" ".join(thing) for thing in things]) @ embed([text])[0]
    return [
        sum(weights[feature] * shares[feature] for feature in own & shares.keys()) + float(near[place])
        for place, own in enumerate(known)
    ]


def _features(thing: Sequence[str]) -> _Features:
    """The runs of letters and digits in the texts of a thing, and each whole text."""
    runs = [_runs(text) for text in thing]
    return frozenset(run for own in runs for run in own) | frozenset("".join(own) for own in runs if own)


def _said(runs: Sequence[str], features: Iterable[str]) -> set[str]:
    """The features that occur in a text as one run or several adjacent ones."""
    said = {joined for start in range(len(runs)) for joined in accumulate(runs[start : start + _MOST_RUNS], add)}
    whole = "".join(runs)
    return {one for one in features if one in said or (not one.isascii() and len(one) > 1 and one in whole)}


def _misspelt(runs: Sequence[str], features: Iterable[str]) -> dict[str, float]:
    """The features spelt similarly to a word of a text, with their similarity."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    known = [one for one in features if len(one) >= _SHORTEST]
    words = [one for one in dict.fromkeys(runs) if len(one) >= _SHORTEST and not one.isdigit()]
    found: dict[str, float] = {}
    for word in words[:_MOST_WORDS]:
        scorer = OSA.normalized_similarity
        for other, likeness, _ in process.extract(word, known, scorer=scorer, score_cutoff=_SPELT_ALIKE, limit=None):
            found[other] = max(found.get(other, 0.0), likeness / 2)
    return found


def _runs(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [run.lstrip("0") or "0" if run.isdigit() else run for run in _RUN.findall(plain)]
