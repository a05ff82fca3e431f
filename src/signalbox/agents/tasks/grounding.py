"""The words of a call, whole, as the person said them: a model marks words, and may stop short.

What stands in quotes is one thing, a date takes in the words of time beside it, and what is added as a list is added in
full. Words that the person did not say, a model's own, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import read_due
from signalbox.errors import SignalboxError
from signalbox.language.clauses import list_members
from signalbox.language.numbers import NUMBERS
from signalbox.language.time.stretches import whole_stretch
from signalbox.language.words import tokens

__all__ = ["further_adds", "unheard_quotes", "whole_words"]

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+(?:'\w[^']*)*)'(?!\w)|‘([^’]+)’")
_SEVERAL = frozenset("these following things tasks items few couple".split())
_MARKS = "\"'“‘"
_END = " \t\n.,;:!?\"'“”"


def whole_words(name: str, args: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments of a call, with the words that belong to them."""
    given = dict(args)
    for key in ("title", "note", "description", "task"):
        if isinstance(given.get(key), str):
            given[key] = _in_quotes(given[key], request)
    if isinstance(given.get("due"), str):
        given["due"] = _whole_due(given["due"], request, str(given.get("task") or ""))
    if name == "add_task" and isinstance(given.get("title"), str):
        given["title"] = _first_of_list(given["title"], request) or given["title"]
    return given


def further_adds(args: Mapping[str, Any], request: str, others: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The arguments for the further things of a list whose first one a call adds: where as many were announced, or each
    stands in quotes. What was said of the first holds for a bare list only; what another call has is left to it.
    """
    title = str(args.get("title", ""))
    at = request.casefold().find(title.casefold())
    if at < 0:
        return []
    members = [request[a:b].strip() for a, b in list_members(request, at, len(request))]
    if _is_announced(len(members), request[:at]) and members[0].strip(_END).casefold() == title.casefold():
        found = [{**args, "title": one.strip(_END)} for one in members[1:]]
    elif title.casefold() in (one.casefold() for one in _quotes(request)):
        found = [{"title": _quotes(one)[0]} for one in members[1:] if one[0] in _MARKS and _quotes(one)]
    else:
        found = []
    said = {str(value).casefold() for other in others for value in other.values()}
    return [one for one in found if one["title"] and one["title"].casefold() not in said]


def _is_announced(many: int, before: str) -> bool:
    """Whether as many things are announced before a list: three things, or these with a colon."""
    words = tokens(before)
    numbers = [int(word) for word in words if word.isdigit()] + [NUMBERS[word] for word in words if word in NUMBERS]
    return many in numbers or (
        many > 1 and not numbers and before.rstrip().endswith(":") and bool(_SEVERAL & set(words))
    )


def _first_of_list(title: str, request: str) -> str | None:
    """The first of what is a list of as many things as were announced, read as one title; None where it is none."""
    at = request.casefold().find(title.casefold())
    members = [request[a:b].strip(_END) for a, b in list_members(request, at, len(request))] if at > 0 else []
    is_several = len(members) > 1 and len(members[0]) < len(title)
    return members[0] if is_several and _is_announced(len(members), request[:at]) else None


def unheard_quotes(calls: Sequence[Mapping[str, Any]], request: str) -> list[str]:
    """What the person put in quotes and no call takes up, or not half of it: then the message was not read whole."""
    heard = {word for args in calls for value in args.values() for word in tokens(str(value))}
    return [
        one for one in _quotes(request) if tokens(one) and 2 * len(set(tokens(one)) & heard) < len(set(tokens(one)))
    ]


def _quotes(request: str) -> list[str]:
    return [next(filter(None, found.groups())).strip() for found in _QUOTED.finditer(request)]


def _in_quotes(words: str, request: str) -> str:
    """The quoted words that these are part of, or the first of those that they run over; else these."""
    said, quotes = words.casefold(), _quotes(request)
    around = [one for one in quotes if said in one.casefold()]
    inside = [one for one in quotes if one.casefold() in said] if set(words) & set('"“”') else []
    return next(iter((*around, *inside)), words)


def _whole_due(words: str, request: str, task: str) -> str:
    """A date with the words of time around it, where together they are one and none of them names the task."""
    at = request.casefold().find(words.casefold())
    if at < 0:
        return words
    start, end = whole_stretch(request, at, at + len(words))
    wider = request[start:end].strip(_END)
    if _is_due(wider) and not (task and task.casefold() in wider.casefold()):
        return wider
    by = re.search(rf"\bby\s+{re.escape(words)}(?!\w)", request, re.IGNORECASE)
    # A length alone is no date; by that length, it is one.
    return by[0] if by and not _is_due(words) else words


def _is_due(words: str) -> bool:
    try:
        read_due(words)
    except SignalboxError:
        return False
    return True
