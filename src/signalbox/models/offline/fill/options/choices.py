"""One of several options: which option of a field a sentence names, and where."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import OSA

from signalbox.language.units import dimension_of
from signalbox.language.vectors import is_known, word_rows
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.paraphrases import paraphrases_of
from signalbox.models.offline.fill.english.roots import same_root
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.options.candidates import is_short_form, word_likeness
from signalbox.models.offline.fill.options.denials import denied
from signalbox.models.offline.fill.options.exchanges import exchange_of
from signalbox.models.offline.fill.options.signs import (
    is_article,
    is_counted,
    is_deed,
    is_letter,
    means_other,
    needs_sign,
)
from signalbox.models.offline.fill.options.weekdays import is_weekday
from signalbox.models.offline.fill.options.wording_places import find_phrase
from signalbox.models.offline.fill.options.wordings import Phrase, phrases_of
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times.times import find_times

__all__ = ["excludes", "find_choices", "find_mentions"]

_ARROW_BEFORE = re.compile(r"(?:->|=>|→|➔|>)\s*$")
_ARROW_AFTER = re.compile(r"\s*(?:->|=>|→|➔|>(?!=))")
_EXCLUDING = re.compile(
    r"\bmust not\b|\bmay not\b|\bnot be (?:in|used|part)|\bavoid\w*|\bexclud\w*|\bleft out\b|"
    r"\bleave out\b|\bunwanted\b|\bomit\w*|"
    r"\ballerg\w*|\bwithout which\b|\bnot wanted\b|\bintoleran\w*|\bignored?\b|\bskip(?:ped)?\b"
)
_NOT_EXCLUDED = re.compile(
    r"\b(?:not|never|no|no longer|isn't|aren't|isnt|don't|dont|doesn't)\s+(?:\w+\s+)?"
    r"(?:allerg|intoleran|avoid|exclud|skip|omit|ignor)\w*\b(?:(?!\bbut\b)[^,;.])*$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:sorry|actually|i mean|make (?:that|it)|correction|should be|(?:change|switch)(?: it)? to|no,? wait)"
    r"[\s,:]*(?:an? |the |to )*$",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:and|&|\+|as well as|plus)\s*(?:the\s+|also\s+)?", re.IGNORECASE)
# Short forms that are words of their own by now.
_CLIPPED = word_set(
    """pro prod dev exp repo info admin veg intl temp conf doc prof rep spec tech std prio med adv biz eco veggie intro
    promo demo photo auto tele micro mobi"""
)
# What is less alike than this can be neither meant nor in doubt.
_FAR = 0.3
_EACH = word_set("per each every /")
_DECLARED = 0.97
# Below this weight a wording is of an option's family, or only a part of it.
_PLAIN = 0.85
# A day with its part tells both: "this morning" is a date, and a morning.
_DAY_PARTS = word_set("morning afternoon evening night noon midday midnight")


def find_choices(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for an option field; negated mentions are none."""
    found, refused = find_mentions(reading, field)
    return _corrected(reading, _together(reading, field, found)) or ([] if refused else _by_meaning(reading, field))


def _together(reading: Reading, field: Field, found: list[Proposal]) -> list[Proposal]:
    """Where an option stands for the two others, "a and b" means it, with or without the word itself."""
    both = next((option for option in field.options if str(option).lower() == "both"), None)
    if both is None or len(field.options) != 3:
        return found
    others = sorted((p for p in found if p.value != both and p.score > 0.9), key=lambda p: p.start)
    pairs = [(a, b) for a, b in pairwise(others) if a.value != b.value]
    joined = [(a, b) for a, b in pairs if _AND.fullmatch(reading.text, a.end, b.start)]
    return [replace(a, value=both, end=b.end, score=1.0) for a, b in joined[:1]] or found


def _corrected(reading: Reading, found: list[Proposal]) -> list[Proposal]:
    """Without what a later mention puts right: "a single, sorry, make that a double"."""
    last = max(
        (one.start for one in found if _CORRECTS.search(reading.text, max(0, one.start - 30), one.start)), default=0
    )
    return [one for one in found if one.start >= last]


def find_mentions(reading: Reading, field: Field) -> tuple[list[Proposal], list[Proposal]]:
    """Where options are said, and where they are said to be denied."""
    found: list[Proposal] = []
    refused: list[Proposal] = []
    for phrase in phrases_of(field):
        for start, end, quality in find_phrase(reading, phrase):
            if proposal := _propose(reading, field, phrase, start, end, quality):
                meant = _refuses(reading, field, phrase, start, end) == phrase.when_denied
                (found if meant else refused).append(proposal)
    found += _paraphrased(reading, field)
    return _widest(found), [one for one in refused if not any(one.value == other.value for other in found)]


def _paraphrased(reading: Reading, field: Field) -> list[Proposal]:
    """Options that the sentence means in other words: "it doesn't fit" for wrong_size."""
    if field.coded or not field.options:
        return []
    said = paraphrases_of(field.options)
    places = [(field.options[at], found) for at, way in said for found in way.finditer(reading.text)]
    return [Proposal(field, value, *found.span(), 0.88) for value, found in places]


def _refuses(reading: Reading, field: Field, phrase: Phrase, start: int, end: int) -> bool:
    """Whether a mention is denied; where the field holds what is not wanted, whether that itself is denied."""
    if excludes(field):
        return bool(_NOT_EXCLUDED.search(reading.text, max(0, start - 60), start))
    return denied(reading, start, end, events=phrase.when_denied)


