"""Where a sentence speaks of time. What the words mean is the business of `signalbox.language.time`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.language.words import word_set
from signalbox.models.offline.fill.times.clocks import HOUR_WORDS, LEADS_TO_CLOCK, SPOKEN_CLOCK
from signalbox.models.offline.fill.times.named_times import in_name

__all__ = ["TimePhrase", "find_times", "with_month"]

_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_COUNT = (
    r"(?:\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|eighteen|"
    r"twenty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|thirty|forty(?:[- ]five)?|fifty|sixty|ninety|"
    r"couple(?: of)?|a couple(?: of)?|a few|few|half an?|(?:a )?quarter of an|three quarters of an|several)"
    r"(?: and a half)?"
)
_UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|months?|years?|quarters?|"
    r"fortnights?|nights?|weekends?|[smhdw])"
)
_DAYPART = r"(?:morning|afternoon|evening|night|midday|noon|midnight)"
# Four digits that are rather a clock time than a year.
_HOURS = r"\b(?:0\d|1[0-8])[0-5]\d"
_CLOCK = (
    r"(?:\d{1,2}[:h]\d{2}(?::\d{2})?\s*(?:[ap]\.?m\b\.?)?|\d{1,2}\.\d{2}\s*[ap]\.?m\b\.?|"
    r"\d{1,2}\s*(?:[ap]\.?m\b\.?|o'?clock)|noon|midnight|midday|"
    rf"{SPOKEN_CLOCK}|"
    rf"(?<=at )(?:{'|'.join(HOUR_WORDS)})(?=\s*(?:$|[,.;!?]|on |for |tomorrow|today|this|next))|"
    rf"(?:\d{{1,2}}(?::\d\d)?|{'|'.join(HOUR_WORDS)}){LEADS_TO_CLOCK}|"
    r"(?<!\d )0\d[0-5]\d(?![.,:]?\d| \d)|(?:[01]\d|2[0-3])[0-5]\d(?=\s?(?:hrs|hours|h)\b)|"
    rf"(?:(?<={_HOURS} to )|(?<={_HOURS} till )|(?<={_HOURS} until )|(?<={_HOURS}-)|(?<={_HOURS} - )|"
    r"(?<=day )|(?<=tomorrow )|(?<=tonight ))"
    r"(?:[01]\d|2[0-3])[0-5]\d(?![\d:.])\b|"
    r"(?<=from )\d{1,2}(?=\s*(?:to|-|–|until|till)\s*\d{1,2}[:.]\d\d)|"
    r"(?<=at )(?:[01]?\d|2[0-4])(?![\d%]|[.,:]\d|\s*[%°€$£-]|\s+(?!tomorrow|today|tonight|please|sharp|with|until|"
    r"till|and \d|this|next|every|each|then|thanks|from|next|mon|tues|wed|thu|fri|sat|sun|latest|earliest)[a-z]{3,})\b|"
    r"(?:(?<=noon to )|(?<=noon until )|(?<=noon till )|(?<=noon and )|(?<=:\d\d to )|(?<=:\d\d until )|"
    r"(?<=:\d\d and ))"
    rf"(?:\d{{1,2}}|{'|'.join(HOUR_WORDS)})(?![\d:.]|\s*[%°€$£])\b|"
    r"(?:(?<=:\d\d to )|(?<=:\d\d till )|(?<=:\d\d until )|(?<=:\d\d til )|(?<=:\d\d-)|(?<=:\d\d - )|(?<=:\d\d and ))"
    r"(?:[01]?\d|2[0-4])(?![\d:.]|\s*[%°€$£])\b|(?<=@)\d{1,2}\b)"
)
_LATER_DAY = rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"
_DATE = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}(?:t\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?)?(?:z|[+-]\d{{2}}:?\d{{2}})?)?|"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?=\s*(?:-|–|to)\s*{_LATER_DAY})|"
    rf"(?:(?<=from )\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th))(?=\s*(?:until|till)\s*{_LATER_DAY}))|"
    rf"\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}|"
    rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} (?:the )?\d{{1,2}}(?:st|"
    rf"nd|rd|th)?(?!\d|:)(?:,? \d{{4}})?|"
    rf"the \d{{1,2}}(?:st|nd|rd|th)(?: of (?:this|next|last|the) month)?|"
    rf"(?:the )?(?:first|second|third|fourth|last) {_WEEKDAY} (?:of|in) (?:{_MONTH}|(?:this|next|the) month)|"
    rf"{_MONTH} \d{{4}}|(?:in |last |next |this |since |"
    rf"of )(?:{_MONTH})\b(?!\s+\d))"
)
# "last day tomorrow", "its last day is 3 May": such a day is told behind it.
_OF_DAY = rf"(?: is| will be|:|,)? (?:on )?(?:the )?(?:\d|today|tomorrow|tonight|{_WEEKDAY}\b|{_MONTH}\b)"
_DAY = (
    rf"(?:(?:the )?(?:last|first) day of (?:the |this |next |last )?(?:week|month|year|quarter|{_MONTH})|"
    rf"(?:the )?(?:end|beginning|start|middle) of (?:the |this |next )?(?:day|week|month|year|quarter|{_MONTH})|"
    rf"eod|eow|"
    rf"christmas(?: day| eve)|new year'?s (?:day|eve)|"
    rf"the day (?:after tomorrow|before yesterday)|day after tomorrow|today|tonight|tonite|tomorrow|tmrw?|"
    rf"tmw|tomorow|tommorrow|tommorow|yesterday|yday|last night|"
    rf"(?:on )?(?:{_WEEKDAY}) (?:of )?next week\b|"
    rf"(?:(?:this|next|last|coming|previous|past|on|following)\s{{1,3}})?(?:{_WEEKDAY})\b(?!\w)|"
    rf"(?!last day{_OF_DAY})(?:this|next|last|previous|past|coming|current|the)\s+"
    rf"(?:week(?:end)?|month|year|quarter|hour|minute|day|fortnight|spring|summer|fall|autumn|winter)|"
    rf"(?:this|yesterday|tomorrow)\s+{_DAYPART}|"
    rf"q[1-4](?: \d{{4}})?)"
)
_RELATIVE = (
    rf"(?:in (?:the next )?{_COUNT}\s*{_UNIT}\b(?: and a (?:half|quarter)\b)?(?!\s+(?:before|after))|"
    rf"(?<!for ){_COUNT}\s*{_UNIT}(?: and a (?:half|quarter))? "
    rf"(?:ago|from (?:now|today|tomorrow)|hence|later|after tomorrow)|in {_COUNT} (?:week|month|year|day)s?'?s? time|"
    rf"(?:the )?(?:last|past|previous|next|coming) {_COUNT}\s*{_UNIT}\b|right now|(?<!for )now(?:-\d+[smhdw])?|"
    rf"since (?:{_CLOCK}))"
)
_DURATION = rf"for (?:the (?:last|past) )?{_COUNT}\s*{_UNIT}\b"
# For text in lower case: so an alternative is out by its first letter, which no pattern that minds no case can do.
_ATOM = re.compile(
    rf"(?<!\w)(?<![^\d]-)(?:(?P<relative>{_RELATIVE})|(?P<date>{_DATE})|(?P<day>{_DAY})|(?P<clock>{_CLOCK})|"
    rf"(?P<part>(?<!every )(?<!each )(?:in the )?{_DAYPART}))(?![\w])"
)
_RANK, _NOUN = re.compile(r"the \d{1,2}(?:st|nd|rd|th)", re.IGNORECASE), re.compile(r" ([a-z]{3,})")
_BEHIND_DAY = word_set(
    """and for from til till until are was when with without through thru around about before after please pls plz but
    because since then this next instead onward onwards morning afternoon evening night noon would will can should the
    our she they that works via under not only all both each latest earliest possibly preferably ideally maybe also
    just again now who"""
)
_THAT_YEAR = re.compile(r"(?:this|last|next) year", re.IGNORECASE)
_GLUE = re.compile(r"\s*,?\s*(?:at|on|in the|of|around|@|from|by)?\s*", re.IGNORECASE)
_RANGE_GLUE = re.compile(r"\s*(?:-|–|to|until|till|through|thru|and|til)\s*(?:on |the )?", re.IGNORECASE)
_LEAD = re.compile(
    r"\b(from|since|after|between|starting(?: on| at)?|beginning|leaving(?: on)?|departing(?: on)?|to|until|"
    r"till|through|by|before|"
    r"and|returning(?: on)?|return(?: on)?|back(?: on)?|ending(?: on)?|due(?: on| by)?|on|at|in|for|around|"
    r"during|over|within|check(?:ing)? ?in(?: on)?|check(?:ing)? ?out(?: on)?|"
    r"-|–)\s+(?:the\s+)?$|(-|–)$",
    re.IGNORECASE,
)

_TO = r"\s*(?:-|–|to|until|till|and|through)\s*(?:the )?"
_LATER_MONTH = re.compile(rf"{_TO}\S+(?: of)? ({_MONTH}(?:,? \d{{4}})?)", re.IGNORECASE)
_NO_YEAR = re.compile(rf"(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}", re.IGNORECASE)
_LATER_YEAR = re.compile(
    rf"{_TO}\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? ((?:this|last|next) year\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """Words that name a moment, a day or a range. `lead` is the preposition before; `parts` its atoms."""

    text: str
    start: int
    end: int
    kind: str
    lead: str
    parts: tuple[tuple[str, int, int], ...]

    def part(self, *kinds: str) -> tuple[int, int] | None:
        """Where the parts of these kinds stand, taken together."""
        spans = [(start, end) for kind, start, end in self.parts if kind in kinds]
        return (spans[0][0], spans[-1][1]) if spans else None


def find_times(text: str) -> list[TimePhrase]:
    """The phrases of time, left to right; a day and a clock time beside each other are one phrase."""
    phrases: list[list[tuple[str, int, int]]] = []
    for found in _ATOM.finditer(_lowered(text)):
        kind = str(found.lastgroup)
        if in_name(text, *found.span()) or (kind == "date" and _counts_other(text, *found.span())):
            continue
        start = found.start() + len(found.group()) - len(found.group().lstrip())
        atom = (kind, start, found.start() + len(found.group().rstrip()))
        if phrases and _joins(text, phrases[-1], atom):
            phrases[-1].append(atom)
        else:
            phrases.append([atom])
    return [
        _phrase(text, parts) for parts in phrases if parts[0][0] != "part" or len(parts) > 1 or _alone(text, parts[0])
    ]


def _lowered(text: str) -> str:
    """The text in lower case, every place where it was."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def with_month(text: str, start: int, end: int) -> str:
    """The words of a day; one without its month or year takes that of the day it leads to: "20 to 24 December"."""
    words = text[start:end]
    if re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)?", words):
        later = _LATER_MONTH.match(text, end)
        return f"{words} {later[1]}" if later else words
    year = _LATER_YEAR.match(text, end) if _NO_YEAR.fullmatch(words) else None
    return f"{words} {year[1]}" if year else words


