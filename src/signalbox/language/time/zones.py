"""Zones of time as people write them: UTC, CET, +02:00, Europe/Berlin, Berlin time."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from signalbox.language.time.lexicon import TABLES, inverted

# An abbreviation that names standard or summer time keeps that offset all year.
_ABBREVIATIONS = {word: float(hours) for word, hours in inverted(TABLES["offsets"]).items()}
_SHORT = {"et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles"}
CITIES = inverted(TABLES["places"])
"""The zone of each place whose name stands before "time"; of a name of two words the second."""

_NAMED_OFFSET = re.compile(r"(?:utc|gmt)([+-]\d{1,2}(?::?\d{2})?)", re.I)
_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?")


def read_offset(text: str) -> tzinfo | None:
    """'+02:00', '-0530' or 'Z' as a zone."""
    if text in ("Z", "z"):
        return UTC
    match = _OFFSET.fullmatch(text)
    minutes = int(match[2]) * 60 + int(match[3] or 0) if match else 0
    if match is None or minutes >= 15 * 60:
        return None
    return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes)) if minutes else UTC


def read_zone(text: str, *, after_clock: bool) -> tzinfo | None:
    """The zone that one word names. A short or lower-case abbreviation counts only right after a clock time."""
    if named := _NAMED_OFFSET.fullmatch(text):
        return read_offset(named[1])
    lower = text.lower()
    if lower in _ABBREVIATIONS and (after_clock or text.isupper() or lower in ("utc", "gmt")):
        hours = _ABBREVIATIONS[lower]
        return timezone(timedelta(hours=hours), lower.upper()) if hours else UTC
    if after_clock and lower in _SHORT:
        return ZoneInfo(_SHORT[lower])
    return _iana(text) if "/" in text and len(text) < 40 and text[0].isalpha() else None


@lru_cache(maxsize=256)
def _iana(text: str) -> tzinfo | None:
    name = "/".join("_".join(p.capitalize() for p in part.split("_")) for part in text.split("/"))
    for key in (text, name):
        try:
            return ZoneInfo(key)
        except (KeyError, ValueError, OSError):
            continue
    return None
