"""Who or what comes along: whether a sentence takes a person, an animal or a thing with it, or leaves it behind."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.english.thesaurus import stands_for
from signalbox.models.offline.fill.options.denials import denied
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field

__all__ = ["find_company"]

_ALONG = re.compile(
    r"\b(?:an?|any|the|some|another|other)\s+(?P<noun>(?:[a-z]+\s+){0,2}?[a-z]+)\s+"
    r"(?P<verb>(?:is|are|will)\s+[a-z]+|[a-z]+s)\s+(?:\w+\s+){0,2}?"
    r"(?:along|too|as well|also|with|together|on board|in)\b",
    re.IGNORECASE,
)
_PEOPLE = frozenset(map(stem, word_set("person people somebody someone applicant driver borrower adult partner")))
_RELATIONS = frozenset(
    map(
        stem,
        word_set(
            """wife husband partner spouse girlfriend boyfriend fiance fiancee son daughter brother sister friend mother
            father mum mom dad colleague cousin parent flatmate"""
        ),
    )
)
_COMES = re.compile(
    r"\s+(?:(?:will|would|is|are|'ll|also|can|to)\s+){0,2}"
    r"(?:com(?:es?|ing)\b(?! (?:from|on|at|in)\b)|travel(?:s|ling)?|"
    r"rides?|joins?|joining|too\b|along\b|as well|with (?:me|us)|goes|going)",
    re.IGNORECASE,
)
_STAYS = re.compile(r"\s+(?:(?:will|would|is|are|'ll)\s+)?(?:stay|remain|left|wait)(?:s|ing)?\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:bring|brings|bringing|tak(?:e|es|ing)|together with|along with|with)\s+(?:\w+\s+)?(?:along\s+)?$",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\b(?:alone|by myself|on my own|just me|only me)\b", re.IGNORECASE)


@lru_cache(maxsize=1_000)
def _asked(description: str) -> tuple[frozenset[str], str]:
    """The stems for what may come along, and that of what it does; nothing where no such thing is asked."""
    found = _ALONG.search(description)
    if found is None:
        return frozenset(), ""
    noun = stem(found["noun"].split()[-1].lower())
    kin = _RELATIONS if noun in _PEOPLE else stands_for(noun) | {noun}
    return kin, stem(found["verb"].split()[-1].lower())


def find_company(reading: Reading, field: Field) -> tuple[int, int, bool] | None:
    """Where something is taken along or left behind, and which."""
    nouns, verb = _asked(field.description)
    if not nouns:
        return None
    text = reading.text
    for word in (word for word in reading.words if word.stem in nouns):
        if _STAYS.match(text, word.end):
            return word.start, word.end, False
        acts = any(other.stem == verb for other in reading.after(word.end, 2))
        if acts or _COMES.match(text, word.end) or _TAKES.search(text, max(0, word.start - 30), word.start):
            return word.start, word.end, not denied(reading, word.start, word.end, 6)
    if nouns is _RELATIONS and (alone := _ALONE.search(text)):
        return *alone.span(), False
    return None
