"""Number words and their values."""

from __future__ import annotations

from signalbox.language.words import word_list

__all__ = ["GROUPS", "NUMBERS", "ORDINALS", "SCALES", "SMALL", "number_of"]

SMALL = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
"""The words from zero on, in order."""
_TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBERS: dict[str, int] = {
    **{word: value for value, word in enumerate(SMALL)},
    **{word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
    "fourty": 40,
}
"""The words for numbers below a hundred."""
SCALES: dict[str, float] = {
    "dozen": 12.0,
    "hundred": 1e2,
    "thousand": 1e3,
    "grand": 1e3,
    "million": 1e6,
    "mio": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
}
"""Words that multiply the number before them."""
GROUPS: dict[str, int] = {"couple": 2, "pair": 2, "few": 3, "several": 5, "dozen": 12}
"""Words for how many of something there are, exactly or about."""
_ORDINALS = word_list(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS: dict[str, int] = {**{word: value for value, word in enumerate(_ORDINALS, start=1)}, "thirtieth": 30}


def number_of(word: str) -> int | None:
    """The whole number that a word or its digits stand for; None for any other word."""
    return int(word) if word.isdecimal() and len(word) < 7 else NUMBERS.get(word)
