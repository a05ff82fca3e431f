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

__all__ = ["further_adds", "is_quoted", "unheard_quotes", "whole_words"]

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+(?:'\w[^']*)*)'(?!\w)|‘([^’]+)’")
_NUMBERS = re.compile(r"#?\d{1,9}(?:\s*(?:,\s*and|,|and|&|\+)\s*#?\d{1,9})+", re.IGNORECASE)
_GOES_ON = re.compile(r"\s+(?:on|in|at|with|from|for|of|about|to)\s+[^,.;:!?\"]+", re.IGNORECASE)
_MARKS = "\"'“‘"
_END = " \t\n.,;:!?\"'“”"


def whole_words(name: str, args: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments of a call, with the words that belong to them."""
    given = dict(args)
    for key in ("title", "note", "description", "task"):
        if isinstance(given.get(key), str):
            given[key] = _in_quotes(given[key], request)
    if name == "update_task" and given.get("title") and given.get("title") == given.get("task"):
        given["title"] = _other_quoted(given["title"], request)
    if isinstance(given.get("task"), str):
        given["task"] = _all_numbers(given["task"], request)
    if isinstance(given.get("due"), str):
        given["due"] = _whole_due(given["due"], request)
    if name == "add_task" and isinstance(given.get("title"), str):
        given["title"] = _first_of_list(given["title"], request) or _whole_title(given, request)
    if isinstance(given.get("tags"), list):
        given["tags"] = _all_tags(given["tags"], request)
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
    if len(members) in _announced(request[:at]) and members[0].strip(_END).casefold() == title.casefold():
        found = [{**args, "title": one.strip(_END)} for one in members[1:]]
    elif title.casefold() in (one.casefold() for one in _quotes(request)):
        found = [{"title": _quotes(one)[0]} for one in members[1:] if one[0] in _MARKS and _quotes(one)]
    else:
        found = []
    said = {str(value).casefold() for other in others for value in other.values()}
    return [one for one in found if one["title"] and one["title"].casefold() not in said]


def _announced(before: str) -> list[int | None]:
    """The numbers that are said before a list: three things."""
    return [int(word) if word.isdigit() else NUMBERS.get(word) for word in tokens(before)]


def _first_of_list(title: str, request: str) -> str | None:
    """The first of what is a list of as many things as were announced, read as one title; None where it is none."""
    at = request.casefold().find(title.casefold())
    members = [title[a:b].strip(_END) for a, b in list_members(title, 0, len(title))]
    return members[0] if at > 0 and len(members) > 1 and len(members) in _announced(request[:at]) else None


def unheard_quotes(calls: Sequence[Mapping[str, Any]], request: str) -> list[str]:
    """What the person put in quotes and no call takes up, or not half of it: then the message was not read whole."""
    heard = {word for args in calls for value in args.values() for word in tokens(str(value))}
    return [
        one for one in _quotes(request) if tokens(one) and 2 * len(set(tokens(one)) & heard) < len(set(tokens(one)))
    ]


def _quotes(request: str) -> list[str]:
    return [next(filter(None, found.groups())).strip() for found in _QUOTED.finditer(request)]


def is_quoted(words: str, request: str) -> bool:
    """Whether words are what stands in quotes."""
    return words.strip().casefold() in (one.casefold() for one in _quotes(request))


def _in_quotes(words: str, request: str) -> str:
    """The quoted words that these are part of; else these."""
    return next((one for one in _quotes(request) if words.casefold() in one.casefold()), words)


def _other_quoted(words: str, request: str) -> str:
    """What else stands in quotes: of "a" to "b", both read as a, the second is b."""
    others = [one for one in _quotes(request) if one.casefold() != words.casefold()]
    return others[0] if len(others) == 1 else words


def _all_numbers(words: str, request: str) -> str:
    """The numbers that are named together: one of 1, 3 and 4 is all of them."""
    if not re.fullmatch(r"#?\d{1,9}", words.strip()):
        return words
    for found in _NUMBERS.finditer(request):
        if words.strip("# ") in re.findall(r"\d+", found[0]):
            return found[0]
    return words


def _whole_due(words: str, request: str) -> str:
    """A date with the words of time around it, where together they are one."""
    at = request.casefold().find(words.casefold())
    if at < 0:
        return words
    start, end = whole_stretch(request, at, at + len(words))
    wider = request[start:end].strip(_END)
    try:
        read_due(wider)
    except SignalboxError:
        return words
    return wider


def _whole_title(args: Mapping[str, Any], request: str) -> str:
    """A title with what goes on behind it ("on pe1"), where nothing else of the call is said there."""
    title = str(args["title"])
    at = request.casefold().find(title.casefold())
    if at < 0 or title in _quotes(request):
        return title
    end = at + len(title)
    goes_on = _GOES_ON.match(request, end)
    colon = request.rfind(": ", 0, at)
    start = colon + 2 if colon >= 0 and not re.search(r"[,.;!?\"]", request[colon + 2 : at]) else at
    end = goes_on.end() if goes_on else end
    taken = [str(one).casefold() for key, one in args.items() if key != "title" and isinstance(one, str)]
    taken += [str(one).casefold() for one in args.get("tags") or ()]
    added = f"{request[start:at]} {request[at + len(title) : end]}".casefold()
    if any(one in added for one in taken) or re.search(r"\b(?:and|then|priority|prio|tag)\b", added):
        return title
    return request[start:end].strip(_END)


def _all_tags(tags: Sequence[Any], request: str) -> list[str]:
    """The labels with one that is joined to the first by a mere "and" or a comma: with work and legal."""
    first = str(tags[0]) if tags else ""
    found = re.search(
        rf"(?:with|tags?|labels?|as|:)\s+(\w+)(?:,| and| &)\s+{re.escape(first)}\b", request, re.IGNORECASE
    )
    more = [found[1]] if first and found and found[1].casefold() not in ("it", "that", "this", "them") else []
    return [*more, *(str(one) for one in tags)]
