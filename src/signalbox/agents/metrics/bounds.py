"""Figures that a plan says in words: bounds with their units, percentiles, durations, and the unit of the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.question import Shown
from signalbox.agents.metrics.vocabulary import ENDS, PARTS
from signalbox.language.quantities import find_quantities
from signalbox.language.time import parse_duration
from signalbox.language.units import dimension_of, symbol_of

__all__ = [
    "Bound",
    "bound_in",
    "find_parts",
    "find_percentiles",
    "has_unit",
    "is_percent",
    "measures_other",
    "measures_time",
    "read_bound",
    "read_duration",
    "read_percentile",
    "shown_in",
    "time_of_rate",
]

_PERCENTILE = re.compile(
    r"p\s?(?P<p>\d{2,4}(?:\.\d+)?)|(?<![\d.])(?:quantile\s+)?(?P<q>0?\.\d+)|(?P<th>\d{1,2}(?:\.\d+)?)\s?(?:st|nd|rd|th)?"
    r"(?:[ -]?(?:percentile|pct|quantile|%|percent)?)"
    r"|(?P<median>medians?)", re.IGNORECASE,
)  # fmt: skip
_WRITTEN = re.compile(
    r"\bp\d{2,4}(?:\.\d+)?\b|\b\d{1,2}(?:\.\d+)?(?:st|nd|rd|th)?[ -](?:percentile|quantile)\b|\bmedian\b", re.IGNORECASE
)
_PART = re.compile(rf"\b(?:{'|'.join(PARTS)})\b", re.IGNORECASE)
_MIDDLE = re.compile(r"\b(?:middle|half(?! full)|median)\b", re.IGNORECASE)
_OUT_OF = re.compile(r"\b(?:out of|in|of)\b", re.IGNORECASE)
_END = re.compile(rf"\b(?:(?P<high>{'|'.join(ENDS['high'])})|{'|'.join(ENDS['low'])})\b", re.IGNORECASE)
_SIZE = re.compile(
    r"(?P<scale>[kmgtp]?)(?P<binary>i?)(?P<base>bit|bits|byte|bytes|b)(?:ps|/s|ps\b|\s*(?:per|/|a)\s*s\w*)?",
    re.IGNORECASE,
)
_RELATED = {"bytes", "rate"}
_SCALES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_PER_TIME = re.compile(r"(?:.*\s)?(?:per|a|an|each|every|/)\s*(?P<time>[a-z]+)", re.IGNORECASE)
_NAMES = {1: "s", 60: "min", 3600: "h", 86400: "day"}


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound as it was said: the number and the words of its unit."""

    number: float
    unit: str
    said: str


def read_percentile(words: str) -> float | None:
    """p95, 99th percentile, median, 0.95, nine out of ten, slowest one percent, as a fraction; None for anything
    else."""
    if (part := _part_in_words(words)) is not None:
        return part
    found = _PERCENTILE.search(words.strip())
    if found is None or (found["th"] and words.strip()[found.end("th") :][:1].isdigit()):
        return None
    if found["median"]:
        return 0.5
    if found["q"]:
        return float(found["q"])
    digits = found["p"] or found["th"]
    number = float(digits) if "." in digits or len(digits) <= 2 else float(f"{digits[:2]}.{digits[2:]}")
    return round(number / 100, 6) if 0 < number < 100 else None


def _part_in_words(words: str) -> float | None:
    """Which part of all lies below: nine out of ten, half, and what the slowest one percent leaves."""
    if _MIDDLE.search(words):
        return 0.5
    numbers = [one.value for one in find_quantities(words)] or [PARTS[one.lower()] for one in _PART.findall(words)]
    if _OUT_OF.search(words) and len(numbers) == 2 and 0 < numbers[0] < numbers[1]:
        return round(numbers[0] / numbers[1], 6)
    end = _END.search(words)
    if len(numbers) != 1 or not 0 < numbers[0] < 100 or not (end or "%" in words or "percent" in words.lower()):
        return None
    return round((100 - numbers[0] if end and end["high"] else numbers[0]) / 100, 6)


