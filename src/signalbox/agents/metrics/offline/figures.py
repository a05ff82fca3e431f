"""Figures in words: bounds with their units, percentiles, durations, and the unit that an answer is wanted in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.slots import Measure, Shown
from signalbox.agents.metrics.units import count_unit, rate_unit
from signalbox.language.quantities import find_quantities
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.time import parse_duration
from signalbox.language.units import dimension_of, symbol_of
from signalbox.language.vectors import is_known
from signalbox.language.words import read_words, split_name

__all__ = [
    "Bound", "bound_in", "is_percent", "measures_time", "read_bound", "read_duration", "read_percentile", "shown_in",
    "time_of_rate", "unit_of", "unknown_unit",
]  # fmt: skip

_PERCENTILE = re.compile(
    r"p\s?(?P<p>\d{2,4}(?:\.\d+)?)|(?<![\d.])(?:quantile\s+)?(?P<q>0?\.\d+)|(?<![\dp])(?P<th>\d{1,2}(?:\.\d+)?)\s?(?:st|nd|rd|th)?"
    r"(?:[ -]?(?:percentile|pct|quantile|%|percent)?)(?!\d)|(?P<median>medians?|middle|half(?! full))", re.IGNORECASE,
)  # fmt: skip
_INCLUSIVE = re.compile(
    r"\b(?:at (?:least|most)|or (?:more|less|fewer|higher|lower|above|below)|no (?:more|less)"
    r"|(?<![/\w])(?:min|max)\.?(?=\s*\d))\b",
    re.I,
)
_SIZE = re.compile(
    r"(?P<scale>[kmgtp]?)(?P<binary>i?)(?P<base>bit|bits|byte|bytes|b)(?:ps|/s|\s*(?:per|/|a)\s*s\w*)?", re.IGNORECASE
)
_SCALES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_PER_TIME = re.compile(r"(?:.*\s)?(?:per|a|an|each|every|/)\s*(?P<time>[a-z]+)", re.IGNORECASE)
_COUNTED = re.compile(r"[a-z]+(?=\s*/|\s+(?:per|a|an|each|every)\b)", re.IGNORECASE)
_SLASH_TIME = re.compile(r".*[a-z]/(?P<time>[a-z]+)", re.IGNORECASE)
_TIMES = {1: "s", 60: "min", 3600: "h", 86400: "day"}
_LONGEST_UNIT = 4
_FRACTIONS = {"three quarters": 75.0, "two thirds": 200 / 3, "half": 50.0, "quarter": 25.0, "third": 100 / 3}
_ABOUT = re.compile(r"(?i)^(?:for\s+)?(?:at\s+least|more\s+than|over|longer\s+than|about|some)\s+")


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound as it was said: the number, the words of its unit, and whether the number itself counts."""

    number: float
    unit: str
    said: str
    inclusive: bool = False


def unit_of(measure: Measure, *, is_total: bool = False) -> str:
    """Return the unit of a measure's figures: that of its rate or level, or of what adds up."""
    if is_total:
        return measure.total_unit or count_unit(measure.name)
    if measure.unit not in ("", "1/s") or measure.type not in ("counter", "ratio"):
        return measure.unit
    return "ratio" if measure.type == "ratio" else rate_unit("", measure.name)


def read_percentile(words: str) -> float:
    """Return p95, 99th percentile or median as a fraction. Raises InvalidQueryError for other words, such as nine out
    of ten or the slowest two percent."""
    found = _PERCENTILE.search(words.strip())
    rest = _PERCENTILE.sub(" ", words, count=1)
    number = 0.0
    if found is not None and not re.search(r"\d|%|\bout of\b|est\b|\bworst\b|\btop\b", rest, re.IGNORECASE):
        if found["median"]:
            return 0.5
        if found["q"]:
            return float(found["q"])
        digits = found["p"] or found["th"]
        number = float(digits) if "." in digits or len(digits) <= 2 else float(f"{digits[:2]}.{digits[2:]}")
    if not 0 < number < 100:
        raise InvalidQueryError(f'"{words}" is no percentile.', suggestion="Name it like p95 or median.")
    return round(number / 100, 6)


def read_bound(words: str) -> Bound | None:
    """Return the number of a bound and its unit; None if there is none."""
    said, inclusive = words, bool(_INCLUSIVE.search(words))
    quantities = find_quantities(words)
    if not quantities and (part := next((one for one in _FRACTIONS if one in words.lower()), "")):
        return Bound(_FRACTIONS[part], "%", said, inclusive)
    if not quantities:
        # The bare name of a unit is one of it: longer than a minute.
        return Bound(1.0, words.strip(), said, inclusive) if measures_time(words) else None
    one = quantities[0]
    # A unit that stands beside the number, also one that is only known here: 40 MB/s, 3 bottles per minute.
    number = re.compile(r"-?[\d.,]*\d(?:[kK](?![A-Za-z]))?").match(words, one.start)
    rest = words[number.end() if number else one.end :]
    tail = re.match(r"\s*-?\s*(?!(?:per|an?|or)\b)([%°µ]?[A-Za-z%/²³]*[23]?)", rest) if number else None
    unit = tail[1].strip() if tail and tail[1] else one.unit
    rated = re.search(r"(?:\bper|\ban?)\s+[a-z]+\s*$", rest, re.IGNORECASE)
    if rated and time_of_rate(rated.group()):
        unit = f"{unit} {rated.group().strip()}".strip()
    return Bound(one.value, "" if re.fullmatch(r"[kKmM]|mio|bn", unit) else unit, said, inclusive)


