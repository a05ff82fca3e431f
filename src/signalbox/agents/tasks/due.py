"""Due dates in plain words: a day or a moment ahead for a task, a stretch of days for a list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from signalbox.agents.tasks.errors import ValidationError
from signalbox.errors import SignalboxError
from signalbox.language.names import close
from signalbox.language.numbers import NUMBERS
from signalbox.language.time import find_range, parse_duration, parse_instant
from signalbox.language.time.stretches import is_time_word
from signalbox.settings import now, person_zone

__all__ = [
    "Days",
    "at_the_same_hour",
    "clock_now",
    "counted_from",
    "is_due",
    "other_day",
    "read_days",
    "read_due",
    "spoken_due",
]

_DAY, _MINUTE = "%Y-%m-%d", "%Y-%m-%dT%H:%M"
_CLOCK = re.compile(r"\d\s*(?:am|pm|h\b|[:.]\d\d|o'clock)|\b(?:at|half|quarter|noon|midday|am|pm)\b", re.IGNORECASE)
_ONLY_CLOCK = re.compile(
    r"(?:at |by |to )?(?:\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|h|o'clock)?|noon|midday|half (?:past )?\w+|"
    r"quarter (?:past|to) \w+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
)
_TWELVE = re.compile(r"(?:half (?:past )?|quarter (?:past|to) )?(?:1[0-2]|0?[1-9]|[a-z]+)(?:[:.]\d\d)?(?: o'clock)?")
_STRETCH = re.compile(
    r"(?:by |before |until |till |at |on |for )?(?:the )?(?:(?P<part>end of|start of) )?(?:the )?"
    r"(?:(?P<which>this|next) )?(?P<what>week|weekend|month)(?: is over)?"
)
_NAMED_DAY = re.compile(r"(?:on |for |by |due )?(?:this |next |coming )(?P<day>[a-z]+day),? (?P<date>the \d.*|\d.*)")
_DAY_MONTH = re.compile(
    r"(?:by |on |for |until |till |before )?(?:the )?(?P<day>\d{1,2})\.\s?(?P<month>1[0-2]|0?[1-9])(?P<dot>\.)?"
)
_FROM_ANOTHER = re.compile(
    r"(?:on |for |by )?(?:the )?(?:(?P<same>same (?:day|time|date))|"
    r"(?:(?P<length>.*?(?:days?|weeks?)) (?P<way>before|after)(?: (?:that|it|this))?))"
)
_PART_OF_DAY = re.compile(
    rf"\b(?P<hour>\d{{1,2}}(?:[:.]\d\d)?|{'|'.join(NUMBERS)})(?: o'clock)? "
    r"(?:in (?:the )?(?P<part>morning|afternoon|evening)|at night)\b"
)
_DAYS = ("tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tonight")
_SAME_DAY = re.compile(r"\b(?:on |but )?(?:the |that )?same (?:day|date)\b(?: but)?")
_NEAR_HOUR = 3
_EITHER = re.compile(r"\bbetween\b|\S\s+or\s+\S")
_OF_A_DAY = (
    r"(?:mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun|[a-z]+day|tomorrow|tonight|tmrw|at|\d{1,2}(?:st|nd|rd|th))"
)
_WRITTEN_SO = (
    (re.compile(r"\bx-?mas\b"), "christmas"),
    (re.compile(r"\bnye\b"), "new year's eve"),
    (re.compile(r"\bmid(?:dle of)?[ -](january|february|march|april|may|june|july|august|september|october|november|"
                r"december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"), r"15 \1"),
    (re.compile(rf"\b({_OF_A_DAY},? )(?:at )?(\d{{1,2}})\.([0-5]\d)$"), r"\1\2:\3"),
    (re.compile(rf"^((?:{_OF_A_DAY},? )*)(?:at )?([01]\d|2[0-3])([0-5]\d)(?:h|hrs?)?$"), r"\1at \2:\3"),
    (re.compile(r"\b(?:at |around |about )*(\d{1,2}(?:[:.]\d\d)?)-?ish\b"), r"at \1"),
    (re.compile(r"^(\d{1,2}(?:[:.]\d\d)?) on (?=[a-z]+day\b|[a-z]{3}\b)"), r"at \1 on "),
    (re.compile(r",? still (?=\d)"), " "),
)  # fmt: skip
"""How people write hours and days, and how they are read."""
_TODAYS_NAME = re.compile(
    r"(?:(?:by|on|for|until|till|before|to|due) )?(?:mon|tues?|wed|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:[a-z]*day)?"
)
_SPOKEN_CLOCK = re.compile(
    rf"(?:\bat )?\b(?P<minutes>five|ten|twenty|twenty[- ]five|5|10|20|25) (?P<way>to|past) "
    rf"(?P<hour>\d{{1,2}}|{'|'.join(NUMBERS)})\b"
)
_BEFORE_FEAST = re.compile(r"(?:by |any ?time )?before (?P<feast>christmas)")
_DATES = re.compile(r"(\d{4}-\d\d-\d\d)/(\d{4}-\d\d-\d\d)")
_LEAD = re.compile(r"^(?:by|on|for|until|till|before|to|due|at|from|over)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of days, half-open, as tasks keep their due dates."""

    start: str
    end: str