def find_percentiles(text: str) -> list[str]:
    """The percentiles that a text writes out: p95, 99th percentile, median."""
    return [found.group() for found in _WRITTEN.finditer(text) if read_percentile(found.group()) is not None]


def find_parts(text: str) -> list[str]:
    """The parts of a whole that a text names: a fifth, half."""
    return [found.group() for found in _PART.finditer(text)]


def read_bound(words: str) -> Bound | None:
    """The number of a bound and its unit; None where there is none."""
    quantities = find_quantities(words)
    part = _PART.search(words)
    # A fifth is a part of all, and no number of things.
    is_part = part is not None and all(one.start <= part.start() and not one.unit for one in quantities)
    if part is not None and is_part and not any(map(str.isdigit, words)):
        return Bound(PARTS[part[0].lower()], "%", words)
    if not quantities:
        # The bare name of a unit is one of it: longer than a minute.
        return Bound(1.0, words.strip(), words) if measures_time(words) else None
    one = quantities[0]
    # A unit that the words write beside the number, also one that is only known here: 40 MB/s.
    tail = re.match(r"\s*-?\s*([%°µ]?[A-Za-z%/²³]*)", words[_number_end(words, one.start) :])
    unit = tail[1].strip() if tail and tail[1] else one.unit
    value = one.value
    if unit and re.fullmatch(r"[kKmM]|mio|bn", unit):
        unit = ""
    return Bound(value, unit or one.unit, words)


def _number_end(words: str, start: int) -> int:
    found = re.compile(r"-?[\d.,]*\d(?:[kK](?![A-Za-z]))?").match(words, start)
    return found.end() if found else len(words)


def bound_in(bound: Bound, unit: str, title: str) -> float:
    """The bound in the unit of the answer. Raises InvalidQueryError for a unit of another kind."""
    factor = _factor(bound.unit, unit, bound.number)
    if factor is None or (not unit and measures_time(bound.unit)):
        raise InvalidQueryError(
            f'"{bound.said}" cannot be compared with {title}, which is measured in {unit or "a unit of its own"}.',
            suggestion="Name the bound in that unit, or leave it out.",
        )
    return bound.number * factor


def read_duration(words: str) -> float:
    """Seconds of "5 minutes", "more than an hour"; 0 where there is no length."""
    length = parse_duration(
        re.sub(r"(?i)^(?:for\s+)?(?:at\s+least|more\s+than|over|longer\s+than|about|some)\s+", "", words)
    )
    if length is None:
        lengths = (one.value * seconds for one in find_quantities(words) if (seconds := _seconds(one.unit)))
        return next(lengths, 0.0)
    return length.total_seconds()


def time_of_rate(words: str) -> tuple[int, str] | None:
    """The seconds and the name of the time in "per minute", "an hour"; None for another unit."""
    found = _PER_TIME.fullmatch(words.strip())
    if found is None or _SIZE.match(words.strip()):
        return None
    seconds = int(_seconds(found["time"].lower()) or 0)
    return (seconds, _NAMES[seconds]) if seconds in _NAMES else None


def shown_in(words: str, unit: str) -> Shown | None:
    """How figures of a unit are written in the unit that the words name; None where they are no unit of that kind."""
    said = re.sub(r"(?i)^(?:in|as)\s+", "", words.strip()).rstrip(".?! ")
    base, _, per = unit.partition("/")
    if base in ("ratio", "percent"):
        return Shown("%", 100.0 if base == "ratio" else 1.0) if is_percent(said) else None
    factor = _factor(said, unit, 0.0)
    if factor is None or not said or (factor == 1.0 and base not in ("bytes", "bits", "seconds")):
        return None
    symbol = _symbol(said)
    has_rate = "/" in symbol or symbol.endswith("ps")
    return Shown(f"{symbol}/{per}" if per and not has_rate else symbol, 1 / factor)