def bound_in(bound: Bound, measure: Measure, *, is_total: bool = False) -> float:
    """Return the bound in the unit of a measure's figures. Raises InvalidQueryError for a unit of another kind."""
    unit = unit_of(measure, is_total=is_total)
    factor = None if _is_strange(bound, measure, unit) else _factor(bound.unit, unit, bound.number)
    if factor is not None and not unit and (kinds := _dimensions(bound.unit)):
        # The name or the title may say what the unit does not: a temperature.
        told = {base(word) for word in (*split_name(measure.name), *measure.title.split())}
        factor = factor if told & {base(one) for one in (*kinds, *bound.unit.lower().split())} else None
    if factor is None:
        raise InvalidQueryError(
            f'"{bound.said}" cannot be compared with {measure.title}, which is in {unit or "a unit of its own"}.',
            suggestion="Name the bound in that unit, or leave it out.",
        )
    return bound.number * factor


def unknown_unit(bound: Bound) -> str:
    """Return the unit of a bound that no table has, such as ppm; a noun that is counted is none of them."""
    word = bound.unit.strip().lower()
    if not word or not word.isalpha() or word in FILLERS or dimension_of(word) or _SIZE.fullmatch(word):
        return ""
    is_attached = re.search(rf"\d{re.escape(word)}\b", bound.said, re.IGNORECASE)
    return word if is_attached or (len(word) <= _LONGEST_UNIT and not (is_known(word) or word.endswith("s"))) else ""


def _is_strange(bound: Bound, measure: Measure, unit: str) -> bool:
    """True if a bound has a unit that nothing in the measure is called, and that is not the measure's."""
    word = unknown_unit(bound)
    own = {base(one) for one in (*split_name(measure.name), *measure.title.lower().split(), *re.split(r"\W+", unit))}
    return bool(word) and base(word) not in own


def read_duration(words: str) -> float:
    """Return the seconds of "5 minutes" or "more than an hour"; 0 if there is no length."""
    length = parse_duration(_ABOUT.sub("", words)) if words else None
    if length is not None:
        return length.total_seconds()
    return next((one.value * seconds for one in find_quantities(words) if (seconds := _seconds(one.unit))), 0.0)


def time_of_rate(words: str) -> tuple[int, str] | None:
    """Return the seconds and the name of the time in "per minute" or "an hour"; None for another unit."""
    found = _PER_TIME.fullmatch(words.strip()) or _SLASH_TIME.fullmatch(words.strip())
    if found is None or _SIZE.fullmatch(words.strip()):
        return None
    seconds = int(_seconds(found["time"].lower()) or 0)
    return (seconds, _TIMES[seconds]) if seconds in _TIMES else None


def shown_in(words: str, measure: Measure, *, is_total: bool = False) -> Shown | None:
    """Return the unit to show figures in; None if the words name no unit that leads anywhere else. Raises
    InvalidQueryError for a unit of another kind."""
    said = re.sub(r"(?i)^(?:in|as)\s+", "", words.strip()).rstrip(".?! ")
    unit = unit_of(measure, is_total=is_total)
    first, _, per = unit.partition("/")
    own = {base(word) for word in (*split_name(measure.name), first)}
    is_rated = per in _TIMES.values() and _factor_of_speed(said, unit) is None
    if rated := time_of_rate(said) if is_rated else None:
        seconds = next(length for length, name in _TIMES.items() if name == per)
        return (
            None
            if rated[1] == per
            else Shown(f"{first}/{rated[1]}" if first != "1" else f"/{rated[1]}", rated[0] / seconds)
        )
    if first in ("ratio", "percent") and is_percent(said):
        return Shown("%", 100.0 if first == "ratio" else 1.0)
    factor = _factor(said, unit, 0.0)
    if factor is None or (first in ("ratio", "percent") and _dimensions(said)):
        raise InvalidQueryError(
            f"{measure.title[:1].upper()}{measure.title[1:]} is measured in {unit or 'its own unit'}, not in {said}.",
            suggestion="Name another measure, or leave the unit out.",
        )
    if not unit and (kinds := _dimensions(said)) and not own & {base(one) for one in (*kinds, *said.lower().split())}:
        raise InvalidQueryError(
            f"{measure.title[:1].upper()}{measure.title[1:]} is not measured in {said}.",
            suggestion="Name another measure, or leave the unit out.",
        )
    if (
        not said
        or not (_dimensions(said) or _SIZE.fullmatch(said))
        or (factor == 1.0 and all(base(word) in own for word, *_ in read_words(said)))
    ):
        return None
    symbol = _symbol(said)
    has_rate = "/" in symbol or symbol.endswith("ps")
    return Shown(f"{symbol}/{per}" if per and not has_rate else symbol, 1 / factor)


