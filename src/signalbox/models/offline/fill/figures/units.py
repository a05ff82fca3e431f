"""Units of measure: what a unit word means, and which unit a field asks for."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import stem

__all__ = ["ANY_UNIT", "CURRENCIES", "dimension_of", "factor_of", "unit_names", "unit_of_field", "units_by_case"]

# dimension -> unit -> (how many of the base unit, spellings)
_UNITS: dict[str, dict[str, tuple[float, str]]] = {
    "time": {
        "nanosecond": (1e-9, "ns nanosecond nanoseconds nanos"),
        "microsecond": (1e-6, "us µs microsecond microseconds micros"),
        "millisecond": (1e-3, "ms msec msecs millisecond milliseconds millis"),
        "second": (1, "s sec secs second seconds"),
        "minute": (60, "m min mins minute minutes"),
        "hour": (3600, "h hr hrs hour hours"),
        "day": (86400, "d day days"),
        "night": (86400, "night nights"),
        "week": (604800, "w wk wks week weeks"),
        "fortnight": (1209600, "fortnight fortnights"),
        "month": (2629800, "mo month months"),
        "year": (31557600, "y yr yrs year years"),
    },
    "bytes": {
        "byte": (1, "b byte bytes"),
        "kb": (1e3, "kb kilobyte kilobytes"),
        "mb": (1e6, "mb meg megs megabyte megabytes"),
        "gb": (1e9, "gb gig gigs gigabyte gigabytes"),
        "tb": (1e12, "tb terabyte terabytes"),
        "kib": (1024, "kib kibibyte kibibytes"),
        "mib": (1024**2, "mib mebibyte mebibytes"),
        "gib": (1024**3, "gib gibibyte gibibytes"),
        "tib": (1024**4, "tib tebibyte tebibytes"),
    },
    "rate": {
        "bps": (1, "bps bit/s"),
        "kbps": (1e3, "kbps kbit/s kb/s"),
        "mbps": (1e6, "mbps mbit mbit/s mb/s megabit megabits"),
        "gbps": (1e9, "gbps gbit gbit/s gb/s gigabit gigabits"),
    },
    "length": {
        "mm": (0.001, "mm millimeter millimeters millimetre millimetres"),
        "cm": (0.01, "cm centimeter centimeters centimetre centimetres"),
        "m": (1, "meter meters metre metres mtr m"),
        "km": (1000, "km kms kilometer kilometers kilometre kilometres"),
        "inch": (0.0254, "inch inches"),
        "foot": (0.3048, "ft foot feet"),
        "yard": (0.9144, "yd yds yard yards"),
        "mile": (1609.344, "mi mile miles"),
    },
    "area": {
        "m2": (1, "m² sqm m2"),
        "hectare": (10_000, "ha hectare hectares"),
        "acre": (4046.8564224, "acre acres"),
        "km2": (1e6, "km² km2"),
        "ft2": (0.09290304, "sqft ft²"),
    },
    "speed": {
        "km/h": (1, "km/h kmh kph kmph"),
        "mph": (1.609344, "mph mi/h"),
        "m/s": (3.6, "m/s"),
        "knot": (1.852, "knot knots kt kts"),
    },
    "pressure": {
        "bar": (1, "bar"),
        "mbar": (0.001, "mbar millibar millibars hpa"),
        "psi": (0.0689475729, "psi"),
        "kpa": (0.01, "kpa kilopascal kilopascals"),
    },
    "power": {
        "watt": (1, "watt watts"),
        "kw": (1e3, "kw kilowatt kilowatts"),
        "hp": (745.699872, "hp horsepower"),
    },
    "energy": {"kwh": (1, "kwh kilowatt-hour kilowatt-hours"), "mwh": (1e3, "mwh")},
    "voltage": {"volt": (1, "volt volts"), "kv": (1e3, "kv kilovolt kilovolts")},
    "current": {"amp": (1, "amp amps ampere amperes"), "ma": (0.001, "milliamp milliamps")},
    "frequency": {
        "hz": (1, "hz hertz"),
        "khz": (1e3, "khz kilohertz"),
        "mhz": (1e6, "mhz megahertz"),
        "ghz": (1e9, "ghz gigahertz"),
    },
    "mass": {
        "mg": (1e-6, "mg milligram milligrams"),
        "g": (1e-3, "g gram grams gramme grammes gsm g/m² g/m2"),
        "kg": (1, "kg kgs kilo kilos kilogram kilograms"),
        "tonne": (1000, "tonne tonnes ton tons t"),
        "stone": (6.35029318, "stone"),
        "ounce": (0.028349523125, "oz ounce ounces"),
        "pound": (0.45359237, "lb lbs pound pounds"),
    },
    "volume": {
        "ml": (0.001, "ml milliliter milliliters millilitre millilitres"),
        "cl": (0.01, "cl centiliter centiliters centilitre centilitres"),
        "l": (1, "l liter liters litre litres ltr ltrs"),
        "m3": (1000, "m³ m3 cbm"),
        "pint": (0.56826125, "pint pints"),
        "gallon": (4.54609, "gallon gallons gal"),
    },
    "temperature": {
        "celsius": (1, "°c celsius centigrade"),
        "fahrenheit": (1, "°f fahrenheit"),
        "degree": (1, "° degree degrees deg"),
    },
    "count": {"times": (1, "x times")},
    "percent": {"percent": (1, "% percent percentage pct pc")},
    "money": {
        "USD": (1, "$ usd dollar dollars bucks buck us$"),
        "EUR": (1, "€ eur euro euros"),
        "GBP": (1, "£ gbp pound pounds sterling quid"),
        "JPY": (1, "¥ jpy yen"),
        "INR": (1, "₹ inr rupee rupees"),
        "CHF": (1, "chf franc francs"),
        "CAD": (1, "cad"),
        "AUD": (1, "aud"),
        "CNY": (1, "cny yuan rmb"),
        "SEK": (1, "sek kronor"),
        "NOK": (1, "nok"),
        "DKK": (1, "dkk"),
        "PLN": (1, "pln zloty"),
        "BRL": (1, "brl reais"),
        "MXN": (1, "mxn peso pesos"),
        "KRW": (1, "krw won"),
    },
}
CURRENCIES = {word: code for code, (_, words) in _UNITS["money"].items() for word in words.split()}

_MEANINGS: dict[str, tuple[tuple[str, str, float], ...]] = {}
for _dimension, _units in _UNITS.items():
    for _unit, (_factor, _words) in _units.items():
        for _word in _words.split():
            _MEANINGS[_word] = (*_MEANINGS.get(_word, ()), (_dimension, _unit, _factor))

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


def dimension_of(word: str) -> tuple[tuple[str, str, float], ...]:
    """What a unit word may mean: (dimension, unit, factor to the base unit), most likely first."""
    return _MEANINGS.get(word.lower(), ())


def unit_names(word: str) -> frozenset[str]:
    """What a unit goes by: its names in the table of units, and its own stem: "bags" for what comes in bags."""
    # A currency serves many numbers at once, so that none of them leaves it to the field beside it.
    known = (unit for dimension, unit, _ in dimension_of(word) if dimension != "money")
    return frozenset(known) | {stem(word.lower())}


def factor_of(dimension: str, unit: str) -> float:
    return _UNITS[dimension][unit][0]


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
