"""Fields of time: which words of the sentence a date, a time, a length of time or a range field means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.options.directions import CONTRARY, coming_at, comings_of, side_at
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times.clocks import with_half
from signalbox.models.offline.fill.times.instants import as_text, coming_range, day_of, range_of, written
from signalbox.models.offline.fill.times.tenses import looks_ahead, looks_back, may_have_been, tells_past
from signalbox.models.offline.fill.times.times import TimePhrase, with_month

__all__ = ["find_moments", "find_spans", "iso_duration", "side_in_time", "time_kind"]

_FORMATS = {"date": "date", "date-time": "date-time", "datetime": "date-time", "time": "time", "duration": "duration"}
_DURATION = re.compile(
    r"\b(?:duration|how long|length of time|time window|window|lookback|interval|timeout|"
    r"ttl)\b"
)
_RANGE = re.compile(r"\b(?:time ?range|time ?frame|period|date ?range|time ?span|timeframe|time window)\b")
_WHEN = re.compile(
    r"\b(?:date|day|when|deadline|due|datetime|time|arrival|departure|checkin|checkout|birthday|schedule|"
    r"timestamp|until|since)\b"
)
_SAID_WHEN = re.compile(r"(?:when|date|time)\b(?! zone)", re.IGNORECASE)
_HOUR = re.compile(r"\b(?:time|hour)$")
_DAY = re.compile(r"\b(?:date|day)$")
_BIRTH = word_set("birth born dob birthday birthdate")
_BORN = re.compile(r"\b(?:born|birth\w*|d\.?o\.?b)\b", re.IGNORECASE)
_WRITTEN_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ISO = re.compile(r"iso[ -]?8601|yyyy|\brfc ?3339\b|\bhh:mm", re.IGNORECASE)
_CLOCK = re.compile(r"\bhh:mm", re.IGNORECASE)
_BOUNDS = re.compile(r"\b(?:period|range|window|interval|span)\b")
_STARTS = word_set(
    """start from begin beginning since after departure depart outbound checkin in pickup earliest
    leaving starting first"""
)
_ENDS = word_set(
    """end to until till return due deadline checkout before out dropoff latest expiry expires by
    ending finish last back"""
)
_TO = re.compile(r"\s*(?:-|–|to|until|till|and|or)\s*(?:at )?", re.IGNORECASE)
_STAYED = re.compile(r"\b(?:stay|nights?|guests?|rooms?|check ?in|check ?out|moves? (?:in|out))\b")
_START_LEADS = re.compile(r"from|since|after|between|start|begin|leav|depart|check(?:ing)? ?in")
_END_LEADS = re.compile(r"to|until|till|through|by|before|and|return|back|ending|due|check(?:ing)? ?out|-|–")


def time_kind(field: Field) -> str:
    """What kind of time the field holds: date, date-time, time, duration, or words for one of these; else nothing."""
    if field.kind != "string":
        return ""
    if field.format in _FORMATS:
        kind = _FORMATS[field.format]
        return (
            _exact_kind(field.description, field.name) if kind == "time" and _CLOCK.search(field.description) else kind
        )
    if field.format or field.options:
        return ""
    return _kind_by_pattern(field.pattern) if field.pattern else _kind_by_words(field.name_words, field.description)


@lru_cache(maxsize=2_000)
def _kind_by_pattern(pattern: str) -> str:
    """A pattern that takes a clock time or a date, and no plain word, asks for one."""
    try:
        shape = re.compile(pattern)
    except re.error:
        return ""
    if shape.search("word") or shape.search("AB-123"):
        return ""
    return "hour" if shape.search("09:30") else ("date" if shape.search("2026-11-03") else "")


@lru_cache(maxsize=2_000)
def _kind_by_words(name_words: tuple[str, ...], description: str) -> str:
    name = " ".join(name_words)
    about = f"{name} . {description}".lower()
    if _CLOCK.search(description):
        return _exact_kind(description, name)
    if _RANGE.search(name) or (_RANGE.search(about) and not _WHEN.search(name)):
        return "range-words"
    if not _RANGE.search(about) and _SAID_WHEN.match(description) and not _DURATION.search(name):
        if not _HOUR.search(name) and not _DAY.search(name):
            return _exact_kind(description, name)
        return "time-words" if _HOUR.search(name) else "date-words"
    if _DURATION.search(name):
        return "duration-words"
    if _HOUR.search(name) and not re.search(r"zone|format|series|date", name) and not _ISO.search(description):
        return "time-words"
    if _DAY.search(name) and not _ISO.search(description):
        return "date-words"
    if _WHEN.search(name) and not re.search(r"\b(?:zone|timezone|format|series)\b", name):
        return _exact_kind(description, name)
    return ""


def _exact_kind(description: str, name: str) -> str:
    """A plain string that asks for ISO text gets it; any other keeps the person's words."""
    if not _ISO.search(description):
        return "when-words"
    if re.search(r"hh:mm", description, re.I) and "yyyy" not in description.lower():
        return "time" if "hh:mm:ss" in description.lower() else "hour"
    dated = re.search(r"date-?time|timestamp|T?hh|8601 (?:date and )?time|rfc", description, re.I)
    return "date-time" if dated and not re.search(r"\bdate\b", name) else "date"