def measures_other(words: str, unit: str) -> bool:
    """Whether words name a unit of another kind than a figure's own: euros, where it is a percentage."""
    said, own = _dimensions(words), _dimensions(unit.partition("/")[0])
    if words.lower().startswith(("cubic ", "square ")):
        said = {words.lower().split()[0]}
    return bool(said and own) and not said & own and not {*said, *own} <= _RELATED


def measures_time(words: str) -> bool:
    """Whether words end in a unit of time."""
    return "time" in _dimensions(words)


def is_percent(words: str) -> bool:
    """Whether words are those of a percentage."""
    return any(dimension == "percent" for dimension, *_ in dimension_of(words.strip().lower()))


def has_unit(words: str) -> bool:
    """Whether words end in a unit that is known."""
    return bool(_dimensions(words))


def _dimensions(words: str) -> set[str]:
    return {dimension for word in words.lower().split()[-1:] for dimension, *_ in dimension_of(word)}


def _symbol(said: str) -> str:
    dimension = dimension_of(said.lower())
    size = _SIZE.fullmatch(said)
    if size is not None:
        is_bits = _is_bits(size, said)
        scale = size["scale"].upper() if size["scale"].lower() != "k" or size["binary"] else "k"
        name = f"{scale}{'i' if size['binary'] else ''}{'bit' if is_bits else 'B'}"
        return f"{name}/s" if re.search(r"(?i)ps$|/s|per", said) else name
    return symbol_of(said.lower()) if dimension else said


def _factor(said: str, unit: str, number: float) -> float | None:
    """By what a number in the unit that was said is multiplied; None where one has nothing to do with the other."""
    base, _, per = unit.partition("/")
    word = said.strip().lower()
    if base in ("ratio", "percent"):
        # Nobody asks for a ratio above 80 who does not mean percent.
        in_percent = is_percent(word) or number > 1
        return {"ratio": 0.01, "percent": 1.0}[base] if in_percent else {"ratio": 1.0, "percent": 100.0}[base]
    if is_percent(word):
        return None
    if base in ("seconds", "milliseconds"):
        if not word:
            return 1.0
        seconds = _seconds(word)
        return seconds * (1_000 if base == "milliseconds" else 1) if seconds else None
    if base in ("bytes", "bits"):
        return _of_size(said.strip(), base)
    if base == "celsius" and "f" in word and "°" in word:
        return None
    rated = time_of_rate(word) if word else None
    return 1 / rated[0] if per and rated else _within(word, base)


def _within(said: str, unit: str) -> float:
    """How many of a unit another one of the same kind is: 1,000 for kilowatts in watts; 1 where they have none."""
    own = {kind: factor for kind, _, factor in dimension_of(unit) if kind != "temperature"}
    return next((factor / own[kind] for kind, _, factor in dimension_of(said) if kind in own), 1.0)


def _seconds(word: str) -> float | None:
    return next((factor for dimension, _, factor in dimension_of(word) if dimension == "time"), None)


def _of_size(said: str, base: str) -> float | None:
    if not said:
        return 1.0
    found = _SIZE.fullmatch(said)
    if found is None:
        return _of_spelt_size(said, base)
    power = _SCALES[found["scale"].lower()]
    size = (1024.0 if found["binary"] else 1000.0) ** power
    is_bits = _is_bits(found, said)
    return size * (1.0 if is_bits == (base == "bits") else (1 / 8 if is_bits else 8.0))


def _is_bits(found: re.Match[str], said: str) -> bool:
    """Mbit/s and Mbps are bits, MB/s bytes."""
    return found["base"].lower().startswith("bit") or (found["base"] in ("b", "B") and said.lower().endswith("ps"))


def _of_spelt_size(said: str, base: str) -> float | None:
    """Of gigabytes and megabits, written out."""
    for dimension, _, factor in dimension_of(said):
        if dimension in _RELATED:
            is_bits = dimension == "rate"
            return factor * (1.0 if is_bits == (base == "bits") else (1 / 8 if is_bits else 8.0))
    return None