def clock_now() -> datetime:
    """The present moment on the person's clock."""
    return now().astimezone(person_zone())


def read_due(words: str, before: str | None = None) -> str:
    """When a task is due, as it is kept: a day, with the hour where one was said.

    A stretch means its last day: "this week" is Sunday. A length alone ("by a week", "an hour later") counts from the
    date that it had `before`. Raises ValidationError where the words mean no moment.
    """
    said = _plain(_PART_OF_DAY.sub(_half_of_day, _spelt(words.strip().casefold())))
    written = _written(said)
    if written:
        return written
    if _EITHER.search(said):
        raise ValidationError(f"'{words}' is more than one date.", suggestion="Say the one that is meant.")
    if before is not None and (shifted := _shifted(said, before)):
        return shifted
    hour = _SAME_DAY.sub("", said).strip(" ,")
    if before is not None and _ONLY_CLOCK.fullmatch(hour):
        said = f"{before[:10]} {_clock(_LEAD.sub('', hour), before)}"
    ends = _end_of_stretch(said) or _dotted(said)
    if ends:
        return ends
    # Next Tuesday the 24th is the Tuesday that is the 24th, whichever the next one is.
    said = _NAMED_DAY.sub(r"\g<day> \g<date>", said)
    moment = clock_now()
    for phrase in dict.fromkeys((said, _LEAD.sub("", said), f"on {said}", re.sub(r"^the day\b", "day", said))):
        try:
            found = parse_instant(phrase, moment, person_zone())
        except SignalboxError:
            continue
        if found is not None:
            found = _waking(found, said, moment)
            if _TODAYS_NAME.fullmatch(said) and found.date() == moment.date():
                # Who means today says so: on a Monday, Monday is the next one.
                found += timedelta(days=7)
            if re.search(r"\bend of\b|\b(?:eod|cob)\b", said) and not _CLOCK.search(said):
                # The end of November is its last day, not the moment after it.
                found -= timedelta(minutes=1)
            if _CLOCK.search(said) or (
                found - moment < timedelta(hours=24) and re.search(r"\bhours?|minutes?\b", said)
            ):
                return found.strftime(_MINUTE)
            return found.strftime(_DAY)
    raise ValidationError(f"'{words}' is no date that I understand.", suggestion="Say a day, such as Friday or 3 May.")


def _plain(said: str) -> str:
    """Hours and feasts as people write them, in words that are read: friday 16.45, 0730, 7ish, ten to one, xmas eve."""
    for pattern, meant in _WRITTEN_SO:
        said = pattern.sub(meant, said)
    said = _SPOKEN_CLOCK.sub(_of_spoken, said)
    before = _BEFORE_FEAST.fullmatch(said)
    return f"{before['feast']} eve" if before and before["feast"] == "christmas" else said


def _of_spoken(found: re.Match[str]) -> str:
    """Ten to one as the clock has it: at 12:50."""
    minutes, hour = (int(NUMBERS.get(one, one)) for one in (found["minutes"], found["hour"]))
    if not (0 < minutes < 30 and 1 <= hour <= 12):
        return found[0]
    hour, minutes = (hour, minutes) if found["way"] == "past" else ((hour - 2) % 12 + 1, 60 - minutes)
    return f"at {hour}:{minutes:02d}"


def _spelt(said: str) -> str:
    """Words with the days that are mistyped in them: a day that is not understood must not be passed over."""
    return re.sub(r"[a-z]{5,}", lambda found: next((one for one in _DAYS if close(found[0], one)), found[0]), said)


