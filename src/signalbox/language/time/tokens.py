"""Text into typed tokens. A piece that is not of time (`web-1`, `p95`, `10.0.0.1`) stays one opaque token."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import pairwise

from signalbox.language.numbers import ORDINALS
from signalbox.language.time.lexicon import MONTHS, PARTS, UNITS, WEEKDAYS
from signalbox.language.time.pieces import CLOCK_TIME, PIECE, Token, type_piece
from signalbox.language.time.spelling import FIGURED, PHRASES, known_word
from signalbox.language.time.zones import CITIES, read_offset, read_zone

__all__ = ["Token", "Tokens", "tokenise"]

LONGEST_TEXT = 200_000


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

_TOO_LONG = re.compile(r"\d{16}")
_ZONED_CLOCK = re.compile(rf"({CLOCK_TIME})(Z|\+\d{{2}}:?\d{{2}})")
_PHRASE_TABLE: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(known_word(w) or w for w in key.split()): tuple(value.split()) for key, value in PHRASES.items()
}
_LONGEST_PHRASE = max(map(len, _PHRASE_TABLE))
_BINDING = {*UNITS, *MONTHS, *PARTS, *ORDINALS, "middle", "early", "late", "last", "past", "half"}
_DAY_NAMES = {*WEEKDAYS, "now", "today", "noon", "midnight", "yesterday", "tomorrow"}
_RANGEABLE = {*_DAY_NAMES, *MONTHS}


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
    if core.lower() in FIGURED:
        return [Token("word", FIGURED[core.lower()], start, start + len(core), core)]
    if _TOO_LONG.search(core):
        return [whole]
    if zoned := _ZONED_CLOCK.fullmatch(core):
        middle = start + zoned.end(1)
        clock = Token("clock", (zoned[1], ""), start, middle, zoned[1])
        return [clock, Token("zone", read_offset(zoned[2]), middle, start + len(core), zoned[2])]
    pieces: list[Token] = []
    position = 0
    while position < len(core):
        match = PIECE.match(core, position)
        token = None if match is None else type_piece(match, start)
        if match is None or token is None or len(pieces) > 24:
            return [whole]
        pieces.append(token)
        position = match.end()
    if len(pieces) > 1 and (any(p.kind == "other" for p in pieces) or _is_numbered_name(pieces)):
        return [whole]
    return _drop_hyphens([p for p in pieces if p.kind != "space"])


def _is_numbered_name(pieces: list[Token]) -> bool:
    """mon-01 and today_3: the name of a day with a number, which no one writes for a time."""
    solid = [p for p in pieces if p.kind not in ("dash", "space")]
    return any(
        {a.kind, b.kind} == {"word", "number"} and (a.value in _DAY_NAMES or b.value in _DAY_NAMES)
        for a, b in pairwise(solid)
    )


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
