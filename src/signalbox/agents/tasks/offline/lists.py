"""Several things in one message: one below the other, numbered, or with commas between them."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.agents.tasks.plan import Planned
from signalbox.language.clauses import list_members
from signalbox.language.numbers import NUMBERS
from signalbox.language.references import ALL, BOTH
from signalbox.language.words import tokens

__all__ = ["split_list", "split_titles"]

_MARK = re.compile(r"(?:^|(?<=\s))(?:\(?\d{1,2}[.)]|[-*•–])\s+")
_PAIR, _FEW, _NEAR, _LONGEST = 2, 3, 3, 6
_SENTENCE = re.compile(r"[.!?](?=\s|$)|\n")
_AROUND = " \t\n.,;:!?\"'“”()"
_LEAD = re.compile(r"^(?P<lead>[^\n:]{1,80}:)\s*(?P<rest>.+)$", re.DOTALL)


def split_list(text: str) -> list[str]:
    """The members of a list, each with the words that lead it in; the text itself where it is no list."""
    found = _LEAD.match(text.strip())
    lead, rest = (found["lead"], found["rest"]) if found else ("", text.strip())
    marks = list(_MARK.finditer(rest))
    if len(marks) > 1 and not rest[: marks[0].start()].strip():
        members = _MARK.split(rest)
    elif lead and (rest.count("\n") or rest.count(";")):
        members = re.split(r"\n|;", rest)
    else:
        return [text]
    cleaned = [one.strip(" \t\n,;") for one in members]
    return [f"{lead} {one}".strip() for one in cleaned if one]


def split_titles(plan: list[Planned], text: str) -> list[Planned]:
    """The plan, with a new task for every member of a list, also for those that were not read, and each with the day
    that is said for all of them."""
    if not plan or any(one.name != "add_task" for one in plan):
        return plan
    read = {str(one.args.get("title") or ""): one for one in plan}
    first = next(iter(read))
    at = max(text.casefold().find(first.casefold()), 0)
    end = _SENTENCE.search(text, at)
    sentence = text[: end.start() if end else len(text)]
    few = _announced(text[:at])
    members = _members(first, few) or _members(sentence[at:], few)
    if not members and first in (all_of_it := _members(sentence, few)):
        members = all_of_it
    if not members or any(_has_value(one, plan) for one in members):
        return _sharing_day(plan, text)
    # What was said of the one thing that was read is said of all of them, unless it stands with one of them.
    shared = plan[0].args if len(plan) == 1 else {}
    shared = {key: value for key, value in shared.items() if not any(str(value) in one for one in members)}
    whole = [next((title for title in read if title and title in one), one) for one in members]
    each = [{**shared, **(read[one].args if one in read else {}), "title": one} for one in whole]
    return _sharing_day([replace(plan[0], args=one) for one in each], text)


def _announced(lead: str) -> int:
    """How many things make a list: as many as are announced before it, else three."""
    found = [NUMBERS[word] for word in tokens(lead) if word in NUMBERS] if lead.rstrip().endswith(":") else []
    return min([_FEW, *(one for one in found if one > 1)])


def _members(text: str, few: int) -> list[str]:
    """The things to do that a text lists; none where it is about one thing."""
    members = [text[start:end].strip(_AROUND) for start, end in list_members(text, 0, len(text))]
    sizes = [len(one.split()) for one in members]
    # "Buy milk, bread and eggs" is one thing to do: what follows are only its objects.
    is_one = len(members) < few or max(sizes) > _LONGEST or (sizes[0] > 1 and 1 in sizes[1:])
    return [] if is_one else members


def _has_value(member: str, plan: list[Planned]) -> bool:
    """Whether a member of a list is a detail of a task, such as its day or a label, and no task."""
    values = [value for one in plan for key, value in one.args.items() if key != "title"]
    flat = [str(one) for value in values for one in (value if isinstance(value, list) else [value])]
    return any(one in member or member in one for one in flat)


def _sharing_day(plan: list[Planned], text: str) -> list[Planned]:
    """The plan, with the one day that stands before all of its titles, or behind them with "all", for each of them."""
    days = [str(one.args["due"]) for one in plan if one.args.get("due")]
    places = [text.find(str(one.args.get("title"))) for one in plan]
    if len(plan) < _PAIR or len(days) != 1 or min(places) < 0:
        return plan
    at = text.find(days[0])
    is_behind = at > max(places) and set(tokens(text[max(places) : at])[-_NEAR:]) & (ALL | BOTH)
    if at > min(places) and not is_behind:
        return plan
    return [replace(one, args={**one.args, "due": days[0]}) for one in plan]