def find_spans(reading: Reading, fields: list[Field]) -> list[Proposal]:
    """Both ends at once: "last week" for a field where something starts and one where it ends."""
    kinds = {field.path: time_kind(field) for field in fields}
    starts = [f for f in fields if kinds[f.path] in ("date", "date-time") and side_in_time(f) == "start"]
    ends = [f for f in fields if kinds[f.path] in ("date", "date-time") and side_in_time(f) == "end"]
    if len(starts) != 1 or len(ends) != 1:
        return []
    back = looks_back(starts[0]) or looks_back(ends[0])
    bounded = back or bool(_BOUNDS.search(starts[0].about + ends[0].about))
    alone = bounded and len(reading.times) == 1
    phrase = next(
        (
            p
            for p in reading.times
            if p.kind == "range" or (alone and p.lead not in ("from", "since", "after", "until", "by"))
        ),
        None,
    )
    if phrase is None:
        return []
    found = range_of(reading, phrase.text) if back or phrase.kind == "range" else None
    found = found or coming_range(reading, phrase.text) or day_of(reading, phrase.text)
    if found is None:
        return []
    span = (phrase.start, phrase.end)
    last = found[1] - timedelta(microseconds=1) if kinds[ends[0].path] == "date" else found[1]
    first = Proposal(starts[0], written(found[0], kinds[starts[0].path]), *span, 0.9, shared=True)
    return [first, Proposal(ends[0], written(last, kinds[ends[0].path]), *span, 0.9)]


def find_moments(reading: Reading, field: Field, kinds: frozenset[str], *, record: bool = False) -> list[Proposal]:
    """Proposals for a field of time; `kinds` are the kinds of all fields, so that a day and an hour may part.

    A schema that keeps a `record` tells of what has been.
    """
    kind = time_kind(field)
    if kind in ("duration", "duration-words"):
        return list(_lengths(reading, field, kind))
    return [
        p for at, phrase in enumerate(reading.times) for p in _moment(reading, field, kind, kinds, phrase, at, record)
    ]


def _moment(
    reading: Reading, field: Field, kind: str, kinds: frozenset[str], phrase: TimePhrase, at: int, record: bool
) -> Iterator[Proposal]:
    span = _wanted_part(phrase, kind, kinds)
    if span is None or not _may_be_birth(reading, field, phrase):
        return
    words = _with_day(reading, phrase, kind, with_half(reading.text, *span, with_month(reading.text, *span)))
    if not words:
        return
    value = as_text(reading, words, kind, side_in_time(field), ahead=_ahead(reading, field, phrase, record))
    if value is None:
        return
    score = 0.8 + _fitness(reading, field, phrase) + 0.1 * reading.cue(field, phrase.start, phrase.end) - 0.01 * at
    if kind == "range-words" and phrase.kind == "range":
        score += 0.08
    # "for the next two weeks" tells from when, and leaves to others how long.
    lasts = phrase.kind == "range" and phrase.lead == "for" and phrase.parts[0][0] == "relative"
    yield Proposal(field, value, *span, min(score, 0.97), shared=lasts and not kind.endswith("-words"))


def _may_be_birth(reading: Reading, field: Field, phrase: TimePhrase) -> bool:
    """Nobody tells when he was born without a year, unless the words say that it is a birth."""
    return _BIRTH.isdisjoint(field.name_words) or bool(
        _WRITTEN_YEAR.search(phrase.text) or re.search(r"/\d\d$", phrase.text) or _BORN.search(reading.text)
    )