def excludes(field: Field) -> bool:
    """Whether a field holds what is not wanted, so that a denial names its value."""
    return _says_excluded(field.about)


@lru_cache(maxsize=2_000)
def _says_excluded(about: str) -> bool:
    return _EXCLUDING.search(about) is not None


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
    kin = phrase.weight < _PLAIN
    if (not declared and is_deed(reading, field, start, end, inflected, kin)) or (
        quality < 0.98 and is_counted(reading, start)
    ):
        return None
    if not cue and means_other(reading, field, phrase, start, end, kin):
        return None
    measured = _is_unit(reading, field, phrase, start, end)
    if measured is None and not (cue and quality > 0.95):
        return None
    measured = bool(measured)
    if not cue and needs_sign(reading, field, phrase, start, end):
        return None
    if is_article(reading, field, start, end):
        return None
    if phrase.parted or is_letter(reading, start, end):
        pass
    elif (phrase.joined in STOP or reading.text[start:end].lower() in STOP) and not cue:
        declared = 0.9 < phrase.weight < 1.0 and len(phrase.joined) > 3
        if not declared and not reading.acts(start):
            return None
        quality -= 0.2
    if quality < 0.98 and not cue and reading.opens(start):
        quality -= 0.1
    if _cuts_token(reading, start, end):
        if kin and not cue:
            return None
        quality -= 0.3
    score = phrase.weight * quality + 0.05 * cue + _direction(reading, field, start, end)
    return Proposal(
        field, phrase.value, start, end, min(score, 1.0) - (0 if len(phrase.joined) > 1 else 0.05), shared=measured
    )


def _is_unit(reading: Reading, field: Field, phrase: Phrase, start: int, end: int) -> bool | None:
    """Whether an option stands as the unit of a number, as in "20 EUR"; None if it only looks so, as in "30 min"."""
    spans = [(q.start, q.end) for q in reading.quantities if q.dimension]
    spans += (
        [] if _names_time(phrase.joined) or is_weekday(phrase.joined) else [(t.start, t.end) for t in reading.times]
    )
    inside = any(s <= start and end <= e and (s, e) != (start, end) for s, e in spans)
    if not inside:
        return False
    if phrase.joined in _DAY_PARTS or field.coded:
        return True
    if phrase.joined.isdigit() and any(stem(w.lower) in field.words for w in reading.after(end, 1)):
        return False
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


def _direction(reading: Reading, field: Field, start: int, end: int) -> float:
    """In "from open to closed" and "open -> closed" the second is meant, unless the field asks for the first."""
    before = [word.lower for word in reading.before(start, 1)]
    backward = -1 if exchange_of(field) == "start" else 1
    if before == ["from"] or _ARROW_AFTER.match(reading.text, end):
        return -0.04 * backward
    forward = before in (["to"], ["into"]) or _ARROW_BEFORE.search(reading.text, max(0, start - 6), start)
    return 0.04 * backward if forward else 0.0


def _may_mean(word: str, option: str, score: float, must: bool) -> bool:
    """Whether a likeness counts: of short forms those that nobody reads as a word, of typing errors none in front."""
    if is_short_form(word, option):
        short = must or (len(option) > len(word) > 2 and (word in _CLIPPED or not is_known(word)))
        return score >= 0.8 and (short or same_root(stem(word), stem(option)) or option == f"{word}ly")
    alike = word[0] != option[0] and abs(len(word) - len(option)) < 2
    return score >= 0.8 or not alike or OSA.distance(word, option, score_cutoff=1) > 1


def _recurs(reading: Reading, word: Word) -> bool:
    """Whether a span of time is said to come again: "per month", "20 euros a month"; not "for a month"."""
    before = reading.before(word.start, 1)
    if not before or before[0].lower in _EACH:
        return bool(before)
    return before[0].lower in ("a", "an") and any(0 <= before[0].start - q.end < 2 for q in reading.quantities)


def _by_meaning(reading: Reading, field: Field) -> list[Proposal]:
    """The option nearest in meaning to a word of the sentence, when it is near and no other is as near."""
    phrases = [
        phrase
        for phrase in phrases_of(field)
        if len(phrase.stems) == 1 and phrase.weight > 0.8 and len(phrase.joined) > 2 and not phrase.when_denied
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
    for row, (word, scores) in enumerate(zip(words, likeness.tolist(), strict=True)):
        for column, (phrase, near) in enumerate(zip(phrases, scores, strict=True)):
            score = max(near, 0.8) if same_root(word.stem, phrase.stems[0]) else near
            if score < _FAR or not _may_mean(word.lower, phrase.joined, score, field.must):
                continue
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
    if not cue and (
        needs_sign(reading, field, phrase, word.start, word.end)
        or means_other(reading, field, phrase, word.start, word.end, kin=True)
    ):
        return []
    if phrase.joined == f"{word.lower}ly" and not cue and not _recurs(reading, word):
        return []
    needed = (0.4 if field.must else 0.55) if cue else (0.5 if field.must else 0.76)
    if score < needed or margin < 0.08 or denied(reading, word.start, word.end, events=False):
        return []
    if is_deed(reading, field, word.start, word.end, not cue, kin=True) or is_counted(reading, word.start):
        return []
    return [Proposal(field, phrase.value, word.start, word.end, 0.45 + 0.3 * score + 0.05 * cue)]
