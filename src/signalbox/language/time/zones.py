"""Zones of time as people write them: UTC, CET, +02:00, Europe/Berlin, Berlin time."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

__all__ = ["CITIES", "read_offset", "read_zone"]

# An abbreviation that names standard or summer time keeps that offset all year.
_ABBREVIATIONS: dict[str, float] = {
    "utc": 0, "gmt": 0, "wet": 0, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "ist": 5.5,
    "sgt": 8, "hkt": 8, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13, "est": -5,
    "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "zulu": 0,
}  # fmt: skip
_SHORT = {"et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles"}

CITIES: dict[str, str] = {
    "berlin": "Europe/Berlin",
    "london": "Europe/London",
    "paris": "Europe/Paris",
    "madrid": "Europe/Madrid",
    "rome": "Europe/Rome",
    "zurich": "Europe/Zurich",
    "vienna": "Europe/Vienna",
    "amsterdam": "Europe/Amsterdam",
    "brussels": "Europe/Brussels",
    "dublin": "Europe/Dublin",
    "lisbon": "Europe/Lisbon",
    "stockholm": "Europe/Stockholm",
    "oslo": "Europe/Oslo",
    "copenhagen": "Europe/Copenhagen",
    "helsinki": "Europe/Helsinki",
    "warsaw": "Europe/Warsaw",
    "prague": "Europe/Prague",
    "athens": "Europe/Athens",
    "kyiv": "Europe/Kyiv",
    "istanbul": "Europe/Istanbul",
    "moscow": "Europe/Moscow",
    "dubai": "Asia/Dubai",
    "mumbai": "Asia/Kolkata",
    "delhi": "Asia/Kolkata",
    "bangalore": "Asia/Kolkata",
    "singapore": "Asia/Singapore",
    "hongkong": "Asia/Hong_Kong",
    "shanghai": "Asia/Shanghai",
    "beijing": "Asia/Shanghai",
    "tokyo": "Asia/Tokyo",
    "seoul": "Asia/Seoul",
    "sydney": "Australia/Sydney",
    "melbourne": "Australia/Melbourne",
    "york": "America/New_York",
    "boston": "America/New_York",
    "toronto": "America/Toronto",
    "chicago": "America/Chicago",
    "denver": "America/Denver",
    "angeles": "America/Los_Angeles",
    "francisco": "America/Los_Angeles",
    "seattle": "America/Los_Angeles",
    "pacific": "America/Los_Angeles",
    "eastern": "America/New_York",
    "central": "America/Chicago",
    "mountain": "America/Denver",
    "universal": "UTC",
    "greenwich": "UTC",
}

_NAMED_OFFSET = re.compile(r"(?:utc|gmt)([+-]\d{1,2}(?::?\d{2})?)", re.I)
_OFFSET = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?")


def read_offset(text: str) -> tzinfo | None:
    """'+02:00', '-0530' or 'Z' as a zone."""
    if text in ("Z", "z"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    if minutes >= 15 * 60:
        return None
    return timezone(timedelta(minutes=-minutes if match[1] == "-" else minutes)) if minutes else UTC


def read_zone(text: str, *, after_clock: bool) -> tzinfo | None:
    """The zone that one word names. A short or lower-case abbreviation counts only right after a clock time."""
    named = _NAMED_OFFSET.fullmatch(text)
    if named:
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
