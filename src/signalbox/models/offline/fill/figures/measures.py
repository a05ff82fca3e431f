"""Numeric fields: which number of the sentence a field means, in the unit that it asks for."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rapidfuzz.distance import OSA

from signalbox.language.units import dimension_of, factor_of
from signalbox.language.vectors import is_known, word_rows
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.english.thesaurus import same_meaning
from signalbox.models.offline.fill.figures.counted import (
    counted_nouns,
    counts_people,
    ends_name,
    fits_kind,
    holds_people,
    label_of,
)
from signalbox.models.offline.fill.figures.number_words import kin_of
from signalbox.models.offline.fill.figures.numbers import Quantity
from signalbox.models.offline.fill.figures.units import ANY_UNIT, unit_names, unit_of_field, units_by_case
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = [
    "LIMITING",
    "bounds_alike",
    "convert",
    "counts",
    "counts_one_thing",
    "find_measures",
    "find_numbered",
    "find_units",
    "holds_units",
    "is_year",
    "option_units",
    "typed",
]

_LOWEST = word_set("min minimum least lower low above over from start greater floor")
_HIGHEST = word_set(
    """max maximum most upper high below under limit to end less cap ceiling budget within top until till latest"""
)
LIMITING = _LOWEST | _HIGHEST
_COUNTS = word_set(
    """count limit number quantity qty top amount max maximum size many results total rows entries n
    times copies"""
)
_AMOUNTS = word_set("quantity qty count copies many")
_COUNT_CUES = word_set("top first last latest limit max only newest recent next")
_SAID_LOWEST = re.compile(r"\b(?:at least|lowest|fewest|smallest|minimum|above|shortest)\b", re.IGNORECASE)
_SAID_HIGHEST = re.compile(
    r"\b(?:at most|highest|the most|largest|maximum|below|longest|no more than)\b", re.IGNORECASE
)
# What something happens above or below is said with the same word: "alarm below 4".
_THRESHOLD = re.compile(r"\b(above|over|beyond|below|under) which\b", re.IGNORECASE)
_RATE = re.compile(
    r"\s*(?:times?\s+)?(?:(?:an?|per|each|every|/)\s*([a-z]{3,})|(daily|weekly|monthly|yearly)\b)", re.IGNORECASE
)
_RATED = re.compile(r"\b(?:per|an?|each|every) ([a-z]{3,})\b|\b(daily|weekly|monthly|yearly)\b")
_SAID_COUNT = re.compile(r"^(?:the )?(?:number|count|max(?:imum)? number) of\b|\bhow many\b", re.IGNORECASE)
_HOW_OFTEN = re.compile(r"\btimes\b(?! of)|\bhow often\b|\brepeats?\b|\bretr(?:y|ies)\b|\battempts\b")
_CROSS = re.compile(r"\s*(?:by|x|×)\s*\d", re.IGNORECASE)
_CROSSED = re.compile(r"\d\s*(?:by|x|×)\s*\Z", re.IGNORECASE)
_AGE = re.compile(r"\bage\b|\bhow old\b|\baged\b")
_LINKS = word_set("of is to = : the at a an")
_SUMS = word_set("amount total sum value worth limit salary price cost fee")
_PRICED = frozenset(stem(word) for word in "cost costs budget price spend pay paying worth priced".split())
_MEASURED = word_set("amount value quantity measurement measure")
_YEAR = re.compile(r"\byears?(?! old)\b")
# What is bounded by these is a time: no later than 1860.
_DATED = re.compile(r"\b(?:later|earlier|before|after|since|until|older|newer)\b", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]?([^\W\d_]+(?:/[^\W\d_]+)?|%)")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_OLD = re.compile(r"[\s-]*(?:years? )?(?:old\b|of age\b|y/?o\b)", re.IGNORECASE)
_AGED = re.compile(r"\baged?:?$", re.IGNORECASE)
_SOMEBODY_IS = re.compile(r"\b(?:he|she|who)(?:'s| is| was| turned| turns)$", re.IGNORECASE)
_ALONE = re.compile(r"\s*(?:$|[,.;!?)]|and\b|but\b)")
_NAME_BEFORE = re.compile(r"[A-Z][\w'-]+(?:,| \()$")
_OF_THEM = re.compile(r"\s+of (?:them|these|those)\b", re.IGNORECASE)
# Months and years in whole days and weeks, as people count them.
_DAYS = {("month", "day"): 30, ("year", "day"): 365, ("month", "night"): 30, ("year", "week"): 52}
# From here on a measure that is told in another unit is given in round numbers.
_ROUNDED = 20
_BASE = 0.3
_LEAST = 0.28
_QUANTIFIED = _MEASURED | _AMOUNTS


def find_measures(reading: Reading, field: Field, offered: frozenset[str] = frozenset()) -> list[Proposal]:
    """Proposals for a number, the likelier the nearer its words are to the field's.

    `offered` are the names of units that another field holds as options.
    """
    found = []
    for quantity in reading.quantities:
        value = convert(field, quantity)
        if (
            value is None
            or _is_side(reading, field, quantity)
            or (_ends_name(reading, field, quantity) and not reading.cue(field, quantity.start, quantity.end))
        ):
            continue
        apart = _has_unit_apart(reading, field, quantity, offered)
        score = _score(reading, field, quantity) + 0.65 * apart
        if score >= _LEAST:
            end = quantity.number_end if apart else quantity.end
            found.append(Proposal(field, value, quantity.start, end, score + 0.12 * field.must))
    return found


def _ends_name(reading: Reading, field: Field, quantity: Quantity) -> bool:
    """Whether a number ends a name and is no year that the field asks for: "Malbec Reserva 2021" tells its vintage."""
    return ends_name(reading, quantity) and not (is_year(quantity) and _YEAR.search(field.about))


def _is_side(reading: Reading, field: Field, quantity: Quantity) -> bool:
    """Whether a number is a side of a size, which counts nothing: 20 by 30."""
    if field.kind != "integer" or unit_of_field(field.about, field.maximum)[0]:
        return False
    return bool(_CROSS.match(reading.text, quantity.end) or _CROSSED.search(reading.text[: quantity.start]))


def _has_unit_apart(reading: Reading, field: Field, quantity: Quantity, offered: frozenset[str]) -> bool:
    """Whether the unit of a number is another field's business, so that this one holds the bare number."""
    if not offered or unit_of_field(field.about, field.maximum)[0]:
        return False
    counting = _HOW_OFTEN.search(field.about) or _says_count(field.description)
    if counting and not set(field.name_words) & _QUANTIFIED:
        return False
    return not offered.isdisjoint(unit_names(_unit_said(reading, quantity)[0]))


