"""A call, read against the whole message: what a model leaves out of it, and what the rest of the message says against
it. A model marks words; here stands what those around them make of the call, before it is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import clock_now, is_due, read_due
from signalbox.agents.tasks.naming import content_words, group_word, narrows
from signalbox.language.names import close
from signalbox.language.numbers import NUMBERS, ORDINALS
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import stem, tokens, word_set

__all__ = ["bare_change", "is_anothers", "read_whole", "renumbered", "reworded"]

_EXCEPTION = re.compile(
    r"\b(?:except(?: for)?|but(?: not)?|apart from|other than|without|excluding)\s+(?:the |my |that |this )?$",
    re.IGNORECASE,
)
_NARROWING = re.compile(
    r"\s+(?:(?:that|which|with|about|from|on|in|for|due|tagged|labell?ed|called|i|we|except|but|apart|other|without|"
    r"excluding)\b|(?:that|i|we)['’]\w+)[^.,;:!?]*",
    re.IGNORECASE,
)
_EXCEPTED = re.compile(r"\b(?:except(?: for)?|but not|apart from|other than|excluding)\s+", re.IGNORECASE)
_SPARED = re.compile(rf"{_EXCEPTED.pattern}(?P<what>[^.,;:!?]+)", re.IGNORECASE)
_OWNED = re.compile(
    r"\b(?P<owner>his|her|their|[^\W\d_]+(?:['’]s|s['’]))\s+(?:[\w-]+\s+)?(?:tasks?|lists?|accounts?|to-?dos?|reminders?)\b",
    re.IGNORECASE,
)
_SHORTENED = word_set("let what it that here there where who how he she when this one")
_PRIORITIES = {"high": "high", "low": "low", "normal": "normal", "medium": "normal"}
_COUNTED = re.compile(r"\b(?P<number>\d+(?:[.,]\d+)?)\s+(?P<what>[^\W\d_]+)")
_NOT = re.compile(
    r"\bnot\s+(?:(?:to|for|with|at|from|of|in|on)\s+)?(?:the\s+|an?\s+)?(?P<gone>[^,;.!?]+)", re.IGNORECASE
)
_ON_SOME = ("update_task", "complete_task", "delete_task")
_ALL_OF = re.compile(
    r"\b(?P<what>(?:all|every)\b(?:(?!\s(?:with|to|as|for|by|on|from|until|off|is|are)\b)[^.,;!?])+)", re.IGNORECASE
)
_BY_PRIORITY = re.compile(
    r"\b(?:by|in order of) prio|\b(?:highest|urgent|important|high)\b.{0,12}\bfirst\b", re.IGNORECASE
)
_DAY_AT_END = re.compile(r"(?P<task>.+?)\s+(?:on|at|by|for|until)\s+(?P<due>.+)", re.IGNORECASE)
_FEW_NEW = 2
_LINK = r"(?:to|until|till|by|on|for|before)"
_AHEAD = r"(?:by|until|till|before)"
_FEW = 5


def read_whole(name: str, args: Mapping[str, Any], request: str) -> tuple[str, dict[str, Any]]:
    """The call that a message means, with what it says of it."""
    given = dict(args)
    if isinstance(given.get("task"), str) and re.search(
        rf"\b(?:like|same as|than)\s+(?:the\s+|my\s+)?{re.escape(given['task'])}", request, re.IGNORECASE
    ):
        # What something is to be like is not what is changed.
        del given["task"]
    if name in _ON_SOME and not given.get("task") and not given.get("task_id") and (group := _group(request)):
        given["task"] = group
    if isinstance(given.get("task"), str):
        name, given = _dated(name, given, request)
        given["task"] = _whole_group(given["task"], request, str(given.get("due") or ""))
    if name == "update_task" and not {"due", "clear_due", "title"} & set(given):
        is_bare = not set(given) - {"task", "task_id"}
        due = _day_behind(given.get("task"), request, _LINK if is_bare else "to")
        return name, {**given, **({"due": due} if due else {})}
    if name == "complete_task" and (due := _day_behind(given.get("task"), request, _AHEAD)) and _is_ahead(due):
        # What is to be finished by a day to come is not finished.
        return "update_task", {**given, "due": due}
    if name == "add_task" and not given.get("due") and (due := _day_behind(given.get("title"), request, _LINK)):
        return name, {**given, "due": due}
    if name == "list_tasks" and given.get("priority") and _BY_PRIORITY.search(request):
        # The order that they are to be shown in leaves none out.
        return name, {**{key: value for key, value in given.items() if key != "priority"}, "sort": "priority"}
    if name == "list_tasks" and not set(given) - {"status", "sort"}:
        due = _day_behind("", request, "(?:for|on|due)")
        return name, {**given, **({"due": due} if due else {})}
    return name, given


def _group(request: str) -> str | None:
    """The words of a message that mean all of a kind, and say of which; else None."""
    found = _ALL_OF.search(request)
    return found["what"] if found and narrows(found["what"]) else None


def _dated(name: str, args: dict[str, Any], request: str) -> tuple[str, dict[str, Any]]:
    """A call, where the message is nothing but a task and a day behind it: that is when it is due."""
    found = _DAY_AT_END.fullmatch(args["task"])
    is_all = len(tokens(request)) <= len(tokens(args["task"])) + 1
    if name != "complete_task" or not found or not is_all or not all(map(is_time_word, found["due"].split())):
        return name, args
    due = found["due"]
    return (
        ("update_task", {**args, "task": found["task"], "due": due}) if is_due(due) and _is_ahead(due) else (name, args)
    )


def is_anothers(request: str, args: Mapping[str, Any], titles: Sequence[str]) -> bool:
    """Whether a message speaks of somebody else's tasks or list, other than as part of a task's own words."""
    own = " ".join([str(args.get("title", "")), str(args.get("note", "")), *titles]).casefold()
    for found in _OWNED.finditer(request):
        owner = re.sub(r"['’]s?$", "", found["owner"].casefold())
        if owner not in _SHORTENED and not is_time_word(owner) and found[0].casefold() not in own:
            return True
    return False


def bare_change(message: str, due: str | None) -> dict[str, Any] | None:
    """What a message changes that is nothing but a day, an hour or a priority; None for any other."""
    words = tokens(message)
    if not words or len(words) > _FEW or "?" in message:
        return None
    if (priority := _bare_priority(words)) is not None:
        return {"priority": priority}
    said = re.sub(r"^(?:due|and)\s+", "", message.strip(" \t\n.,!"), flags=re.IGNORECASE)
    counting = {*NUMBERS, *ORDINALS, "now", "last", "next"}
    if not all(is_time_word(word) for word in said.split()) or not set(tokens(said)) - counting or said.isdigit():
        return None
    return {"due": said} if is_due(said, due) else None


def _bare_priority(words: Sequence[str]) -> str | None:
    """The priority that some words give and nothing else, mistyped or not; None for any other."""
    beside = [one for one in words if one != "prio" and not close(one, "priority") and one not in ("please", "and")]
    if len(beside) != 1 or len(beside) == len(words):
        return None
    return next((found for word, found in _PRIORITIES.items() if word == beside[0] or close(beside[0], word)), None)


def renumbered(title: str, message: str) -> str | None:
    """A title with another number, where a short message gives one of the same thing: 45 euros, of 40 euros."""
    found = _COUNTED.match(message.strip())
    if found is None or len(tokens(message)) > _FEW:
        return None
    same = list(re.finditer(rf"\b\d+(?:[.,]\d+)?(?=\s+(?:[^\W\d_]+\s+)?{found['what']}\b)", title, re.IGNORECASE))
    if len(same) != 1 or same[0][0] == found["number"]:
        return None
    return title[: same[0].start()] + found["number"] + title[same[0].end() :]


def reworded(title: str, message: str, meant: str = "") -> str | None:
    """A title with another word, where a message says which one is not meant (Ben for Ann, of "not Ann, Ben"), or the
    word that is meant is one of its own, spelled otherwise; else None."""
    own = {stem(word) for word in tokens(title)}
    for found in _NOT.finditer(message):
        gone, _, behind = found["gone"].strip().partition(" ")
        place = re.search(rf"(?<!\w){re.escape(gone)}(?!\w)", title, re.IGNORECASE)
        rest = meant or f"{message[: found.start()]} {behind} {message[found.end() :]}"
        new = [word for word in re.findall(r"[^\s,;.!?]+", rest) if own.isdisjoint(map(stem, tokens(word)))]
        new = [word for word in new if content_words(word)]
        if place and 0 < len(new) <= _FEW_NEW:
            return title[: place.start()] + " ".join(new) + title[place.end() :]
    if meant and (part := _in_place(title, meant)):
        return part
    words = title.split()
    alike = [place for place, word in enumerate(words) if len(words) > 1 and meant and close(word, meant)]
    return " ".join([*words[: alike[0]], meant, *words[alike[0] + 1 :]]) if len(alike) == 1 else None


def _in_place(title: str, meant: str) -> str | None:
    """A title with a part of it said anew, where some of its words are as they were: chapter 5, of "read chapter 4"."""
    words, new = title.split(), meant.split()
    for at in range(len(words) - len(new) + 1 if 1 < len(new) < len(words) else 0):
        part = words[at : at + len(new)]
        same = sum(one.casefold() == other.casefold() for one, other in zip(part, new, strict=True))
        if len(new) > same >= len(new) / 2:
            return " ".join([*words[:at], *new, *words[at + len(new) :]])
    return None


def _whole_group(task: str, request: str, due: str) -> str:
    """Words for a group with what narrows it, and those that are the exception with the group that they are spared of:
    a group that is cut short is more than the person spoke of. The day that it is moved to is no part of it."""
    at = request.casefold().find(task.casefold())
    if at < 0:
        return task
    before, end = request[:at], at + len(task)
    if (spared := _EXCEPTION.search(before)) and (whole := group_word(before[: spared.start()])):
        return f"{whole} except {task}"
    if not group_word(task):
        return task
    moved = re.search(rf"\s+(?:{_LINK}\s+)?{re.escape(due)}(?!\w)", request[end:], re.IGNORECASE) if due else None
    rest = request[end : end + moved.start()] if moved else request[end:]
    tail = _NARROWING.match(rest)
    if tail is not None and not narrows(task) and narrows(tail[0]):
        return f"{task}{tail[0]}".strip()
    apart = _SPARED.search(rest)
    return f"{task} except {apart['what']}" if apart and not _EXCEPTED.search(task) else task


def _is_ahead(due: str) -> bool:
    return read_due(due)[:10] >= clock_now().strftime("%Y-%m-%d")


def _day_behind(words: Any, request: str, link: str) -> str | None:
    """The day that stands behind some words, joined to them by a link."""
    start = request.casefold().find(str(words).casefold()) if words else 0
    if start < 0 or words is None:
        return None
    joined = re.compile(rf"\b{link}\s+(?=\S)", re.IGNORECASE)
    found = joined.search(request, start + len(str(words)))
    if found is None or (
        words and re.search(r"[.;!?]|\b(?:and|then)\b|,\s*\w", request[start + len(str(words)) : found.start()])
    ):
        return None
    behind = re.split(r"(?<=\D)[.,;!?]|[!?]", request[found.end() :])[0].split()
    for size in range(min(len(behind), 4), 0, -1):
        said = " ".join(behind[:size])
        # That it is so for now is no day.
        is_day = all(is_time_word(word) for word in behind[:size]) and tokens(said)[-1:] != ["now"]
        if is_day and is_due(said, None):
            return said
    return None
