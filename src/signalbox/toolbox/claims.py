"""The facts in a text: its figures, moments and names, found by how they are written, independent of the language.

A figure is written with digits. A name is in backticks or quotation marks, or mixes letters, digits, underscores
and signs (web-1, p95, http_requests_total, 10.0.0.1, GigabitEthernet0/0/0/1).
"""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache

from signalbox.language.time.lexicon import MONTHS
from signalbox.language.units import dimension_of
from signalbox.language.words import split_name

__all__ = ["Facts", "Figure", "Moment", "Name", "find_facts", "holds_figure", "plain", "same_moment"]

_NUMBER = r"(?:\d{1,3}(?:[.,'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?"
_GAP = r"[\s\u00a0\u202f-]?"
_MARKS = '`"“”„«»‹›「」『』'
_LETTER = r"[^\W\u0e00-\u0eff\u2e80-\ud7af\uf900-\ufaff]"
"""A letter, digit or underscore of a script that separates words; elsewhere a figure may stand right after a word."""
_FOUND = re.compile(
    rf"""
      (?P<cited>\[E\d+(?:,\s*E\d+)*\])
    | (?P<item>^[ \t]*(?:[-*+][ \t]+)?\d+[.)](?=\s))
    | (?P<marked>`{{1,3}}[^`\n]{{1,400}}`{{1,3}}|"[^"\n]{{1,400}}"|“[^”\n]{{1,400}}”|„[^“”\n]{{1,400}}[“”]
        |«[^»\n]{{1,400}}»|‹[^›\n]{{1,400}}›|「[^」\n]{{1,400}}」|『[^』\n]{{1,400}}』)
    | (?P<moment>(?<!{_LETTER})\d{{4}}-\d\d-\d\d
        (?:[T\u00a0 ]{_CLOCK}(?:\s?(?:Z|UTC)\b|[+-]\d\d:?\d\d)?)?(?!{_LETTER}|-))
    | (?P<day>(?<!{_LETTER})(?<![./-])\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?!{_LETTER}|/))
    | (?P<clock>(?<!{_LETTER})(?<![:./-]){_CLOCK}(?:\s?[aApP]\.?[mM]\b)?(?!{_LETTER}|:))
    | (?<!{_LETTER})(?<![.,:/@\#])(?P<number>[-−+]?{_NUMBER})
      (?P<unit>\s?[%‰]|{_GAP}°[CF]?|{_GAP}(?:(?!\d|_){_LETTER})+(?:/(?:(?!\d|_){_LETTER})+)?[²³]?)?
      (?!{_LETTER}|[./:@-]{_LETTER})
    | (?P<word>{_LETTER}(?:(?:{_LETTER}|[.:/@+\#'’-])*{_LETTER})?)
    """,
    re.VERBOSE | re.MULTILINE,
)
_BETWEEN = re.compile(r",?\s*(?:(?:and|und|et|y)\s+)?", re.IGNORECASE)
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_UNCONVERTED = ("money", "temperature", "percent", "count")
_NEAR = 40
_COARSE = 0.15
"""The largest relative error of a rounded whole number: 42 for 41.6, but not 1 for 0.6."""

Unit = tuple[str, float]
"""The dimension, and the factor to its base unit."""
Day = tuple[int, int, int]
"""Year, month and day; the year is 0 if it is not written."""
Clock = tuple[int, int, int | None]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it is written. `readings` are its possible values (1.234 may be 1234), each with the size of its last
    digit; `suffix` is the word after it, and `units` are its possible meanings."""

    text: str
    readings: tuple[tuple[float, float], ...]
    suffix: str = ""
    units: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a clock time, or both, with the offset if it is written. A day written as 3/11/2026 may be two days."""

    text: str
    days: tuple[Day, ...] = ()
    clock: Clock | None = None
    offset: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class Name:
    """A name; `is_marked` if it is in backticks or quotation marks."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts in a text. `units` are those named apart from figures, such as in the header of a table."""

    figures: tuple[Figure, ...]
    moments: tuple[Moment, ...]
    names: tuple[Name, ...]
    units: frozenset[Unit]
    values: Mapping[tuple[tuple[Unit, ...], str], Sequence[float]]
    """The sorted values of the figures, by unit and suffix."""


