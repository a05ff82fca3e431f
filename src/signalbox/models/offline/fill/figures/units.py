"""Which unit of measure a field asks for."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.units import CURRENCIES, dimension_of
from signalbox.models.offline.fill.english.sentence import stem

__all__ = ["ANY_UNIT", "unit_names", "unit_of_field", "units_by_case"]

_MONEY_FIELD = re.compile(
    r"\b(prices?|costs?|budget|amount of money|money|fee|salary|dollars?|euros?|usd|eur|currency|spend|"
    r"pay(?:ment)?|"
    r"amount to (?:transfer|send|pay)|transfer|revenue|income|wage|rent|discount amount|invoice|bid|balance|"
    r"donat\w+)\b"
)
_FRACTION = re.compile(r"\b(fraction|ratio|between 0 and 1|0 to 1|0-1|0\.\.1|proportion)\b")
_CHANCE = re.compile(r"\b(?:probability|likelihood)\b")
_PERCENT = re.compile(r"\b(percent(?:age)?s?|pct)\b|%")
# A unit that a description names is one of these, written out or as the last word of the name.
_FIELD_UNITS = re.compile(
    r"(?:°[cf]?|\b(?:g/m²|g/m2|gsm|degrees?|deg|km/h|mi/h|m/s|[kmgt]?b(?:it)?/s|kmh|kph|mph|knots|hectares?|ha|acres?|km2|sqft|mbar|bar|psi|kpa|hpa|"
    r"watts?|kw|kilowatts?|kwh|mwh|volts?|kv|amps?|amperes?|[kmg]?hz|cl|m3|pints?|gallons?|yards?|tons?|nanoseconds?|microseconds?|milliseconds?|millis|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|"
    r"nights?|weeks?|months?|"
    r"years?|bytes?|kb|mb|gb|tb|kib|mib|gib|tib|kilobytes?|megabytes?|gigabytes?|terabytes?|[kmg]?bps|mm|cm|"
    r"meters?|metres?|"
    r"(?:centi|milli)met(?:er|re)s?|milligrams?|"
    r"km|kms|kilomet(?:er|re)s?|miles?|feet|ft|inch(?:es)?|mg|grams?|kg|kilos?|kilograms?|tonnes?|ounces?|oz|"
    r"lbs?|ml|"
    r"millilit(?:er|re)s?|lit(?:er|re)s?|celsius|fahrenheit)(?!\w))"
)


# What a field holds by the day or by the head is not itself a length of time, nor is what it says of "the day".
_RATED = re.compile(
    r"\bper (?:square |cubic )?\w+|"
    r"(?<!half )(?<!for )\b(?:an?|each|every) (?:day|week|month|year|hour|night|minute|second)\b|"
    r"\b(?:the|which) (?:meter|metre|second|minute|hour|day|night|week|month|year|bar|yard|foot|pound)\b"
)


_SPEED = re.compile(r"\b(?:(met(?:er|re)s? per second)|((?:km|kilomet(?:er|re)s?) per hour)|miles? per hour)\b")

# One of these inside a name or a description tells when, not in what unit: "temperature by day".
_PERIODS = frozenset(("second", "minute", "hour", "day", "night", "week", "month", "year"))
_LEAST = re.compile(r"\b(?:lowest|least|minimum|smallest|fewest|lower|cheapest|youngest|shortest|from)\b")
# "percent for usage, milliseconds for latency", "percent or dollars": which unit it is depends on another field.
_BY_CASE = re.compile(r"(%|(?<!per )\b[a-z]+) (?:for|if|when) ")
_EITHER = re.compile(r"(%|\b[a-z]{2,}) or (?:an? |in )?(%|[a-z]{2,}\b)")
ANY_UNIT = "any"
# The last letter of a name, where nothing else tells the unit: length_m, timeout_s. Sizes S, M and L are no units.
_LETTERS = {
    "m": ("length", "m"),
    "s": ("time", "second"),
    "h": ("time", "hour"),
    "l": ("volume", "l"),
    "g": ("mass", "g"),
    "t": ("mass", "tonne"),
}
_SIZED = frozenset(("size", "sizes", "count", "qty", "quantity", "number"))
_MINUTES = re.compile(r"\bmin(?:ute)?s?\b")
_IN = re.compile(r"\bin (?:an? )?\Z")


def unit_names(word: str) -> frozenset[str]:
    """What a unit goes by: its names in the table of units, and its own stem: "bags" for what comes in bags."""
    # A currency serves many numbers at once, so that none of them leaves it to the field beside it.
    known = (unit for dimension, unit, _ in dimension_of(word) if dimension != "money")
    return frozenset(known) | {stem(word.lower())}


def _by_weight(description: str) -> tuple[str, str]:
    """A description from the words that name the unit ("..., in euros"), then whole."""
    said = re.search(r"\bin ((?:whole |full )?\w+(?:/\w+)?)\W*$|\bin (\w+(?:/\w+)?)[,;.)]", description)
    return (said[1] or said[2] if said else ""), description


def _asked_unit(part: str) -> tuple[str, str] | None:
    """The unit that a part of a field's words asks for; money beats a unit unless that ends the part."""
    found = _FIELD_UNITS.finditer(part)
    units = [
        unit
        for unit in found
        if unit[0] not in _PERIODS or unit.end() == len(part) or _IN.search(part, 0, unit.start())
    ]
    money = _MONEY_FIELD.search(part) or (CURRENCIES.get(part) and part)
    if units and (not money or units[-1].end() == len(part)):
        dimension, unit, _ = dimension_of(units[0].group())[0]
        return dimension, unit
    return ("money", "") if money else None


