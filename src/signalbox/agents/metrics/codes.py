"""The codes of a state, as the help text of its metric explains them: `0 = ready, 1 = running, 3 = tripped`."""

from __future__ import annotations

import re

__all__ = ["read_codes"]

_NAME = r"[A-Za-z][\w/-]*(?: [A-Za-z][\w/-]*){0,3}?"
_END = r"(?=\s*(?:[,;.)|]|$|\b(?:or|and)\b|\d))"
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d{{1,3}})\s*(?:[=:]|is\b|means\b|for\b|[-–—]>?)?\s*({_NAME}){_END}")
_NAME_FIRST = re.compile(rf"({_NAME})\s*(?:[=:]|\()\s*(\d{{1,3}})\b(?!\.\d)")
_FEWEST = 3
"""1 and 0 alone are on and off."""


def read_codes(told: str) -> dict[str, int]:
    """Return the name and the number of each state; nothing if the text does not explain at least three."""
    number_first = [(name, int(number)) for number, name in _NUMBER_FIRST.findall(told)]
    name_first = [(name, int(number)) for name, number in _NAME_FIRST.findall(told)]
    for found in (number_first, name_first):
        codes = {name.strip().lower(): number for name, number in found}
        if len(codes) == len(found) == len(set(codes.values())) >= _FEWEST:
            return codes
    return {}