def _with_day(reading: Reading, phrase: TimePhrase, kind: str, words: str) -> str:
    """A clock time with the day that is said apart from it: "tomorrow from 3pm to 4pm". A day so used is none alone."""
    days = [other for other in reading.times if other.kind == "instant" and not other.part("clock", "part")]
    clocks = [other for other in reading.times if other.kind == "clock"]
    if kind != "date-time" or len(days) != 1 or not clocks:
        return f"{_day_behind(reading, phrase)}{words}" if kind == "date-time" else words
    return "" if phrase is days[0] else f"{days[0].text} at {words}" if phrase in clocks else words


def _day_behind(reading: Reading, phrase: TimePhrase) -> str:
    """The day of the second of two clock times, which is the first one's too: "between 1 pm and 2 pm on Monday"."""
    at = reading.times.index(phrase) + 1
    if phrase.kind != "clock" or at == len(reading.times):
        return ""
    later = reading.times[at]
    day = later.part("day", "date")
    joined = _TO.fullmatch(reading.text, phrase.end, later.start)
    return f"{reading.text[day[0] : day[1]]} at " if day and joined and later.parts[0][0] == "clock" else ""


def _wanted_part(phrase: TimePhrase, kind: str, kinds: frozenset[str]) -> tuple[int, int] | None:
    clocked = phrase.part("clock", "part")
    dated = phrase.part("day", "date", "relative")
    if kind in ("time", "hour"):
        return clocked or _written_whole(phrase)
    if kind == "date":
        return dated
    if kind == "time-words" and kinds & {"date", "date-words"}:
        return clocked
    if kind == "date-words" and kinds & {"time", "time-words"}:
        return dated
    return phrase.start, phrase.end


def _written_whole(phrase: TimePhrase) -> tuple[int, int] | None:
    """Where a day and a time are written as one: 2026-10-09T23:30."""
    return (phrase.start, phrase.end) if re.match(r"\d{4}-\d\d-\d\dT\d", phrase.text) else None


def _ahead(reading: Reading, field: Field, phrase: TimePhrase, record: bool) -> bool | None:
    """Whether a bare name of time means one to come; None when nothing says so."""
    if phrase.kind == "range" or phrase.lead == "since":
        return False
    pointed = looks_ahead(field)
    if pointed is False or not may_have_been(field):
        return pointed
    told = tells_past(reading, plainly=pointed is True) if phrase.lead not in ("by", "until", "till") else False
    if told is None and record:
        return False
    return False if told else pointed


def side_in_time(field: Field) -> str:
    """Whether a field is when something starts or ends; empty when neither."""
    names = {*field.name_words, *field.name_stems}
    if (stays := comings_of(field) & {"arrives", "leaves"}) and _STAYED.search(field.about):
        return "start" if "arrives" in stays else "end"
    return "end" if names & _ENDS else ("start" if names & _STARTS else "")


def _fitness(reading: Reading, field: Field, phrase: TimePhrase) -> float:
    """Whether the words before the phrase open or close a range, as the field does."""
    side, comings, told = side_in_time(field), comings_of(field), coming_at(reading.text, phrase.start)
    if told and comings & {told, CONTRARY[told]}:
        return 0.1 if told in comings else -0.13
    said = side_at(reading.text, phrase.start)
    if side and said and not re.match(r"to|and|-|–", phrase.lead):
        return 0.09 if said == side else -0.13
    if side == "start":
        return 0.08 if _START_LEADS.match(phrase.lead) else (-0.12 if _END_LEADS.match(phrase.lead) else 0.03)
    if side == "end":
        return 0.08 if _END_LEADS.match(phrase.lead) else (-0.12 if _START_LEADS.match(phrase.lead) else 0.0)
    return -0.05 if _END_LEADS.match(phrase.lead) or phrase.lead == "since" else 0.02


def _lengths(reading: Reading, field: Field, kind: str) -> Iterator[Proposal]:
    for quantity in reading.quantities:
        if quantity.dimension != "time":
            continue
        text = reading.text[quantity.start : quantity.end]
        value = text if kind == "duration-words" else iso_duration(quantity.value * quantity.factor)
        yield Proposal(
            field, value, quantity.start, quantity.end, 0.8 + 0.15 * reading.cue(field, quantity.start, quantity.end)
        )


def iso_duration(seconds: float) -> str:
    """A length of time as ISO 8601 writes it."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    day = f"{days:g}D" if days else ""
    clock = "".join(f"{value:g}{letter}" for value, letter in ((hours, "H"), (minutes, "M"), (rest, "S")) if value)
    return f"P{day}{'T' + clock if clock or not day else ''}{'' if clock or day else '0S'}"