def measures_time(words: str) -> bool:
    """True if words end in a unit of time."""
    return "time" in _dimensions(words)


def is_percent(words: str) -> bool:
    """True if words are those of a percentage."""
    return any(dimension == "percent" for dimension, *_ in dimension_of(words.strip().lower()))


def _dimensions(words: str) -> set[str]:
    return {dimension for word in words.lower().split()[-1:] for dimension, *_ in dimension_of(word)} - {"count"}


def _factor(said: str, unit: str, number: float) -> float | None:
    """By what a number in the unit that was said is multiplied; None if one has nothing to do with the other."""
    first, _, per = unit.partition("/")
    word = said.strip().lower()
    if first in ("ratio", "percent"):
        if not is_percent(word) and _dimensions(word):
            return None
        # Nobody asks for a ratio above 80 without meaning percent.
        in_percent = is_percent(word) or number > 1
        return {"ratio": 0.01, "percent": 1.0}[first] if in_percent else {"ratio": 1.0, "percent": 100.0}[first]
    if is_percent(word):
        return None
    if (speed := _factor_of_speed(word, unit)) is not None:
        return speed
    rated = time_of_rate(word) if word and first not in ("bytes", "bits") else None
    if rated:
        counted = _COUNTED.match(word)
        kinds = {kind: factor for kind, _, factor in dimension_of(counted[0].strip())} if counted else {}
        own = {kind: factor for kind, _, factor in dimension_of(first)}
        if per not in _TIMES.values() or (kinds and own and not kinds.keys() & own.keys()):
            return None
        size = next((kinds[kind] / own[kind] for kind in kinds if kind in own), 1.0)
        return size * _seconds_of(per) / rated[0]
    if not word:
        return 1.0
    if first in ("bytes", "bits"):
        return _of_size(said.strip(), first)
    own = {kind: factor for kind, _, factor in dimension_of(first)}
    others = {kind: factor for kind, _, factor in dimension_of(word)}
    if "temperature" in own and "temperature" in others:
        return None if "f" in word.replace("°", "")[:1] and first != "fahrenheit" else 1.0
    shared = next((others[kind] / own[kind] for kind in others if kind in own), None)
    return shared if shared is not None else None if own and _dimensions(word) else 1.0


def _factor_of_speed(said: str, unit: str) -> float | None:
    """How many of a unit such as metres/s one of km/h, mph or knots is; None if one of the two is no such unit."""
    first, _, per = unit.partition("/")
    own = {kind: factor for kind, _, factor in dimension_of(f"{symbol_of(first)}/{per}")} if per else {}
    return next((factor / own[kind] for kind, _, factor in dimension_of(said.strip().lower()) if kind in own), None)


def _seconds_of(per: str) -> float:
    return next((float(seconds) for seconds, name in _TIMES.items() if name == per), 1.0)


def _seconds(word: str) -> float | None:
    return next((factor for dimension, _, factor in dimension_of(word) if dimension == "time"), None)


def _of_size(said: str, unit: str) -> float | None:
    """How many bytes or bits one of a size is."""
    found = _SIZE.fullmatch(said)
    if found is not None:
        size = (1024.0 if found["binary"] else 1000.0) ** _SCALES[found["scale"].lower()]
        is_bits = _is_bits(found, said)
    else:
        spelt = next(((kind, factor) for kind, _, factor in dimension_of(said) if kind in ("bytes", "rate")), None)
        if spelt is None:
            return None if _dimensions(said) else 1.0
        is_bits, size = spelt[0] == "rate", spelt[1]
    return size * (1.0 if is_bits == (unit == "bits") else (1 / 8 if is_bits else 8.0))


def _is_bits(found: re.Match[str], said: str) -> bool:
    """True for Mbit/s and Mbps; MB/s is bytes."""
    return found["base"].lower().startswith("bit") or (found["base"] in ("b", "B") and said.lower().endswith("ps"))


def _symbol(said: str) -> str:
    size = _SIZE.fullmatch(said)
    if size is None:
        return symbol_of(said.lower())
    scale = size["scale"].upper() if size["scale"].lower() != "k" or size["binary"] else "k"
    name = f"{scale}{'i' if size['binary'] else ''}{'bit' if _is_bits(size, said) else 'B'}"
    return f"{name}/s" if re.search(r"(?i)ps$|/s|per", said) else name
