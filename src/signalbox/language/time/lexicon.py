"""The words of time: what each one means, its synonyms, and what a mistyped word was meant to be."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import OSA

from signalbox.language import numbers
from signalbox.language.time.calendar import Grain
from signalbox.language.units import TIME_UNITS
from signalbox.language.words import word_list, word_set


def _numbered(names: str, start: int) -> dict[str, int]:
    return {word: n for n, synonyms in enumerate(names.split(","), start) for word in synonyms.split()}


WEEKDAYS = _numbered(
    "monday mon mondays, tuesday tue tues tuesdays, wednesday wed weds wednesdays, thursday thu thur thurs thursdays, "
    "friday fri fridays, saturday sat saturdays, sunday sun sundays",
    start=0,
)
MONTHS = _numbered(
    "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, "
    "october oct, november nov, december dec",
    start=1,
)
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
        ("wee", (0, 6)),
    )
    for word in names.split()
}
# The month in which each begins.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
HOLIDAYS: dict[str, tuple[int, int]] = {
    name: day
    for names, day in (
        ("christmas eve", (12, 24)),
        ("christmas day, christmas, xmas", (12, 25)),
        ("boxing day", (12, 26)),
        ("new year eve, new years eve", (12, 31)),
        ("new year day, new years day, new year, new years", (1, 1)),
        ("halloween", (10, 31)),
        ("valentines day", (2, 14)),
    )
    for name in names.split(", ")
}

# Wordings of several words, and the one that stands for them in the grammar.
_WORDINGS = {
    "mtd": "month to date",
    "wtd": "week to date",
    "qtd": "quarter to date",
    "ytd": "year to date, yr to date",
    "officehours": "business hours, working hours, work hours, office hours",
    "until": "up until, up till, up to, right up to, all the way to",
    "before": "leading up to, in the run up to, the run up to, running up to, prior to, ahead of",
    "after": "subsequent to, any time after",
    "around": "right around, on or around",
    "starting": "starting at, starting from, starting on, starting with, starting in, beginning at, beginning from, "
    "beginning on, commencing at, counting from, as from, as of",
    "since": "ever since, going back to, dating back to, back to, all the way back to, any time since",
    "ending": "ending at, ending on, ending in",
    "now": "this very moment, the present, the present moment, the moment, right now, just now",
    "sofar": "so far, thus far",
    "roughly": "or so",
    "wee": "small hours, wee hours, early hours",
    "halfpast": "half past",
    "oclock": "o clock",
    "eitherside": "either side of, each side of, both sides of",
    "middle of": "in the middle of",
    "latest": "most recent",
    "recently": "not long ago, the other day",
    "today": "earlier today",
    "end of day": "eod, cob",
    "end of week": "eow",
    "end of month": "eom",
    "end of year": "eoy",
}
# One word for all that mean the same in the grammar.
_SYNONYMS: dict[str, str] = {
    "last": "lst final",
    "past": "trailing rolling",
    "previous": "prev prior preceding foregoing",
    "latest": "recent",
    "this": "current",
    "next": "coming upcoming following",
    "from": "frm",
    "until": "til till upto",
    "through": "thru throughout",
    "between": "btw btwn betw",
    "and": "& n",
    "before": "b4 bfore",
    "around": "about approximately approx circa roughly near ~",
    "starting": "commencing",
    "ending": "finishing",
    "today": "tday tdy 2day",
    "yesterday": "yday ystd yest yesterdays ystday",
    "tomorrow": "tmrw tmr tmw tomo tomorow 2moro 2morrow 2mrw",
    "tonight": "tonite 2nite 2night",
    "now": "present",
    "of": "o",
    "in": "inside",
    "at": "@",
    "over": "across",
    "during": "while",
    "the": "teh",
    "a": "an",
    "noon": "midday noontime",
    "weekend": "weekends wknd wkend wknds",
    "since": "snce",
    "night": "nite",
    "nights": "nites",
    "midnight": "midnite",
    "morning": "morn",
    "autumn": "fall",
    "beginning": "outset commencement start",
    "middle": "mid midpoint",
    "all": "whole entire entirety full complete completed calendar",
    "onwards": "onward forward forwards",
    "inclusive": "incl inclusively included",
    "calendarweek": "cw kw",
    "every": "each per",
    "versus": "vs against than",
    "only": "just",
    "recently": "lately",
    "my": "our",
    "more": "less fewer longer",
    "side": "sides",
    "either": "both",
    "working": "work",
    "valentines": "valentine",
}
_GRAMMAR_WORDS = word_list(
    "after ago ahead am any as back boxing business by christmas clock cob counting date dating early earlier end eod "
    "eom eow eoy eve ever far for going half halfpast halloween hence hundred late later leading local long midnight "
    "minus moment most mtd new not oclock office on or other overnight plus pm qtd right run running same since "
    "small so sofar subsequent then thus time to up very way within wtd xmas ytd"
)
_SAME = {
    **{word: word for word in (*_GRAMMAR_WORDS, *_SYNONYMS)},
    **{word: meant for meant, others in _SYNONYMS.items() for word in others.split()},
}
_KNOWN = frozenset({*_SAME, *WEEKDAYS, *MONTHS, *UNITS, *NUMBERS, *numbers.ORDINALS, *PARTS, *SEASONS})
FIGURED = {word: meant for word, meant in _SAME.items() if word.isalnum() and not word.isalpha()}

_MISTYPED_TARGETS = word_list(
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february august "
    "september october november december second seconds minute minutes hours month months weeks weekend quarter "
    "fortnight morning afternoon evening midnight overnight previous between since until lunchtime twenty "
    "thirty forty fifty eleven twelve fifteen ninety night before"
)
_SWAPPED_TARGETS = word_list("last past hour week days mins noon")
# Ordinary words that lie one slip away from a word of time.
_ORDINARY = word_set(
    "mouth mouths moths monthly weekly hourly minuet minuets minutely sundry precious house houses hosts horse "
    "seconded secondly singe sines science weeds weeps toady mooring quartet quarterly unity units untie nightly "
    "thirsty befall wheels evens nighty tights sunder"
)


@lru_cache(maxsize=4096)
def known_word(word: str) -> str | None:
    """The word as the grammar spells it, mending a slip of the keyboard; None for a word that is not of time."""
    meant = word if word in _KNOWN else _mend(word)
    return None if meant is None else _SAME.get(meant, meant)


def _mend(word: str) -> str | None:
    """The one word of time that lies within a slip or, for long words, two; short words only if letters swapped."""
    if not 4 <= len(word) <= 12 or word in _ORDINARY or not word.isascii():
        return None
    if len(word) == 4:
        return next((t for t in _SWAPPED_TARGETS if sorted(t) == sorted(word) and OSA.distance(t, word) == 1), None)
    near = (t for t in _MISTYPED_TARGETS if t[0] == word[0] and abs(len(t) - len(word)) <= 2)
    close = [(d, t) for t in near if (d := OSA.distance(t, word)) <= (2 if len(t) >= 8 else 1)]
    return min(close)[1] if close else None


WORDINGS: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(known_word(word) or word for word in wording.split()): tuple(meant.split())
    for meant, wordings in _WORDINGS.items()
    for wording in wordings.split(", ")
}
"""What a wording of several words stands for, both as words of the grammar."""
