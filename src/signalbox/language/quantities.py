"""Numbers in a text, with their units: 1,299.50, 3k, two and a half hours, a dozen, 15 %, €40."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.language.numbers import GROUPS, NUMBERS, ORDINALS, SCALES
from signalbox.language.units import dimension_of, factor_of
from signalbox.language.words import split_name

__all__ = ["Quantity", "convert", "find_quantities", "unit_of"]

_TOKEN = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:[ \u202f]\d{3})+(?![\d.,:-])|\d+(?:[.,]\d+)*|[^\W\d_]+|[%€$£°µ]|\S")
_SUFFIXES = {**SCALES, "k": 1e3}
_PARTS = {"half": 0.5, "quarter": 0.25, "third": 1 / 3}
_FAR = 5000
_HOUR = 3600
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_BEFORE_ONE = ("a", "an", "last", "past", "every", "each", "per", "another")
"""Words after which a bare unit of time means one: an hour, the last hour, every minute."""
_RANK = re.compile(r"(?:st|nd|rd|th)$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: from `start` to `end`, including its unit; `unit` is empty if it counts something."""

    value: float
    unit: str
    start: int
    end: int


def find_quantities(text: str) -> list[Quantity]:
    """All numbers in a text, from left to right."""
    tokens = [(re.sub(r"\s", "", found[0]), found.start(), found.end()) for found in _TOKEN.finditer(text)]
    lower = [word.casefold() for word, _, _ in tokens]
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        read = _read(lower, at)
        if read is None:
            at += 1
            continue
        value, last = read
        before, begins, ends = tokens[at - 1] if at else ("", 0, 0)
        start = tokens[at][1]
        is_money = before in tuple("€$£") and ends == start
        is_negative = before.casefold() in ("-", "minus") and _is_sign(text, begins, ends, start)
        unit, at = (before, last) if is_money else _unit_at(lower, last)
        start = begins if is_money or is_negative else start
        found.append(Quantity(-value if is_negative else value, unit, start, tokens[at - 1][2]))
    return _joined(text, found)


def _is_sign(text: str, before: int, after: int, start: int) -> bool:
    """True if a minus belongs to the following number: not in 5-2, nor in a list with dashes."""
    alone = not before or not (text[before - 1].isalnum() or text[before - 1] in ")/")
    return alone and (text[before:after] != "-" or after == start)


def _joined(text: str, found: list[Quantity]) -> list[Quantity]:
    """Join durations in two units: 1h15m, two hours and ten minutes."""
    joined: list[Quantity] = []
    for one in found:
        before = joined[-1] if joined else None
        larger, smaller = _seconds(before.unit) if before else 0, _seconds(one.unit)
        if before and larger > smaller > 0 and text[before.end : one.start].strip() in ("", "and"):
            value = before.value + one.value * smaller / larger
            joined[-1] = Quantity(value, before.unit, before.start, one.end)
        else:
            joined.append(one)
    return [_with_half(text, one) for one in joined]


def _with_half(text: str, one: Quantity) -> Quantity:
    """An hour and a half, two miles and a quarter, an hour and ten."""
    more = re.match(r"\s+and a (half|quarter)\b", text[one.end :], re.IGNORECASE)
    if more is not None and one.unit:
        return Quantity(one.value + _PARTS[more[1].casefold()], one.unit, one.start, one.end + more.end())
    minutes = re.match(r"\s+(?:and )?([a-z]+|\d\d)(?=\s*(?:[,.;]|$))", text[one.end :], re.IGNORECASE)
    if minutes is not None and _seconds(one.unit) == _HOUR:
        value = NUMBERS.get(minutes[1].casefold()) or (int(minutes[1]) if minutes[1].isdigit() else 0)
        if 0 < value < 60:
            return Quantity(one.value + value / 60, one.unit, one.start, one.end + minutes.end())
    return one


def _seconds(unit: str) -> float:
    return next((factor for dimension, _, factor in dimension_of(unit) if dimension == "time"), 0.0)


def _read(words: list[str], at: int) -> tuple[float, int] | None:
    """The number that begins at a token, and the token after it."""
    word = words[at]
    if word[0].isdigit():
        scale = _SUFFIXES.get(words[at + 1]) if at + 1 < len(words) else None
        return (_digits(word) * scale, at + 2) if scale else (_digits(word), at + 1)
    if word in _TIMES:
        return _TIMES[word], at + 1
    return _spelled(words, at)


