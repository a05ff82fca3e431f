"""What a message says against a call that was read in it: it asks rather than tells, it puts a condition, it says that
something stays as it is or is not done. Then the person is asked, and nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import clock_now, is_due, read_due
from signalbox.agents.tasks.naming import content_words, denies, speaks_of
from signalbox.agents.tasks.offline.evidence import is_past
from signalbox.agents.tasks.offline.mood import (
    asks,
    forbidden,
    is_anothers_word,
    is_withdrawn,
    mentions_call,
    sets_condition,
    weighs,
)
from signalbox.language.clauses import clauses_of
from signalbox.language.words import stem, tokens, word_set
from signalbox.storage import Task

__all__ = ["says_left", "speaks_against", "speaks_of_undoing"]

_LEFT = re.compile(
    r"\b(?:leave|keep)\b.*\b(?:as (?:it|they|is|was|are)\b|alone\b|unchanged|untouched|the way|like (?:that|it)\b)|"
    r"\b(?:stays|remains)\b|\b(?:stay|remain) (?:as|open|closed|done|put|there|where|on)\b",
    re.IGNORECASE,
)
_SAID_OF = {
    "priority": word_set("priority prio"),
    "due": word_set("date day time due deadline hour"),
    "tags": word_set("tag tags label labels"),
    "untag": word_set("tag tags label labels"),
    "title": word_set("name title"),
}
_ANY = word_set("anything any nothing")
_REFERRING = word_set("it that this them those these everything all")
_UNFINISHED = word_set(
    "not isn't isnt hasn't hasnt haven't havent aren't arent wasn't wasnt never almost nearly halfway half still yet "
    "can't cant cannot won't wont didn't didnt couldn't couldnt"
)
_STILL_TO_DO = re.compile(
    r"\b(?:i|we|you|they)\s+still\s+(?:(?:need|have|got|want|ought)\s+to|must|should|gotta)\b", re.IGNORECASE
)
_THEIRS = word_set("his her their")
_SELVES = word_set("himself herself themselves")
_MINE = word_set("i i've ive we we've me us")
_UNDOING = re.compile(
    r"\bund(?:o|id|one|elete)\b|\brevert|\brestore|"
    r"\b(?:take|taking|put|bring|change|set|get|roll|turn|go|give|switch|move|want|have|need)\b[^.,;!?]*\bback\b|"
    r"\bmistake|\bwrong|\baccident|\boops\b|\bwhoops\b|\bdidn'?t mean|\bas (?:it|they) (?:was|were)\b",
    re.IGNORECASE,
)
_DROPPING = re.compile(
    r"\W*(?:(?:oh|ah|um+|hm+|wait|no|ok|okay|well|actually|sorry|and|so|please|pls|just|on second thoughts?)\b\W*)*"
    r"(?:never ?mind|nvm|forget|scratch|scrap|cancel)\b",
    re.IGNORECASE,
)
"""What drops the subject: the last change, if the message is about nothing else."""
_OBJECTING = re.compile(
    r"\b(?:no|nope|not|don'?t (?:do|want|need|change|delete|move|touch|add)|didn'?t (?:want|ask|say)|"
    r"wait|again|original\w*|reset|after all|remove|delete|drop|off|leave|keep|before|"
    r"actually|rather|reflection|second thoughts?|sorry|stop|hang on|hold on|mind|instead)\b",
    re.IGNORECASE,
)
_DROPS = re.compile(r"\bnever ?mind\b|\bnvm\b|\bforget (?:it|that|about)\b", re.IGNORECASE)
_DAY = len("2026-01-01")
_KEEPING = re.compile(r"\W*(?:(?:and|but|so|please|pls|oh|ok|just)\s+)*(?:keep|leave)\b", re.IGNORECASE)


def speaks_against(
    name: str, args: Mapping[str, Any], tasks: Sequence[Task], named: Sequence[Task], request: str
) -> bool:
    """Whether a message that a call on some tasks was read in asks, puts a condition, or says that it is not so, or
    not of those that the call has named."""
    if asks(request, args) or weighs(request, args) or sets_condition(request, name):
        return True
    if is_withdrawn(request, args) or is_anothers_word(request, args) or _is_forbidden(name, args, tasks, request):
        return True
    if name == "update_task" and _is_over(args):
        return True
    if name == "complete_task" and any(_is_unfinished(one, request) for one in tasks):
        return True
    if name == "complete_task" and any(_is_anothers_doing(one, request) for one in tasks):
        return True
    if name in ("complete_task", "delete_task") and any(_is_kept(one, request) for one in tasks):
        return True
    if name in ("complete_task", "delete_task") and _STILL_TO_DO.search(request):
        return True
    spares = name != "update_task"
    return _is_left(args, tasks, request) or any(denies(request, one, spares=spares) for one in named)


def speaks_of_undoing(message: str, answer: str, numbers: Iterable[int]) -> bool:
    """Whether a message has a word for taking back, or to an answer that told of what was changed at least drops the
    subject or objects. Who drops the subject behind a remark drops that."""
    if _UNDOING.search(message) is not None:
        return True
    is_told = any(f"#{number} " in answer for number in numbers)
    if not is_told or _DROPPING.match(message):
        return is_told
    return _DROPS.search(message) is None and _OBJECTING.search(message) is not None


def says_left(request: str) -> bool:
    """Whether a message says of anything that it stays as it is."""
    return any(_LEFT.search(clause) for clause in clauses_of(request))


def _is_forbidden(name: str, args: Mapping[str, Any], tasks: Sequence[Task], request: str) -> bool:
    """Whether a clause says not to do it: of these tasks, of "it", or of anything."""
    return any(
        mentions_call(one, args)
        or _REFERRING & set(tokens(one))
        or _ANY & set(tokens(one))
        or any(speaks_of(one, task) for task in tasks)
        for one in forbidden(request, name)
    )


def _is_over(args: Mapping[str, Any]) -> bool:
    """Whether the hour that something would be due at is over: "it's only quarter past eight" is a remark."""
    due = str(args.get("due") or "")
    if not due or not is_due(due):
        return False
    return len(read_due(due)) > _DAY and read_due(due) <= clock_now().strftime("%Y-%m-%dT%H:%M")


def _is_kept(task: Task, request: str) -> bool:
    """Whether a clause says to keep a task, in other words than its own."""
    is_own = bool({"keep", "leave"} & set(tokens(task.title)))
    return not is_own and any(_KEEPING.match(one) and speaks_of(one, task) for one in clauses_of(request))


def _is_anothers_doing(task: Task, request: str) -> bool:
    """Whether it is said that somebody did the like of a task, or called it off: "he returned his drill"."""
    own = [stem(word) for word in tokens(task.title)]
    for clause in clauses_of(request):
        words = set(tokens(clause))
        if not speaks_of(clause, task) or words & _MINE or "'s" in task.title or {"his", "her", "their"} & set(own):
            continue
        is_off = any(word.startswith("cancel") or word == "postponed" for word in words) and "cancel" not in own
        said = [stem(word) for word in tokens(clause)]
        owned = [set(said[at + 1 : at + 3]) for at, word in enumerate(tokens(clause)) if word in _THEIRS]
        is_theirs = words & _SELVES or any(one & set(own) for one in owned)
        if is_off or (is_theirs and said[0] != own[0] and not is_past(tokens(clause)[0])):
            return True
    return False


def _is_unfinished(task: Task, request: str) -> bool:
    """Whether it is said of a task, in other words than its own, that it is not done."""
    own = {stem(word) for word in tokens(task.title)}
    for clause in clauses_of(request):
        beside = {word for word in tokens(clause) if stem(word) not in own}
        if beside & _UNFINISHED and speaks_of(clause, task):
            return True
    return False


def _is_left(args: Mapping[str, Any], tasks: Sequence[Task], request: str) -> bool:
    """Whether a clause says that a task, or what a call would change of it, stays as it is."""
    for clause in filter(_LEFT.search, clauses_of(request)):
        words = set(tokens(clause))
        fields = [key for key, said in _SAID_OF.items() if words & said]
        if fields:
            if set(fields) & set(args):
                return True
        elif any(speaks_of(clause, one) for one in tasks) or (words & _REFERRING and len(content_words(clause)) <= 3):
            return True
    return False
