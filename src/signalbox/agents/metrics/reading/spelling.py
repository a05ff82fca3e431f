"""Spelling mistakes in the words that questions are made of; names of things are left as they stand."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.agents.metrics.vocabulary import CUES, FILLERS, MOST, SOFT, is_of_measures
from signalbox.language.names import close
from signalbox.language.vectors import is_known

__all__ = ["correct_spelling"]

# A word that is no part of a name: web-servce, servce_2 and /servce are left alone.
_WORD = re.compile(r"(?<![\w./:-])[A-Za-z]{5,}(?![\w/:=-]|\.\w)")
_ENDINGS = ("", "s", "es", "d", "ed", "er", "est", "ing", "ly")


def correct_spelling(text: str) -> str:
    """The text with mistyped words of questions as they are meant: servce, anomolies, netwrk."""
    return _WORD.sub(lambda found: _mended(found.group()), text)


@lru_cache(maxsize=5_000)
def _mended(word: str) -> str:
    lowered = word.lower()
    if _is_right(lowered) or word not in (lowered, lowered.capitalize()):
        return word
    near = [cue for cue in CUES if close(lowered, cue)]
    return near[0] if near else word


def _is_right(word: str) -> bool:
    """Whether the word, or what is left of it without an ending, is one."""
    known = word in CUES or word in FILLERS or word in SOFT or word in MOST or is_of_measures(word)
    return known or any(is_known(word.removesuffix(end)) for end in _ENDINGS)