def counted_from(words: str, other: str | None) -> str | None:
    """When words mean that count from when something else is due: the same day, a day before that. Else None."""
    found = _FROM_ANOTHER.fullmatch(words.strip(" .,!").casefold())
    if found is None or other is None:
        return None
    if found["same"]:
        return other if "time" in found["same"] else other[:10]
    length = found["length"]
    try:
        moved = parse_duration("1 day" if length == "day" else length)
    except SignalboxError:
        return None
    if moved is None:
        return None
    day = datetime.fromisoformat(other[:10]) + (-moved if found["way"] == "before" else moved)
    return day.strftime(_DAY)


def is_due(words: str, before: str | None = None) -> bool:
    """Whether words mean a moment that a task can be due at."""
    try:
        read_due(words, before)
    except SignalboxError:
        return False
    return True


def other_day(words: str, due: str | None) -> str:
    """Of words that speak of the day that a task is due on, the other day that they name; else the words.

    Who corrects a date to what it is has said why: "not on Thursday, Friday is better".
    """
    if due is None or not is_due(words, due) or read_due(words, due) != due:
        return words
    days = [word.strip(".,;:!?") for word in words.split() if is_time_word(word) and is_due(word.strip(".,;:!?"), due)]
    others = [day for day in days if read_due(day, due) != due]
    return others[-1] if others else words


def at_the_same_hour(words: str, before: str | None) -> str:
    """Another day for what had an hour, at that hour: who corrects the day alone means it so. Else the words."""
    try:
        day = read_due(words, before)
    except SignalboxError:
        return words
    return f"{day}{before[10:]}" if before is not None and len(before) > 10 and len(day) == 10 else words


def _waking(found: datetime, said: str, moment: datetime) -> datetime:
    """Half past four is in the afternoon, unless the words say otherwise."""
    is_meant = (
        found.hour == 0 or found.hour > 6 or re.search(r"\bam\b|a\.m|morning|night|\b0\d", said.replace("pm", ""))
    )
    if is_meant or re.search(r"\d\s*am", said) or not _CLOCK.search(said):
        return found
    later = found + timedelta(hours=12)
    # An hour alone that is gone this morning is one of this afternoon; of a day that is named it is not.
    is_of_today = _ONLY_CLOCK.fullmatch(said) is not None and found.date() != moment.date()
    return later - timedelta(days=1) if is_of_today and later - timedelta(days=1) > moment else later


def _half_of_day(found: re.Match[str]) -> str:
    """Eight in the morning as the clock has it: 8 am."""
    hour = str(NUMBERS.get(found["hour"], found["hour"]))
    if not 1 <= int(re.split("[:.]", hour)[0]) <= 12:
        return found[0]
    return f"{hour} {'am' if found['part'] == 'morning' else 'pm'}"


def _clock(said: str, before: str) -> str:
    """An hour in words that are read as one; what takes the place of an hour in the evening, and is near it, is in the
    evening too."""
    said = re.sub(r"(?<=\d)\.(?=\d\d$)", ":", said)
    if len(before) > 10 and int(before[11:13]) > 12 and _TWELVE.fullmatch(said):
        hour = re.search(r"\d+", said)
        is_near = hour is None or abs(int(hour[0]) % 12 + 12 - int(before[11:13])) <= _NEAR_HOUR
        return f"{said} pm" if is_near else f"{said}:00" if said.isdigit() else said
    return f"{said}:00" if said.isdigit() and len(before) > 10 else said


def _written(said: str) -> str | None:
    """A date that is written as it is kept."""
    try:
        found = datetime.fromisoformat(said.upper())
    except ValueError:
        return None
    if found.tzinfo is not None:
        found = found.astimezone(person_zone())
    return said[:10] if len(said) == 10 else found.strftime(_MINUTE)


def _shifted(said: str, before: str) -> str | None:
    is_shift = re.search(r"^(?:by|another)\b|\b(?:later|earlier|before|more|longer)$", said)
    try:
        bare = re.sub(r"^(?:by|another)\s+|\s+(?:later|earlier|before|more|longer)$", "", said)
        length = parse_duration(bare) if is_shift else None
    except SignalboxError:
        return None
    if length is None:
        return None
    try:
        moved = datetime.fromisoformat(before) + (-length if said.endswith(("earlier", "before")) else length)
    except OverflowError:
        return None
    has_hour = len(before) > 10 or length % timedelta(days=1)
    return moved.strftime(_MINUTE if has_hour else _DAY)


