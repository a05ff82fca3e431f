"""Replies to the agent's own questions, and "undo": few words that mean one thing in the state of a conversation.

A yes and a no are read by `toolbox.confirmation`, and a choice by what was offered, for every model alike. What else is
settled here, only the offline model's plan asks for.
"""

from __future__ import annotations

import re
from typing import Any

from signalbox.agents.tasks.naming import affirmed, content_words, fits_wholly, is_title_of, refers_only, told_apart
from signalbox.agents.tasks.readings import bare_change, renumbered
from signalbox.agents.tasks.state import Pending, Talk
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.language.words import tokens, word_set
from signalbox.storage import Store
from signalbox.toolbox.confirmation import read_reply

__all__ = ["choice_among", "read_choice", "read_decision", "says_swap", "says_undo", "settled"]

_UNDO = word_set("undo revert")
_BESIDE_UNDO = word_set("that it this please oops wait the last change all oh no sorry hmm hm my them")
_SWAP = re.compile(r"\b(?:other|wrong) way (?:a)?round\b|\bswap|\bvice versa\b", re.IGNORECASE)
_SAME = word_set("same ditto likewise too also")
_AGAIN = ("update_task", "complete_task", "reopen_task", "delete_task")
_LONGEST, _PAIR = 8, 2


def read_decision(reply: Any, pending: Pending | None) -> Any:
    """Whether a reply is a yes or a no to the question that waits; None where it is neither, or nothing waits."""
    decision = read_reply(reply) if pending is not None else "other"
    if pending is None or decision == "other":
        return None
    # Which one of several is meant, no yes can say.
    is_answer = decision == "no" or pending["kind"] == "confirm" or len(pending["numbers"]) == 1
    return decision if is_answer else None


async def read_choice(message: str, pending: Pending | None, user_id: str) -> tuple[str, dict[str, Any]] | None:
    """The choice that a message is, where it is nothing but an answer to the question which task is meant."""
    if pending is None or pending["kind"] != "choose" or not tokens(message) or len(tokens(message)) > _LONGEST:
        return None
    return await _choice(message, pending["numbers"], user_id)


async def settled(message: str, talk: Talk, user_id: str) -> tuple[str, dict[str, Any]] | None:
    """The call that a message of few words is: an undo, a swap, or one more detail of what was changed last."""
    words = tokens(message)
    if not words or len(words) > _LONGEST or talk["pending"] is not None:
        return None
    if talk["changes"] and _is_made_of(words, _UNDO, _BESIDE_UNDO):
        return "undo_change", {}
    if talk["changes"] and len(talk["changes"][-1]["acts"]) == _PAIR and says_swap(message):
        return "correct_change", {}
    return await _bare(message, talk, user_id) or await _same(message, talk, user_id)


async def _same(message: str, talk: Talk, user_id: str) -> tuple[str, dict[str, Any]] | None:
    """The last change once more, for the task that a message names and says no more of than "same" or "too"."""
    acts = talk["changes"][-1]["acts"] if talk["changes"] else []
    is_change = len(acts) == 1 and acts[0]["name"] in _AGAIN and not {"title", "note"} & set(acts[0]["args"])
    words = tokens(message)
    if not is_change or not (set(words) & _SAME or words[0] == "and") or "?" in message:
        return None
    named = " ".join(word for word in message.split() if content_words(word) and not set(tokens(word)) & _SAME)
    found = await find_meant(named, View(tuple(talk["shown"])), Store(user_id).tasks)
    is_named = found.how == "one" and not refers_only(named) and fits_wholly(named, found.tasks[0])
    if not is_named or found.tasks[0].task_id in acts[0]["numbers"]:
        return None
    return acts[0]["name"], {**acts[0]["args"], "task": f"#{found.tasks[0].task_id}"}


async def _bare(message: str, talk: Talk, user_id: str) -> tuple[str, dict[str, Any]] | None:
    """A bare day, hour, priority or number is that of the one task that was changed last."""
    last = talk["changes"][-1]["acts"][-1] if talk["changes"] else None
    if last is None or len(talk["spoken"]) != 1 or last["numbers"] != talk["spoken"]:
        return None
    task = next(iter(await Store(user_id).tasks.several(talk["spoken"])), None)
    if task is None:
        return None
    changed = bare_change(message, task.due_date)
    title = renumbered(task.title, message) if changed is None else None
    changed = {"title": title} if title else changed
    return ("update_task", {"task": f"#{task.task_id}", **changed}) if changed else None


def says_swap(message: str) -> bool:
    """Whether a message says that two things are the wrong way round."""
    return _SWAP.search(message) is not None


def says_undo(message: str) -> bool:
    """Whether a message has the word for it."""
    return bool(set(tokens(message)) & _UNDO)


async def choice_among(message: str, numbers: list[int], user_id: str) -> int | None:
    """The one of some tasks that a message names, among whatever else it says; None where it names none or two."""
    store = Store(user_id).tasks
    found = await find_meant(affirmed(message), View(tuple(numbers), offered=True), store)
    if found.how == "one":
        return found.tasks[0].task_id if found.tasks[0].task_id in numbers else None
    apart = told_apart(await store.several(numbers), message)
    return apart.task_id if apart is not None else None


def _is_made_of(words: list[str], core: frozenset[str], beside: frozenset[str]) -> bool:
    return bool(set(words) & core) and set(words) <= core | beside


async def _choice(message: str, numbers: list[int], user_id: str) -> tuple[str, dict[str, Any]] | None:
    """One of those that the person was asked to choose from, named by place, number or words."""
    named = affirmed(message)
    if not numbers:
        return await _named_freely(named, user_id)
    found = await find_meant(named, View(tuple(numbers), offered=True), Store(user_id).tasks)
    chosen = {one.task_id for one in found.tasks}
    if found.how == "one" and chosen <= set(numbers) and fits_wholly(named, found.tasks[0]):
        return "choose_task", {"task": named}
    return None


async def _named_freely(named: str, user_id: str) -> tuple[str, dict[str, Any]] | None:
    """The task that a message names by its title and says nothing else of, where none was found before."""
    found = await find_meant(named, View(), Store(user_id).tasks)
    is_named = found.how == "one" and is_title_of(named, found.tasks[0]) and bare_change(named, None) is None
    # One "too" is one more, and not the one that was asked for.
    is_named = is_named and not set(tokens(named)) & _SAME
    return ("choose_task", {"task": named}) if is_named else None
