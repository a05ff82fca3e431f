"""Where a request begins: behind the greeting and the politeness that open it."""

from __future__ import annotations

import re

__all__ = ["past_politeness"]

_POLITE = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|so|yo|um|please|pls|plz|kindly|dear|there|and|then|also|now|just|"
    r"good (?:morning|afternoon|evening)|"
    r"(?:can|could|would|will) (?:you|u|we|i)(?: please| pls| kindly| maybe)?|(?:i|we)(?:'d| would)? (?:want|"
    r"like|need|love)(?: you)?(?: to)?|i wanna|i'd like|"
    r"i have to|let's|lets|let us|help me(?: to)?|is it possible to|are you able to|do me a favou?r and|"
    r"would you mind|(?:would you )?be so (?:kind|good) as to|(?:might|may) (?:you|i|we)(?: have)?|we'd like(?: to)?|"
    r"any chance (?:of|you could|you can)|is there any way to|go ahead and|"
    r"we're after|i'm after|i am after|we're|we are|i'm|i am|i'm looking to|i am looking to|i'm trying to|"
    r"i gotta|gotta|quick(?:ly)?|team|folks|guys|all|everyone)\b[\s,!:-]*)+",
    re.IGNORECASE,
)


def past_politeness(text: str) -> int:
    """The place behind greetings and polite words; the beginning when there are none."""
    found = _POLITE.match(text)
    return found.end() if found else 0
