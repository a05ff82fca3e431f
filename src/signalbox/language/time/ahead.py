"""When something is due: a day ahead in plain words, with the hour where one is said, and whole days for a list."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from signalbox.errors import SignalboxError
from signalbox.language.time.ranges import find_range, parse_duration, parse_instant

__all__ = ["parse_days", "parse_due"]

_DAY, _MINUTE = "%Y-%m-%d", "%Y-%m-%dT%H:%M"
_LEAD = re.compile(r"^(?:by|on|for|until|till|before|to|due|at|from|over)\s+")
_CLOCK = re.compile(
    r"\d\s*(?:[ap]\.?m\b|h\b|[:.]\d\d|o'?clock)|\b(?:at|half|quarter|noon|midday|am|pm)\b|\b(?:hours?|minutes?)\b|"
    r"\w (?:past|to) (?:\d|[a-z]+$)|\w in the (?:morning|afternoon|evening)\b"
)
_READ_AS = (
    (re.compile(r"(?<!\d)(\d{1,2})\.([0-5]\d)(?= ?(?:am|pm|$))"), r"\1:\2"),
    (
        re.compile(r"(?:(?<=[a-z] )|^)(?!20[2-9]\d)([01]\d|2[0-3])([0-5]\d)(?:h|hrs?)?$"),
        r"at \1:\2",
    ),
    (re.compile(r",? still (?=\d)"), " "),
    (re.compile(r"\b(?:at |around |about )*(\d{1,2}(?::\d\d)?)-?ish\b"), r"at \1"),
    (re.compile(r"^(\d{1,2}(?::\d\d)?) on ([a-z]+)$"), r"\2 at \1"),
    (re.compile(r"\bx-?mas\b"), "christmas"),
    (re.compile(r"\b(?:tmrw|tmr)\b"), "tomorrow"),
    (re.compile(r"\bin (?=(?:morning|afternoon|evening)\b)"), "in the "),
    (re.compile(r"^before christmas$"), "christmas eve"),
    (re.compile(r"\bmid(?:dle of)?[ -](?=[a-z]{3})"), "15 "),
)
"""What people write for an hour or a day, and how it is read: 16.45, 0730, 7ish, mid December."""
_ONLY_CLOCK = re.compile(
    r"(?:(?:at|by|to|same day) )*"
    r"(?:\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|h|o'?clock)?|noon|midday|half (?:past )?\w+|quarter (?:past|to) \w+)"
)
_STRETCH = re.compile(
    r"(?:by |before |until |till |at |on |for )?(?:the )?(?:(?P<part>end of|start of) )?(?:the )?"
    r"(?:(?P<which>this|next) )?(?P<what>week|weekend|month)"
)
_SHIFT = re.compile(
    r"^(?:by|back|another)\b|\b(?:later|earlier|before|more|longer)$|"
    r"^(?:an?|one|two|three|\d+) (?:hour|day|week|month)s?$"
)
_DOTTED = re.compile(r"(?:the )?(?P<day>\d{1,2})\.\s?(?P<month>1[0-2]|0?[1-9])(?P<dot>\.)?")
_WEEKDAY = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?")
_NAMED_DAY = re.compile(r"(?:this |next |coming )(?P<day>[a-z]+day),? (?P<date>(?:the )?\d.*)")
_EARLY = re.compile(r"\d\s*a\.?m|morning|night|\b0\d")
_WAKING = 7


def parse_due(words: str, moment: datetime, zone: tzinfo, before: str | None = None) -> str | None:
    """The day that words mean, as `2026-11-20`, or `2026-11-20T15:00` where they say an hour; None for no day.

    A stretch means its last day: "this week" is Sunday. What is only a length ("by a week", "an hour later") or only an
    hour counts from the date that something has `before`.
    """
    said = " ".join(words.casefold().replace("’", "'").split()).strip(" .,;!?")
    # That it is so now is no part of the day: the 26th now.
    said = re.sub(r"(?<=\S)(?<!from)\s+(?:right )?now$|^now (?=\S)", "", said)
    if (same := re.sub(r",? (?:at )?(?:the )?same (?:time|hour)$", "", said)) != said:
        day = parse_due(same, moment, zone, before)
        return f"{day}{before[10:]}" if day and before and len(day) == len("2026-11-20") else day
    if before is not None and (hour := re.sub(r",? ?(?:on )?(?:the )?same (?:day|date)$", "", said)) != said:
        said = hour or before[:10]
    is_two = re.search(r"\bbetween\b|\S\s+or\s+\S|\b(?:five|ten|twenty)(?:-five)? to \w", said)
    if is_two or not said or (before is None and _LEAD.sub("", said).isdigit() and len(said) < len("0730")):
        return None
    if before is not None and _SHIFT.search(said) and (moved := _shifted(said, before)) is not None:
        return moved
    bare = _LEAD.sub("", said)
    if (ends := _end_of_stretch(said, moment, zone) or _dotted(bare, moment)) is not None:
        return ends
    if before is not None and _ONLY_CLOCK.fullmatch(said):
        return _at_hour(bare.replace("same day", "").strip(), before, zone)
    for written, read in _READ_AS:
        said = written.sub(read, said)
    bare = _NAMED_DAY.sub(r"\g<day> \g<date>", _LEAD.sub("", said))
    for phrase in dict.fromkeys((bare, said, f"on {bare}", f"at {bare}")):
        found = _instant(phrase, moment, zone)
        if found is not None:
            return _written(found, said, bare, moment)
    return None


def _instant(phrase: str, moment: datetime, zone: tzinfo) -> datetime | None:
    try:
        return parse_instant(phrase, moment, zone)
    except SignalboxError:
        return None


def _written(found: datetime, said: str, bare: str, moment: datetime) -> str:
    has_clock = _CLOCK.search(said) is not None
    if _WEEKDAY.fullmatch(bare) and found.date() == moment.date():
        # Who means today says so: on a Monday, Monday is the next one.
        found += timedelta(days=7)
    if re.search(r"\bend of\b|\b(?:eod|cob)\b", said) and not re.search(r"\d\s*(?:am|pm|[:.]\d\d)", said):
        # The end of November is its last day, not the moment after it.
        return (found - timedelta(minutes=1)).strftime(_DAY)
    if not has_clock or (found.hour == found.minute == 0 and not re.search(r"midnight|\b0?0[:.]00|12 ?am", said)):
        return found.strftime(_DAY)
    if 0 < found.hour < _WAKING and not _EARLY.search(said) and "in " not in said:
        # Half past four is in the afternoon, unless the words say otherwise.
        later = found + timedelta(hours=12)
        is_today = _ONLY_CLOCK.fullmatch(said) is not None and later - timedelta(days=1) > moment
        found = later - timedelta(days=1) if is_today and found.date() != moment.date() else later
    return found.strftime(_MINUTE)


def _at_hour(clock: str, before: str, zone: tzinfo) -> str | None:
    """The hour alone, on the day of before; near an hour in the afternoon it is one of the afternoon."""
    midnight = datetime.fromisoformat(before[:10]).replace(tzinfo=zone)
    found = _instant(f"at {clock}", midnight, zone)
    if found is None:
        return None
    was = int(before[11:13]) if len(before) > 10 else 12
    is_open = 0 < found.hour < 12 and not re.search(r"\d\s*a\.?m|[:.]\d\d|\b0\d", clock)
    is_late = is_open and (found.hour < _WAKING or abs(found.hour + 12 - was) <= 3 < was - found.hour + 3)
    return f"{before[:10]}T{(found + timedelta(hours=12 if is_late else 0)).strftime('%H:%M')}"


def _shifted(said: str, before: str) -> str | None:
    try:
        length = parse_duration(re.sub(r"^(?:by|back|another)\s+|\s+(?:later|earlier|before|more|longer)$", "", said))
        if length is None:
            return None
        moved = datetime.fromisoformat(before) + (-length if said.endswith(("earlier", "before")) else length)
    except (SignalboxError, OverflowError):
        return None
    return moved.strftime(_MINUTE if len(before) > 10 or length % timedelta(days=1) else _DAY)


def _dotted(said: str, moment: datetime) -> str | None:
    """A day and a month with a dot between them, the next one that comes: 30.11. and 3.12, not a clock's 16.45."""
    found = _DOTTED.fullmatch(said)
    if found is None or not (found["dot"] or int(found["day"]) > 23 or int(found["month"]) % 5):
        return None
    for year in (moment.year, moment.year + 1):
        try:
            day = datetime(year, int(found["month"]), int(found["day"]))
        except ValueError:
            return None
        if day.date() >= moment.date():
            return day.strftime(_DAY)
    return None


