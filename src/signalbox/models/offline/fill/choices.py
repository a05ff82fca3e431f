"""One of several options: which option of a field a sentence names, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rapidfuzz.distance import OSA

from signalbox.models.offline.fill.candidates import is_short_form, word_likeness
from signalbox.models.offline.fill.counted import counted_nouns, counts_people
from signalbox.models.offline.fill.directions import side_of
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times import find_times
from signalbox.models.offline.fill.units import dimension_of
from signalbox.models.offline.fill.wordings import Phrase, phrases_of
from signalbox.models.offline.fill.words import STOP, stem, word_set
from signalbox.models.offline.vectors import is_known, word_rows

__all__ = ["excludes", "find_choices", "find_phrase"]

_ARROW_BEFORE = re.compile(r"(?:->|=>|→|➔|>)\s*$")
_ARROW_AFTER = re.compile(r"\s*(?:->|=>|→|➔|>(?!=))")
_EXCLUDING = re.compile(
    r"\bmust not\b|\bmay not\b|\bnot be (?:in|used|part)|\bavoid\w*|\bexclud\w*|\bleft out\b|"
    r"\bleave out\b|\bunwanted\b|\bomit\w*|"
    r"\ballerg\w*|\bwithout which\b|\bnot wanted\b|\bintoleran\w*|\bignored?\b|\bskip(?:ped)?\b"
)
_DECLARED = 0.97
# A day with its part tells both: "this morning" is a date, and a morning.
_DAY_PARTS = word_set("morning afternoon evening night noon midday midnight")
_PARTICLES = POS["particles"] | {"it", "this", "these", "those", "everything", "away"}
_LEAD_VERBS = word_set("please pls plz you we just then let's")
_WISHES = word_set("want wants need needs like love have going trying wish plan wanted hoping")


def find_choices(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for an option field; negated mentions are none."""
    found = [
        proposal
        for phrase in phrases_of(field)
        for start, end, quality in find_phrase(reading, phrase)
        if (proposal := _propose(reading, field, phrase, start, end, quality))
    ]
    return _widest(found) or _by_meaning(reading, field)


def excludes(field: Field) -> bool:
    """Whether a field holds what is not wanted, so that a denial names its value."""
    return bool(_EXCLUDING.search(field.about))


def _widest(found: list[Proposal]) -> list[Proposal]:
    """Without those that stand inside a longer wording: "direct debit" is more than "debit"."""
    return [
        one
        for one in found
        if not any(
            other.start <= one.start
            and one.end <= other.end
            and other.end - other.start > one.end - one.start
            and other.score > one.score - 0.1
            for other in found
        )
    ]


def _propose(reading: Reading, field: Field, phrase: Phrase, start: int, end: int, quality: float) -> Proposal | None:
    cue = reading.cue(field, start, end)
    inflected = (quality < 0.98 or phrase.weight < 0.85) and not cue
    declared = phrase.weight == _DECLARED and quality > 0.95
    if (
        (reading.denied(start) and not excludes(field))
        or (not declared and _is_deed(reading, field, start, end, inflected))
        or (quality < 0.98 and _is_counted(reading, start))
    ):
        return None
    measured = _is_unit(reading, phrase, start, end)
    if measured is None and not (cue and quality > 0.95):
        return None
    measured = bool(measured)
    if (
        len(phrase.joined) == 1
        and phrase.joined.isalnum()
        and not cue
        and not (reading.text[start:end].isupper() and len(reading.text[start:end]) == 1)
    ):
        return None
    if _is_article(reading, field, start, end):
        return None
    if (phrase.joined in STOP or reading.text[start:end].lower() in STOP) and not cue:
        declared = 0.9 < phrase.weight < 1.0 and len(phrase.joined) > 3
        if not declared and not reading.acts(start):
            return None
        quality -= 0.2
    if quality < 0.98 and not cue and reading.opens(start):
        quality -= 0.1
    if _cuts_token(reading, start, end):
        quality -= 0.3
    score = phrase.weight * quality + 0.05 * cue + _direction(reading, field, start, end, measured)
    return Proposal(
        field, phrase.value, start, end, min(score, 1.0) - (0 if len(phrase.joined) > 1 else 0.05), shared=measured
    )


def _is_article(reading: Reading, field: Field, start: int, end: int) -> bool:
    """Whether an "a" only leads to a noun, such as the name of the field: "a size"."""
    if reading.text[start:end] not in ("a", "an"):
        return False
    before = reading.before(start, 1)
    named = bool(before) and before[0].stem in field.name_stems
    return not named and any(word.lower.isalpha() for word in reading.after(end, 1))


def _is_counted(reading: Reading, start: int) -> bool:
    """Whether a number counts the word: "4 seats" says nothing of how one sits."""
    numbers = [q for q in reading.quantities if counts_people(reading, q)]
    return any(noun.start == start for q in numbers for noun in counted_nouns(reading, q)[:1])