def _without_bound(name: str, description: str) -> str:
    """A name without the "min" that bounds: a leading one, or one whose description speaks of no minutes."""
    name = re.sub(r"^(?:min|max)\b", "", name)
    bounds = _LEAST.search(description) or _MONEY_FIELD.search(f"{name} {description}")
    return re.sub(r"\bmin$", "", name).strip() if bounds and not _MINUTES.search(description) else name


@lru_cache(maxsize=2_000)
def units_by_case(about: str) -> dict[str, str]:
    """By dimension the units that a numeric field asks for, each in its own case; empty when there is but one case."""
    words = [found[1] for found in _BY_CASE.finditer(about)]
    either = [found.groups() for found in _EITHER.finditer(about)]
    words += [word for pair in either if all(map(dimension_of, pair)) for word in pair]
    cases: dict[str, str] = {}
    for dimension, unit, _ in (dimension_of(word)[0] for word in words if dimension_of(word)):
        cases.setdefault(dimension, unit)
    return cases if len(cases) > 1 else {}


@lru_cache(maxsize=2_000)
def unit_of_field(about: str, maximum: float | None) -> tuple[str, str]:
    """The dimension and unit that a numeric field asks for; empty when it asks for none."""
    if units_by_case(about):
        return "", ANY_UNIT
    if _FRACTION.search(about):
        return "percent", "fraction"
    if _PERCENT.search(about):
        return "percent", "percent"
    if _CHANCE.search(about):
        return "percent", "fraction"
    about = re.sub(r"\b(k?m) ([23])\b", r"\1\2", about)
    about = re.sub(r"\b([kmgt]?b(?:it)?)(?:yte)?s? per second\b", r"\1/s", about)
    if speed := _SPEED.search(about):
        return "speed", "m/s" if speed[1] else ("km/h" if speed[2] else "mph")
    about = _RATED.sub("", about)
    name, _, description = about.partition(" . ")
    if re.search(r"square met|sqm|(?<!/)m²|(?<!/)\bm2\b", about):
        return "area", "m2"
    for part in (_without_bound(name, description), *_by_weight(description)):
        if found := _asked_unit(part):
            return found
    if maximum is not None and maximum <= 1:
        return "percent", "fraction"
    words = name.split()
    return _LETTERS.get(words[-1], ("", "")) if len(words) > 1 and not _SIZED & set(words) else ("", "")
