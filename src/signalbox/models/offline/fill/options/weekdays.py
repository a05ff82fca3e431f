"""Sets of weekdays: "every weekday", "daily", "Mondays and Thursdays", "mon to fri", "every day but Friday"."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_weekdays", "is_weekday", "weekdays_of"]

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES = r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_DAY = rf"(?:{_NAMES})s?"
_OUT = (
    r"except(?:ing| for)?|excluding|but(?: not)?|apart from|other than|save(?: for)?|minus|without|not on|never on|"
    r"can'?t do|no"
)
_PARTS = re.compile(
    rf"\b(?:(?P<out>{_OUT})\s+(?:on\s+|for\s+|the\s+)*(?={_DAY}\b|(?:at )?(?:the )?weekends?\b)"
    r"|(?P<work>(?:every |each |on |all |any |during )?(?:the )?(?:week ?days?|(?:working|business) days?|work ?days?)|"
    r"during the week)"
    r"|(?P<end>week-?ends?)"
    r"|(?P<all>every ?day|daily|each day|any day|all days|all week|(?:all )?seven days(?: a week)?|7 days(?: a week)?|"
    r"24/7|every (?:single )?(?:night|morning|evening|afternoon)|all other days|(?:every|any) other day is)"
    rf"|(?P<first>{_DAY})\s*(?:-|–|to|till|until|through|thru)\s*(?P<last>{_DAY})"
    rf"|(?P<day>{_DAY}))\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\s*,?\s*(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\b(?!\s*[:.h]\d|\s*(?:am|pm|a\.m|p\.m|o'clock))", re.IGNORECASE
)
_ONCE = re.compile(r"\b(?:next|this|last|coming|following)\s+$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|/|\+|&|,?\s*\b(?:and|or|nor)\b)\s*(?:on\s+|the\s+)?", re.IGNORECASE)


@lru_cache(maxsize=5_000)
def is_weekday(option: str) -> bool:
    """Whether an option is the name of a weekday, short or in full."""
    return option.isascii() and bool(re.fullmatch(_NAMES, option, re.IGNORECASE))


@lru_cache(maxsize=500)
def weekdays_of(options: tuple[str, ...]) -> dict[str, str]:
    """The options that are weekdays, by the first letters of the day; empty unless most of the week is there."""
    found = {option[:3].lower(): option for option in options if is_weekday(option)}
    return found if len(found) >= 5 else {}


def find_weekdays(reading: Reading, field: Field) -> list[Proposal]:
    """One list of all days that a sentence gives, without those that it takes out."""
    item = field.item
    days = weekdays_of(tuple(map(str, item.options))) if item is not None else {}
    if not days:
        return []
    given: list[str] = []
    without: list[str] = []
    pieces: list[tuple[int, int]] = []
    outside, last_end = False, 0
    for found in _PARTS.finditer(reading.text):
        if found["out"]:
            outside, last_end = True, found.end()
            continue
        if found["day"] and _is_date(reading, found):
            continue
        outside = (
            outside
            and not (found["all"] or found["work"])
            and (last_end == found.start() or bool(_JOINED.fullmatch(reading.text[last_end : found.start()])))
        )
        (without if outside else given).extend(_meant(found))
        pieces.append(found.span())
        last_end = found.end()
    chosen = [
        day for day in _DAYS if day in (given or without) and day not in (without if given else ()) and day in days
    ]
    if not given or not chosen:
        return []
    return [Proposal(field, [days[day] for day in chosen], pieces[0][0], pieces[-1][1], 0.97, pieces=tuple(pieces))]


def _meant(found: re.Match[str]) -> tuple[str, ...]:
    if found["all"]:
        return _DAYS
    if found["work"]:
        return _DAYS[:5]
    if found["end"]:
        return _DAYS[5:]
    if found["first"]:
        first, last = _DAYS.index(found["first"][:3].lower()), _DAYS.index(found["last"][:3].lower())
        return _DAYS[first : last + 1] if first <= last else _DAYS[first:] + _DAYS[: last + 1]
    return (found["day"][:3].lower(),)


def _is_date(reading: Reading, found: re.Match[str]) -> bool:
    """Whether a day belongs to one date: "Saturday 21 November", "next Friday"; a verb that looks like one, too."""
    text = reading.text
    single = not found["day"].lower().endswith("s")
    odd = found["day"] in ("sat", "sun", "wed") and re.search(
        r"\b(?:the|i|we|he|she|they|in)\s+$", text[: found.start()], re.I
    )
    dated = _DATED.match(text, found.end()) or _ONCE.search(text, 0, found.start())
    return bool(odd) or bool(single and dated)
