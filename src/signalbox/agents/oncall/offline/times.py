"""Times in a request: one that is over, and how far back a log is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from signalbox.errors import TimeRangeError
from signalbox.language.quantities import convert, find_quantities
from signalbox.language.time import find_range
from signalbox.settings import now

__all__ = ["TROUBLE", "minutes_back", "narrowed_lines", "past_times", "spans_of_time", "until"]

TROUBLE = re.compile(r"\b(?:only|just)\s+(?:\w+\s+)?(?:errors?|warnings?|problems?|failures?|trouble)\b", re.IGNORECASE)


def _ranges(text: str) -> Iterator[tuple[str, float, float]]:
    """The words for a stretch of time, and how many seconds ago it began and ended."""
    try:
        found = find_range(text)
    except TimeRangeError:
        return
    if found is not None:
        began, ended = ((now() - moment).total_seconds() for moment in (found.range.start, found.range.end))
        yield found.text, began, ended


def past_times(text: str) -> list[str]:
    """The words for a time that is over: devices are read as they are, and tell little of how they were."""
    return [said for said, _, ended in _ranges(text) if ended > 60 or said.casefold().endswith(" ago")]


def spans_of_time(text: str) -> list[str]:
    """The words for every stretch of time."""
    return [said for said, _, _ in _ranges(text)]


def minutes_back(text: str) -> int:
    """How many minutes back a request speaks of; 0 if it names no time."""
    lengths = (convert(one, "min") for one in find_quantities(text) if one.unit)
    length = next((one for one in lengths if one is not None), 0)
    return next((max(int(began // 60) + 1, 1) for _, began, _ in _ranges(text)), int(length))


def narrowed_lines(text: str) -> dict[str, str]:
    """What narrows the lines of a log, as slots of the focus: `until` when, and only those of `trouble`."""
    return {**until(text), **({"trouble": "only"} if TROUBLE.search(text) else {})}


def until(text: str) -> dict[str, str]:
    """When a time that is over ended, as a slot of the focus."""
    ended = next((ended for _, _, ended in _ranges(text)), 0.0)
    return {"until": (now() - timedelta(seconds=ended)).isoformat()} if ended > 60 else {}
