"""The form that a description asks for in so many words: a surname, a name without its title, a bare version."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import HONORIFICS
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["as_asked", "asks_untitled"]

_UNTITLED = re.compile(r"\b(?:without|no|not|omit(?:ting)?|leav\w+ out|minus)\b[^.;]{0,20}?\btitles?\b", re.IGNORECASE)
_SURNAME = re.compile(r"\A(?:the |only )?(?:surname|last name|family name)s?\b", re.IGNORECASE)
_TITLES = HONORIFICS | word_set("rev rev. reverend captain capt capt. sergeant judge nurse")
_VERSION = re.compile(r"[vV]\d+(?:\.\d+)*\Z")
# They belong to the surname behind them.
_PARTICLES = word_set("van von der den de del della di da du la le ten ter al el bin mac st st. o'")


def as_asked(proposal: Proposal) -> Proposal:
    """The proposal with its value in the form that the field's description asks for."""
    if not isinstance(proposal.value, str):
        return proposal
    if _VERSION.match(proposal.value):
        return replace(proposal, value=proposal.value[1:]) if _is_bare(proposal.field) else proposal
    untitled, surname = _wanted(proposal.field)
    if not (untitled or surname):
        return proposal
    words = proposal.value.split()
    while len(words) > 1 and words[0].lower() in _TITLES:
        del words[0]
    first = len(words) - 1
    while surname and first > 0 and words[first - 1].lower() in _PARTICLES:
        first -= 1
    return replace(proposal, value=" ".join(words[first:] if surname else words))


def asks_untitled(field: Field) -> bool:
    """Whether a field asks for a name without its title, and so expects one in the sentence."""
    return _wanted(field)[0]


def _is_bare(field: Field) -> bool:
    """Whether a field shows versions that begin with a digit."""
    return bool(field.examples) and all(str(one)[:1].isdigit() for one in field.examples)


@lru_cache(maxsize=5_000)
def _wanted(field: Field) -> tuple[bool, bool]:
    """Whether a field wants a name without its title, and whether it wants the surname alone."""
    return bool(_UNTITLED.search(field.description)), bool(_SURNAME.match(field.description))
