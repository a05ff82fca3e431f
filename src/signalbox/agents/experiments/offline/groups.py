"""Grounding of groups: `school north`, `classes 5a and 5b`, by the kinds of group that the server has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from signalbox.agents.experiments.offline.names import without
from signalbox.language.numbers import number_of
from signalbox.language.words import split_name, stem, word_set

__all__ = ["count_groups", "find_groups", "kinds_named"]

_EDGES = " \t\n\"'“”‘’`.,;:!?()[]{}"
_JOINTS = word_set("and or & +")
_WORD = re.compile(r"[^\s,;=:&+]+|[,;&+]")
_NO_NAME = word_set(
    "a an the and or of to in on at for with by from is are was be get gets got has have had does do did would will "
    "can should if then who which what that this it its his her their my our your all any each every only not no so as "
    "user users condition conditions experiment experiments level"
)
"""Words that are never what a group is called."""
_NO_ID = word_set("level based wide size sized by id ids type types consistency consistent rule unit assigned")
"""Nor are these, behind a kind and a hyphen."""


def find_groups(text: str, group_types: Sequence[str], apart: Iterable[str] = ()) -> dict[str, list[str]]:
    """The groups that a whole request names: a kind of the server with what stands behind it; `apart` are other names.

    What is only called a group stands under the empty kind. A list goes on behind its kind where that is a plural, for
    one `and`, or where what follows has a figure in it.
    """
    words = _WORD.findall(without(text, apart))
    found: dict[str, list[str]] = {}
    for at, word in enumerate(one.strip(_EDGES) for one in words):
        kind = "" if stem(word.casefold()) == "group" else _kind(word, group_types)
        if kind is None and (own := _kind_inside(word, group_types)) is not None:
            found.setdefault(own, []).append(word)
        if kind is not None:
            ids = _following(words[at + 1 :], group_types, is_plural=stem(word.casefold()) != word.casefold())
            found.setdefault(kind, []).extend(ids)
    return {kind: list(dict.fromkeys(ids)) for kind, ids in found.items() if ids}


def kinds_named(text: str, group_types: Sequence[str], apart: Iterable[str] = ()) -> list[str]:
    """The kinds of group that a request names, with or without what one is called; `apart` are other names."""
    found = [_kind(word.strip(_EDGES), group_types) for word in _WORD.findall(without(text, apart))]
    return list(dict.fromkeys(kind for kind in found if kind is not None))


def count_groups(text: str, group_types: Sequence[str], apart: Iterable[str] = ()) -> int | None:
    """How many groups a request speaks of: over 40 schools, in twelve groups."""
    for number, word in re.findall(r"(?<![\w.,])(\w+)\s+([a-zA-Z]+)", without(text, apart)):
        count, is_plural = number_of(number.casefold()) or 0, stem(word.casefold()) != word.casefold()
        if count > 1 and is_plural and (stem(word.casefold()) == "group" or _kind(word, group_types) is not None):
            return count
    return None


def _following(words: Sequence[str], group_types: Sequence[str], *, is_plural: bool) -> list[str]:
    found: list[str] = []
    is_joined = True
    for at, word in enumerate(words):
        token = word.strip(_EDGES)
        if token.casefold() in _JOINTS or word in ",;":
            # An "and" ends a list of plain words: what comes behind another is another clause.
            is_plural = is_plural and not (found and "and" in map(str.casefold, words[:at]))
            is_joined = True
        elif not found and at == 0 and token.casefold() in ("is", "id"):
            continue
        elif not is_joined or not _may_be(token, group_types, alone=bool(found) and not is_plural):
            break
        else:
            found.append(token)
            is_joined = False
            if word[-1] in ".!?":
                break
    return found


def _may_be(token: str, group_types: Sequence[str], *, alone: bool) -> bool:
    """True if a word may be what a group is called; one more, behind a kind that is `alone`, needs a figure."""
    # A single capital is a name: group A; "a" is an article.
    is_small = token.casefold() in _NO_NAME and not (len(token) == 1 and token.isupper())
    if not token or is_small or _kind(token, group_types) is not None:
        return False
    return not alone or any(letter.isdigit() for letter in token)


def _kind_inside(word: str, group_types: Sequence[str]) -> str | None:
    """The kind of group that a name begins with: school-pilot is a school; what is class-based is no class."""
    first, mark, rest = word.replace("_", "-").partition("-")
    return _kind(first, group_types) if mark and rest.casefold() not in _NO_ID else None


def _kind(word: str, group_types: Sequence[str]) -> str | None:
    """The kind of group that a word means: `class`, `classes` and `classId` are one."""
    head = stem(word.casefold())
    for kind in group_types:
        own = split_name(kind)
        if own and head in (stem(own[0]), stem(kind.casefold())):
            return kind
    return None
