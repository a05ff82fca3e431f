"""Values told by a number or a letter: the room of "room 12", the last four digits of a card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from signalbox.language.numbers import NUMBERS, SMALL
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.roles import style_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["digits_asked", "find_lettered", "is_label"]

_COUNTED = SMALL[3:11]
_DIGITS = re.compile(rf"\b(\d|{'|'.join(_COUNTED)})[ -]digits?\b", re.IGNORECASE)
_LETTERED = re.compile(
    r"^(?:the )?(?:[\w-]+ )??(?:number|letter)s?(?: (?:or|and) (?:number|letter)s?)?(?: of (?:the|a|an)\b|\W*$|[.,;])|"
    r", an? (?:capital )?(?:letter|number)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\b(?P<noun>[^\W\d_]+) (?:(?:no\.?|number|nr\.?|line|#) ?)?"
    r"(?P<label>[A-Z]|\d{1,4}[A-Za-z]?|[A-Z]\d{1,3})\b(?![%'’.:/-]\w| \d)"
)
_SHAPED = word_set("phone mobile telephone fax email url ip currency postcode zip zipcode plate iban")
_UNSAID = word_set("number no nr id code letter name")
_SMALL = STOP | PARTS_OF_SPEECH["stops"]
_WORD = re.compile(r"\w+")
_VEHICLES = word_set("tram bus train underground tube metro subway streetcar trolley trolleybus ferry coach")


@lru_cache(maxsize=2_000)
def digits_asked(description: str) -> int:
    """How many digits a description asks for: "last four digits of the card", "six-digit code"; 0 when it says none."""
    found = _DIGITS.search(description)
    if found is None:
        return 0
    return int(found[1]) if found[1].isdigit() else NUMBERS[found[1].lower()]


def find_lettered(reading: Reading, field: Field) -> Iterator[Proposal]:
    """A number or a letter behind the noun that bears it: "wing B", "seat 12A", "tram 7" for a line."""
    bearers, told = _bearers(field)
    for noun, label, start, end in _labelled(reading.text) if bearers else ():
        if noun not in bearers or label == "I":
            continue
        measured = any(q.start == start and q.end > q.number_end for q in reading.quantities)
        if not measured and (label != "A" or is_label(reading, start, end)):
            yield Proposal(field, label, start, end, 0.98 if told else 0.9)


@lru_cache(maxsize=200)
def _labelled(text: str) -> tuple[tuple[str, str, int, int], ...]:
    """Nouns with the number or letter behind them, and where that stands."""
    return tuple((found["noun"].lower(), found["label"], *found.span("label")) for found in _LABELLED.finditer(text))


@lru_cache(maxsize=5_000)
def _bearers(field: Field) -> tuple[frozenset[str], bool]:
    """The nouns that bear what a field asks for, and whether it says that it asks for a number or letter."""
    noun = next((word for word in reversed(field.name_words) if word not in _UNSAID), "")
    told = bool(_LETTERED.search(field.description))
    if not noun or field.pattern or noun in _SHAPED or not (told or _may_bear_label(field)):
        return frozenset(), told
    return frozenset((noun, *(_VEHICLES if noun in ("line", "route") else ()))), told


def _may_bear_label(field: Field) -> bool:
    """Whether a field asks for a thing or a place that may be told by a number or a letter alone."""
    shown = [str(one) for one in field.examples]
    coded = not shown or any(re.fullmatch(r"[A-Z]|[A-Z]?\d+[A-Za-z]?", one) for one in shown)
    # "e.g. tram 4" shows that the noun belongs to the value.
    coded = coded and not re.search(r"(?:e\.g\.|such as|like) [a-zA-Z]+ \d", field.description)
    return coded and sort_of(field) in ("thing", "place") and style_of(field) == "name"


def is_label(reading: Reading, start: int, end: int) -> bool:
    """Whether a number stands right behind a noun and counts nothing behind itself: "platform 4"."""
    before, after = reading.before(start, 1), reading.text[end:].lstrip(" ")
    behind = bool(before) and before[0].end == start - 1 and before[0].lower.isalpha()
    word = _WORD.match(after)
    return behind and (word is None or word.group().lower() in _SMALL)
