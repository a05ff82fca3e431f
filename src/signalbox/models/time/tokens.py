"""Text into typed tokens. A piece that is not of time (`web-1`, `p95`, `10.0.0.1`) stays one opaque token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from signalbox.models.time.calendar import Duration, Grain, scale
from signalbox.models.time.lexicon import MONTHS, ORDINALS, PARTS, UNITS, WEEKDAYS
from signalbox.models.time.spelling import PHRASES, known_word
from signalbox.models.time.zones import CITIES, read_offset, read_zone

__all__ = ["Token", "Tokens", "tokenise"]

LONGEST_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Token:
    """kind: word, number, ordinal, clock, date, quantity, quarter, dash, slash, comma, plus, stop or other."""

    kind: str
    value: Any
    start: int
    end: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    items: tuple[Token, ...]
    zone: tzinfo | None = None
    zone_spans: tuple[tuple[int, int], ...] = field(default=())


_CHUNK = re.compile(r"[^\s\x00-\x20\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OPENING = "([{<\"'`“‘«"
_CLOSING = ".,;:!?)]}>\"'`”’»…"
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "→": "-", "_": " "})

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_PIECE = re.compile(
    rf"""
    (?P<stamp>\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[Tt]\d{{2}}(?::?\d{{2}}(?::?\d{{2}}(?:[.,]\d+)?)?)?(?:[Zz]|[+-]\d{{2}}:?\d{{2}}|[+-]\d{{2}})?(?![\d:]))
  | (?P<basic>\d{{8}}T\d{{4}}(?:\d{{2}})?(?:Z|[+-]\d{{2}}:?\d{{2}})?(?!\d))
  | (?P<weekdate>\d{{4}}-?W\d{{2}}(?:-?[1-7])?(?!\d))
  | (?P<ymd>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d))
  | (?P<dmy>\d{{1,2}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{4}}(?!\d))
  | (?P<dmyy>\d{{1,2}}/\d{{1,2}}/\d{{2}}(?![\d/]))
  | (?P<ordinaldate>\d{{4}}-\d{{3}}(?!\d))
  | (?P<ym>(?:19|20)\d{{2}}[-/](?:\d{{2}})(?![\d:]))
  | (?P<yq>\d{{4}}[-/]?[Qq][1-4](?!\w))
  | (?P<quarter>[QqHh][1-4](?!\w))
  | (?P<isodur>P(?=T?\d)(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?(?!\w))
  | (?P<clock>{_TIME})(?P<half>\s?[aApP]\.?[mM]?\b)?
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
_TOO_LONG = re.compile(r"\d{16}")
_ZONED_CLOCK = re.compile(rf"({_TIME})(Z|\+\d{{2}}:?\d{{2}})")
_QUANTITY_PART = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+|$)")
_ISO_PART = re.compile(r"(\d+(?:\.\d+)?)([YMWDHS])")
_PHRASE_TABLE: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(known_word(w) or w for w in key.split()): tuple(value.split()) for key, value in PHRASES.items()
}
_LONGEST_PHRASE = max(map(len, _PHRASE_TABLE))
_BINDING = {*UNITS, *MONTHS, *PARTS, *ORDINALS, "middle", "early", "late", "last", "past", "half"}
_RANGEABLE = {*WEEKDAYS, *MONTHS, "now", "today", "noon", "midnight", "yesterday", "tomorrow"}


def tokenise(text: str) -> Tokens:
    """The tokens of a text, its zone words taken out and read."""
    plain = _ESCAPE.sub(lambda m: " " * len(m.group()), text[:LONGEST_TEXT])
    items = [token for chunk in _CHUNK.finditer(plain) for token in _split_chunk(chunk)]
    return _take_zones(_join_phrases(items))


def _split_chunk(chunk: re.Match[str]) -> Iterator[Token]:
    raw, start = chunk.group().translate(_DASHES), chunk.start()
    body = raw.lstrip(_OPENING)
    if re.match(r"'\d\d(?!\d)", raw):
        body = raw
    start += len(raw) - len(body)
    core = body.rstrip(_CLOSING)
    if core[:1].isdigit() and core.endswith("ish"):
        core, body = core[:-3], core[:-3]
    if core.endswith("-ish"):
        core, body = core[:-4], core[:-4]
    if core:
        yield from _read_core(core, start)
    if tail := body[len(core) :]:
        kind = "comma" if tail[0] in ",:" else "stop"
        if tail[0] not in "\"'`)]}>":
            yield Token(kind, tail, start + len(core), start + len(body), tail)


