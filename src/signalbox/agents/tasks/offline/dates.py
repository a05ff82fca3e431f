"""Dates with all of their words, and those that count from another task's."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.agents.tasks.due import clock_now
from signalbox.agents.tasks.plan import Planned
from signalbox.language.numbers import NUMBERS, ORDINALS
from signalbox.language.time.ahead import parse_due
from signalbox.language.time.stretches import is_time_word, whole_stretch
from signalbox.language.words import tokens
from signalbox.settings import person_zone

__all__ = ["is_date", "whole_dates"]

_END = " \t\n.,;:!?"
_FROM_ANOTHER = re.compile(
    r"(?:on |for )?(?:the )?same (?:day|date)(?: as .*)?|"
    r"(?P<length>.*?\bdays?) (?P<way>before|after)(?: (?:that|it|this))?",
    re.IGNORECASE,
)
_SAME_HOUR = re.compile(r"\b(?:same (?:time|hour)|still (?=\d))", re.IGNORECASE)
_NOW = frozenset({"now", "today", "this"})


def is_date(words: str) -> bool:
    """Whether words mean a day or an hour that a task can be due at."""
    return parse_due(words, clock_now(), person_zone(), before="2026-01-01") is not None


def whole_dates(plan: list[Planned], request: str, spoken: str | None) -> list[Planned]:
    """The plan, with each due date in all of its words. `spoken` is the date of the task that was spoken of last."""
    read = [_read(one, request, spoken) if isinstance(one.args.get("due"), str) else one for one in plan]
    if len(read) == 1 and read[0].name == "update_task" and not set(read[0].args) - {"task"}:
        # Of a task that is to change and nothing is said to be different, the one day in the message is.
        day = _only_date(request, plan)
        return [replace(read[0], args={**read[0].args, "due": day})] if day else read
    return read


def _read(call: Planned, request: str, spoken: str | None) -> Planned:
    words = str(call.args["due"])
    counted = _counted(words, spoken) or _counted(f"{words} that", spoken)
    due = counted or _widened(call, words, request)
    if not counted and _SAME_HOUR.search(request) and not re.search(r"\d\s*(?:am|pm|[:.]\d\d)", due):
        due = f"{due} same time"
    return replace(call, args={**call.args, "due": due})


def _counted(words: str, spoken: str | None) -> str | None:
    """A date that counts from the one spoken of last: the same day, the day after that."""
    found = _FROM_ANOTHER.fullmatch(words.strip(_END))
    if found is None or spoken is None:
        return None
    if not found["length"]:
        return spoken[:10]
    length = re.sub(r"^(?:the |a )?day$", "one day", found["length"].strip(), flags=re.IGNORECASE)
    way = "earlier" if found["way"].casefold() == "before" else "later"
    return parse_due(f"{length} {way}", clock_now(), person_zone(), spoken[:10])


def _widened(call: Planned, words: str, request: str) -> str:
    """A date with the words of time around it, where together they are one and none of them names the task."""
    task = str(call.args.get("task") or call.args.get("title") or "")
    named = request.casefold().find(task.casefold()) if task else -1
    for found in re.finditer(re.escape(words), request, re.IGNORECASE):
        if named <= found.start() < named + len(task):
            continue
        start, end = whole_stretch(request, found.start(), found.end())
        start = max(start, named + len(task)) if named >= 0 and named < found.start() else start
        end = min(end, named) if named > found.start() else end
        wider = request[start:end].strip(_END)
        if is_date(wider):
            return wider
    return words


def _only_date(request: str, plan: list[Planned]) -> str | None:
    """The one date that a message names beside the words that a call has read; None where it names none or several."""
    for value in (str(one) for call in plan for one in call.args.values()):
        request = request.replace(value, " | ")
    dates: list[str] = []
    at = 0
    for word in re.finditer(r"\S+", request):
        if word.start() < at or not is_time_word(word[0]) or word[0].casefold().strip(_END) in _NOW:
            continue
        start, at = whole_stretch(request, word.start(), word.end())
        said = request[start:at].strip(_END)
        is_named = set(tokens(said)) - {*NUMBERS, *ORDINALS} and is_date(said)
        dates += [said] if is_named else []
    return dates[0] if len(dates) == 1 else None
