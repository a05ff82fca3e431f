"""Spelling: synonyms, fixed wordings of several words, and what a mistyped word was meant to be."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import OSA

from signalbox.language.numbers import ORDINALS
from signalbox.language.time.lexicon import MONTHS, NUMBERS, PARTS, SEASONS, UNITS, WEEKDAYS
from signalbox.language.words import word_list

__all__ = ["FIGURED", "PHRASES", "known_word"]

# Wordings of several words that mean one: matched on whole words, the longest first.
PHRASES: dict[str, str] = {
    "month to date": "mtd",
    "week to date": "wtd",
    "quarter to date": "qtd",
    "year to date": "ytd",
    "yr to date": "ytd",
    "business hours": "officehours",
    "working hours": "officehours",
    "work hours": "officehours",
    "office hours": "officehours",
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
    "late today": "late today",
    "eod": "end of day",
    "cob": "end of day",
    "eow": "end of week",
    "eom": "end of month",
    "eoy": "end of year",
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
    "weekday": "weekdays workday workdays",
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
_KNOWN = frozenset({*_SAME, *WEEKDAYS, *MONTHS, *UNITS, *NUMBERS, *ORDINALS, *PARTS, *SEASONS})
FIGURED = {word: meant for word, meant in _SAME.items() if word.isalnum() and not word.isalpha()}

_MISTYPED_TARGETS = word_list(
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february august "
    "september october november december second seconds minute minutes hours month months weeks weekend quarter "
    "fortnight morning afternoon evening midnight overnight previous between since until weekday lunchtime twenty "
    "thirty forty fifty eleven twelve fifteen ninety night before"
)
_SWAPPED_TARGETS = word_list("last past hour week days mins noon")
# Ordinary words that lie one slip away from a word of time.
_ORDINARY = frozenset(
    word_list(
        "mouth mouths moths monthly weekly hourly minuet minuets minutely sundry precious house houses hosts horse "
        "seconded secondly singe sines science weeds weeps toady mooring quartet quarterly unity units untie nightly "
        "thirsty befall wheels evens nighty tights sunder"
    )
)


@lru_cache(maxsize=4096)
def known_word(word: str) -> str | None:
    """The word as the grammar spells it, mending a slip of the keyboard; None for a word that is not of time."""
    if word in _KNOWN:
        return _SAME.get(word, word)
    mended = _mend(word)
    return None if mended is None else _SAME.get(mended, mended)


def _mend(word: str) -> str | None:
    """The one word of time that lies within a slip or, for long words, two; short words only if letters swapped."""
    if not 4 <= len(word) <= 12 or word in _ORDINARY or not word.isascii():
        return None
    if len(word) == 4:
        return next((t for t in _SWAPPED_TARGETS if sorted(t) == sorted(word) and OSA.distance(t, word) == 1), None)
    near = (t for t in _MISTYPED_TARGETS if t[0] == word[0] and abs(len(t) - len(word)) <= 2)
    close = [(d, t) for t in near if (d := OSA.distance(t, word)) <= (2 if len(t) >= 8 else 1)]
    return min(close)[1] if close else None
