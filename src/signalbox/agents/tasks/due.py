"""Due dates: read from ISO 8601 or from words, and told to a person."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from signalbox.agents.tasks.errors import ValidationError
from signalbox.language.time.ahead import parse_days, parse_due
from signalbox.settings import now, person_zone

__all__ = ["Days", "clock_now", "is_due", "read_days", "read_due", "spoken_due"]

_RANGE = re.compile(r"(\d{4}-\d\d-\d\d)/(\d{4}-\d\d-\d\d)")


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of days, half-open, as tasks keep their due dates."""

    start: str
    end: str


def clock_now() -> datetime:
    """The present moment on the person's clock."""
    return now().astimezone(person_zone())


def read_due(words: str, before: str | None = None) -> str:
    """When a task is due, as it is kept: a day, with the hour where one was said. A length or an hour alone counts from
    the date that it had `before`. Raises ValidationError where the words mean no moment."""
    said = words.strip()
    try:
        found = datetime.fromisoformat(said.upper())
    except ValueError:
        due = parse_due(said, clock_now(), person_zone(), before)
        if due is None:
            suggestion = "Say a day, such as Friday or 3 May."
            raise ValidationError(f"'{words}' is no date that I understand.", suggestion=suggestion) from None
        return due
    if found.tzinfo is not None:
        found = found.astimezone(person_zone())
    return said[:10] if len(said) == len("2026-11-20") else found.strftime("%Y-%m-%dT%H:%M")


def is_due(words: str, before: str | None = None) -> bool:
    """Whether words mean a moment that a task can be due at."""
    try:
        read_due(words, before)
    except ValidationError:
        return False
    return True


def read_days(words: str) -> Days | None:
    """The days that a list is to show: two dates with a slash between them, or words for a day, a week, a month."""
    if (dates := _RANGE.fullmatch(words.strip())) is not None:
        try:
            first, last = map(datetime.fromisoformat, dates.groups())
        except ValueError:
            return None
        return Days(first.strftime("%Y-%m-%d"), (last + timedelta(days=1)).strftime("%Y-%m-%d"))
    found = parse_days(words, clock_now(), person_zone())
    return Days(*found) if found is not None else None


def spoken_due(due: str) -> str:
    """A due date for a person: `Fri 20 Nov`, with the hour where there is one and the year where it is another."""
    moment = datetime.fromisoformat(due)
    year = f" {moment.year}" if moment.year != clock_now().year else ""
    hour = moment.strftime(" %H:%M") if len(due) > len("2026-11-20") else ""
    return f"{moment.strftime('%a')} {moment.day} {moment.strftime('%b')}{year}{hour}"