def _unit_said(reading: Reading, quantity: Quantity) -> tuple[str, int]:
    """The word right behind a number that is its unit or what it counts, and where it ends."""
    if found := _UNIT.match(reading.text, quantity.number_end):
        return found[1], found.end()
    return "", quantity.end


def holds_units(field: Field) -> bool:
    """Whether the options of a field are units: its name says so, or they are known as such."""
    return field.name_words[-1:] == ("unit",) or sum(bool(dimension_of(str(o))) for o in field.options) > 1


def option_units(field: Field, option: Any) -> frozenset[str]:
    """What a unit among a field's options goes by, the other words for it that the schema gives included."""
    others = () if any(d == "money" for d, *_ in dimension_of(str(option))) else field.synonyms.get(str(option), ())
    return unit_names(str(option)).union(*map(unit_names, others))


def find_units(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for a field that holds the unit of a number beside it: the kg of "5 kg", the bag of "3 bags"."""
    found = []
    for quantity in reading.quantities:
        word, end = _unit_said(reading, quantity)
        names = unit_names(word)
        option = next((o for o in field.options if word and not names.isdisjoint(option_units(field, o))), None)
        if option is not None:
            found.append(Proposal(field, option, end - len(word), end, 0.95))
    return found


def find_numbered(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for a field whose options are numbers: a number of the sentence, in the field's unit."""
    if not field.options or not _PLAIN_NUMBER.fullmatch(str(field.options[0])):
        return []
    options = {float(str(one)): one for one in field.options if _PLAIN_NUMBER.fullmatch(str(one))}
    if len(options) < len(field.options):
        return []
    number = replace(field, kind="number", options=())
    found = (replace(p, field=field, value=options.get(p.value)) for p in find_measures(reading, number))
    return [p for p in found if p.value is not None]


def convert(field: Field, quantity: Quantity) -> Any:
    """The number in the field's unit and type, or None when it cannot be that field's."""
    dimension, unit = unit_of_field(field.about, field.maximum)
    if unit == ANY_UNIT:
        unit = units_by_case(field.about).get(quantity.dimension, "")
        dimension = quantity.dimension if unit else ""
    value = quantity.value
    if quantity.dimension and dimension and quantity.dimension != dimension:
        other = next((m for m in quantity.meanings if m[0] == dimension), None)
        if other is None:
            return None
        value = value * other[2] / (factor_of(dimension, unit) if unit and dimension != "money" else 1)
    elif quantity.dimension == "percent" and unit == "fraction":
        value = value / 100
    elif (
        dimension and quantity.dimension == dimension and unit and dimension not in ("percent", "money", "temperature")
    ):
        value = value * (_DAYS.get((quantity.unit, unit)) or quantity.factor / factor_of(dimension, unit))
        if abs(value) < 0.01 < abs(quantity.value):
            # Nobody counts minutes in years.
            return None
        if field.kind == "integer" and unit != quantity.unit and abs(value) >= _ROUNDED:
            value = round(value)
    elif quantity.dimension == "percent" and not (dimension or unit or field.must or field.maximum == 100):
        return None
    return typed(field, round(value, 10))


def typed(field: Field, value: float) -> Any:
    """A number as the field's kind; None when it is out of bounds, or broken where a whole one is wanted."""
    if (field.minimum is not None and value < field.minimum) or (field.maximum is not None and value > field.maximum):
        return None
    if value == int(value) and abs(value) < 1e15:
        return int(value) if field.kind == "integer" else (int(value) if field.kind == "any" else float(value))
    return None if field.kind == "integer" else value


def _score(reading: Reading, field: Field, quantity: Quantity) -> float:
    dimension, unit = unit_of_field(field.about, field.maximum)
    score = _BASE
    if dimension in ("money", "percent") and _DATED.search(reading.text, quantity.reach[0], quantity.start):
        score -= 0.5
    elif (quantity.dimension and (quantity.dimension == dimension or unit == ANY_UNIT)) or (
        any(m[0] == "money" for m in quantity.meanings) and set(field.name_words) & _SUMS
    ):
        # Six hours are rather a field's in hours than one's in minutes.
        score += 0.35 + 0.04 * bool(unit and unit == quantity.unit)
    elif dimension and any(m[0] == dimension for m in quantity.meanings[1:]):
        # "1.8 m" may be minutes, but not where a length is asked for.
        score += 0.3
    elif quantity.dimension and not dimension and set(field.name_words) & _MEASURED:
        score += 0.2
    elif is_year(quantity) or (quantity.bound and _YEAR.search(field.about) and 1000 <= quantity.value <= 2100):
        score += 0.4 if _YEAR.search(field.about) else (0.0 if _bound_score(field, quantity) > 0 else -0.25)
    elif quantity.dimension == "count":
        score += 0.4 if set(field.name_words) & _COUNTS or _HOW_OFTEN.search(field.about) else 0.0
    elif quantity.dimension and not dimension:
        score -= 0.25 if quantity.dimension != "bytes" else 0.15
    elif dimension == "money" or dimension == "percent":
        priced = dimension == "money" and [w.lower for w in reading.before(quantity.start, 1)] == ["at"]
        score += 0.25 if priced else 0.05
    elif dimension and not quantity.dimension:
        score -= 0.05
    score += 0.55 * reading.cue(field, quantity.start, quantity.end)
    score += _noun_score(reading, field, quantity) + _rate_score(reading, field, quantity)
    score += _part_score(reading, field, quantity)
    return score + _bound_score(field, quantity) + _count_score(reading, field, quantity)


def _rate_score(reading: Reading, field: Field, quantity: Quantity) -> float:
    """More for a number told by the same unit as the field: "twice a week", "20 euros per head"."""
    said = _RATE.match(reading.text, quantity.end)
    if said is None:
        return 0.0
    asked = _RATED.search(field.about)
    unit = stem((said[1] or said[2]).lower().removesuffix("ly"))
    if asked and stem((asked[1] or asked[2]).removesuffix("ly")) == unit:
        return 0.45 if quantity.dimension in ("", "count") else 0.15
    return -0.1 if asked else 0.0


def _part_score(reading: Reading, field: Field, quantity: Quantity) -> float:
    """More for how many are in each of what is counted before: the 12 of "4 boxes of 12" for pieces per box."""
    before = reading.before(quantity.start, 2)
    if len(before) < 2 or before[0].lower != "of" or quantity.dimension:
        return 0.0
    asked = _RATED.search(field.about)
    return 0.5 if asked and asked[1] and stem(asked[1]) == before[1].stem else 0.0


def is_year(quantity: Quantity) -> bool:
    """Whether a number may be a year of our time."""
    return not quantity.dimension and 1900 <= quantity.value <= 2100 and quantity.end - quantity.start == 4


def counts(field: Field) -> bool:
    """Whether the field holds how many of something there are."""
    return _says_count(field.description) or not _COUNTS.isdisjoint(field.name_words)


@lru_cache(maxsize=2_000)
def _says_count(description: str) -> bool:
    return _SAID_COUNT.search(description) is not None


def _noun_score(reading: Reading, field: Field, quantity: Quantity) -> float:
    """What is counted ("3 nights") beside what the field speaks of."""
    nouns = counted_nouns(reading, quantity)
    dimension, _ = unit_of_field(field.about, field.maximum)
    if is_year(quantity) and _YEAR.search(field.about):
        # "the 1978 edition" is one edition, and "Malbec 2021" no number of Malbecs.
        return _named_score(field, quantity, nouns)
    if _tells_age(reading, quantity):
        return 0.6 if _AGE.search(field.about) else -0.6
    if nouns and not dimension and (same := fits_kind(field, nouns[0].stem)) is not None:
        return 0.6 if same else -0.6
    if _OF_THEM.match(reading.text, quantity.end) and counts(field) and not _is_sum(field) and not dimension:
        return 0.35
    if counts_people(reading, quantity):
        return 0.5 if holds_people(field) else (-0.6 if dimension else _named_score(field, quantity, nouns))
    if nouns and not quantity.dimension and dimension in ("time", "bytes", "length", "mass"):
        return 0.4 if any(dimension == d for word in nouns for d, *_ in dimension_of(word.lower)) else -0.3
    if nouns and not quantity.dimension and dimension == "money":
        return 0.4 if nouns[0].stem == field.name_stems[-1] or _is_priced(reading, quantity) else -0.4
    if score := _named_score(field, quantity, nouns):
        return score
    if not nouns and not dimension and (label := label_of(reading, quantity)) is not None:
        return 0.35 if any(_speaks_of(field, word) for word in _compound(reading, label)) else -0.35
    if reading.text[: quantity.start].lower().endswith("the ") and not nouns and not quantity.dimension:
        # "the 71" is a thing that goes by its number.
        return -0.3
    before = [w for w in reading.before(quantity.start, 3) if w.lower not in _LINKS]
    if before and (before[0].stem in field.words or any(same_meaning(before[0].stem, w) for w in field.words)):
        return 0.3
    if nouns and nouns[0].stem not in {stem(w) for w in field.described} and not quantity.dimension:
        other = is_known(nouns[0].lower) and counts_one_thing(field)
        return 0.35 if _near(nouns[0].lower, field) else (-0.4 if other else -0.1)
    return 0.0


def counts_one_thing(field: Field) -> bool:
    """Whether the name of a field tells what it counts: the words of word_count, but not what a limit counts."""
    return counts(field) and bool(set(field.name_words) - _COUNTS - LIMITING)


def _speaks_of(field: Field, word: Word) -> bool:
    """Whether a word is one of a field's own, misspelt perhaps, or stands for one."""
    return (
        word.stem in field.kin
        or any(same_meaning(word.stem, other) for other in field.kin)
        or any(kin in field.kin for kin, _ in kin_of(word.stem))
        or any(_is_misspelt(word.lower, name) or _shortens(word.lower, name) for name in field.name_words)
    )


def _compound(reading: Reading, label: Word) -> list[Word]:
    """A label and the noun that it may be one with: the heart of "heart rate"."""
    before = reading.before(label.start, 1)
    joined = bool(before) and before[0].lower.isalpha() and before[0].lower not in STOP
    return [label, *(before if joined and reading.text[before[0].end : label.start] == " " else ())]


def _is_priced(reading: Reading, quantity: Quantity) -> bool:
    """Whether a word for money leads to a number, whatever its currency is called: "it may cost 900 crowns"."""
    return any(w.stem in _PRICED for w in reading.before(quantity.reach[0], 3))


def _tells_age(reading: Reading, quantity: Quantity) -> bool:
    """Whether a number is how old somebody is: "7 years old", "aged 7", "she is 34", "Ann Lee (34)"."""
    found = reading.ages.get(quantity)
    if found is None:
        found = reading.ages[quantity] = _is_age(reading, quantity)
    return found


def _is_age(reading: Reading, quantity: Quantity) -> bool:
    if quantity.dimension not in ("", "time") or quantity.value > 120:
        return False
    before, after = reading.text[: quantity.start].rstrip(), reading.text[quantity.end :]
    if _OLD.match(after) or _AGED.search(before):
        return True
    if quantity.dimension or counted_nouns(reading, quantity):
        return False
    if _SOMEBODY_IS.search(before):
        return _ALONE.match(after) is not None
    return bool(_NAME_BEFORE.search(before)) and after.lstrip()[:1] in (",", ".", "", ")", ";")


def _named_score(field: Field, quantity: Quantity, nouns: list[Word]) -> float:
    for at, word in enumerate(nouns):
        if (
            _is_misspelt(word.lower, field.name_words[-1])
            or word.stem in field.aliases
            or word.stem in field.name_stems
            or any(same_meaning(word.stem, other) for other in field.name_stems)
        ):
            return 0.5 if at == 0 else 0.4
    if _is_sum(field) and nouns and not quantity.dimension:
        # Twelve invoices are no amount, but a 50k loan is one of 50k.
        single = nouns[0].stem in field.words and not nouns[0].lower.endswith("s") and quantity.value > 1
        return 0.4 if single else -0.4
    for at, word in enumerate(nouns[:2]):
        if word.stem in field.words:
            return 0.4 - 0.1 * at if not quantity.dimension or at else 0.1
    return 0.0


def _is_sum(field: Field) -> bool:
    """Whether a field holds an amount of which things are spoken: an invoice has one, and no number counts it."""
    return field.kind == "number" and field.name_words[-1] in _SUMS and not _says_count(field.description)


def _is_misspelt(word: str, name: str) -> bool:
    """Whether a word that nobody knows is a name with a letter wrong."""
    return len(word) > 4 and not is_known(word) and OSA.distance(word, name, score_cutoff=1) == 1


def _shortens(word: str, name: str) -> bool:
    return 2 < len(word) < len(name) and name.startswith(word)


def _near(noun: str, field: Field) -> bool:
    telling = tuple(word for word in dict.fromkeys((*field.name_words, *field.described)) if len(word) > 2)[:12]
    return bool(telling) and _nearness(noun, telling) > 0.55


@lru_cache(maxsize=2_000)
def _nearness(noun: str, words: tuple[str, ...]) -> float:
    return float((word_rows((noun,)) @ word_rows(words).T).max())


def _bound_score(field: Field, quantity: Quantity) -> float:
    if not quantity.bound:
        # A plain year is when something was, not from when or until when it is good.
        return -0.2 if is_year(quantity) and any(_sides(field)) else 0.0
    if threshold := _THRESHOLD.search(field.description):
        return 0.3 if (threshold[1].lower() in ("below", "under")) == (quantity.bound == "max") else -0.5
    if quantity.condition:
        return 0.0
    lowest, highest = _sides(field)
    if quantity.bound == "min":
        return 0.25 if lowest else (-0.5 if highest else 0.0)
    return 0.25 if highest else (-0.5 if lowest else 0.0)


def bounds_alike(field: Field, quantity: Quantity) -> bool:
    """Whether a number is told as the lower or upper bound that a field holds."""
    return _bound_score(field, quantity) > 0


def _sides(field: Field) -> tuple[bool, bool]:
    """Whether a field is a lower or an upper bound: by its name, or else by its description."""
    names = set(field.name_words)
    lowest, highest = bool(names & _LOWEST), bool(names & _HIGHEST)
    if lowest or highest:
        return lowest, highest
    return bool(_SAID_LOWEST.search(field.description)), bool(_SAID_HIGHEST.search(field.description))


def _count_score(reading: Reading, field: Field, quantity: Quantity) -> float:
    before = [word.lower for word in reading.before(quantity.start, 1)]
    counting = counts(field)
    if quantity.bound == "max" and "limit" in field.name_words and not counted_nouns(reading, quantity):
        return 0.5 if not quantity.dimension else 0.0
    if counting and before and before[0] in _COUNT_CUES and not quantity.dimension:
        return 0.45
    nouns = counted_nouns(reading, quantity)
    if counting and len(nouns) > 1 and nouns[0].lower.endswith("est") and not quantity.dimension:
        return 0.45
    if quantity.dimension or not counting:
        return 0.0
    return 0.35 if set(field.name_words) & _AMOUNTS else 0.15