def _dotted(said: str) -> str | None:
    """A day and a month with a dot between them, the next one that comes: 30.11. and 3.12, not a clock's 16.45."""
    found = _DAY_MONTH.fullmatch(said)
    if found is None or not (found["dot"] or int(found["day"]) > 23 or int(found["month"]) % 5):
        return None
    today = clock_now().replace(tzinfo=None)
    for year in (today.year, today.year + 1):
        try:
            day = datetime(year, int(found["month"]), int(found["day"]))
        except ValueError:
            return None
        if day.date() >= today.date():
            return day.strftime(_DAY)
    return None


def _end_of_stretch(said: str) -> str | None:
    """The last day of a week or month that is still to come or goes on: due this week is due by its Sunday."""
    found = _STRETCH.fullmatch(said)
    if found is None:
        return None
    days = read_days(f"{found['which'] or 'this'} {found['what']}")
    if days is None:
        return None
    starts_it = found["part"] == "start of" or (found["which"] == "next" and not found["part"])
    day = datetime.fromisoformat(days.start) if starts_it else datetime.fromisoformat(days.end) - timedelta(days=1)
    return day.strftime(_DAY)


def read_days(words: str) -> Days | None:
    """The days that a list is to show: a day, a week, a month, whole ones and ahead as well as past, or two dates with
    a slash between them. None where the words mean none."""
    said = _LEAD.sub("", words.strip().casefold())
    if (dates := _DATES.fullmatch(said)) is not None:
        try:
            first_day, last_day = map(datetime.fromisoformat, dates.groups())
        except ValueError:
            return None
        return _days(first_day, last_day + timedelta(days=1))
    moment = clock_now()
    today = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    known = {
        "today": (today, 1),
        "tonight": (today, 1),
        "tomorrow": (today + timedelta(days=1), 1),
        "the day after tomorrow": (today + timedelta(days=2), 1),
        "this week": (monday, 7),
        "the week": (monday, 7),
        "next week": (monday + timedelta(days=7), 7),
        "this weekend": (monday + timedelta(days=5), 2),
        "the weekend": (monday + timedelta(days=5), 2),
        "weekend": (monday + timedelta(days=5), 2),
        "next weekend": (monday + timedelta(days=12), 2),
    }
    if said in known:
        start, length = known[said]
        return _days(start, start + timedelta(days=length))
    if said in ("this month", "the month"):
        return _days(first, (first + timedelta(days=32)).replace(day=1))
    if said == "next month":
        start = (first + timedelta(days=32)).replace(day=1)
        return _days(start, (start + timedelta(days=32)).replace(day=1))
    ahead = re.fullmatch(r"(?:the )?(?:next|coming|following) (.+)", said)
    try:
        length_ahead = parse_duration(ahead[1]) if ahead else None
        if length_ahead is not None and length_ahead >= timedelta(days=1):
            return _days(today, today + length_ahead + timedelta(days=1))
        if re.match(r"last|past|yesterday|since|previous", said):
            found = find_range(said, moment, person_zone())
            return _days(found.range.start, found.range.end + timedelta(hours=23, minutes=59)) if found else None
        instant = parse_instant(said, moment, person_zone())
    except SignalboxError:
        return None
    if instant is None:
        return None
    day = instant.replace(hour=0, minute=0, second=0, microsecond=0)
    if re.match(r"(?:until|till|before|by|up to)\b", words.strip().casefold()):
        return Days("0001-01-01", (day + timedelta(days=1)).strftime(_DAY))
    return _days(day, day + timedelta(days=1))


def _days(start: datetime, end: datetime) -> Days:
    return Days(start.strftime(_DAY), end.strftime(_DAY))


def spoken_due(due: str) -> str:
    """A due date for a person: `Fri 20 Nov`, with the hour where there is one and the year where it is another."""
    moment = datetime.fromisoformat(due)
    year = f" {moment.year}" if moment.year != clock_now().year else ""
    hour = moment.strftime(" %H:%M") if len(due) > 10 else ""
    return f"{moment.strftime('%a')} {moment.day} {moment.strftime('%b')}{year}{hour}"
