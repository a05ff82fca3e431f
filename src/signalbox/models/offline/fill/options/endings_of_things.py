"""Whether a sentence puts an end to a thing that it names: "stop the music", "turn the lamps off", "lamps stay off"."""

from __future__ import annotations

import re

__all__ = ["ended"]

_THE = r"(?:(?:the|my|our|your|their|all|any|that|this)\s+)"
_STOP = r"(?:stop|mute|pause|kill|silence|cancel|deactivate|disable|(?:turn|switch|shut)\s+(?:off|down))"
# These end a thing only where it is a certain one: cut flowers are no end of flowers.
_STOP_THE = r"(?:cut|end|close|remove|take off|leave (?:out|off))"
_LOST = r"(?:los[te]|losing|mislaid|misplaced|(?:threw|thrown) (?:away|out)|forgot|forgotten|can(?:'?t|not) find)"
_BEFORE = re.compile(rf"\b(?:{_STOP}\s+{_THE}?|(?:{_STOP_THE}|{_LOST})\s+{_THE})(?:[\w-]+\s+)?\Z", re.IGNORECASE)
_SWITCHES = re.compile(rf"\b(?:turn|switch|shut|leave|keep|put)(?:s|ed|ing)?\s+{_THE}?(?:[\w-]+\s+)?\Z", re.IGNORECASE)
_OFF = re.compile(r"(?:\s+(?!on\b)[\w-]+)?\s+off\b(?!\s+(?:the|a)\b)", re.IGNORECASE)
_STAYS_OFF = re.compile(
    r"\s+(?:(?:must|should|to|will)\s+)?(?:stays?|remains?|goes|go|kept|be|are|is)\s+off\b|"
    r"\s+(?:(?:is|are|was|were)\s+)?(?:still\s+)?(?:missing|lacking|lapsed|gone|lost|expired)\b|"
    r"\s+(?:has|have|had)?\s*(?:run out|ran out|expired|lapsed|got lost|gone)\b",
    re.IGNORECASE,
)


def ended(text: str, start: int, end: int) -> bool:
    """Whether the words around a mention stop what it names, or leave it off."""
    before = text[max(0, start - 40) : start]
    if _BEFORE.search(before) or _STAYS_OFF.match(text, end):
        return True
    return _SWITCHES.search(before) is not None and _OFF.match(text, end) is not None