def _counts_other(text: str, start: int, end: int) -> bool:
    """Whether what looks like a day is none: the rank of "the 3rd floor", the end of 10.0.0.0/12."""
    if start > 1 and text[start - 1] == "." and text[start - 2].isdigit():
        return True
    # Behind the day of a month stands a stop, a name or a small word.
    following = _NOUN.match(text, end) if _RANK.fullmatch(text, start, end) else None
    return following is not None and following[1] not in _BEHIND_DAY


def _joins(text: str, parts: list[tuple[str, int, int]], atom: tuple[str, int, int]) -> bool:
    between = text[parts[-1][2] : atom[1]]
    kinds = {kind for kind, _, _ in parts}
    if len(between) > 14 or not _GLUE.fullmatch(between) or "from" in between.lower() or re.search(r"\bby\b", between):
        return False
    if parts[-1][0] == "date" and _THAT_YEAR.fullmatch(text, atom[1], atom[2]):
        return True
    family = "clock" if atom[0] in ("clock", "part") else "day"
    if atom[0] == "part":
        return "part" not in kinds
    if family == "clock":
        return "clock" not in kinds
    return not kinds & {"day", "date", "relative"} or (kinds == {"day"} and atom[0] == "date")


def _alone(text: str, part: tuple[str, int, int]) -> bool:
    """A bare "morning" is a time only after "in the", "at" or "this"."""
    words = text[part[1] : part[2]].lower()
    return words.startswith("in the") or words in ("noon", "midnight", "midday")


def _phrase(text: str, parts: list[tuple[str, int, int]]) -> TimePhrase:
    start, end = parts[0][1], parts[-1][2]
    lead = _LEAD.search(text[max(0, start - 20) : start])
    kind = (
        "range"
        if _spans_time(text[start:end].lower(), parts)
        else ("clock" if {p[0] for p in parts} <= {"clock", "part"} else "instant")
    )
    words = (lead[1] or lead[2] or "").lower() if lead else ""
    if words == "since":
        start = text.lower().rindex("since", 0, start)
    own = re.match(r"(in|on|since|of)\b", text[start:end], re.IGNORECASE)
    return TimePhrase(text[start:end], start, end, kind, words or (own[1].lower() if own else ""), tuple(parts))


def _spans_time(words: str, parts: list[tuple[str, int, int]]) -> bool:
    return (
        bool(re.match(r"(?:the )?(?:last|past|previous|next|coming|this|since)\b", words))
        and parts[0][0] in ("relative", "day")
        and not re.match(rf"(?:this|next|last|coming|past|previous) {_WEEKDAY}\b|(?:the )?last day of", words)
    )
