"""Candidates that stand in the instructions: "available metrics: a, b, c", or a list of lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import content_words, stem
from signalbox.models.offline.fill.schema import Field

__all__ = ["listed_candidates"]

_LONGEST = 100_000
_LABEL = re.compile(
    r"^[^\S\n]*(?:[-*#]+[^\S\n]*)?([A-Za-z][\w /_-]{1,60}?)[^\S\n]*(?:\([^)\n]*\))?[^\S\n]*(?::|=|\bare\b|"
    r"\bis one of\b|\binclude\b)[^\S\n]*(.*)$",
    re.MULTILINE,
)
_INLINE = re.compile(
    r"(?:^|[.;\n(])\s*((?:[A-Za-z][\w-]* ?){1,6}?)\s*(?::|\bare\b|"
    r"\bis one of\b)\s+([^\n.;]+(?:\.\w[^\n.;]*)*)"
)
_BULLET = re.compile(r"[^\S\n]*(?:[-*•]|\d+[.)])[^\S\n]+(.+)")
_ENTRY = re.compile(r"[`'\"]?([\w][\w .:/-]*?)[`'\"]?\s*(?:\(([^)]*)\)|[:–—]\s+(.*)|\s-\s+(.*))?$")


def listed_candidates(instructions: str, field: Field) -> Mapping[str, tuple[str, ...]]:
    """The values that the instructions list for a field, each with the words that explain it."""
    best: Mapping[str, tuple[str, ...]] = {}
    best_hits = 0
    for label, values in _lists(instructions[:_LONGEST]):
        words = {stem(word) for word in content_words(label)}
        hits = 2 * len(words & set(field.name_stems)) + len(words & field.words)
        if hits > best_hits:
            best, best_hits = dict(values), hits
    return best


@lru_cache(maxsize=64)
def _lists(instructions: str) -> tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]:
    found = []
    lines = instructions.split("\n")
    for at, line in enumerate(lines):
        if label := _LABEL.match(line):
            inline = label[2].strip()
            entries = _split(inline) if inline else _bullets(lines, at + 1)
            if len(entries) > 1:
                found.append((label[1], tuple(entries)))
    for match in _INLINE.finditer(instructions):
        entries = _split(match[2])
        if len(entries) > 1:
            found.append((match[1], tuple(entries)))
    return tuple(found)


def _split(text: str) -> list[tuple[str, tuple[str, ...]]]:
    text = text.strip().strip("[]").rstrip(".")
    parts = re.split(r"\s*[,;|]\s*(?:and |or )?|\s+(?:and|or)\s+", text)
    entries = [entry for part in parts if (entry := _entry(part))]
    return entries if all(len(value.split()) <= 5 for value, _ in entries) else []


def _bullets(lines: list[str], at: int) -> list[tuple[str, tuple[str, ...]]]:
    entries = []
    for line in lines[at:]:
        bullet = _BULLET.fullmatch(line)
        if not bullet:
            break
        if entry := _entry(bullet[1]):
            entries.append(entry)
    return entries


def _entry(text: str) -> tuple[str, tuple[str, ...]] | None:
    found = _ENTRY.match(text.strip())
    if not found or not found[1]:
        return None
    words = found[2] or found[3] or found[4] or ""
    return found[1], (words.strip(),) if words.strip() else ()
