"""Text into typed tokens. A piece that is not of time (`web-1`, `p95`, `10.0.0.1`) stays one opaque token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from itertools import pairwise
from typing import Any, NamedTuple

from signalbox.language.numbers import ORDINALS
from signalbox.language.time.calendar import Duration, Grain, scale
from signalbox.language.time.lexicon import FIGURED, MONTHS, PARTS, UNITS, WEEKDAYS, WORDINGS, known_word
from signalbox.language.time.zones import CITIES, read_offset, read_zone


class Token(NamedTuple):
    """kind: word, number, ordinal, clock, date, quantity, quarter, dash, slash, comma, plus, stop, zone or other."""

    kind: str
    value: Any
    start: int
    end: int
    text: str = ""


class Tokens(NamedTuple):
    """The tokens of a text without its words for a zone; the first zone said, and where zones were said."""

    items: tuple[Token, ...]
    zone: tzinfo | None = None
    zone_spans: tuple[tuple[int, int], ...] = ()


_LONGEST_TEXT = 200_000
_CHUNK = re.compile(r"[^\s\x00-\x20\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_OPENING = "([{<\"'`“‘«"
_CLOSING = ".,;:!?)]}>\"'`”’»…"
_DASHES = str.maketrans({"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "→": "-", "_": " "})
_ISH = re.compile(r"(?<=\d)ish$|-ish$")
_TOO_LONG = re.compile(r"\d{16}")
_CLOCK_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_ZONED_CLOCK = re.compile(rf"({_CLOCK_TIME})(Z|\+\d{{2}}:?\d{{2}})")
_PIECE = re.compile(
    rf"""
    (?P<stamp>\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[Tt]\d{{2}}(?::?\d{{2}}(?::?\d{{2}}(?:[.,]\d+)?)?)?(?:[Zz]|[+-]\d{{2}}(?::?\d{{2}})?)?(?![\d:]))
  | (?P<basic>\d{{8}}T\d{{4}}(?:\d{{2}})?(?:Z|[+-]\d{{2}}:?\d{{2}})?(?!\d))
  | (?P<weekdate>\d{{4}}-?W\d{{2}}(?:-?[1-7])?(?!\d))
  | (?P<ymd>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d))
  | (?P<dmy>\d{{1,2}}(?P<sep>[-/.])\d{{1,2}}(?P=sep)\d{{4}}(?!\d))
  | (?P<dmyy>\d{{1,2}}/\d{{1,2}}/\d{{2}}(?![\d/]))
  | (?P<ym>(?:19|20)\d{{2}}[-/](?:0[1-9]|1[0-2])(?![\d:]))
  | (?P<quarter>\d{{4}}[-/]?[Qq][1-4](?!\w)|(?:[1-4][Qq][-/']?|[Qq][1-4][-/']|[Hh][12][/'])(?:\d{{4}}|\d\d)(?!\w)
      |[Hh][12]-\d{{4}}(?!\w)|[QqHh][1-4](?!\w)|[1-4][Qq](?!\w))
  | (?P<isodur>P(?=T?\d)(?:\d+(?:\.\d+)?[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?(?!\w))
  | (?P<clock>{_CLOCK_TIME})(?P<half>\s?[aApP]\.?[mM]?\b)?
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
_DATE_FORMS = frozenset({"stamp", "basic", "weekdate", "ymd", "dmy", "dmyy", "ym", "dm"})
_QUARTER = re.compile(r"(?:(\d{4})[-/]?)?(?:[QqHh](\d)|(\d)[Qq])(?:[-/']?(\d{4}|\d\d))?")
_QUANTITY_PART = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+|$)")
_LONGEST_WORDING = max(map(len, WORDINGS))
_BINDING = {*UNITS, *MONTHS, *PARTS, *ORDINALS, "middle", "early", "late", "last", "past", "half"}
_DAY_NAMES = {*WEEKDAYS, "now", "today", "noon", "midnight", "yesterday", "tomorrow"}
_RANGEABLE = {*_DAY_NAMES, *MONTHS}


def tokenise(text: str) -> Tokens:
    """The tokens of a text, its zone words taken out and read."""
    plain = _ESCAPE.sub(lambda m: " " * len(m.group()), text[:_LONGEST_TEXT])
    items = [token for chunk in _CHUNK.finditer(plain) for token in _split_chunk(chunk)]
    return _take_zones(_join_wordings(items))


def _split_chunk(chunk: re.Match[str]) -> Iterator[Token]:
    raw = chunk.group().translate(_DASHES)
    body = raw if re.match(r"'\d\d(?!\d)", raw) else raw.lstrip(_OPENING)
    start = chunk.start() + len(raw) - len(body)
    core = body.rstrip(_CLOSING)
    tail = body[len(core) :]
    if core:
        yield from _read_core(_ISH.sub("", core), start)
    if tail and tail[0] not in "\"'`)]}>":
        yield Token("comma" if tail[0] in ",:" else "stop", tail, start + len(core), start + len(body), tail)


def _read_core(core: str, start: int) -> list[Token]:
    end = start + len(core)
    whole = Token("other", core, start, end, core)
    zone = read_zone(core, after_clock=False)
    if zone is not None:
        return [Token("zone", zone, start, end, core)]
    if core.lower() in FIGURED:
        return [Token("word", FIGURED[core.lower()], start, end, core)]
    if _TOO_LONG.search(core):
        return [whole]
    if zoned := _ZONED_CLOCK.fullmatch(core):
        middle = start + zoned.end(1)
        clock = Token("clock", (zoned[1], ""), start, middle, zoned[1])
        return [clock, Token("zone", read_offset(zoned[2]), middle, end, zoned[2])]
    pieces: list[Token] = []
    position = 0
    while position < len(core):
        match = _PIECE.match(core, position)
        typed = None if match is None else _type_piece(match)
        if match is None or typed is None or len(pieces) > 24:
            return [whole]
        pieces.append(Token(*typed, start + position, start + match.end(), match.group()))
        position = match.end()
    if len(pieces) > 1 and (any(p.kind == "other" for p in pieces) or _is_numbered_name(pieces)):
        return [whole]
    return _drop_hyphens([p for p in pieces if p.kind != "space"])


def _type_piece(match: re.Match[str]) -> tuple[str, Any] | None:
    """The kind and value of a token, by the group of the pattern that it matched."""
    kind, text = match.lastgroup or "", match.group()
    if kind in _DATE_FORMS:
        return "date", (kind, text)
    if kind == "word":
        bare = text.lower()[:-2] if text.lower().endswith("'s") else text.lower().replace("'", "")
        word = known_word(bare)
        return ("other", bare) if word is None else ("word", word)
    if kind in ("clock", "half", "half2", "military"):
        # 14:00, 9:30am, 9pm, 930am, 1400h: the figures, and a or p if the half of the day is said.
        figures = re.sub(r"^(\d{1,2})(\d\d)$", r"\1:\2", match["clock"] or match["hourhalf"] or match["military"])
        return "clock", (figures, (match["half"] or match["half2"] or "").strip().lower()[:1])
    if kind == "quarter":
        before, number, first, after = _QUARTER.fullmatch(text).groups()  # type: ignore[union-attr]
        return kind, ("h" if text[0] in "hH" else "q", int(number or first), int(before or after or 0))
    if kind in ("quantity", "isodur"):
        days, _, times = text[1:].partition("T") if kind == "isodur" else (text, "", "")
        length = _read_quantity(days + times.lower())
        return None if length is None else ("quantity", length)
    if kind == "ordinal":
        return kind, int(match[kind])
    if kind == "shortyear":
        return "number", 2000 + int(text[1:])
    if kind == "number":
        return kind, float(text) if "." in text else int(text)
    return ("word", text[0].lower() + "m") if kind == "meridiem" else (kind, text)


def _read_quantity(text: str) -> tuple[Duration, Grain] | None:
    """90s, 1h30m, and 1h30, whose last figures are minutes; M is months."""
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


def _is_numbered_name(pieces: list[Token]) -> bool:
    """mon-01, today_3, h2-07, 2026-058: a name with a number, which no one writes for a time."""
    solid = [p for p in pieces if p.kind not in ("dash", "space")]
    return any(
        (b.kind == "number" and (a.kind == "quarter" or a.value in _DAY_NAMES or (len(a.text), len(b.text)) == (4, 3)))
        or (a.kind == "number" and b.value in _DAY_NAMES)
        for a, b in pairwise(solid)
    )


def _drop_hyphens(pieces: list[Token]) -> list[Token]:
    """A hyphen that binds words ("twenty-four", "30-minute") goes; one that spans a range ("Mon-Wed") stays."""
    inner = range(1, len(pieces) - 1)
    bound = {i for i in inner if pieces[i].kind == "dash" and _binds(pieces[i - 1], pieces[i + 1])}
    return [piece for i, piece in enumerate(pieces) if i not in bound]


def _binds(left: Token, right: Token) -> bool:
    if left.kind == "word" and right.kind == "word":
        return not (left.value in _RANGEABLE and right.value in _RANGEABLE)
    other, word = (left, right) if right.kind == "word" else (right, left)
    if word.kind != "word" or other.kind in ("quantity", "clock", "date", "quarter"):
        return False
    return word.value in _BINDING


def _join_wordings(items: list[Token]) -> list[Token]:
    joined: list[Token] = []
    index = 0
    while index < len(items):
        size = _wording_size(items, index)
        if not size:
            joined.append(items[index])
            index += 1
            continue
        words = tuple(str(token.value) for token in items[index : index + size])
        start, end = items[index].start, items[index + size - 1].end
        joined += [Token("word", word, start, end, word) for word in WORDINGS[words]]
        index += size
    return joined


def _wording_size(items: list[Token], index: int) -> int:
    words: list[str] = []
    for token in items[index : index + _LONGEST_WORDING]:
        if token.kind != "word":
            break
        words.append(token.value)
    return next((n for n in range(len(words), 0, -1) if tuple(words[:n]) in WORDINGS), 0)


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
    if token.kind != "other":
        return None
    if kept and (kept[-1].kind in ("clock", "number") or kept[-1].value in ("am", "pm", "noon", "midnight")):
        zone_after = read_offset(token.text) or read_zone(token.text, after_clock=True)
        if zone_after is not None:
            return zone_after
    is_named = token.value in CITIES and index + 1 < len(items) and items[index + 1].value == "time"
    return read_zone(CITIES[token.value], after_clock=False) if is_named else None
