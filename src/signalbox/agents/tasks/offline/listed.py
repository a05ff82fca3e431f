"""New things that a message lists: each is added by itself, with the day that is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import is_due
from signalbox.agents.tasks.offline.grounding import in_quotes, quotes_of
from signalbox.language.clauses import list_members
from signalbox.language.numbers import NUMBERS, ORDINALS
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import tokens

__all__ = ["add_each", "listed_adds"]

Call = tuple[str, dict[str, Any]]
_DEEDS = frozenset(
    "call ring phone buy get book pay order send email mail write read clean wash fix repair pick drop return renew "
    "cancel check print water feed bring take pack post sign submit finish prepare review update bake cook cut mow "
    "hoover vacuum visit meet ask tell text message schedule make do find sort move sell measure charge".split()
)
"""What a task usually begins with: two of them joined are two tasks."""
_SEVERAL = frozenset("these following things tasks items few couple".split())
_LINKS = frozenset("for on by until till before due at".split())
_MARKS = "\"'“‘"
_AROUND = " \t\n.,;:!?\"'“”()"
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_LONGEST_DAY = 5
_PAIR = 2


def add_each(calls: Sequence[Call], request: str) -> list[Call]:
    """The calls of a message, with one for each new thing of a list where one of them adds the first."""
    for place, (name, args) in enumerate(calls):
        found = listed_adds(args, request) if name == "add_task" else []
        if len(found) > 1:
            return [*_beside(calls[:place], found), *_new(found, calls, place), *_beside(calls[place + 1 :], found)]
    return list(calls)


def _new(found: Sequence[dict[str, Any]], calls: Sequence[Call], place: int) -> list[Call]:
    """Those of a list that no other call has."""
    others = _beside([*calls[:place], *calls[place + 1 :]], found)
    said = {str(value).casefold() for _, args in others for value in args.values()}
    return [("add_task", one) for at, one in enumerate(found) if at == 0 or one["title"].casefold() not in said]


def _beside(calls: Sequence[Call], found: Sequence[Mapping[str, Any]]) -> list[Call]:
    """The calls without those that take several of a list for one thing."""
    titles = [str(one["title"]).casefold() for one in found]
    held = [sum(one in str(args.get("title", "")).casefold() for one in titles) for _, args in calls]
    return [call for call, many in zip(calls, held, strict=True) if call[0] != "add_task" or many < 2]


def listed_adds(args: Mapping[str, Any], request: str) -> list[dict[str, Any]]:
    """The arguments for each thing of a list whose first one a call adds: where as many were announced, or each stands
    in quotes; else none. A day that stands with one of them is that one's; what was said of all holds for all of an
    announced list."""
    title = in_quotes(str(args.get("title", "")), request)
    at = request.casefold().find(title.casefold())
    if at < 0 or not title:
        return []
    if title.casefold() in (one.casefold() for one in quotes_of(request)):
        return _quoted({**args, "title": title}, [request[a:b] for a, b in list_members(request, at, len(request))])
    if (counted := _counted(title, request[at + len(title) :]) or _alike(title)) is not None:
        return [{**args, "title": one} for one in counted]
    sentence = _SENTENCE.search(request, at)
    end = sentence.start() if sentence else len(request)
    members = [request[a:b].strip() for a, b in list_members(request, at, end)]
    first = members[0].strip(_AROUND).casefold() if members else ""
    is_first = bool(first) and (first.startswith(title.casefold()) or title.casefold().startswith(first))
    if not is_first or not _is_announced(len(members), request[:at]):
        return []
    due = str(args.get("due") or "")
    is_of_one = bool(due) and any(due.casefold() in one.casefold() for one in members)
    shared = {key: value for key, value in args.items() if key != "due" or not is_of_one}
    return [{**shared, **_apart(one)} for one in members if one.strip(_AROUND)]


def _quoted(args: dict[str, Any], members: Sequence[str]) -> list[dict[str, Any]]:
    """What a call adds, and what stands in quotes behind it, each with its own day."""
    found = [args]
    for one in members[1:]:
        if one[0] in _MARKS and (quoted := quotes_of(one)):
            behind = one[one.find(quoted[0]) + len(quoted[0]) :].strip(_AROUND)
            found.append({**_apart(f"… {behind}"), "title": quoted[0]})
    return found


def _counted(title: str, behind: str) -> list[str] | None:
    """The two things of what was read as one title, where "both" stands behind it."""
    members = [title[a:b].strip(_AROUND) for a, b in list_members(title, 0, len(title))]
    return members if len(members) == _PAIR and "both" in tokens(behind)[:2] else None


def _alike(title: str) -> list[str] | None:
    """The things of what was read as one title, where each begins with the same word, or three and more have none for
    what is to be done with them: order cups and order plates; milk, bread and salt."""
    members = [title[a:b].strip(_AROUND) for a, b in list_members(title, 0, len(title))]
    first = [tokens(one)[:1] for one in members]
    is_same = len(members) >= _PAIR and all(
        one == first[0] and len(tokens(said)) > 1 for one, said in zip(first, members, strict=True)
    )
    are_bare = (
        len(members) > _PAIR and len(tokens(members[0])) == 1 and all(len(tokens(one)) <= _PAIR for one in members)
    )
    are_deeds = len(members) >= _PAIR and all(len(tokens(one)) > 1 and tokens(one)[0] in _DEEDS for one in members)
    return members if is_same or are_bare or are_deeds else None


def _is_announced(many: int, before: str) -> bool:
    """Whether as many things are announced before a list: three things, or these with a colon."""
    words = tokens(before)
    numbers = [int(word) for word in words if word.isdigit()] + [NUMBERS[word] for word in words if word in NUMBERS]
    return many in numbers or (
        many > 1 and not numbers and before.rstrip().endswith(":") and bool(_SEVERAL & set(words))
    )


def _apart(member: str) -> dict[str, Any]:
    """A member of a list as a title, and the day that stands behind it."""
    words = member.strip(_AROUND).split()
    for size in range(min(_LONGEST_DAY, len(words) - 1), 0, -1):
        day = [word.strip(_AROUND) for word in words[-size:]]
        bare = day[1:] if day[0].casefold() in _LINKS else day
        is_count = all(word.isdigit() or word.casefold() in {*NUMBERS, *ORDINALS} for word in bare)
        if bare and not is_count and all(is_time_word(word) for word in bare) and is_due(" ".join(bare)):
            kept = (
                words[: -size - 1] if words[-size - 1].casefold() in _LINKS and size < len(words) - 1 else words[:-size]
            )
            return {"title": " ".join(kept).strip(_AROUND), "due": " ".join(bare)}
    return {"title": " ".join(words)}
