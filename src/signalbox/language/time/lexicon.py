"""The words of time and what each one means."""

from __future__ import annotations

from signalbox.language import numbers
from signalbox.language.time.calendar import Grain

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
    word: meaning
    for names, meaning in (
        ("second seconds sec secs s", (Grain.SECOND, 1)),
        ("minute minutes min mins mn m", (Grain.MINUTE, 1)),
        ("hour hours hr hrs h", (Grain.HOUR, 1)),
        ("day days d", (Grain.DAY, 1)),
        ("week weeks wk wks w", (Grain.WEEK, 1)),
        ("fortnight fortnights", (Grain.DAY, 14)),
        ("month months mo mos mth mths mnth mnths", (Grain.MONTH, 1)),
        ("quarter quarters qtr qtrs", (Grain.QUARTER, 1)),
        ("year years yr yrs y", (Grain.YEAR, 1)),
        ("decade decades", (Grain.YEAR, 10)),
    )
    for word in names.split()
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
