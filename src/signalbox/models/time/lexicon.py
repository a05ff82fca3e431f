"""The words of time: what each one means, its short forms, and the nearest of them for a mistyped word."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import OSA

from signalbox.models.time.calendar import Grain

__all__ = [
    "HOLIDAYS",
    "MONTHS",
    "NUMBERS",
    "ORDINALS",
    "PARTS",
    "PHRASES",
    "UNITS",
    "WEEKDAYS",
    "known_word",
]


WEEKDAYS: dict[str, int] = {
    word: day
    for day, words in enumerate(
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
    for word in words.split()
}

MONTHS: dict[str, int] = {
    word: month
    for month, words in enumerate(
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
    for word in words.split()
}

UNITS: dict[str, tuple[Grain, int]] = {
    word: meaning
    for words, meaning in (
        ("second seconds sec secs s", (Grain.SECOND, 1)),
        ("minute minutes min mins mn m", (Grain.MINUTE, 1)),
        ("hour hours hr hrs h", (Grain.HOUR, 1)),
        ("day days d", (Grain.DAY, 1)),
        ("week weeks wk wks w", (Grain.WEEK, 1)),
        ("fortnight fortnights", (Grain.DAY, 14)),
        ("month months mo mos mth mths mon", (Grain.MONTH, 1)),
        ("quarter quarters qtr qtrs", (Grain.QUARTER, 1)),
        ("year years yr yrs y", (Grain.YEAR, 1)),
        ("decade decades", (Grain.YEAR, 10)),
    )
    for word in words.split()
}

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS: dict[str, int] = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
    "fourty": 40,
    "couple": 2,
    "pair": 2,
    "few": 3,
    "several": 5,
    "dozen": 12,
    "hundred": 100,
}

_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINALS: dict[str, int] = {
    **{word: value for value, word in enumerate(_ORDINAL_WORDS, start=1)},
    "thirtieth": 30,
}

# Hours of the day; an end past 24 lies on the next day.
PARTS: dict[str, tuple[int, int]] = {
    word: hours
    for words, hours in (
        ("morning mornings", (6, 12)),
        ("afternoon arvo afternoons", (12, 18)),
        ("evening evenings", (18, 24)),
        ("night nights nighttime", (18, 30)),
        ("lunchtime lunch", (12, 14)),
        ("breakfast", (6, 9)),
        ("dawn sunrise", (5, 7)),
        ("dusk", (17, 19)),
        ("daytime", (6, 18)),
    )
    for word in words.split()
}

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

# Wordings of several words that mean one: matched on whole words, the longest first.
PHRASES: dict[str, str] = {
    "month to date": "mtd",
    "week to date": "wtd",
    "quarter to date": "qtd",
    "year to date": "ytd",
    "up until": "until",
    "up till": "until",
    "up to": "until",
    "right up to": "until",
    "all the way to": "until",
    "leading up to": "before",
    "in the run up to": "before",
    "the run up to": "before",
    "running up to": "before",
    "prior to": "before",
    "ahead of": "before",
    "subsequent to": "after",
    "right around": "around",
    "on or around": "around",
    "starting at": "starting",
    "starting from": "starting",
    "starting on": "starting",
    "starting with": "starting",
    "starting in": "starting",
    "beginning at": "starting",
    "beginning from": "starting",
    "beginning on": "starting",
    "commencing at": "starting",
    "counting from": "starting",
    "as from": "starting",
    "as of": "starting",
    "ever since": "since",
    "going back to": "since",
    "dating back to": "since",
    "back to": "since",
    "all the way back to": "since",
    "any time after": "after",
    "any time since": "since",
    "ending at": "ending",
    "ending on": "ending",
    "ending in": "ending",
    "this very moment": "now",
    "the present": "now",
    "the present moment": "now",
    "the moment": "now",
    "right now": "now",
    "just now": "now",
    "so far": "sofar",
    "thus far": "sofar",
    "or so": "roughly",
    "small hours": "wee",
    "wee hours": "wee",
    "early hours": "wee",
    "half past": "halfpast",
    "o clock": "oclock",
    "either side of": "eitherside",
    "each side of": "eitherside",
    "both sides of": "eitherside",
    "in the middle of": "middle of",
    "business day": "businessday",
    "business days": "businessday",
    "working day": "businessday",
    "working days": "businessday",
    "work days": "businessday",
    "most recent": "latest",
    "not long ago": "recently",
    "the other day": "recently",
    "earlier today": "today",
    "later today": "latertoday",
    "late today": "late today",
    "eod": "end of day",
    "cob": "end of day",
    "eow": "end of week",
    "eom": "end of month",
    "eoy": "end of year",
}

# One word for all that mean the same in the grammar.
_SAME: dict[str, str] = {
    word: canonical
    for canonical, words in {
        "last": "last lst",
        "past": "past trailing rolling",
        "previous": "previous prev prior preceding foregoing",
        "latest": "latest recent",
        "this": "this current",
        "next": "next coming upcoming following",
        "since": "since",
        "from": "from frm",
        "to": "to",
        "until": "until til till upto",
        "through": "through thru throughout thorough",
        "between": "between btw btwn betw betwen",
        "and": "and & n",
        "before": "before b4",
        "after": "after",
        "around": "around about approximately approx circa roughly ~ near",
        "starting": "starting commencing",
        "ending": "ending finishing",
        "today": "today tday",
        "yesterday": "yesterday yday ystd yest yesterdays",
        "tomorrow": "tomorrow tmrw tomorow tmr",
        "tonight": "tonight tonite",
        "overnight": "overnight",
        "now": "now present",
        "ago": "ago",
        "back": "back",
        "earlier": "earlier",
        "hence": "hence",
        "of": "of o",
        "in": "in inside",
        "on": "on",
        "at": "at @",
        "by": "by",
        "for": "for",
        "over": "over across",
        "within": "within",
        "during": "during while",
        "the": "the teh",
        "a": "a an",
        "half": "half",
        "noon": "noon midday noontime",
        "midnight": "midnight",
        "am": "am",
        "pm": "pm",
        "oclock": "oclock",
        "weekend": "weekend weekends",
        "beginning": "beginning outset commencement start",
        "end": "end",
        "middle": "middle mid midpoint",
        "early": "early",
        "late": "late",
        "all": "all whole entire entirety full complete completed calendar",
        "onwards": "onwards onward forward forwards",
        "mtd": "mtd",
        "wtd": "wtd",
        "qtd": "qtd",
        "ytd": "ytd",
        "inclusive": "inclusive incl inclusively",
        "plus": "plus",
        "minus": "minus",
        "weekday": "weekday weekdays workday workdays",
        "then": "then",
        "date": "date",
        "calendarweek": "cw kw",
        "up": "up",
        "other": "other",
        "same": "same",
        "later": "later",
        "every": "every each per",
        "versus": "versus vs against than",
        "only": "only just",
        "roughly": "",
        "sofar": "sofar",
        "wee": "",
        "halfpast": "halfpast",
        "eitherside": "",
        "businessday": "",
        "recently": "recently lately",
        "latertoday": "",
        "local": "local",
        "time": "time",
        "my": "my our",
        "hundred": "hundred",
        "eod": "eod",
        "cob": "cob",
        "eow": "eow",
        "eom": "eom",
        "eoy": "eoy",
        "not": "not",
        "or": "or",
        "more": "more less fewer longer",
        "any": "any",
        "ever": "ever",
        "as": "as",
        "right": "right",
        "so": "so",
        "far": "far",
        "long": "long",
        "way": "way",
        "run": "run",
        "running": "running",
        "leading": "leading",
        "ahead": "ahead",
        "subsequent": "subsequent",
        "dating": "dating",
        "going": "going",
        "counting": "counting",
        "side": "side sides",
        "either": "either both",
        "small": "small",
        "most": "most",
        "clock": "clock",
        "business": "business",
        "working": "working work",
        "moment": "moment",
        "very": "very",
        "thus": "thus",
        "christmas": "christmas xmas",
        "eve": "eve",
        "boxing": "boxing",
        "new": "new",
        "halloween": "halloween",
        "valentines": "valentines valentine",
    }.items()
    for word in words.split()
}
_SAME["xmas"] = "xmas"
_SAME["years"] = "years"

_KNOWN: frozenset[str] = frozenset(
    {*_SAME, *WEEKDAYS, *MONTHS, *UNITS, *NUMBERS, *ORDINALS, *PARTS} - {"roughly"}
)

_MISTYPED_TARGETS = (
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february "
    "august september october november december second seconds minute minutes hours month months weeks weekend "
    "quarter fortnight morning afternoon evening midnight overnight previous between since until weekday "
    "lunchtime twenty thirty forty fifty eleven twelve fifteen ninety night before"
).split()
_SWAPPED_TARGETS = "last past hour week days mins noon".split()
# Ordinary words that lie one slip away from a word of time.
_ORDINARY = frozenset(
    "mouth mouths moths monthly weekly hourly minuet minuets minutely sundry precious house houses hosts horus "
    "horse seconded secondly singe sines science weeds weeps wees toady moorings mooring quartet quarterly "
    "unity units untie unto night-time nightly tights nigh eights fifth fifths thirsty befall before-hand before "
    "minuses minute's evenings morning's sinces sunder mondo augusta octopus hour's todays wheels seeks hrous "
    "nighty evens twelfth betweens remember member tenth".split()
)


@lru_cache(maxsize=4096)
def known_word(word: str) -> str | None:
    """The word as the grammar spells it, mending a slip of the keyboard; None for a word that is not of time."""
    if word in _KNOWN:
        return _SAME.get(word, word)
    mended = _mend(word)
    return None if mended is None else _SAME.get(mended, mended)


def _mend(word: str) -> str | None:
    if not 4 <= len(word) <= 12 or word in _ORDINARY or not word.isascii():
        return None
    if len(word) == 4:
        return next((t for t in _SWAPPED_TARGETS if sorted(t) == sorted(word) and OSA.distance(t, word) == 1), None)
    near = [t for t in _MISTYPED_TARGETS if t[0] == word[0] and abs(len(t) - len(word)) <= 2]
    scored = [(OSA.distance(t, word), t) for t in near]
    close = [(d, t) for d, t in scored if d <= (2 if len(t) >= 8 else 1)]
    return min(close)[1] if close else None
