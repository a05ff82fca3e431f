"""Zones of time as people write them: UTC, CET, +02:00, Europe/Berlin, Berlin time."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from signalbox.language.words import word_list

# An abbreviation that names standard or summer time keeps that offset all year.
_ABBREVIATIONS: dict[str, float] = {
    "utc": 0, "gmt": 0, "wet": 0, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "ist": 5.5,
    "sgt": 8, "hkt": 8, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13, "est": -5,
    "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "zulu": 0,
}  # fmt: skip
_SHORT = {"et": "America/New_York", "ct": "America/Chicago", "mt": "America/Denver", "pt": "America/Los_Angeles"}

_PLACES = word_list(
    "Europe/Berlin Europe/London Europe/Paris Europe/Madrid Europe/Rome Europe/Zurich Europe/Vienna Europe/Amsterdam "
    "Europe/Brussels Europe/Dublin Europe/Lisbon Europe/Stockholm Europe/Oslo Europe/Copenhagen Europe/Helsinki "
    "Europe/Warsaw Europe/Prague Europe/Athens Europe/Kyiv Europe/Istanbul Europe/Moscow Asia/Dubai Asia/Singapore "
    "Asia/Hong_Kong Asia/Shanghai Asia/Tokyo Asia/Seoul Australia/Sydney Australia/Melbourne America/New_York "
    "America/Toronto America/Chicago America/Denver America/Los_Angeles"
)
CITIES: dict[str, str] = {
    **{re.split("[/_]", place)[-1].lower(): place for place in _PLACES},
    **dict.fromkeys(("mumbai", "delhi", "bangalore"), "Asia/Kolkata"),
    **dict.fromkeys(("francisco", "seattle", "pacific"), "America/Los_Angeles"),
    **dict.fromkeys(("boston", "eastern"), "America/New_York"),
    **dict.fromkeys(("universal", "greenwich"), "UTC"),
    "beijing": "Asia/Shanghai",
    "central": "America/Chicago",
    "mountain": "America/Denver",
}
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
