"""Examples that a description gives in passing: "such as PL-12345", "e.g. left hand", "e.g. web-1 or web-2"."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["spoken_examples"]

_SAID = re.compile(r"(?:such as|e\.g\.?,?|for example,?|like|for instance)\s+([^.;)]+(?:\.\S+)*)")
_SURELY = re.compile(r"(?:such as|e\.g\.?,?|for example,?|for instance)\s+([^.;)]+)")
# "Repository as owner/name" shows the form too.
_FORM = re.compile(r"\bas ([a-z]+(?:[/:@][a-z]+)+)\b")
_PARTED = re.compile(r"[A-Z0-9-]{1,8}(?: [A-Z0-9-]{1,8}){1,3}")
_MARKED = re.compile(r"[\w-]+(?:[./@_:][\w-]+)+|[a-z0-9]+(?:-[a-z0-9]+)+")
_PLAIN = re.compile(r"[a-z]+(?:[ -][a-z]+){0,2}|[A-Z]{3,}|[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}")
_JOINTS = re.compile(r",\s*(?:or |and )?| or | and ")


@lru_cache(maxsize=2_000)
def spoken_examples(description: str, kind: str) -> tuple[str, ...]:
    """The examples of a description: codes if it shows any, or else plain words where the field holds text."""
    words = [word.strip("'\"`,()").rstrip(".") for part in _SAID.findall(description) for word in part.split()]
    words += _FORM.findall(description)
    phrases = [one.strip("'\"` ") for part in _SURELY.findall(description) for one in _JOINTS.split(part)]
    if parted := [one for one in phrases if _PARTED.fullmatch(one) and re.search(r"\d", one) and not one.isdigit()]:
        return tuple(parted)
    coded = [word for word in words if re.search(r"\d", word) and re.search(r"[A-Za-z/_-]", word)]
    if coded and kind == "string":
        coded += [word for word in words if word.isdigit()]
    marked = [word for word in words if _MARKED.fullmatch(word)]
    if coded or marked or kind != "string":
        return tuple(coded or marked)
    if digits := [one for one in phrases if one.isdigit()]:
        return () if any(len(one) == 1 and one.isupper() for one in phrases) else tuple(digits)
    return tuple(one for one in phrases if _PLAIN.fullmatch(one))
