"""Words of a request that are a tool's own words mistyped or cut short, set right before anything else is read."""

from __future__ import annotations

import re

from signalbox.language.names import close
from signalbox.language.vectors import is_known
from signalbox.language.words import stem
from signalbox.models.offline.tools import ToolSet
from signalbox.models.offline.verbs import is_verb
from signalbox.models.offline.wording import content_start, mask

__all__ = ["respell"]

_WORD = re.compile(r"(?<![\w.@/#:_-])[a-z]{3,}(?![\w@/_-]|\.\w)")
# "a n b" as people type it, never inside quotes.
_AND = re.compile(r"(?<=[\w)]) n (?=[\w#/])(?=[^\"']*(?:[\"'][^\"']*[\"'][^\"']*)*$)")
_VOWELS = re.compile(r"(?<!^)[aeiou]")


def respell(request: str, tools: ToolSet) -> str:
    """The request with such words spelt as the tools spell them; quotations and text to be written down stay."""
    end = content_start(request) or len(request)
    masked = mask(request)[:end]
    parts, at = [], 0
    for found in _WORD.finditer(masked):
        meant = _meant(found.group(), tools)
        if meant:
            parts += [request[at : found.start()], meant]
            at = found.end()
    return _AND.sub(" and ", "".join([*parts, request[at:]]))


def _meant(word: str, tools: ToolSet) -> str | None:
    """The one word of the tools that an unknown word stands for."""
    if word in tools.own_words or stem(word) in tools.spread or is_verb(word) or is_known(word):
        return None
    skeleton = _VOWELS.sub("", word)
    short = [own for own in tools.own_words if own[0] == word[0] and _VOWELS.sub("", own) == skeleton]
    found = short or [own for own in tools.own_words if len(word) >= 5 and close(word, own)]
    return min(found, key=lambda own: abs(len(own) - len(word))) if found else None
