"""Adjectives that rank things: the cheapest, the heavier one, the most pages; each by the field that it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from signalbox.language.words import split_name, stem, word_set
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.shown.records import Record

__all__ = ["Ranking", "as_moment", "is_graded", "measure_of", "ranking", "ranks", "scale_words"]

_PRICE = "price cost fare rate total amount fee charge rent sum paid value premium eur usd gbp euro dollar"
_WHEN = "date time start departure created due received submitted timestamp arrival begin expected at on"
_LONG = "duration minutes hours seconds days length pages time km runtime distance"
_SIZE = (
    "size amount total count quantity number pages boxes pieces area value volume capacity balance debt sum rooms "
    "seats beds people places sqm"
)
_LEVEL = "score rating level price rate amount value percent usage temperature count total floor priority"
_RATE = "rating score stars grade points review"
_SCALES: tuple[tuple[str, str, str, bool], ...] = (
    ("cheap inexpensive affordable", "expensive dear pricey costly", _PRICE, False),
    ("light", "heavy", "weight kg mass gram grams g lb lbs tonnes load", False),
    ("early soon", "late recent fresh", _WHEN, True),
    ("new young", "old", "age years", False),
    ("old", "new young", _WHEN, True),
    ("slow", "fast quick", "speed kmh mph mbps kw", False),
    ("fast quick", "slow", "duration minutes hours seconds days time", False),
    ("short brief", "long", _LONG, False),
    ("weak", "powerful strong", "power kw watts watt hp", False),
    ("small little tiny few", "big large great huge many much", _SIZE, False),
    ("low", "high", _LEVEL, False),
    ("bad weak poor", "good strong", f"{_RATE} signal strength", False),
    ("near close", "far", "distance km miles metres meters away", False),
    ("cold cool", "warm hot", "temperature temp degrees celsius", False),
    ("empty", "full busy", "level percent load usage occupancy used booked", False),
    ("narrow thin low short shallow", "wide thick tall high deep", "width height depth thickness length cm mm", False),
    ("quiet", "loud", "volume db loudness noise", False),
    ("dry", "wet damp moist humid", "moisture humidity rain water", False),
    ("inexperienced junior", "experienced senior", "years experience seniority", False),
    ("unpopular", "popular", "views plays votes likes downloads rating sales", False),
)
_ANY = word_set("small little tiny few big large great huge many much low high")
_IRREGULAR = {
    "best": "good", "better": "good", "worst": "bad", "worse": "bad", "most": "many", "more": "many", "least": "few",
    "less": "few", "fewest": "few", "fewer": "few", "latest": "late", "newest": "new", "furthest": "far",
    "farthest": "far", "further": "far", "last-minute": "late",
}  # fmt: skip
_BASES = frozenset(word for low, high, _, _ in _SCALES for word in f"{low} {high}".split())
_URGENCY = {
    word: rank
    for rank, words in enumerate(
        ("lowest trivial", "low minor", "normal medium moderate", "high major", "urgent", "critical")
    )
    for word in words.split()
}
_UNITS = {
    unit: size
    for size, units in (
        (1 / 86_400, "s sec secs second seconds"), (1 / 1_440, "min mins minute minutes"),
        (1 / 24, "h hr hrs hour hours"),
        (1.0, "day days kg kilo kilos gb"), (7.0, "week weeks"), (30.4, "month months"), (365.0, "year years yr yrs"),
        (0.001, "g gram grams mb"), (1_000.0, "t tonne tonnes tb km"), (0.01, "cm"),
    )
    for unit in units.split()
}  # fmt: skip
_URGENT = word_set("urgent important critical severe pressing")
_MEASURES = word_set("percent value level amount reading measure measurement rate score")
_NO_MEASURE = word_set("id ids uuid key number no nr ref code phone zip postcode")


@dataclass(frozen=True)
class Ranking:
    """An adjective that ranks: its base form, whether it turns the scale round, and whether it compares two."""

    base: str
    reverse: bool = False
    compares: bool = False


def is_graded(word: str) -> bool:
    """Whether `more` and `most` before this word rank things."""
    return word in _BASES or word in _URGENT


def ranking(word: str) -> Ranking | None:
    """The adjective behind a superlative or comparative; None when the word is neither."""
    if word in _IRREGULAR:
        return Ranking(_IRREGULAR[word], compares=not word.endswith("st"))
    for ending in ("est", "er"):
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < 2:
            continue
        forms = (rest, f"{rest}e", f"{rest[:-1]}y" if rest.endswith("i") else "", rest[:-1])
        base = next((form for form in forms if form in _BASES), None)
        if base is not None and not (forms[3] == base and rest[-1:] != rest[-2:-1]):
            return Ranking(base, compares=ending == "er")
    return None


def scale_words(adjective: str) -> frozenset[str]:
    """The words for a field that an adjective speaks of."""
    return frozenset(
        stem(word) for low, high, words, _ in _SCALES if adjective in f"{low} {high}".split() for word in words.split()
    )


def ranks(found: Ranking, noun: str, records: Sequence[Record]) -> list[Record]:
    """The records from the most to the least so, by the field that the adjective or the noun beside it means."""
    for names, low, high in _fields_for(found.base, noun, records):
        measured = [(measure_of(record, names), record) for record in records]
        known = [(value, record) for value, record in measured if value is not None]
        if len(known) < 2 or len({type(value) for value, _ in known}) > 1 or len({value for value, _ in known}) < 2:
            continue
        down = (found.base in high and found.base not in low) != found.reverse
        return [record for _, record in sorted(known, key=lambda pair: pair[0], reverse=down)]
    return []


def _fields_for(base: str, noun: str, records: Sequence[Record]) -> list[tuple[str, list[str], list[str]]]:
    """The fields that may be meant, the surest first, each with the words for its low and its high end."""
    keys = list(dict.fromkeys(key for record in records for key in record.fields))
    keys = [key for key in keys if not set(split_name(key)[-1:]) & _NO_MEASURE]
    scales = [(low.split(), high.split(), set(words.split()), timed) for low, high, words, timed in _SCALES]
    scales = [scale for scale in scales if base in scale[0] or base in scale[1]]
    found: list[tuple[str, list[str], list[str]]] = []
    if noun:
        low, high = (scales[0][0], scales[0][1]) if scales else ([], [base])
        found += [(key, low, high) for key in keys if _names(key, noun)]
    if base in _URGENT or noun in ("priority", "urgency", "severity"):
        found += [
            (key, ["low"], [base, "high"]) for key in keys if set(split_name(key)) & {"priority", "urgency", "severity"}
        ]
    for low, high, words, timed in scales:
        named = [key for key in keys if {stem(word) for word in split_name(key)} & {stem(word) for word in words}]
        dated = [key for key in keys if timed and _is_dated(records, key)]
        chosen = [key for key in dated if key in named] + dated if timed else named
        chosen = chosen if timed else [key for key in chosen if not _is_dated(records, key)]
        found += [(key, low, high) for key in chosen]
    numeric = [key for key in keys if _is_numeric(records, key)]
    if scales and len(numeric) == 1 and (base in _ANY or set(split_name(numeric[0])) & _MEASURES):
        found.append((numeric[0], scales[0][0], scales[0][1]))
    return found


def _names(key: str, noun: str) -> bool:
    own = {stem(word) for word in split_name(key)}
    return stem(noun) in own or bool(kin_of(stem(noun)) & own)


def _is_dated(records: Sequence[Record], key: str) -> bool:
    known = [measure_of(record, key) for record in records if record.fields.get(key)]
    return bool(known) and all(isinstance(one, datetime) for one in known)


def _is_numeric(records: Sequence[Record], key: str) -> bool:
    if set(split_name(key)) & _NO_MEASURE:
        return False
    values = {measure_of(record, key) for record in records}
    return len(values) > 1 and all(isinstance(value, float) for value in values)


def measure_of(record: Record, key: str) -> float | datetime | None:
    """A field as something that can be compared: a number, a moment, a rank of urgency."""
    value = record.fields.get(key)
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, int | float):
        year = "year" in split_name(key)[-1:] and 1000 < value < 2200
        return datetime(int(value), 1, 1) if year else float(value)
    return _read(str(value).strip())


def _read(text: str) -> float | datetime | None:
    moment = as_moment(text)
    if moment is not None:
        return moment
    number = re.fullmatch(r"\D{0,4}?(-?\d[\d,. ]*)\s*(\D{0,12})", text)
    if number:
        digits = number.group(1).strip(" .,")
        digits = (
            digits.replace(",", "") if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", digits) else digits.replace(",", ".")
        )
        try:
            return float(digits.replace(" ", "")) * _UNITS.get(number.group(2).strip(" .").lower(), 1.0)
        except ValueError:
            return None
    rank = _URGENCY.get(text.lower())
    return None if rank is None else float(rank)


def as_moment(value: Any) -> datetime | None:
    """A date, a time of day or both, as they stand in data; a time alone falls on the first of days."""
    text = str(value).strip()
    if re.fullmatch(r"\d{1,2}:\d{2}(?::\d{2})?", text):
        hour, minute = (int(part) for part in text.split(":")[:2])
        return datetime(1, 1, 1, hour, minute) if hour < 24 and minute < 60 else None
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=None)
    except ValueError:
        return None