def _read_core(core: str, start: int) -> list[Token]:
    whole = Token("other", core, start, start + len(core), core)
    zone = read_zone(core, after_clock=False)
    if zone is not None:
        return [Token("zone", zone, start, start + len(core), core)]
    if _TOO_LONG.search(core):
        return [whole]
    if zoned := _ZONED_CLOCK.fullmatch(core):
        middle = start + zoned.end(1)
        clock = Token("clock", (zoned[1], ""), start, middle, zoned[1])
        return [clock, Token("zone", read_offset(zoned[2]), middle, start + len(core), zoned[2])]
    pieces: list[Token] = []
    position = 0
    while position < len(core):
        match = _PIECE.match(core, position)
        token = None if match is None else _type_piece(match, start)
        if match is None or token is None or len(pieces) > 24:
            return [whole]
        pieces.append(token)
        position = match.end()
    if len(pieces) > 1 and any(p.kind == "other" for p in pieces):
        return [whole]
    return _drop_hyphens([p for p in pieces if p.kind != "space"])


def _type_piece(match: re.Match[str], offset: int) -> Token | None:
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
        return kind, (text[0].lower(), int(text[1]))
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


def _drop_hyphens(pieces: list[Token]) -> list[Token]:
    """A hyphen that binds words ("twenty-four", "30-minute") goes; one that spans a range ("Mon-Wed") stays."""
    kept: list[Token] = []
    for index, token in enumerate(pieces):
        if token.kind == "dash" and 0 < index < len(pieces) - 1 and _binds(pieces[index - 1], pieces[index + 1]):
            continue
        kept.append(token)
    return kept


def _binds(left: Token, right: Token) -> bool:
    if left.kind != "word" and right.kind != "word":
        return False
    if left.kind == "word" and right.kind == "word":
        return not (left.value in _RANGEABLE and right.value in _RANGEABLE)
    other, word = (left, right) if right.kind == "word" else (right, left)
    if other.kind in ("quantity", "clock", "date", "quarter"):
        return False
    return word.value in _BINDING


def _join_phrases(items: list[Token]) -> list[Token]:
    joined: list[Token] = []
    index = 0
    while index < len(items):
        size = _phrase_size(items, index)
        if not size:
            joined.append(items[index])
            index += 1
            continue
        words = tuple(str(token.value) for token in items[index : index + size])
        start, end = items[index].start, items[index + size - 1].end
        joined += [Token("word", word, start, end, word) for word in _PHRASE_TABLE[words]]
        index += size
    return joined


def _phrase_size(items: list[Token], index: int) -> int:
    if items[index].kind != "word":
        return 0
    words: list[str] = []
    for token in items[index : index + _LONGEST_PHRASE]:
        if token.kind != "word":
            break
        words.append(token.value)
    return next((n for n in range(len(words), 0, -1) if tuple(words[:n]) in _PHRASE_TABLE), 0)


def _take_zones(items: list[Token]) -> Tokens:
    kept: list[Token] = []
    zones: list[tuple[tzinfo, int, int]] = []
    for index, token in enumerate(items):
        if zones and token.value == "time" and items[index - 1].end == zones[-1][2]:
            zones[-1] = (*zones[-1][:2], token.end)
            continue
        zone = _zone_at(items, index, kept)
        if zone is None:
            kept.append(token)
            continue
        start = token.start
        for before in (("new", "los", "san", "hong"), ("in",)):
            if kept and kept[-1].value in before:
                start = kept.pop().start
        zones.append((zone, start, token.end))
    return Tokens(tuple(kept), zones[0][0] if zones else None, tuple((a, b) for _, a, b in zones))


def _zone_at(items: list[Token], index: int, kept: list[Token]) -> tzinfo | None:
    token = items[index]
    if token.kind == "zone":
        zone: tzinfo = token.value
        return zone
    after_clock = bool(kept) and _is_clocklike(kept[-1])
    if token.kind == "other" and after_clock:
        zone_after = read_offset(token.text) or read_zone(token.text, after_clock=True)
        if zone_after is not None:
            return zone_after
    follows = items[index + 1] if index + 1 < len(items) else None
    if token.kind == "other" and follows and follows.value == "time" and token.value in CITIES:
        return read_zone(CITIES[token.value], after_clock=False)
    return None


def _is_clocklike(token: Token) -> bool:
    return token.kind in ("clock", "number") or (
        token.kind == "word" and token.value in ("am", "pm", "noon", "midnight")
    )
