"""Giving one thing for another: fields that hold what is given or what is got, and the verbs that tell which."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.options.directions import side_of
from signalbox.models.offline.fill.schema import Field

__all__ = ["exchange_at", "exchange_of", "replaced"]

_GIVEN_NAMES = word_set("old current previous present former original existing input have given sold paid")
_GOT_NAMES = word_set("new next future output desired wanted replacement got received bought")
_GIVE = (
    r"get(?:ting|s)? rid of|pa(?:y|ys|ying|id)|sell(?:s|ing)?|sold|giv(?:e|es|ing|en)(?! me| us)|gave(?! me| us)|"
    r"swap(?:s|ping|ped)?|exchang(?:e|es|ing|ed)|chang(?:e|es|ing|ed)|trad(?:e|es|ing|ed)|convert(?:s|ing|ed)?|"
    r"turn(?:s|ing|ed)?|replac(?:e|es|ing|ed)|ha(?:ve|s)|having|i've|hold(?:s|ing)?|spend(?:s|ing)?|offer(?:s|ing|ed)?|"
    r"own(?:s|ing)?|drop(?:s|ping|ped)?"
)
_GET = (
    r"buy(?:s|ing)?|bought|purchas(?:e|es|ing|ed)|get(?:s|ting)?|got|receiv(?:e|es|ing|ed)|tak(?:e|es|ing|en)|"
    r"want(?:s|ed)?|need(?:s|ed)?|like|prefer|acquir(?:e|es|ing|ed)|obtain(?:s|ing|ed)?|mak(?:e|es|ing)|"
    r"giv(?:e|es|ing) (?:me|us)"
)
_VERBS = re.compile(rf"\b(?:(?P<start>{_GIVE})|(?P<end>{_GET}))\b", re.IGNORECASE)
_NOUN = re.compile(r"\b(?:in exchange|in return)\b", re.IGNORECASE)
_BREAK = re.compile(r"[;!?\n]|[.,](?!\d)")
_REPLACED = re.compile(r"\b(?:instead of|rather than|in place of)\s+(?:the\s+|an?\s+|my\s+|our\s+)?$", re.IGNORECASE)


def exchange_of(field: Field) -> str:
    """Whether a field holds what is given ("start") or what is got ("end"); empty when neither."""
    return _exchange(field.name_words, field.description) or side_of(field)


@lru_cache(maxsize=2_000)
def _exchange(name_words: tuple[str, ...], description: str) -> str:
    given = bool(_GIVEN_NAMES & set(name_words))
    if given != bool(_GOT_NAMES & set(name_words)):
        return "start" if given else "end"
    for words in (" ".join(name_words), description):
        sides = {str(found.lastgroup) for found in _VERBS.finditer(words)}
        if len(sides) == 1:
            return sides.pop()
    return ""


def exchange_at(text: str, floor: int, start: int) -> str:
    """Whether the last verb before a place, in its clause and behind `floor`, says that this is given or got."""
    before = text[floor:start]
    if replaced(text, start):
        return "start"
    found = next(reversed(list(_VERBS.finditer(before))), None)
    if found is None or _BREAK.search(before, found.end()) or _NOUN.search(before):
        return ""
    return str(found.lastgroup)


def replaced(text: str, start: int) -> bool:
    """Whether the words before a place say that something else comes in its stead."""
    return _REPLACED.search(text, max(0, start - 30), start) is not None
