"""What of all that was seen is about what the person named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.agents.investigate.state import Seen

__all__ = ["find_meant"]

_EVERYTHING = frozenset(("the", "our", "a", "of", "on", "service", "page", "app"))


def find_meant(about: str, seen: Sequence[Seen]) -> list[Seen]:
    """What bears the name best.

    A word that stands in the name of something that was seen says which thing is meant; where no word does, all of them
    must say what is wrong (`errors`, `BGP sessions`), else it is about something that nobody saw.
    """
    said = _words(about) - _EVERYTHING
    if not said:
        return list(seen)
    shared = [len(said & _words(one["about"])) for one in seen]
    most = max(shared, default=0)
    if most:
        return [one for one, count in zip(seen, shared, strict=True) if count == most]
    return [one for one in seen if said <= _words(one["text"])]


def _words(text: str) -> set[str]:
    """The words in small letters, the singular for the plural; letters and numbers of a name such as `web-2` apart."""
    found = re.findall(r"[^\W\d_]+\d*|\d+", text.casefold())
    return {word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found}
