"""Words about time that describe a thing shown: due this week, the late evening one, before noon, on Friday."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from signalbox.language.words import split_name, stem
from signalbox.models.offline.shown.comparing import as_moment
from signalbox.models.offline.shown.records import Record

__all__ = ["Timing", "find_timings"]

Test = Callable[[datetime], bool]
_PARTS = {
    "early morning": (4, 9), "morning": (5, 12), "lunchtime": (11.5, 14), "lunch": (11.5, 14), "noon": (12, 13),
    "midday": (11.5, 13.5), "early afternoon": (12, 15), "late afternoon": (15, 18), "afternoon": (12, 18),
    "early evening": (17, 20), "late evening": (20, 24), "evening": (17, 24), "late night": (21, 30),
    "night": (20, 30), "tonight": (17, 30), "midnight": (23.5, 24.5),
}  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january february march april may june july august september october november december".split()
)  # fmt: skip
_PART = re.compile(r"(?i)\b(?P<part>" + "|".join(sorted(_PARTS, key=len, reverse=True)) + r")\b")
_DAY = re.compile(
    r"(?i)\b(?P<day>today|tomorrow|yesterday|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)s?\b"
)
_SPAN = re.compile(r"(?i)\b(?P<which>this|next|last) (?P<unit>week|month|year|weekend)\b")
_DATE = re.compile(
    r"(?i)\b(?:(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<m>" + "|".join(month[:3] + r"\w*" for month in _MONTHS) + r")"
    r"|(?P<m2>" + "|".join(month[:3] + r"\w*" for month in _MONTHS) + r") (?P<d2>\d{1,2})(?:st|nd|rd|th)?)\b"
)
_MONTH = re.compile(r"\b(?:(?i:" + "|".join(m for m in _MONTHS if m not in ("march", "may")) + r")|March|May)\b")
_NTH = re.compile(r"(?i)\b(?:on the (?P<on>\d{1,2})|the (?P<of>1[1-9]|2\d|3[01]))(?:st|nd|rd|th)\b")
_CLOCK = re.compile(
    r"(?i)\b(?:(?P<h>\d{1,2})(?:[:.](?P<min>\d{2}))? ?(?P<half>am|pm|a\.m\.|p\.m\.)|(?P<h24>\d{1,2}):(?P<min24>\d{2})"
    r"|(?P<named>noon|midnight|midday))"
)
_BOUND = re.compile(r"(?i)\b(?P<bound>before|by|until|after|from|since|later than|earlier than|past)\s+(?:the )?$")


class Timing:
    """A condition on time: where it stands in the text, and the records for which it holds."""

    def __init__(self, start: int, end: int, test: Test, *, clock: bool) -> None:
        self.start, self.end, self.test, self.clock = start, end, test, clock

    def holds(self, record: Record, about: str) -> bool:
        """Whether a moment of the record passes, of those named in the text about it where any is."""
        moments = [(key, moment) for key, value in record.fields.items() for moment in _moments(value)]
        words = {stem(word) for word in re.findall(r"[a-z]+", about.lower())}
        named = [moment for key, moment in moments if words & _words_for(key)]
        fitting = [moment for moment in named or [one for _, one in moments] if self._tells(moment)]
        return any(self.test(moment) for moment in fitting)

    def _tells(self, moment: datetime) -> bool:
        """A day is asked of what has a date, a time of day of what has one."""
        return moment.time() != datetime.min.time() or moment.year == 1 if self.clock else moment.year > 1


def _words_for(key: str) -> set[str]:
    own = {stem(word) for word in split_name(key)}
    if own & {"arriv", "arrival", "end"}:
        own |= {"get", "gets", "in", "land", "arriv", "reach", "arrival"}
    if own & {"depart", "departure", "start", "begin"}:
        own |= {"leav", "depart", "sail", "go", "start", "begin", "departure"}
    return own - {"date", "time", "at", "on"}


def _moments(value: object) -> list[datetime]:
    if isinstance(value, list):
        return [moment for one in value for moment in _moments(one)]
    moment = as_moment(value) if isinstance(value, str) else None
    return [moment] if moment else []


def find_timings(text: str, now: datetime) -> list[Timing]:
    """The conditions on time that a text holds."""
    found: list[Timing] = []
    for pattern, read in (
        (_CLOCK, _clock),
        (_PART, _part),
        (_SPAN, _span),
        (_DATE, _date),
        (_DAY, _day),
        (_MONTH, _month),
        (_NTH, _nth),
    ):
        for match in pattern.finditer(text):
            if any(one.start < match.end() and match.start() < one.end for one in found):
                continue
            timing = read(match, text, now)
            if timing is not None:
                found.append(timing)
    return found


def _bounded(
    match: re.Match[str], text: str, low: float, high: float, value: Callable[[datetime], float], *, clock: bool
) -> Timing:
    bound = _BOUND.search(text[: match.start()])
    said = bound["bound"].lower() if bound else ""
    start = bound.start() if bound else match.start()
    if said in ("before", "by", "until", "earlier than"):
        return Timing(start, match.end(), lambda moment: value(moment) < (high if said == "by" else low), clock=clock)
    if said in ("after", "later than", "past"):
        return Timing(start, match.end(), lambda moment: value(moment) > low, clock=clock)
    if said in ("from", "since"):
        return Timing(start, match.end(), lambda moment: value(moment) >= low, clock=clock)
    return Timing(start, match.end(), lambda moment: low <= value(moment) < high, clock=clock)


def _hours(moment: datetime) -> float:
    return moment.hour + moment.minute / 60


def _clock(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    if match["named"]:
        hour = 12.0 if match["named"].lower() != "midnight" else 0.0
    elif match["h24"]:
        hour = int(match["h24"]) + int(match["min24"]) / 60
    else:
        hour = int(match["h"]) % 12 + int(match["min"] or 0) / 60 + (12 if match["half"].lower()[0] == "p" else 0)
    return _bounded(match, text, hour, hour + 0.01, _hours, clock=True)


def _part(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    low, high = _PARTS[match["part"].lower()]

    def hours(moment: datetime) -> float:
        return _hours(moment) + (24 if _hours(moment) < high - 24 else 0)

    return _bounded(match, text, low, high, hours, clock=True)


def _days(match: re.Match[str], text: str, first: date, length: int) -> Timing:
    low = first.toordinal()
    return _bounded(match, text, low, low + length, lambda moment: moment.toordinal(), clock=False)


def _span(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    shift = {"this": 0, "next": 1, "last": -1}[match["which"].lower()]
    unit, today = match["unit"].lower(), now.date()
    if unit in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
        return _days(match, text, monday if unit == "week" else monday + timedelta(days=5), 7 if unit == "week" else 2)
    if unit == "year":
        first = date(today.year + shift, 1, 1)
        return _days(match, text, first, 366)
    months = today.year * 12 + today.month - 1 + shift
    first = date(months // 12, months % 12 + 1, 1)
    after = date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    return _days(match, text, first, (after - first).days)


def _date(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith((match["m"] or match["m2"]).lower()[:3]))
    wanted = (month, int(match["d"] or match["d2"]))
    try:
        first = date(now.year, *wanted)
    except ValueError:
        return None
    return _days(match, text, first, 1)


def _day(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    said = match["day"].lower()
    if said in ("today", "tomorrow", "yesterday"):
        shift = {"today": 0, "tomorrow": 1, "yesterday": -1}[said]
        return _days(match, text, now.date() + timedelta(days=shift), 1)
    weekday = next(at for at, name in enumerate(_DAYS) if name.startswith(said[:3]))
    return Timing(match.start(), match.end(), lambda moment: moment.weekday() == weekday, clock=False)


def _month(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    month = _MONTHS.index(match.group().lower()) + 1
    return Timing(match.start(), match.end(), lambda moment: moment.month == month, clock=False)


def _nth(match: re.Match[str], text: str, now: datetime) -> Timing | None:
    day = int(match["on"] or match["of"])
    return Timing(match.start(), match.end(), lambda moment: moment.day == day, clock=False)


def holding(timings: Sequence[Timing], records: Sequence[Record], about: str) -> list[Record]:
    """The records for which every condition holds."""
    return [record for record in records if all(timing.holds(record, about) for timing in timings)]