def _end_of_stretch(said: str, moment: datetime, zone: tzinfo) -> str | None:
    """The last day of a week or month that goes on or is to come, the first of the next one."""
    found = _STRETCH.fullmatch(said)
    days = parse_days(f"{found['which'] or 'this'} {found['what']}", moment, zone) if found else None
    if found is None or days is None:
        return None
    starts_it = found["part"] == "start of" or (found["which"] == "next" and not found["part"])
    last = datetime.fromisoformat(days[1]) - timedelta(days=1)
    return days[0] if starts_it else last.strftime(_DAY)


def parse_days(words: str, moment: datetime, zone: tzinfo) -> tuple[str, str] | None:
    """The whole days that words mean, ahead as well as past, from the first to before the last; None for none."""
    said = _LEAD.sub("", words.strip(" .,;!?").casefold())
    today = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    next_month = (first + timedelta(days=32)).replace(day=1)
    saturday = monday + timedelta(days=5)
    known = {
        "week": (monday, monday + timedelta(days=7)),
        "next week": (monday + timedelta(days=7), monday + timedelta(days=14)),
        "weekend": (saturday, saturday + timedelta(days=2)),
        "next weekend": (saturday + timedelta(days=7), saturday + timedelta(days=9)),
        "month": (first, next_month),
        "next month": (next_month, (next_month + timedelta(days=32)).replace(day=1)),
    }
    if (bare := re.sub(r"^(?:this|the) ", "", said)) in known:
        return _days(*known[bare])
    ahead = re.fullmatch(r"(?:the )?(?:next|coming|following) (.+)", said)
    try:
        length = parse_duration(ahead[1]) if ahead else None
        if length is not None and length >= timedelta(days=1):
            return _days(today, today + length + timedelta(days=1))
        if re.match(r"last|past|yesterday|since|previous", said):
            found = find_range(said, moment, zone)
            return _days(found.range.start, found.range.end + timedelta(hours=23, minutes=59)) if found else None
        instant = parse_instant(said, moment, zone)
    except SignalboxError:
        return None
    if instant is None:
        return None
    day = instant.replace(hour=0, minute=0, second=0, microsecond=0)
    is_open = re.match(r"(?:until|till|before|by|up to)\b", words.strip().casefold())
    return ("0001-01-01" if is_open else day.strftime(_DAY), (day + timedelta(days=1)).strftime(_DAY))


def _days(start: datetime, end: datetime) -> tuple[str, str]:
    return start.strftime(_DAY), end.strftime(_DAY)