def _is_deed(reading: Reading, field: Field, start: int, end: int, inflected: bool) -> bool:
    """Whether a word stands as a verb ("we want to ship it") though the field's options are no verbs."""
    word = reading.text[start:end].lower()
    before = [w.lower for w in reading.before(start, 2)]
    wished = before[:1] == ["to"] and len(before) > 1 and before[1] in _WISHES and word in POS["verbs"]
    particle = [w.lower for w in reading.after(end, 1)]
    if not wished and not (inflected and _commands(before) and particle and particle[0] in _PARTICLES):
        return False
    options = field.options or field.candidates
    verbs = sum(str(option).lower() in POS["verbs"] for option in options)
    return 2 * verbs < len(options)


def _commands(before: list[str]) -> bool:
    """Whether a verb may stand behind these words, nearest first: at the beginning, or after "please", "could you"."""
    return not before or before[0] in _LEAD_VERBS


def _is_unit(reading: Reading, phrase: Phrase, start: int, end: int) -> bool | None:
    """Whether an option stands as the unit of a number, as in "20 EUR"; None if it only looks so, as in "30 min"."""
    spans = [(q.start, q.end) for q in reading.quantities if q.dimension]
    spans += [] if _names_time(phrase.joined) else [(t.start, t.end) for t in reading.times]
    inside = any(s <= start and end <= e and (s, e) != (start, end) for s, e in spans)
    if not inside:
        return False
    if phrase.joined in _DAY_PARTS:
        return True
    own = dimension_of(str(phrase.value)) or dimension_of(phrase.joined)
    return True if own and own[0][0] not in ("time", "count", "percent", "rate") else None


def _cuts_token(reading: Reading, start: int, end: int) -> bool:
    """Whether the words are only a part of something written as one: the red of red-shift."""
    first, last = reading.text[start - 1 : start], reading.text[end : end + 1]
    beyond = reading.text[end + 1 : end + 2]
    return (first in ("-", "_", "/", ".") and start > 1 and reading.text[start - 2].isalnum()) or (
        last in ("-", "_", "/", ".") and beyond.isalnum()
    )


@lru_cache(maxsize=5_000)
def _names_time(wording: str) -> bool:
    """Whether an option is itself a word for a time, such as a day of the week."""
    return bool(find_times(wording))


def _direction(reading: Reading, field: Field, start: int, end: int, measured: bool) -> float:
    """In "from open to closed" and "open -> closed" the second is meant, unless the field asks for the first."""
    before = [word.lower for word in reading.before(start, 2)]
    before = ["from"] if before == ["of", "out"] else before[:1]
    side = side_of(field)
    backward = side == "start" or bool({"old", "current"} & set(field.name_words))
    forward = side == "end" or "new" in field.name_words
    if _ARROW_BEFORE.search(reading.text, max(0, start - 6), start):
        before = ["to"]
    elif _ARROW_AFTER.match(reading.text, end):
        before = ["from"]
    if measured and forward:
        return -0.3
    if before == ["from"]:
        return 0.04 if backward else -0.04
    if before in (["to"], ["into"]) or (forward and before == ["in"]):
        return -0.04 if backward else 0.04 * (1 + forward)
    return 0.0


def find_phrase(reading: Reading, phrase: Phrase) -> Iterator[tuple[int, int, float]]:
    """Where a phrase stands in the sentence, and how faithfully: exactly, shortened, run together, or misspelt."""
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
                yield words[at].start, words[at + count - 1].end, quality
    if size > 1:
        yield from _shortened(reading, phrase)


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
    if stem(joined) == stem(phrase.joined) or (count == 1 and is_known(joined)):
        return 0.0
    return 0.9 - 0.05 * distance


def _by_meaning(reading: Reading, field: Field) -> list[Proposal]:
    """The option nearest in meaning to a word of the sentence, when it is near and no other is as near."""
    phrases = [
        phrase
        for phrase in phrases_of(field)
        if len(phrase.stems) == 1 and phrase.weight > 0.8 and len(phrase.joined) > 2
    ]
    words = [word for word in reading.words if word.lower not in STOP and word.lower.isalpha() and len(word.lower) > 1][
        :40
    ]
    if not phrases or not words or len(phrases) > 60:
        return []
    others = [phrase.joined for phrase in phrases]
    likeness = word_likeness(
        [w.lower for w in words], [w.stem for w in words], others, [p.stems[0] for p in phrases], word_rows(others)
    )
    best_of: dict[str, tuple[float, int, int]] = {}
    for row, word in enumerate(words):
        for column, phrase in enumerate(phrases):
            score = float(likeness[row, column])
            if is_short_form(word.lower, phrase.joined) and score < 0.8:
                score = 0.0
            key = str(phrase.value)
            if score > best_of.get(key, (0.0, 0, 0))[0]:
                best_of[key] = (score, row, column)
    ranked = sorted(best_of.values(), reverse=True)
    if not ranked:
        return []
    score, row, column = ranked[0]
    word, phrase = words[row], phrases[column]
    margin = score - (ranked[1][0] if len(ranked) > 1 else 0.0)
    cue = reading.cue(field, word.start, word.end)
    needed = (0.4 if field.must else 0.55) if cue else (0.5 if field.must else 0.62)
    if score < needed or margin < 0.08 or reading.denied(word.start):
        return []
    if _is_deed(reading, field, word.start, word.end, not cue) or _is_counted(reading, word.start):
        return []
    return [Proposal(field, phrase.value, word.start, word.end, 0.45 + 0.3 * score + 0.05 * cue)]
