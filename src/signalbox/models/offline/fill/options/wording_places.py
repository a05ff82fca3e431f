"""Where a wording stands in a sentence: exactly, shortened, run together, or misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from signalbox.language.vectors import is_known
from signalbox.models.offline.fill.english.lexicon import is_verb_form
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.options.candidates import is_short_form
from signalbox.models.offline.fill.options.wordings import Phrase
from signalbox.models.offline.fill.reading import Reading, Word

__all__ = ["find_phrase"]

_MOST_BETWEEN = 6
_ENDS = frozenset(",;.!?")


def find_phrase(reading: Reading, phrase: Phrase) -> Iterator[tuple[int, int, float]]:
    """Where a phrase stands in the sentence, and how faithfully: exactly, shortened, run together, or misspelt."""
    if phrase.parted:
        yield from _apart(reading, phrase)
        return
    words, size = reading.words, len(phrase.stems)
    for at in reading.places.get(phrase.stems[0], ()):
        if tuple(word.stem for word in words[at : at + size]) == phrase.stems:
            exact = "".join(word.lower for word in words[at : at + size]) == phrase.joined
            yield words[at].start, words[at + size - 1].end, 1.0 if exact else 0.96
    if size == 1:
        for at in reading.adverbs.get(phrase.stems[0], ()):
            yield words[at].start, words[at].end, 0.93
    for count in {max(1, size - 1), size, size + 1}:
        for joined, at in reading.windows(count, phrase.joined[0]):
            if (count != size or joined != phrase.joined) and (quality := _likeness(phrase, joined, count)):
                if quality < 0.9 and _spells(reading, words[at : at + count]):
                    continue
                yield words[at].start, words[at + count - 1].end, quality
    if size > 1:
        yield from _shortened(reading, phrase)
    else:
        yield from _hyphenated(reading, phrase)


def _hyphenated(reading: Reading, phrase: Phrase) -> Iterator[tuple[int, int, float]]:
    """Where a form of a word is written with a hyphen: "re-booked" for rebook."""
    for joined, at in reading.windows(2, phrase.joined[0]) if "-" in reading.text else ():
        first, second = reading.words[at], reading.words[at + 1]
        near = second.start == first.end + 1 and reading.text[first.end] == "-" and joined != phrase.joined
        if near and stem(joined) == phrase.stems[0]:
            yield first.start, second.end, 0.95


def _spells(reading: Reading, words: list[Word]) -> bool:
    """Whether several words apart are all words of the language, and so no typing error together: "in version"."""
    apart = len(words) > 1 and " " in reading.text[words[0].start : words[-1].end]
    return apart and all(is_known(word.lower) for word in words)


def _apart(reading: Reading, phrase: Phrase) -> Iterator[tuple[int, int, float]]:
    """Where a verb and then its particle stand in one clause."""
    verb, particle = phrase.stems
    for at in reading.places.get(verb, ()) if particle in reading.places else ():
        for other in reading.words[at + 1 : at + 2 + _MOST_BETWEEN]:
            if other.stem == particle:
                # The words between are another's.
                yield reading.words[at].start, reading.words[at].end, 1.0
            if other.stem == particle or other.lower in _ENDS:
                break


def _shortened(reading: Reading, phrase: Phrase) -> Iterator[tuple[int, int, float]]:
    """Where every word is the phrase's or a short form of it, one at least in full: "mem usage"."""
    size = len(phrase.stems)
    for _, at in reading.windows(size, phrase.joined[0]):
        words = reading.words[at : at + size]
        same = [word.stem == other for word, other in zip(words, phrase.stems, strict=True)]
        if (
            any(same)
            and not all(same)
            and all(
                known or (word.lower not in STOP and len(word.lower) > 2 and is_short_form(word.lower, other))
                for word, other, known in zip(words, phrase.stems, same, strict=True)
            )
        ):
            yield words[0].start, words[-1].end, 0.9


def _likeness(phrase: Phrase, joined: str, count: int) -> float:
    if abs(len(joined) - len(phrase.joined)) > 2 or (count == 1 and joined in STOP):
        return 0.0
    if joined == phrase.joined:
        return 0.99
    if len(phrase.joined) < 4 or len(joined) < 4 or not joined.isalpha():
        return 0.0
    allowed = 1 if len(phrase.joined) < 8 else 2
    distance = OSA.distance(joined, phrase.joined, score_cutoff=allowed)
    if distance > allowed or (count != len(phrase.stems) and distance > 0):
        return 0.0
    if stem(joined) == stem(phrase.joined) or (count == 1 and (is_known(joined) or is_verb_form(joined))):
        return 0.0
    return 0.9 - 0.05 * distance