@lru_cache(maxsize=128)
def plain(text: str) -> str:
    """A text without case, repeated blanks and typographic differences."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("−", "-").split())


@lru_cache(maxsize=128)
def find_facts(text: str, *, is_answer: bool = False) -> Facts:
    """All facts in a source. With `is_answer`, anything in backticks or quotation marks is one name, and numbers may be
    in any language's format."""
    figures: list[Figure] = []
    moments: list[Moment] = []
    names: list[Name] = []
    units: list[Unit] = []
    for one in _read(text if is_answer else text.translate(_UNMARKED), is_answer=is_answer):
        if isinstance(one, Figure):
            figures.append(one)
        elif isinstance(one, Moment):
            # "Tue 10 Mar 2026 13:20 to 14:20" holds two clock times of one day.
            days = one.days or (() if is_answer or not moments else moments[-1].days)
            moments += [one] if days == one.days else [one, replace(one, days=days)]
        elif isinstance(one, Name):
            names.append(one)
        else:
            units.append(one)
    values: dict[tuple[tuple[Unit, ...], str], list[float]] = defaultdict(list)
    for figure in figures:
        suffix = figure.suffix if figure.suffix in _SCALES else ""
        values[figure.units, suffix] += [value for value, _ in figure.readings]
    ordered = {kind: sorted(found) for kind, found in values.items()}
    return Facts(tuple(figures), tuple(moments), tuple(names), frozenset(units), ordered)


_UNMARKED = str.maketrans(dict.fromkeys(_MARKS, " "))


def _read(text: str, *, is_answer: bool) -> Iterator[Figure | Moment | Name | Unit]:
    place = 0
    while (found := _FOUND.search(text, place)) is not None:
        place = found.end()
        if found["marked"]:
            yield Name(found["marked"].strip(_MARKS + " ").rstrip(".,;:!? "), is_marked=True)
        elif found["moment"]:
            yield _iso_moment(found["moment"])
        elif found["day"]:
            first, second, year = map(int, re.split("[./]", found["day"]))
            yield Moment(found["day"], ((year, second, first), (year, first, second)))
        elif found["clock"]:
            yield Moment(found["clock"], clock=_clock(found["clock"]))
        elif found["number"]:
            named_day = _day_of_month(text, found)
            place = found.start() + len(named_day.text) if named_day else place
            if named_day or not _is_figure(found):
                yield named_day or Name(found[0])
                continue
            figure = _figure(found, is_answer=is_answer)
            # The parts of "211 d 11 h" are no claims of their own, but a source may be told by its first part.
            while (more := _next_part(text, place, figure)) is not None:
                if not is_answer:
                    yield figure
                figure, place = more
            yield figure
        elif found["word"]:
            yield from _word(found["word"])


def _word(word: str) -> Iterator[Name | Unit]:
    if "_" in word or any(sign.isdigit() for sign in word):
        yield Name(word)
    yield from _units(split_name(word)[-1] if "_" in word and split_name(word) else word)


def _is_figure(found: re.Match[str]) -> bool:
    """False for letters right after a number that are not a unit: 7a, 2xx, 3rd."""
    unit = found["unit"] or ""
    return not unit[:1].isalpha() or unit in _SCALES or bool(dimension_of(unit))


def _figure(found: re.Match[str], *, is_answer: bool) -> Figure:
    suffix = (found["unit"] or "").strip(" \t\n\u00a0\u202f-")
    units = tuple(_units(suffix))
    text = found["number"] + (found["unit"] or "") if units else found["number"]
    readings = _readings(found["number"])
    return Figure(text, readings if is_answer else readings[:1], suffix, units)


