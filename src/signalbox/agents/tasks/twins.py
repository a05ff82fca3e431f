"""Whether a new task is new: it may be one that is there, one that was deleted, or the one that was asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.tasks.due import is_due
from signalbox.agents.tasks.naming import content_words, is_named_exactly, is_of_title
from signalbox.agents.tasks.state import Talk
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.language.clauses import list_members
from signalbox.language.names import close
from signalbox.language.words import tokens, word_set
from signalbox.storage import Task, Tasks

__all__ = ["as_asked", "deleted_before", "find_twin", "there_already"]

_ADDING = word_set("add adding new another create remind remember note jot log write list todo also again more second")
_BACK = word_set("again back")


def as_asked(args: Mapping[str, Any], talk: Talk) -> Mapping[str, Any]:
    """A new task with what was said of the one that was just asked about, where it is that one, spelled anew."""
    pending = talk["pending"]
    before = dict(pending["args"]) if pending is not None and pending["name"] == "add_task" else {}
    if not is_due(str(before.get("due", ""))):
        before.pop("due", None)
    old, new = tokens(str(before.get("title", ""))), tokens(str(args.get("title", "")))
    alike = [word for word in new if any(word == one or close(word, one) for one in old)]
    return {**before, **args} if alike and 2 * len(alike) >= len(new) else args


async def there_already(title: str, message: str, tasks: Tasks) -> list[Task]:
    """The open tasks without a date that a message speaks of which has no word for a new one: one whose title is said
    with other words around it or with "the" before a part of it, or several that it lists. Else none."""
    if _ADDING & set(tokens(message)):
        return []
    members = [title[a:b] for a, b in list_members(title, 0, len(title))]
    found = [await _undated(one, tasks) for one in members] if len(members) > 1 else []
    if found and all(
        one is not None and is_of_title(said, one.title) for said, one in zip(members, found, strict=True)
    ):
        return [one for one in found if one is not None]
    only = await _undated(title, tasks)
    if only is None:
        return []
    own = content_words(only.title)
    is_inside = len(own) > 1 and is_of_title(" ".join(own), title)
    is_the = re.search(rf"\b(?:the|my)\s+{re.escape(title)}", message, re.IGNORECASE) is not None
    return [only] if is_inside or (is_the and is_of_title(title, only.title)) else []


async def _undated(words: str, tasks: Tasks) -> Task | None:
    """The one open task that words name, if it has no date."""
    found = await find_meant(words, View(), tasks, "pending")
    is_open = found.how == "one" and not found.tasks[0].completed and not found.tasks[0].due_date
    return found.tasks[0] if is_open else None


async def find_twin(title: str, args: Mapping[str, Any], message: str, tasks: Tasks) -> Task | None:
    """An open task that is just what a new one would be; another day makes it another, of what is to be added."""
    if args.get("due") and _ADDING & set(tokens(message)):
        return None
    found = await find_meant(title, View(), tasks, "pending")
    same = [one for one in found.tasks if is_named_exactly(title, one) and not one.completed]
    if not same and found.how == "one" and not _ADDING & set(tokens(message)) and len(content_words(title)) > 1:
        # Without a word for a new one, two words of a title are more likely to name the one there is.
        same = [one for one in found.tasks if _is_within(title, one) and not one.completed]
    return same[0] if found.how in ("one", "unclear") and same else None


def _is_within(title: str, task: Task) -> bool:
    """Whether a title is part of a task's, or has all of it; of one word, with "the" before it: move the dentist."""
    own = content_words(task.title)
    is_the = re.search(rf"\b(?:the|my|that)\s+{re.escape(task.title)}\b", title, re.IGNORECASE) is not None
    return is_of_title(title, task.title) or is_the or (len(own) > 1 and is_of_title(" ".join(own), title))


async def deleted_before(title: str, message: str, talk: Talk, tasks: Tasks) -> Task | None:
    """The task of this title that this conversation deleted, where a message says that it is to be there again."""
    gone = {
        number
        for change in talk["changes"]
        for act in change["acts"]
        if act["name"] == "delete_task"
        for number in act["numbers"]
    }
    if not gone or not _BACK & set(tokens(message)):
        return None
    same = [one for one in await tasks.deleted() if one.task_id in gone and is_named_exactly(title, one)]
    return same[0] if len(same) == 1 else None
