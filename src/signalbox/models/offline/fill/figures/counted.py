"""What a number counts: the noun behind it, or people that only a pronoun or a preposition tells of."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_past
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.figures.numbers import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field

__all__ = [
    "NUMBER_WORDS",
    "counted_nouns",
    "counts_people",
    "ends_name",
    "fits_kind",
    "holds_people",
    "is_bare",
    "label_of",
]

_PEOPLE = word_set(
    """servings serves portions people person persons guests guest adults adult passengers passenger pax ppl
    attendees travelers travellers party diners seats folks tickets users customers participants visitors kids
    children students players members friends colleagues employees staff heads persons candidates openings
    covers places spots"""
)
_PEOPLE_STEMS = frozenset(stem(word) for word in _PEOPLE)
# Kinds of people (and others) that a form counts apart: one kind is never the other.
_KINDS = tuple(
    frozenset(stem(word) for word in row.split())
    for row in (
        "adult grown-up grownup grown",
        "child kid infant baby toddler pupil",
        "senior pensioner",
        "pet dog cat animal",
    )
)
_OURS = re.compile(r"\s*(?:of (?:us|them|you)|in (?:our|my|the) (?:group|party))\b", re.IGNORECASE)
_FOR = re.compile(r"\bfor\s*$", re.IGNORECASE)
_WE_ARE = re.compile(
    r"(?:\b(?:feeds?|feeding|serves?|serving|seats?|sleeps?)|"
    r"\b(?:we|we'll|they|they'll)(?: are|'re| will be| would be)|\bwe be|"
    r"\b(?:party|group|table|team|room|family|class) (?:of|for))(?: about| around)?\s*$",
    re.IGNORECASE,
)
# Words behind a number that say how it is meant, not what it counts.
_TAILS = word_set(
    """upward upwards onward onwards downward downwards up
    each tops max maximum min minimum per apiece total altogether or and plus a an the to at for
    next this coming on first last more less fewer higher lower same again now today tomorrow please
    pls thanks thx is are"""
)


# The letters of a code whose number stands apart: the BE of BE 90112.
_LONGEST_PREFIX = 3
NUMBER_WORDS = word_set("number no nr num")
_PLACING = word_set("near beside opposite outside around behind past beyond")
_SAYING = word_set("top only say says make makes show shows reads put down got stands enter")
_NO_LABELS = PARTS_OF_SPEECH["verbs"] | PARTS_OF_SPEECH["stops"] | PARTS_OF_SPEECH["pronouns"] | _TAILS | _SAYING


def counted_nouns(reading: Reading, quantity: Quantity) -> list[Word]:
    """The words right behind a number, up to the next small word: what it counts."""
    if quantity.number_end not in reading.nouns:
        reading.nouns[quantity.number_end] = _find_nouns(reading, quantity)
    return reading.nouns[quantity.number_end]


def _find_nouns(reading: Reading, quantity: Quantity) -> list[Word]:
    nouns: list[Word] = []
    place = quantity.number_end
    for word in reading.after(quantity.number_end, 3):
        apart = reading.text[place : word.start].strip(" -+")
        if apart or not word.lower.isalpha() or word.lower in STOP or word.lower in _TAILS:
            break
        if any(q.start == word.start for q in reading.quantities) or any(t.start == word.start for t in reading.times):
            break
        nouns.append(word)
        place = word.end
    return [] if nouns and _leads_on(reading, quantity, nouns[-1]) else nouns


def label_of(reading: Reading, quantity: Quantity) -> Word | None:
    """The noun right before a bare number that says which one it is: row 12, seat no. 7, channel 4."""
    if quantity.dimension or quantity.bound or not is_whole(quantity):
        return None
    place, named = quantity.start, None
    for word in reading.before(quantity.start, 3):
        if reading.text[word.end : place].strip(" #:=.") or not word.lower.isalpha():
            return named
        if word.lower not in NUMBER_WORDS:
            # Before "number" stands a noun, even one that is a verb elsewhere.
            small = (
                word.lower in STOP
                or word.lower in _PLACING
                or (named is None and (word.lower in _NO_LABELS or is_past(word.lower)))
            )
            return named if small or _is_plural_of_number(reading, word) else word
        place, named = word.start, word
    return named


def _is_plural_of_number(reading: Reading, noun: Word) -> bool:
    """Whether a noun is counted by the number before it: the sets of "3 sets 10 reps"."""
    before = reading.before(noun.start, 1)
    numbered = bool(before) and before[0].lower.isdigit() and not reading.text[before[0].end : noun.start].strip()
    return numbered and noun.lower.endswith("s") and not noun.lower.endswith("ss")


def _leads_on(reading: Reading, quantity: Quantity, noun: Word) -> bool:
    """Whether a noun behind a labelled number is the label of the next one: the row of "hall 3 row 12"."""
    following = reading.after(noun.end, 1)
    numbered = following and following[0].lower.isdigit() and not reading.text[noun.end : following[0].start].strip()
    plural = _is_plural_of_number(reading, noun)
    return bool(numbered) and not plural and label_of(reading, quantity) is not None


def counts_people(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number says how many people: "2 adults", "five of us", "we are four", "party of 9", "for two"."""
    if quantity.dimension:
        return False
    found = reading.people.get(quantity)
    if found is None:
        found = reading.people[quantity] = _is_of_people(reading, quantity)
    return found


def _is_of_people(reading: Reading, quantity: Quantity) -> bool:
    nouns = counted_nouns(reading, quantity)
    if any(noun.lower in _PEOPLE for noun in nouns[:2]):
        return True
    if nouns:
        return False
    if reading.text[quantity.start : quantity.end].lower().endswith("me"):
        return True
    before = reading.text[max(0, quantity.start - 30) : quantity.start]
    if _OURS.match(reading.text, quantity.end) or _WE_ARE.search(before):
        return True
    return bool(_FOR.search(before)) and quantity.value <= 40 and is_whole(quantity)


def is_whole(quantity: Quantity) -> bool:
    return quantity.value == int(quantity.value)


def holds_people(field: Field) -> bool:
    """Whether a field holds how many people there are."""
    return not unit_of_field(field.about, field.maximum)[0] and bool(field.words & _PEOPLE_STEMS)


def ends_name(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number ends a name, as in "Pier 7": a word with a capital leads to it, and it counts nothing."""
    at = reading.sentence.index_at(quantity.start)
    before = reading.sentence.tokens[max(0, at - 2) : at]
    if len(before) < 2 or not before[-1].text.isalpha() or quantity.dimension:
        return False
    if before[-1].text.islower() or (before[-1].text.isupper() and len(before[-1].text) > _LONGEST_PREFIX):
        return False
    whole = reading.text[quantity.start : quantity.number_end].isdigit()
    joined = whole and not reading.text[before[-1].end : quantity.start].strip()
    return joined and before[-2].text not in ".!?" and not counted_nouns(reading, quantity)


def fits_kind(field: Field, noun: str) -> bool | None:
    """Whether a noun is of the kind that a field counts apart; None when either is of no such kind."""
    said = [kind for kind in _KINDS if noun in kind]
    held = [kind for kind in _KINDS if kind & set(field.name_stems)] or [kind for kind in _KINDS if kind & field.words]
    return None if not said or not held else said[0] in held


def is_bare(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number has no unit, no bound and counts nothing, so that it may be a mere label."""
    return not (quantity.dimension or quantity.bound or counted_nouns(reading, quantity))