def _next_part(text: str, place: int, figure: Figure) -> tuple[Figure, int] | None:
    """A duration together with the smaller part that follows it, and its end."""
    gap = _BETWEEN.match(text, place)
    found = _FOUND.match(text, gap.end() if gap else place)
    if found is None or not found["number"] or not _is_figure(found):
        return None
    whole, part = dict(figure.units).get("time"), _figure(found, is_answer=True)
    smaller = dict(part.units).get("time")
    if not whole or not smaller or smaller >= whole or not (figure.readings and part.readings):
        return None
    value, step = part.readings[0]
    total = figure.readings[0][0] * whole / smaller + value
    return replace(part, text=f"{figure.text} {part.text}", readings=((total, step),)), found.end()


def _units(word: str) -> Iterator[Unit]:
    for dimension, unit, factor in dimension_of(word):
        yield (unit, 1.0) if dimension in _UNCONVERTED else (dimension, factor)


def _readings(number: str) -> tuple[tuple[float, float], ...]:
    """1,299.5 and 1.299,5 are the same; 1.234 and 1,234 are ambiguous, the English reading first."""
    body, _, power = re.sub(r"[’'\u00a0\u202f]", "", number.replace("−", "-")).lower().partition("e")
    forms = [body]
    if "," in body and "." in body:
        thousands = "," if body.rindex(".") > body.rindex(",") else "."
        forms = [body.replace(thousands, "").replace(",", ".")]
    elif sign := next((one for one in ",." if one in body), ""):
        whole, part = body.replace(sign, ""), body.replace(",", ".")
        is_grouped = re.fullmatch(rf"[-+]?[1-9]\d{{0,2}}(?:\{sign}\d{{3}})+", body) is not None
        forms = [whole] if body.count(sign) > 1 else [part, whole] if is_grouped else [part]
        forms = forms[::-1] if sign == "," else forms
    shift = 10.0 ** max(min(int(power[:5] or 0), 300), -300)
    read = [(float(one) * shift, shift * 10.0 ** -min(len(one.partition(".")[2]), 300)) for one in forms]
    return tuple(one for one in read if math.isfinite(one[0]))


def _iso_moment(text: str) -> Moment:
    year, month, day = map(int, text[:10].split("-"))
    rest = text[11:]
    zone = re.search(r"(?:(Z|UTC)|([+-])(\d\d):?(\d\d))$", rest)
    offset: tzinfo | None = None
    if zone is not None:
        minutes = 0 if zone[1] else (-1 if zone[2] == "-" else 1) * (60 * int(zone[3]) + int(zone[4]))
        offset = timezone(timedelta(minutes=minutes)) if abs(minutes) < 24 * 60 else UTC
    return Moment(text, ((year, month, day),), _clock(rest), offset)


def _clock(text: str) -> Clock | None:
    found = re.match(r"(\d{1,2}):(\d\d)(?::(\d\d))?", text)
    if found is None:
        return None
    hour, half = int(found[1]), re.search(r"([aApP])\.?[mM]", text)
    if half is not None:
        hour = hour % 12 + (12 if half[1] in "pP" else 0)
    return hour, int(found[2]), int(found[3]) if found[3] else None


def _day_of_month(text: str, found: re.Match[str]) -> Moment | None:
    """A day with its month: 18 November 2026, or the 18, 2026 of November 18, 2026."""
    number, start = found["number"], found.start("number")
    if len(number) > 2 or not number.isdigit() or not 1 <= int(number) <= 31:
        return None
    end = start + len(number)
    rest, earlier = text[end : end + _NEAR], text[max(0, start - _NEAR) : start]
    after = re.match(r"(?:st|nd|rd|th|\.)?\s+([^\W\d_]{3,})\.?(?:,?\s+(\d{4})\b)?", rest)
    if after is not None and (month := MONTHS.get(after[1].casefold())):
        return Moment(number + after[0], ((int(after[2] or 0), month, int(number)),))
    before = re.search(r"([^\W\d_]{3,})\.?\s+$", earlier)
    if before is not None and (month := MONTHS.get(before[1].casefold())):
        year = re.match(r"(?:st|nd|rd|th)?(?:,?\s+(\d{4})\b)?", rest)
        assert year is not None
        return Moment(number + year[0], ((int(year[1] or 0), month, int(number)),))
    return None


