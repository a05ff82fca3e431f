"""Whether a question follows up the one before, by its own words."""

from __future__ import annotations

import re

from signalbox.agents.metrics.vocabulary import FILLERS, text_words

__all__ = ["follows_up"]

_OPENING = re.compile(
    r"^\W*(?:ok(?:ay)?|so|right|thanks?|thx|great|cool|hm+)?\W*"
    r"(?:or|then|again|instead|only|just|what about|how about|what if|now (?:for|by|with|without)|"
    r"by|per|for|of|on|in|without|excluding|except|including|split|grouped?|broken down|compared|versus|vs)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(r"\W*(?:ok(?:ay)?\W+)?(?:and|also|but|same|the same)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:it|its|them|this one|that one|the same|as well)\b|(?<!is )(?<!are )(?<!was )(?<!were )\bthere\b|"
    r"\b(?:that|those|these)(?=\s*(?:[?.!,]|$)|\s+(?:by|for|of|on|per|over|in|with|without|since|again)\b)",
    re.IGNORECASE,
)
_COMPLETE = re.compile(
    r"\b(?:show|what(?! about| if)|how(?! about)|which|who|when|give|list|display|plot|graph|draw|compare|tell)\b",
    re.IGNORECASE,
)


def follows_up(text: str, body: str) -> bool:
    """Whether the words lean on a question before: they go on from it ("and for web-2?", "by host"), point back to it
    ("when was it highest?"), or say nothing but a time. `body` is the text without what is about time."""
    if _POINTING.search(text):
        return True
    if _GOING_ON.match(text) or (_OPENING.match(text) and not _COMPLETE.search(text)):
        return True
    return all(word in FILLERS for word, *_ in text_words(body))