def _digits(word: str) -> float:
    """3.5, 1,299.50, and as it is written elsewhere: 3,5 and 1.299.500,00; of 10.0.0.1 the first figures."""
    if re.fullmatch(r"\d{1,3}(\.\d{3}){2,}(,\d+)?", word):
        word = word.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d+", word) and not re.fullmatch(r"\d{1,3},\d{3}", word):
        word = word.replace(",", ".")
    word = word.replace(",", "")
    return float(word if word.count(".") < 2 else word.split(".")[0])


def _spelled(words: list[str], at: int) -> tuple[float, int] | None:
    """Number words: twenty-five, a hundred and ten, one and a half, a dozen, half an hour."""
    start, total, current, seen = at, 0.0, 0.0, False
    following = words[at + 1] if at + 1 < len(words) else ""
    if words[at] in ("a", "an") and (following in SCALES or following in GROUPS):
        current, at = 1.0, at + 1
    elif words[at] in _BEFORE_ONE and len(following) > 2 and _seconds(following) >= 1:
        return 1.0, at + 1
    while at < len(words):
        word = words[at]
        if word in NUMBERS:
            current, seen = current + NUMBERS[word], True
        elif word in SCALES and (seen or current):
            total, current, seen = total + (current or 1) * SCALES[word], 0.0, True
        elif word in GROUPS and at > start:
            return GROUPS[word] * (current or 1), at + 1
        elif word in ("and", "-") and seen and at + 1 < len(words) and words[at + 1] in NUMBERS:
            pass
        else:
            break
        at += 1
    if seen:
        value = total + current
        if words[at : at + 1] == ["quarters"]:
            return value / 4, at + 1 + _small_words(words, at + 1)
        if words[at : at + 3] == ["and", "a", "half"]:
            return value + 0.5, at + 3
        return value, at
    if words[start] in _PARTS and words[start + 1 : start + 2] in (["a"], ["an"], ["of"], ["the"]):
        return _PARTS[words[start]], start + 1 + _small_words(words, start + 1)
    if words[start] in ORDINALS:
        return float(ORDINALS[words[start]]), start + 1
    return None


def _small_words(words: list[str], at: int) -> int:
    """The number of words that only join a part to its whole: half *an* hour, a quarter *of an* hour."""
    return next((n for n, word in enumerate(words[at : at + 3]) if word not in ("a", "an", "of", "the")), 0)


def _unit_at(words: list[str], at: int) -> tuple[str, int]:
    """The unit after a number, and the token after that."""
    if at < len(words) and _RANK.match(words[at]):
        return "", at + 1
    if at < len(words) and words[at] == "°" and at + 1 < len(words) and words[at + 1] in "cf":
        return "°" + words[at + 1], at + 2
    skip = at + 1 if at < len(words) and words[at] == "-" else at
    for count in (3, 2):
        joined = "".join(words[skip : skip + count])
        if len(words) >= skip + count and ("/" in joined or joined[-1:] in "23") and dimension_of(joined):
            return joined, skip + count
    if skip < len(words) and (words[skip] in "%€$£°" or dimension_of(words[skip])):
        return words[skip], skip + 1
    return "", at


def unit_of(name: str, description: str) -> str:
    """The unit of a field, from its name (`height_cm`) or its description ("in minutes")."""
    parts = [part.casefold() for part in split_name(name)]
    if "per" in parts[1:]:
        parts = parts[: parts.index("per")]
    if len(parts) > 1 and _measures(parts[-1]):
        return parts[-1]
    named = re.search(r"\bin ([a-z°%/]+[23²³]?)", description)
    if named and _measures(named[1]):
        return named[1]
    return parts[-1] if parts and _measures(parts[-1]) else ""


def _measures(word: str) -> bool:
    return any(dimension != "money" for dimension, _, _ in dimension_of(word))


def convert(quantity: Quantity, unit: str) -> float | None:
    """The number in another unit; unchanged if either has none, and None if they measure different things."""
    if not quantity.unit or not unit:
        return quantity.value
    for dimension, name, factor in dimension_of(quantity.unit):
        for other, wanted, _ in dimension_of(unit):
            if dimension == other:
                if dimension in ("money", "temperature", "percent") or name == wanted:
                    return quantity.value
                ratio = factor / factor_of(dimension, wanted)
                # Nobody counts hours in years.
                return round(quantity.value * ratio, 10) if dimension != "time" or ratio < _FAR else None
    return None