def holds_figure(facts: Facts, claim: Figure) -> bool:
    """True if a figure of the source is the claim, after rounding and conversion."""
    scale = _SCALES.get(claim.suffix, 1.0)
    stated = {*claim.readings, *((value * scale, step * scale) for value, step in claim.readings)}
    return any(
        _has(values, factor, one, step)
        for (units, suffix), values in facts.values.items()
        for factor in set(_factors(dict(claim.units), dict(units), suffix, facts.units))
        for one, step in stated
    )


def _factors(
    wanted: dict[str, float], given: dict[str, float], suffix: str, beside: frozenset[Unit]
) -> Iterator[float]:
    """The factor from a figure of the source to the unit of a claim; a bare figure may have a unit named elsewhere."""
    if not wanted or not given:
        yield 1.0
        yield _SCALES.get(suffix, 1.0)
    if "percent" in wanted and not given:
        yield 100.0
    if "percent" in given and not wanted:
        yield 0.01
    for dimension, factor in given.items() if given else beside:
        if dimension in wanted:
            yield factor / wanted[dimension]


def _has(values: Sequence[float], factor: float, stated: float, step: float) -> bool:
    """True if one of the sorted values rounds to the stated one."""
    far = step / 2 + 1e-8 * (abs(stated) + step)
    for middle in (stated, -stated):
        start = bisect_left(values, (middle - far) / factor)
        end = bisect_right(values, (middle + far) / factor)
        if any(_rounds_to(stated, step, one * factor) for one in values[start:end]):
            return True
    return False


def _rounds_to(stated: float, step: float, exact: float) -> bool:
    # "It fell by 12%" states a change of -12%.
    gap = min(abs(stated - exact), abs(stated + exact) if exact < 0 < stated else float("inf"))
    if gap <= 1e-9 * max(abs(exact), abs(stated)):
        return True
    return gap <= step / 2 * (1 + 1e-9) and (step < 1 or gap <= _COARSE * abs(exact))


def same_moment(claim: Moment, fact: Moment, zone: tzinfo) -> bool:
    """True if the claim is the fact as written, in UTC or in the person's zone; 14:05:37 is 14:05, or 14:06."""
    if not (claim.offset and fact.offset) and _agree(claim, fact.days, fact.clock):
        return True
    if fact.clock is None:
        return False
    shown = [claim.offset] if claim.offset else [UTC, zone]
    hour, minute, second = fact.clock
    for own in [fact.offset] if fact.offset else [UTC, zone]:
        for day in fact.days:
            try:
                whole = datetime(*day, hour, minute, second or 0, tzinfo=own)
            except ValueError:
                continue
            for there in ((whole + timedelta(seconds=late)).astimezone(at) for at in shown for late in (0, 30)):
                if _agree(claim, ((there.year, there.month, there.day),), (there.hour, there.minute, second)):
                    return True
    return False


def _agree(claim: Moment, days: tuple[Day, ...], clock: Clock | None) -> bool:
    if claim.days and not any(
        ours[1:] == theirs[1:] and 0 in (ours[0] - theirs[0], ours[0], theirs[0])
        for ours in claim.days
        for theirs in days
    ):
        return False
    if claim.clock is None or clock is None:
        return claim.clock is None
    seconds = (claim.clock[2], clock[2])
    return claim.clock[:2] == clock[:2] and (None in seconds or seconds[0] == seconds[1])
