"""Times of day as people say them, written as a clock shows them: "half past seven in the evening" is 19:30."""

from __future__ import annotations

import re

from signalbox.language.numbers import SMALL

__all__ = ["HOUR_WORDS", "LEADS_TO_CLOCK", "SPOKEN_CLOCK", "with_half", "write_clocks"]

HOUR_WORDS = SMALL[1:13]
_HOUR = rf"(?:\d{{1,2}}|{'|'.join(HOUR_WORDS)})"
_MINUTES = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "half": 30, "twenty-five": 25}
_HALF = r"(?:\s*(?P<half>[ap]\.?m\b\.?|in the (?:early )?(?:morning|afternoon|evening)|at night|tonight|tonite))"
SPOKEN_CLOCK = (
    rf"(?:half(?: past)? {_HOUR}|(?:a )?(?:quarter|five|ten|twenty) (?:past|to) {_HOUR}|{_HOUR} ?o'?clock|"
    rf"(?:{'|'.join(HOUR_WORDS)}) (?:fifteen|thirty|forty-?five)(?=\s+(?:[ap]\.?m|in the|tonight|tonite|at night))|"
    rf"(?<!for )(?<!first )(?<!last )(?<!next )(?<!that )(?<!are )(?<!'re )(?<!will be )(?<!of )"
    rf"(?:{'|'.join(HOUR_WORDS)})(?=\s*(?:[ap]\.?m\b|in the (?:morning|afternoon|evening)|tonight|tonite))|"
    rf"(?<!for )(?<!are )(?<!'re )(?<!of )"
    rf"\d{{1,2}}(?:[:.]\d{{2}})?(?=\s+(?:in the (?:morning|afternoon|evening)|tonight|tonite|at night)))"
    rf"(?:\s*[ap]\.?m\b\.?)?"
)
_SPOKEN = re.compile(
    rf"\b(?:(?P<part>half|(?:a )?quarter|five|ten|twenty)\s+(?P<way>past|to)?\s*(?P<base>{_HOUR})|"
    rf"(?P<hour>{_HOUR})(?:[:.](?P<digits>\d\d)|\s+(?P<tens>fifteen|thirty|forty-?five))?)"
    rf"(?P<clock>\s*o'?clock)?{_HALF}?",
    re.IGNORECASE,
)
_TENS = {"fifteen": 15, "thirty": 30, "fortyfive": 45}
_BARE = re.compile(r"(?:\A|(?<=at ))([1-9]|1\d|2[0-3])(:\d\d)?\Z")
# Which hours without more are in the second half of the day, by what else is said.
_LATE = {
    re.compile(r"\b(?:lunch|afternoon)\b", re.IGNORECASE): range(1, 6),
    re.compile(r"\b(?:dinner|supper|evening|tonight|tonite|drinks|night)\b", re.IGNORECASE): range(4, 12),
}

# Nobody says "half past two" of the small hours without saying so.
_BY_DAY = range(1, 6)
_EARLY = re.compile(r"\b(?:morning|night|midnight|a\.?m|dawn|early|overnight|nightly)\b", re.IGNORECASE)

_LATER = (
    rf"\s*(?:-|–|to|until|till|til|and)\s*(?P<later>{_HOUR})(?:[:.]\d\d)?\s*"
    rf"(?:(?P<sign>[ap])\.?m\b|in the (?P<time>morning|afternoon|evening)|at (?P<night>night))"
)
_LEADS_TO = re.compile(_LATER, re.IGNORECASE)
# What follows a first hour whose half of the day a second one tells: the "until four in the afternoon" of two.
LEADS_TO_CLOCK = rf"(?={re.sub('[?]P<[a-z]+>', '', _LATER)})"


def write_clocks(words: str, context: str) -> str:
    """The words with spoken times of day as hh:mm; what else is said that day tells morning from evening."""
    written = _SPOKEN.sub(lambda found: _written(found, context), words)
    written = _BARE.sub(lambda found: f"{_on_dial(int(found[1]), '', context)}{found[2] or ':00'}", written)
    return f"{_on_dial(_number(written), '', context)}:00" if written.lower() in HOUR_WORDS else written


def _written(found: re.Match[str], context: str) -> str:
    said = found["half"]
    spoken = bool(found["part"] or found["clock"] or found["tens"])
    if not (spoken or (said and re.match(r"in|at|toni", said, re.I)) or (said and not found[0][0].isdigit())):
        return found[0]
    hour = _number(found["base"] or found["hour"])
    minute = int(found["digits"] or 0) + _TENS.get((found["tens"] or "").lower().replace("-", ""), 0)
    if found["part"]:
        minute = _MINUTES[found["part"].lower()]
        if (found["way"] or "").lower() == "to":
            hour, minute = hour - 1, 60 - minute
    if not 0 <= hour <= 23:
        return found[0]
    if spoken and not said and hour in _BY_DAY and not _EARLY.search(context):
        hour += 12
    tonight = " tonight" if said and said.lower().startswith("toni") else ""
    return f"{_on_dial(hour, said or '', context):02d}:{minute:02d}{tonight}"


def _on_dial(hour: int, said: str, context: str) -> int:
    """The hour of 24: by the half of the day that is said, or else by what the hour is for."""
    if not said:
        return hour + 12 if any(words.search(context) and hour in hours for words, hours in _LATE.items()) else hour
    if re.match(r"p|in the (?:early )?(?:afternoon|evening)|at night|toni", said, re.IGNORECASE):
        return hour + 12 if 0 < hour < 12 else hour
    return 0 if hour == 12 else hour


def _number(word: str) -> int:
    return int(word) if word.isdigit() else HOUR_WORDS.index(word.lower()) + 1


def with_half(text: str, start: int, end: int, words: str) -> str:
    """The words of a clock time; one without "am" or "pm" takes that of the time it leads to: "from 2 to 4 pm"."""
    later = _LEADS_TO.match(text, end)
    own = re.search(rf"(?:^|\s)({_HOUR})(?::\d\d)?$", text[start:end], re.IGNORECASE)
    if later is None or own is None or not 0 < _number(own[1]) <= 12:
        return words
    morning = (later["sign"] or "").lower() == "a" or (later["time"] or "").lower() == "morning"
    turns = _number(own[1]) % 12 > _number(later["later"]) % 12
    return f"{words} {'am' if morning != turns else 'pm'}"
