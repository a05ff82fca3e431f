"""Units of measure: how each is written, its symbol, and how many of its dimension's base unit it is."""

from __future__ import annotations

__all__ = [
    "BINARY_PREFIXES",
    "CURRENCIES",
    "PREFIXES",
    "TIME_UNITS",
    "dimension_of",
    "factor_of",
    "symbol_of",
]

PREFIXES: dict[str, float] = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY_PREFIXES: dict[str, float] = {f"{prefix.upper()}i": 1024.0**n for n, prefix in enumerate(PREFIXES, start=1)}

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
# Where the symbol is not the name that the unit has above.
_SYMBOLS = {
    "nanosecond": "ns", "microsecond": "µs", "millisecond": "ms", "second": "s", "minute": "min", "hour": "h",
    "day": "d", "byte": "B", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB",
    "tib": "TiB", "bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s", "inch": "in", "foot": "ft",
    "yard": "yd", "mile": "mi", "m2": "m²", "hectare": "ha", "km2": "km²", "ft2": "ft²", "knot": "kn", "kpa": "kPa",
    "watt": "W", "kw": "kW", "kwh": "kWh", "mwh": "MWh", "volt": "V", "kv": "kV", "amp": "A", "ma": "mA", "hz": "Hz",
    "khz": "kHz", "mhz": "MHz", "ghz": "GHz", "tonne": "t", "ounce": "oz", "pound": "lb", "m3": "m³",
    "celsius": "°C", "fahrenheit": "°F", "degree": "°", "percent": "%", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥",
    "INR": "₹",
}  # fmt: skip
TIME_UNITS: dict[str, tuple[str, ...]] = {unit: tuple(words.split()) for unit, (_, words) in _UNITS["time"].items()}
"""For each unit of time the words that name it."""
CURRENCIES = {word: code for code, (_, words) in _UNITS["money"].items() for word in words.split()}
"""For each word that names a currency its code."""

_MEANINGS: dict[str, tuple[tuple[str, str, float], ...]] = {}
for _dimension, _units in _UNITS.items():
    for _unit, (_factor, _words) in _units.items():
        for _word in _words.split():
            _MEANINGS[_word] = (*_MEANINGS.get(_word, ()), (_dimension, _unit, _factor))


def dimension_of(word: str) -> tuple[tuple[str, str, float], ...]:
    """What a unit word may mean: (dimension, unit, factor to the base unit), most likely first."""
    return _MEANINGS.get(word.lower(), ())


def factor_of(dimension: str, unit: str) -> float:
    """How many of the dimension's base unit the unit is. Raises KeyError for a unit that the table does not have."""
    return _UNITS[dimension][unit][0]


def symbol_of(word: str) -> str:
    """The symbol of the unit that the word most likely names, or its name if it has no symbol; else the word itself."""
    return next((_SYMBOLS.get(unit, unit) for _, unit, _ in dimension_of(word)), word)
