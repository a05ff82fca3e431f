"""The kinds of piece that a chunk of text can be made of, and the token that each becomes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from signalbox.language.time.calendar import Duration, Grain, scale
from signalbox.language.time.lexicon import UNITS
from signalbox.language.time.spelling import known_word

__all__ = ["CLOCK_TIME", "PIECE", "Token", "type_piece"]


@dataclass(frozen=True, slots=True)
class Token:
    """kind: word, number, ordinal, clock, date, quantity, quarter, dash, slash, comma, plus, stop or other."""

    kind: str
    value: Any
    start: int
    end: int
    text: str = ""


CLOCK_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_YEAR = r"(?:\d{4}|\d{2})"
PIECE = re.compile(
    rf"""
    (?P<stamp>\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[Tt]\d{{2}}(?::?\d{{2}}(?::?\d{{2}}(?:[.,]\d+)?)?)?(?:[Zz]|[+-]\d{{2}}:?\d{{2}}|[+-]\d{{2}})?(?![\d:]))
  | (?P<basic>\d{{8}}T\d{{4}}(?:\d{{2}})?(?:Z|[+-]\d{{2}}:?\d{{2}})?(?!\d))
  | (?P<weekdate>\d{{4}}-?W\d{{2}}(?:-?[1-7])?(?!\d))
  | (?P<ymd>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d))
  | (?P<dmy>\d{{1,2}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{4}}(?!\d))
  | (?P<dmyy>\d{{1,2}}/\d{{1,2}}/\d{{2}}(?![\d/]))
  | (?P<ordinaldate>\d{{4}}-\d{{3}}(?!\d))
  | (?P<ym>(?:19|20)\d{{2}}[-/](?:\d{{2}})(?![\d:]))
  | (?P<yq>\d{{4}}[-/]?[Qq][1-4](?!\w)|(?:[1-4][Qq][-/']?|[QqHh][1-4][-/']|[Qq][1-4](?=\d\d\b)){_YEAR}(?!\w))
  | (?P<quarter>[QqHh][1-4](?!\w)|[1-4][Qq](?!\w))
  | (?P<isodur>P(?=T?\d)(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?(?!\w))
  | (?P<clock>{CLOCK_TIME})(?P<half>\s?[aApP]\.?[mM]?\b)?
  | (?P<hourhalf>\d{{1,2}}(?:\.\d{{2}})?|\d{{3,4}})(?P<half2>[aApP]\.?[mM]|[aApP](?=$|-))(?!\w)
  | (?P<military>\d{{4}})(?:h|hrs|hours)(?!\w)
  | (?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)(?!\w)
  | (?P<quantity>\d+(?:\.\d+)?[A-Za-zµ]+(?:\d+(?:\.\d+)?[A-Za-z]+)*(?:\d+)?)
  | (?P<dm>\d{{1,2}}/\d{{1,2}}(?![\d/]))
  | (?P<shortyear>'\d{{2}}(?!\d))
  | (?P<number>\d+(?:\.\d+)?)(?!\w)
  | (?P<meridiem>[AaPp]\.[Mm])
  | (?P<word>[^\W\d_]+(?:'[^\W\d_]+)?|[@~&])
  | (?P<dash>-+|\.\.+)
  | (?P<slash>/)
  | (?P<plus>\+)
  | (?P<space>\ +)
    """,
    re.X,
)
_DATE_FORMS = frozenset({"stamp", "basic", "weekdate", "ymd", "dmy", "dmyy", "ordinaldate", "ym", "yq", "dm"})
_QUANTITY_PART = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+|$)")
_ISO_PART = re.compile(r"(\d+(?:\.\d+)?)([YMWDHS])")


def type_piece(match: re.Match[str], offset: int) -> Token | None:
    text, start, end = match.group(), offset + match.start(), offset + match.end()
    if match["word"]:
        return _type_word(text, start, end)
    typed = _read_clock_piece(match) or _read_value(match.lastgroup or "", text)
    return None if typed is None else Token(*typed, start, end, text)


def _read_clock_piece(match: re.Match[str]) -> tuple[str, Any] | None:
    """14:00, 9:30am, 9pm, 930am, 1400h: the figures, and a or p if the half of the day is said."""
    if match["military"]:
        return "clock", (f"{match['military'][:2]}:{match['military'][2:]}", "")
    number = match["clock"] or match["hourhalf"]
    if number is None:
        return None
    if len(number) > 2 and number.isdigit():
        number = f"{number[:-2]}:{number[-2:]}"
    half = (match["half"] or match["half2"] or "").strip().lower()[:1]
    return "clock", (number, half)


def _read_value(kind: str, text: str) -> tuple[str, Any] | None:
    """The kind and value of a token, by the group of the pattern that it matched."""
    if kind in _DATE_FORMS:
        return "date", (kind, text)
    if kind == "quarter":
        letter, number = sorted(text.lower(), reverse=True)
        return kind, (letter, int(number))
    if kind == "quantity":
        length = _read_quantity(text)
        return None if length is None else (kind, length)
    if kind == "isodur":
        return "quantity", _read_iso_duration(text)
    if kind == "ordinal":
        return kind, int(text[:-2])
    if kind == "shortyear":
        return "number", 2000 + int(text[1:])
    if kind == "number":
        return kind, float(text) if "." in text else int(text)
    if kind == "meridiem":
        return "word", text[0].lower() + "m"
    return kind, text


def _type_word(text: str, start: int, end: int) -> Token:
    lower = text.lower()
    bare = lower[:-2] if lower.endswith("'s") else lower.replace("'", "")
    word = known_word(bare)
    if word is not None:
        return Token("word", word, start, end, text)
    return Token("other", bare, start, end, text)


def _read_quantity(text: str) -> tuple[Duration, Grain] | None:
    total, grain, position = Duration(), Grain.SECOND, 0
    for match in _QUANTITY_PART.finditer(text):
        name = match[2]
        unit = (Grain.MONTH, 1) if name == "M" else UNITS.get(name.lower())
        if not name and total.seconds and grain is Grain.HOUR:
            unit = (Grain.MINUTE, 1)
        if unit is None or match.start() != position:
            return None
        total = total.plus(scale(unit[0], float(match[1]) * unit[1]))
        grain, position = unit[0], match.end()
        if position == len(text):
            break
    return (total, grain) if position == len(text) else None


def _read_iso_duration(text: str) -> tuple[Duration, Grain]:
    days, _, times = text[1:].partition("T")
    total, grain = Duration(), Grain.SECOND
    names = {"Y": Grain.YEAR, "M": Grain.MONTH, "W": Grain.WEEK, "D": Grain.DAY}
    clocks = {"H": Grain.HOUR, "M": Grain.MINUTE, "S": Grain.SECOND}
    for part, table in ((days, names), (times, clocks)):
        for match in _ISO_PART.finditer(part):
            grain = table.get(match[2], Grain.DAY)
            total = total.plus(scale(grain, float(match[1])))
    return total, grain
