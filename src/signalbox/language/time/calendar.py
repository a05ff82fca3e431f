"""The calendar: days, weeks and months by the wall clock, hours and less as elapsed time."""

from __future__ import annotations

import calendar as almanac
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import IntEnum
from typing import NamedTuple


class Grain(IntEnum):
    """How coarse a stretch of time is."""

    MOMENT = 0
    SECOND = 1
    MINUTE = 2
    HOUR = 3
    PART = 4
    DAY = 5
    WEEKEND = 6
    WEEK = 7
    MONTH = 8
    QUARTER = 9
    HALF = 10
    YEAR = 11


_MONTHS_IN = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.HALF: 6, Grain.YEAR: 12}
_SECONDS_IN = {Grain.SECOND: 1, Grain.MINUTE: 60, Grain.HOUR: 3600}
_DAYS_IN = {Grain.PART: 1, Grain.DAY: 1, Grain.WEEKEND: 7, Grain.WEEK: 7}


class Duration(NamedTuple):
    """A length of time: months and days go by the wall clock, seconds are elapsed."""

    months: int = 0
    days: int = 0
    seconds: float = 0

    def plus(self, other: Duration) -> Duration:
        return Duration(self.months + other.months, self.days + other.days, self.seconds + other.seconds)

    def is_empty(self) -> bool:
        return not (self.months or self.days or self.seconds)

    def as_timedelta(self) -> timedelta:
        """The usual length: a month counts 30 days, a year 365."""
        years, months = divmod(self.months, 12)
        return timedelta(days=years * 365 + months * 30 + self.days, seconds=self.seconds)


def scale(grain: Grain, count: float) -> Duration:
    """So many of a unit; what is left of a fraction goes to the next finer kind."""
    if grain in _SECONDS_IN:
        return Duration(seconds=_SECONDS_IN[grain] * count)
    if grain in _DAYS_IN:
        days, rest = divmod(_DAYS_IN[grain] * count, 1)
        return Duration(days=int(days), seconds=rest * 86400)
    months, rest = divmod(_MONTHS_IN[grain] * count, 1)
    return Duration(months=int(months), days=round(rest * 30))


def settle(moment: datetime) -> datetime:
    """The same moment, moved out of the hour that the clocks skip in spring."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def wall(day: date, hour: int, minute: int, second: int, zone: tzinfo) -> datetime:
    """That time of that day; hours from 24 on lie on the next day."""
    day += timedelta(days=hour // 24)
    return settle(datetime(day.year, day.month, day.day, hour % 24, minute, second, tzinfo=zone))


def midnight(day: date, zone: tzinfo) -> datetime:
    """The moment with which a day begins."""
    return wall(day, 0, 0, 0, zone)


def days_in_month(year: int, month: int) -> int:
    return almanac.monthrange(year, month)[1]


def add_months(day: date, months: int) -> date:
    """The same day so many months on, or the last day of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return date(year, month, min(day.day, days_in_month(year, month)))


def shift(moment: datetime, length: Duration, sign: int = 1) -> datetime:
    """The moment that lies a length of time later (sign 1) or earlier (sign -1)."""
    if length.months or length.days:
        day = add_months(moment.date(), sign * length.months) + sign * timedelta(days=length.days)
        moment = settle(moment.replace(year=day.year, month=day.month, day=day.day))
    if not length.seconds:
        return moment
    elapsed = moment.astimezone(UTC) + sign * timedelta(seconds=length.seconds)
    return elapsed.astimezone(moment.tzinfo)


def floor(moment: datetime, grain: Grain) -> datetime:
    """The beginning of the hour, day, week, month ... that holds the moment."""
    zone = moment.tzinfo
    assert zone is not None
    if grain <= Grain.HOUR:
        past = (moment.minute * 60 + moment.second) % _SECONDS_IN.get(grain, 1)
        return moment - timedelta(seconds=past, microseconds=moment.microsecond)
    return midnight(_first_day(moment.date(), grain), zone)


def _first_day(day: date, grain: Grain) -> date:
    if grain <= Grain.DAY:
        return day
    if grain <= Grain.WEEK:
        return day - timedelta(days=day.weekday())
    months = _MONTHS_IN[grain]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def advance(start: datetime, grain: Grain, count: int = 1) -> datetime:
    """The start of a unit, so many units later."""
    return shift(start, scale(grain, abs(count)), 1 if count >= 0 else -1)


def step_date(day: date, cycle: Grain, count: int) -> date:
    """A day in the cycle so many cycles from the one that holds the day."""
    if cycle in _DAYS_IN:
        return day + timedelta(days=_DAYS_IN[cycle] * count)
    return add_months(_first_day(day, cycle), _MONTHS_IN[cycle] * count)
