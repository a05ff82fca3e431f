"""Street and house number said together, for schemas that hold them apart: "12 Acorn Way", "Via Roma 8"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_addresses"]

_STREETS = (
    r"(?:street|st|avenue|ave|road|rd|lane|ln|drive|blvd|boulevard|way|square|court|place|close|terrace|row|walk|"
    r"crescent|gardens|grove|hill|mews|quay|parade|rise|view|alley)"
)
_NUMBER = r"\d{1,4}(?:\s?[a-z]\b|[-/]\d{1,4})?(?![\w.:%])"
_AHEAD = re.compile(
    rf"(?<![\w-])(?P<number>{_NUMBER})\s+(?P<street>(?:[^\W\d][\w'.-]*\s+){{0,3}}{_STREETS})\b", re.IGNORECASE
)
_BEHIND = re.compile(
    r"(?P<street>(?:[^\W\d_][\w'.-]*\s+){0,3}?[^\W\d_][\w'.-]*)(?:,?\s+(?:number|no\.?|nr\.?|house)|,)?\s+"
    rf"(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_STREET = re.compile(rf"\b{_STREETS}\Z|(?:stra(?:ss|ß)e|gasse|weg|platz|allee|gata|gatan|straat|laan)\Z", re.IGNORECASE)
_BOTH = re.compile(r"\bstreet (?:and|with|&) (?:house )?number\b|\bnumber (?:and|with|&) street\b")
_TOWN = re.compile(r"(?:,| in|, in)\s([^\W\d_a-z][\w'-]+(?: [^\W\d_a-z][\w'-]+)*)(?!\s\d)")
_TOWNS = word_set("town city village place")
_BEFORE_STREETS = word_set("at in on outside near opposite from to along address street")
_NO_STREETS = STOP | _BEFORE_STREETS


def find_addresses(reading: Reading, leaves: list[Field]) -> Iterator[Proposal]:
    """Proposals for a street and for a house number, where a schema asks for both."""
    strings = [leaf for leaf in leaves if leaf.kind == "string"]
    yield from _whole(reading, strings)
    numbers = [leaf for leaf in strings if _asks_number(leaf)]
    streets = [leaf for leaf in strings if "street" in leaf.name_words and not _asks_number(leaf)]
    for number in numbers:
        street = next((one for one in streets if one.path.rpartition(".")[0] == number.path.rpartition(".")[0]), None)
        for found in _pairs(reading) if street is not None else ():
            assert street is not None
            yield Proposal(street, found["street"], *found.span("street"), 1.05)
            yield Proposal(number, found["number"].replace(" ", ""), *found.span("number"), 1.05)
            return


def _whole(reading: Reading, strings: list[Field]) -> Iterator[Proposal]:
    """For a field of street and number together: both, also in small letters."""
    for field in strings:
        if _BOTH.search(field.about):
            for found in _pairs(reading):
                start, end = min(found.start("street"), found.start("number")), found.end()
                if "," not in (said := reading.text[start:end]):
                    yield Proposal(field, said, start, end, 0.9)
                    yield from _town_behind(reading, field, strings, end)


def _town_behind(reading: Reading, street: Field, strings: list[Field], end: int) -> Iterator[Proposal]:
    """The name behind a street, for the town of the same address: "12 Acorn Way, Dunmore"."""
    found = _TOWN.match(reading.text, end)
    part = street.path.rpartition(".")[0]
    for field in strings if found else ():
        if found and field.path.rpartition(".")[0] == part and _TOWNS & set(field.name_words):
            yield Proposal(field, found[1], *found.span(1), 0.85)


def _asks_number(field: Field) -> bool:
    words = set(field.name_words)
    housed = bool({"house", "housenumber", "street", "building"} & words) or words == {"number"}
    return housed and bool({"number", "no", "nr", "housenumber"} & words)


def _pairs(reading: Reading) -> Iterator[re.Match[str]]:
    """Where a number stands before a street, or behind a name that is one or that a small word leads to."""
    yield from (found for found in _AHEAD.finditer(reading.text) if _is_name(found["street"]))
    for found in _BEHIND.finditer(reading.text):
        words = found["street"].split()
        small = [at for at, word in enumerate(words) if word.lower() in _NO_STREETS]
        words = words[small[-1] + 1 :] if small else words
        start = found.end("street") - len(" ".join(words))
        before = reading.before(start, 1)
        led = bool(before) and before[0].lower in _BEFORE_STREETS
        titled = bool(words) and all(word[0].isupper() for word in words)
        if words and (_STREET.search(found["street"]) or (led and titled)):
            trimmed = re.compile(rf"(?P<street>{re.escape(' '.join(words))})(?P<link>.*?)(?P<number>{_NUMBER})", re.I)
            if again := trimmed.match(reading.text, start):
                yield again


def _is_name(street: str) -> bool:
    words = street.split()
    return len(words) > 1 and not any(word.lower() in _NO_STREETS for word in words[:-1])
