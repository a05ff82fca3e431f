"""Words of time that belong to a name and tell no time: "Black Friday Deals", "Act Now", "call it Late Friday Club"."""

from __future__ import annotations

import re

__all__ = ["in_name"]

_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_WEEKDAY = re.compile(_DAY)
# The words with capitals behind such a word are one name, whatever they mean.
_CALLED = re.compile(
    r"\b(?:[Nn]ame it|[Cc]all it|called|named|titled|entitled|name:|title:) "
    r"(?P<name>[A-Z][\w'&-]*(?: (?:(?:of|the|and|in|for|to|&) )?[A-Z][\w'&-]*)+)"
)
_CAPITAL_BEFORE = re.compile(rf"\b(?!{_DAY} )[A-Z][a-z]+ \Z")
_CAPITAL = re.compile(r" (?!(?:Morning|Afternoon|Evening|Night|Noon|Midnight|At|From)\b)[A-Z][a-z]")
_EVENTS = re.compile(r"\b(?:Black|Good|Ash|Cyber|Palm|Shrove|Giving|Super|Fat) \Z")


def in_name(text: str, start: int, end: int) -> bool:
    """Whether the words of time at a place are part of a name in capitals."""
    words = text[start:end].strip()
    if not words.rsplit(" ", 1)[-1][0].isupper():
        return False
    weekday = _WEEKDAY.fullmatch(words) is not None
    for name in _CALLED.finditer(text):
        # A weekday that ends a name is rather a day.
        if name.start("name") <= start and (end < name.end() if weekday else end <= name.end()):
            return True
    return words.isalpha() and _stands_in_name(text, start, end, weekday)


def _stands_in_name(text: str, start: int, end: int, weekday: bool) -> bool:
    """Whether a single word with a capital goes on with one that opens no sentence; a weekday needs one behind too."""
    if weekday and _EVENTS.search(text, 0, start):
        return True
    before = _CAPITAL_BEFORE.search(text, 0, start)
    if before is None or (weekday and not _CAPITAL.match(text, end)):
        return False
    earlier = text[: before.start()].rstrip()
    return bool(earlier) and earlier[-1] not in ".!?:;"
