"""Moments and lengths of time as a person reads them, in the person's zone. Data keeps ISO 8601 and seconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from signalbox.settings import now, person_zone

__all__ = ["moment_of", "plain_moments", "spoken_duration", "spoken_moment"]

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")


def moment_of(told: Any) -> datetime | None:
    """A moment as tools write it; None for anything else."""
    try:
        found = datetime.fromisoformat(str(told).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def spoken_moment(told: Any, today: str = "today ") -> str:
    """A moment such as "today 14:12", "12 Nov 14:12" or "12 Nov 2024 14:12"; what is none stays as it is."""
    found = told if isinstance(told, datetime) else moment_of(told)
    if found is None:
        return str(told)
    there, here = found.astimezone(person_zone()), now().astimezone(person_zone())
    if there.date() == here.date():
        return f"{today}{there:%H:%M}"
    year = "" if there.year == here.year else f" {there.year}"
    return f"{there.day} {there:%b}{year} {there:%H:%M}"


def plain_moments(text: str) -> str:
    """A text in which every moment in ISO 8601 is spoken."""
    return _ISO.sub(lambda found: spoken_moment(found[0]), text)


def spoken_duration(value: Any) -> str:
    """So many seconds in the largest unit that they fill: 3 days, 40 s."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "some time"
    seconds = int(value)
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds} s"
