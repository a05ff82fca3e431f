"""The words of time and what each one means."""

from __future__ import annotations

from signalbox.language import numbers
from signalbox.language.time.calendar import Grain
from signalbox.language.units import TIME_UNITS

__all__ = ["HOLIDAYS", "MONTHS", "NUMBERS", "PARTS", "SEASONS", "UNITS", "WEEKDAYS"]


WEEKDAYS: dict[str, int] = {
    word: day
    for day, names in enumerate(
        (
            "monday mon mondays",
            "tuesday tue tues tuesdays",
            "wednesday wed weds wednesdays",
            "thursday thu thur thurs thursdays",
            "friday fri fridays",
            "saturday sat saturdays",
            "sunday sun sundays",
        )
    )
    for word in names.split()
}

MONTHS: dict[str, int] = {
    word: month
    for month, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for word in names.split()
}

UNITS: dict[str, tuple[Grain, int]] = {
    word: (grain, times)
    for unit, grain, times, also in (
        ("second", Grain.SECOND, 1, ""),
        ("minute", Grain.MINUTE, 1, "mn"),
        ("hour", Grain.HOUR, 1, ""),
        ("day", Grain.DAY, 1, ""),
        ("week", Grain.WEEK, 1, ""),
        ("fortnight", Grain.DAY, 14, ""),
        ("month", Grain.MONTH, 1, "mos mth mths mnth mnths"),
        ("quarter", Grain.QUARTER, 1, "quarter quarters qtr qtrs"),
        ("year", Grain.YEAR, 1, ""),
        ("decade", Grain.YEAR, 10, "decade decades"),
    )
    for word in (*TIME_UNITS.get(unit, ()), *also.split())
}

NUMBERS: dict[str, int] = {**numbers.NUMBERS, **numbers.GROUPS, "hundred": 100}

# Hours of the day; an end past 24 lies on the next day.
PARTS: dict[str, tuple[int, int]] = {
    word: hours
    for names, hours in (
        ("morning mornings", (6, 12)),
        ("afternoon arvo afternoons", (12, 18)),
        ("evening evenings", (18, 24)),
        ("night nights nighttime", (18, 30)),
        ("lunchtime lunch", (12, 14)),
        ("breakfast", (6, 9)),
        ("dawn sunrise", (5, 7)),
        ("dusk", (17, 19)),
        ("daytime", (6, 18)),
        ("officehours", (9, 17)),
    )
    for word in names.split()
}

# The month in which each begins.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}

HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "xmas": (12, 25),
    "boxing day": (12, 26),
    "new year eve": (12, 31),
    "new years eve": (12, 31),
    "new year day": (1, 1),
    "new years day": (1, 1),
    "new year": (1, 1),
    "new years": (1, 1),
    "halloween": (10, 31),
    "valentine day": (2, 14),
    "valentines day": (2, 14),
}
